"""Revision: what becomes of a claim when it meets what is already believed (decision 0061, 9 and 10).

In this order: said before, a slot that holds one value, a disagreement, a reinforcement, and else a new fact.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.facts import Evidence, Fact
from memory.model.ids import fact_id, fold
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules import across, slots
from memory.rules.agreement import agrees, opposes, rules_out
from memory.rules.contrary import Contrary, contraries
from memory.rules.ending import end, end_states
from memory.rules.reopening import begin_earlier
from memory.rules.rivals import Rival
from memory.rules.turn import ClaimOrigin, Meeting, TurnState
from memory.rules.versions import link, revise, support, supporting_sources
from memory.words.points import thing
from memory.words.predicates import closes, opposite


def believe(turn: TurnState, claim: Claim, subject_id: str, object_id: str | None, origin: ClaimOrigin) -> Outcome:
    """Bring one claim into the draft and say what became of it.

    It meets the facts of its own sensitivity; with those of others it is linked, and none of them changes.
    """
    identity = fact_id(turn.draft.user_id, origin.key, claim.statement)
    met, mark = Meeting(claim, subject_id, object_id, origin, identity), len(turn.draft.changes)
    outcome = _by_likeness(turn, met) if turn.rules.manner == "likeness" else _by_meaning(turn, met)
    across.link_levels(turn, met, turn.draft.facts[outcome.fact_id], turn.draft.changes[mark:])
    return outcome


def _by_meaning(turn: TurnState, met: Meeting) -> Outcome:
    claim = met.claim
    slot = slots.slot_of(claim)
    if slot is not None:
        return _change(turn, met, slot)
    known = _same_statement(turn.draft, met)
    if known is not None:
        return _reinforce(turn, known, met)
    denied = _opposed(turn, met)
    rivals = rivals_of(turn, met)
    if not denied and (known := same_meaning(turn, met, rivals)) is not None:
        return _reinforce(turn, known, met)
    against = [] if denied else contraries(turn, met, rivals)
    fresh = _create(turn, met)
    relate(turn, fresh, rivals)
    if denied:
        return _turn_about(turn, fresh, denied) if claim.change else _disagree(turn, fresh, denied)
    ended = tuple(dict.fromkeys((*end_states(turn, fresh), *slots.settle(turn, fresh))))
    found = apply_verdicts(turn, fresh, against) if against else None
    return found or Outcome(fresh.fact_id, "superseded" if ended else "created", ended)


def _create(turn: TurnState, met: Meeting) -> Fact:
    """A new fact, or an old one of the same place and words that is believed again."""
    draft, claim, origin = turn.draft, met.claim, met.origin
    earlier = draft.facts.get(met.fact_id)
    first = turn.rules.first_confidence if claim.confidence is None else claim.confidence
    if earlier is not None:
        anew = {"valid_from": min(earlier.valid_from, met.since)}
        if met.fact_id not in draft.evidence:
            confirmed = earlier.protected and earlier.confidence == 1.0  # what a person said of it is still so
            anew = {"valid_from": met.since, "confidence": 1.0 if confirmed else first}
        again: dict[str, Any] = {"status": "active", "state": "active", "valid_to": claim.valid_to, **anew}
        again |= {"judged_by": judged_by(turn, met)}
        slots.unlink(draft, earlier, anew["valid_from"])
        fact = revise(draft, earlier, "affirmed again", turn.now, **again)
    else:
        fact = Fact(
            fact_id=met.fact_id,
            version=1,
            subject_id=met.subject_id,
            statement=claim.statement,
            kind=claim.kind,
            importance=min(10, max(1, claim.importance)),
            confidence=first,
            valid_from=met.since,
            valid_to=claim.valid_to,
            system_from=turn.now,
            predicate=claim.predicate,
            object=claim.object,
            object_id=met.object_id,
            slot=claim.slot,
            polarity=claim.polarity,
            judged_by=judged_by(turn, met),
            sensitivity=origin.sensitivity,
        )
        draft.put("created", None, fact)
    turn.born[met.fact_id] = claim.statement
    support(draft, _evidence_of(met.fact_id, met))
    return fact


IN_PLACE = "rules for "
"""Before the name of a judge that failed, in whose place the rules have decided."""


def judged_by(turn: TurnState, met: Meeting) -> str:
    """Who decided what became of a claim: its reader, a judge outside, or the rules where that judge failed."""
    judging = turn.judging
    if judging is None:
        return met.origin.judged_by
    if any(question.fact_id == met.fact_id for question in turn.asked):
        return f"{IN_PLACE}{judging.judge}"
    judges = (each.judge for each in judging.verdicts if each.fact_id == met.fact_id)
    return next(judges, met.origin.judged_by)


def _evidence_of(identity: str, met: Meeting) -> Evidence:
    origin = met.origin
    holds_from = None if met.since == origin.at else met.since
    return Evidence(
        identity, origin.source_id, origin.segment_key, met.claim.quote, origin.at, origin.revision, holds_from
    )


def _same_statement(draft: Draft, met: Meeting) -> Fact | None:
    """An active fact of the subject in the very same words and polarity."""
    ids = draft.by_words.get((met.subject_id, fold(met.claim.statement)), ())
    same = (fact for each in ids if (fact := draft.facts[each]).polarity == met.claim.polarity)
    near = (fact for fact in same if fact.sensitivity == met.origin.sensitivity)
    return next((fact for fact in near if fact.status == "active" and fact.kind != "meta"), None)


def rivals_of(turn: TurnState, met: Meeting) -> list[Rival]:
    """The facts of its subject a claim is compared with; the first few are seed 003's rivals."""
    about = met.subject_id, met.origin.sensitivity
    return turn.resemblance.rivals(turn.draft, about, met.claim.statement, turn.born, turn.rules.compared)


