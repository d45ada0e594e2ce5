"""The census: a memory as columns, so that a night over hundreds of thousands of rows is a few lines of arithmetic.

The same columns are read straight from the journal's tables or made of a working set. Instants are UTC epoch seconds,
NaN where there is none; codes are places in the tuple that names them (`STATES`, `TIERS` ...).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.model.entities import EVERGREEN_TYPES, LASTING_TYPES, STATES, TIERS, Entity, figures
from memory.model.facts import STATUSES, Fact, Note
from memory.model.groups import COMMUNITY, MACRO, ROLL_UPS, Group
from memory.model.sources import TTL_POLICIES
from memory.model.timeline import Instant
from memory.model.working_set import Draft, WorkingSet
from memory.rules.decay import Anchors, Column, Flags
from memory.rules.episodes import gathered_facts
from memory.rules.parameters import Life
from memory.rules.promises import due_of, settled
from memory.rules.reflection import Likeness

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Ids = NDArray[np.object_]
Table = TypeVar("Table")

ACTIVE = STATUSES.index("active")
CANDIDATE, AT_HAND, CORE, ARCHIVED = (STATES.index(name) for name in ("candidate", "active", "core", "archived"))
KEEP_FOREVER, EPHEMERAL, DECAY = (TTL_POLICIES.index(name) for name in ("keep_forever", "ephemeral", "decay"))

_DTYPES: Mapping[str, Any] = {
    "Column": np.float64,
    "Flags": np.bool_,
    "Codes": np.int8,
    "Counts": np.int64,
    "Ids": np.object_,
}


@dataclass(frozen=True, slots=True)
class Recalls:
    """How often and when each of n rows was recalled (see `memory.model.accesses.Access`)."""

    count: Column
    accessed_at: Column
    value: Column
    gradient: Column


@dataclass(frozen=True, slots=True)
class EntityColumns(Recalls):
    """What the strength of entities is made of."""

    ttl: Codes
    owner: Flags
    confidence: Column
    first_seen: Column
    """First mention, else birth."""
    last_seen: Column
    """Last mention, else birth."""
    evergreen: Flags
    promised: Flags
    """A promise that nobody has kept or broken."""
    due_at: Column
    """When that promise is due."""


@dataclass(frozen=True, slots=True)
class EntityRows(EntityColumns):
    """Every living entity, with what decides over its tier and its state."""

    ids: Ids
    stamp: Counts
    """Moves with whatever happens to the row: mentions plus recalls."""
    tier: Codes
    state: Codes
    sessions: Counts
    """Distinct sessions in which it was mentioned; 0 = never mentioned."""
    lasting: Flags
    """Of a type that may reach L2."""
    in_community: Flags


@dataclass(frozen=True, slots=True)
class FactStrengthColumns(Recalls):
    """What the strength of facts is made of."""

    confidence: Column
    stability: Column
    since: Column
    """When it was last judged."""
    protected: Flags
    importance: Column
    preference: Flags
    """A preference that still holds."""
    evergreen: Flags
    """About or of a person, place or relationship other than the owner, about whom nearly everything is."""


@dataclass(frozen=True, slots=True)
class FactRows(FactStrengthColumns):
    """Every open version of a fact, with what decides over states and contradictions."""

    ids: Ids
    stamp: Counts
    """Moves with whatever happens to the row: its version plus recalls."""
    status: Codes
    state: Codes
    about: Ids
    """The entity it may contradict: its object, else its subject. None if that is known less sensitively."""
    valid_from: Column
    valid_to: Column
    system_from: Column
    said_at: Column
    """Its latest evidence."""
    gathered: Flags
    """What consolidations have taken in (memory.rules.episodes)."""
    passing: Flags
    """What only ephemeral sources told."""


@dataclass(frozen=True, slots=True)
class SourceColumns(Recalls):
    """Every source of the user's own scope."""

    ids: Ids
    state: Codes
    ttl: Codes
    started_at: Column
    ended_at: Column
    """The end of what is known of it, else its beginning."""
    consolidated: Flags
    """Whether a consolidation has gathered it."""


@dataclass(frozen=True, slots=True)
class GroupColumns(Recalls):
    """Every storyline and macro, of every level."""

    ids: Ids
    state: Codes
    macro: Flags
    """A macro; else it is a storyline."""
    opened_at: Column
    """The night that found it."""
    last_at: Column
    """The beginning of its last source."""


_COLUMN_DTYPES: Mapping[str, Any] = {
    each.name: _DTYPES[str(each.type)]
    for kind in (EntityRows, FactRows, SourceColumns, GroupColumns)
    for each in fields(kind)
}


@dataclass(frozen=True)
class Fresh:
    """Facts judged since the last night and their nearest neighbours, as a working set of nothing else."""

    believed: WorkingSet
    likeness: Likeness


