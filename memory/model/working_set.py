"""The working set: everything a user's memory believes right now, as one immutable value.

`evolve` is the only way to get the next one. Rows live in dictionaries keyed by natural key; secondary look-ups
(names, subjects, evidence) are kept beside them because every turn needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from memory.model.changes import Change, Row, key_of
from memory.model.entities import Entity, Figures, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.profile import Profile
from memory.model.timeline import DAY_S

Index = Mapping[object, tuple[object, ...]]


@dataclass(frozen=True)
class WorkingSet:
    """What is believed at `version`. Never mutated; `evolve` gives the next."""

    user_id: str
    version: int = 0
    profile: Profile = field(default_factory=Profile)
    entities: Mapping[str, Entity] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    notes: Mapping[str, Note] = field(default_factory=dict)
    links: frozenset[Link] = frozenset()
    mentions: Mapping[str, Mapping[int, Mention]] = field(default_factory=dict)
    """entity id -> segment key -> mention."""
    evidence: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    """fact id -> what supports it."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """folded name or alias -> ids of entities that carry it."""
    by_subject: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """entity id -> ids of facts about it."""

    def resolve(self, entity_id: str) -> Entity | None:
        """The entity, merges followed."""
        entity = self.entities.get(entity_id)
        while entity is not None and entity.merged_into is not None:
            entity = self.entities.get(entity.merged_into)
        return entity

    def owner(self) -> Entity | None:
        """The entity the memory belongs to, once the profile names it."""
        return next((entity for entity in self.entities.values() if entity.is_owner), None)

    def figures(self, entity_id: str) -> Figures | None:
        """What its mentions add up to, or None if it was never mentioned."""
        return figures(self.mentions.get(entity_id, {}).values())


def figures(mentions: Iterable[Mention]) -> Figures | None:
    """Counts and first and last sight of some mentions of one entity; days are UTC days of the event."""
    rows = list(mentions)
    if not rows:
        return None
    times = [row.at for row in rows]
    return Figures(
        first_seen=min(times),
        last_seen=max(times),
        mention_count=len(rows),
        session_count=len({row.source_id for row in rows}),
        distinct_days=len({int(at // DAY_S) for at in times}),
    )


class _Draft:
    """The next working set while it is being written: each table is copied once, on first touch."""

    def __init__(self, base: WorkingSet) -> None:
        self.base = base
        self.tables: dict[str, dict] = {}  # type: ignore[type-arg]
        self.links: set[Link] | None = None
        self.profile = base.profile

    def table(self, name: str) -> dict:  # type: ignore[type-arg]
        """A private copy of one of the base's mappings."""
        if name not in self.tables:
            self.tables[name] = dict(getattr(self.base, name))
        return self.tables[name]

    def put(self, change: Change) -> None:
        """Replace `before` by `after` in the table of its noun."""
        _APPLY[type(change.row)](self, change.before, change.after)

    def finish(self, version: int) -> WorkingSet:
        """The immutable result."""
        rest = {name: table for name in _TABLES if (table := self.tables.get(name)) is not None}
        kept = {name: getattr(self.base, name) for name in _TABLES if name not in rest}
        links = self.base.links if self.links is None else frozenset(self.links)
        return WorkingSet(self.base.user_id, version, self.profile, links=links, **rest, **kept)


_TABLES = ("entities", "facts", "notes", "mentions", "evidence", "names", "by_subject")


def _replace_one(draft: _Draft, name: str, before: Row | None, after: Row | None) -> None:
    table = draft.table(name)
    if after is None:
        assert before is not None
        table.pop(key_of(before)[0], None)
    else:
        table[key_of(after)[0]] = after


def _reindex(table: dict, old: Iterable[str], new: Iterable[str], value: str) -> None:  # type: ignore[type-arg]
    old, new = set(old), set(new)
    for word in old - new:
        left = tuple(other for other in table.get(word, ()) if other != value)
        if left:
            table[word] = left
        else:
            table.pop(word, None)
    for word in new - old:
        table[word] = (*table.get(word, ()), value)


def _put_entity(draft: _Draft, before: Entity | None, after: Entity | None) -> None:
    _replace_one(draft, "entities", before, after)
    entity_id = key_of(after or before)[0]  # type: ignore[arg-type]
    live = after is not None and after.merged_into is None
    was_live = before is not None and before.merged_into is None
    old = before.names if before is not None and was_live else frozenset()
    new = after.names if after is not None and live else frozenset()
    _reindex(draft.table("names"), old, new, str(entity_id))


def _put_fact(draft: _Draft, before: Fact | None, after: Fact | None) -> None:
    _replace_one(draft, "facts", before, after)
    fact_id = str(key_of(after or before)[0])  # type: ignore[arg-type]
    old = (before.subject_id,) if before is not None else ()
    new = (after.subject_id,) if after is not None else ()
    _reindex(draft.table("by_subject"), old, new, fact_id)


def _put_mention(draft: _Draft, before: Mention | None, after: Mention | None) -> None:
    table = draft.table("mentions")
    row = after if after is not None else before
    assert row is not None
    inner = dict(table.get(row.entity_id, {}))
    if after is None:
        inner.pop(row.segment_key, None)
    else:
        inner[row.segment_key] = after
    table[row.entity_id] = inner


def _put_evidence(draft: _Draft, before: Evidence | None, after: Evidence | None) -> None:
    table = draft.table("evidence")
    row = after if after is not None else before
    assert row is not None
    rest = tuple(other for other in table.get(row.fact_id, ()) if key_of(other) != key_of(row))
    table[row.fact_id] = rest if after is None else (*rest, after)


def _put_link(draft: _Draft, before: Link | None, after: Link | None) -> None:
    if draft.links is None:
        draft.links = set(draft.base.links)
    if before is not None:
        draft.links.discard(before)
    if after is not None:
        draft.links.add(after)


def _put_note(draft: _Draft, before: Note | None, after: Note | None) -> None:
    _replace_one(draft, "notes", before, after)


def _put_profile(draft: _Draft, before: Profile | None, after: Profile | None) -> None:
    draft.profile = after if after is not None else Profile()


_APPLY: dict[type, Callable[..., None]] = {
    Entity: _put_entity,
    Mention: _put_mention,
    Fact: _put_fact,
    Evidence: _put_evidence,
    Link: _put_link,
    Note: _put_note,
    Profile: _put_profile,
}


def evolve(working_set: WorkingSet, changes: Iterable[Change], version: int | None = None) -> WorkingSet:
    """The working set after these changes; `version` defaults to the next one."""
    draft = _Draft(working_set)
    for change in changes:
        draft.put(change)
    return draft.finish(working_set.version + 1 if version is None else version)
