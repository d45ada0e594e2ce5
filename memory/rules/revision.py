"""Revision: what becomes of a claim when it meets what is already believed (memory-model, steps 3 and 4).

In this order: said before, a slot that holds one value, a disagreement, a reinforcement, and else a new fact.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.facts import Evidence, Fact
from memory.model.ids import fact_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.agreement import agrees, opposes, same_thing
from memory.rules.parameters import Revision
from memory.rules.rivals import Resemblance, Rival
from memory.rules.slots import place_in_slot, slot_of
from memory.rules.versions import link, revise, support, supporting_sources
from memory.words.predicates import closes


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a claim was heard: a segment, or a command where `segment_key` is None."""

    source_id: str
    at: Instant
    segment_key: int | None = None
    revision: int = 1
    sensitivity: Sensitivity = Sensitivity.OPEN
    judged_by: str = "rules"

    @property
    def key(self) -> str:
        """What makes a statement at this place unlike the same statement elsewhere."""
        return f"{self.source_id}/{self.segment_key}"


@dataclass
class Turn:
    """What one turn carries from claim to claim."""

    draft: Draft
    now: Instant
    rules: Revision
    resemblance: Resemblance
    born: dict[str, str] = field(default_factory=dict)
    """Facts created in this turn -> their statements, which are their vectors' keys."""


def believe(turn: Turn, claim: Claim, subject_id: str, object_id: str | None, origin: Origin) -> Outcome:
    """Bring one claim into the draft and say what became of it."""
    draft = turn.draft
    known = _same_statement(draft, claim, subject_id)
    if known is not None:
        return _reinforce(turn, known, claim, origin)
    slot = slot_of(claim.predicate, claim.slot)
    if slot is not None and claim.object:
        return _change(turn, claim, subject_id, object_id, origin)
    rivals = turn.resemblance.rivals(draft, subject_id, claim.statement, turn.born, turn.rules.rivals)
    against = _opposed(draft, claim, subject_id, rivals, turn.rules)
    if against:
        return _disagree(turn, claim, subject_id, object_id, origin, against)
    for rival in rivals:
        if rival.similarity > turn.rules.reinforce_above and agrees(claim, draft.facts[rival.fact_id]):
            return _reinforce(turn, draft.facts[rival.fact_id], claim, origin)
    fresh = create(turn, claim, subject_id, object_id, origin)
    _relate(turn, fresh, rivals)
    ended = _end_states(turn, fresh)
    return Outcome(fresh.fact_id, "superseded" if ended else "created", ended)


def create(turn: Turn, claim: Claim, subject_id: str, object_id: str | None, origin: Origin) -> Fact:
    """A new fact, or an old one of the same place and words that is believed again."""
    draft = turn.draft
    identity = fact_id(draft.user_id, origin.key, claim.statement)
    earlier = draft.facts.get(identity)
    if earlier is not None:
        fact = revise(
            draft, earlier, "affirmed again", turn.now, status="active", state="active", valid_to=claim.valid_to
        )
    else:
        fact = Fact(
            fact_id=identity,
            version=1,
            subject_id=subject_id,
            statement=claim.statement,
            kind=claim.kind,
            importance=min(10, max(1, claim.importance)),
            confidence=turn.rules.first_confidence if claim.confidence is None else claim.confidence,
            valid_from=origin.at if claim.valid_from is None else claim.valid_from,
            valid_to=claim.valid_to,
            system_from=turn.now,
            predicate=claim.predicate,
            object=claim.object,
            object_id=object_id,
            slot=claim.slot,
            polarity=claim.polarity,
            judged_by=origin.judged_by,
            sensitivity=origin.sensitivity,
        )
        draft.put("created", None, fact)
    turn.born[identity] = claim.statement
    support(draft, evidence_of(identity, claim, origin))
    return fact


def evidence_of(identity: str, claim: Claim, origin: Origin) -> Evidence:
    """The words that support a fact."""
    return Evidence(identity, origin.source_id, origin.segment_key, claim.quote, origin.at, origin.revision)


def _same_statement(draft: Draft, claim: Claim, subject_id: str) -> Fact | None:
    """An active fact of the subject in the very same words and polarity."""
    words = fold(claim.statement)
    for identity in draft.by_subject.get(subject_id, ()):
        fact = draft.facts[identity]
        if fact.status == "active" and fact.polarity == claim.polarity and fold(fact.statement) == words:
            return fact
    return None


