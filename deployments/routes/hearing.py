"""Sound that devices send: pieces of a session are heard as they come, and the session is swept once it is over."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Query, Request, status
from pydantic import Field
from starlette.responses import Response

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.findings import checked
from deployments.kinds import Body, Id, ShortText, Text
from deployments.ranges import in_part
from deployments.routers import json_router
from deployments.uploads import received, unless_left
from deployments.use_cases import recordings
from deployments.use_cases.correcting_heard import HeardCorrection, SegmentCorrected, correct_heard
from deployments.use_cases.heard_pieces import SoundPieceIn
from deployments.use_cases.recordings import (
    STALE_S,
    PieceHeard,
    SessionEnded,
    SessionsEnded,
    SoundSessionOut,
)
from deployments.use_cases.sounds import sound_of_segment
from deployments.use_cases.sources import SessionId
from deployments.use_cases.telling import Emotion, emotion_told
from memory.services.ears import HearingModel

router = json_router("/v1", ["hearing"])
LANGUAGE = "^[a-z]{2,3}$"


class PieceForm(Body):
    """The fields of the form beside its file. Those of seed 001 that choose nothing are in `_NOTHING`."""

    session_id: SessionId
    device_id: ShortText | None = None
    speaker: Id | None = None
    language: Annotated[str, Field(pattern=LANGUAGE)] | None = None
    is_sweep: bool = False
    stt_backend: ShortText | None = None
    ser_all_speakers: bool = False

    model_config = Body.model_config | {"extra": "ignore"}


_NOTHING = {
    "stt_backend": "Chooses nothing: `models.speech` names the model, and POST /v1/sweep hears again with another one.",
    "ser_all_speakers": "Chooses nothing: feelings are read from everybody's words, in one go with the owner's.",
}
"""Fields of seed 001 that are taken, so that its devices need no change, and why they choose nothing."""
_FORM = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["audio", "session_id"],
                "properties": {
                    "audio": {"type": "string", "format": "binary"},
                    **{
                        name: {"type": kind} | ({"description": _NOTHING[name]} if name in _NOTHING else {})
                        for name, kind in {
                            "session_id": "string",
                            "device_id": "string",
                            "speaker": "string",
                            "language": "string",
                            "is_sweep": "boolean",
                            "stt_backend": "string",
                            "ser_all_speakers": "boolean",
                        }.items()
                    },
                },
            },
            "example": {"audio": "(WAV)", "session_id": "a1b2c3d4", "device_id": "flutter-omi"},
        }
    },
}


@router.post("/transcribe", openapi_extra={"requestBody": _FORM})
async def transcribe(
    request: Request,
    who: Who,
    app: Here,
    idempotency_key: Annotated[Id | None, Header(description="The same key again is the same piece.")] = None,
) -> PieceHeard:
    """Hear a piece of a session, at most ten minutes: WAV, or any other usual sound file, as a form.

    Its sound is kept, and its words become segments of the session's source; times count from the session's
    beginning, a piece as said up to now. Once the session is over, by POST /v1/session/{session_id}/end or by 15 silent
    minutes, all of it is heard again, and better segments replace these. The same piece again, or another with the same
    Idempotency-Key, changes nothing. `speaker` is who speaks, the owner if it is left out. `stt_backend` and
    `ser_all_speakers` are taken and choose nothing: the settings name the model, and all speakers' feelings are read.

    Example: `curl /v1/transcribe -F audio=@piece.wav -F session_id=a1b2c3d4`
    """
    async with received(request, app, "audio") as sent:
        asked = checked(PieceForm.model_validate, {name: values[-1] for name, values in sent.fields.items()})
        piece = SoundPieceIn(asked.session_id, asked.device_id, asked.speaker, asked.language, asked.is_sweep)
        return await unless_left(request, recordings.hear_piece(app, who, idempotency_key, piece, sent.file))


@router.get("/session/{session_id}")
async def session(session_id: SessionId, who: Who, app: Here) -> SoundSessionOut:
    """A session: its sources, how much of its sound is kept, and how far it was swept.

    Example: `GET /v1/session/a1b2c3d4`
    """
    return await recordings.show_session(app, who, session_id)


@router.post("/session/{session_id}/end")
async def end(session_id: SessionId, who: Who, app: Here) -> SessionEnded:
    """End a session: what was heard in it by now. It is swept soon; what comes later opens it again.

    Example: `POST /v1/session/a1b2c3d4/end`
    """
    return await recordings.end_session(app, who, session_id)


@router.post("/sweep/{session_id}", status_code=status.HTTP_202_ACCEPTED)
async def sweep(
    session_id: SessionId,
    who: Who,
    app: Here,
    model: Annotated[HearingModel | None, Query(description="With what; else with what is configured.")] = None,
) -> SoundSessionOut:
    """Sweep what there is of a session by now, in the background; GET /v1/session/{session_id} tells how far it is.

    With a `model` with which it was not swept last, all of it is heard again while its sound is kept: `tiny.en`,
    `base`, `own` (the folder of `models.speech.path`) or `gpu`. Its sentences replace the earlier ones except pinned
    ones, and facts are read from them anew. The same model again changes nothing.

    Example: `POST /v1/sweep/a1b2c3d4?model=base`
    """
    return await recordings.sweep_session(app, who, session_id, model)


class FeedbackIn(Body):
    """What is right of a segment; what is left out stays."""

    source_id: Id
    segment_id: Id
    speaker: ShortText | None = None
    text: Text | None = None
    emotion: Emotion | None = None


@router.post("/feedback")
async def feedback(body: FeedbackIn, who: Who, app: Here, key: Key) -> SegmentCorrected:
    """Correct who said a segment, its words or its emotion. No sweep takes it back, and facts are read anew from it.

    If its sound is kept and is two seconds of one voice, the speaker is known by it from now on (`taught`), until
    `POST /v1/voices/undo` or the end of the source.

    Example: `POST /v1/feedback {"source_id": "a1b2c3d4", "segment_id": "f8e7d6c5-1", "speaker": "Tom"}`
    """
    correction = HeardCorrection(body.speaker, body.text, emotion_told(body.emotion))
    return await correct_heard(app, who, key, (body.source_id, body.segment_id), correction)


@router.post("/cleanup")
async def cleanup(
    who: Who,
    app: Here,
    silent_s: Annotated[float, Query(ge=0, le=1e9, description="Seconds in which nothing came.")] = STALE_S,
) -> SessionsEnded:
    """End sessions in which nothing came for an hour, or so many seconds. Nothing is lost: they are swept.

    Example: `POST /v1/cleanup?silent_s=600`
    """
    return await recordings.end_stale_sessions(app, who, silent_s)


@router.get(
    "/segments/{source_id:path}/{segment_id}/audio",
    response_class=Response,
    responses={200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def audio(source_id: Id, segment_id: Id, request: Request, who: Who, app: Here) -> Response:
    """The sound of a segment as a WAV file, with a quarter of a second around it; 404 where none is kept.

    A part of it is had by the header `Range`, with 206.

    Example: `GET /v1/segments/a1b2c3d4/f8e7d6c5-1/audio`
    """
    return in_part(request, await sound_of_segment(app, who, source_id, segment_id), "audio/wav")
