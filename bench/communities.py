"""What a night of communities costs, and how good what it finds is (`memoray bench communities`).

Lives are invented: circles of people and things that are named together, two to four in a segment, of which every fifth
names somebody of another circle. So it is known who belongs together. Nothing else of a night is timed, no database.

The same graphs can be given to other libraries, as far as they are installed: networkx, igraph and leidenalg (the last
two under the GPL, so never with Memoray).
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters import build_models
from bench.partition_scores import adjusted_mutual_information
from memory.model.communities import Community
from memory.model.graph import WeightedGraph
from memory.model.timeline import DAY_S
from memory.rules.parameters import Communities
from memory.rules.partitions import modularity
from memory.rules.ties import AssertedColumns, NamedColumns, Ties, graph_of, resolution_of
from memory.services.communities import LevelFound, find_communities

SIZES = (10_000, 50_000, 100_000, 500_000, 1_000_000)
"""Edges, about."""
ENTITIES_AN_EDGE = 0.2
"""As the largest memory that a night is measured on: 100,000 entities and 500,000 edges."""
ELSEWHERE = 0.2
"""Breaths that name somebody of another circle."""
DAYS = 365.0
BREATHS = 16
"""Segments of a source."""


@dataclass(frozen=True, slots=True, eq=False)
class InventedTies:
    """Invented ties, and which circle each entity is of."""

    ties: Ties
    circle: NDArray[np.int64]


def invented(edges: int, circle: int | None = None, seed: int = 1) -> InventedTies:
    """A life with about so many edges; `circle` members each, by default as many as there are circles."""
    rng = np.random.default_rng(seed)
    entities = int(edges * ENTITIES_AN_EDGE)
    circles = max(2, entities // circle if circle else round(entities**0.5))
    own = np.sort(rng.integers(0, circles, entities))
    own[:circles] = np.arange(circles)  # nobody's circle is empty
    own.sort()
    return InventedTies(_ties(rng, own, round(0.37 * edges)), own)


def _ties(rng: np.random.Generator, own: NDArray[np.int64], segments: int) -> Ties:
    starts = np.searchsorted(own, np.arange(own.max() + 2))
    entities = len(own)
    count = rng.integers(2, 5, segments)
    segment = np.repeat(np.arange(segments), count)
    # a circle is spoken of as often as it has members
    spoken = own[rng.integers(0, entities, segments)][segment]
    entity = starts[spoken] + (rng.random(len(segment)) * (starts[spoken + 1] - starts[spoken])).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    strange = first[rng.random(segments) < ELSEWHERE]
    entity[strange] = rng.integers(0, entities, len(strange))
    at = DAYS * DAY_S * np.sort(rng.random(segments))[segment]
    named = NamedColumns(
        entity.astype(np.int32), segment, (segment // BREATHS).astype(np.int32), at, np.zeros(len(segment), np.int8)
    )
    nothing = np.empty(0, np.int32)
    asserted = AssertedColumns(nothing, nothing, nothing, nothing, np.empty(0), np.empty(0), np.empty(0, np.int8))
    ids = tuple(f"e-{number:016x}" for number in range(entities))
    sources = tuple(f"s-{number}" for number in range(segments // BREATHS + 1))
    return Ties(ids, np.ones(entities, np.bool_), sources, (), named, asserted)


def later(life: InventedTies, share: float = 0.01, seed: int = 2) -> InventedTies:
    """The life a day later: so many of its segments more."""
    rng = np.random.default_rng(seed)
    old = life.ties.named
    segments = int(old.segment.max()) + 1
    new = _ties(rng, life.circle, max(1, round(share * segments))).named
    named = NamedColumns(
        np.concatenate([old.entity, new.entity]),
        np.concatenate([old.segment, new.segment + segments]),
        np.concatenate([old.source, new.source + old.source.max() + 1]),
        np.concatenate([old.at, np.full(len(new.at), (DAYS + 1) * DAY_S)]),
        np.concatenate([old.level, new.level]),
    )
    sources = (*life.ties.sources, *(f"t-{number}" for number in range(int(new.source.max()) + 1)))
    return replace(life, ties=replace(life.ties, named=named, sources=sources))


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """The result for one size; seconds are of processor and wall alike, for nothing waits."""

    nodes: int
    edges: int
    circles: int
    graph_s: float
    """From the columns of who is named where."""
    partition_s: float
    """Leiden alone."""
    night_s: float
    """The first night: graph, partition, settling, ranks, cores, plan, patterns."""
    next_night_s: float
    """A day with a hundredth more talk."""
    same_night_s: float
    """That night again, in which nothing changes."""
    changed_again: int
    """Communities and patterns that changed all the same."""
    peak_mb: float
    """Above what the process held before, at the most; of a process that measured nothing before."""
    communities: int
    modularity: float
    likeness: float
    """Adjusted mutual information with the circles, of those in a community and of all others as being alone."""
    kept: float
    """Share of members who are in the same community the day after."""

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "nodes": f"{self.nodes:,}",
            "edges": f"{self.edges:,}",
            "circles": f"{self.circles:,}",
            "graph s": f"{self.graph_s:.2f}",
            "Leiden s": f"{self.partition_s:.2f}",
            "first night s": f"{self.night_s:.1f}",
            "next night s": f"{self.next_night_s:.1f}",
            "that night again s": f"{self.same_night_s:.1f}",
            "changed again": str(self.changed_again),
            "peak MB": f"{self.peak_mb:.0f}",
            "communities": f"{self.communities:,}",
            "modularity": f"{self.modularity:.4f}",
            "AMI": f"{self.likeness:.3f}",
            "kept %": f"{100 * self.kept:.2f}",
        }


def measure_communities(life: InventedTies, rules: Communities) -> CommunityRow:
    """Three nights of one life."""
    engine = build_models.graph_engine()
    engine.rank(WeightedGraph.of(2, [0], [1]))  # imports its libraries
    engine.partition(WeightedGraph.of(2, [0], [1]))
    before = _peak_mb()
    seconds: dict[str, float] = {}

    def night(of: InventedTies, found: Sequence[LevelFound], day: int) -> tuple[LevelFound, ...]:
        standing = [each for level in found for each in level.communities.standing]
        patterns = [each for level in found for each in (*level.patterns.kept, *level.patterns.made)]
        return find_communities("bench", of.ties, standing, patterns, f"2024-05-{day:02}", engine, rules)

    with _timed(seconds, "graph"):
        graph = graph_of(life.ties, rules)
    with _timed(seconds, "partition"):
        engine.partition(graph, resolution_of(graph, rules))
    with _timed(seconds, "night"):
        first = night(life, (), 1)
    day_after = later(life)
    with _timed(seconds, "next_night"):
        second = night(day_after, first, 2)
    with _timed(seconds, "same_night"):
        third = night(day_after, second, 3)
    peak = _peak_mb() - before
    own, own_later = (_whose(life.ties.entities, each) for each in (first, second))
    there = own >= 0
    return CommunityRow(
        nodes=graph.nodes,
        edges=graph.edges,
        circles=len(np.unique(life.circle)),
        **{f"{name}_s": taken for name, taken in seconds.items()},
        changed_again=sum(map(_changes, third)),
        peak_mb=peak,
        communities=len(first[0].communities.standing),
        modularity=first[0].modularity,
        likeness=adjusted_mutual_information(np.where(there, own, -np.arange(len(own)) - 1), life.circle),
        kept=float((own == own_later)[there].mean()),
    )


def measured_apart(edges: int, circle: int | None) -> CommunityRow:
    """The row of one size, in a process of its own: a peak of memory only rises."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        return apart.submit(_measured, edges, circle).result()


