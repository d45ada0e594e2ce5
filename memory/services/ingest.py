"""Ingest: what a front door does to a source before it is stored - who speaks, and in which language."""

from __future__ import annotations

from dataclasses import replace

from memory.model.profile import Profile
from memory.model.sources import Segment, Source


def with_speakers(source: Source, profile: Profile) -> Source:
    """The source with the roles and languages its device left open, read off the profile.

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