def _reinforce(turn: Turn, fact: Fact, claim: Claim, origin: Origin) -> Outcome:
    """Once per fact and source: more confidence; the same source again only adds its words."""
    if not support(turn.draft, evidence_of(fact.fact_id, claim, origin)):
        return Outcome(fact.fact_id, "duplicate")
    confidence = min(1.0, round(fact.confidence + turn.rules.reinforce_by, 6))
    started = origin.at if claim.valid_from is None else claim.valid_from
    revise(turn.draft, fact, "reinforced", turn.now, confidence=confidence, valid_from=min(fact.valid_from, started))
    return Outcome(fact.fact_id, "reinforced")


def _change(turn: Turn, claim: Claim, subject_id: str, object_id: str | None, origin: Origin) -> Outcome:
    """A slot that holds one value: the new value closes the old one, whatever its support."""
    draft = turn.draft
    holders = [
        fact
        for identity in draft.by_subject.get(subject_id, ())
        if (fact := draft.facts[identity]).believed
        and slot_of(fact.predicate, fact.slot) == slot_of(claim.predicate, claim.slot)
        and fact.polarity == claim.polarity
    ]
    same = [fact for fact in holders if fact.status == "active" and same_thing(fact.object, claim.object)]
    if same:
        return _reinforce(turn, same[0], claim, origin)
    denied = [
        draft.facts[identity]
        for identity in draft.by_subject.get(subject_id, ())
        if draft.facts[identity].status == "active" and opposes(claim, draft.facts[identity])
    ]
    if denied:
        return _disagree(turn, claim, subject_id, object_id, origin, denied)
    fresh = create(turn, claim, subject_id, object_id, origin)
    if not claim.polarity:
        return Outcome(fresh.fact_id, "created")
    closed = place_in_slot(draft, fresh, holders, turn.now)
    return Outcome(fresh.fact_id, "superseded" if closed else "created", closed)


def _end_states(turn: Turn, event: Fact) -> tuple[str, ...]:
    """An event closes the states it ends: who left a job no longer works there."""
    ended = []
    for identity in turn.draft.by_subject.get(event.subject_id, ()) if event.polarity else ():
        fact = turn.draft.facts[identity]
        begun_before = fact.status == "active" and fact.valid_from < event.valid_from
        arrived_there = event.object is not None and same_thing(fact.object, event.object)
        if begun_before and fact.predicate in closes(event.predicate) and not arrived_there:
            revise(turn.draft, fact, "superseded", turn.now, status="superseded", valid_to=event.valid_from)
            link(turn.draft, "supersedes", event.fact_id, identity)
            ended.append(identity)
    return tuple(ended)


def _opposed(
    draft: Draft, claim: Claim, subject_id: str, rivals: list[Rival], rules: Revision
) -> list[Fact]:  # fmt: skip
    """Active facts this claim denies: named ones by predicate and object, unnamed ones by likeness."""
    named = [
        fact
        for identity in draft.by_subject.get(subject_id, ())
        if claim.object and (fact := draft.facts[identity]).status == "active" and opposes(claim, fact)
    ]
    found = {fact.fact_id for fact in named}
    for rival in rivals:
        fact = draft.facts[rival.fact_id]
        close = rival.similarity >= rules.contradict_above
        if close and fact.fact_id not in found and not claim.object and opposes(claim, fact):
            named.append(fact)
    return named


def _disagree(
    turn: Turn, claim: Claim, subject_id: str, object_id: str | None, origin: Origin, against: list[Fact]
) -> Outcome:
    """Two opinions of one thing: what is well supported is weakened and disputed, what is not is invalidated."""
    fresh = create(turn, claim, subject_id, object_id, origin)
    outcome = "invalidated"
    for fact in against:
        if supporting_sources(turn.draft, fact.fact_id) >= turn.rules.supports:
            weaker = max(turn.rules.weakest, round(fact.confidence - turn.rules.weaken_by, 6))
            revise(turn.draft, fact, "weakened", turn.now, confidence=weaker)
            outcome = "disputed"
        else:
            ended = max(fact.valid_from, fresh.valid_from)
            revise(turn.draft, fact, "invalidated", turn.now, status="invalidated", valid_to=ended)
            link(turn.draft, "supersedes", fresh.fact_id, fact.fact_id)
        link(turn.draft, "disputes", fresh.fact_id, fact.fact_id)
        link(turn.draft, "disputes", fact.fact_id, fresh.fact_id)
    return Outcome(fresh.fact_id, outcome, tuple(fact.fact_id for fact in against))


def _relate(turn: Turn, fact: Fact, rivals: list[Rival]) -> None:
    """Link a new fact to its nearest neighbours of the middle band (seed 003)."""
    near = [
        rival
        for rival in rivals
        if turn.rules.relate_above <= rival.similarity <= turn.rules.reinforce_above and rival.fact_id != fact.fact_id
    ]
    for rival in near[: turn.rules.neighbours]:
        link(turn.draft, "similar", fact.fact_id, rival.fact_id, round(rival.similarity, 4))
