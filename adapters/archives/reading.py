"""Reading an archive: every line as its schema says, every reference among what the archive itself holds.

Reading has no effect but on its own memory, which does not grow with the longest line. It is done twice: to find out
whether the archive is sound, before anything is written, and while it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import IO, Any, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from adapters.archives import pieces, schema
from adapters.archives.container import Container
from adapters.archives.kinds import Line
from adapters.archives.ledger import Fault, Ledger
from adapters.postgres.codec import NOUNS
from memory.errors import Conflict, Invalid
from memory.model.changes import Row
from memory.model.entities import Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity

BATCH = 200
"""Rows written in one statement."""
BATCH_BYTES = 1_000_000
"""Bytes of lines after which a batch is full, however few its rows."""
MOST_LINE = {"sources": 64_000_000, "journal": 32_000_000}
"""Bytes of a line that is taken apart: a source of 100,000 segments, a turn of 60,000 changes."""
UPDATE = "It was written by a later version of Memoray: update Memoray here, then restore it."
Manifest = dict[str, Any]
Checked = Callable[[Ledger, Any, int], Any]


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
        self._container = Container(file, names)
        self.manifest = self._manifest()
        told = self._container.single("profile.json", pieces.PIECE)
        with _at("profile.json"):
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
        with _at("manifest.json"):
            try:
                loose = orjson.loads(told)
            except ValueError:
                raise Fault("", "is not JSON") from None
            version = loose.get("format_version") if isinstance(loose, dict) else None
            if type(version) is int and version > schema.FORMAT_VERSION:
                raise Fault("", f"is of version {version}, and up to {schema.FORMAT_VERSION} is read here. {UPDATE}")
            manifest = schema.ManifestLine.model_validate_json(told)
            if lacking := sorted(set(schema.MEMBERS) - manifest.counts.keys()):
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
                with _at(f"{member}.jsonl line {number}"):
                    yield from _of_line(ledger, member, line, number)
            self._whole(ledger, member, count)

    def _whole(self, ledger: Ledger, member: str, count: int) -> None:
        """What can only be told at the end of a member."""
        told = self.manifest["counts"][member]
        if told != count:
            raise Invalid(f"manifest.json: counts.{member}: is {told}, and {count} are there.")
        if member == "entities" and (wrong := ledger.merged()):
            number, fault = wrong
            raise Invalid(f"entities.jsonl line {number}: {fault}.")
        if member == "facts":
            with _at(f"facts.jsonl line {count}"):
                ledger.whole_fact()
        if member == "journal" and self.manifest["memory_version"] != count:
            raise Invalid(f"manifest.json: memory_version: must be {count}, the last version of the journal.")


def _profile(told: bytes) -> Profile:
    return Profile(**schema.ProfileLine.model_validate_json(told).model_dump())


# ------------------------------------------------------------------------------------------------------- what is wrong


class _at:
    """Whatever is wrong inside is told with where it is: fields and places, never what stands there."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        match error:
            case ValidationError():
                raise Invalid(f"{self._where}: {_first(error)}.") from None
            case Fault():
                raise Invalid(f"{self._where}: {error}.") from None


_KNOWN = frozenset(
    name
    for line in (*schema.LINES.values(), schema.SegmentLine, schema.ManifestLine, schema.ProfileLine, schema.Emotion,
                 schema.Outcome)
    for name in line.model_fields
) | {"before", "after", "noun", "reason", *schema.MEMBERS}  # fmt: skip
_SAID = {
    "extra_forbidden": "holds a field that version 1 does not have",
    "union_tag_invalid": "noun: is none that there is",
    "recursion_loop": "is nested too deeply",
}
"""Kinds of errors that would repeat what was sent, or say it in a way nobody understands."""


