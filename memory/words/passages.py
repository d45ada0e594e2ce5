"""Bounds of what is read at once: a text comes in passages, and of a very long one only the beginning is read.

Rules look at a sentence many times, and at what stands around it. What they cost grows with the square of what they
are shown, and faster where a sentence has no end. So they are never shown more than a passage, and no sentence longer
than `memory.words.normalise` lets through: the cost of a text then grows with its length, whatever is written in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARS = 4_000
"""Characters read at once, about two pages (chosen: pieces of imported files are no longer)."""
READ_CHARS = 100_000
"""Characters of one segment that are read (chosen: two hours of speech). All of its words are found by search."""
BATCH_CHARS = 20_000
"""Characters read in one turn, but for a single segment that is longer (chosen: 16 turns of talk have 2,000)."""
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_STOP = re.compile(r"[.!?…][\"')\]”’*]{0,4}\s|\n")


def passages(text: str) -> Iterator[str]:
    """The text as it is read: as a whole, or in passages cut at the end of a sentence or a word, code taken out."""
    if len(text) <= PASSAGE_CHARS:
        yield text
        return
    left = _CODE.sub("\n", text[:READ_CHARS])
    start = 0
    while start < len(left):
        end = start + len(cut_at(left[start : start + PASSAGE_CHARS + 1], PASSAGE_CHARS, _STOP))
        yield left[start:end]
        start = end


def last_passage(text: str) -> str:
    """The end of a text, no longer than a passage."""
    return text[-PASSAGE_CHARS:]


def cut_at(text: str, most: int, stop: re.Pattern[str]) -> str:
    """At most so many characters from the beginning: up to the last stop in their second half, a space, or a letter."""
    if len(text) <= most:
        return text
    half = most // 2
    ends = [found.end() for found in stop.finditer(text, half, most)]
    space = text.rfind(" ", half, most)
    return text[: ends[-1] if ends else space + 1 if space > 0 else most]
