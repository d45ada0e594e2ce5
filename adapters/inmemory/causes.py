"""What causal links are read off, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adapters.inmemory.sources import InMemorySources
from memory.model.sources import Segment, Source
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.rules.causes import CausalSegment, QuotedFact, StatedFact
from memory.rules.parameters import CausalLinks
from memory.words.causes import causal_parts

LATE_S = 3_600.0
"""Seconds after which words are no longer what was said just before."""


class InMemoryCausalReads:
    """See memory.services.night_causes.CausalReads.

    `first_believed` gives when facts of more than one version were first believed, by their ids.
    """

    def __init__(
        self,
        sources: InMemorySources,
        believed: Callable[[], WorkingSet],
        first_believed: Callable[[], Mapping[str, Instant]] = dict,
    ) -> None:
        self._sources, self._believed, self._first_believed = sources, believed, first_believed

    async def told(self, user_id: str, since: Instant) -> list[CausalSegment]:
        """See memory.services.night_causes.CausalReads."""
        found = [
            (source.time_of(segment), key, self._segment(source, place))
            for source in self._sources.all()
            for place, segment in enumerate(source.segments)
            if self._is_fresh(key := source.key_of(segment), since)
            and segment.role not in ("assistant", "tool")
            and any(causal_parts(segment.text))
        ]
        return [segment for _, _, segment in sorted(found, key=lambda each: (-each[0], each[1]))]

    async def related(self, user_id: str, since: Instant, rules: CausalLinks) -> list[list[QuotedFact]]:
        """See memory.services.night_causes.CausalReads."""
        found = [
            (told[-1][0], source.source_id, [each for _, each in told[: rules.shown]])
            for source in self._sources.all()
            if any(self._is_fresh(source.key_of(each), since) for each in source.segments)
            and len(told := self._quoted(source)) > 1
        ]
        found.sort(key=lambda each: (-each[0], each[1]))
        return [facts for _, _, facts in found[: rules.asked]]

    def _quoted(self, source: Source) -> list[tuple[Instant, QuotedFact]]:
        """Each fact of a source with the first words of a person that it was read from, in their order."""
        believed, found = self._believed(), dict[str, tuple[Instant, QuotedFact]]()
        for segment in source.segments:
            if segment.role in ("assistant", "tool"):
                continue
            key = source.key_of(segment)
            for stated in self._stated(source, segment):
                quote = next(each.quote for each in believed.evidence[stated.fact_id] if each.segment_key == key)
                told = QuotedFact(stated, segment.speaker, quote)
                found.setdefault(stated.fact_id, (source.time_of(segment), told))
        return list(found.values())

    def _segment(self, source: Source, place: int) -> CausalSegment:
        segment = source.segments[place]
        near = source.segments[max(0, place - 2) : place]
        same = [each for each in near if each.speaker == segment.speaker and segment.start - each.start <= LATE_S]
        last = same[-1] if same else None
        before = () if last is None else self._stated(source, last)
        return CausalSegment(segment.text, self._stated(source, segment), "" if last is None else last.text, before)

    def _stated(self, source: Source, segment: Segment) -> tuple[StatedFact, ...]:
        believed, key = self._believed(), source.key_of(segment)
        facts = [
            believed.facts[fact_id]
            for fact_id, said in sorted(believed.evidence.items())
            if any(each.segment_key == key for each in said) and believed.facts[fact_id].status == "active"
        ]
        return tuple(StatedFact(each.fact_id, each.statement, self._name(each.subject_id)) for each in facts)

    def _is_fresh(self, key: int, since: Instant) -> bool:
        believed, first = self._believed(), self._first_believed()
        said = (fact_id for fact_id, rows in believed.evidence.items() if any(each.segment_key == key for each in rows))
        return any(first.get(each, believed.facts[each].system_from) >= since for each in said)

    def _name(self, entity_id: str) -> str:
        entity = self._believed().entities.get(entity_id)
        return "" if entity is None else entity.name
