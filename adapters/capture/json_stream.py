"""JSON of any size as a stream of the values that are wanted, with bounded memory whatever the file holds.

Only a wanted value is ever built. A value that is larger or deeper than any program writes is passed over and told; a
file that breaks off or is damaged gives what came before.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import ijson
from ijson.common import IncompleteJSONError, JSONError

from adapters.capture.jsonl import Rejected
from adapters.capture.text import TextFile
from memory.errors import Invalid

Place = tuple[str, ...]
"""Keys from the outermost value inwards; `*` is any element of a list."""

VALUE_CHARS = 32_000_000
"""Characters of one wanted value: a year's daily talk in a single conversation is a tenth (chosen)."""
TOKEN_BYTES = 16_000_000
"""Longest string: a message with a book pasted into it is a tenth (chosen)."""
DEEPEST = 100
"""Values within values: exports have ten."""
PEEK_KEYS = 300
PEEK_EVENTS = 20_000
"""How far a file is looked into to tell what it is."""
_BLOCK = 65_536
_COST = 64
"""Characters that a number, a key or a bracket counts as: Python needs as much memory for it."""
_FAULTS = (JSONError, UnicodeError, ValueError, OverflowError, ArithmeticError)
TOO_LARGE = object()
"""In the place of a value that was passed over."""

Events = Iterator[tuple[str, Any]]


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """A byte that is no UTF-8 is the character of an older encoding: one of them spoils no other."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("memoray-latin-1", _as_latin_1)


class TooLong(Exception):
    """A string that goes on and on."""


class _Utf8:
    """A file's bytes as UTF-8, and how many have been read since something ended."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        encoding = "utf-8-sig" if encoding in ("utf-8", "latin-1") else encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("memoray-latin-1" if "8" in encoding else "replace")
        self.read_bytes = 0
        self.ended_at = 0

    def read(self, size: int = -1) -> bytes:
        if size == 0:
            return b""
        if self.read_bytes - self.ended_at > TOKEN_BYTES:
            raise TooLong
        text = ""
        while not text:
            block = self._stream.read(_BLOCK)
            self.read_bytes += len(block)
            text = self._decoder.decode(block, final=not block)
            if not block:
                break
        return text.encode("utf-8", "replace")


def values(file: TextFile, wanted: Collection[Place]) -> Iterator[tuple[Place, Any]]:
    """(place, value) of every wanted value, in order; TOO_LARGE for one that was passed over, which is set aside.

    Where the file is damaged or breaks off, that is set aside with about where, and what came before was given. Raises
    Invalid if nothing came before.
    """
    with file.open() as stream:
        source = _Utf8(stream, file.head_encoding)
        given, where = 0, f"{file.called}: " if file.member else ""
        try:
            for place, value in _values(_counted(source), frozenset(wanted)):
                given += 1
                if value is TOO_LARGE:
                    why = f"{where}value {given} is larger or deeper than any program writes it, and was passed over"
                    file.set_aside(Rejected(0, source.read_bytes, why))
                yield place, value
        except _Damaged as damage:
            why = f"{damage} near byte {source.read_bytes:,}"
            if not given:
                raise Invalid(f"{file.called}: {why}.", file=file.path.name) from damage
            file.set_aside(Rejected(0, source.read_bytes, f"{where}{why}; the {given:,} values before it were read"))


class _Damaged(Exception):
    """What is wrong with the file, in words that quote nothing of it."""


def _counted(source: _Utf8) -> Events:
    """The events of a file; every fault of it is told as one."""
    try:
        for event in ijson.basic_parse(source, buf_size=_BLOCK, use_float=True):
            source.ended_at = source.read_bytes
            yield event
    except TooLong as error:
        raise _Damaged(f"a value is longer than {TOKEN_BYTES:,} bytes") from error
    except IncompleteJSONError as error:
        raise _Damaged("the JSON breaks off or is damaged") from error
    except _FAULTS as error:
        raise _Damaged("it is no JSON") from error
    except Invalid as error:
        raise _Damaged("the ZIP is damaged") from error


def _values(events: Events, wanted: frozenset[Place]) -> Iterator[tuple[Place, Any]]:
    depths = frozenset(map(len, wanted))
    where: list[str] = []
    for event, value in events:
        if event == "map_key":
            where[-1] = value
            continue
        if event in ("end_map", "end_array"):
            where.pop()
            continue
        if len(where) in depths and (place := tuple(where)) in wanted:
            yield place, _built(event, value, events)
        elif event in ("start_map", "start_array"):
            where.append("" if event == "start_map" else "*")
            if len(where) > DEEPEST:
                raise _Damaged(f"values stand more than {DEEPEST} deep within each other")


@dataclass(slots=True)
class _Builder:
    """A value as it is put together: what is open, from the outermost inwards, and the key that waits in each."""

    open: list[Any]
    keys: list[str]
    done: Any = None

    def put(self, value: Any) -> None:
        if not self.open:
            self.done = value
        elif isinstance(self.open[-1], dict):
            self.open[-1][self.keys[-1]] = value
        else:
            self.open[-1].append(value)

    def begin(self, container: Any) -> None:
        self.put(container)
        self.open.append(container)
        self.keys.append("")


def _built(event: str, value: Any, events: Events) -> Any:
    """The value that begins with this event; TOO_LARGE, with all its events taken, where it is."""
    builder, size = _Builder([], []), 0
    depth = 0
    while True:
        size += len(value) + _COST if isinstance(value, str) else _COST
        fits = size <= VALUE_CHARS and depth < DEEPEST
        if not fits:
            builder = _Builder([], [], TOO_LARGE)
            size = VALUE_CHARS + 1
        if event in ("start_map", "start_array"):
            depth += 1
            if fits:
                builder.begin({} if event == "start_map" else [])
        elif event in ("end_map", "end_array"):
            depth -= 1
            if fits:
                builder.open.pop()
                builder.keys.pop()
        elif fits:
            if event == "map_key":
                builder.keys[-1] = value
            else:
                builder.put(value)
        if depth == 0:
            return builder.done
        event, value = next(events)


def outline(file: TextFile) -> frozenset[Place]:
    """The places of keys at the head of a file of JSON, down to three levels; empty for anything else."""
    found: set[Place] = set()
    where: list[str] = []
    with file.open() as stream:
        try:
            for number, (event, value) in enumerate(_counted(_Utf8(stream, file.head_encoding))):
                if event == "map_key":
                    where[-1] = value
                    if len(where) <= 3:
                        found.add(tuple(where))
                elif event in ("start_map", "start_array"):
                    where.append("" if event == "start_map" else "*")
                elif event in ("end_map", "end_array"):
                    where.pop()
                if number >= PEEK_EVENTS or len(found) >= PEEK_KEYS or len(where) > DEEPEST:
                    break
        except _Damaged:
            pass
    return frozenset(found)
