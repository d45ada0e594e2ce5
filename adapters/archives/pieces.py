"""Long lines taken apart before they are read: a source of hours, a turn of thousands of changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from adapters.capture.payloads import TEXT_CHARS

PIECE = 65_536
"""Bytes of a line that is read at once, whatever it holds."""
MOST_PIECE = 2 * 6 * TEXT_CHARS + 500_000
"""Bytes of one element, and of the rest of a line without its elements: the words of a segment and what they came as,
each as long as a door takes them and of characters that JSON escapes, with room."""
MOST_MARKS = 20_000
"""Commas and brackets of such a piece: each may become an object, or an error, of a thousand bytes."""
MOST_ELEMENTS = 500_000
"""Elements of one line: a source that went on for weeks, a merger of all there is."""
MOST_DEPTH = 32
_WINDOW = 65_536
"""Bytes looked through at once: the interpreter serves nobody else meanwhile."""
_TOKEN = re.compile(rb'\\.?|["\[\]{},]', re.DOTALL)
_QUOTE, _ESCAPE, _COMMA = b'"\\,'
_OPENING, _CLOSING = b"[{", b"]}"


def is_long(line: bytes | bytearray) -> bool:
    """Whether a line has to be taken apart."""
    return len(line) > PIECE


def check(piece: bytes | bytearray, most_marks: int = MOST_MARKS) -> None:
    """Raise ValueError unless a piece can be read at once."""
    if len(piece) > MOST_PIECE:
        raise ValueError(f"must have at most {MOST_PIECE:,} bytes")
    if len(piece) > PIECE and sum(1 for _ in islice(_marks(piece), most_marks + 1)) > most_marks:
        raise ValueError("must not hold so many values")


def taken_apart(line: bytearray, name: str) -> tuple[bytes, Iterator[bytes]]:
    """A line with the list of that name emptied, and the elements of the list, cut out one by one.

    What is cut is not yet JSON: whoever reads the pieces finds out. Raises ValueError, also while elements are cut.
    """
    key = re.compile(rb'"' + name.encode() + rb'"\s*:\s*\Z')
    depth = start = count = 0
    for place, mark in _marks(line):
        if mark in _OPENING:
            if depth == 1 and not start and key.search(line, max(0, place - 64), place):
                start = place + 1
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if depth == 1 and start:
                rest = len(line) - (place - start)
                if rest > MOST_PIECE:
                    raise ValueError(f"must have at most {MOST_PIECE:,} bytes beside {name}")
                return bytes(line[:start] + line[place:]), _elements(line, start, place)
        elif start and depth == 2:
            count += 1
        if depth > MOST_DEPTH or count > MOST_ELEMENTS:
            raise ValueError(f"{name}: must not hold so many values")
    raise ValueError(f"{name}: is missing or is not closed")


def _elements(line: bytearray, start: int, end: int) -> Iterator[bytes]:
    depth, begin = 0, start
    if not line[start:end].strip():
        return
    for place, mark in _marks(line, start, end):
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif not depth:
            yield _cut(line, begin, place)
            begin = place + 1
    yield _cut(line, begin, end)


def _cut(line: bytearray, begin: int, end: int) -> bytes:
    if end - begin > MOST_PIECE:
        raise ValueError(f"must have at most {MOST_PIECE:,} bytes")
    return bytes(memoryview(line)[begin:end])


def _marks(line: bytes | bytearray, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """(place, byte) of every bracket and comma that stands in no string."""
    place, stop, quoted = start, len(line) if end is None else end, False
    while place < stop:
        window = min(place + _WINDOW, stop)
        following = window
        for found in _TOKEN.finditer(line, place, window):
            at = found.start()
            mark = line[at]
            if mark == _QUOTE:
                quoted = not quoted
            elif mark == _ESCAPE:
                following = window + (found.end() - at == 1)  # what it escapes stands in the next window
            elif not quoted:
                yield at, mark
        place = following
