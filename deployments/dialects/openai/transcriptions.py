"""Transcriptions: a recording is heard on this machine, its words are given back, and nothing of it is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import PlainTextResponse, Response

from deployments.app_context import AppContext
from deployments.callers import Reader
from deployments.commands import Here
from deployments.dialects.openai.captions import srt_of, text_of, vtt_of
from deployments.dialects.openai.names import known, names
from deployments.findings import checked
from deployments.kinds import ShortText, Text
from deployments.routers import json_router
from deployments.showing import VisibleJson
from deployments.uploads import SoundUpload, received, unless_left
from deployments.use_cases.transcribing import transcribe
from memory.errors import Invalid
from memory.model.sound import HeardSound
from memory.words.cleaning import visible
from memory.words.languages import name_of

TRANSCRIPTIONS = "/v1/audio/transcriptions"
WHISPER = "whisper-1"
"""What clients call the model where they know no other; Memoray's own names are taken, too."""
_LISTS = {"timestamp_granularities[]": "timestamp_granularities", "include[]": "include"}
"""Fields that come several times, as OpenAI's clients write them -> what they are called here."""
_PLAIN = {"text": lambda heard: f"{text_of(heard)}\n", "srt": srt_of, "vtt": vtt_of}
router = json_router(described=False)


class TranscriptionIn(BaseModel):
    """The fields of a request beside its file. What only tunes another model, as a prompt, is not read."""

    model: ShortText
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")] | None = None
    response_format: Literal["json", "text", "srt", "verbose_json", "vtt"] = "json"
    timestamp_granularities: Annotated[list[Literal["word", "segment"]], Field(max_length=10)] = []
    stream: bool = False
    include: list[ShortText] = []
    prompt: Text | None = None
    temperature: ShortText | None = None
    chunking_strategy: ShortText | None = None


@router.post(TRANSCRIPTIONS)
async def transcriptions(request: Request, _: Reader, app: Here) -> Response:
    """Hear a recording: its words as JSON, as text or as captions."""
    async with received(request, app, "file") as sent:
        asked = _asked(app, sent)
        heard = await unless_left(request, transcribe(app, sent.file, asked.language))
    if (plain := _PLAIN.get(asked.response_format)) is not None:
        return PlainTextResponse(plain(heard))
    return VisibleJson(_told(heard, asked))


def _asked(app: AppContext, sent: SoundUpload) -> TranscriptionIn:
    """What is asked for. Raises Invalid of what is not understood or would be another answer than is given."""
    fields: dict[str, Any] = {}
    for name, values in sent.fields.items():
        listed = _LISTS.get(name, name if name in _LISTS.values() else None)
        if listed is None:
            fields[name] = values[-1]
        else:
            fields[listed] = [*fields.get(listed, ()), *values]
    asked = checked(TranscriptionIn.model_validate, fields)
    known(asked.model, [*names(app), WHISPER])
    if asked.stream:
        raise _unsupported("stream: the words are told when all of them were heard; leave it out.", "stream")
    if asked.include:
        raise _unsupported("include is not supported here; leave it out.", "include")
    if asked.timestamp_granularities and asked.response_format != "verbose_json":
        raise _unsupported("timestamp_granularities needs response_format=verbose_json.", "timestamp_granularities")
    return asked


def _unsupported(detail: str, param: str) -> Invalid:
    return Invalid(detail, param=param, code="unsupported_parameter")


def _told(heard: HeardSound, asked: TranscriptionIn) -> Mapping[str, Any]:
    """The answer as JSON: its words or, if it is to be verbose, where each of them was heard."""
    usage = {"type": "duration", "seconds": max(1, round(heard.seconds))}
    if asked.response_format == "json":
        return {"text": text_of(heard), "usage": usage}
    wanted = asked.timestamp_granularities or ["segment"]
    told: dict[str, Any] = {
        "task": "transcribe",
        "language": _language(heard, asked),
        "duration": heard.seconds,
        "text": text_of(heard),
        "usage": usage,
    }
    if "segment" in wanted:
        told["segments"] = _segments(heard)
    if "word" in wanted:
        words = [word for each in heard.sentences for word in each.words]
        told["words"] = [{"word": visible(each.text).strip(), "start": each.start, "end": each.end} for each in words]
    return told


def _language(heard: HeardSound, asked: TranscriptionIn) -> str:
    """The language most was said in, by its name."""
    spoken = [each.language for each in heard.sentences] or [asked.language or "en"]
    return name_of(max(dict.fromkeys(spoken), key=spoken.count)).lower()


def _segments(heard: HeardSound) -> Sequence[Mapping[str, Any]]:
    """Each sentence, with fields of Whisper's that its clients require: what is not measured here is 0."""
    measured = {"temperature": 0.0, "avg_logprob": 0.0, "compression_ratio": 0.0, "no_speech_prob": 0.0}
    return [
        {"id": place, "seek": 0, "start": each.start, "end": each.end, "text": visible(each.text), "tokens": []}
        | measured
        for place, each in enumerate(heard.sentences)
    ]
