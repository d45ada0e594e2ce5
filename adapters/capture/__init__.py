"""Reading what was captured elsewhere: session files, exports, subtitles, notes."""
