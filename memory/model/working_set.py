"""The working set: everything a user's memory believes right now, as one immutable value.

`evolve` is the only way to get the next one. Rows live in dictionaries keyed by natural key; secondary look-ups
(names, subjects, evidence) are kept beside them because every turn needs them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from memory.model.accesses import Access
from memory.model.changes import SEGMENT, Change, Row, key_of
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.groups import Group
from memory.model.lookups import Lookup
from memory.model.profile import Profile
from memory.model.sources import SourceState
from memory.model.tables import FACT_INDEXES, keep, listed, reindex, when
from memory.model.trail import Trail


@dataclass(frozen=True)
class WorkingSet:
    """What is believed at `version`. Never mutated; `evolve` gives the next."""

    user_id: str
    version: int = 0
    profile: Profile = field(default_factory=Profile)
    entities: Mapping[str, Entity] = field(default_factory=dict)
    promises: Mapping[str, Entity] = field(default_factory=dict)
    """The entities that are promises, by id: of every turn it is asked whether it tells that one was kept."""
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
    by_words: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(subject id, folded statement) -> ids of facts."""
    by_predicate: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(subject id, predicate) -> ids of facts; what is a predicate of a kind, such as a habit, by the kind as well."""
    linked: Mapping[str, tuple[Link, ...]] = field(default_factory=dict)
    """id of a fact or an entity -> its links, in either direction, in the order of their keys."""
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """id of a fact, entity or source that was ever recalled -> its recalls."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    grouped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """id of an entity, a fact, a group or a source, or `segment:` and a key -> ids of the groups that rest on it."""
    trail: Trail = field(default_factory=Trail, compare=False, repr=False)
    """Which facts the last turns touched, as far as this process has seen them; see `own_trail`."""

    @property
    def own_trail(self) -> Trail:
        """How it came to be; one without a past where its tables were not left by turns."""
        known = self.trail.facts is self.facts and self.trail.evidence is self.evidence
        return self.trail if known else Trail(self.facts, self.evidence)


class Draft:
    """The next working set while a turn writes it: reads like one, copies each table once, on first touch."""

    def __init__(self, base: WorkingSet) -> None:
        self.base = base
        self.changes: list[Change] = []
        self.profile = base.profile
        self._tables: dict[str, dict[Any, Any]] = {}
        self._links: set[Link] | None = None
        self._own_mentions: dict[str, dict[int, Mention]] = {}
        self._lookups: dict[type, Lookup] = {}

    def read(self, name: str) -> Mapping[Any, Any]:
        """A table of the working set as it stands in this turn."""
        table: Mapping[Any, Any] = self._tables.get(name, getattr(self.base, name))
        return table

    @property
    def user_id(self) -> str:
        """Whose memory this is."""
        return self.base.user_id

    @property
    def entities(self) -> Mapping[str, Entity]:
        """Entity id -> entity."""
        return self.read("entities")

    @property
    def promises(self) -> Mapping[str, Entity]:
        """Entity id -> entity, of promises alone."""
        return self.read("promises")

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Fact id -> its open version."""
        return self.read("facts")

    @property
    def evidence(self) -> Mapping[str, tuple[Evidence, ...]]:
        """Fact id -> what supports it."""
        return self.read("evidence")

    @property
    def mentions(self) -> Mapping[str, Mapping[int, Mention]]:
        """Entity id -> segment key -> mention."""
        return self.read("mentions")

    @property
    def notes(self) -> Mapping[str, Note]:
        """Note id -> note."""
        return self.read("notes")

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Folded name or alias -> ids of entities that carry it."""
        return self.read("names")

    @property
    def by_subject(self) -> Mapping[str, tuple[str, ...]]:
        """Entity id -> ids of facts about it."""
        return self.read("by_subject")

    @property
    def by_words(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """(subject id, folded statement) -> ids of facts."""
        return self.read("by_words")

    @property
    def by_predicate(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """(subject id, predicate) -> ids of facts."""
        return self.read("by_predicate")

    @property
    def accesses(self) -> Mapping[str, Access]:
        """Id -> recalls."""
        return self.read("accesses")

    @property
    def groups(self) -> Mapping[str, Group]:
        """Group id -> group."""
        return self.read("groups")

    @property
    def links(self) -> Set[Link]:
        """Every link."""
        return self.base.links if self._links is None else self._links

    def links_of(self, identity: str) -> tuple[Link, ...]:
        """The links of a fact or an entity, in either direction."""
        links: tuple[Link, ...] = self.read("linked").get(identity, ())
        return links

    def notes_of(self, about_id: str) -> list[Note]:
        """The notes on a fact or an entity."""
        return self._lookup(Note).at(about_id)

    def groups_of(self, identity: str) -> list[Group]:
        """The groups that rest on an entity, a fact, a group or a source, or quote a segment (`segment:` and a key)."""
        return [self.groups[each] for each in self.read("grouped").get(identity, ())]

    def merged_into(self, entity_id: str) -> list[Entity]:
        """The entities that were merged into one."""
        return self._lookup(Entity).at(entity_id)

    def _lookup(self, noun: type) -> Lookup:
        """What hangs on what, listed once a turn: one that takes thousands of facts back asks thousands of times."""
        if noun not in self._lookups:
            rows, ids_of = _HANGS_ON[noun]
            self._lookups[noun] = Lookup(rows(self), ids_of)
        return self._lookups[noun]

    def table(self, name: str) -> dict[Any, Any]:
        """A private copy of one of the base's mappings, to write into."""
        if name not in self._tables:
            self._tables[name] = dict(getattr(self.base, name))
        return self._tables[name]

    def own_mentions(self, entity_id: str) -> dict[int, Mention]:
        """A private copy of the mentions of one entity, to write into: of an owner they are as many as the segments."""
        if entity_id not in self._own_mentions:
            self._own_mentions[entity_id] = dict(self.mentions.get(entity_id, {}))
        return self._own_mentions[entity_id]

    def own_links(self) -> set[Link]:
        """A private copy of the links, to write into."""
        if self._links is None:
            self._links = set(self.base.links)
        return self._links

    def put(self, reason: str, before: Row | None, after: Row | None) -> None:
        """Record one change and let it take effect in this draft."""
        self.apply(Change(reason, before, after))

    def apply(self, change: Change) -> None:
        """Record a change that was already made."""
        self.changes.append(change)
        _APPLY[type(change.row)](self, change.before, change.after)
        if (lookup := self._lookups.get(type(change.row))) is not None:
            lookup.follow(change.before, change.after)

    def rewind(self, mark: int) -> None:
        """Take back every change after the first `mark` ones, as if they had not been made."""
        while len(self.changes) > mark:
            change = self.changes.pop()
            _APPLY[type(change.row)](self, change.after, change.before)
            if (lookup := self._lookups.get(type(change.row))) is not None:
                lookup.follow(change.after, change.before)

    def finish(self, version: int) -> WorkingSet:
        """The immutable result."""
        tables = {name: self.read(name) for name in _TABLES}
        trail = self.base.own_trail.led(self.changes, tables["facts"], tables["evidence"])
        return WorkingSet(self.user_id, version, self.profile, links=frozenset(self.links), trail=trail, **tables)


