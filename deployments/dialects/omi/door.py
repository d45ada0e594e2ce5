"""Omi: the webhooks of the wearable's cloud, its own transcriber, and tools for its chat. The secret is in the path.

Omi sends neither a signature nor a header of ours, and switches a webhook off that is refused too often. So whoever
knows the secret is always told 200 and `{}`: of a body that is malformed what can be read is taken, the rest is set
aside and counted in the log. Only what another try may mend is refused.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Header, Request, WebSocket
from pydantic import ValidationError
from starlette.responses import Response

from deployments.app_context import AppContext
from deployments.callers import Caller, Who
from deployments.commands import Here
from deployments.dialect import Dialect
from deployments.dialects.omi import tools
from deployments.dialects.omi.sent import Sent
from deployments.kinds import MOST_SEGMENTS, MOST_TEXT
from deployments.live_socket import hear_socket
from deployments.problems import Problem
from deployments.routers import json_router, routes_of
from deployments.showing import VisibleJson
from deployments.use_cases.sounds import keep_sound
from deployments.use_cases.streams import overhear, settle
from deployments.use_cases.telling import MOST_PARTICIPANTS, SegmentIn, SourceIn, tell
from memory.errors import Forgotten, Invalid
from memory.model.ids import digest
from memory.model.timeline import from_datetime, to_datetime

log = logging.getLogger("memoray.gateway")
router = json_router(described=False)
ORIGIN = "omi"
OMI = "Omi"
"""Who speaks in a summary: a model wrote it, so none of it is evidence."""
_SPOKEN = re.compile(r"/omi/.*|/\.well-known/omi-tools\.json", re.DOTALL)
_SECRET = re.compile(r"/omi/(?!tools/)([^/]+)/.*", re.DOTALL)
_CODECS = {"pcm16": "pcm16", "linear16": "pcm16"}
"""Samples by the names that Omi and other services give them; everything else of Omi's is Opus."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""An id of Omi's as its cloud makes them; any other goes into ours as its digest."""
MOST_SENTENCES = 500
"""Of a day's summary (chosen: a dozen are usual)."""
MOST_SHORT = 1_000
"""Characters of what is told about a conversation, as a source holds it."""


Retried = Annotated[str | None, Header(alias="idempotency-key")]


@router.post("/omi/{secret}/transcript")
async def transcript(
    sent: Sent, who: Who, app: Here, key: Retried = None, uid: str | None = None, session_id: str | None = None
) -> Response:
    """What is being said: `{"session_id", "segments"}` as Omi's code sends it, or the bare list its manual shows."""
    body = sent if isinstance(sent, Mapping) else {"segments": sent}
    segments = await _segments(app, who, body.get("segments"), key)
    if segments:
        stream = _stream(uid or session_id or body.get("session_id"))
        await _acknowledged(overhear(app, who, stream, segments, ORIGIN))
    return VisibleJson({})


@router.post("/omi/{secret}/conversation")
async def conversation(sent: Sent, who: Who, app: Here, key: Retried = None, uid: str | None = None) -> Response:
    """A conversation that is over, with its final transcript."""
    body = sent if isinstance(sent, Mapping) else {}
    segments = await _segments(app, who, body.get("transcript_segments"), key, _language(body.get("language")))
    if segments:
        told = {
            "source_id": f"{ORIGIN}-{_named(body.get('id') or segments[0].segment_id)}",
            "started_at": _began(app, body, segments).isoformat(),
            "participants": list(dict.fromkeys(each.speaker for each in segments))[:MOST_PARTICIPANTS],
            "provenance": _provenance(body, ("title", "category")),
            "segments": segments,
        }
        await _acknowledged(settle(app, who, _stream(uid), SourceIn(**told), ORIGIN))
    return VisibleJson({})


