"""Stores a source with its segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from operator import itemgetter
from time import monotonic
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from adapters.capture.mail import BROKEN, is_mail, letters, said_within
from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.dates import moment_there
from deployments.kinds import MOST_SEGMENTS, MOST_TEXT, Body, Id, Number, ShortText, Text, Words, indexed
from deployments.messages import MOST_S, Placed, placed
from deployments.use_cases.telling_voices import MOST_HEARD, HeardVoiceIn, VoiceNumber, forget_prints, told_by_voices
from memory.errors import Forgotten, Invalid
from memory.model.profile import Profile
from memory.model.scopes import SENSITIVITY_NAMES, team_scope
from memory.model.sources import FIGURES, MOST_FIGURES, Segment, Source, Telling
from memory.model.timeline import LATEST
from memory.services.ingest import tell_of_source, with_speakers

MOST_PARTICIPANTS = 1_000
"""As many as a source may name."""
MOST_PARTS = 1_000
"""Of a message (chosen)."""
Seconds = Annotated[float, Field(ge=0, le=MOST_S, allow_inf_nan=False)]
Figures = Annotated[dict[ShortText, Number], Field(max_length=MOST_FIGURES)]
Emotion = dict[ShortText, ShortText | Number | Figures | None]


class SegmentIn(Body):
    """One utterance; `start` and `end` in seconds from the start of the source.

    Of a message, speaker and text are enough: its id is made of these and of its place among equal ones, and its time
    follows what stands before it. `raw` is what it came as, where that is more than its words: kept, and not searched.
    """

    segment_id: Id | None = None
    speaker: ShortText
    text: Text
    start: Seconds | None = None
    end: Seconds | None = None
    role: Literal["user", "assistant", "tool", "other"] | None = None
    language: Annotated[ShortText, Field(max_length=35)] | None = None
    stt_engine: ShortText | None = None
    emotion: Emotion | None = None
    pinned: bool = False
    raw: Text | None = None
    voice: VoiceNumber | None = None
    """The number of the voice in `voices` that says it; whose that is tells the bank of voices, else `speaker`."""

    @model_validator(mode="after")
    def _in_order(self) -> SegmentIn:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError("end must not be before start")
        return self


class TextPartIn(Body):
    """A part of a message in the manner of language models' protocols; only text has words."""

    type: Literal["text"] = "text"
    text: Text


class RoleMessageIn(Body):
    """A message as programs for language models hold it: a role, and what was said. `name` tells who, where known."""

    role: Literal["user", "assistant", "tool", "system", "other"]
    content: Text | Annotated[list[TextPartIn], Field(max_length=MOST_PARTS)]
    name: ShortText | None = None

    @model_validator(mode="after")
    def _of_bearable_length(self) -> RoleMessageIn:
        if len(self.words()) > MOST_TEXT:
            raise ValueError(f"content must have at most {MOST_TEXT:,} characters")
        return self

    def words(self) -> str:
        """What was said, its parts as lines."""
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)

    def segment(self, profile: Profile) -> SegmentIn:
        """The message as a segment: the user is the owner unless it names another; instructions are no evidence."""
        called = {"user": (profile.name, *profile.speaker_labels), "assistant": profile.assistant_labels}
        speaker = self.name or next(filter(None, called.get(self.role, ())), self.role)
        another = self.role == "user" and self.name is not None and not profile.is_owner(self.name)
        role = "tool" if self.role == "system" else "other" if another else self.role
        return SegmentIn.model_validate({"speaker": speaker, "text": self.words(), "role": role})


