"""What was heard, as PostgreSQL holds it: rows of sources and segments, what has changed in them, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from psycopg.types.json import Jsonb

from adapters.postgres.codec import content_id
from memory.model.claims import Utterance
from memory.model.scopes import Sensitivity
from memory.model.sources import Segment, Source
from memory.rules.sweep import apply_sweep, taken_back

CONFIGS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Language -> PostgreSQL's stemmer for it; any other language is searched word by word."""


def is_moved(source: Source, known: Mapping[str, Any]) -> bool:
    """Whether the times of a source, or its sensitivity, differ from what is known of it."""
    new = (source.started_at, source.offset_s, int(source.sensitivity))
    return new != (known["started_at"], known["offset_s"], known["sensitivity"])


def _segment(row: Mapping[str, Any]) -> Segment:
    return Segment(
        segment_id=row["segment_id"],
        speaker=row["speaker"],
        text=row["text"],
        start=row["start_s"],
        end=row["end_s"],
        role=row["role"],
        language=row["language"],
        stt_engine=row["stt_engine"],
        emotion=row["emotion"],
        is_sweep=row["is_sweep"],
        pinned=row["pinned"],
        revision=row["revision"],
        raw=row["raw"],
    )


def changes_of(source: Source, rows: Iterable[Mapping[str, Any]]) -> tuple[list[Segment], Mapping[str, str]]:
    """The segments that have to be written, and which are hidden by which. What is taken back has no words any more.

    A revision is counted up by what has to be read again or taken back: other words, and being hidden or shown again.
    """
    before = {row["segment_id"]: (_segment(row), row["replaced_by"]) for row in rows}
    existing = [segment for segment, _ in before.values()]
    standing, replaced = apply_sweep(existing, source.segments)
    incoming = {segment.segment_id: segment for segment in (*existing, *source.segments, *standing)}
    gone = taken_back(incoming.values(), replaced)
    incoming |= {each: replace(incoming[each], text="", raw=None, emotion=None) for each in gone}
    changed = []
    for segment_id, segment in incoming.items():
        old, old_replaced = before.get(segment_id, (None, None))
        if old is None:
            changed.append(segment if segment.revision == 1 else replace(segment, revision=1))
            continue
        flipped = (segment_id in replaced) != (old_replaced is not None)
        revision = old.revision + (segment.text != old.text or segment.speaker != old.speaker or flipped)
        fresh = replace(segment, revision=revision)
        if fresh != old or replaced.get(segment_id) != old_replaced:
            changed.append(fresh)
    return changed, replaced


def source_row(source: Source) -> dict[str, Any]:
    """What put_source reads of a source."""
    return {
        "scope": source.scope,
        "source_id": source.source_id,
        "session_id": source.session_id or source.source_id,
        "kind": source.kind,
        "started_at": source.started_at,
        "ended_at": source.ended_at,
        "offset_s": source.offset_s,
        "participants": list(source.participants),
        "provenance": Jsonb(dict(source.provenance)),
        "context_type": source.context_type,
        "device_id": source.device_id,
        "sensitivity": int(source.sensitivity),
        "ttl_policy": source.ttl_policy,
    }


def segment_row(source: Source, segment: Segment) -> dict[str, Any]:
    """What put_segments reads of one segment; its words belong to `segment:<key>`."""
    key = source.key_of(segment)
    return {
        "segment_key": key,
        "segment_id": segment.segment_id,
        "content_id": content_id(f"segment:{key}", "text", ""),
        "words": segment.text,
        "config": CONFIGS.get(segment.language or "", "simple"),
        "speaker": segment.speaker,
        "role": segment.role,
        "at": source.time_of(segment),
        "start_s": segment.start,
        "end_s": segment.end,
        "language": segment.language,
        "stt_engine": segment.stt_engine,
        "emotion": segment.emotion or None,
        "is_sweep": segment.is_sweep,
        "pinned": segment.pinned,
        "revision": segment.revision,
        "raw": segment.raw,
    }


def utterance_of(row: Mapping[str, Any], source_id: str, speakers: set[str]) -> Utterance:
    """What an extractor reads of a row of to_read; every other speaker of the source listens."""
    return Utterance(
        source_id=source_id,
        segment_id=row["segment_id"],
        segment_key=row["segment_key"],
        revision=row["revision"],
        speaker=row["speaker"],
        text=row["text"],
        at=row["at"],
        offset_s=row["offset_s"],
        role=row["role"],
        language=row["language"],
        listeners=tuple(sorted(speakers - {row["speaker"]})),
        sensitivity=Sensitivity(row["sensitivity"]),
        kind=row["kind"],
        context_only=not row["fresh"],
    )
