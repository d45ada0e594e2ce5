"""Enrolling: a person gives a sample of a voice, so that it is known from then on; by styles, and by device."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import BinaryIO

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.erasing import erase_voice
from deployments.use_cases.voices import VoicePrintOut, print_shown, voice_named
from memory.errors import Conflict, Invalid, NotFound, Stale, Unavailable
from memory.model.ids import command_id
from memory.model.sound import HeardVoice
from memory.model.voices import ENROLLED, HEARD
from memory.rules.voice_bank import VoiceSample, enrolled
from memory.rules.voices import LIMITS
from memory.services.voices import ATTEMPTS, VoiceListener

LEAST_S = 5.0
"""Seconds of speech of a sample (chosen: the recipe's ten seconds are better, two are too few for a reference)."""
ONE_VOICE = 0.8
"""Least share of a sample's speech that is one voice's (chosen: a word of somebody else does no harm)."""
MISSING = "Knowing voices needs the extra `speech`: install it with `make extra ARGS=speech`, then start Memoray again."
_STYLE = {
    "print_id": "w-0a1b2c3d4e5f6071",
    "style": "whisper",
    "origin": "enrolled",
    "model": "campp",
    "seconds": 12.5,
    "source_id": None,
    "at": "2026-05-03T12:00:00Z",
}


class Enrolment(BaseModel, json_schema_extra={"examples": [{"name": "Maya", "styles": [_STYLE], "total": 1}]}):
    """By which styles somebody's voice is known: what was given by hand, and what was learnt by listening.

    `name` and `voice_id` are null where nobody is known by that name.
    """

    name: str | None
    voice_id: str | None
    styles: list[VoicePrintOut]
    total: int


class EnrolledStyle(BaseModel):
    """A sample that was taken in. `change_id` undoes it; it is null if this very sound was known already."""

    name: str
    voice_id: str
    style: str
    model: str
    seconds: float
    change_id: str | None


class EnrolmentRemoved(BaseModel):
    """How many prints were erased, for good.

    GET /v1/receipts/{receipt_id} tells when they have left the files of the database; null where there were none.
    """

    name: str
    removed: int
    receipt_id: str | None


async def enrol(
    app: AppContext, who: Caller, key: str, sent: AbstractAsyncContextManager[BinaryIO], name: str | None, style: str
) -> EnrolledStyle:
    """Take in a sample, a sound file that is not received before it may be, of the owner's voice or of another's.

    Raises Invalid of a sound in which not one voice speaks for `LEAST_S`, Unavailable without the extra.
    """
    writing(who)
    if app.voices is None:
        raise Unavailable(MISSING)
    async with sent as file:
        heard = await one_voice(app.voices, file)
    called = name or await _owner(app, who)
    return await take_sample(app, who, key, VoiceSample(called, style, heard))


async def one_voice(ear: VoiceListener, file: BinaryIO, least_s: float = LEAST_S) -> HeardVoice:
    """The one voice in a sound file on disk. Raises Invalid where there is none, another one, or too little of it."""
    voices = sorted(await ear.voices(file), key=lambda each: -each.seconds)
    if not voices:
        raise Invalid("Nobody speaks in this sound.")
    longest, spoken = voices[0], sum(each.seconds for each in voices)
    if longest.seconds < ONE_VOICE * spoken:
        raise Invalid("More than one person speaks in this sound; send a sample of one voice.")
    if longest.seconds < least_s:
        raise Invalid(f"There are {longest.seconds:.1f} s of speech in this sound; send {least_s:g} s or more.")
    if longest.model not in LIMITS:
        raise Invalid("This model of voices has no limits from which on somebody is recognised.")
    return longest


async def take_sample(app: AppContext, who: Caller, key: str, sample: VoiceSample) -> EnrolledStyle:
    """Know somebody by a sample. Raises Forbidden, Conflict and Stale."""
    writing(who)
    for _ in range(ATTEMPTS):
        bank = await app.stores.sound.voices.bank(who.scope)
        change = enrolled(bank, key, app.clock.now(), who.scope, sample)
        try:
            fresh = bool(change.prints) and await app.stores.sound.voices.commit(who.scope, change)
        except Stale:
            continue
        if change.prints and not fresh:
            raise Conflict("This Idempotency-Key was used for another request.", change_id=key)
        known = await voice_named(app, who, sample.name)
        assert known is not None
        return EnrolledStyle(
            name=sample.name,
            voice_id=known.voice_id,
            style=sample.style,
            model=sample.heard.model,
            seconds=sample.heard.seconds,
            change_id=key if fresh else None,
        )
    raise Stale("The voices of this memory change all the time; try again.")


async def enrolment(app: AppContext, who: Caller, name: str | None) -> Enrolment:
    """By which styles the owner is known, or somebody else; none if they are not."""
    called = name or await _owner(app, who)
    voice = await voice_named(app, who, called)
    if voice is None:
        return Enrolment(name=None, voice_id=None, styles=[], total=0)
    bank = await app.stores.sound.voices.bank(who.scope)
    heard = {each.source_id for each in bank.prints_of(voice.voice_id) if each.source_id}
    seen = await app.stores.sound.voices.sources_in_sight(who.view, sorted(heard)) if heard else set()
    prints = [p for p in bank.prints_of(voice.voice_id) if p.source_id is None or p.source_id in seen]
    return Enrolment(
        name=bank.shown(voice.voice_id),
        voice_id=voice.voice_id,
        styles=[print_shown(each) for each in prints],
        total=len(prints),
    )


async def remove(app: AppContext, who: Caller, key: str, name: str | None, style: str | None) -> EnrolmentRemoved:
    """Erase the samples of a style, or of all styles and with them what was learnt by them; how it cannot be undone.

    What a stranger was first heard by stays: it is no enrolment. Raises NotFound.
    """
    called = name or await _owner(app, writing(who))
    voice = await voice_named(app, who, called)
    bank = await app.stores.sound.voices.bank(who.scope)
    known = bank.prints_of(voice.voice_id) if voice else []
    gone = (
        [p for p in known if p.origin != HEARD]
        if style is None
        else [p for p in known if p.origin == ENROLLED and p.style == style]
    )
    if not gone and style is not None:
        raise NotFound("There is no such style of this voice.", id=style)
    if voice is None or not gone:
        return EnrolmentRemoved(name=called, removed=0, receipt_id=None)
    erase = partial(app.stores.sound.voices.erase, who.scope, (), [each.print_id for each in gone])
    made = command_id("enrolment", key, voice.voice_id)
    receipt = await erase_voice(app, who, made, voice.voice_id, erase)
    return EnrolmentRemoved(name=called, removed=len(gone), receipt_id=receipt.receipt_id)


async def _owner(app: AppContext, who: Caller) -> str:
    return (await app.profile(who.user_id)).label
