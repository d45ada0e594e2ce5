"""What was heard, as PostgreSQL holds it: rows of sources and segments, what has changed in them, and the way back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.codec import content_id
from memory.model.claims import Utterance
from memory.model.scopes import Sensitivity
from memory.model.sources import Segment, Source
from memory.model.waiting import DueSource

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


def is_moved(source: Source, known: DictRow) -> bool:
    """Whether the times of a source, or its sensitivity, differ from what is known of it."""
    new = (source.started_at, source.offset_s, int(source.sensitivity))
    return new != (known["started_at"], known["offset_s"], known["sensitivity"])


def _segment(row: DictRow) -> Segment:
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


def stored_segments(rows: Iterable[DictRow]) -> list[tuple[Segment, str | None]]:
    """The segments of rows, each with the id of the one that hides it (None: it stands)."""
    return [(_segment(row), row["replaced_by"]) for row in rows]


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


def due_source(row: DictRow) -> DueSource:
    """A row of due."""
    level = row["sensitivity"]
    return DueSource(**{**row, "sensitivity": None if level is None else Sensitivity(level)})


def utterance_of(row: DictRow, source_id: str, speakers: set[str]) -> Utterance:
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
