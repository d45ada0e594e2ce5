"""What was heard, as text and as captions: SubRip (srt) and WebVTT."""

from __future__ import annotations

from collections.abc import Iterator

from memory.model.sound import HeardSound
from memory.words.cleaning import visible


def text_of(heard: HeardSound) -> str:
    """All words in one line."""
    return " ".join(visible(each.text) for each in heard.sentences)


def srt_of(heard: HeardSound) -> str:
    """Captions as SubRip has them."""
    return "".join(f"{number}\n{lines}" for number, lines in enumerate(_captions(heard, ","), start=1))


def vtt_of(heard: HeardSound) -> str:
    """Captions as WebVTT has them."""
    return "WEBVTT\n\n" + "".join(_captions(heard, "."))


def _captions(heard: HeardSound, point: str) -> Iterator[str]:
    for each in heard.sentences:
        # an arrow would begin another caption
        words = visible(each.text).replace("-->", "->")
        yield f"{_clock(each.start, point)} --> {_clock(each.end, point)}\n{words}\n\n"


def _clock(second: float, point: str) -> str:
    """00:01:02,345"""
    minutes, milliseconds = divmod(round(second * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{milliseconds // 1000:02}{point}{milliseconds % 1000:03}"
