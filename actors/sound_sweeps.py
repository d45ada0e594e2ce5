"""Sweeps of sound: a session that has ended is heard once more as a whole, in the background, one at a time.

What is to be heard is found on disk, and what was heard is noted there after its words were stored. So whoever dies
meanwhile is followed by somebody who hears the same part again, and segments of the same places are the same ones.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from actors.remote_ear import DeployedSpeech, RemoteEar
from actors.transcripts import take_payload
from adapters import build, build_models
from adapters.capture.sound_sessions import KeptSession, SoundSessions, SoundStretch
from adapters.capture.sounds import AFTER_S, BEFORE_S, UNNAMED_SPEAKER, session_of
from adapters.stores import SoundStores
from config.settings import Settings
from memory.errors import DomainError, SoundDamaged, Unavailable, is_away
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sound import SAMPLE, HeardSound
from memory.model.timeline import DAY_S, Instant
from memory.model.voices import SOMEBODY
from memory.ports import Clock, Leases
from memory.rules.sweep import swept_id
from memory.services.ears import GPU, Ear
from memory.services.hearing import SETTLED_S, segments_of
from memory.services.leasing import FreeLeases
from memory.services.recognising import (
    Recording,
    Speakers,
    SpokenSpan,
    carried,
    left_out,
    recognised,
    taught_otherwise,
)
from memory.services.zones import offset_s

log = logging.getLogger("memoray.hearing")
LOOK_S = 2.0
"""Seconds between looks for a session that has ended: some milliseconds for a month of them."""
PACK_LOOK_S = 60.0
"""Seconds between looks for a session to be packed (chosen: nobody waits for it)."""
STRETCH_S = 3_600.0
"""Seconds of sound that are heard in one go, and so again after a death (chosen: 15 minutes of work)."""
SHARED_STRETCH_S = 900.0
"""The same where others wait for the GPU meanwhile (chosen: half a minute of work, if a GPU is forty times as fast)."""
MOST_TRIES = 3
"""Times hearing a stretch may fail before it is left out (chosen, as reading a segment)."""
RETRY_S = 60.0
"""Seconds before the second try; doubles with each further one (chosen)."""
MOST_TOLD = 200
"""Sources of a day and a half that are looked through for what a stream has told in words."""


async def sweep_sound(
    settings: Settings, sound: SoundStores, clock: Clock, ear: Ear | None = None, leases: Leases | None = None
) -> None:
    """Hear what is kept of sessions that have ended, without end, where there is something that can hear."""
    heard_by = ear or RemoteEar(
        DeployedSpeech(), build_models.ear(settings, sweeps=True), settings.models.speech.most_s
    )
    stretch_s = SHARED_STRETCH_S if settings.lease.device == "gpu" else STRETCH_S
    sessions, strangers = build.sound_sessions(settings), settings.sound.strangers
    sweeps = SoundSweeps(sessions, sound, heard_by, strangers, leases, stretch_s)
    while settings.sound.sweeps:
        if not await sweeps.next(clock):
            await asyncio.sleep(LOOK_S)
    await asyncio.Event().wait()


async def pack_sound(settings: Settings, clock: Clock) -> None:
    """Bring sessions that are over into their lasting form, one after the other, without end."""
    packing = build.sound_packing(settings)
    while True:
        try:
            packed = await asyncio.to_thread(packing.next, clock.now())
        except (OSError, DomainError) as error:
            log.warning("sound stays in its form for now: %s", getattr(error, "kind", type(error).__name__))
            packed = False
        if not packed:
            await asyncio.sleep(PACK_LOOK_S)


class SoundSweeps:
    """Hears kept sessions and stores what is said in them, as sweeps of their sources."""

    def __init__(
        self,
        sessions: SoundSessions,
        sound: SoundStores,
        ear: Ear,
        strangers: str = "keep",
        leases: Leases | None = None,
        stretch_s: float = STRETCH_S,
    ) -> None:
        self._sessions, self._sound, self._ear, self._strangers = sessions, sound, ear, strangers
        self._leases, self._stretch_s = leases or FreeLeases(), stretch_s

    async def next(self, clock: Clock) -> bool:
        """Sweep what of a session is due, or a part of it; False if there is nothing to do, or nobody to do it."""
        if not self._ear.is_installed or not await self._due(clock):
            return False
        async with self._leases.lease("sweep"):
            due = await self._due(clock)  # again: some of it may have been forgotten while this waited
            if not due:
                return False
            with self._sessions.taken(due[0]) as mine:
                if mine:
                    await self._sweep(due[0], clock)
                return mine

    async def _due(self, clock: Clock) -> Sequence[KeptSession]:
        return await asyncio.to_thread(self._sessions.due, clock.now())

    async def _sweep(self, session: KeptSession, clock: Clock) -> None:
        until = session.wanted(clock.now())
        try:
            stretch = await asyncio.to_thread(self._sessions.stretch, session, until, self._stretch_s)
        except FileNotFoundError:  # it was removed meanwhile
            return
        except Unavailable as error:  # its key, or what reads its form, is not there: nothing is given up
            log.warning("a session of sound cannot be read now: %s", error.kind)
            await asyncio.to_thread(self._sessions.wait, session, clock.now() + RETRY_S)
            return
        except SoundDamaged as error:
            log.warning("a session of sound could not be read: %s", error.kind)
            await self._failed(session, until, clock.now())
            return
        if stretch is None:  # its lines are gone
            await asyncio.to_thread(self._sessions.advance, session, until)
            return
        try:
            with stretch.file:
                heard_to = await self._heard(session, stretch, clock.now())
        except DomainError as error:
            if is_away(error) and session.state.model == GPU:  # the sound is not at fault: nothing is given up
                await asyncio.to_thread(self._sessions.wait, session, clock.now() + RETRY_S)
                return
            if is_away(error):
                raise
            log.warning("a session of sound could not be heard: %s", error.kind)
            await self._failed(session, stretch.end, clock.now())
        else:
            await asyncio.to_thread(self._sessions.advance, session, *heard_to)

    async def _failed(self, session: KeptSession, end: int, now: Instant) -> None:
        """Try again later; after some times what is up to `end` is left out, for what follows may well be heard."""
        if session.state.tries + 1 < MOST_TRIES:
            again_at = now + RETRY_S * 2**session.state.tries
            await asyncio.to_thread(self._sessions.fail, session, again_at)
        else:
            await asyncio.to_thread(self._sessions.advance, session, end)

    async def _heard(self, session: KeptSession, stretch: SoundStretch, now: Instant) -> tuple[int, str | None]:
        """Hear a stretch and store its words; up to which byte the session was heard now, and by what.

        Nothing is stored of sound that was removed or silenced meanwhile: it was forgotten.
        """
        told = await self._told_in_words(session, stretch)
        if any(span[0] <= stretch.at(0.0) and stretch.at(stretch.seconds) <= span[1] for span in told):
            return stretch.end, None
        heard = await self._ear.hear(stretch.file, model=session.state.model)
        heard, heard_to = _settled(heard, stretch)
        profile = await self._sound.intake.capture.profile(session.user_id)
        if not await asyncio.to_thread(self._sessions.is_same, session):
            return heard_to, None
        speakers = await self._speakers(session, stretch, heard, profile, now)
        said = _placed(heard, session, stretch, _speaker(session, profile), speakers)
        segments = [each for each in said if not _is_told(each, told)]
        if not speakers or session.state.speaker is not None:
            await self._name(session, segments)
        same: bool = await asyncio.to_thread(self._sessions.is_same, session)
        if same:
            await self._store(session, segments)
        return heard_to, heard.engine

    async def _speakers(
        self, session: KeptSession, stretch: SoundStretch, heard: HeardSound, profile: Profile, now: Instant
    ) -> Speakers:
        """Who speaks, by the bank of voices; where the sender has said so, it tells no more than who is left out.

        Where the bank was taught by this sound with another model of voices, who spoke stays as it was told.
        """
        began, scope = stretch.at(0.0), user_scope(session.user_id)
        where = Recording(scope, _session_id(session), began, offset_s(profile.time_zone, began))
        if session.state.speaker is not None:
            return await left_out(self._sound.voices, heard.voices, where, now, self._strangers)
        bank = await self._sound.voices.bank(scope) if session.state.again else None
        if bank is not None and taught_otherwise(bank, heard.voices, where.source_id, self._strangers):
            said = [
                SpokenSpan(stretch.at(each.start), stretch.at(each.end), each.voice)
                for each in heard.sentences
                if each.voice is not None
            ]
            return carried(said, await self._told(session, began, stretch.at(stretch.seconds)))
        return await recognised(self._sound.voices, heard.voices, where, now, self._strangers)

    async def _told(
        self, session: KeptSession, first: Instant, last: Instant, *, swept: bool = True
    ) -> list[SpokenSpan[str]]:
        """Who spoke in a session between two instants, as far as that stands, or as it was heard at once."""
        scope, session_id = user_scope(session.user_id), _session_id(session)
        return [
            SpokenSpan(each.at, each.ended_at, each.speaker)
            for part in await self._sound.intake.capture.parts(scope, session_id)
            if part.started_at <= last and part.ended_at >= first
            for each in await self._sound.sources.labelled(scope, part.source_id)
            if (each.replaced_by is None if swept else not each.is_sweep)
        ]

    async def _name(self, session: KeptSession, segments: Sequence[dict[str, Any]]) -> None:
        """Let each sentence of a session be said by whoever said what it overlaps most, as far as that was heard."""
        if session_of(session.stream) is None or not segments:
            return
        fast = await self._told(session, segments[0]["start"], segments[-1]["end"], swept=False)
        for each in segments:
            shared = {said: min(said.end, each["end"]) - max(said.start, each["start"]) for said in fast}
            best = max(shared, key=lambda said: shared[said], default=None)
            if each["speaker"] != SOMEBODY and best is not None and shared[best] > 0:
                each["speaker"] = best.who

    async def _store(self, session: KeptSession, segments: Sequence[Mapping[str, Any]]) -> None:
        """Store what was heard; what is not to be told takes back what was told at once, if there is any."""
        parts = await self._sound.intake.capture.parts(user_scope(session.user_id), _session_id(session))
        if any(each["text"] for each in segments) or (segments and parts):
            told = await self._payload(session, segments)
            await take_payload(self._sound.intake, session.user_id, told, unsaid=True)

    async def _payload(self, session: KeptSession, segments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What was heard as a line of a session file; its times count from when its session began."""
        session_id = _session_id(session)
        parts = await self._sound.intake.capture.parts(user_scope(session.user_id), session_id)
        firsts = await asyncio.to_thread(self._sessions.of, session.user_id, session.stream)
        began = parts[0].started_at if parts else firsts[0].began if firsts else session.began
        if session_of(session.stream) is None:
            began = session.began
        if parts:  # what was said before the first that stands is told at its time: it may be of one that was forgotten
            began = min([began, *(each["start"] for each in segments)])
        return {
            "session_id": session_id,
            "device_id": session.state.device_id,
            "session_started_at": began,
            "is_sweep": True,
            "segments": [
                {**each, "start": max(0.0, each["start"] - began), "end": max(0.0, each["end"] - began)}
                for each in segments
            ],
        }

    async def _told_in_words(self, session: KeptSession, stretch: SoundStretch) -> list[tuple[Instant, Instant]]:
        """When a stream has told in words what was said, so that its sound need not be heard: it knows the speakers."""
        if session_of(session.stream) is not None:
            return []
        began, ended = stretch.at(0.0), stretch.at(stretch.seconds)
        view = View(session.user_id, clearance=Sensitivity.SENSITIVE)
        page = await self._sound.sources.page(view, MOST_TOLD, after=began - DAY_S, before=ended + AFTER_S)
        origin, own = session.stream.partition("-")[0], f"{session.stream}-{session.name.split('-')[-2]}"
        return [
            (source.started_at - BEFORE_S, (source.ended_at or source.started_at) + AFTER_S)
            for source in page.shown
            if source.source_id.startswith(f"{origin}-") and not source.source_id.startswith(own)
        ]


