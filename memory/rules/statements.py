"""Statements: what the user says of facts directly - remember, correct, confirm, forget."""

from __future__ import annotations

from memory.errors import Conflict, Invalid, NotFound
from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.commands import Command, ConfirmFact, CorrectFact, ForgetFact, Remember
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.rules import resolution
from memory.rules.readings import ensure_owner, subject_of
from memory.rules.revision import believe, create
from memory.rules.turn import Origin, Turn
from memory.rules.versions import link, revise


def remember(turn: Turn, command: Remember) -> list[Outcome]:
    """Believe explicit statements; each meets its rivals like any other."""
    if not command.claims:
        raise Invalid("There is nothing to remember.")
    origin = _origin(turn, command)
    return [_believe_told(turn, _claim(claim), origin) for claim in command.claims]


def _origin(turn: Turn, command: Remember) -> Origin:
    heard = command.heard
    if heard is None:
        source_id = _source(command, command.source_id)
        return Origin(source_id, turn.now, sensitivity=command.sensitivity, judged_by=command.actor)
    return Origin(
        source_id=heard.source_id,
        at=heard.at,
        segment_key=heard.segment_key,
        revision=heard.revision,
        sensitivity=Sensitivity(heard.sensitivity),
        judged_by=command.actor,
    )


def _believe_told(turn: Turn, claim: Claim, origin: Origin) -> Outcome:
    subject = subject_of(turn, claim.subject, claim.subject_type, "")
    return believe(turn, claim, subject.entity_id, _object_id(turn, claim), origin)


def correct(turn: Turn, command: CorrectFact) -> list[Outcome]:
    """Replace a fact by a corrected statement: the old one ends where the new one begins, by default now."""
    old = fact_of(turn, command.fact_id)
    if old.status != "active":
        raise Conflict("Only a fact that is believed can be corrected.", fact_id=old.fact_id, status=old.status)
    claim = _claim(command.claim)
    origin = Origin(_source(command, None), turn.now, sensitivity=old.sensitivity, judged_by=command.actor)
    fresh = create(turn, claim, old.subject_id, _object_id(turn, claim), origin)
    if fresh.fact_id == old.fact_id:
        return [Outcome(old.fact_id, "duplicate")]
    revise(turn.draft, old, "corrected", turn.now, status="superseded", valid_to=max(old.valid_from, fresh.valid_from))
    link(turn.draft, "supersedes", fresh.fact_id, old.fact_id)
    return [Outcome(fresh.fact_id, "superseded", (old.fact_id,))]


def confirm(turn: Turn, command: ConfirmFact) -> list[Outcome]:
    """Protect a fact from decay, at full confidence (seed 004)."""
    fact = fact_of(turn, command.fact_id)
    if fact.status != "active":
        raise Conflict("Only a fact that is believed can be confirmed.", fact_id=fact.fact_id, status=fact.status)
    if not (fact.protected and fact.confidence == 1.0):
        revise(turn.draft, fact, "confirmed", turn.now, protected=True, confidence=1.0)
    return [Outcome(fact.fact_id, "reinforced")]


def forget(turn: Turn, command: ForgetFact) -> list[Outcome]:
    """Stop believing and showing a fact; its history stays for whoever asks (seed 003)."""
    fact = fact_of(turn, command.fact_id)
    if fact.status != "forgotten":
        revise(turn.draft, fact, "forgotten", turn.now, status="forgotten")
    return [Outcome(fact.fact_id, "invalidated")]


def fact_of(turn: Turn, fact_id: str) -> Fact:
    """The open version of a fact, or NotFound."""
    fact = turn.draft.facts.get(fact_id)
    if fact is None:
        raise NotFound("There is no such fact.", fact_id=fact_id)
    return fact


def entity_of(turn: Turn, entity_id: str) -> Entity:
    """An entity by id, or NotFound."""
    entity = turn.draft.entities.get(entity_id)
    if entity is None:
        raise NotFound("There is no such entity.", entity_id=entity_id)
    return entity


def _claim(claim: Claim | None) -> Claim:
    if claim is None or not claim.statement.strip():
        raise Invalid("A fact needs a statement.")
    return claim


def _object_id(turn: Turn, claim: Claim) -> str | None:
    """The entity a claim is of. What was told on purpose may be the first word of it."""
    if not claim.object:
        return None
    if fold(claim.object) in resolution.OWNER_NAMES or turn.draft.profile.is_owner(claim.object):
        return ensure_owner(turn).entity_id
    known = resolution.find(turn.draft, claim.object, claim.object_type) or resolution.find(turn.draft, claim.object)
    if known is None and claim.object_type is not None:
        known = resolution.ensure(
            turn.draft, claim.object, claim.object_type, turn.now, confidence=0.6, reason="spoken of"
        )
    return known.entity_id if known else None


def _source(command: Command, source_id: str | None) -> str:
    return source_id or f"command:{command.command_id}"
