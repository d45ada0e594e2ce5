"""Grouping: groups as a night arranges them, and what becomes of them when what they rest on goes.

A storyline and a consolidation hold sources that tell of their anchor, and a macro storylines that stand. A summary
stands while everybody may still read each segment that it rests on, as it was read. A community holds entities that are
there, and a pattern stands with its community and with everything that it quotes. The summary of a source goes with its
source. What a turn takes away is taken from groups in that turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from memory.model.changes import SEGMENT, WORDS_ERASED, Change, Row, key_of
from memory.model.commands import AcceptReading, ArrangeGroups, Command, Withdraw
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.groups import COMMUNITY, CONSOLIDATION, GROUP_KINDS, MACRO, PATTERN, STORYLINE, SUMMARY, Group
from memory.model.ids import digest
from memory.model.working_set import Draft
from memory.rules.consolidation import is_insight, tells_nothing
from memory.rules.turn import TurnState

NAMED_TOGETHER = 2
"""Entities that a segment names if a pattern quotes it (memory/rules/patterns.py)."""


def group_stamp(group: Group) -> str:
    """What moves with whatever happens to a group."""
    return digest("group", group).hex()


def arrange(turn: TurnState, command: ArrangeGroups) -> None:
    """Put and withdraw groups; a row that has changed since, or one that could not stand, is left alone."""
    draft = turn.draft
    for each in command.arranged:
        known = draft.groups.get(each.group.group_id)
        fresh = each.was == (None if known is None else group_stamp(known))
        if fresh and known != each.group and _may_stand(draft, each.group):
            draft.put("opened" if known is None else "arranged", known, each.group)
    for group_id, was in command.withdrawn:
        known = draft.groups.get(group_id)
        if known is not None and group_stamp(known) == was:
            draft.put("withdrawn", known, None)


def settle_groups(turn: TurnState, command: Command, least_members: int) -> None:
    """Take from groups, at the end of a turn, what it has taken from what they rest on.

    Where words are erased, the words of every summary that may have quoted them are erased as well. A community of
    fewer than `least_members` is none. With a group goes that it was recalled.
    """
    draft = turn.draft
    if draft.groups:
        _take_away(draft, command, least_members)
    gone = [each for each in draft.changes if isinstance(each.row, Group) and each.after is None]
    for change in gone:
        identity = str(key_of(change.row)[0])
        if identity not in draft.groups and (recalls := draft.accesses.get(identity)) is not None:
            draft.put(change.reason, recalls, None)


def _take_away(draft: Draft, command: Command, least_members: int) -> None:
    erasing = isinstance(command, Withdraw) and command.erase
    own = _named_keys(command)
    keys = own.union(key for change in _staying(draft) for key in _lost_keys(draft, change))
    source_id = command.source_id if isinstance(command, Withdraw) and command.erase else None
    taken = Taken(keys, erasing, least_members, source_id)
    touched = {f"{SEGMENT}{key}" for key in own} | ({source_id} if source_id else set())
    for group in _concerned(draft, touched):
        left = _LEFT[group.kind](draft, group, taken)
        if left is None:
            anchor_gone = group.anchor_id is not None and group.anchor_id not in draft.entities
            draft.put("erased" if erasing or anchor_gone else "support lost", group, None)
        elif left != group:
            draft.put(WORDS_ERASED if erasing else "support lost", group, left)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a turn takes from groups."""

    keys: frozenset[int]
    """Of segments whose words may not be quoted as they were."""
    erasing: bool
    least_members: int
    source_id: str | None = None
    """A source that is forgotten."""


def _named_keys(command: Command) -> frozenset[int]:
    """Keys of segments whose words have changed, are hidden or are to be erased, whether they meant anything or not."""
    if isinstance(command, AcceptReading):
        return frozenset((*command.withdrawn, *(each.segment_key for each in command.read if each.revision > 1)))
    return frozenset(command.segment_keys) if isinstance(command, Withdraw) else frozenset()


def _concerned(draft: Draft, named: Set[str]) -> list[Group]:
    """The groups that a change, or what the command has named, may concern; those first on which others rest."""
    touched = {each for change in draft.changes for each in _touched(draft, change)} | named
    found = {each.group_id: each for identity in touched for each in draft.groups_of(identity)}
    beside = [identity for each in found.values() for identity in (each.anchor_id, each.group_id) if identity]
    found |= {each.group_id: each for identity in beside for each in draft.groups_of(identity)}
    return sorted(found.values(), key=lambda each: (GROUP_KINDS.index(each.kind), each.group_id))


def _may_stand(draft: Draft, group: Group) -> bool:
    """Whether everybody and everything that a group is of is there."""
    if group.kind == SUMMARY:
        return True
    if group.kind == PATTERN:
        return set(group.members) <= draft.groups.keys() and _said(draft, group)
    return all(
        _living(draft, each) for each in (group.members if group.kind == COMMUNITY else (group.anchor_id or "",))
    )


def _living(draft: Draft, entity_id: str) -> bool:
    entity = draft.entities.get(entity_id)
    return entity is not None and entity.merged_into is None


def _community_left(draft: Draft, group: Group, taken: Taken) -> Group | None:
    """Its members that are still there for whom it is to be seen; None if they are too few."""

    def there(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            each for each in ids if _living(draft, each) and draft.entities[each].sensitivity <= group.sensitivity
        )

    members = there(group.members)
    if len(members) < taken.least_members:
        return None
    return replace(group, members=members, core=there(group.core), named_by=there(group.named_by))


