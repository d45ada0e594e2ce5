"""What storylines are made of, of one memory without a database; where no text is known, what was quoted stands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.model.entities import Mention
from memory.model.groups import MACRO, STORYLINE, Group
from memory.model.storylines import Storyline
from memory.model.working_set import WorkingSet
from memory.ports import Vector
from memory.rules.appearances import Appearances, appearances_of
from memory.rules.reflection import Likeness
from memory.services.summing_up import ToldSegment


class InMemoryStorylineReads:
    """Reads one memory; `begun` are the beginnings of sources, `texts` the words of segments by key: (speaker, text).

    A source of which no beginning is known began with its first mention.
    """

    def __init__(
        self,
        believed: Callable[[], WorkingSet],
        begun: Callable[[], Mapping[str, float]] = dict,
        texts: Callable[[], Mapping[int, tuple[str, str]]] = dict,
        vectors: Callable[[], Mapping[str, Vector]] = dict,
        calibrate: Callable[[Any], Any] = lambda cosine: cosine,
    ) -> None:
        self._believed, self._begun, self._texts = believed, begun, texts
        self._vectors, self._calibrate = vectors, calibrate

    async def appearances(self, user_id: str, least: int) -> Appearances:
        """See memory.services.storylines.StorylineReads."""
        return appearances_of(self._believed(), self._begun(), least)

    async def likeness(self, user_id: str, sources: Sequence[str]) -> Likeness:
        """See memory.services.storylines.StorylineReads."""
        return Likeness({each: v for each, v in self._vectors().items() if each in set(sources)}, self._calibrate)

    async def told(self, user_id: str, lines: Sequence[Storyline]) -> list[tuple[ToldSegment, ...]]:
        """See memory.services.storylines.StorylineReads."""
        return [tuple(map(self._segment, self._mentions(line))) for line in lines]

    async def standing(self, user_id: str) -> list[Group]:
        """See memory.services.storylines.StorylineReads."""
        return [each for _, each in sorted(self._believed().groups.items()) if each.kind in (STORYLINE, MACRO)]

    async def names(self, user_id: str, ids: Sequence[str]) -> dict[str, str]:
        """See memory.services.storylines.StorylineReads."""
        entities = self._believed().entities
        return {each: entities[each].name for each in ids if each in entities}

    def _mentions(self, line: Storyline) -> list[Mention]:
        there = self._believed().mentions.get(line.anchor_id, {}).values()
        own = [each for each in there if each.source_id in line.sources and each.sensitivity <= line.level]
        return sorted(own, key=lambda each: (each.at, each.segment_key))

    def _segment(self, mention: Mention) -> ToldSegment:
        believed, key = self._believed(), mention.segment_key
        speaker, text = self._texts().get(key, ("", mention.quote))
        gone = (
            each.quote
            for fact_id, said in believed.evidence.items()
            if believed.facts[fact_id].status == "forgotten"
            for each in said
            if each.segment_key == key
        )
        return ToldSegment(key, mention.source_id, mention.at, speaker, text, mention.quote, gone=tuple(sorted(gone)))
