"""Following: storylines and macros go with the entity they are about, where two become one or one becomes two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory.model.entities import Entity
from memory.model.groups import MACRO, STORYLINE, Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft

_NEARER = ("archived", "candidate", "active", "core")
"""States from the least to the most at hand."""


def follow_merge(draft: Draft, loser: Entity, winner: Entity) -> None:
    """Let what is about the loser be about the winner, once its mentions have moved.

    Two storylines that were open at one time become the earlier of them, as if both had been told of one entity. So do
    two of which the later goes on where loose sources of the other entity have kept the earlier one open. A macro of a
    winner that has one is left behind, and the winner's holds all storylines from the next Sunday on. The owner has
    none.
    """
    if winner.is_owner:
        return
    for level in sorted({each.sensitivity for each in _about(draft, loser.entity_id)}):
        moved = [each for each in _about(draft, loser.entity_id) if each.sensitivity == level]
        own = [each for each in _about(draft, winner.entity_id) if each.sensitivity == level]
        for group in moved:
            if group.kind == STORYLINE or all(each.kind != MACRO for each in own):
                draft.put("moved by a merge", group, replace(group, anchor_id=winner.entity_id, dirty=True))
        lines = [each for each in (*moved, *own) if each.kind == STORYLINE]
        _join(draft, lines, _loose(draft, winner.entity_id, level, lines))


def follow_split(draft: Draft, entity: Entity, fresh: Entity) -> None:
    """Let each storyline be about the one of the two of whom more of its sources tell; about the old one in doubt."""
    for group in _about(draft, entity.entity_id):
        stayed, went = (len(_told_in(draft, each, group)) for each in (entity.entity_id, fresh.entity_id))
        if group.kind == STORYLINE and went > stayed:
            draft.put("split off", group, replace(group, anchor_id=fresh.entity_id, dirty=True))


def _about(draft: Draft, entity_id: str) -> list[Group]:
    return [each for each in draft.groups_of(entity_id) if each.anchor_id == entity_id]


def _told_in(draft: Draft, entity_id: str, group: Group) -> dict[str, float]:
    """The sources of a group that tell of an entity up to its level, and when each first does."""
    told: dict[str, float] = {}
    for each in draft.mentions.get(entity_id, {}).values():
        if each.source_id in group.members and each.sensitivity <= group.sensitivity:
            told[each.source_id] = min(each.at, told.get(each.source_id, each.at))
    return told


def _loose(draft: Draft, entity_id: str, level: Sensitivity, lines: Iterable[Group]) -> list[Instant]:
    """When each source began to tell of an entity, up to a level, that is in none of these storylines; in order."""
    held = {each for line in lines for each in line.members}
    told: dict[str, Instant] = {}
    for each in draft.mentions.get(entity_id, {}).values():
        if each.source_id not in held and each.sensitivity <= level:
            told[each.source_id] = min(each.at, told.get(each.source_id, each.at))
    return sorted(told.values())


def _join(draft: Draft, lines: Iterable[Group], loose: Sequence[Instant]) -> None:
    """Let storylines become one where those of two entities were open at one time; `lines` as they were before.

    Those that `loose` sources lead from one to the other are one as well, whosever they were.
    """
    kept: Group | None = None
    of: set[str | None] = set()
    for line in sorted(lines, key=lambda each: (each.first_at or 0.0, each.group_id)):
        standing = draft.groups[line.group_id]
        both = kept is not None and _open_at_once(kept, standing) and of != {line.anchor_id}
        if kept is not None and (both or _led_to(kept, standing, loose)):
            joined = _joined(draft, kept, standing)
            draft.put("joined by a merge", kept, joined)
            draft.put("joined by a merge", standing, None)
            kept, of = joined, of | {line.anchor_id}
        else:
            kept, of = standing, {line.anchor_id}


def _open_at_once(earlier: Group, later: Group) -> bool:
    return earlier.closed_at is None or (later.first_at or 0.0) < earlier.closed_at


def _led_to(earlier: Group, later: Group, loose: Sequence[Instant]) -> bool:
    """Whether sources between two storylines have kept the earlier one open until the later one began.

    The night lets them join, for they lie within the one that the two become.
    """
    if earlier.closed_at is None or earlier.last_at is None or later.first_at is None:
        return False
    silent, reach = earlier.closed_at - earlier.last_at, earlier.last_at
    for at in loose:
        reach = at if reach < at < min(reach + silent, later.first_at) else reach
    return reach > earlier.last_at and later.first_at >= earlier.closed_at and later.first_at - reach < silent


def _joined(draft: Draft, earlier: Group, later: Group) -> Group:
    """The earlier one with the sources of both; its summary stands until the night writes another."""
    members = tuple(dict.fromkeys((*earlier.members, *later.members)))
    told = _told_in(draft, earlier.anchor_id or "", replace(earlier, members=members))
    ends = [each.closed_at for each in (earlier, later)]
    return replace(
        earlier,
        members=tuple(sorted(members, key=lambda each: (told.get(each, 0.0), each))),
        sources=len(members),
        last_at=max(each.last_at or 0.0 for each in (earlier, later)),
        closed_at=None if None in ends else max(each for each in ends if each is not None),
        state=max(earlier.state, later.state, key=_NEARER.index),
        dirty=True,
    )
