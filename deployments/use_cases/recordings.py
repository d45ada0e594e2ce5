"""Sessions of sound: each piece is kept and heard at once; once a session is over it is swept as a whole.

Its words become sources as those of session files do. Sound that is kept is never lost: what cannot be heard at once is
heard by the sweep (actors/sound_sweeps.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from time import monotonic
from typing import Any, BinaryIO, Literal

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.heard_pieces import HeardSegmentOut, SoundPieceIn, keep_piece, store_heard, why_unfelt
from deployments.use_cases.telling import emotion_shown
from memory.errors import Conflict, NotFound, Unavailable
from memory.model.heard import KnownSegment
from memory.model.sound import RATE, SAMPLE, HeardSound
from memory.model.timeline import Instant, iso
from memory.rules.sweep import MOST_AGAIN
from memory.services.ears import GPU, HearingModel

MOST_PIECE_S = 600.0
"""Seconds of one piece (chosen: a device sends some seconds; a recording is imported, or transcribed)."""
STALE_S = 3_600.0
"""Seconds of silence after which POST /v1/cleanup ends a session (seed 001)."""
Sweeping = Literal["none", "waiting", "active", "done"]


_SEGMENT = {
    "segment_id": "f8e7d6c5-1",
    "speaker": "Rajesh",
    "text": "Let me check that email",
    "start": 12.5,
    "end": 14.2,
    "language": "en",
    "stt_engine": "whisper-base",
}


class PieceHeard(
    BaseModel,
    json_schema_extra={
        "examples": [
            {
                "segments": [_SEGMENT],
                "session_id": "a1b2c3d4",
                "speakers_detected": 1,
                "processing_time_ms": 2340,
                "sweep_active": False,
                "deferred": False,
            }
        ]
    },
):
    """What was heard in a piece. `sweep_active` is whether a session of this memory is being swept, or a sweep has the
    GPU; a piece that is `deferred` was kept, and is heard by the sweep of its session."""

    segments: list[HeardSegmentOut]
    session_id: str
    speakers_detected: int
    processing_time_ms: int
    sweep_active: bool
    deferred: bool


class SoundSessionOut(
    BaseModel,
    json_schema_extra={
        "examples": [
            {
                "session_id": "a1b2c3d4",
                "started_at": "2026-03-01T08:00:00+00:00",
                "ended": True,
                "sources": ["a1b2c3d4"],
                "segments_count": 12,
                "sound_s": 61.5,
                "swept_s": 61.5,
                "sweep": "done",
            }
        ]
    },
):
    """A session: its sources, how much of its sound is kept, and how far that was swept."""

    session_id: str
    started_at: str | None
    ended: bool
    sources: list[str]
    segments_count: int
    sound_s: float
    swept_s: float
    sweep: Sweeping


class SessionEnded(
    SoundSessionOut,
    json_schema_extra={
        "examples": [
            {
                "session_id": "a1b2c3d4",
                "started_at": "2026-03-01T08:00:00+00:00",
                "ended": True,
                "sources": ["a1b2c3d4"],
                "segments_count": 1,
                "sound_s": 61.5,
                "swept_s": 0.0,
                "sweep": "waiting",
                "segments": [_SEGMENT],
            }
        ]
    },
):
    """A session that is over, with what was heard in it by now."""

    segments: list[HeardSegmentOut]


class SessionsEnded(BaseModel, json_schema_extra={"examples": [{"removed": 1, "sessions": ["a1b2c3d4"]}]}):
    """Sessions that were ended since nothing came for long; their sound and their words stay."""

    removed: int
    sessions: list[str]


async def hear_piece(app: AppContext, who: Caller, key: str | None, piece: SoundPieceIn, file: BinaryIO) -> PieceHeard:
    """Keep a piece of a session, hear it, and store its words. The same piece again changes nothing.

    Raises Forbidden, Invalid of what is no sound, TooLarge of one of more than `MOST_PIECE_S`, and Unavailable where
    it can neither be heard nor kept.
    """
    user_id, begun = writing(who).user_id, monotonic()
    with await app.ear.decode(file, MOST_PIECE_S) as decoded:
        sound = await asyncio.to_thread(decoded.read)
    key = key or sha256(sound).hexdigest()
    at = await keep_piece(app, user_id, key, piece, sound)
    began = (app.clock.now() if at is None else at) - len(sound) / (SAMPLE * RATE)
    heard, is_held_up = await _heard(app, piece, sound, is_kept=at is not None)
    segments = await store_heard(app, who, key, piece, heard, began) if heard is not None and heard.sentences else []
    swept = await asyncio.to_thread(app.sound_sessions.swept_now, user_id)
    return PieceHeard(
        segments=segments,
        session_id=piece.session_id,
        speakers_detected=len({each.speaker for each in segments}),
        processing_time_ms=round((monotonic() - begun) * 1000),
        sweep_active=swept is not None or (is_held_up and await _is_swept(app)),
        deferred=heard is None,
    )


async def _heard(
    app: AppContext, piece: SoundPieceIn, sound: bytes, *, is_kept: bool
) -> tuple[HeardSound | None, bool]:
    """What is said in a piece, if it can be heard now, and whether others have the GPU; the rest is for its sweep.

    Raises Unavailable where it cannot, and is not kept either.
    """
    async with app.leases.lease("live", patience_s=0.0) as granted:
        try:
            if not granted:
                raise Unavailable("Others have the GPU; send it again in a moment.", retry_after_s=10)
            return await app.ear.hear_samples(sound, piece.language), False
        except Unavailable:
            if not is_kept:
                raise
            return None, not granted


async def _is_swept(app: AppContext) -> bool:
    """Whether it is a sweep that has the GPU, whoever's it is."""
    state = await app.leases.state()
    return state is not None and any(each.user == "sweep" for each in state.held)