class SourceIn(Body):
    """One captured thing, with segments, with messages, or with content that becomes its single segment.

    Content that begins with the headers of a mail becomes segments of its senders, on the dates that they give. A time
    without a zone is meant where the owner lives, as the profile says.
    """

    source_id: Id
    kind: Literal["conversation", "voice_memo", "meeting", "email", "slack", "note", "document"] = "conversation"
    started_at: ShortText | Number
    ended_at: ShortText | Number | None = None
    participants: list[ShortText] = Field(default=[], max_length=MOST_PARTICIPANTS)
    provenance: dict[ShortText, ShortText | Number | bool | None] = Field(default={}, max_length=100)
    context_type: ShortText | None = None
    device_id: ShortText | None = None
    team_id: Id | None = None
    sensitivity: Literal["open", "private", "sensitive", "low", "normal", "high"] = "open"
    ttl_policy: Literal["keep_forever", "ephemeral", "decay"] = "decay"
    is_sweep: bool = False
    segments: list[SegmentIn] = Field(default=[], max_length=MOST_SEGMENTS)
    messages: list[RoleMessageIn] = Field(default=[], max_length=MOST_SEGMENTS)
    content: Words | None = None
    voices: list[HeardVoiceIn] = Field(default=[], max_length=MOST_HEARD)

    model_config = Body.model_config | {
        "json_schema_extra": {
            "examples": [
                {
                    "source_id": "breakfast",
                    "started_at": "2026-03-01T08:00:00+00:00",
                    "segments": [
                        {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon.", "start": 0, "end": 2}
                    ],
                },
                {
                    "source_id": "chat",
                    "started_at": "2026-03-01T08:00",
                    "segments": [
                        {"speaker": "Ravi", "text": "Where do you live?"},
                        {"speaker": "Maya", "text": "Here."},
                    ],
                },
                {
                    "source_id": "assistant",
                    "started_at": "2026-03-01T08:00",
                    "messages": [
                        {"role": "user", "content": "I moved to Lisbon."},
                        {"role": "assistant", "content": "How nice!"},
                    ],
                },
            ]
        }
    }

    @model_validator(mode="after")
    def _has_words(self) -> SourceIn:
        if bool(self.segments) + bool(self.messages) + (self.content is not None) != 1:
            raise ValueError("give either segments, messages or content")
        ids = [segment.segment_id for segment in self.segments if segment.segment_id is not None]
        if len(ids) != len(set(ids)):
            raise ValueError("segment_id must be unique within a source")
        return self


class SourceTold(BaseModel):
    """How many segments a source has; `changed` counts those that are new or different."""

    source_id: str
    segments: int
    changed: int
    status: Literal["raw"] = "raw"


async def tell(app: AppContext, who: Caller, body: SourceIn, *, revive: bool = True) -> SourceTold:
    """Store a source. It is found by its words from now on; vectors and facts follow in the background.

    Told again it replaces itself: what is left out stays as it was. What was forgotten is told anew, unless a device
    sends it by itself (`revive`). Raises Forbidden, Forgotten and Invalid.
    """
    scope = _scope(body.team_id, writing(who))
    if body.voices and (body.team_id is not None or not body.segments):
        raise Invalid("voices: they come with segments, and into a memory of one's own.")
    profile = await app.profile(who.user_id)
    begun, told = monotonic(), source_of(body, scope, profile)
    if body.voices:
        told = await told_by_voices(app, told, [each.voice for each in body.segments], body.voices)
    source = with_speakers(told, profile)
    try:
        stored = await app.stores.intake.capture.store(source, replace(_telling(body, source, who), revive=revive))
    except Forgotten:
        await forget_prints(app, source)
        raise
    spent = round((monotonic() - begun) * 1000)
    tell_of_source(app.stores.events, who.user_id, source, stored, duration_ms=spent)
    await app.actors.wake()
    return SourceTold(source_id=body.source_id, segments=stored.segments, changed=stored.changed)


def _scope(team_id: str | None, who: Caller) -> str:
    if team_id is None:
        return who.scope
    if team_scope(team_id) not in who.view.scopes:
        raise Invalid("team_id: this token does not belong to that team.")
    return team_scope(team_id)


def _telling(body: SourceIn, source: Source, who: Caller) -> Telling:
    """What was left out and is not found in the content either, as mail is."""
    unsaid = {"kind", "sensitivity", "ttl_policy"} - body.model_fields_set
    if source.kind != body.kind:
        unsaid.discard("kind")
    return Telling(unsaid=frozenset(unsaid), clearance=who.view.clearance)


def source_of(body: SourceIn, scope: str, profile: Profile) -> Source:
    """The source that a body describes."""
    body = _mail_told(body, profile.time_zone)
    if body.messages:
        body = body.model_copy(update={"segments": [message.segment(profile) for message in body.messages]})
    started_at, offset = moment_there("started_at", str(body.started_at), profile.time_zone)
    ended_at = None if body.ended_at is None else moment_there("ended_at", str(body.ended_at), profile.time_zone)[0]
    if ended_at is not None and ended_at < started_at:
        raise Invalid("ended_at must not be before started_at.")
    places = placed(body.segments)
    if started_at + max((each.end for each in places), default=0.0) > LATEST:
        raise Invalid("segments: what is said must lie between the years 1900 and 2200.")
    segments = tuple(_segment(*each, body.is_sweep) for each in zip(body.segments, places, strict=True))
    if body.content is not None:
        speaker = body.participants[0] if body.participants else profile.label
        segments = (Segment("content", speaker, body.content, 0.0, 0.0),)
    return Source(
        source_id=body.source_id,
        scope=scope,
        kind=body.kind,
        started_at=started_at,
        ended_at=ended_at,
        offset_s=offset,
        participants=tuple(body.participants),
        provenance=body.provenance,
        context_type=body.context_type,
        device_id=body.device_id,
        sensitivity=SENSITIVITY_NAMES[body.sensitivity],
        ttl_policy=body.ttl_policy,
        session_id=_session_id(body),
        segments=segments,
    )


def _mail_told(body: SourceIn, home: str) -> SourceIn:
    """A body whose content is mail: each message by its sender on its date, the earliest first. What is too damaged
    stays as it came."""
    if body.content is None or not is_mail(body.content):
        return body
    try:
        found = list(letters(body.content))
    except BROKEN:
        return body
    started_at, offset = moment_there("started_at", str(body.started_at), home)
    zone = timezone(timedelta(seconds=offset))
    sent = [(each.moment(zone) or datetime.fromtimestamp(started_at, zone), each) for each in found]
    sent = sorted((one for one in sent if one[1].paragraphs), key=itemgetter(0))
    if not sent or sum(len(each.paragraphs) for _, each in sent) > MOST_SEGMENTS:
        return body
    begun, turns = said_within(sent, MOST_S)
    segments = [
        SegmentIn.model_construct(
            segment_id=f"content-{n}",
            speaker=turn.speaker,
            text=turn.text,
            start=turn.start,
            end=turn.end,
            raw=turn.raw,
        )
        for n, turn in enumerate(turns, start=1)
    ]
    told = {"kind": "email", "started_at": begun.isoformat(), "segments": segments, "content": None}
    return body.model_copy(update=told)


def _session_id(body: SourceIn) -> str | None:
    """An import tells in the provenance which session a source is a part of. Raises Invalid."""
    named = body.provenance.get("session_id")
    if not isinstance(named, str):
        return None
    try:
        return indexed(named)
    except ValueError as error:
        raise Invalid(f"provenance.session_id: {error}.") from error


def _segment(segment: SegmentIn, place: Placed, is_sweep: bool) -> Segment:
    return Segment(
        segment_id=place.segment_id,
        speaker=segment.speaker,
        text=segment.text,
        start=place.start,
        end=place.end,
        role=segment.role or "other",
        language=segment.language,
        stt_engine=segment.stt_engine,
        emotion=emotion_told(segment.emotion),
        is_sweep=is_sweep and bool(segment.text),  # a sweep without words would take back what others have told
        pinned=segment.pinned,
        raw=None if segment.raw == segment.text else segment.raw or None,
    )


def emotion_shown(emotion: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A stored emotion with both of seed 001's pairs of names: `primary` is the label, and `confidence` the score."""
    if not emotion:
        return None
    return {**emotion, "primary": emotion.get("label"), "confidence": emotion.get("score")}


def emotion_told(emotion: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Both of seed 001's shapes are read, `{label, score}` is stored, and by which method and from what it was guessed.

    Raises Invalid.
    """
    if not emotion:
        return None
    told = {
        "label": emotion.get("label", emotion.get("primary")),
        "score": emotion.get("score", emotion.get("confidence")),
        "method": emotion.get("method"),
        **{name: emotion.get(name) for name in FIGURES},
    }
    for name, value in told.items():
        if value is not None and isinstance(value, Mapping) != (name in FIGURES):
            raise Invalid(f"emotion.{name} must be {'numbers by their names' if name in FIGURES else 'one value'}.")
    if not isinstance(told["method"], str | None):
        raise Invalid("emotion.method must be text.")
    return {name: value for name, value in told.items() if value is not None or name in ("label", "score")}
