"""What an archive holds of the rows of the model, and of changes to them as the history keeps them.

The bounds of every field stand in `ROWS`; its default is the one that the model gives it.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, create_model, model_validator

from adapters.archives import kinds as k
from adapters.archives.kinds import ArchiveLine
from adapters.postgres.codec import NOUNS
from memory.model.entities import ENTITY_TYPES, STATES, TIERS
from memory.model.facts import FACT_KINDS, NOTE_LIFETIME_DAYS, STATUSES
from memory.model.groups import GROUP_KINDS
from memory.model.sources import TTL_POLICIES
from memory.rules.keeping import KEPT_IN
from memory.rules.resolution import FORMER_TYPES


def _told(properties: dict[str, Any]) -> dict[str, Any]:
    """Readers take every property for text or nothing (a promise to nobody), but for former types and what kept it."""
    for name, value in properties.items():
        if isinstance(value, tuple) != (name == FORMER_TYPES):
            raise ValueError("only former types are a list")
    if not set(str(properties.get(KEPT_IN, "0")).removeprefix("-")) <= set("0123456789"):
        raise ValueError("what a promise was kept in is the key of a segment")
    return properties


Properties = Annotated[
    dict[k.Short, k.Text | tuple[k.Short, ...] | None], Field(max_length=1_000), AfterValidator(_told)
]

ROWS: dict[str, dict[str, Any]] = {
    "entity": {
        "entity_id": k.EntityId,
        "type": k.one_of(ENTITY_TYPES),
        "name": k.Text,
        "confidence": k.Share,
        "created_at": k.Instant,
        "qualifier": k.Text,
        "aliases": k.Names,
        "properties": Properties,
        "description": k.Text | None,
        "tier": k.one_of(TIERS),
        "state": k.one_of(STATES),
        "ttl_policy": k.one_of(TTL_POLICIES),
        "sensitivity": k.Level,
        "is_owner": bool,
        "merged_into": k.EntityId | None,
    },
    "mention": {
        "entity_id": k.EntityId,
        "source_id": k.Id,
        "segment_key": k.Key,
        "at": k.Instant,
        "quote": k.Text,
        "confidence": k.Share,
        "sensitivity": k.Level,
    },
    "fact": {
        "fact_id": k.FactId,
        "version": k.Version,
        "subject_id": k.EntityId,
        "statement": k.Text,
        "kind": k.one_of(FACT_KINDS),
        "importance": Annotated[int, Field(ge=1, le=10)],
        "confidence": k.Share,
        "valid_from": k.Instant,
        "system_from": k.Instant,
        "predicate": k.Indexed | None,
        "object": k.Text | None,
        "object_id": k.EntityId | None,
        "slot": k.Text | None,
        "polarity": bool,
        "valid_to": k.Instant | None,
        "system_to": k.Instant | None,
        "stability": k.Measure,
        "status": k.one_of(STATUSES),
        "state": k.one_of(STATES),
        "protected": bool,
        "judged_by": k.Short,
        "sensitivity": k.Level,
        "updated_at": k.Instant | None,
    },
    "evidence": {
        "fact_id": k.FactId,
        "source_id": k.Id,
        "segment_key": k.Key | None,
        "quote": k.Text,
        "at": k.Instant,
        "revision": k.Version,
        "holds_from": k.Instant | None,
        "earlier": k.Moments,
    },
    "link": {
        "kind": k.Named,
        "from_id": k.BelievedId,
        "to_id": k.BelievedId,
        "weight": k.Number,
        "judged_by": k.Short,
    },
    "note": {
        "note_id": k.NoteId,
        "about_id": k.BelievedId,
        "text": k.Text,
        "author": k.Short,
        "created_at": k.Instant,
        "lifetime": k.one_of(tuple(NOTE_LIFETIME_DAYS)),
        "source_id": k.Id | None,
        "sensitivity": k.Level,
    },
    "group": {
        "group_id": k.GroupId,
        "kind": k.one_of(GROUP_KINDS),
        "opened_at": k.Instant,
        "anchor_id": k.EntityId | None,
        "summary": k.Text | None,
        "members": Annotated[tuple[k.Id, ...], Field(max_length=k.MOST_LISTED)],
        "core": Annotated[tuple[k.Id, ...], Field(max_length=k.MOST_LISTED)],
        "named_by": Annotated[tuple[k.Id, ...], Field(max_length=k.MOST_LISTED)],
        "facts": Annotated[tuple[k.Id, ...], Field(max_length=k.MOST_LISTED)],
        "quotes": Annotated[tuple[k.Key, ...], Field(max_length=k.MOST_LISTED)],
        "dirty": bool,
        "sources": k.Count,
        "first_at": k.Instant | None,
        "last_at": k.Instant | None,
        "state": k.one_of(STATES),
        "closed_at": k.Instant | None,
        "sensitivity": k.Level,
    },
    "source": {"source_id": k.Id, "state": k.one_of(STATES)},
}
"""Noun -> field -> what it may hold."""


class _Row(ArchiveLine):
    @model_validator(mode="after")
    def _in_order(self) -> _Row:
        start, end = getattr(self, "valid_from", None), getattr(self, "valid_to", None)
        if start is not None and end is not None and end < start:
            raise ValueError("valid_to: must not be before valid_from")
        start, end = getattr(self, "system_from", None), getattr(self, "system_to", None)
        if start is not None and end is not None and end < start:
            raise ValueError("system_to: must not be before system_from")
        return self


def _fields(noun: str, ids: bool) -> dict[str, Any]:
    """The fields of a noun with the defaults of the model; with the ids of its words, as the journal has them."""
    shape, given = NOUNS[noun], {}
    for each in fields(shape.type):
        default = each.default if each.default_factory is MISSING else each.default_factory()
        kind = ROWS[noun][each.name]
        if ids and each.name in (*shape.words, *shape.json_words):
            kind, default = k.Key | None, None if default is not MISSING else MISSING
        given[each.name] = (kind, ... if default is MISSING else default)
    return given


def row_of(noun: str) -> type[ArchiveLine]:
    """What a row of this noun may hold."""
    made: type[ArchiveLine] = create_model(f"{noun}_row", __base__=_Row, **_fields(noun, ids=False))
    return made


class _Change(ArchiveLine):
    @model_validator(mode="after")
    def _of_something(self) -> _Change:
        if getattr(self, "before", None) is None and getattr(self, "after", None) is None:
            raise ValueError("a change must have a row before or after it")
        return self


def _change(noun: str) -> type[ArchiveLine]:
    """A change as the journal keeps it: why, and both rows by ids."""
    sides = {"profile": (k.Key, ...)} if noun == "profile" else _fields(noun, ids=True)
    side: Any = create_model(f"{noun}_side", __base__=_Row, **sides)
    reason = Annotated[k.Short, StringConstraints(min_length=1)]
    made: type[ArchiveLine] = create_model(
        f"{noun}_change",
        __base__=_Change,
        noun=(k.one_of((noun,)), ...),
        reason=(reason, ...),
        before=(side | None, None),
        after=(side | None, None),
    )
    return made


Change: Any = Annotated[
    # what was recalled is kept beside the history
    _change("entity")
    | _change("mention")
    | _change("fact")
    | _change("evidence")
    | _change("link")
    | _change("note")
    | _change("group")
    | _change("profile")
    | _change("source"),
    Field(discriminator="noun"),
]