def same_meaning(turn: TurnState, met: Meeting, rivals: list[Rival]) -> Fact | None:
    """The rival that says the same in other words, if there is one."""
    for rival in rivals[: turn.rules.rivals]:
        fact = turn.draft.facts[rival.fact_id]
        if rival.similarity > turn.rules.reinforce_above and agrees(met.claim, fact):
            return fact
    return None


def _reinforce(turn: TurnState, fact: Fact, met: Meeting, *, extend: bool = True) -> Outcome:
    """Once per fact and source: more confidence; the same source again only adds its words."""
    fresh = support(turn.draft, _evidence_of(fact.fact_id, met))
    began = min(fact.valid_from, met.since) if extend else fact.valid_from
    if fresh:
        confidence = min(1.0, round(fact.confidence + turn.rules.reinforce_by, 6))
        revise(turn.draft, fact, "reinforced", turn.now, confidence=confidence, valid_from=began)
    elif began < fact.valid_from:
        revise(turn.draft, fact, "held earlier", turn.now, valid_from=began)
    if began < fact.valid_from and closes(fact.predicate):
        begin_earlier(turn, turn.draft.facts[fact.fact_id], fact.valid_from)
        slots.settle(turn, turn.draft.facts[fact.fact_id])
    return Outcome(fact.fact_id, "reinforced" if fresh else "duplicate")


def _change(turn: TurnState, met: Meeting, slot: tuple[str, str]) -> Outcome:
    """A slot that holds one value: a new value, or a denial, closes the old one, whatever its support."""
    draft, claim = turn.draft, met.claim
    chain = slots.chain_of(draft, met.subject_id, slot, met.origin.sensitivity)
    place = slots.place_of(draft, chain, met.since, claim)
    before, after = place.before, place.after
    if before is not None and slots.says(before, claim) and not slots.has_ended(before, met.since, after):
        return _reinforce(turn, before, met, extend=False)
    if after is not None and after is not before and slots.says(after, claim) and claim.valid_to is None:
        outcome = _reinforce(turn, after, met)
        slots.settle(turn, after)
        return outcome
    identity = slots.free_id(draft, _evidence_of(met.fact_id, met), claim.statement)
    fresh = _create(turn, replace(met, fact_id=identity))
    ended = (*end_states(turn, fresh), *slots.settle(turn, fresh))
    closed = tuple(each for each in dict.fromkeys(ended) if each != fresh.fact_id)
    return Outcome(fresh.fact_id, "superseded" if closed else "created", closed)


def _opposed(turn: TurnState, met: Meeting) -> list[Fact]:
    """Active facts this claim denies by predicate and object; what was over before the other began is not denied."""
    claim, facts = met.claim, turn.draft.facts
    if not (claim.object and claim.predicate):
        return []
    names = (name for name in (claim.predicate, opposite(claim.predicate)) if name)
    known = [each for name in names for each in _of_object(turn, met.subject_id, name).get(thing(claim.object), ())]
    near = (facts[each] for each in dict.fromkeys([*known, *turn.born]) if each in facts)
    about = (each for each in near if each.subject_id == met.subject_id and each.status == "active")
    at_once = (each for each in about if _meets(met, each) or rules_out(each, claim) or rules_out(claim, each))
    return [each for each in at_once if each.sensitivity == met.origin.sensitivity and opposes(claim, each)]


def _meets(met: Meeting, fact: Fact) -> bool:
    """Whether neither of the two was over before the other began."""
    over = met.claim.valid_to is not None and met.claim.valid_to <= fact.valid_from
    return not over and (fact.valid_to is None or fact.valid_to > met.since)


def _of_object(turn: TurnState, subject_id: str, predicate: str) -> dict[tuple[str, ...], list[str]]:
    """The facts of a subject and predicate that the turn began with, by what they are about."""
    key, base = (subject_id, predicate), turn.draft.base
    if key not in turn.by_object:
        found: dict[tuple[str, ...], list[str]] = {}
        for fact_id in base.by_predicate.get(key, ()):
            found.setdefault(thing(base.facts[fact_id].object), []).append(fact_id)
        turn.by_object[key] = found
    return turn.by_object[key]


