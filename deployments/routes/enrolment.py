"""Enrolment: by which samples the owner's voice is known, and those of others."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, status

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Body, Id
from deployments.routers import json_router
from deployments.uploads import received_sound
from deployments.use_cases import enrolling
from deployments.use_cases.enrolling import EnrolledStyle, Enrolment, EnrolmentRemoved
from deployments.use_cases.voices import VoiceName
from memory.model.voices import DEFAULT_STYLE

router = json_router("/v1", ["voices"])
FORM = "multipart/form-data"
_FILE: dict[str, Any] = {"type": "string", "format": "binary"}
_BODY = {
    "required": True,
    "content": {
        "audio/*": {"schema": _FILE},
        FORM: {"schema": {"type": "object", "properties": {"audio": _FILE}, "required": ["audio"]}},
    },
}
Named = Annotated[VoiceName | None, Query(description="Whose voice it is; by default the owner's.")]


class EnrolmentParameters(Body):
    """Whose voice a sample is of, and in which style: a device, a language, a mood."""

    name: VoiceName | None = None
    style: Id = DEFAULT_STYLE


@router.post(
    "/enroll", status_code=status.HTTP_201_CREATED, response_model=EnrolledStyle, openapi_extra={"requestBody": _BODY}
)
async def enroll(
    request: Request, asked: Annotated[EnrolmentParameters, Query()], who: Who, app: Here, key: Key
) -> Any:
    """Give a sample of a voice: five seconds or more of one person's speech, through the device that will be heard.

    From then on what they say is told as theirs. A second language or device is a further `style`.

    The sound itself is not kept. 503 without the extra `speech`. `POST /v1/voices/undo` takes it back.

    Example: `curl /v1/enroll?style=phone -H 'Content-Type: audio/wav' --data-binary @me.wav`
    """
    return await enrolling.enrol(app, who, key, received_sound(request, app, "audio"), asked.name, asked.style)


@router.get("/enrollment", response_model=Enrolment)
async def enrollment(who: Who, app: Here, name: Named = None) -> Any:
    """By which styles the owner's voice is known: given by hand, or learnt by listening.

    Example: `GET /v1/enrollment?name=Tom`
    """
    return await enrolling.enrolment(app, who, name)


@router.delete("/enrollment", response_model=EnrolmentRemoved)
async def clear_enrollment(who: Who, app: Here, key: Key, name: Named = None) -> Any:
    """Erase all samples of the owner's voice, and what was learnt by them, for good.

    Example: `DELETE /v1/enrollment`
    """
    return await enrolling.remove(app, who, key, name, None)


@router.delete("/enrollment/{style}", response_model=EnrolmentRemoved)
async def remove_style(style: Id, who: Who, app: Here, key: Key, name: Named = None) -> Any:
    """Erase the samples of one style, for good. Example: `DELETE /v1/enrollment/whisper`"""
    return await enrolling.remove(app, who, key, name, style)
