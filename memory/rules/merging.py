"""Merging: two entities become one; the loser is redirected, its mentions and facts move to the winner."""

from __future__ import annotations

from dataclasses import replace

from memory.model.entities import Entity
from memory.model.ids import fold
from memory.rules.revision import Turn
from memory.rules.versions import revise


def merge_into(turn: Turn, winner: Entity, loser: Entity) -> Entity:
    """Let the winner be all that the loser was; the winner as it is then. It can be undone."""
    draft = turn.draft
    draft.put("merged away", loser, replace(loser, merged_into=winner.entity_id))
    fresh = tuple(name for name in (loser.name, *loser.aliases) if fold(name) not in winner.names)
    merged = replace(
        winner,
        aliases=(*winner.aliases, *dict.fromkeys(fresh)),
        properties={**loser.properties, **winner.properties},
        confidence=max(winner.confidence, loser.confidence),
        sensitivity=min(winner.sensitivity, loser.sensitivity),
    )
    draft.put("merged", winner, merged)
    for mention in list(draft.mentions.get(loser.entity_id, {}).values()):
        draft.put("moved by a merge", mention, None)
        known = draft.mentions.get(winner.entity_id, {}).get(mention.segment_key)
        if known is None:
            draft.put("moved by a merge", None, replace(mention, entity_id=winner.entity_id))
    for fact in list(draft.facts.values()):
        if loser.entity_id not in (fact.subject_id, fact.object_id):
            continue
        revise(
            draft,
            fact,
            "moved by a merge",
            turn.now,
            subject_id=winner.entity_id if fact.subject_id == loser.entity_id else fact.subject_id,
            object_id=winner.entity_id if fact.object_id == loser.entity_id else fact.object_id,
        )
    return merged
