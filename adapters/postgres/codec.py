"""Rows of the model to columns and back, with every word replaced by a content id.

The same encoding serves the state tables and the journal: `encode` gives the columns of a row and the words it needs
in `content`; `decode` puts them together again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, cast

import orjson

from memory.model.accesses import Access
from memory.model.changes import Change, Row
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.ids import digest, fold
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.sources import SourceState

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """One row of `content`."""

    content_id: int
    owner: str
    words: str


@dataclass(frozen=True, slots=True)
class Noun:
    """How one noun is stored: its table, its key, which fields are words or instants, and who owns the words."""

    type: type
    table: str
    key: tuple[str, ...]
    words: tuple[str, ...]
    owner: Callable[[Any], str]
    json_words: tuple[str, ...] = ()
    instants: tuple[str, ...] = ()


def segment_owner(segment_key: int | None, otherwise: str) -> str:
    """Words quoted from a segment belong to it, and are erased with it."""
    return f"segment:{segment_key}" if segment_key else otherwise


NOUNS = {
    "entity": Noun(
        Entity, "entities", ("entity_id",), ("name", "qualifier", "description"), lambda row: row.entity_id,
        json_words=("aliases", "properties"), instants=("created_at",),
    ),
    "mention": Noun(
        Mention, "mentions", ("entity_id", "segment_key"), ("quote",),
        lambda row: segment_owner(row.segment_key, row.entity_id), instants=("at",),
    ),
    "fact": Noun(
        Fact, "fact_versions", ("fact_id", "version"), ("statement", "object", "slot"), lambda row: row.fact_id,
        instants=("valid_from", "valid_to", "system_from", "system_to", "updated_at"),
    ),
    "evidence": Noun(
        Evidence, "evidence", ("fact_id", "source_id", "segment_key"), ("quote",),
        lambda row: segment_owner(row.segment_key, row.fact_id), instants=("at", "holds_from"),
    ),
    "link": Noun(Link, "links", ("kind", "from_id", "to_id"), (), lambda row: ""),
    "note": Noun(Note, "notes", ("note_id",), ("text",), lambda row: row.note_id, instants=("created_at",)),
    "access": Noun(Access, "accesses", ("id",), (), lambda row: "", instants=("last_at",)),
    "source": Noun(SourceState, "sources", ("source_id",), (), lambda row: ""),
}  # fmt: skip


def content_id(owner: str, part: str, words: str) -> int:
    """The signed 64-bit id of some words of an owner."""
    return int.from_bytes(digest("content", owner, part, words), "big", signed=True)


def encode(noun: str, row: Row) -> tuple[Columns, list[Words]]:
    """The columns of a row (without user_id) and the words it refers to."""
    shape = NOUNS[noun]
    columns: Columns = {name: getattr(row, name) for name, _ in _defaults(noun)}
    owner = shape.owner(row)
    content = []
    for name in (*shape.words, *shape.json_words):
        value = columns[name]
        if not value and name not in _SURE:
            columns[name] = None
            continue
        words = orjson.dumps(value).decode() if name in shape.json_words else value
        entry = Words(content_id(owner, name, words), owner, words)
        columns[name] = entry.content_id
        content.append(entry)
    for name, value in columns.items():
        if isinstance(value, Sensitivity):
            columns[name] = int(value)
    if noun == "evidence":
        columns["segment_key"] = columns["segment_key"] or 0
    if noun == "entity":
        entity = cast(Entity, row)
        columns["name_key"] = digest("name", entity.type, fold(entity.name), fold(entity.qualifier))
    return columns, content


def decode(noun: str, columns: Mapping[str, Any], content: Mapping[int, str]) -> Row:
    """The row that `encode` took apart. Words that were erased read as empty, columns of later versions as default."""
    values = []
    for name, default, read in _readers(noun):
        value = columns.get(name, default)
        values.append(value if read is None else read(value, content))
    return cast(Row, NOUNS[noun].type(*values))


Reader = Callable[[Any, Mapping[int, str]], Any]


def _words(value: int | None, content: Mapping[int, str]) -> str | None:
    return None if value is None else content.get(value, "")


def _sure_words(value: int | None, content: Mapping[int, str]) -> str:
    return "" if value is None else content.get(value, "")


def _json(value: int | None, content: Mapping[int, str]) -> Any:
    words = None if value is None else content.get(value)
    return orjson.loads(words) if words else None


_SENSITIVITIES = tuple(Sensitivity)
_SURE = ("quote", "statement", "text")
"""Words that every row has, if only empty ones."""
_READERS: Mapping[str, Reader] = {
    "aliases": lambda value, content: tuple(_json(value, content) or ()),
    "properties": lambda value, content: _json(value, content) or {},
    "sensitivity": lambda value, _: _SENSITIVITIES[value],
    **dict.fromkeys(("qualifier", *_SURE), _sure_words),
}
"""Fields that are read in a way of their own; other words may be missing."""


@cache
def _defaults(noun: str) -> tuple[tuple[str, Any], ...]:
    """The fields of a noun, each with the value it has in rows that were written before there was such a column."""
    known = fields(NOUNS[noun].type)
    return tuple((each.name, None if each.default is MISSING else each.default) for each in known)


@cache
def _readers(noun: str) -> tuple[tuple[str, Any, Reader | None], ...]:
    """The fields of a noun in order, each with its default and with how it is read, if not as it stands."""
    own = {name: _words for name in NOUNS[noun].words} | {
        name: read for name, read in _READERS.items() if name in dict(_defaults(noun))
    }
    if noun == "evidence":
        own["segment_key"] = lambda value, _: value or None
    return tuple((name, default, own.get(name)) for name, default in _defaults(noun))


def encode_change(change: Change) -> tuple[dict[str, Any], list[Words]]:
    """A change as the journal keeps it: noun, reason, and both rows by ids."""
    content: list[Words] = []
    sides: dict[str, Any] = {"noun": change.noun, "reason": change.reason}
    for side, row in (("before", change.before), ("after", change.after)):
        if isinstance(row, Profile):
            words = encode_profile(row).decode()
            content.append(Words(content_id("profile", side, words), "profile", words))
            sides[side] = {"profile": content[-1].content_id}
        elif row is not None:
            columns, words_of_row = encode(change.noun, row)
            columns.pop("name_key", None)
            sides[side] = columns
            content += words_of_row
    return sides, content


def decode_change(sides: Mapping[str, Any], content: Mapping[int, str]) -> Change:
    """The change that `encode_change` took apart."""

    def side(columns: Mapping[str, Any] | None) -> Row | None:
        if columns is None:
            return None
        if sides["noun"] == "profile":
            return decode_profile(orjson.loads(content.get(columns["profile"], "{}")))
        return decode(sides["noun"], columns, content)

    return Change(sides["reason"], side(sides.get("before")), side(sides.get("after")))


def encode_profile(profile: Profile) -> bytes:
    """The profile as JSON."""
    return orjson.dumps({field.name: getattr(profile, field.name) for field in fields(Profile)})


def decode_profile(columns: Mapping[str, Any]) -> Profile:
    """The profile read back; fields added since have their defaults."""
    values: dict[str, Any] = {
        field.name: tuple(value) if isinstance(value := columns[field.name], list) else value
        for field in fields(Profile)
        if field.name in columns
    }
    return Profile(**values)
