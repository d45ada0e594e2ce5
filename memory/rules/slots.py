"""Slots that hold one value at a time: where somebody lives, which coffee they prefer.

Their facts form one chain by valid time, a function of what was asserted and for when, not of the order in which it was
heard: each value holds from its first assertion up to the next other value's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from memory.model.facts import Evidence, Fact
from memory.model.ids import fact_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.agreement import thing
from memory.rules.parameters import Revision
from memory.rules.versions import link, revise
from memory.words.predicates import single_valued


@dataclass(frozen=True, slots=True)
class Place:
    """Between which values of a chain an assertion falls. Both are the same fact if it falls within one value."""

    before: Fact | None
    after: Fact | None


def slot_of(predicate: str | None, slot: str | None) -> tuple[str, str] | None:
    """What two rival values share, or None if the predicate holds many values at once."""
    if predicate is None or not single_valued(predicate, slot):
        return None
    return predicate, fold(slot or "")


def chain_of(draft: Draft, subject_id: str, slot: tuple[str, str], level: Sensitivity) -> list[Fact]:
    """The values a slot has or had by words of one sensitivity, by valid time. A corrected one is none of them."""
    facts = (draft.facts[each] for each in draft.by_predicate.get((subject_id, slot[0]), ()))
    held = (
        each
        for each in facts
        if each.sensitivity == level
        and each.believed
        and each.polarity
        and each.object
        and slot_of(each.predicate, each.slot) == slot
    )
    return sorted(held, key=order_of)


def place_of(draft: Draft, chain: Sequence[Fact], since: Instant, value: str | None) -> Place:
    """Where the assertion of a value for a moment falls.

    Two values for one moment stand in the order of the alphabet: by their ids, whoever heard of them first, and from
    whom, would decide.
    """
    before = after = None
    here = (since, thing(value))
    nearest = furthest = here
    for fact in chain:
        for moment in _moments(draft, fact):
            point = (moment, thing(fact.object))
            if point <= here and (before is None or point > nearest):
                before, nearest = fact, point
            elif point > here and (after is None or point < furthest):
                after, furthest = fact, point
    return Place(before, after)


def has_ended(fact: Fact, since: Instant, after: Fact | None) -> bool:
    """Whether a value is known to have ended before this moment, and not merely because another took its place."""
    if fact.valid_to is None or fact.valid_to > since:
        return False
    return after is None or fact.valid_to < after.valid_from


def place_in_slot(draft: Draft, fresh: Fact, holders: Iterable[Fact], now: Instant) -> tuple[str, ...]:
    """Put a new value into the chain of its slot and return the ids of the facts it closed.

    The value before it ends where it begins. If a later value is known already, the new one was news that came late:
    it is born closed, at the beginning of the next (memory-model, "Two time axes").
    """
    chain = sorted((fact for fact in holders if fact.fact_id != fresh.fact_id), key=order_of)
    earlier = [fact for fact in chain if order_of(fact) < order_of(fresh)]
    later = [fact for fact in chain if order_of(fact) > order_of(fresh)]
    closed = close_before(draft, earlier[-1], fresh, now) if earlier else ()
    if later:
        after = later[0]
        ends = after.valid_from if fresh.valid_to is None else min(fresh.valid_to, after.valid_from)
        revise(draft, fresh, "superseded", now, status="superseded", valid_to=ends)
        link(draft, "supersedes", after.fact_id, fresh.fact_id)
    return closed


def close_before(draft: Draft, before: Fact, fresh: Fact, now: Instant) -> tuple[str, ...]:
    """End a value where the next begins, unless it ended earlier; its id if that changed it."""
    link(draft, "supersedes", fresh.fact_id, before.fact_id)
    if before.valid_to is not None and before.valid_to <= fresh.valid_from:
        return ()
    revise(draft, before, "superseded", now, status="superseded", valid_to=max(before.valid_from, fresh.valid_from))
    return (before.fact_id,)


def split_at(draft: Draft, fact: Fact, since: Instant, value: str | None, now: Instant, rules: Revision) -> None:
    """Let what was taken for one stretch of a value be two, before and after a moment at which another one held.

    The words that vouch for later moments go to the later fact. The part in which the fact was first heard keeps its
    id, and each has the confidence of its own sources.
    """
    evidence = draft.evidence.get(fact.fact_id, ())
    here = (since, thing(value))
    late = tuple(each for each in evidence if (each.since, thing(fact.object)) > here)
    early = tuple(each for each in evidence if each not in late)
    began = min(each.since for each in late)
    # an end that lies before the late words, as an event may set it, is the end of what the early ones told
    over = fact.valid_to is not None and fact.valid_to < began
    ends = fact.valid_to if over else began
    spans: dict[tuple[Evidence, ...], dict[str, Any]] = {
        early: {"valid_from": fact.valid_from, "valid_to": ends, "status": "superseded"},
        late: {"valid_from": began, "valid_to": None if over else fact.valid_to,
               "status": "active" if over else fact.status},
    }  # fmt: skip
    if not early:  # no words vouch for the earlier part by themselves: one source said both, and the later stands
        revise(draft, fact, "split", now, **spans[late])
        return
    leaving, staying = (early, late) if any(_born_of(draft, fact, each) for each in late) else (late, early)
    first = min(leaving, key=lambda each: (each.since, each.source_id))
    identity = fact_id(draft.user_id, f"{first.source_id}/{first.segment_key}", fact.statement)
    for each in leaving:
        draft.put("split", each, None)
        draft.put("split", None, replace(each, fact_id=identity))
    kept = revise(draft, fact, "split", now, confidence=_confidence(fact, staying, rules), **spans[staying])
    goes: dict[str, Any] = {"confidence": _confidence(fact, leaving, rules), **spans[leaving]}
    known = draft.facts.get(identity)
    if known is not None:
        revise(draft, known, "split", now, **(_joined(known, goes) if known.believed else goes))
    else:
        draft.put("split", None, replace(kept, fact_id=identity, version=1, updated_at=None, **goes))
    _relink(draft, fact.fact_id, identity, leaving is early)


def _joined(known: Fact, part: dict[str, Any]) -> dict[str, Any]:
    """A part that comes to a fact of its own words, which had stood for itself: together they hold as long as both."""
    ends = [(inf if end is None else end, status) for end, status in (
        (known.valid_to, known.status), (part["valid_to"], part["status"])
    )]  # fmt: skip
    end, status = max(ends)
    return {
        "confidence": max(known.confidence, part["confidence"]),
        "valid_from": min(known.valid_from, part["valid_from"]),
        "valid_to": None if end == inf else end,
        "status": status,
    }


def _relink(draft: Draft, fact_id: str, part_id: str, is_early: bool) -> None:
    """What came before a split fact stands before its early part, and what came after it after the late one."""
    for other in [each for each in draft.links if each.kind == "supersedes" and fact_id in (each.from_id, each.to_id)]:
        if part_id in (other.from_id, other.to_id):
            continue
        if is_early and other.from_id == fact_id:
            link(draft, "supersedes", part_id, other.to_id)
        if not is_early and other.to_id == fact_id:
            link(draft, "supersedes", other.from_id, part_id)


def _confidence(fact: Fact, evidence: Sequence[Evidence], rules: Revision) -> float:
    """What a part of a fact is worth by itself: never more than the whole."""
    sources = len({each.source_id for each in evidence})
    return min(fact.confidence, round(rules.first_confidence + rules.reinforce_by * (sources - 1), 6))


def _born_of(draft: Draft, fact: Fact, evidence: Evidence) -> bool:
    return fact.fact_id == fact_id(draft.user_id, f"{evidence.source_id}/{evidence.segment_key}", fact.statement)


def _moments(draft: Draft, fact: Fact) -> set[Instant]:
    """The moments for which its words vouch; its beginning is one of them."""
    evidence = draft.evidence.get(fact.fact_id, ())
    return {fact.valid_from, *(each.since for each in evidence if each.since > fact.valid_from)}


def order_of(fact: Fact) -> tuple[Instant, tuple[str, ...], str]:
    """The place of a value in its slot: since when, then what it is."""
    return fact.valid_from, thing(fact.object), fact.fact_id