@router.post("/omi/{secret}/day-summary")
async def day_summary(sent: Sent, who: Who, app: Here, uid: str | None = None) -> Response:
    """What Omi's model wrote about a day: a document that is found, and of which nothing is believed."""
    body = sent if isinstance(sent, Mapping) else {}
    summary = body.get("summary_json")
    texts = dict(_written(summary)) if isinstance(summary, Mapping) else {"summary": _text(body.get("summary"))}
    segments = [
        SegmentIn(segment_id=name, speaker=OMI, text=text, role="assistant")
        for name, text in texts.items()
        if text and len(text) <= MOST_TEXT
    ][:MOST_SENTENCES]
    if segments:
        of_day = summary if isinstance(summary, Mapping) else body
        written_at = _moment(body.get("created_at")) or to_datetime(app.clock.now())
        day = _text(of_day.get("date")) or f"{written_at:%Y-%m-%d}"
        told = {
            "source_id": f"{_stream(uid or body.get('uid'))}-day-{_named(day)}",
            "kind": "document",
            "started_at": written_at.isoformat(),
            "provenance": {"origin": ORIGIN, "day": day[:64]},
            "segments": segments,
        }
        await _acknowledged(tell(app, who, SourceIn(**told), revive=False))
    return VisibleJson({})


@router.post("/omi/{secret}/audio")
async def audio(
    request: Request, who: Who, app: Here, key: Retried = None, uid: str = "", sample_rate: str = "16000"
) -> Response:
    """Sound as its codec gives it: samples of 16 bits, mono. Omi writes the rate behind whatever address it has."""
    rate = int(sample_rate) if re.fullmatch(r"[0-9]{1,6}", sample_rate) else 0
    await _acknowledged(keep_sound(app, who, key, _stream(uid), rate, await request.body()))
    return VisibleJson({})


@router.websocket("/omi/{secret}/listen")
async def listen(socket: WebSocket) -> None:
    """Be the transcriber of Omi's app (Custom STT), as /v1/listen is: packets of Opus, unless `codec` says `pcm16`."""
    given = socket.query_params
    taken = {name: given[name] for name in ("session_id", "device_id", "speaker", "sample_rate") if name in given}
    codec = _CODECS.get(given.get("codec", "opus"), "opus")
    await hear_socket(socket, {**taken, "codec": codec, "language": _language(given.get("language"))})


async def _acknowledged(storing: Awaitable[object]) -> None:
    """Store, or set aside what another try would not mend either."""
    try:
        await storing
    except Forgotten:
        log.info("a webhook continues what was forgotten; left out")
    except Invalid as error:
        log.warning("a webhook's body is set aside: %s", type(error).__name__)


async def _segments(
    app: AppContext, who: Caller, raw: object, key: str | None, language: str | None = None
) -> list[SegmentIn]:
    """Omi's segments as ours, the last of each id; those that are malformed are set aside."""
    profile = await app.profile(who.user_id)
    owner = profile.label
    good: dict[str, SegmentIn] = {}
    every = raw if isinstance(raw, list) else []
    malformed = max(0, len(every) - MOST_SEGMENTS)
    for number, each in enumerate(every[:MOST_SEGMENTS]):
        try:
            segment = _segment(each, owner, f"{_named(key)}-{number}" if key else None, language)
        except (ValidationError, ValueError):
            malformed += 1
            continue
        if segment.text.strip():
            good[segment.segment_id or ""] = segment
    if malformed:
        log.warning("%d segments of a webhook are malformed and set aside", malformed)
    return list(good.values())


