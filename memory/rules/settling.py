"""How a partition settles on that of the night before, so that a community is the same one from night to night.

Modularity has many nearly equal optima (Good, de Montjoye and Clauset 2010): a graph that changes by a hundredth may be
cut quite differently, and nothing in the life behind it has changed. So what is new is taken over only where it says
something: old and new communities are cut into pieces, each the members of one of both, and every piece stays where it
was unless its ties clearly pull it elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.graph import WeightedGraph
from memory.rules.partitions import Labels, inside, modularity, numbered

NEW = -1
"""The label of a node that was not there the night before."""
MOST_ROUNDS = 20
"""Rounds until nothing moves any more; two or three are usual."""
MOST_VISITS = 50
"""Times each piece is looked at, at most, in one round."""


@dataclass(frozen=True, slots=True)
class Reluctance:
    """What speaks for leaving things as they were."""

    of_piece: float
    """A piece moves if it gains more than this share of its ties."""
    of_whole: float
    """The new partition is taken whole where the settled one has less than 1 minus this share of its modularity."""
    least_members: int
    """Smaller communities are not remembered from night to night."""


def settled(
    graph: WeightedGraph,
    before: NDArray[np.integer],
    fresh: Labels,
    resolution: float,
    reluctance: Reluctance,
    components: Callable[[WeightedGraph], Labels],
) -> Labels:
    """The communities of tonight, numbered like those of an engine, as near to `before` as the graph allows.

    `before` [nodes] are labels of the night before, NEW for a node that had none; `fresh` is the engine's partition of
    this graph, `components` its method. Each community is connected.
    """
    if not graph.edges:
        return fresh
    settling = _Settling(graph, fresh, resolution, reluctance, components)
    alone = np.arange(len(before), dtype=np.int64) + before.max(initial=NEW) + 1
    start = _known(np.where(before < 0, alone, before), reluctance.least_members)
    for _ in range(MOST_ROUNDS):
        found = settling.from_(start)
        again = _known(found, reluctance.least_members)
        if np.array_equal(again, start):
            break  # the night after begins here, and finds the same if nothing has changed
        start = again
    return found


@dataclass(frozen=True, slots=True)
class _Settling:
    """One graph, what the engine found in it, and how it is settled on what was known before."""

    graph: WeightedGraph
    fresh: Labels
    resolution: float
    reluctance: Reluctance
    components: Callable[[WeightedGraph], Labels]

    def from_(self, start: NDArray[np.int64]) -> Labels:
        """As reluctantly as is good enough; where nothing was known, or nothing of it is good enough, from `fresh`."""
        least = (1 - self.reluctance.of_whole) * modularity(self.graph, self.fresh, self.resolution)
        if start.max() + 1 < len(start):
            for share in (1.0, 0.2, 0.0):
                found = self._moved(start, share)
                if modularity(self.graph, found, self.resolution) >= least:
                    return found
        return self._moved(_known(self.fresh, self.reluctance.least_members), 1.0)

    def _moved(self, start: NDArray[np.int64], share: float) -> Labels:
        """Move pieces until none moves that will be known the night after: of communities of so many members."""
        for _ in range(MOST_ROUNDS):
            moved = _moved(self.graph, start, self.fresh, self.resolution, share * self.reluctance.of_piece)
            found = self.components(inside(self.graph, moved))
            again = _known(found, self.reluctance.least_members)
            if np.array_equal(again, start):
                break
            start = again
        return found


def _known(labels: NDArray[np.integer], least: int) -> NDArray[np.int64]:
    """The same communities, but for those with too few members, who are each alone; numbered by what they are."""
    _, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    alone = len(sizes) + np.arange(len(labels))
    return numbered(np.where(sizes[place] < least, alone, place)).astype(np.int64)


@dataclass(slots=True)
class _Pieces:
    """Pieces, what ties them, and where each is now."""

    strength: list[float]
    ties: list[dict[int, float]]
    """Piece -> other piece -> weight between them."""
    place: list[int]
    whole: float
    """The weight of all edges, twice."""
    strengths: dict[int, float] = field(default_factory=dict)
    """Place -> strength of what is there."""

    def best(self, piece: int, resolution: float, reluctance: float) -> int | None:
        """Where a piece gains clearly more than where it is; None = it stays."""
        here, own = self.place[piece], self.strength[piece]
        pull: dict[int, float] = {}
        for other, weight in self.ties[piece].items():
            there = self.place[other]
            pull[there] = pull.get(there, 0.0) + weight
        chance = resolution * own / self.whole
        stays = pull.pop(here, 0.0) - chance * (self.strengths[here] - own)
        gains = {there: weight - chance * self.strengths[there] for there, weight in pull.items()}
        if self.strengths[here] > own:
            gains[~piece] = 0.0  # by itself
        place, gain = max(gains.items(), key=lambda each: (each[1], -each[0]), default=(here, stays))
        return place if gain - stays > reluctance * own else None

    def move(self, piece: int, place: int) -> None:
        """Put a piece elsewhere."""
        own = self.strength[piece]
        self.strengths[self.place[piece]] -= own
        self.strengths[place] = self.strengths.get(place, 0.0) + own
        self.place[piece] = place


def _moved(
    graph: WeightedGraph, labels: NDArray[np.int64], fresh: Labels, resolution: float, reluctance: float
) -> NDArray[np.int64]:
    """The labels after every piece has been asked, and asked again when a neighbour has moved."""
    pairs, piece = np.unique(labels * (int(fresh.max()) + 1) + fresh, return_inverse=True)
    pieces = _pieces(graph, piece, (pairs // (int(fresh.max()) + 1)).tolist())
    waiting, queued, visits = deque(range(len(pairs))), [True] * len(pairs), MOST_VISITS * len(pairs)
    while waiting and visits:
        each, visits = waiting.popleft(), visits - 1
        queued[each] = False
        place = pieces.best(each, resolution, reluctance)
        if place is None:
            continue
        pieces.move(each, place)
        for other in pieces.ties[each]:
            if not queued[other] and pieces.place[other] != place:
                queued[other] = True
                waiting.append(other)
    return np.array(pieces.place, np.int64)[piece]


def _pieces(graph: WeightedGraph, piece: NDArray[np.integer], place: list[int]) -> _Pieces:
    strength = np.bincount(piece, graph.strengths(), len(place))
    ties: list[dict[int, float]] = [{} for _ in place]
    for one, other, weight in _between(graph, piece, len(place)):
        ties[one][other] = ties[other][one] = weight
    pieces = _Pieces(strength.tolist(), ties, place, float(strength.sum()) or 1.0)
    for where, own in zip(place, pieces.strength, strict=True):
        pieces.strengths[where] = pieces.strengths.get(where, 0.0) + own
    return pieces


def _between(graph: WeightedGraph, piece: NDArray[np.integer], pieces: int) -> Iterator[tuple[int, int, float]]:
    ends = np.sort(np.stack([piece[graph.one], piece[graph.other]]).astype(np.int64), axis=0)
    apart = ends[0] != ends[1]
    keys, places = np.unique(ends[0][apart] * pieces + ends[1][apart], return_inverse=True)
    weights = np.bincount(places, graph.weight[apart], len(keys))
    one, other = np.divmod(keys, pieces)
    return zip(one.tolist(), other.tolist(), weights.tolist(), strict=True)
