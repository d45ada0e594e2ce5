"""Commands: ids for what callers ask, and the turns that carry it out."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Header
from ray.exceptions import RayError

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.kinds import Id
from memory.errors import Conflict, Unavailable
from memory.model.changes import ChangeSet, key_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.commands import (
    AddAlias,
    ArrangeGroups,
    Command,
    ConfirmFact,
    CorrectFact,
    ForgetFact,
    ProtectFact,
    Remember,
    RenameEntity,
    RetypeEntity,
    WriteNote,
)
from memory.model.entities import Entity
from memory.model.facts import Note
from memory.model.ids import digest, fold
from memory.model.scopes import Sensitivity
from memory.model.shown import ShownFact
from memory.model.sources import BY_COMMAND, Segment, Source
from memory.model.verdicts import StatementPair, Verdict
from memory.ports import Vector
from memory.rules.resolution import OWNER_NAMES
from memory.services.judging import submit_judged
from memory.services.zones import zone_of
from memory.words.questions import is_own

log = logging.getLogger("memoray.gateway")
TOLD = "told"
"""What segments are called that were told by a command."""
IMPORTANCE = 5
"""Importance of a statement nobody has judged (seed 003)."""
_ENDS = " .!"
"""What may end a sentence and says nothing."""


def fresh_id() -> str:
    """An unpredictable command id, for a caller that brought none."""
    return f"c-{secrets.token_hex(8)}"


def _key(
    idempotency_key: Annotated[
        Id | None, Header(description="The same key again is the same command once; it becomes the command id.")
    ] = None,
) -> str:
    return idempotency_key or fresh_id()


Key = Annotated[str, Depends(_key)]
"""The id of the command a request asks for."""
Here = Annotated[AppContext, Depends(app_context_of)]
"""The application context of this replica."""


async def turn(
    app: AppContext, who: Who, command: Command, statements: Mapping[str, Vector] | None = None
) -> ChangeSet:
    """One turn of the caller's memory. Raises Conflict if the key was used for something else before."""
    changes = await app.actors.turn(who.user_id, command, statements or {})
    if changes.kind != type(command).__name__ or not _are_of(changes, command):
        raise Conflict("This Idempotency-Key was used for another request.", command_id=command.command_id)
    return changes


def _are_of(changes: ChangeSet, command: Command) -> bool:
    """Whether changes concern what a command names; of one that changed nothing nobody can tell."""
    match command:
        case ConfirmFact() | CorrectFact() | ForgetFact() | ProtectFact():
            named = command.fact_id
        case RenameEntity() | AddAlias() | RetypeEntity():
            named = command.entity_id
        case WriteNote():
            named = command.about_id
        case ArrangeGroups(arranged=(one,)):
            named = one.group.group_id
        case _:
            return True
    rows = [each.row for each in changes.changes]
    touched: set[object] = {part for row in rows for part in key_of(row)}
    touched |= {row.about_id for row in rows if isinstance(row, Note)}
    touched |= {fact_id for each in changes.outcomes for fact_id in (each.fact_id, *each.rivals)}
    if isinstance(command, RenameEntity):
        names = {fold(row.name) for row in rows if isinstance(row, Entity) and row.entity_id == named}
        return not touched or fold(command.name) in names
    return not touched or named in touched


async def judged_turn(app: AppContext, who: Who, command: Remember, statements: Mapping[str, Vector]) -> ChangeSet:
    """One turn whose statements meet a judge outside, if the settings name one."""
    settings = app.settings
    judge = None if settings.models.contradiction.kind == "rules" else _FarJudge(app)
    return await submit_judged(
        command, lambda judged: turn(app, who, judged, statements), judge, settings.revision.rounds
    )


