"""Reading an archive: every line as its schema says, every reference among what the archive itself holds.

Reading has no effect but on its own memory, which does not grow with the longest line. It is done twice: to find out
whether the archive is sound, before anything is written, and while it is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

import orjson
from pydantic import TypeAdapter, ValidationError

from adapters.archives import pieces, schema
from adapters.archives.container import Container
from adapters.archives.faults import Fault, first_of, told_at
from adapters.archives.ledger import Ledger
from adapters.archives.members import CHECKS, segments_of, source_of, turn_of
from memory.errors import Conflict, Invalid
from memory.model.profile import Profile

BATCH = 200
"""Rows written in one statement."""
BATCH_BYTES = 1_000_000
"""Bytes of lines after which a batch is full, however few its rows."""
MOST_LINE = {"sources": 64_000_000, "journal": 32_000_000}
"""Bytes of a line that is taken apart: a part of a source, a turn of 60,000 changes."""
MOST_MARKS = {"journal": 200_000, "nights": 200_000}
"""Commas and brackets of lines that list the ids of what has changed."""
MOST_NAMES = 1_000
"""Names of values in one of these."""
UPDATE = "It was written by a later version of Memoray: update Memoray here, then restore it."
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Some rows of a member, as they are to be written: dictionaries, or rows of the model."""

    member: str
    rows: list[Any]


class Archive:
    """An archive of a user's memory, opened. Raises Invalid if it is none, or an unsound one; Conflict if it is
    another user's. Blocks: use it off the event loop.
    """

    def __init__(self, user_id: str, file: IO[bytes]) -> None:
        names = [*schema.SINGLES, *(f"{member}.jsonl" for member in schema.MEMBERS)]
        self._user_id = user_id
        self._container = Container(file, names, [f"{member}.jsonl" for member in schema.LATER])
        self.manifest = self._manifest()
        told = self._container.single("profile.json", pieces.PIECE)
        with told_at("profile.json"):
            self.profile = _profile(told)

    def strangers(self) -> set[int]:
        """Read all of it. Keys of segments that it names and does not hold."""
        ledger = Ledger(self._user_id)
        for _ in self._read(ledger):
            pass
        return ledger.strangers

    def batches(self, shared: Collection[int]) -> Iterator[Batch]:
        """All of it, as it is to be written; `shared` are those of the strangers that belong to the user's teams."""
        rows: list[Any] = []
        of, size = "", 0
        for member, row, length in self._read(Ledger(self._user_id, shared)):
            if rows and (member != of or len(rows) == BATCH or size > BATCH_BYTES):
                yield Batch(of, rows)
                rows, size = [], 0
            of, size = member, size + length
            rows.append(row)
        if rows:
            yield Batch(of, rows)

    def _manifest(self) -> Manifest:
        told = self._container.single("manifest.json", pieces.PIECE)
        with told_at("manifest.json"):
            try:
                loose = orjson.loads(told)
            except ValueError:
                raise Fault("", "is not JSON") from None
            version = loose.get("format_version") if isinstance(loose, dict) else None
            if type(version) is int and version > schema.FORMAT_VERSION:
                raise Fault("", f"is of version {version}, and up to {schema.FORMAT_VERSION} is read here. {UPDATE}")
            manifest = schema.ManifestLine.model_validate_json(told)
            if lacking := sorted(set(schema.MEMBERS) - schema.LATER - manifest.counts.keys()):
                raise Fault(f"counts.{lacking[0]}", "is missing")
        if manifest.user_id != self._user_id:
            raise Conflict(
                f"This is the memory of user {manifest.user_id!r}, and its ids are derived from that name: "
                "act for that user to restore it."
            )
        return manifest.model_dump()

    def _read(self, ledger: Ledger) -> Iterator[tuple[str, Any, int]]:
        """(member, row, bytes it was read from), in the order of the members."""
        for member in schema.MEMBERS:
            most, count = MOST_LINE.get(member, pieces.MOST_PIECE), 0
            for number, line in self._container.lines(f"{member}.jsonl", most):
                count = number
                with told_at(f"{member}.jsonl line {number}"):
                    yield from _of_line(ledger, member, line, number)
            self._whole(ledger, member, count)

    def _whole(self, ledger: Ledger, member: str, count: int) -> None:
        """What can only be told at the end of a member."""
        told = self.manifest["counts"].get(member, 0)
        if told != count:
            raise Invalid(f"manifest.json: counts.{member}: is {told}, and {count} are there.")
        late = {"sources": ledger.whole_sources, "entities": ledger.merged}.get(member)
        if late and (wrong := late()):
            number, fault = wrong
            raise Invalid(f"{member}.jsonl line {number}: {fault}.")
        if member == "facts":
            with told_at(f"facts.jsonl line {count}"):
                ledger.whole_fact()
        if member == "journal" and self.manifest["memory_version"] != count:
            raise Invalid(f"manifest.json: memory_version: must be {count}, the last version of the journal.")


def _profile(told: bytes) -> Profile:
    return Profile(**schema.ProfileLine.model_validate_json(told).model_dump())


@cache
def _adapter(member: str, part: bool = False) -> TypeAdapter[Any]:
    return TypeAdapter(schema.PARTS[member][1] if part else schema.LINES[member])


def _parsed(member: str, piece: bytes | bytearray, part: bool = False) -> Any:
    try:
        pieces.check(piece, MOST_MARKS.get(member, pieces.MOST_MARKS))
        if member in MOST_MARKS and pieces.is_long(piece):
            _few_names(orjson.loads(piece))
    except ValueError as error:
        raise Fault("", str(error)) from None
    return _adapter(member, part).validate_json(bytes(piece))


def _few_names(loose: Any) -> None:
    """Raise ValueError if errors would have to be told of each of thousands of names; a report may have them."""
    line = loose if isinstance(loose, dict) else {}
    inside = [value for name, value in line.items() if name != "report"]
    if any(isinstance(each, dict) and len(each) > MOST_NAMES for each in (line, *inside)):
        raise ValueError("must not have so many names")


def _of_line(ledger: Ledger, member: str, line: bytearray, number: int) -> Iterator[tuple[str, Any, int]]:
    if member not in schema.PARTS:
        row = CHECKS[member](ledger, _parsed(member, line), number)
        yield member, row, len(line)
        return
    whole, parts = _opened(member, line)
    if member == "sources":
        if (row := source_of(ledger, whole)) is not None:
            yield "sources", row, 0
        yield from segments_of(ledger, whole, parts, number)
    else:
        yield "journal", turn_of(ledger, whole, parts, number), len(line)


def _opened(member: str, line: bytearray) -> tuple[Any, Iterator[tuple[int, Any]]]:
    """A line, and the elements of its long list with their places."""
    name, _ = schema.PARTS[member]
    if not pieces.is_long(line):
        whole = _parsed(member, line)
        return whole, enumerate(getattr(whole, name))
    try:
        rest, cut = pieces.taken_apart(line, name)
    except ValueError as error:
        raise Fault("", str(error)) from None
    whole = _parsed(member, rest)
    if getattr(whole, name):
        raise Fault(name, "must be there once")
    return whole, ((place, _part(member, name, place, each)) for place, each in _numbered(name, cut))


def _numbered(name: str, cut: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    try:
        yield from enumerate(cut)
    except ValueError as error:
        raise Fault(name, str(error)) from None


def _part(member: str, name: str, place: int, piece: bytes) -> Any:
    try:
        return _parsed(member, piece, part=True)
    except ValidationError as error:
        raise Fault(f"{name}.{place}", first_of(error)) from None