def _measured(edges: int, circle: int | None) -> CommunityRow:
    return measure_communities(invented(edges, circle), Communities())


def _whose(ids: Sequence[str], found: Sequence[LevelFound]) -> NDArray[np.int64]:
    """[entities] a number for the id of each entity's community, -1 of those in none."""
    number = {each: place for place, each in enumerate(ids)}
    own = np.full(len(ids), -1, np.int64)
    standing: Sequence[Community] = [each for level in found for each in level.communities.standing]
    for each in standing:
        own[[number[member] for member in each.members]] = int(each.community_id.removeprefix("g-"), 16) >> 2
    return own


def _changes(found: LevelFound) -> int:
    plan, patterns = found.communities, found.patterns
    return sum(map(len, (plan.changed, plan.opened, plan.closed, patterns.made, patterns.withdrawn)))


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - began


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


Partition = Callable[[WeightedGraph], NDArray[np.integer]]


def libraries() -> dict[str, Partition]:
    """The engines that are compared, as far as they are installed; ours first."""
    engine = build_models.graph_engine()
    found: dict[str, Partition] = {"Memoray, CPU": engine.partition}
    for name, package, act in (
        ("networkx louvain", "networkx", _networkx_louvain),
        ("networkx greedy", "networkx", _networkx_greedy),
        ("igraph multilevel", "igraph", _igraph_multilevel),
        ("igraph leiden", "igraph", _igraph_leiden),
        ("leidenalg", "leidenalg", _leidenalg),
    ):
        if find_spec(package) is not None:
            found[name] = act
    return found


