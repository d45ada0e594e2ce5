"""Remembers, corrects, confirms and forgets facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import (
    IMPORTANCE,
    KeptAs,
    corrected,
    hear,
    judged_turn,
    read_told,
    taken_apart,
    turn,
    vectors_of,
)
from deployments.dates import moments_of
from deployments.kinds import Body, Id, IndexedText, ShortText, When, Words
from memory.errors import Invalid
from memory.model.changes import Outcome
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.commands import ConfirmFact, CorrectFact, ForgetFact, ReadSegment, Remember
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.sources import AS_COMMANDED, Source
from memory.words.polarity import is_negated

Kind = Literal["factual", "preference", "procedural", "architectural", "opinion", "meta"]
Importance = Annotated[int, Field(ge=1, le=10)]


class FactToRemember(Body):
    """A fact to remember: in free words (`text`), or structured (`statement` and `subject`)."""

    text: Words | None = None
    statement: Words | None = None
    subject: Annotated[ShortText, Field(min_length=1)] | None = None
    predicate: IndexedText | None = None
    object: Annotated[ShortText, Field(min_length=1)] | None = None
    slot: ShortText | None = None
    kind: Kind | None = None
    importance: Importance | None = None
    valid_from: When | None = None
    source_id: Id | None = None

    model_config = Body.model_config | {
        "json_schema_extra": {
            "examples": [
                {"text": "I moved to Lisbon in March and I am allergic to peanuts."},
                {"statement": "Maya lives in Lisbon", "subject": "Maya", "predicate": "lives_in", "object": "Lisbon"},
            ]
        }
    }

    @model_validator(mode="after")
    def _is_told(self) -> FactToRemember:
        parts = self.model_fields_set - {"text", "source_id"}
        if (self.text is None) == (self.statement is None) or (self.text is not None and parts):
            raise ValueError("give either text alone, or statement and subject")
        if self.statement is not None and self.subject is None:
            raise ValueError("a statement needs the subject it is about")
        if not (self.text or self.statement or "").strip():
            raise ValueError("there are no words in it")
        return self


class Correction(Body):
    """What is true instead, as a whole sentence."""

    statement: Words
    predicate: IndexedText | None = None
    object: Annotated[ShortText, Field(min_length=1)] | None = None
    slot: ShortText | None = None
    kind: Kind | None = None
    importance: Importance | None = None
    valid_from: When | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"statement": "Maya lives in Porto"}]}}


class Believed(BaseModel):
    """What became of a statement, and the facts it was compared with."""

    fact_id: str
    outcome: Literal["created", "reinforced", "superseded", "disputed", "invalidated", "duplicate"]
    rivals: list[str]


class Remembered(Believed):
    """The main fact; `facts` has all statements if the text contained several."""

    facts: list[Believed] | None = None


async def remember(app: AppContext, who: Caller, key: str, body: FactToRemember) -> Remembered:
    """Remember a statement. The outcome says how it relates to what was believed before.

    The words are kept as a note of the owner's, so that they are found and cited like anything that was said; with
    a source they stand for something in that source instead. Raises Forbidden of a caller that may only read.
    """
    who = writing(who)
    source_id, sensitivity = await _told_of(app, who, body.source_id)
    note, told = await hear(app, who, key, body.text or body.statement or "")
    promises: tuple[Sighting, ...] = ()
    if body.text is not None:
        understood = await read_told(app, told)
        claims, promises, vectors = understood.claims, understood.promises, understood.vectors
    else:
        said = await _claim(app, who, body, body.statement or "", body.subject or "")
        claims = [await taken_apart(app, told, said, said.subject, said.predicate)]
        vectors = await vectors_of(app, [claims[0].statement])
    heard = None
    if source_id is None:
        heard = await _kept(app, note, told)
    command = Remember(
        command_id=key,
        claims=tuple(claims),
        heard=heard,
        sightings=promises,
        source_id=source_id,
        sensitivity=sensitivity,
    )
    done = await judged_turn(app, who, command, vectors)
    await app.actors.wake()
    return _remembered(done.outcomes)


async def state(
    app: AppContext, who: Caller, key: str, words: str, claims: Sequence[Claim], kept: KeptAs
) -> Sequence[Outcome]:
    """Remember statements as they are; their text is kept as a note of the owner.

    Each meets what was believed before, like any other; nothing is read out of the words. Raises Forbidden, Conflict.
    """
    note, told = await hear(app, writing(who), key, words, kept=kept)
    vectors = await vectors_of(app, [each.statement for each in claims])
    heard = await _kept(app, note, told)
    done = await judged_turn(app, who, Remember(command_id=key, claims=tuple(claims), heard=heard), vectors)
    await app.actors.wake()
    return done.outcomes


async def correct(app: AppContext, who: Caller, key: str, fact_id: str, body: Correction) -> Believed:
    """Replace a fact that was never true; the old one stays in the history, invalidated.

    The words are kept as a note of the owner's, as private as the fact, so that they are found where it was found.
    Raises Forbidden of a caller that may only read.
    """
    who = writing(who)
    old = await app.stores.reads.facts.one(who.view, fact_id)
    if not body.statement.strip():
        raise Invalid("statement: there are no words in it.")
    said = await _claim(app, who, body, body.statement, "", kind=old.kind, importance=old.importance)
    note, told = await hear(app, who, key, body.statement, Sensitivity(old.sensitivity))
    fresh = await corrected(app, told, said, old)
    vectors = await vectors_of(app, [fresh.statement])
    command = CorrectFact(command_id=key, fact_id=old.fact_id, claim=fresh)
    if old.status == "active" and fold(fresh.statement) != fold(old.statement):
        command = replace(command, heard=await _kept(app, note, told))
    done = await turn(app, who, command, vectors)
    await app.actors.wake()
    return _believed(done.outcomes[0])


async def confirm(app: AppContext, who: Caller, key: str, fact_id: str) -> Believed:
    """Confirm a fact: it gets full confidence and no longer fades. Raises Forbidden for a read-only caller."""
    who = writing(who)
    fact = await app.stores.reads.facts.one(who.view, fact_id)
    return _believed((await turn(app, who, ConfirmFact(command_id=key, fact_id=fact.fact_id))).outcomes[0])


async def forget(app: AppContext, who: Caller, key: str, fact_id: str) -> Believed:
    """Stop believing and showing a fact. It can be undone; to erase words, delete their source.

    Raises Forbidden of a caller that may only read.
    """
    who = writing(who)
    fact = await app.stores.reads.facts.one(who.view, fact_id)
    forgotten = await turn(app, who, ForgetFact(command_id=key, fact_id=fact.fact_id))
    app.chats.drop(who.user_id)
    return _believed(forgotten.outcomes[0])


async def _kept(app: AppContext, note: Source, told: Utterance) -> ReadSegment:
    """Keep the words of a command. Those that were forgotten before and are told again count their revisions on."""
    await app.stores.intake.capture.store(note, AS_COMMANDED)
    kept = await app.stores.reads.sources.segments(note.scope, note.source_id)
    return _heard(note, replace(told, revision=max([told.revision, *(each.revision for each in kept)])))


def _heard(note: Source, told: Utterance) -> ReadSegment:
    return ReadSegment(
        scope=note.scope,
        source_id=note.source_id,
        segment_key=told.segment_key,
        revision=told.revision,
        at=told.at,
        speaker=told.speaker,
        role=told.role,
        sensitivity=int(note.sensitivity),
    )


async def _claim(
    app: AppContext,
    who: Caller,
    body: FactToRemember | Correction,
    statement: str,
    subject: str,
    *,
    kind: str = "factual",
    importance: int = IMPORTANCE,
) -> Claim:
    [valid_from] = await moments_of(app, who, valid_from=body.valid_from)
    return Claim(
        subject=subject,
        statement=" ".join(statement.split()),
        segment_key=0,
        quote=statement,
        predicate=body.predicate,
        object=body.object,
        slot=body.slot or None,
        kind=body.kind or kind,
        importance=body.importance or importance,
        polarity=not is_negated(statement),
        valid_from=valid_from,
    )


async def _told_of(app: AppContext, who: Caller, given: str | None) -> tuple[str | None, Sensitivity]:
    """The source a statement refers to, and how private that is: what is told of it is no less so."""
    if given is None:
        return None, Sensitivity.OPEN
    scope, source_id = await app.stores.reads.sources.resolve(who.view, given, None)
    return source_id, (await app.stores.reads.sources.one(who.view, scope, source_id)).sensitivity


def _believed(outcome: Outcome) -> Believed:
    told = {"fact_id": outcome.fact_id, "outcome": outcome.outcome, "rivals": list(outcome.rivals)}
    return Believed.model_validate(told)


def _remembered(outcomes: Sequence[Outcome]) -> Remembered:
    every = [_believed(outcome) for outcome in outcomes]
    return Remembered(**every[0].model_dump(), facts=every if len(every) > 1 else None)
