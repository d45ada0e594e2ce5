"""Rows of the model to columns and back, with every word replaced by a content id.

The same encoding serves the state tables and the journal: `encode` gives the columns of a row and the words it needs
in `content`; `decode` puts them together again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import Any, cast

import orjson

from adapters.postgres.pool import instants
from memory.model.accesses import Access
from memory.model.changes import Change, ChangeSet, Row, key_of
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.groups import Group
from memory.model.ids import digest, fold
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.sources import SourceState

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContentRow:
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
        Entity,
        "entities",
        ("entity_id",),
        ("name", "qualifier", "description"),
        lambda row: row.entity_id,
        json_words=("aliases", "properties"),
        instants=("created_at",),
    ),
    "mention": Noun(
        Mention,
        "mentions",
        ("entity_id", "segment_key"),
        ("quote",),
        lambda row: segment_owner(row.segment_key, row.entity_id),
        instants=("at",),
    ),
    "fact": Noun(
        Fact,
        "fact_versions",
        ("fact_id", "version"),
        ("statement", "object", "slot"),
        lambda row: row.fact_id,
        instants=("valid_from", "valid_to", "system_from", "system_to", "updated_at"),
    ),
    "evidence": Noun(
        Evidence,
        "evidence",
        ("fact_id", "source_id", "segment_key"),
        ("quote",),
        lambda row: segment_owner(row.segment_key, row.fact_id),
        instants=("at", "holds_from"),
    ),
    "link": Noun(Link, "links", ("kind", "from_id", "to_id"), (), lambda row: ""),
    "note": Noun(Note, "notes", ("note_id",), ("text",), lambda row: row.note_id, instants=("created_at",)),
    "group": Noun(
        Group,
        "groups",
        ("group_id",),
        ("summary",),
        lambda row: row.group_id,
        instants=("opened_at", "first_at", "last_at", "closed_at"),
    ),
    "access": Noun(Access, "accesses", ("id",), (), lambda row: "", instants=("last_at",)),
    "source": Noun(SourceState, "sources", ("source_id",), (), lambda row: ""),
}


def description_owner(entity_id: str) -> str:
    """Who owns the descriptions of an entity: what they quote may have to go while its name stays."""
    return f"description:{entity_id}"


def content_id(owner: str, part: str, words: str) -> int:
    """The signed 64-bit id of some words of an owner."""
    return int.from_bytes(digest("content", owner, part, words), "big", signed=True)


def encode(noun: str, row: Row) -> tuple[Columns, list[ContentRow]]:
    """The columns of a row (without user_id) and the words it refers to."""
    return _encoded(noun, row, None, {})


def _encoded(noun: str, row: Row, before: Row | None, known: Columns) -> tuple[Columns, list[ContentRow]]:
    """`encode`; words that are still those of `before` have the ids `known` of it, and are not named again."""
    shape, (names, values) = NOUNS[noun], _fields(noun)
    columns: Columns = dict(zip(names, values(row), strict=True))
    owner = shape.owner(row)
    content = []
    for name in (*shape.words, *shape.json_words):
        value = columns[name]
        if before is not None and getattr(before, name) is value:
            columns[name] = known[name]
        elif not value and name not in _SURE:
            columns[name] = None
        else:
            words = orjson.dumps(value).decode() if name in shape.json_words else value
            whose = description_owner(owner) if name == "description" else owner
            entry = ContentRow(content_id(whose, name, words), whose, words)
            columns[name] = entry.content_id
            content.append(entry)
    if "sensitivity" in columns:
        columns["sensitivity"] = int(columns["sensitivity"])
    if noun == "evidence":
        columns["segment_key"] = columns["segment_key"] or 0
    return columns, content


def name_key(entity: Entity) -> bytes:
    """What no two entities of a memory may share."""
    return digest("name", entity.type, fold(entity.name), fold(entity.qualifier))


def decode(noun: str, columns: Mapping[str, Any], content: Mapping[int, str]) -> Row:
    """The row that `encode` took apart. Words that were erased read as empty, columns of later versions as default."""
    values = []
    for name, default, read in _readers(noun):
        value = columns.get(name, default)
        values.append(value if read is None else read(value, content))
    return cast(Row, NOUNS[noun].type(*values))


class Decoder:
    """Many rows of one memory at once, each as `decode` reads it: column by column, in a third of the time.

    Texts that come again, as ids and kinds do, are one object: half of what the rows of a large memory would take.
    """

    def __init__(self, content: Mapping[int, str]) -> None:
        self._content = content
        self._texts: dict[str, str] = {}

    def rows(self, noun: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[Row]:
        """Rows whose columns have these names; instants as they travel (adapters.postgres.pool.instants)."""
        if not rows:
            return []
        sent = dict(zip(names, zip(*rows, strict=True), strict=True))
        read = [self._column(noun, name, sent.get(name), known) for name, *known in _readers(noun)]
        return list(map(NOUNS[noun].type, *read))

    def _column(self, noun: str, name: str, sent: tuple[Any, ...] | None, known: Sequence[Any]) -> Iterable[Any]:
        default, read = known
        if sent is None:
            return repeat(default)
        if name in NOUNS[noun].instants:
            return instants(sent)
        if read is not None:
            return map(read, sent, repeat(self._content))
        return map(self._texts.setdefault, sent, sent) if name in _texts(noun) else sent


@cache
def _texts(noun: str) -> frozenset[str]:
    """Fields of a noun that hold ids and kinds."""
    return frozenset(field.name for field in fields(NOUNS[noun].type) if field.type in ("str", "str | None"))


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
    "description": lambda value, content: content.get(value) or None,  # erased: there is none any more
    "summary": lambda value, content: content.get(value) or None,
    "members": lambda value, _: tuple(value),
    "core": lambda value, _: tuple(value),
    "named_by": lambda value, _: tuple(value),
    "facts": lambda value, _: tuple(value),
    "quotes": lambda value, _: tuple(value),
    "aliases": lambda value, content: tuple(_json(value, content) or ()),
    "properties": lambda value, content: _json(value, content) or {},
    "earlier": lambda value, _: tuple(value),
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
def _fields(noun: str) -> tuple[tuple[str, ...], Callable[[Row], tuple[Any, ...]]]:
    """The names of the fields of a noun, and what takes their values from a row."""
    names = tuple(name for name, _ in _defaults(noun))
    return names, attrgetter(*names)


@cache
def _readers(noun: str) -> tuple[tuple[str, Any, Reader | None], ...]:
    """The fields of a noun in order, each with its default and with how it is read, if not as it stands."""
    own = {name: _words for name in NOUNS[noun].words} | {
        name: read for name, read in _READERS.items() if name in dict(_defaults(noun))
    }
    if noun == "evidence":
        own["segment_key"] = lambda value, _: value or None
    return tuple((name, default, own.get(name)) for name, default in _defaults(noun))


@dataclass(frozen=True, slots=True)
class Written:
    """A change as it is written: both rows by ids, and the words that are new with it."""

    change: Change
    noun: str
    before: Columns | None
    after: Columns | None
    words: Sequence[ContentRow]

    @property
    def entry(self) -> dict[str, Any]:
        """It as the journal keeps it."""
        sides = {"before": self.before, "after": self.after}
        told = {name: columns for name, columns in sides.items() if columns is not None}
        return {"noun": self.noun, "reason": self.change.reason, **told}


def encode_changes(changes: ChangeSet) -> list[Written]:
    """Every change of a turn as it is written."""
    return [encode_change(each) for each in changes.changes]


def encode_change(change: Change) -> Written:
    """A change, each of its rows encoded once. The words of `before` were kept when it came, or are erased since."""
    noun, before, after = change.noun, change.before, change.after
    if noun == "profile":
        return _encode_profiles(change)
    old = None if before is None else encode(noun, before)[0]
    if after is None:
        return Written(change, noun, old, None, ())
    same = before if before is not None and key_of(before) == key_of(after) else None
    new, words = _encoded(noun, after, same, old or {})
    return Written(change, noun, old, new, words)


def _encode_profiles(change: Change) -> Written:
    sides: dict[str, Columns] = {}
    content = []
    for side, row in (("before", change.before), ("after", change.after)):
        if isinstance(row, Profile):
            words = encode_profile(row).decode()
            content.append(ContentRow(content_id("profile", side, words), "profile", words))
            sides[side] = {"profile": content[-1].content_id}
    return Written(change, "profile", sides.get("before"), sides.get("after"), content)


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