def compare(graph: WeightedGraph, most_s: float = 600.0) -> Iterator[dict[str, str]]:
    """A row a library: its modularity by our own function, and its seconds. Greedy is left out above 20,000 edges."""
    rows: list[tuple[str, float, float]] = []
    for name, act in libraries().items():
        if name == "networkx greedy" and graph.edges > 20_000:
            continue
        began = time.perf_counter()
        labels = np.asarray(act(graph), np.int32)
        rows.append((name, modularity(graph, labels), time.perf_counter() - began))
    best = max(quality for _, quality, _ in rows)
    for name, quality, seconds in rows:
        yield {
            "edges": f"{graph.edges:,}",
            "library": name,
            "modularity": f"{quality:.4f}",
            "of the best %": f"{100 * quality / best:.2f}",
            "s": f"{seconds:.2f}",
        }


def _labels(nodes: int, parts: Sequence[Any]) -> NDArray[np.int64]:
    labels = np.empty(nodes, np.int64)
    for number, part in enumerate(parts):
        labels[list(part)] = number
    return labels


def _networkx(graph: WeightedGraph) -> Any:
    import networkx

    made = networkx.Graph()
    made.add_nodes_from(range(graph.nodes))
    made.add_weighted_edges_from(zip(graph.one.tolist(), graph.other.tolist(), graph.weight.tolist(), strict=True))
    return made


def _networkx_louvain(graph: WeightedGraph) -> NDArray[np.int64]:
    from networkx.algorithms.community import louvain_communities

    return _labels(graph.nodes, louvain_communities(_networkx(graph), seed=1))


def _networkx_greedy(graph: WeightedGraph) -> NDArray[np.int64]:
    from networkx.algorithms.community import greedy_modularity_communities

    return _labels(graph.nodes, greedy_modularity_communities(_networkx(graph), weight="weight"))


def _igraph(graph: WeightedGraph) -> Any:
    import igraph

    made = igraph.Graph(graph.nodes, list(zip(graph.one.tolist(), graph.other.tolist(), strict=True)))
    made.es["weight"] = graph.weight.tolist()
    return made


def _igraph_multilevel(graph: WeightedGraph) -> NDArray[np.int64]:
    return np.array(_igraph(graph).community_multilevel(weights="weight").membership)


def _igraph_leiden(graph: WeightedGraph) -> NDArray[np.int64]:
    found = _igraph(graph).community_leiden("modularity", weights="weight", n_iterations=-1)
    return np.array(found.membership)


def _leidenalg(graph: WeightedGraph) -> NDArray[np.int64]:
    import leidenalg

    kind = leidenalg.RBConfigurationVertexPartition
    found = leidenalg.find_partition(_igraph(graph), kind, weights="weight", seed=42, n_iterations=-1)
    return np.array(found.membership)
