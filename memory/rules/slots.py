"""Slots that hold one value at a time: where somebody lives, which coffee they prefer.

Their facts form one chain by valid time: each value ends where the next begins, whatever order they were heard in.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.versions import link, revise
from memory.words.predicates import single_valued


def slot_of(predicate: str | None, slot: str | None) -> tuple[str, str] | None:
    """What two rival values share, or None if the predicate holds many values at once."""
    if predicate is None or not single_valued(predicate, slot):
        return None
    return predicate, fold(slot or "")


def place_in_slot(draft: Draft, fresh: Fact, holders: Iterable[Fact], now: Instant) -> tuple[str, ...]:
    """Put a new value into the chain of its slot and return the ids of the facts it closed.

    The value before it ends where it begins. If a later value is known already, the new one was news that came late:
    it is born closed, at the beginning of the next (memory-model, "Two time axes").
    """
    chain = sorted((fact for fact in holders if fact.fact_id != fresh.fact_id), key=_order)
    earlier = [fact for fact in chain if _order(fact) < _order(fresh)]
    later = [fact for fact in chain if _order(fact) > _order(fresh)]
    closed = []
    if earlier:
        before = earlier[-1]
        if before.valid_to is None or before.valid_to > fresh.valid_from:
            revise(draft, before, "superseded", now, status="superseded", valid_to=fresh.valid_from)
            closed.append(before.fact_id)
        link(draft, "supersedes", fresh.fact_id, before.fact_id)
    if later:
        after = later[0]
        revise(draft, fresh, "superseded", now, status="superseded", valid_to=after.valid_from)
        link(draft, "supersedes", after.fact_id, fresh.fact_id)
    return tuple(closed)


def _order(fact: Fact) -> tuple[Instant, str]:
    return fact.valid_from, fact.fact_id