def apply_verdicts(turn: TurnState, fresh: Fact, against: list[Contrary]) -> Outcome | None:
    """What the verdicts on a new fact's rivals come to: the later of an update stands, an unsure denial is flagged."""
    draft, rules = turn.draft, turn.rules
    unsure = [each.rival_id for each in against if each.verdict.score < rules.sure_above]
    sure = [each for each in against if each.verdict.score >= rules.sure_above]
    updates = [draft.facts[each.rival_id] for each in sure if each.verdict.relation == "updates"]
    denied = [draft.facts[each.rival_id] for each in sure if each.verdict.relation == "contradicts"]
    outcome = None
    for other in unsure:
        _dispute(draft, fresh.fact_id, other)
        outcome = Outcome(fresh.fact_id, "disputed", tuple(unsure))
    if denied:
        outcome = _disagree(turn, draft.facts[fresh.fact_id], denied)
    ended = _update(turn, fresh, updates)
    return Outcome(fresh.fact_id, "superseded", ended) if ended else outcome


def _update(turn: TurnState, fresh: Fact, others: list[Fact]) -> tuple[str, ...]:
    """Let a fact end those before it, and end with the first after it, whichever is heard first; whom it ended."""
    newer = [each for each in others if (each.valid_from, each.fact_id) > (fresh.valid_from, fresh.fact_id)]
    ended = tuple(end(turn, each, fresh) for each in others if each not in newer)
    if newer:
        first = min(newer, key=lambda each: (each.valid_from, each.fact_id))
        end(turn, turn.draft.facts[fresh.fact_id], first)
    return ended


def _turn_about(turn: TurnState, fresh: Fact, denied: list[Fact]) -> Outcome:
    """ "No longer", "again": what is denied was so until then, however many had said so."""
    ended = _update(turn, fresh, denied)
    return Outcome(fresh.fact_id, "superseded" if ended else "created", ended)


def _disagree(turn: TurnState, fresh: Fact, against: list[Fact]) -> Outcome:
    """Two opinions of one thing: whichever was said last stands, in whatever order they are heard."""
    since = [each for each in against if _last_said(turn.draft, each) > _last_said(turn.draft, fresh)]
    denied = [each for each in against if each not in since]
    outcome = _deny(turn, fresh, denied) if denied else None
    for each in since:
        _deny(turn, each, [turn.draft.facts[fresh.fact_id]])
    return outcome or Outcome(fresh.fact_id, "disputed", tuple(each.fact_id for each in since))


def _last_said(draft: Draft, fact: Fact) -> Instant:
    """When somebody said so last."""
    return max((each.at for each in draft.evidence.get(fact.fact_id, ())), default=fact.valid_from)


def _deny(turn: TurnState, later: Fact, against: list[Fact]) -> Outcome:
    """What is well supported is weakened and disputed by what is said later, what is not is invalidated."""
    outcome = "invalidated"
    for fact in against:
        if supporting_sources(turn.draft, fact.fact_id) >= turn.rules.supports:
            weaker = max(turn.rules.weakest, round(fact.confidence - turn.rules.weaken_by, 6))
            revise(turn.draft, fact, "weakened", turn.now, confidence=weaker)
            outcome = "disputed"
        elif fact.status == "active":
            ended = max(fact.valid_from, later.valid_from)
            revise(turn.draft, fact, "invalidated", turn.now, status="invalidated", valid_to=ended)
            link(turn.draft, "supersedes", later.fact_id, fact.fact_id)
        _dispute(turn.draft, later.fact_id, fact.fact_id)
    return Outcome(later.fact_id, outcome, tuple(fact.fact_id for fact in against))


def _dispute(draft: Draft, one: str, other: str) -> None:
    link(draft, "disputes", one, other)
    link(draft, "disputes", other, one)


def relate(turn: TurnState, fact: Fact, rivals: list[Rival]) -> None:
    """Link a new fact to its nearest neighbours of the middle band (seed 003)."""
    near = [
        rival
        for rival in rivals
        if turn.rules.relate_above <= rival.similarity <= turn.rules.reinforce_above and rival.fact_id != fact.fact_id
    ]
    for rival in near[: turn.rules.neighbours]:
        link(turn.draft, "similar", fact.fact_id, rival.fact_id, round(rival.similarity, 4))


def _by_likeness(turn: TurnState, met: Meeting) -> Outcome:
    """Seed 003 to the letter: bands of similarity decide, and of several contradicted facts the most similar one."""
    draft, rules = turn.draft, turn.rules
    earlier = draft.facts.get(met.fact_id)
    if earlier is not None and earlier.status == "active":
        return _reinforce(turn, earlier, met)  # the same words read again
    rivals = rivals_of(turn, met)[: rules.rivals]
    if rivals and rivals[0].similarity > rules.reinforce_above:
        return _reinforce(turn, draft.facts[rivals[0].fact_id], met)
    against = contraries(turn, met, rivals)
    fresh = _create(turn, met)
    relate(turn, fresh, rivals)
    if not against:
        return Outcome(fresh.fact_id, "created")
    first = against[0].rival_id
    link(draft, "supersedes", fresh.fact_id, first)
    return _deny(turn, fresh, [draft.facts[first]])