_HANGS_ON: dict[type, tuple[Callable[[Draft], Iterable[Row]], Callable[[Any], Iterable[str]]]] = {
    Note: (lambda draft: draft.notes.values(), lambda note: (note.about_id,)),
    Entity: (
        lambda draft: draft.entities.values(),
        lambda entity: () if entity.merged_into is None else (entity.merged_into,),
    ),
}
"""Noun -> where its rows are, and the ids one of them hangs on."""

_TABLES = (
    "entities",
    "promises",
    "facts",
    "notes",
    "mentions",
    "evidence",
    "names",
    "by_subject",
    "by_words",
    "by_predicate",
    "linked",
    "accesses",
    "groups",
    "grouped",
)


def _replace_one(draft: Draft, name: str, before: Row | None, after: Row | None) -> None:
    table = draft.table(name)
    if after is None:
        assert before is not None
        table.pop(key_of(before)[0], None)
    else:
        table[key_of(after)[0]] = after


def _put_entity(draft: Draft, before: Entity | None, after: Entity | None) -> None:
    _replace_one(draft, "entities", before, after)
    was, now = (row if row is not None and row.type == "promise" else None for row in (before, after))
    if was is not None or now is not None:
        _replace_one(draft, "promises", was, now)
    if before is not None and after is not None and _NAMED(before) == _NAMED(after):
        return
    entity_id = key_of(after or before)[0]  # type: ignore[arg-type]
    live = after is not None and after.merged_into is None
    was_live = before is not None and before.merged_into is None
    old = before.names if before is not None and was_live else frozenset()
    new = after.names if after is not None and live else frozenset()
    if old != new:
        reindex(draft.table("names"), old, new, str(entity_id))


def _put_fact(draft: Draft, before: Fact | None, after: Fact | None) -> None:
    _replace_one(draft, "facts", before, after)
    if before is not None and after is not None and _SAID(before) == _SAID(after):
        return  # to fold words that nobody has looked at for long costs more than all the rest
    fact_id = str(key_of(after or before)[0])  # type: ignore[arg-type]
    for name, keys in FACT_INDEXES.items():
        old, new = keys(before) if before is not None else (), keys(after) if after is not None else ()
        if old != new:
            reindex(draft.table(name), old, new, fact_id)


