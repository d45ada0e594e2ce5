"""Reinforcement: what a recall does. It is kept in one row a noun, which each law reads in its own way.

No recall changes a confidence. `stability` and `stretched` follow from the number of recalls alone; `spaced` also from
when they were. All of it is kept whatever law is set, so that a preset may change and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from memory.model.accesses import SOURCE, Access
from memory.model.commands import RecordAccess
from memory.model.groups import ROLL_UPS
from memory.model.timeline import Instant, days_between
from memory.model.working_set import Draft
from memory.rules.census import entities_of, entity_anchors, fact_anchors, facts_of, group_anchors, groups_of
from memory.rules.decay import Anchors, spaced
from memory.rules.lifecycle import recalled_state
from memory.rules.parameters import Life, Spaced
from memory.rules.versions import revise


def recalled(known: Access | None, identity: str, often: int, strength: float, now: Instant, rules: Spaced) -> Access:
    """The recalls of something after `often` more at `now`, when the spaced law gave it this strength (seed 002).

    However many recalls one batch brings, they are one occasion: they have no intervals between them.
    """
    value = min(1.0, strength + rules.alpha * often)
    if known is None:
        return Access(identity, often, now, value, rules.gradient)
    interval = days_between(known.last_at, now)
    step = rules.gradient_up * (interval > known.interval_days) - rules.gradient_down * (interval < known.interval_days)
    gradient = min(rules.gradient_most, max(rules.gradient_least, known.gradient + step))
    return Access(identity, known.count + often, now, value, round(gradient, 6), interval)


def record_access(draft: Draft, command: RecordAccess, now: Instant, life: Life) -> None:
    """Count a batch of recalls, and let what they make active, core or active again be so at once.

    What is not there any more is passed over; an entity that was merged counts as the one it is now.
    """
    often = dict(command.accessed)
    facts = [each for each in often if each in draft.facts]
    entities = [each for each in often if each in draft.entities and draft.entities[each].merged_into is None]
    groups = [each for each in often if each in draft.groups and draft.groups[each].kind in ROLL_UPS]
    held = draft.base
    _count(draft, facts, often, fact_anchors(facts_of(held, facts), life), now, life)
    _count(draft, entities, often, entity_anchors(entities_of(held, entities), now, life), now, life)
    _count(draft, groups, often, group_anchors(groups_of(held, groups), "spaced"), now, life)
    sources = {f"{SOURCE}{identity}": count for identity, count, _ in command.sources}
    began = np.array([at for _, _, at in command.sources], np.float64)
    _count(draft, list(sources), sources, _source_anchors(draft, list(sources), began), now, life)
    _promote(draft, facts, entities, now, life)
    _bring_back(draft, groups, life)


def _source_anchors(draft: Draft, ids: list[str], began: np.ndarray) -> Anchors:
    known = [draft.accesses.get(each) for each in ids]
    return Anchors.of(
        len(ids),
        heard_at=began,
        confidence=np.nan,
        count=[each.count if each else 0 for each in known],
        accessed_at=[each.last_at if each else 0.0 for each in known],
        value=[each.value if each else 0.0 for each in known],
        gradient=[each.gradient if each else 1.0 for each in known],
    )


def _count(draft: Draft, ids: list[str], often: Mapping[str, int], anchors: Anchors, now: Instant, life: Life) -> None:
    strengths = spaced(anchors, now, life.decay)
    for identity, strength in zip(ids, strengths.tolist(), strict=True):
        known = draft.accesses.get(identity)
        after = recalled(known, identity, often[identity], strength, now, life.decay.spaced)
        draft.put("recalled", known, after)


def _promote(draft: Draft, facts: list[str], entities: list[str], now: Instant, life: Life) -> None:
    for identity in facts:
        fact = draft.facts[identity]
        state = recalled_state(fact.state, draft.accesses[identity].count, life.lifecycle)
        if state != fact.state and fact.status == "active":
            revise(draft, fact, f"{fact.state} to {state}", now, state=state)
    for identity in entities:
        entity = draft.entities[identity]
        state = recalled_state(entity.state, draft.accesses[identity].count, life.lifecycle)
        if state != entity.state and not entity.is_owner:
            draft.put(f"{entity.state} to {state}", entity, replace(entity, state=state))


def _bring_back(draft: Draft, groups: list[str], life: Life) -> None:
    for identity in groups:
        group = draft.groups[identity]
        state = recalled_state(group.state, draft.accesses[identity].count, life.lifecycle)
        if state != group.state:
            draft.put(f"{group.state} to {state}", group, replace(group, state=state))
