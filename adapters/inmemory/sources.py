"""Sources in memory: as they were heard, what of them is still to be read, and how near at hand they are.

Sources are told once and never change here, so there are no revisions, no sweeps and no forgetting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adapters.inmemory.journal import InMemoryJournal
from memory.model.accesses import SOURCE, Access
from memory.model.claims import Utterance
from memory.model.entities import STATES
from memory.model.groups import CONSOLIDATION, Group
from memory.model.profile import Profile
from memory.model.sources import TTL_POLICIES, Segment, Source
from memory.ports import Unread
from memory.services.extract import CONTEXT


class InMemorySources:
    """What one user has heard; the journal says what of it was read."""

    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._sources: dict[str, Source] = {}
        self.segments: dict[int, tuple[Source, Segment]] = {}
        """Key -> segment and its source."""

    def store(self, source: Source) -> None:
        """Keep a source."""
        self._sources[source.source_id] = source
        self.segments |= {source.key_of(segment): (source, segment) for segment in source.segments}

    def all(self) -> list[Source]:
        """Every source, in the order in which they were told."""
        return list(self._sources.values())

    async def unread(self, user_id: str, scope: str, source_id: str, limit: int) -> Unread:
        """See memory.ports.Capture."""
        source = self._sources[source_id]
        keys = [(source.key_of(segment), segment.revision) for segment in source.segments]
        fresh = set([place for place, key in enumerate(keys) if key not in self._journal.read][:limit])
        wanted = sorted({near for place in fresh for near in range(max(0, place - CONTEXT), place + 1)})
        return Unread(tuple(_utterance(source, source.segments[place], place not in fresh) for place in wanted))

    async def profile(self, user_id: str) -> Profile:
        """See memory.ports.Capture."""
        return (await self._journal.load(user_id)).profile

    def rows(self, accesses: Mapping[str, Access], groups: Iterable[Group] = ()) -> list[dict[str, Any]]:
        """Every source as a row of SourceColumns."""
        gathered = {member for each in groups if each.kind == CONSOLIDATION for member in each.members}
        return [
            {**self._row(each, accesses.get(f"{SOURCE}{each.source_id}")), "consolidated": each.source_id in gathered}
            for each in self._sources.values()
        ]

    def begun(self) -> dict[str, float]:
        """Source id -> when it began."""
        return {source.source_id: source.started_at for source in self._sources.values()}

    def texts(self) -> dict[int, tuple[str, str]]:
        """Segment key -> who said what."""
        return {key: (segment.speaker, segment.text) for key, (_, segment) in self.segments.items()}

    def of(self, keys: Iterable[int]) -> dict[int, tuple[str, float]]:
        """Segment key -> id and beginning of its source."""
        found = {key: self.segments[key][0] for key in keys}
        return {key: (source.source_id, source.started_at) for key, source in found.items()}

    def _row(self, source: Source, access: Access | None) -> dict[str, Any]:
        return {
            "ids": source.source_id,
            "state": STATES.index(self._journal.source_states.get(source.source_id, STATES[0])),
            "ttl": TTL_POLICIES.index(source.ttl_policy),
            "started_at": source.started_at,
            "ended_at": max((source.time_of(each) for each in source.segments), default=source.started_at),
            "count": access.count if access else 0,
            "accessed_at": access.last_at if access else None,
            "value": access.value if access else 0.0,
            "gradient": access.gradient if access else 1.0,
        }


def _utterance(source: Source, segment: Segment, context_only: bool) -> Utterance:
    speakers = {each.speaker for each in source.segments}
    return Utterance(
        source_id=source.source_id,
        segment_id=segment.segment_id,
        segment_key=source.key_of(segment),
        revision=segment.revision,
        speaker=segment.speaker,
        text=segment.text,
        at=source.time_of(segment),
        offset_s=source.offset_s,
        role=segment.role,
        language=segment.language,
        listeners=tuple(sorted(speakers - {segment.speaker})),
        sensitivity=source.sensitivity,
        kind=source.kind,
        context_only=context_only,
    )