class _FarJudge:
    """The judge in the worker."""

    def __init__(self, app: AppContext) -> None:
        judge = app.settings.models.contradiction
        self.name: str = judge.kind
        self.asked_above = judge.asked_above
        self._context = app

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair."""
        return await self._context.actors.judge(pairs)


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """What words told on purpose come to: claims, the best first, promises, and the vectors of the statements."""

    claims: list[Claim]
    promises: tuple[Sighting, ...]
    vectors: Mapping[str, Vector]


async def read_told(app: AppContext, told: Utterance) -> ReadStatement:
    """What the owner's own words state.

    Nothing told on purpose is lost: without a reader, or if it finds no claim, the words themselves are remembered.
    """
    promises: tuple[Sighting, ...] = ()
    try:
        reading, vectors = await app.actors.read_text((told,))
    except (Unavailable, RayError):
        log.warning("what was told could not be read; its words are remembered as they are", exc_info=True)
    else:
        promises = tuple(each for each in reading.sightings if each.type == "promise")
        if reading.claims:
            return ReadStatement(sorted(reading.claims, key=_weight, reverse=True), promises, vectors)
    claim = Claim(told.speaker, told.text, told.segment_key, told.text, importance=IMPORTANCE)
    return ReadStatement([claim], promises, await vectors_of(app, [told.text]))


async def taken_apart(app: AppContext, told: Utterance, claim: Claim, subject: str, predicate: str | None) -> Claim:
    """A statement with what its reader finds it to say of its subject, unless the caller has said it.

    Without its object a value meets no other value of its slot: it would stand beside them, or be taken for one of
    them. Of several readings the one with this predicate counts, else the most important.
    """
    if claim.object:
        return claim
    readings = (await read_told(app, told)).claims
    name = fold(told.speaker if fold(subject) in OWNER_NAMES else subject)
    about = [each for each in readings if fold(each.subject) == name and each.polarity == claim.polarity]
    near = [each for each in about if each.predicate == predicate] if predicate else about
    read = next(iter(near if claim.predicate else near or about), None)
    if read is None:
        return claim
    slot = claim.slot or read.slot
    # "I live in Halle" is kept as it is told of everybody: Nina lives in Halle
    statement = read.statement if is_own(claim.statement) else claim.statement
    claim = replace(claim, statement=statement, predicate=read.predicate, slot=slot)
    return replace(claim, object=read.object, object_type=read.object_type)


async def corrected(app: AppContext, told: Utterance, claim: Claim, old: ShownFact) -> Claim:
    """A correction as a value of the fact that it corrects: in its slot, of its predicate.

    Else what had been so before would hold again beside it. What speaks of something else is left as it was told.
    """
    fresh = await taken_apart(app, told, claim, old.subject, claim.predicate or old.predicate)
    value = value_instead(old.statement, old.object or "", claim.statement)
    if value is not None and fresh.predicate in (None, old.predicate):
        fresh = replace(fresh, predicate=old.predicate, object=fresh.object or value)
    if fresh.predicate is None or fresh.predicate != old.predicate:
        return fresh
    return replace(fresh, slot=fresh.slot or old.slot)


def value_instead(statement: str, value: str, other: str) -> str | None:
    """What `other` says where `statement` says `value`, if all else is the same words in any case; None if not."""
    statement, other = statement.rstrip(_ENDS), other.strip().rstrip(_ENDS)
    if not value or statement.count(value) != 1:
        return None
    before, _, after = statement.partition(value)
    end = max(len(other) - len(after), len(before))
    same = fold(other[: len(before)]) == fold(before) and fold(other[end:]) == fold(after)
    whole = (not before or before[-1].isspace()) and (not after or after[0].isspace())
    return other[len(before) : end].strip() or None if same and whole else None


@dataclass(frozen=True, slots=True)
class KeptAs:
    """What the segment that keeps the words of a command is called, and where they came from."""

    segment_id: str = TOLD
    provenance: Mapping[str, str] = field(default_factory=dict)


async def hear(
    app: AppContext, who: Who, key: str, text: str, sensitivity: Sensitivity = Sensitivity.OPEN, kept: KeptAs = KeptAs()
) -> tuple[Source, Utterance]:
    """The words of a command as a note of the owner's: stored and searchable like anything else that was said.

    Words whose key comes again were said when it first came. Raises Conflict if those were others: these would take
    their place.
    """
    profile, source_id = await app.profile(who.user_id), f"{BY_COMMAND}{digest(TOLD, key).hex()}"
    known = await app.stores.reads.sources.segments(who.scope, source_id)
    if any(said.text != text for said in known):
        raise Conflict("This Idempotency-Key was used for other words.", source_id=source_id)
    now = known[0].at if known else app.clock.now()
    speaker = profile.label
    language = profile.languages[0] if len(profile.languages) == 1 else None
    segment = Segment(kept.segment_id, speaker, text, 0.0, 0.0, role="user", language=language)
    offset_s = app.offset(profile, now)
    note = Source(source_id, who.scope, "note", now, offset_s=offset_s, sensitivity=sensitivity, segments=(segment,))
    note = replace(note, provenance=dict(kept.provenance))
    return note, Utterance(
        source_id=source_id,
        segment_id=kept.segment_id,
        segment_key=note.key_of(segment),
        revision=1,
        speaker=speaker,
        text=text,
        at=now,
        offset_s=offset_s,
        role="user",
        language=language,
        sensitivity=sensitivity,
        kind="note",
        zone=zone_of(profile.time_zone),
    )


async def vectors_of(app: AppContext, statements: Sequence[str]) -> Mapping[str, Vector]:
    """statement -> vector; none if the encoder is broken, for a statement is remembered all the same."""
    try:
        return await app.encode_all(statements)
    except Exception:  # whatever breaks an encoder: the statement meets no rivals, and that is all
        log.exception("statements could not be encoded")
        return {}


def _weight(claim: Claim) -> tuple[int, float]:
    return claim.importance, claim.confidence or 0.0