@dataclass(frozen=True)
class Census:
    """One consistent moment of a memory."""

    version: int
    entities: EntityRows
    facts: FactRows
    sources: SourceColumns
    notes: tuple[Note, ...] = ()
    """Without their words, where they come from the journal."""
    pending: Mapping[str, int] | None = None
    """Pieces of work still open, by kind, as far as they were counted."""
    fresh: Fresh | None = None
    groups: GroupColumns = field(default_factory=lambda: columns_of(GroupColumns, []))
    """Storylines and macros."""
    held: Mapping[str, Mapping[tuple[str, str, str], int]] = field(default_factory=dict)
    """What earlier nights took back (memory.rules.holding)."""


def table(kind: type[Table], columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Table:
    """Columns by name as a table of typed columns; None in a column of numbers is NaN. Other names are left out."""
    typed = {each.name: np.asarray(columns[each.name], _DTYPES[str(each.type)]) for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**typed)


def dtype_of(column: str) -> Any:
    """The type of a column by its name; a column that no table has is one of objects."""
    return _COLUMN_DTYPES.get(column, np.object_)


def columns_of(kind: type[Table], rows: Sequence[Mapping[str, Any]]) -> Table:
    """The columns of a few rows, as they are read to be shown; what the table does not name is left out."""
    return table(kind, {each.name: [row[each.name] for row in rows] for each in fields(kind)})  # type: ignore[arg-type]


def entity_row(entity: Entity, first_seen: Instant, last_seen: Instant, recalls: Mapping[str, Any]) -> dict[str, Any]:
    """What the strength of an entity is made of, as a row of EntityColumns; `recalls` as a row of Recalls."""
    promise = entity.type == "promise"
    return {
        **recalls,
        "ttl": TTL_POLICIES.index(entity.ttl_policy),
        "owner": entity.is_owner,
        "confidence": entity.confidence,
        "first_seen": first_seen,
        "last_seen": last_seen,
        "evergreen": entity.type in EVERGREEN_TYPES,
        "promised": promise and not settled(entity.properties),
        "due_at": due_of(entity.properties) if promise else None,
    }


def entity_anchors(entities: EntityColumns, now: Instant, life: Life) -> Anchors:
    """What the strength of entities is computed from. A promise that is open and not yet due keeps the floor."""
    standing = entities.promised & ~(entities.due_at < now)
    owned = entities.owner if life.strength.entity == "spaced" else False  # seed 002: the owner is kept forever
    return Anchors.of(
        len(entities.confidence),
        **_recalls(entities),
        heard_at=entities.last_seen,
        born_at=entities.first_seen,
        confidence=entities.confidence,
        evergreen=entities.evergreen,
        kept=(entities.ttl == KEEP_FOREVER) | owned,
        floor=np.where(standing, life.lifecycle.floor, 0.0),
    )


def fact_anchors(facts: FactStrengthColumns, life: Life) -> Anchors:
    """What the strength of facts is computed from. A floor lifts nothing above its own confidence."""
    rules = life.lifecycle
    standing = (facts.importance >= rules.floor_importance) | facts.preference | facts.evergreen
    return Anchors.of(
        len(facts.since),
        **_recalls(facts),
        heard_at=facts.since,
        confidence=facts.confidence,
        stability=facts.stability,
        protected=facts.protected,
        floor=np.where(standing, np.minimum(rules.floor, facts.confidence), 0.0),
    )


def source_anchors(sources: SourceColumns, life: Life) -> Anchors:
    """What the strength of sources is computed from; by the spaced law they have no confidence."""
    return Anchors.of(
        len(sources.ids),
        **_recalls(sources),
        heard_at=sources.started_at,
        confidence=np.nan if life.strength.source == "spaced" else 1.0,
        kept=sources.ttl == KEEP_FOREVER,
    )


def group_anchors(groups: GroupColumns, law: str) -> Anchors:
    """What the strength of storylines and macros is computed from; by the spaced law they have no confidence.

    One that was never recalled fades from the night that found it, or from its last source where that is later: an
    import shows what it found for as long as a life does, and what goes on being told does not fade meanwhile.
    """
    return Anchors.of(
        len(groups.ids),
        **_recalls(groups),
        heard_at=np.maximum(groups.opened_at, groups.last_at),
        confidence=np.nan if law == "spaced" else 1.0,
    )


def _recalls(rows: Recalls) -> dict[str, Column]:
    return {each.name: getattr(rows, each.name) for each in fields(Recalls)}


def census(believed: WorkingSet) -> Census:
    """The census of a working set; sources are no part of it."""
    joined = _joined(believed)
    living = (entity for entity in believed.entities.values() if entity.merged_into is None)
    return Census(
        version=believed.version,
        entities=columns_of(EntityRows, [_entity_row(believed, each, each.entity_id in joined) for each in living]),
        facts=facts_of(believed, believed.facts, gathered_facts(believed)),
        sources=columns_of(SourceColumns, []),
        notes=tuple(believed.notes.values()),
        groups=groups_of(believed, (each.group_id for each in believed.groups.values() if each.kind in ROLL_UPS)),
    )


def _joined(believed: WorkingSet) -> set[str]:
    """Entities in a community that is seen wherever they are."""
    return {
        member
        for group in believed.groups.values()
        if group.kind == COMMUNITY
        for member in group.members
        if (entity := believed.entities.get(member)) is not None and group.sensitivity <= entity.sensitivity
    }


def facts_of(believed: WorkingSet, ids: Iterable[str], gathered: Collection[str] = ()) -> FactRows:
    """The columns of some facts of a working set; no strength depends on whether they were `gathered`."""
    rows = [
        {**_fact_row(believed, believed.facts[each]), "gathered": each in gathered, "passing": False} for each in ids
    ]
    return columns_of(FactRows, rows)


def entities_of(believed: WorkingSet, ids: Iterable[str]) -> EntityRows:
    """The columns of a few entities of a working set."""
    return columns_of(EntityRows, [_entity_row(believed, believed.entities[each], False) for each in ids])


def groups_of(believed: WorkingSet, ids: Iterable[str]) -> GroupColumns:
    """The columns of a few storylines and macros of a working set."""
    return columns_of(GroupColumns, [_group_row(believed, believed.groups[each]) for each in ids])


def entity_stamp(believed: WorkingSet | Draft, entity_id: str) -> int:
    """What moves with whatever happens to an entity: its mentions plus its recalls."""
    return len(believed.mentions.get(entity_id, ())) + recalls_of(believed, entity_id)


def fact_stamp(believed: WorkingSet | Draft, fact: Fact) -> int:
    """What moves with whatever happens to a fact: its version plus its recalls."""
    return fact.version + recalls_of(believed, fact.fact_id)


def recalls_of(believed: WorkingSet | Draft, identity: str) -> int:
    """How often something was recalled: what moves with whatever happens to a group but by a night."""
    access = believed.accesses.get(identity)
    return access.count if access else 0


def _access_row(believed: WorkingSet, identity: str) -> dict[str, Any]:
    access = believed.accesses.get(identity)
    if access is None:
        return {"count": 0, "accessed_at": None, "value": 0.0, "gradient": 1.0}
    return {"count": access.count, "accessed_at": access.last_at, "value": access.value, "gradient": access.gradient}


def _entity_row(believed: WorkingSet, entity: Entity, in_community: bool) -> dict[str, Any]:
    mentions = believed.mentions.get(entity.entity_id, {}).values()
    seen = figures(each for each in mentions if each.sensitivity <= entity.sensitivity)
    first, last = (seen.first_seen, seen.last_seen) if seen else (entity.created_at, entity.created_at)
    return {
        **entity_row(entity, first, last, _access_row(believed, entity.entity_id)),
        "ids": entity.entity_id,
        "stamp": entity_stamp(believed, entity.entity_id),
        "tier": TIERS.index(entity.tier),
        "state": STATES.index(entity.state),
        "sessions": seen.session_count if seen else 0,
        "lasting": entity.type in LASTING_TYPES,
        "in_community": in_community,
    }


def _group_row(believed: WorkingSet, group: Group) -> dict[str, Any]:
    return {
        **_access_row(believed, group.group_id),
        "ids": group.group_id,
        "state": STATES.index(group.state),
        "macro": group.kind == MACRO,
        "opened_at": group.opened_at,
        "last_at": group.last_at,
    }


def _fact_row(believed: WorkingSet, fact: Fact) -> dict[str, Any]:
    about = (believed.entities.get(each) for each in (fact.subject_id, fact.object_id) if each is not None)
    against = believed.entities.get(fact.object_id or fact.subject_id)
    return {
        **_access_row(believed, fact.fact_id),
        "ids": fact.fact_id,
        "stamp": fact_stamp(believed, fact),
        "status": STATUSES.index(fact.status),
        "state": STATES.index(fact.state),
        "about": against.entity_id if against is not None and fact.sensitivity <= against.sensitivity else None,
        "confidence": fact.confidence,
        "stability": fact.stability,
        "since": fact.since,
        "protected": fact.protected,
        "importance": fact.importance,
        "preference": fact.kind == "preference" and fact.valid_to is None,
        "evergreen": any(each is not None and each.type in EVERGREEN_TYPES and not each.is_owner for each in about),
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "system_from": fact.system_from,
        "said_at": max((each.at for each in believed.evidence.get(fact.fact_id, ())), default=None),
    }
