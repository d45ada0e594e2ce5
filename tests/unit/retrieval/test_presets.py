"""Recall as the presets of seeds 003 and 004 order it, over facts in columns, and how far a question walks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model.accesses import Access
from memory.model.facts import Link
from memory.model.scopes import Sensitivity
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.intents import Exemplars, examples
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Probe, Question
from memory.retrieval.segment_index import MemoryTraits
from memory.services.recall import (
    GRAPH_MEMORY,
    PERSONAL_AI,
    RecallContext,
    RecallSettings,
    Recollection,
    at_hand,
    recall,
)
from tests.unit.retrieval.rows import Row
from tests.unit.retrieval.worlds import ENCODER, NOON, OPEN, Heard, World, fact, person

DESK = Row(1, "The green desk of Nora stands in the hall", at=NOON, known_from=NOON)
LAMP = Row(2, "The green desk of Tom stands in the hall", source=2, at=NOON, known_from=NOON)
FAR = Row(3, "Quarterly taxes are due", source=3, at=NOON, known_from=NOON)
HEARD = (Heard(DESK, mentions=("e-1",)), Heard(LAMP, mentions=("e-2",)), Heard(FAR))
WORLD = World(
    heard=HEARD,
    entities=(person("e-1", "Nora"), person("e-2", "Tom")),
    facts=(
        fact("f-nora", "Nora has a green desk", importance=9),
        fact("f-tom", "Tom has a green desk", "e-2", importance=2),
        fact("f-tax", "Taxes are due quarterly", "e-2"),
    ),
    grounds={"f-nora": [1], "f-tom": [2], "f-tax": [3]},
)


async def ask(
    world: World, text: str, settings: RecallSettings, context: RecallContext = RecallContext()
) -> Recollection:
    beliefs = world.beliefs()
    segment_index = beliefs.segment_index
    legs = (MemoryText(segment_index), MemoryVectors(segment_index), MemoryGraph(beliefs))
    question = Question(text, OPEN, NOON, limit=50, explain=True)
    patient = replace(settings, leg_timeout_s=60.0)
    traits_of = MemoryTraits(segment_index, beliefs)
    return await recall(question, legs, traits_of, at_hand(ENCODER.ask(text)), patient, context)


@pytest.mark.conforms("003:recall.factors")
async def test_personal_ai_orders_by_what_is_believed() -> None:
    found = await ask(WORLD, "Where is the green desk in the hall?", PERSONAL_AI)
    assert found.keys.tolist() == [1, 2]  # the third is too unlike to be a result
    first, second = (one.contributions for one in found.explained)
    assert first["importance"] == pytest.approx(0.18)
    assert second["importance"] == pytest.approx(0.04)
    assert "subject" not in first
    named = await ask(WORLD, "Where is the green desk of Tom in the hall?", PERSONAL_AI)
    assert {one.key: one.contributions.get("subject") for one in named.explained} == {2: pytest.approx(0.15), 1: None}


@pytest.mark.conforms("003:recall.neighbours")
async def test_what_is_like_the_best_comes_with_it() -> None:
    linked = replace(WORLD, links=frozenset({Link("similar", "f-tax", "f-nora")}))
    found = await ask(linked, "Where is the green desk in the hall?", PERSONAL_AI)
    assert set(found.keys.tolist()) == {1, 2, 3}
    best, neighbour = (next(one for one in found.explained if one.key == key) for key in (1, 3))
    assert neighbour.score == pytest.approx(0.8 * best.score, abs=1e-6)


@pytest.mark.conforms("004:rrf")
async def test_graph_memory_adds_up_ranks() -> None:
    found = await ask(WORLD, "Where is Nora's desk?", GRAPH_MEMORY)
    first = found.explained[0]
    assert (first.key, set(first.ranks)) == (1, {"text", "vectors", "graph"})
    assert first.score == pytest.approx(sum(1 / (60 + rank) for rank in first.ranks.values()), abs=1e-6)
    assert found.told is not None
    assert (found.told.plan["order"], found.told.weights) == ("fused", {})


def test_backing_tells_recalls_and_hides_what_is_out_of_sight() -> None:
    hidden = replace(WORLD, facts=(replace(WORLD.facts[0], sensitivity=Sensitivity.PRIVATE), *WORLD.facts[1:]))
    beliefs = hidden.beliefs()
    held = beliefs.backing(OPEN, np.array([3, 1, 2]), Probe("Is it Tom's?"))
    assert held is not None
    assert sorted(zip(held.row.tolist(), held.named[held.fact].tolist(), strict=True)) == [(0, True), (2, True)]
    believed = replace(WORLD.believed(), accesses={"f-nora": Access("f-nora", 7, NOON + 60, 0.5)})
    seen = type(beliefs)(WORLD.segment_index(), {"ann": believed}.get)
    told = seen.backing(OPEN, np.array([1]), Probe("x"))
    assert told is not None
    assert (told.recalls.tolist(), told.since.tolist(), told.importance.tolist()) == ([7], [NOON + 60], [9])


CHAIN = World(
    heard=tuple(
        Heard(Row(key, f"words of {key}", source=key, at=NOON, known_from=NOON), mentions=mentions)
        for key, mentions in ((1, ("e-1",)), (2, ()), (3, ("e-2",)), (4, ()), (5, ("e-3",)), (6, ()))
    ),
    entities=(person("e-1", "Nora"), person("e-2", "Tom"), person("e-3", "Ivo")),
    facts=(
        fact("f-1", "Nora has a brother, Tom", object_id="e-2"),
        fact("f-2", "Tom has a boss, Ivo", "e-2", object_id="e-3"),
        fact("f-3", "Ivo has a boat", "e-3"),
    ),
    grounds={"f-1": [2], "f-2": [4], "f-3": [6]},
)


@pytest.mark.conforms("004:graph_step")
@pytest.mark.parametrize(("depth", "reached"), [(1, {1, 2}), (2, {1, 2, 3}), (3, {1, 2, 3, 4}), (4, {1, 2, 3, 4, 5})])
async def test_a_deeper_question_walks_further_and_every_step_counts_half(depth: int, reached: set[int]) -> None:
    found = await MemoryGraph(CHAIN.beliefs()).search(OPEN, Probe("Nora", depth=depth))
    assert set(found.keys.tolist()) == reached
    shares = dict(zip(found.keys.tolist(), (found.scores / found.scores[0]).tolist(), strict=True))
    assert shares == pytest.approx({key: 0.5 ** (key - 1) for key in reached})


async def test_examples_tell_the_intent_where_words_do_not() -> None:
    told = "the moment of the visit"
    rows = np.zeros((len(examples()), ENCODER.dimensions), np.float32)
    rows[5] = ENCODER.embed([told])[0]
    for exemplars, intent, by in ((None, "general", "words"), (Exemplars(rows), "when", "example")):
        found = await ask(WORLD, told, RecallSettings(), RecallContext(exemplars=exemplars))
        assert found.told is not None
        assert (found.intent, found.told.plan["intent_by"]) == (intent, by)
