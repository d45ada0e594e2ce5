"""Statements: what the user says of facts directly - remember, correct, confirm, forget."""

from __future__ import annotations

from dataclasses import replace

from memory.errors import Conflict, Invalid, NotFound
from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.commands import ConfirmFact, CorrectFact, ForgetFact, Remember
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.rules import resolution
from memory.rules.across import settle_slots
from memory.rules.asserted import in_its_time
from memory.rules.readings import ensure_owner, mention, subject_of
from memory.rules.reopening import reopen
from memory.rules.revision import believe
from memory.rules.settled import CORRECTED
from memory.rules.turn import ClaimOrigin, TurnState
from memory.rules.twins import merged_into, twins_of, unmerge
from memory.rules.versions import link, revise


def remember(turn: TurnState, command: Remember) -> list[Outcome]:
    """Believe explicit statements; each meets its rivals like any other."""
    if not command.claims:
        raise Invalid("There is nothing to remember.")
    origin = _origin(turn, command, command.sensitivity, command.source_id)
    if command.heard is not None:
        for promise in (each for each in command.sightings if each.type == "promise"):
            mention(turn, promise, command.heard)
    return [_believe_told(turn, in_its_time(_claim(claim), origin.at), origin) for claim in command.claims]


def _origin(
    turn: TurnState, command: Remember | CorrectFact, sensitivity: Sensitivity, source_id: str | None = None
) -> ClaimOrigin:
    """Where what is told comes from: the segment that holds its words, else the command, or the source it names."""
    heard = command.heard
    if heard is None:
        source_id = source_id or f"command:{command.command_id}"
        return ClaimOrigin(source_id, turn.now, sensitivity=sensitivity, judged_by=command.actor)
    return ClaimOrigin(
        source_id=heard.source_id,
        at=heard.at,
        segment_key=heard.segment_key,
        revision=heard.revision,
        sensitivity=Sensitivity(heard.sensitivity),
        judged_by=command.actor,
    )


def _believe_told(turn: TurnState, claim: Claim, origin: ClaimOrigin) -> Outcome:
    subject = subject_of(turn, claim.subject, claim.subject_type, "", origin.sensitivity)
    return believe(turn, claim, subject.entity_id, _object_id(turn, claim, origin.sensitivity), origin)


def correct(turn: TurnState, command: CorrectFact) -> list[Outcome]:
    """Replace a fact by what is so instead: it never was so, and what it had ended holds again.

    The new statement holds for the time that the old one was said to, unless it tells another, and meets its rivals
    like any other. The old one is invalidated: believed at no time any more, and shown as it was once believed. So is
    what the same sentence told of an object that the correction no longer names, and what was merged into either.
    """
    draft, old, claim = turn.draft, fact_of(turn, command.fact_id), _claim(command.claim)
    if old.status != "active":
        raise Conflict("Only a fact that is believed can be corrected.", fact_id=old.fact_id, status=old.status)
    if claim.valid_from is None and fold(claim.statement) == fold(old.statement):
        return [Outcome(old.fact_id, "duplicate")]
    wrong = [old, *twins_of(draft, old, claim.statement)]
    for each in wrong:
        settled = {"status": "invalidated", "judged_by": f"{CORRECTED}{command.actor}"}
        for same in merged_into(draft, each):
            unmerge(draft, each, revise(draft, same, "corrected", turn.now, **settled))
        revise(draft, each, "corrected", turn.now, **settled)
        settle_slots(turn, [each, *reopen(turn, each)])
    if claim.valid_from is None:
        claim = replace(claim, valid_from=old.valid_from, valid_to=claim.valid_to or old.valid_to)
    origin = _origin(turn, command, old.sensitivity)
    done = believe(turn, claim, old.subject_id, _object_id(turn, claim, old.sensitivity), origin)
    for each in wrong:
        link(draft, "supersedes", done.fact_id, each.fact_id)
    return [Outcome(done.fact_id, "invalidated", tuple(each.fact_id for each in wrong))]


def confirm(turn: TurnState, command: ConfirmFact) -> list[Outcome]:
    """Protect a fact from decay, at full confidence (seed 004)."""
    fact = fact_of(turn, command.fact_id)
    if fact.status != "active":
        raise Conflict("Only a fact that is believed can be confirmed.", fact_id=fact.fact_id, status=fact.status)
    if not (fact.protected and fact.confidence == 1.0):
        revise(turn.draft, fact, "confirmed", turn.now, protected=True, confidence=1.0)
    return [Outcome(fact.fact_id, "reinforced")]


def forget(turn: TurnState, command: ForgetFact) -> list[Outcome]:
    """Stop believing and showing a fact, and what was merged into it; its history stays for whoever asks (seed 003)."""
    fact = fact_of(turn, command.fact_id)
    if fact.status != "forgotten":
        for same in merged_into(turn.draft, fact):
            revise(turn.draft, same, "forgotten", turn.now, status="forgotten")
        revise(turn.draft, fact, "forgotten", turn.now, status="forgotten")
    return [Outcome(fact.fact_id, "invalidated")]


def fact_of(turn: TurnState, fact_id: str) -> Fact:
    """The open version of a fact, or NotFound."""
    fact = turn.draft.facts.get(fact_id)
    if fact is None:
        raise NotFound("There is no such fact.", fact_id=fact_id)
    return fact


def entity_of(turn: TurnState, entity_id: str) -> Entity:
    """An entity by id, or NotFound."""
    entity = turn.draft.entities.get(entity_id)
    if entity is None:
        raise NotFound("There is no such entity.", entity_id=entity_id)
    return entity


def _claim(claim: Claim | None) -> Claim:
    if claim is None or not claim.statement.strip():
        raise Invalid("A fact needs a statement.")
    return claim


def _object_id(turn: TurnState, claim: Claim, level: Sensitivity) -> str | None:
    """The entity a claim is of. What was told on purpose may be the first word of it.

    A promise is not: it is seen in its words, with by whom, to whom and until when.
    """
    if not claim.object:
        return None
    if fold(claim.object) in resolution.OWNER_NAMES or turn.draft.profile.is_owner(claim.object):
        return ensure_owner(turn).entity_id
    draft, name, type_ = turn.draft, claim.object, claim.object_type
    known = resolution.find(draft, name, type_, level=level) or resolution.find(draft, name, level=level)
    if known is None and type_ not in (None, "promise"):
        known = resolution.ensure(draft, name, type_, turn.now, level=level, confidence=0.6, reason="spoken of")
    return known.entity_id if known else None