_NAMED, _SAID = attrgetter("name", "aliases", "merged_into"), attrgetter("subject_id", "statement", "predicate")
"""What `names` are made of, and those."""


def _put_mention(draft: Draft, before: Mention | None, after: Mention | None) -> None:
    row = after if after is not None else before
    assert row is not None
    inner = draft.own_mentions(row.entity_id)
    if after is None:
        inner.pop(row.segment_key, None)
    else:
        inner[row.segment_key] = after
    keep(draft.table("mentions"), row.entity_id, inner)


def _put_evidence(draft: Draft, before: Evidence | None, after: Evidence | None) -> None:
    table = draft.table("evidence")
    row = after if after is not None else before
    assert row is not None
    rest = tuple(other for other in table.get(row.fact_id, ()) if key_of(other) != key_of(row))
    keep(table, row.fact_id, rest if after is None else tuple(sorted((*rest, after), key=when)))


def _put_link(draft: Draft, before: Link | None, after: Link | None) -> None:
    links, linked = draft.own_links(), draft.table("linked")
    for row, stands in ((before, False), (after, True)):
        if row is None:
            continue
        fresh = (row,) if stands else ()
        links.discard(row)
        links.update(fresh)
        for end in {row.from_id, row.to_id}:
            known = linked.get(end, ())
            place = bisect_left(known, key_of(row), key=key_of)
            beyond = place + (known[place : place + 1] == (row,))
            keep(linked, end, (*known[:place], *fresh, *known[beyond:]))


def _put_group(draft: Draft, before: Group | None, after: Group | None) -> None:
    _replace_one(draft, "groups", before, after)
    old, new = (frozenset() if row is None else _supports(row) for row in (before, after))
    if old != new:
        reindex(draft.table("grouped"), old, new, str(key_of(after or before)[0]))  # type: ignore[arg-type]


def _supports(group: Group) -> frozenset[str]:
    """What a group rests on, as `grouped` names it."""
    return frozenset({*group.rests_on, *(f"{SEGMENT}{key}" for key in group.quotes)})


def _put_source(draft: Draft, before: SourceState | None, after: SourceState | None) -> None:
    """Sources are no part of a working set; their change of state is only passed on to where they are."""


def _put_profile(draft: Draft, before: Profile | None, after: Profile | None) -> None:
    draft.profile = after if after is not None else Profile()


_APPLY: dict[type, Callable[..., None]] = {
    Entity: _put_entity,
    Mention: _put_mention,
    Fact: _put_fact,
    Evidence: _put_evidence,
    Link: _put_link,
    Note: lambda draft, before, after: _replace_one(draft, "notes", before, after),
    Group: _put_group,
    Profile: _put_profile,
    Access: lambda draft, before, after: _replace_one(draft, "accesses", before, after),
    SourceState: _put_source,
}


def assemble(user_id: str, version: int, profile: Profile, rows: Iterable[Row]) -> WorkingSet:
    """The working set of these rows: what `evolve` would come to one by one, but for a large memory in one go."""
    of: dict[type, list[Any]] = {noun: [] for noun in _APPLY}
    for row in rows:
        of[type(row)].append(row)
    tables: dict[str, dict[Any, Any]] = {name: {} for name in _TABLES}
    for noun, name in _OWN_TABLES.items():
        tables[name] = {key_of(row)[0]: row for row in of[noun]}
    tables["promises"] = {each.entity_id: each for each in of[Entity] if each.type == "promise"}
    for mention in of[Mention]:
        tables["mentions"].setdefault(mention.entity_id, {})[mention.segment_key] = mention
    named = ((name, each.entity_id) for each in of[Entity] if each.merged_into is None for name in each.names)
    tables["names"] = listed(named, None)
    for name, keys in FACT_INDEXES.items():
        tables[name] = listed(((key, fact.fact_id) for fact in of[Fact] for key in keys(fact)), None)
    tables["evidence"] = listed(((each.fact_id, each) for each in of[Evidence]), when)
    ends = ((end, link) for link in of[Link] for end in {link.from_id, link.to_id})
    tables["linked"] = listed(ends, key_of)
    tables["grouped"] = listed(((each, group.group_id) for group in of[Group] for each in _supports(group)), None)
    trail = Trail(tables["facts"], tables["evidence"])
    return WorkingSet(user_id, version, profile, links=frozenset(of[Link]), trail=trail, **tables)


_OWN_TABLES: dict[type, str] = {
    Entity: "entities",
    Fact: "facts",
    Note: "notes",
    Access: "accesses",
    Group: "groups",
}


def evolve(working_set: WorkingSet, changes: Iterable[Change]) -> WorkingSet:
    """The next version of the working set: what it is after these changes."""
    draft = Draft(working_set)
    for change in changes:
        draft.apply(change)
    return draft.finish(working_set.version + 1)