def _segment(raw: object, owner: str, identity: str | None, language: str | None) -> SegmentIn:
    """One segment, by the names of Omi's code or those of its documentation. Raises ValueError."""
    if not isinstance(raw, Mapping):
        raise ValueError("a segment is an object")
    said = {re.sub(r"(?<=[a-z])([A-Z])", r"_\1", str(name)).lower(): value for name, value in raw.items()}
    mine = said.get("is_user") is True
    number = said.get("speaker_id")
    label = f"SPEAKER_{number:02d}" if isinstance(number, int) else "SPEAKER_00"
    speaker = said.get("speaker_name") or said.get("person_id") or said.get("speaker") or label
    start, end, text = said.get("start", 0.0), said.get("end"), said.get("text")
    made = digest(speaker, start, text).hex()
    return SegmentIn.model_validate(
        {
            "segment_id": said.get("id") or identity or made,
            "speaker": owner if mine else speaker,
            "text": text,
            "start": start,
            "end": start if end is None else end,
            "role": "user" if mine else None,
            "language": language,
            "stt_engine": _text(said.get("stt_provider")),
        }
    )


def _began(app: AppContext, body: Mapping[str, Any], segments: Iterable[SegmentIn]) -> datetime:
    """When a conversation began; of one that does not say, so that its last words were said now."""
    told = _moment(body.get("started_at")) or _moment(body.get("created_at"))
    return told or to_datetime(app.clock.now() - max(each.end or 0.0 for each in segments))


def _provenance(body: Mapping[str, Any], structured: Iterable[str]) -> dict[str, str]:
    """What Omi says about a conversation, beside its words."""
    about = body.get("structured")
    told = {name: about.get(name) for name in structured} if isinstance(about, Mapping) else {}
    told |= {"device": body.get("source"), "origin": ORIGIN}
    return {name: text for name, value in told.items() if (text := _text(value)) and len(text) <= MOST_SHORT}


def _written(summary: Mapping[str, Any]) -> Iterable[tuple[str, str | None]]:
    """The sentences of a day's summary, by where they stand."""
    for name in ("headline", "overview"):
        yield name, _text(summary.get(name))
    for name, fields in _LISTS.items():
        listed = summary.get(name)
        for number, each in enumerate(listed if isinstance(listed, list) else [], start=1):
            told = [each.get(part) for part in fields] if isinstance(each, Mapping) else [each]
            yield f"{name}-{number}", ": ".join(text for text in map(_text, told) if text)


_LISTS = {
    "highlights": ("topic", "summary"),
    "action_items": ("description",),
    "decisions_made": ("decision", "description"),
    "unresolved_questions": ("question", "description"),
    "knowledge_nuggets": ("insight", "description"),
}
"""Lists in a day's summary -> which fields of an entry hold words; an entry may also be a sentence."""


def _language(told: object) -> str | None:
    """The language itself, of a tag such as en-US; Omi also writes `multi`."""
    found = re.match(r"([a-z]{2,3})(?:-|$)", told) if isinstance(told, str) else None
    return found.group(1) if found else None


def _stream(uid: object) -> str:
    return f"{ORIGIN}-{_named(uid)}" if uid else ORIGIN


def _named(identity: object) -> str:
    """An id of Omi's as a part of one of ours."""
    return text if _PLAIN.fullmatch(text := str(identity)) else digest(text.encode(errors="replace")).hex()


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) and "\x00" not in value and _is_unicode(value) else None


def _is_unicode(text: str) -> bool:
    """A body may hold half of a character, which nothing can store."""
    return text == text.encode(errors="replace").decode()


def _moment(value: object) -> datetime | None:
    """A time as Omi writes it, in UTC where it says nothing else; None of anything else."""
    try:
        moment = datetime.fromisoformat(str(value))
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        from_datetime(moment)
    except (ValueError, OverflowError, Invalid):
        return None
    return moment


def _told(problem: Problem) -> Response:
    """A problem as Omi's chat reads it. It does not name the path, in which the secret stands."""
    return VisibleJson({"error": problem.detail}, problem.status)


def _secret(path: str) -> str:
    found = _SECRET.fullmatch(path)
    return found.group(1) if found else ""


router.routes.extend(routes_of(tools.router))
DIALECT = Dialect("omi", spoken=_SPOKEN, told=_told, router=router, secret=_secret)
