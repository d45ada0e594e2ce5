"""Completes a source before it is stored: the role of each speaker, and the language of each segment."""

from __future__ import annotations

from dataclasses import replace

from memory.model.events import COMPLETE
from memory.model.profile import Profile
from memory.model.sources import Segment, Source, StoredSource
from memory.ports import EventSink


def with_speakers(source: Source, profile: Profile) -> Source:
    """The source with the roles and languages that its device left open, taken from the profile.

    A role is open as "other"; a language is open as None, and is only filled in where the owner speaks a single one.
    """
    language = profile.languages[0] if len(profile.languages) == 1 else None
    return replace(source, segments=tuple(_completed(segment, profile, language) for segment in source.segments))


def _completed(segment: Segment, profile: Profile, language: str | None) -> Segment:
    role = segment.role
    if role == "other" and profile.is_assistant(segment.speaker):
        role = "assistant"
    elif role == "other" and profile.is_owner(segment.speaker):
        role = "user"
    language = segment.language or language
    if (role, language) == (segment.role, segment.language):
        return segment
    return replace(segment, role=role, language=language)


def tell_of_source(events: EventSink, user_id: str, source: Source, stored: StoredSource, **figures: float) -> None:
    """The event that a source was stored: how many segments, and how many of them were new or differ.

    It is as sensitive as the source is now, which whoever tells it may have left out.
    """
    events.tell(
        user_id,
        "ingest-pipeline",
        COMPLETE,
        session_id=source.session_id or source.source_id,
        sensitivity=stored.sensitivity,
        source_id=source.source_id,
        segments=stored.segments,
        changed=stored.changed,
        **figures,
    )
