"""The graph leg against its definition, written as plain loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.facts import Fact
from memory.retrieval.graph_leg import FRONTIER
from memory.retrieval.query import Probe
from tests.unit.retrieval.test_believed_legs import ANN, entity, fact, graph, memory, segment_index

NAMES = ("Adam", "Berta", "Carla", "Dora", "Emil")
SEGMENTS = 12
PEOPLE = [entity(f"e-{number}", name) for number, name in enumerate(NAMES)]
keys = st.frozensets(st.integers(1, SEGMENTS), max_size=4)
Mentions = Mapping[str, frozenset[int]]


@st.composite
def worlds(draw) -> tuple[Mentions, list[Fact], Mentions]:
    """Whom which segments mention, who knows whom, and which segments say so."""
    ids = [each.entity_id for each in PEOPLE]
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from([*ids, None])), max_size=8))
    facts = [fact(f"f-{number}", one, f"number {number}", object_id=other) for number, (one, other) in enumerate(pairs)]
    return {each: draw(keys) for each in ids}, facts, {each.fact_id: draw(keys) for each in facts}


def walk(name: int, depth: int, mentions: Mentions, facts: Sequence[Fact], evidence: Mentions) -> dict[int, float]:
    """Segment -> its share: a half less with every step, along facts and then to whom they lead."""
    shares: dict[int, float] = {}
    met = frontier = {f"e-{name}"}
    reached = set(mentions[f"e-{name}"])
    for step in range(depth + 1):
        for key in reached:
            shares.setdefault(key, 0.5**step)
        told = [each for each in facts if each.subject_id in frontier]
        if step % 2 == 0:
            reached = {key for each in told for key in evidence[each.fact_id]}
        else:
            frontier = {each.object_id for each in told if each.object_id} - met
            met = met | frontier
            reached = {key for each in frontier for key in mentions[each]}
    rarity = math.log1p((SEGMENTS - (n := len(mentions[f"e-{name}"])) + 0.5) / (n + 0.5))
    return {key: share * rarity for key, share in shares.items()}


@settings(max_examples=150)
@given(worlds(), st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True), st.integers(0, 5))
async def test_ties_are_what_the_definition_says(world, named: list[int], depth: int) -> None:
    mentions, facts, evidence = world
    believed = memory(PEOPLE, mentions, facts, evidence)
    known = [name for name in named if mentions[f"e-{name}"] or any(each.subject_id == f"e-{name}" for each in facts)]
    expected: dict[int, float] = {}
    for name in known:
        for key, worth in walk(name, depth, mentions, facts, evidence).items():
            expected[key] = expected.get(key, 0.0) + worth
    probe = Probe(" and ".join(NAMES[name] for name in named), depth=depth)
    ranking = await graph(segment_index(SEGMENTS), believed).search(ANN, probe)
    assert dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-4)


async def test_from_many_neighbours_only_some_are_walked_on_from() -> None:
    many = range(1, FRONTIER + 4)
    hub, near = entity("e-00", "Adam"), [entity(f"e-{number:02}", f"Near{number:02}") for number in many]
    far = [entity(f"x-{number:02}", f"Far{number:02}") for number in many]
    facts = [fact(f"f-{number}", "e-00", "knows", object_id=f"e-{number:02}") for number in many]
    facts += [fact(f"g-{number}", f"e-{number:02}", "knows", object_id=f"x-{number:02}") for number in many]
    mentions = {f"e-{number:02}": [number] for number in many} | {f"x-{number:02}": [100 + number] for number in many}
    ranking = await graph(segment_index(200), memory([hub, *near, *far], mentions, facts)).search(
        ANN, Probe("Adam", depth=4)
    )
    assert sorted(ranking.keys.tolist()) == [*many, *range(101, 101 + FRONTIER)]
