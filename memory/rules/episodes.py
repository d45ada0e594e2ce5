"""Episodes: facts that were told in gathered sources alone, and consolidations that a storyline holds as well.

What a consolidation or a storyline tells need not be at hand twice. It is archived, and so left out of lists and of
searches of facts; its words are found as ever, and bring it back (seed 002: the consolidated is archived, yet
openable).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory.model.entities import STATES
from memory.model.groups import CONSOLIDATION, STORYLINE, Group
from memory.model.working_set import WorkingSet

AT_HAND, ARCHIVED = STATES[1], STATES[3]


def gathered_facts(believed: WorkingSet) -> frozenset[str]:
    """Ids of the facts of which every source was gathered and which no consolidation names as an insight.

    A consolidation that is more sensitive than a fact changes nothing about it.
    """
    level: dict[str, int] = {}
    named: dict[str, int] = {}
    for group in (each for each in believed.groups.values() if each.kind == CONSOLIDATION):
        for table, ids in ((level, group.members), (named, group.facts)):
            table |= {each: min(group.sensitivity, table.get(each, group.sensitivity)) for each in ids}
    found = set()
    for fact_id, grounds in believed.evidence.items():
        own = believed.facts[fact_id].sensitivity
        there = all(each.source_id in level and level[each.source_id] <= own for each in grounds)
        if grounds and there and not named.get(fact_id, own + 1) <= own:
            found.add(fact_id)
    return frozenset(found)


def with_state(consolidation: Group, storylines: Iterable[Group]) -> Group:
    """A consolidation, archived as long as a storyline at hand of its anchor and level tells of all of its sources."""
    held = any(
        each.anchor_id == consolidation.anchor_id
        and each.sensitivity == consolidation.sensitivity
        and set(each.members).issuperset(consolidation.members)
        for each in storylines
        if each.kind == STORYLINE and each.state != ARCHIVED and each.summary
    )
    return replace(consolidation, state=ARCHIVED if held and consolidation.members else AT_HAND)
