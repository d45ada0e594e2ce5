"""Hearing: sound files to samples, voices and words, in a process of its own."""
