"""Merging: two entities become one; the loser is redirected, its mentions and facts move to the winner."""

from __future__ import annotations

from dataclasses import replace

from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.rules.across import settle_slots
from memory.rules.following import follow_merge
from memory.rules.turn import TurnState
from memory.rules.versions import revise


def merge_into(turn: TurnState, winner: Entity, loser: Entity) -> Entity:
    """Let the winner be all that the loser was; the winner as it is then. It can be undone.

    A loser that is known only from more sensitive words brings its mentions and its facts, but none of its names.
    """
    draft, merged = turn.draft, winner
    draft.put("merged away", loser, replace(loser, merged_into=winner.entity_id))
    if loser.sensitivity <= winner.sensitivity:
        fresh = tuple(name for name in (loser.name, *loser.aliases) if fold(name) not in winner.names)
        merged = replace(
            winner,
            aliases=(*winner.aliases, *dict.fromkeys(fresh)),
            properties={**loser.properties, **winner.properties},
            confidence=max(winner.confidence, loser.confidence),
        )
        draft.put("merged", winner, merged)
    for mention in list(draft.mentions.get(loser.entity_id, {}).values()):
        draft.put("moved by a merge", mention, None)
        known = draft.mentions.get(winner.entity_id, {}).get(mention.segment_key)
        if known is None:
            draft.put("moved by a merge", None, replace(mention, entity_id=winner.entity_id))
    concerned = [each for each in draft.facts.values() if loser.entity_id in (each.subject_id, each.object_id)]
    moved = [move(turn, fact, loser.entity_id, winner.entity_id, "moved by a merge") for fact in concerned]
    settle_slots(turn, moved)
    follow_merge(draft, loser, winner)
    return merged


def move(turn: TurnState, fact: Fact, from_id: str, to_id: str, reason: str) -> Fact:
    """Let a fact speak of another entity wherever it spoke of this one."""
    return revise(
        turn.draft,
        fact,
        reason,
        turn.now,
        subject_id=to_id if fact.subject_id == from_id else fact.subject_id,
        object_id=to_id if fact.object_id == from_id else fact.object_id,
    )
