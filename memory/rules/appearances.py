"""Appearances: which sources tell of which entities, as columns. Storylines are made of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.entities import STATES
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet
from memory.rules.census import Codes
from memory.rules.decay import Column
from memory.rules.ties import TIED_TYPES, Levels, Places


@dataclass(frozen=True, eq=False)
class Appearances:
    """Who is told of in which source: a row for each anchor and source, in the order of anchors, then of sources."""

    anchors: tuple[str, ...]
    """Ids of entities that a storyline may be about, in order: living, of a type of `memory.rules.ties`, no owner."""
    state: Codes
    """[anchors] places in `STATES`."""
    confidence: Column
    sources: tuple[str, ...]
    """Ids in the order of their beginnings, of equal ones in order."""
    at: Column
    """[sources] when each began; UTC epoch seconds."""
    anchor: Places
    """[rows] place of the anchor."""
    source: Places
    """[rows] place of the source."""
    level: Levels
    """[rows] the lowest sensitivity at which this source tells of this anchor."""

    @classmethod
    def of(
        cls,
        anchors: Iterable[tuple[str, str, float]],
        sources: Iterable[tuple[str, float]],
        rows: Iterable[tuple[str, str, int]],
    ) -> Appearances:
        """Of (anchor id, state, confidence), (source id, beginning) and (anchor id, source id, level), in any order.

        A row of an anchor or a source that is not listed is left out. Of two rows of one pair the lower level counts.
        """
        told, begun = sorted(anchors), sorted(sources, key=lambda each: (each[1], each[0]))
        of_anchor, of_source = places(each[0] for each in told), places(each[0] for each in begun)
        found = [
            (of_anchor[who], of_source[where], level)
            for who, where, level in rows
            if who in of_anchor and where in of_source
        ]
        columns = np.array(sorted(found), np.int32).reshape(-1, 3)
        first = np.ones(len(columns), np.bool_)
        first[1:] = (np.diff(columns[:, :2], axis=0) != 0).any(axis=1)
        anchor, source, level = columns[first].T
        return cls(
            tuple(each[0] for each in told),
            np.array([STATES.index(each[1]) for each in told], np.int8),
            np.array([each[2] for each in told], np.float64),
            tuple(each for each, _ in begun),
            np.array([at for _, at in begun], np.float64),
            anchor,
            source,
            level.astype(np.int8),
        )

    def levels(self) -> tuple[Sensitivity, ...]:
        """The sensitivities at which somebody is told of."""
        return tuple(Sensitivity(int(level)) for level in np.unique(self.level))

    def seen(self, level: Sensitivity) -> Appearances:
        """What there is of those who are told of at exactly this level, for those who may see up to it.

        Of an anchor that nothing of this level tells of, the storylines of the next lower level tell everything.
        """
        own = np.zeros(len(self.anchors), np.bool_)
        own[self.anchor[self.level == level]] = True
        which = (self.level <= level) & own[self.anchor]
        rows = self.anchor[which], self.source[which], self.level[which]
        return Appearances(self.anchors, self.state, self.confidence, self.sources, self.at, *rows)

    def key(self, anchor: NDArray[np.integer], source: NDArray[np.integer]) -> NDArray[np.int64]:
        """One number for each anchor and source, in the order of the rows."""
        return anchor.astype(np.int64) * max(len(self.sources), 1) + source


def places(ids: Iterable[str]) -> dict[str, int]:
    """Id -> its place among them."""
    return {each: place for place, each in enumerate(ids)}


def appearances_of(believed: WorkingSet, begun: Mapping[str, float], least: int) -> Appearances:
    """The appearances of a working set, as they are read from the tables: of whom as many sources at least tell.

    A source of which no beginning is known began with its first mention.
    """
    mentions = [
        (entity.entity_id, each)
        for entity in believed.entities.values()
        if entity.merged_into is None and not entity.is_owner and entity.type in TIED_TYPES
        for each in believed.mentions.get(entity.entity_id, {}).values()
    ]
    told: defaultdict[str, set[str]] = defaultdict(set)
    for who, each in mentions:
        told[who].add(each.source_id)
    own = [(who, each) for who, each in mentions if len(told[who]) >= least]
    first: dict[str, float] = {}
    for _, each in own:
        first[each.source_id] = min(each.at, first.get(each.source_id, each.at))
    anchors = [believed.entities[who] for who in dict.fromkeys(who for who, _ in own)]
    return Appearances.of(
        ((each.entity_id, each.state, each.confidence) for each in anchors),
        ((source, begun.get(source, at)) for source, at in first.items()),
        ((who, each.source_id, each.sensitivity) for who, each in own),
    )
