"""What summaries of sources are made of, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adapters.inmemory.sources import InMemorySources
from memory.model.groups import SUMMARY, Group
from memory.model.sources import Segment, Source
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.rules.parameters import SourceSummaries
from memory.services.source_summaries import SourceSegment, SourceTurns


class InMemorySourceReads:
    """See memory.services.night_sources.SourceReads."""

    def __init__(self, sources: InMemorySources, believed: Callable[[], WorkingSet]) -> None:
        self._sources, self._believed = sources, believed

    async def grown(self, user_id: str, now: Instant, rules: SourceSummaries) -> list[SourceTurns]:
        """See memory.services.night_sources.SourceReads."""
        known = {group.members[0]: group.sources for group in self._groups()}
        found = [self._turns(source, now, known.get(source.source_id)) for source in self._latest_first()]
        long = (each for each in found if each.turns >= rules.turns or each.chars >= rules.chars)
        return [each for each in long if each.turns != each.summed_up][: rules.most]

    async def said(self, user_id: str, source_ids: Sequence[str]) -> list[list[SourceSegment]]:
        """See memory.services.night_sources.SourceReads."""
        of = {source.source_id: source for source in self._sources.all()}
        return [[self._segment(of[each], said) for said in _by_persons(of[each])] for each in source_ids]

    async def summaries(self, user_id: str, source_ids: Sequence[str]) -> list[Group]:
        """See memory.services.night_sources.SourceReads."""
        return [each for each in self._groups() if each.members[0] in source_ids]

    def _groups(self) -> list[Group]:
        return [each for _, each in sorted(self._believed().groups.items()) if each.kind == SUMMARY]

    def _latest_first(self) -> list[Source]:
        return sorted(self._sources.all(), key=lambda source: (-source.started_at, source.source_id))

    def _turns(self, source: Source, now: Instant, summed_up: int | None) -> SourceTurns:
        said = _by_persons(source)
        last = max((source.time_of(each) for each in said), default=source.started_at)
        chars = sum(len(each.text) for each in said)
        return SourceTurns(source.source_id, len(said), chars, now - last, source.sensitivity, summed_up)

    def _segment(self, source: Source, segment: Segment) -> SourceSegment:
        believed, key = self._believed(), source.key_of(segment)
        gone = (
            each.quote
            for fact_id, said in believed.evidence.items()
            if believed.facts[fact_id].status == "forgotten"
            for each in said
            if each.segment_key == key
        )
        return SourceSegment(key, segment.speaker, segment.text, tuple(sorted(gone)))


def _by_persons(source: Source) -> list[Segment]:
    return [each for each in source.segments if each.role not in ("assistant", "tool")]
