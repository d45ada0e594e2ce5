"""Slots that hold one value at a time: where somebody lives, which coffee they prefer.

Their facts form one chain by valid time, a function of what was asserted and for when, not of the order in which it was
heard: each value holds from its first assertion up to the first that speaks against it, which is another value, a
denial of this one or an event that ends it. A denial holds up to where its value is affirmed again, and puts nothing in
its place. An event speaks for the moment at which it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.model.changes import key_of
from memory.model.claims import Claim
from memory.model.facts import AGAINST, Evidence, Fact, moments_of
from memory.model.ids import fact_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.ending import concerns, moment_of
from memory.rules.parameters import Revision
from memory.rules.turn import TurnState
from memory.rules.versions import link, revise
from memory.words.points import Point, thing
from memory.words.predicates import closers, closes, named, single_valued


@dataclass(frozen=True, slots=True)
class SlotPosition:
    """Between which facts of a chain an assertion falls. Both are the same fact if it falls within one stretch."""

    before: Fact | None
    after: Fact | None


def slot_of(said: Claim | Fact) -> tuple[str, str] | None:
    """The slot of which this is a value, or denies one; None if its predicate holds many values at once.

    An event has no denials here: what did not happen one day may happen the next.
    """
    row = named(said.predicate)
    if row is None or said.predicate is None or not (said.object and single_valued(said.predicate, said.slot)):
        return None
    return (said.predicate, fold(said.slot or "")) if said.polarity or row.tense == "state" else None


def chain_of(draft: Draft, subject_id: str, slot: tuple[str, str] | None, level: Sensitivity) -> list[Fact]:
    """The values a slot has or had by words of one sensitivity, and their denials, by valid time.

    What was corrected is none of them.
    """
    if slot is None:
        return []
    facts = (draft.facts[each] for each in draft.by_predicate.get((subject_id, slot[0]), ()))
    return sorted(
        (each for each in facts if each.sensitivity == level and each.believed and slot_of(each) == slot), key=order_of
    )


def contrary(one: Claim | Fact, other: Fact) -> bool:
    """Whether two assertions of one slot cannot hold at once: two values, or a value and its denial."""
    same = thing(one.object) == thing(other.object)
    return one.polarity != other.polarity if same else one.polarity and other.polarity


def says(fact: Fact, said: Claim | Fact) -> bool:
    """Whether a fact says the same of its slot."""
    return thing(fact.object) == thing(said.object) and fact.polarity == said.polarity


def place_of(draft: Draft, chain: Sequence[Fact], since: Instant, claim: Claim) -> SlotPosition:
    """Where the assertion of a value, or of its denial, for a moment falls among those it is or speaks against."""
    here = (since, thing(claim.object), claim.polarity)
    near = assertions_of(draft, [each for each in chain if contrary(claim, each) or says(each, claim)])
    before = [fact for point, fact in near if point <= here]
    after = [fact for point, fact in near if point > here]
    return SlotPosition(before[-1] if before else None, after[0] if after else None)


def has_ended(fact: Fact, since: Instant, after: Fact | None) -> bool:
    """Whether a value is known to have ended before this moment, and not merely because another took its place."""
    if fact.valid_to is None or fact.valid_to > since:
        return False
    return after is None or fact.valid_to < after.valid_from


def settle(turn: TurnState, fact: Fact) -> tuple[str, ...]:
    """Let everything in the slot of a fact, and in those an event may end, end where the first assertion against it is.

    The ids of what it closed are returned. What was taken for one stretch though it was contradicted in between becomes
    two. An end that lies before, as words of its own may set it, stays: this only ever takes away.
    """
    draft, closed = turn.draft, list[str]()
    for slot in _slots_about(draft, fact):
        about = (fact.subject_id, slot, fact.sensitivity)
        found = _contradicted(draft, *about)
        while (torn := next(((each.fact, each.gap) for each in found if each.gap is not None), None)) is not None:
            split_at(draft, *torn, turn.now, turn.rules)
            found = _contradicted(draft, *about)
        closed += [each.fact.fact_id for each in found if _close(draft, each, turn.now)]
    return tuple(closed)


def _slots_about(draft: Draft, fact: Fact) -> list[tuple[str, str]]:
    """The slot of a fact, if it has one, and those of the states that an event ends, or had ended before it went."""
    ids = (each for name in closes(fact.predicate) for each in draft.by_predicate.get((fact.subject_id, name), ()))
    near = (state for state in map(draft.facts.__getitem__, ids) if state.sensitivity == fact.sensitivity)
    slots = (slot_of(fact), *(slot_of(state) for state in near if fact.status != "active" or concerns(fact, state)))
    return [slot for slot in dict.fromkeys(slots) if slot is not None]


@dataclass(frozen=True, slots=True)
class _Contradicted:
    """A fact, and whose the first assertion against it is."""

    fact: Fact
    by: Fact
    successor: Fact | None
    """The first of its slot that speaks against it, which takes its place though an event may have ended it."""
    gap: Point | None
    """The last assertion against it before its own last. A split there moves the fewest words."""


def _contradicted(draft: Draft, subject_id: str, slot: tuple[str, str], level: Sensitivity) -> list[_Contradicted]:
    chain = chain_of(draft, subject_id, slot, level)
    events = _events(draft, subject_id, slot, level) if chain else []
    asserted = sorted([*assertions_of(draft, chain), *events], key=lambda each: (each[0], each[1].fact_id))
    places, of_thing = defaultdict[str, list[int]](list), defaultdict[tuple[str, ...], list[int]](list)
    for place, (_, fact) in enumerate(asserted):
        places[fact.fact_id].append(place)
        of_thing[thing(fact.object)].append(place)
    found = []
    for fact in chain:
        first, last = places[fact.fact_id][0], places[fact.fact_id][-1]
        # only who affirms the same speaks against a denial: hundreds of them are not compared with one another
        among: Sequence[int] = range(len(asserted)) if fact.polarity else of_thing[thing(fact.object)]
        later = among[bisect_right(among, first) :]
        against = (asserted[each][1] for each in later if _against(fact, asserted[each][1]))
        if (by := next(against, None)) is None:
            continue
        own = by.predicate == fact.predicate
        successor = by if own else next((each for each in against if each.predicate == fact.predicate), None)
        within = reversed(among[bisect_right(among, first) : bisect_left(among, last)]) if last > first else ()
        gap = next((asserted[each][0] for each in within if _against(fact, asserted[each][1])), None)
        found.append(_Contradicted(fact, by, successor, gap))
    return found


def _events(draft: Draft, subject_id: str, slot: tuple[str, str], level: Sensitivity) -> list[tuple[Point, Fact]]:
    """The events that may end the values of a slot, each as the one assertion that it is."""
    ids = (each for name in closers(slot[0]) for each in draft.by_predicate.get((subject_id, name), ()))
    facts = (draft.facts[each] for each in ids)
    return [(moment_of(fact), fact) for fact in facts if fact.sensitivity == level]


def _against(fact: Fact, other: Fact) -> bool:
    """Whether an assertion of its slot, or an event, speaks against a fact."""
    return contrary(fact, other) if fact.predicate == other.predicate else concerns(other, fact)


def assertions_of(draft: Draft, chain: Sequence[Fact]) -> list[tuple[Point, Fact]]:
    """Every assertion of some facts of a slot, in its order, and whose it is."""
    every = ((point, fact.fact_id, fact) for fact in chain for point in points_of(draft, fact))
    return [(point, fact) for point, _, fact in sorted(every, key=lambda each: each[:2])]


def _close(draft: Draft, found: _Contradicted, now: Instant) -> bool:
    """End a fact where the first assertion against it begins, unless it ended earlier; whether that changed it."""
    before, after = found.fact, found.by
    for newer in (after, found.successor or after):
        link(draft, "supersedes", newer.fact_id, before.fact_id)
    if before.valid_to is not None and before.valid_to <= after.valid_from:
        return False
    revise(draft, before, "superseded", now, status="superseded", valid_to=max(before.valid_from, after.valid_from))
    return True


def split_at(draft: Draft, fact: Fact, here: Point, now: Instant, rules: Revision) -> None:
    """Let what was taken for one stretch of a value be two, before and after an assertion against it.

    The words that vouch for later moments go to the later fact; what one segment said of both moments vouches for both.
    The part in which the fact was first heard keeps its id, and each has the confidence of its own sources.
    """
    evidence = draft.evidence.get(fact.fact_id, ())
    early, late = _apart(fact, evidence, here)
    began = min(each.moments[0] for each in late)
    # an end that lies before the late words, as an event may set it, is the end of what the early ones told
    over = fact.valid_to is not None and fact.valid_to < began
    ends = fact.valid_to if over else began
    spans: dict[tuple[Evidence, ...], dict[str, Any]] = {
        early: {"valid_from": fact.valid_from, "valid_to": ends, "status": "superseded"},
        late: {
            "valid_from": began,
            "valid_to": None if over else fact.valid_to,
            "status": "active" if over else fact.status,
        },
    }
    if not early:  # it was heard before moments were kept, and whose words told its beginning is not known
        revise(draft, fact, "split", now, **spans[late])
        return
    leaving, staying = (early, late) if any(_born_of(draft, fact, each) for each in late) else (late, early)
    identity = free_id(draft, min(leaving, key=lambda each: (each.moments, each.source_id)), fact.statement)
    _share(draft, evidence, staying)
    for each in leaving:
        draft.put("split", None, replace(each, fact_id=identity))
    kept = revise(draft, fact, "split", now, confidence=_confidence(fact, staying, rules), **spans[staying])
    goes: dict[str, Any] = {"confidence": _confidence(fact, leaving, rules), **spans[leaving]}
    known = draft.facts.get(identity)
    if known is None:
        draft.put("split", None, replace(kept, fact_id=identity, version=1, updated_at=None, **goes))
    else:  # it was taken back or undone, and may have been another's
        unlink(draft, known, goes["valid_from"])
        revise(draft, known, "split", now, subject_id=fact.subject_id, object_id=fact.object_id, **goes)
    for part in (fact.fact_id, identity):
        unfollow(draft, draft.facts[part])


def _apart(fact: Fact, evidence: Sequence[Evidence], here: Point) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """The words that vouch for moments before an assertion, and for later ones; some vouch for both."""
    early = ((each, [moment for moment in each.moments if _point(fact, moment) <= here]) for each in evidence)
    late = ((each, [moment for moment in each.moments if _point(fact, moment) > here]) for each in evidence)
    before, after = (tuple(each.telling(told) for each, told in part if told) for part in (early, late))
    return before, after


def _share(draft: Draft, evidence: Sequence[Evidence], staying: Sequence[Evidence]) -> None:
    """Leave with a fact only what of its words is to stay."""
    left = {key_of(each): each for each in staying}
    for each in evidence:
        if each != left.get(key_of(each)):
            draft.put("split", each, left.get(key_of(each)))


def unfollow(draft: Draft, fact: Fact) -> None:
    """Forget that a fact had given way to what, as is now known, came before it."""
    for each in [each for each in draft.links_of(fact.fact_id) if each.kind == "supersedes"]:
        newer = draft.facts.get(each.from_id)
        if newer is None or newer.fact_id == fact.fact_id or newer.sensitivity != fact.sensitivity:
            continue
        began = order_of(newer)[0] if newer.predicate == fact.predicate else moment_of(newer)
        if began < order_of(fact)[0]:
            draft.put("unlinked", each, None)


def unlink(draft: Draft, fact: Fact, since: Instant) -> None:
    """Forget what a fact had followed or given way to, when it begins anew and that may no longer be.

    In a slot all of it is found anew; elsewhere nothing takes the place of what begins later.
    """
    for each in [each for each in draft.links_of(fact.fact_id) if each.kind in AGAINST]:
        ends = (draft.facts.get(end) for end in (each.from_id, each.to_id))
        newer, older = (since if end is None or end.fact_id == fact.fact_id else end.valid_from for end in ends)
        if newer <= older or slot_of(fact) is not None:
            draft.put("unlinked", each, None)


def free_id(draft: Draft, words: Evidence, statement: str) -> str:
    """The id of a fact that begins with these words: that of one first heard there, unless it stands already.

    One segment may say the same of two moments with other values in between.
    """
    place = f"{words.source_id}/{words.segment_key}"
    identity = fact_id(draft.user_id, place, statement)
    while (known := draft.facts.get(identity)) is not None and known.believed:
        place = f"{place}@{words.since}"
        identity = fact_id(draft.user_id, place, statement)
    return identity


def _confidence(fact: Fact, evidence: Sequence[Evidence], rules: Revision) -> float:
    """What a part of a fact is worth by itself: never more than the whole."""
    sources = len({each.source_id for each in evidence})
    return min(fact.confidence, round(rules.first_confidence + rules.reinforce_by * (sources - 1), 6))


def _born_of(draft: Draft, fact: Fact, evidence: Evidence) -> bool:
    return fact.fact_id == fact_id(draft.user_id, f"{evidence.source_id}/{evidence.segment_key}", fact.statement)


def points_of(draft: Draft, fact: Fact) -> list[Point]:
    """The assertions of a fact, in order: its beginning, and what else its words vouch for."""
    return [_point(fact, each) for each in moments_of(fact, draft.evidence.get(fact.fact_id, ()))]


def _point(fact: Fact, moment: Instant) -> Point:
    return moment, thing(fact.object), fact.polarity


def order_of(fact: Fact) -> tuple[Point, str]:
    """The place of a fact in its slot: since when, then what it is."""
    return _point(fact, fact.valid_from), fact.fact_id