async def show_session(app: AppContext, who: Caller, session_id: str) -> SoundSessionOut:
    """A session in view. Raises NotFound."""
    return (await _seen(app, who, session_id))[0]


async def end_session(app: AppContext, who: Caller, session_id: str) -> SessionEnded:
    """End a session: it is swept soon. What was heard in it by now. Raises Forbidden and NotFound."""
    await _seen(app, writing(who), session_id)
    for each in await asyncio.to_thread(app.sound_sessions.named, who.user_id, session_id):
        await asyncio.to_thread(app.sound_sessions.end, each)
    told, segments = await _seen(app, who, session_id)
    return SessionEnded(**told.model_dump(), segments=segments)


async def sweep_session(
    app: AppContext, who: Caller, session_id: str, model: HearingModel | None = None
) -> SoundSessionOut:
    """Ask for a sweep of what there is of a session by now; what was swept is not swept again, except with a model with
    which it was not swept last.

    Raises Forbidden, NotFound, also where no sound of it is kept, Conflict where it was swept anew too often, and
    Unavailable where that model is not here.
    """
    await _seen(app, writing(who), session_id)
    if (model == GPU and app.speech is None) or (model == "own" and app.settings.models.speech.path is None):
        raise Unavailable("That model is not here.", model=model)
    kept = await _kept(app, who, session_id)
    if not kept:
        raise NotFound("No sound of this session is kept.", session_id=session_id)
    for each in kept:
        if model is None or each.is_heard_by(model):
            await asyncio.to_thread(app.sound_sessions.ask, each)
        elif each.state.again >= MOST_AGAIN:
            raise Conflict(f"A session is swept anew at most {MOST_AGAIN} times.", session_id=session_id)
        else:
            await asyncio.to_thread(app.sound_sessions.ask_anew, each, model)
    return await show_session(app, who, session_id)


async def end_stale_sessions(app: AppContext, who: Caller, silent_s: float = STALE_S) -> SessionsEnded:
    """End every session in the caller's sight in which nothing came for so many seconds. Raises Forbidden."""
    user_id, now = writing(who).user_id, app.clock.now()
    ended: list[str] = []
    for session_id in await asyncio.to_thread(app.sound_sessions.all_named, user_id):
        kept = await _kept(app, who, session_id)
        stale = [each for each in kept if now - each.ended > silent_s and each.state.ended < each.size]
        for each in stale:
            await asyncio.to_thread(app.sound_sessions.end, each)
        ended += [session_id] if stale else []
    return SessionsEnded(removed=len(ended), sessions=ended)


async def _seen(app: AppContext, who: Caller, session_id: str) -> tuple[SoundSessionOut, list[HeardSegmentOut]]:
    """A session and its segments, as far as they are in view; its sound is told of only where all of it is.

    Raises NotFound where nothing of it is.
    """
    now, scope = app.clock.now(), who.scope
    parts = await app.stores.intake.capture.parts(scope, session_id)
    seen = [each for each in parts if await _in_view(app, who, each.source_id)]
    kept = await asyncio.to_thread(app.sound_sessions.named, who.user_id, session_id) if seen == parts else []
    if not seen and not kept:
        raise NotFound("There is no such session in this memory.", session_id=session_id)
    began = seen[0].started_at if seen else kept[0].began
    segments = [
        _segment(each, part.started_at - began, app.settings.models.speech.emotion)
        for part in seen
        for each in await app.stores.reads.sources.segments(scope, part.source_id)
        if each.replaced_by is None
    ]
    told = SoundSessionOut(
        session_id=session_id,
        started_at=iso(began),
        ended=all(each.is_over(now) for each in kept),
        sources=[each.source_id for each in seen],
        segments_count=len(segments),
        sound_s=round(sum(each.seconds for each in kept), 3),
        swept_s=round(sum(each.heard_s for each in kept), 3),
        sweep=await _sweeping(app, who, kept, now),
    )
    return told, segments


async def _kept(app: AppContext, who: Caller, session_id: str) -> Sequence[Any]:
    """The sound of a session, if all of it is in view: a sweep of it changes what every source of it says."""
    parts = await app.stores.intake.capture.parts(who.scope, session_id)
    if not all([await _in_view(app, who, each.source_id) for each in parts]):
        return ()
    return list(await asyncio.to_thread(app.sound_sessions.named, who.user_id, session_id))


async def _in_view(app: AppContext, who: Caller, source_id: str) -> bool:
    try:
        await app.stores.reads.sources.one(who.view, who.scope, source_id)
    except NotFound:
        return False
    return True


async def _sweeping(app: AppContext, who: Caller, kept: Sequence[Any], now: Instant) -> Sweeping:
    if await asyncio.to_thread(app.sound_sessions.swept_now, who.user_id) in [each.name for each in kept]:
        return "active"
    if any(each.wanted(now) > each.state.heard for each in kept):
        return "waiting"
    return "done" if kept and all(each.state.heard >= each.size for each in kept) else "none"


def _segment(segment: KnownSegment, shift: float, wanted: bool) -> HeardSegmentOut:
    """A stored segment, its times from the beginning of the session."""
    return HeardSegmentOut(
        segment_id=segment.segment_id,
        speaker=segment.speaker,
        text=segment.text,
        start=round(segment.start + shift, 3),
        end=round(segment.end + shift, 3),
        language=segment.language,
        stt_engine=segment.stt_engine,
        emotion=emotion_shown(segment.emotion),
        emotion_reason=why_unfelt(segment.emotion, wanted),
    )