def _pattern_left(draft: Draft, group: Group, taken: Taken) -> Group | None:
    """The pattern as it is, or None: of what it quotes and is about nothing may be missing."""
    [community_id] = group.members
    community = draft.groups.get(community_id)
    if community is None or not set(community.members).issuperset(group.named_by):
        return None
    return group if _said(draft, group) and taken.keys.isdisjoint(group.quotes) else None


def _said(draft: Draft, pattern: Group) -> bool:
    """Whether each fact it quotes holds, and each segment names two of those whom it is about, up to its level."""
    facts = [draft.facts.get(each) for each in pattern.facts]
    mentions = [draft.mentions.get(each, {}) for each in pattern.named_by]
    named = [
        sum(key in rows and rows[key].sensitivity <= pattern.sensitivity for rows in mentions) for key in pattern.quotes
    ]
    held = all(each and each.status == "active" and each.sensitivity <= pattern.sensitivity for each in facts)
    return held and all(count >= NAMED_TOGETHER for count in named)


def _summed_up_left(draft: Draft, group: Group, taken: Taken) -> Group | None:
    """What is left of a storyline or a macro; None if nothing is."""
    anchor = draft.entities.get(group.anchor_id or "")
    if anchor is None or anchor.merged_into is not None:
        return None
    mentions = [
        each for each in draft.mentions.get(anchor.entity_id, {}).values() if each.sensitivity <= group.sensitivity
    ]
    there = {each.source_id for each in mentions} if group.kind != MACRO else draft.groups.keys()
    members = tuple(each for each in group.members if each in there)
    if not members:
        return None
    known = {each.segment_key for each in mentions} - taken.keys
    stands = bool(group.summary) and known.issuperset(group.quotes)
    stands = stands and not (taken.erasing and members != group.members)
    if stands and members == group.members:
        return group
    if not stands:
        return replace(group, members=members, summary=None, quotes=(), dirty=_is_dirty(group, members))
    return replace(group, members=members, dirty=True)


def _summary_left(draft: Draft, group: Group, taken: Taken) -> Group | None:
    """The summary of a source as it is, or None: it goes with its source, and with any segment that it quotes."""
    if taken.source_id in group.members or not taken.keys.isdisjoint(group.quotes):
        return None
    return group


def _consolidation_left(draft: Draft, group: Group, taken: Taken) -> Group | None:
    """What is left of a consolidation: an insight goes as soon as too few of its sources support it.

    One of which nothing could be told is tried again once words that were looked at have changed.
    """
    if tells_nothing(group):
        stands = _living(draft, group.anchor_id or "") and taken.keys.isdisjoint(group.quotes)
        return group if stands else None
    left = _summed_up_left(draft, group, taken)
    if left is None:
        return None
    facts = tuple(each for each in left.facts if is_insight(draft, left, each))
    if facts == left.facts:
        return left
    if taken.erasing:
        return replace(left, facts=facts, summary=None, quotes=(), dirty=True)
    return replace(left, facts=facts)


def _is_dirty(group: Group, members: tuple[str, ...]) -> bool:
    """A group that never had a summary, because nothing could be told, does not need one now."""
    return group.dirty or bool(group.summary or group.quotes) or members != group.members


def _touched(draft: Draft, change: Change) -> Iterator[str]:
    """What groups hang on that a change may concern: entities, facts, groups, and segments by their key."""
    row = change.row
    if isinstance(row, Group):
        yield from filter(None, (row.anchor_id, row.group_id))
    elif isinstance(row, Entity) or (isinstance(row, Mention) and change.before is not None):
        yield row.entity_id
    elif isinstance(row, Fact | Evidence) and change.before is not None:
        yield row.fact_id
    yield from (f"{SEGMENT}{key}" for key in _lost_keys(draft, change))


_LEFT: Mapping[str, Callable[[Draft, Group, Taken], Group | None]] = {
    STORYLINE: _summed_up_left,
    MACRO: _summed_up_left,
    COMMUNITY: _community_left,
    PATTERN: _pattern_left,
    SUMMARY: _summary_left,
    CONSOLIDATION: _consolidation_left,
}


def _staying(draft: Draft) -> list[Change]:
    """The changes of a turn without mentions that became another entity's: by a merge or a split no word is lost."""
    came: defaultdict[Mention, set[str]] = defaultdict(set)
    for change in draft.changes:
        if isinstance(change.after, Mention) and change.before is None:
            came[replace(change.after, entity_id="")].add(change.after.entity_id)

    def moved(row: Row) -> bool:
        if not isinstance(row, Mention):
            return False
        entity = draft.entities.get(row.entity_id)
        told_of = draft.mentions.get(entity.merged_into or "", {}) if entity is not None else {}
        return row.segment_key in told_of or bool(came.get(replace(row, entity_id=""), set()) - {row.entity_id})

    return [each for each in draft.changes if each.after is not None or not moved(each.row)]


def _lost_keys(draft: Draft, change: Change) -> Iterator[int]:
    """Keys of segments whose words may not be quoted as they were: read otherwise, gone, or of a forgotten fact."""
    row = change.row
    if isinstance(row, Mention) and change.before is not None:
        yield row.segment_key
    elif isinstance(row, Fact) and isinstance(change.after, Fact) and row.status == "forgotten":
        keys = (each.segment_key for each in draft.evidence.get(row.fact_id, ()))
        yield from (key for key in keys if key is not None)
