"""The members of an archive, line by line: what each adds to the ledger, and the row it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from adapters.archives import rows, schema
from adapters.archives.faults import Fault, first_of
from adapters.archives.kinds import ArchiveLine
from adapters.archives.ledger import Ledger
from adapters.postgres.codec import NOUNS
from memory.model.changes import Row
from memory.model.entities import Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.groups import Group
from memory.model.scopes import Sensitivity

Checked = Callable[[Ledger, Any, int], Any]
"""(ledger, line, its number) -> the row it becomes."""


def source_of(ledger: Ledger, line: schema.SourceLine) -> dict[str, Any] | None:
    """The row of a source, without its segments; none of a line that goes on with the source of the line before."""
    ledger.source(line.source_id, line.part)
    return None if line.part else {name: value for name, value in line.model_dump().items() if name not in _NO_COLUMNS}


_NO_COLUMNS = frozenset({"segments", "part"})


def segments_of(
    ledger: Ledger, source: schema.SourceLine, parts: Iterator[tuple[int, Any]], number: int
) -> Iterator[tuple[str, Any, int]]:
    """(member, row, characters) of the segments of a source, which is told before them, in the line of that number."""
    for place, line in parts:
        try:
            ledger.segment(source.source_id, line.segment_id, line.segment_key)
            if line.replaced_by is not None:
                ledger.hidden(source.source_id, line.replaced_by, (number, place))
        except Fault as fault:
            raise fault.inside(f"segments.{place}") from None
        yield "segments", {**line.model_dump(), "source_id": source.source_id}, len(line.text) + len(line.raw or "")


def _believed(noun: str) -> Checked:
    """What reads rows of the model and lets them be noted."""
    shape, note = NOUNS[noun].type, _NOTED[noun]
    names = [each.name for each in fields(shape)]

    def read(ledger: Ledger, line: ArchiveLine, number: int) -> Row:
        values = {name: getattr(line, name) for name in names}
        if "sensitivity" in values:
            values["sensitivity"] = Sensitivity(values["sensitivity"])
        if values.get("segment_key"):
            values["segment_key"] = ledger.key(values["segment_key"])
        if "quotes" in values:
            values["quotes"] = tuple(map(ledger.key, values["quotes"]))
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


def _group(ledger: Ledger, row: Group, _: int) -> None:
    if row.anchor_id is not None:
        ledger.held(("entity",), row.anchor_id, "anchor_id")
    for name in ("core", "named_by", "facts"):
        for identity in getattr(row, name):
            ledger.held(("fact",) if name == "facts" else ("entity",), identity, name)
    ledger.once("group", row.group_id, "group_id")


_NOTED: Mapping[str, Callable[[Ledger, Any, int], None]] = {
    "entity": lambda ledger, row, number: ledger.entity(row, number),
    "fact": _fact,
    "mention": _mention,
    "evidence": _evidence,
    "link": _link,
    "note": _note,
    "group": _group,
}


def _words(ledger: Ledger, line: schema.ContentLine, _: int) -> dict[str, Any]:
    part, owner = ledger.words(line.content_id, line.owner, line.words)
    if part in _WORDS:
        try:
            _WORDS[part].validate_json(line.words)
        except ValidationError as error:
            raise Fault("words", first_of(error)) from None
    return {"content_id": line.content_id, "owner": owner, "words": line.words, "config": None}


_WORDS: Mapping[str, TypeAdapter[Any]] = {
    "aliases": TypeAdapter(rows.ROWS["entity"]["aliases"]),
    "properties": TypeAdapter(rows.ROWS["entity"]["properties"]),
    **dict.fromkeys(("before", "after"), TypeAdapter(schema.ProfileLine)),
}
"""Parts that are kept as JSON."""


def turn_of(ledger: Ledger, line: schema.JournalLine, parts: Iterator[tuple[int, Any]], number: int) -> dict[str, Any]:
    """A turn, `touched` made anew. Its changes are JSON already: they may be megabytes."""
    if line.version != number:
        raise Fault("version", f"must be {number}: a history has no gap")
    ledger.once("command", line.command_id, "command_id")
    touched, told = set[str](), list[bytes]()
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


def _voice(ledger: Ledger, line: schema.VoiceLine, _: int) -> dict[str, Any]:
    ledger.once("voice", line.voice_id, "voice_id")
    ledger.once("label", line.label, "label")
    if line.merged_into is None:
        ledger.once("whole voice", line.voice_id, "voice_id")
    else:
        ledger.held(("whole voice",), line.merged_into, "merged_into")
    return line.model_dump()


def _voice_print(ledger: Ledger, line: schema.VoicePrintLine, _: int) -> dict[str, Any]:
    ledger.once("print", line.print_id, "print_id")
    ledger.held(("voice",), line.voice_id, "voice_id")
    return line.model_dump()


CHECKS: Mapping[str, Checked] = {
    **{member: _believed(noun) for member, noun in schema.NOUN_OF.items()},
    "content": _words,
    "nights": _night,
    "accesses": _access,
    "voices": _voice,
    "voice_prints": _voice_print,
}
"""Member whose lines are read at once -> what reads them."""
