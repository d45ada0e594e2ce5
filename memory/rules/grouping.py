"""Grouping: groups as a night arranges them, and what becomes of them when what they rest on goes.

A storyline holds sources that tell of its anchor, and a macro storylines that stand. A summary stands while everybody
may still read each segment that it rests on, as it was read. What a turn takes away is taken from groups in that turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memory.model.changes import SEGMENT, WORDS_ERASED, Change
from memory.model.commands import ArrangeGroups, Command, Withdraw
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.groups import GROUP_KINDS, Group
from memory.model.ids import digest
from memory.model.working_set import Draft
from memory.rules.turn import TurnState


def group_stamp(group: Group) -> str:
    """What moves with whatever happens to a group."""
    return digest("group", group).hex()


def arrange(turn: TurnState, command: ArrangeGroups) -> None:
    """Put and withdraw groups; a row that has changed since is left alone."""
    draft = turn.draft
    for each in command.arranged:
        known = draft.groups.get(each.group.group_id)
        anchor = draft.entities.get(each.group.anchor_id or "")
        fresh = each.was == (None if known is None else group_stamp(known))
        if fresh and known != each.group and anchor is not None and anchor.merged_into is None:
            draft.put("opened" if known is None else "arranged", known, each.group)
    for group_id, was in command.withdrawn:
        known = draft.groups.get(group_id)
        if known is not None and group_stamp(known) == was:
            draft.put("withdrawn", known, None)


def settle_groups(turn: TurnState, command: Command) -> None:
    """Take from groups, at the end of a turn, what it has taken from what they rest on.

    Where words are erased, the words of every summary that may have quoted them are erased as well.
    """
    draft = turn.draft
    if not draft.groups:
        return
    erasing = isinstance(command, Withdraw) and command.erase
    touched = {each for change in draft.changes for each in _touched(draft, change)}
    about = {each.anchor_id for identity in touched for each in draft.groups_of(identity)} - {None}
    concerned = [each for anchor_id in about if anchor_id is not None for each in draft.groups_of(anchor_id)]
    concerned.sort(key=lambda each: (GROUP_KINDS.index(each.kind), each.group_id))
    lost = {key for change in draft.changes for key in _lost_keys(draft, change)}
    for group in concerned:
        entity = draft.entities.get(group.anchor_id or "")
        left = _left(draft, group, entity, lost, erasing)
        if left is None:
            draft.put("erased" if erasing or entity is None else "support lost", group, None)
        elif left != group:
            draft.put(WORDS_ERASED if erasing else "support lost", group, left)


def _left(draft: Draft, group: Group, anchor: Entity | None, lost: set[int], erasing: bool) -> Group | None:
    """What is left of a group; None if nothing is."""
    if anchor is None or anchor.merged_into is not None:
        return None
    mentions = [
        each for each in draft.mentions.get(anchor.entity_id, {}).values() if each.sensitivity <= group.sensitivity
    ]
    there = {each.source_id for each in mentions} if group.kind == "storyline" else draft.groups.keys()
    members = tuple(each for each in group.members if each in there)
    if not members:
        return None
    known = {each.segment_key for each in mentions} - lost
    stands = bool(group.summary) and known.issuperset(group.quotes) and not (erasing and members != group.members)
    if stands and members == group.members:
        return group
    if not stands:
        return replace(group, members=members, summary=None, quotes=(), dirty=_is_dirty(group, members))
    return replace(group, members=members, dirty=True)


def _is_dirty(group: Group, members: tuple[str, ...]) -> bool:
    """A group that never had a summary, because nothing could be told, does not need one now."""
    return group.dirty or bool(group.summary or group.quotes) or members != group.members


def _touched(draft: Draft, change: Change) -> Iterator[str]:
    """What groups hang on that a change may concern: entities, and segments by their key."""
    row = change.row
    if isinstance(row, Group):
        yield from filter(None, (row.anchor_id,))
    elif isinstance(row, Entity) or (isinstance(row, Mention) and change.before is not None):
        yield row.entity_id
    else:
        yield from (f"{SEGMENT}{key}" for key in _lost_keys(draft, change))


def _lost_keys(draft: Draft, change: Change) -> Iterator[int]:
    """Keys of segments whose words may not be quoted as they were: read otherwise, gone, or of a forgotten fact."""
    row = change.row
    if isinstance(row, Mention) and change.before is not None:
        yield row.segment_key
    elif isinstance(row, Fact) and isinstance(change.after, Fact) and row.status == "forgotten":
        keys = (each.segment_key for each in draft.evidence.get(row.fact_id, ()))
        yield from (key for key in keys if key is not None)