def _first(error: ValidationError) -> str:
    """The first error: a path of known names and places, and what is expected."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(str(step) for step in first["loc"] if isinstance(step, int) or step in _KNOWN)
    said = _SAID.get(first["type"], first["msg"].removeprefix("Value error, "))
    return f"{path}: {said}" if path else said


# ------------------------------------------------------------------------------------------------------------- reading


@cache
def _adapter(member: str, part: bool = False) -> TypeAdapter[Any]:
    return TypeAdapter(schema.PARTS[member][1] if part else schema.LINES[member])


def _parsed(member: str, piece: bytes | bytearray, part: bool = False) -> Any:
    try:
        pieces.readable(piece)
    except ValueError as error:
        raise Fault("", str(error)) from None
    return _adapter(member, part).validate_json(bytes(piece))


def _of_line(ledger: Ledger, member: str, line: bytearray, number: int) -> Iterator[tuple[str, Any, int]]:
    if member not in schema.PARTS:
        row = _CHECKS[member](ledger, _parsed(member, line), number)
        yield member, row, len(line)
        return
    whole, parts = _opened(member, line)
    if member == "sources":
        yield "sources", _source(ledger, whole), 0
        yield from _segments(ledger, whole, parts)
    else:
        yield "journal", _turn(ledger, whole, parts, number), len(line)


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
        raise Fault(f"{name}.{place}", _first(error)) from None


# ------------------------------------------------------------------------------------------------------------- members


def _source(ledger: Ledger, line: schema.SourceLine) -> dict[str, Any]:
    ledger.once("source", line.source_id, "source_id")
    return {name: value for name, value in line.model_dump().items() if name != "segments"}


def _segments(
    ledger: Ledger, source: schema.SourceLine, parts: Iterator[tuple[int, Any]]
) -> Iterator[tuple[str, Any, int]]:
    """Segments of a source, which is told before them."""
    ids, hidden = set(), list[tuple[int, str]]()
    for place, line in parts:
        try:
            ledger.segment(source.source_id, line.segment_id, line.segment_key)
        except Fault as fault:
            raise fault.inside(f"segments.{place}") from None
        ids.add(line.segment_id)
        if line.replaced_by is not None:
            hidden.append((place, line.replaced_by))
        yield "segments", {**line.model_dump(), "source_id": source.source_id}, len(line.text)
    for place, by in hidden:
        if by not in ids:
            raise Fault(f"segments.{place}.replaced_by", "the source does not hold it")


def _believed(noun: str) -> Checked:
    """What reads rows of the model and lets them be noted."""
    shape, note = NOUNS[noun].type, _NOTED[noun]
    names = [each.name for each in fields(shape)]

    def read(ledger: Ledger, line: Line, number: int) -> Row:
        values = {name: getattr(line, name) for name in names}
        if "sensitivity" in values:
            values["sensitivity"] = Sensitivity(values["sensitivity"])
        if values.get("segment_key"):
            values["segment_key"] = ledger.key(values["segment_key"])
        row = cast(Row, shape(**values))
        note(ledger, row, number)
        return row

    return read


def _fact(ledger: Ledger, row: Fact, _: int) -> None:
    ledger.fact(row)


def _mention(ledger: Ledger, row: Mention, _: int) -> None:
    ledger.held(("entity",), row.entity_id, "entity_id")
    ledger.once("mention", (row.entity_id, row.segment_key), "segment_key")


def _evidence(ledger: Ledger, row: Evidence, _: int) -> None:
    ledger.held(("fact",), row.fact_id, "fact_id")
    ledger.once("evidence", (row.fact_id, row.source_id, row.segment_key or 0), "segment_key")


def _link(ledger: Ledger, row: Link, _: int) -> None:
    for name in ("from_id", "to_id"):
        ledger.held(("fact", "entity"), getattr(row, name), name)
    ledger.once("link", (row.kind, row.from_id, row.to_id), "to_id")


def _note(ledger: Ledger, row: Note, _: int) -> None:
    ledger.held(("fact", "entity"), row.about_id, "about_id")
    ledger.once("note", row.note_id, "note_id")


_NOTED: Mapping[str, Callable[[Ledger, Any, int], None]] = {
    "entity": lambda ledger, row, number: ledger.entity(row, number), "fact": _fact, "mention": _mention,
    "evidence": _evidence, "link": _link, "note": _note,
}  # fmt: skip


def _words(ledger: Ledger, line: schema.ContentLine, _: int) -> dict[str, Any]:
    part, owner = ledger.words(line.content_id, line.owner, line.words)
    if part in _WORDS:
        try:
            _WORDS[part].validate_json(line.words)
        except ValidationError as error:
            raise Fault("words", _first(error)) from None
    return {"content_id": line.content_id, "owner": owner, "words": line.words, "config": None}


_WORDS: Mapping[str, TypeAdapter[Any]] = {
    "aliases": TypeAdapter(schema.ROWS["entity"]["aliases"]),
    "properties": TypeAdapter(schema.ROWS["entity"]["properties"]),
    **dict.fromkeys(("before", "after"), TypeAdapter(schema.ProfileLine)),
}
"""Parts that are kept as JSON."""


def _turn(ledger: Ledger, line: schema.JournalLine, parts: Iterator[tuple[int, Any]], number: int) -> dict[str, Any]:
    """A turn, `touched` made anew. Its changes are JSON already: they may be megabytes."""
    if line.version != number:
        raise Fault("version", f"must be {number}: a history has no gap")
    ledger.once("command", line.command_id, "command_id")
    touched, told = set(), []
    for place, change in parts:
        try:
            told.append(_change(ledger, change, touched))
        except Fault as fault:
            raise fault.inside(f"changes.{place}") from None
    kept = {name: value for name, value in line.model_dump().items() if name not in ("changes", "touched")}
    return {**kept, "changes": orjson.Fragment(b"[" + b",".join(told) + b"]"), "touched": sorted(touched)}


def _change(ledger: Ledger, change: Any, touched: set[str]) -> bytes:
    told = change.model_dump(exclude_unset=True)
    for name in ("before", "after"):
        if told.get(name) is not None:
            told[name] = ledger.side(told["noun"], name, told[name])
    about = _TOUCHED.get(told["noun"])
    if about is not None:
        touched.add((told.get("after") or told["before"])[about])
    return orjson.dumps(told)


_TOUCHED = {"entity": "entity_id", "fact": "fact_id", "evidence": "fact_id", "note": "about_id"}
"""Noun -> what a change of it touches (adapters/postgres/journal.py)."""


def _night(ledger: Ledger, line: schema.NightLine, _: int) -> dict[str, Any]:
    ledger.once("night", line.night, "night")
    return line.model_dump()


def _access(ledger: Ledger, line: schema.AccessLine, _: int) -> dict[str, Any]:
    ledger.once("access", line.id, "id")
    return line.model_dump()


_CHECKS: Mapping[str, Checked] = {
    **{member: _believed(noun) for member, noun in schema.NOUN_OF.items()},
    "content": _words, "nights": _night, "accesses": _access,
}  # fmt: skip
