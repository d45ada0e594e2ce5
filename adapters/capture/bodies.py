"""Bodies for POST /v1/sources from what a file says, with ids that a second import of the same words finds again.

A source is its file's name, its wall clock time if the words themselves give one, and its first utterance; a segment
is its speaker, its words and their place among equal ones. So an export that has grown adds only what is new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from adapters.capture.payloads import ID_CHARS
from adapters.capture.text import TextFile
from memory.errors import Invalid
from memory.model.ids import digest
from memory.model.sources import Segment, Source
from memory.model.timeline import from_datetime, to_datetime

Body = dict[str, Any]

UNKNOWN = "unknown"
"""The speaker where nobody has been named."""
WORDS_PER_S = 2.5
"""150 words a minute, the usual pace of English speech, where a transcript does not say how long something took."""
STEP_S = 0.001
"""Paragraphs have an order but no time of their own: a millisecond each keeps the one and does not feign the other."""
PIECE_CHARS = 4_000
"""Longest text of an imported segment, about two pages; what is longer is cut at the end of a sentence or word."""
RAW_CHARS = 200_000
"""Of what a segment came as: more than anybody writes; an attachment within a mail ends there (chosen)."""
PAGE_SEGMENTS = 500
PAGE_CHARS = 250_000
"""A body holds at most this much: a quarter of the 5 MB a request may have, even with four bytes a character."""
_CUT = re.compile(
    rf"(?s).{{1,{PIECE_CHARS}}}\Z|.{{1,{PIECE_CHARS - 1}}}[.!?…](?=\s)|.{{1,{PIECE_CHARS}}}(?=\s)|.{{1,{PIECE_CHARS}}}"
)


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """What one speaker said, `start` and `end` in seconds from the start of the source.

    `raw` is what it came as, where the text has been cleaned. `written` is what its ids are made of, if not of the
    text, piece by piece where it is long: so cleaning better changes no id.
    """

    speaker: str
    text: str
    start: float
    end: float
    raw: str | None = None
    written: str | None = None


@dataclass(frozen=True, slots=True)
class SourceStart:
    """When a source began, and how that is known: by its text, its file's name or its modification time."""

    started_at: datetime
    dated_by: str = "text"


def body_of_turns(file: TextFile, form: str, kind: str, origin: SourceStart, turns: Sequence[SpokenTurn]) -> Body:
    """The body of one source with at least one turn."""
    turns = [replace(turn, speaker=name_of(turn.speaker)) for turn in turns]
    day = origin.started_at.replace(tzinfo=None) if origin.dated_by == "text" else ""
    return {
        "source_id": f"{form}-{digest(file.name, day, turns[0].speaker, turns[0].written or turns[0].text).hex()}",
        "kind": kind,
        **body_start(file, origin, timedelta(seconds=max(turn.end for turn in turns))),
        "participants": list(dict.fromkeys(turn.speaker for turn in turns)),
        "provenance": {"file": file.path.name, "format": form, "dated_by": origin.dated_by},
        "segments": list(_segments(turns)),
    }


def body_start(file: TextFile, origin: SourceStart, took: timedelta) -> Body:
    """The part of a body that says when its source began and ended. Raises Invalid of a time that cannot be kept."""
    try:
        from_datetime(origin.started_at)
    except Invalid as error:
        raise Invalid(f"{file.path.name}: {error.detail}", file=file.path.name) from error
    started_at = _fixed(origin.started_at)
    return {"started_at": written(started_at), "ended_at": written(started_at + took)}


def bodies_of_source(file: TextFile, form: str, source: Source) -> Iterator[Body]:
    """A folded session: its fast segments, then those of its sweep, as they were heard."""
    for is_sweep in (False, True):
        segments = [_record(segment) for segment in source.segments if segment.is_sweep is is_sweep]
        if segments:
            yield {
                "source_id": source.source_id,
                "kind": source.kind,
                "started_at": written(_local(file, source.started_at)),
                "ended_at": written(_local(file, source.ended_at or source.started_at)),
                "participants": list(source.participants),
                "provenance": {"file": file.path.name, "format": form, "session_id": source.session_id},
                "is_sweep": is_sweep,
                "segments": segments,
            } | ({"device_id": source.device_id} if source.device_id else {})


def pages(body: Body) -> Iterator[Body]:
    """The body in requests of a bearable size: the same source, a stretch of its segments each."""
    page: list[Mapping[str, Any]] = []
    chars = 0
    for segment in body["segments"]:
        size = len(segment["text"]) + len(segment.get("raw", ""))
        chars += size
        if page and (len(page) == PAGE_SEGMENTS or chars > PAGE_CHARS):
            yield body | {"segments": page}
            page, chars = [], size
        page.append(segment)
    yield body | {"segments": page}


def spoken_s(text: str) -> float:
    """Seconds it takes to say a text."""
    return round(len(text.split()) / WORDS_PER_S, 3)


def raw_of(text: str) -> str:
    """What something came as, as it may be stored: of bearable length, without lone halves of characters and NUL."""
    return text[:RAW_CHARS].encode("utf-8", "replace").decode().replace("\x00", "")


def name_of(speaker: str) -> str:
    """A speaker's name as it may be stored: of bearable length, with nothing that cannot be shown."""
    return "".join(filter(str.isprintable, speaker))[:ID_CHARS].strip() or UNKNOWN


def _segments(turns: Sequence[SpokenTurn]) -> Iterator[Body]:
    seen: Counter[tuple[str, str]] = Counter()
    for turn in turns:
        written = [each.text for each in pieces(replace(turn, text=turn.written or turn.text))]
        for number, piece in enumerate(pieces(turn)):
            words = written[number] if number < len(written) else f"{written[-1]}\x1f{number}"
            seen[piece.speaker, words] += 1
            yield {
                "segment_id": digest(piece.speaker, words, seen[piece.speaker, words]).hex(),
                "speaker": piece.speaker,
                "text": piece.text,
                "start": piece.start,
                "end": piece.end,
            } | ({} if turn.raw is None or number else {"raw": raw_of(turn.raw)})


def pieces(turn: SpokenTurn) -> Iterator[SpokenTurn]:
    """A turn of bearable length, its time shared out by length."""
    pace = (turn.end - turn.start) / max(1, len(turn.text))
    for cut in _CUT.finditer(turn.text.strip()):
        start, end = (round(turn.start + place * pace, 3) for place in cut.span())
        if text := cut.group().strip():
            yield SpokenTurn(turn.speaker, text, start, end)


def _record(segment: Segment) -> Body:
    record: Body = {key: getattr(segment, key) for key in ("segment_id", "speaker", "text", "start", "end")}
    extras = {key: getattr(segment, key) for key in ("language", "stt_engine", "emotion", "pinned")}
    extras["role"] = segment.role if segment.role != "other" else None
    return record | {key: value for key, value in extras.items() if value}


def _local(file: TextFile, moment: float) -> datetime:
    return _fixed(to_datetime(moment).astimezone(file.zone))


def _fixed(moment: datetime) -> datetime:
    """The same instant at the offset that held then, so that adding seconds to it does not slip with summer time.

    In UTC where that offset is not one of whole minutes, which ISO 8601 cannot write.
    """
    offset = moment.utcoffset() or timedelta()
    return moment.astimezone(UTC if offset % timedelta(minutes=1) else timezone(offset))


def written(moment: datetime) -> str:
    """A moment as the API takes it, at the offset that held then."""
    return _fixed(moment).isoformat(timespec="milliseconds")