def _settled(heard: HeardSound, stretch: SoundStretch) -> tuple[HeardSound, int]:
    """What was heard for good, and up to which byte: a sentence at the end of a stretch may go on in the next."""
    last = heard.sentences[-1] if heard.sentences else None
    if stretch.is_last or last is None or last.end < stretch.seconds - SETTLED_S:
        return heard, stretch.end
    heard_to = stretch.byte_at(last.start)
    if heard_to <= stretch.byte_at(heard.sentences[0].start):  # one sentence is all there is
        return heard, stretch.end
    return replace(heard, sentences=heard.sentences[:-1]), heard_to


def _session_id(session: KeptSession) -> str:
    """The session as its source is named."""
    return session_of(session.stream) or f"{session.stream}-{session.name.split('-')[-2]}"


def _placed(
    heard: HeardSound, session: KeptSession, stretch: SoundStretch, speaker: str, speakers: Speakers
) -> list[dict[str, Any]]:
    """What was heard as segments, at the instants at which it was said; their ids are the places of their sound."""
    began, place = session.name.split("-")[-2], -SAMPLE
    placed = []
    unclear = SOMEBODY if session.state.speaker is None else None
    for each in segments_of(heard, speaker, speakers, unclear, unsaid=True):
        place = max(place + SAMPLE, stretch.byte_at(each["start"]))  # two that begin at once are two
        start = stretch.at(each["start"])
        end = max(start, stretch.at(each["end"]))
        named = swept_id(session.state.again, f"{began}-{place}")
        placed.append({**each, "segment_id": named, "start": start, "end": end})
    return placed


def _speaker(session: KeptSession, profile: Profile) -> str:
    """Who is said to speak where nothing was heard at once: as whoever sent the sound says, else the owner.

    Of a stream nobody says who wears the device.
    """
    if session_of(session.stream) is None:
        return UNNAMED_SPEAKER
    return session.state.speaker or profile.name or next(iter(profile.speaker_labels), "me")


def _is_told(segment: Mapping[str, Any], told: Sequence[tuple[Instant, Instant]]) -> bool:
    return any(began <= segment["start"] <= ended for began, ended in told)
