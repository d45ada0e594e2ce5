"""What is heard in a piece of a session at once: its sound is kept, its words are stored, and who speaks is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.sources import take_in
from deployments.use_cases.telling import emotion_shown
from memory.errors import Invalid, Unavailable
from memory.model.ids import digest
from memory.model.sound import HeardSound
from memory.model.sources import SESSION_GAP_S
from memory.model.timeline import Instant
from memory.services.hearing import segments_of
from memory.services.recognising import Recording, Speakers, known, left_out, shown_as
from memory.services.voices import Banks
from memory.services.zones import offset_s


class HeardSegmentOut(BaseModel):
    """What was heard; `start` and `end` in seconds from the beginning of its session.

    `emotion` is a guess, with both names of seed 001 (`label` is `primary`, `score` is `confidence`). `emotion_reason`
    is why there is none: `off` in the settings, `unread` before the sweep of a live stream, or `unclear` words.
    """

    segment_id: str
    speaker: str
    text: str
    start: float
    end: float
    language: str | None = None
    stt_engine: str | None = None
    emotion: dict[str, Any] | None = None
    emotion_reason: str | None = None


@dataclass(frozen=True, slots=True)
class SoundPieceIn:
    """What is said of a piece of a session; `speaker` is who speaks, where that is known."""

    session_id: str
    device_id: str | None = None
    speaker: str | None = None
    language: str | None = None
    is_sweep: bool = False


async def keep_piece(
    app: AppContext, user_id: str, key: str, piece: SoundPieceIn, sound: bytes, came_at: Instant | None = None
) -> Instant | None:
    """Until when a piece was heard: `came_at`, else now, or when it first came; None of one that is not kept."""
    if not sound:
        raise Invalid("This file holds no sound.")
    at, told = came_at or app.clock.now(), {"device_id": piece.device_id, "speaker": piece.speaker}
    try:
        if await asyncio.to_thread(app.sounds.keep_of_session, user_id, piece.session_id, sound, at, key, told):
            return at
        return await asyncio.to_thread(app.sound_sessions.piece_at, user_id, piece.session_id, key)
    except OSError as error:
        raise Unavailable("The disk takes no sound now.") from error


async def store_heard(
    app: AppContext,
    who: Caller,
    key: str,
    piece: SoundPieceIn,
    heard: HeardSound,
    began: Instant,
    banks: Banks | None = None,
) -> list[HeardSegmentOut]:
    """Store what was heard in a piece that began then, as a line of a session file tells it; each segment as told.

    Whoever stores one piece after the other may give the `banks` to read voices from. Raises Forbidden.
    """
    user_id = writing(who).user_id
    banks = banks or app.stores.sound.voices
    speaker = piece.speaker or (await app.profile(user_id)).label
    started_at = await _started_at(app, who, piece.session_id) or began
    if began < started_at - SESSION_GAP_S:  # of no part that stands: it may belong to one that was forgotten
        started_at = began
    shift, named = max(0.0, began - started_at), digest(piece.session_id, key).hex()
    speakers = await _known(app, who, piece, heard, began, banks)
    segments = [
        {
            **each,
            "segment_id": f"{named}-{each['segment_id']}",
            "start": round(each["start"] + shift, 3),
            "end": round(each["end"] + shift, 3),
        }
        for each in segments_of(heard, speaker, speakers)
    ]
    line = {
        "session_id": piece.session_id,
        "device_id": piece.device_id,
        "session_started_at": started_at,
        "is_sweep": piece.is_sweep,
        "segments": segments,
    }
    await take_in(app, who, line)
    said = {each["speaker"] for each in segments} if speakers else set()
    return _shown(app, segments, await shown_as(banks, who.scope, said) if said else {})


def _shown(app: AppContext, segments: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[HeardSegmentOut]:
    """The segments as they are told, voices by the names that they have now."""
    wanted = app.settings.models.speech.emotion
    return [
        HeardSegmentOut(
            **{name: each.get(name) for name in HeardSegmentOut.model_fields}
            | {
                "speaker": names.get(each["speaker"], each["speaker"]),
                "emotion": emotion_shown(each.get("emotion")),
                "emotion_reason": why_unfelt(each.get("emotion"), wanted),
            }
        )
        for each in segments
    ]


def why_unfelt(emotion: Mapping[str, Any] | None, wanted: bool) -> str | None:
    """Why no feeling is told."""
    if emotion is None:
        return "unread" if wanted else "off"
    return None if emotion.get("score") else "unclear"


async def _known(
    app: AppContext, who: Caller, piece: SoundPieceIn, heard: HeardSound, began: Instant, banks: Banks
) -> Speakers:
    """Who of those whose voices are known speaks in a piece; the sweep knows more, and learns.

    Where its sender says who speaks, voices tell no more than who is left out.
    """
    where = Recording(who.scope, piece.session_id, began, offset_s((await app.profile(who.user_id)).time_zone, began))
    told = known if piece.speaker is None else left_out
    return await told(banks, heard.voices, where, app.clock.now(), app.settings.sound.strangers)


async def _started_at(app: AppContext, who: Caller, session_id: str) -> Instant | None:
    """When a session began: with its first source, else with its first sound."""
    parts = await app.stores.intake.capture.parts(who.scope, session_id)
    if parts:
        return float(parts[0].started_at)
    kept = await asyncio.to_thread(app.sound_sessions.named, who.user_id, session_id)
    return kept[0].began if kept else None
