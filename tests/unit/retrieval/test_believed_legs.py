"""The graph leg and the hot leg: finding segments through what is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.ids import fold
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet
from memory.retrieval import graph_leg
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.fact_columns import FactColumns, key_of
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from tests.unit.retrieval.rows import Row, batch

NOON = 1_683_500_000.0
ANN = View("ann")


def entity(entity_id: str, name: str, **changes) -> Entity:
    return replace(Entity(entity_id, "person", name, 0.9, NOON), **changes)


def fact(fact_id: str, subject_id: str, statement: str, **changes) -> Fact:
    return replace(Fact(fact_id, 1, subject_id, statement, "factual", 5, 0.9, NOON, NOON), **changes)


def memory(entities, mentions, facts=(), evidence=None) -> WorkingSet:
    names: dict[str, tuple[str, ...]] = {}
    for one in entities:
        for name in one.names if one.merged_into is None else ():
            names[name] = (*names.get(name, ()), one.entity_id)
    called = {one.entity_id: one.name for one in entities}
    by_subject: dict[str, tuple[str, ...]] = {}
    for one in facts:
        by_subject[one.subject_id] = (*by_subject.get(one.subject_id, ()), one.fact_id)
    return WorkingSet(
        "ann",
        entities={one.entity_id: one for one in entities},
        facts={one.fact_id: one for one in facts},
        mentions={
            about: {key: Mention(about, "s", key, NOON, called[about]) for key in keys}
            for about, keys in mentions.items()
        },
        evidence={
            about: tuple(Evidence(about, "s", key, "", NOON) for key in keys)
            for about, keys in (evidence or {}).items()
        },
        names=names,
        by_subject=by_subject,
    )


def segment_index(count: int) -> SegmentIndex:
    built = SegmentIndex(2)
    built.put("user:ann", Sensitivity.OPEN, batch([Row(key, "words", order=key) for key in range(1, count + 1)]))
    return built


PEOPLE = [
    entity("e-1", "Valerie", aliases=("Val",)),
    entity("e-2", "New York"),
    entity("e-3", "New York Choir"),
    entity("e-4", "Marnie", merged_into="e-1"),
    entity("e-5", "St. John's Café"),
]


def graph(built: SegmentIndex, believed: WorkingSet) -> MemoryGraph:
    return MemoryGraph(Beliefs(built, {"ann": believed}.get))


def hot(built: SegmentIndex, world: dict[str, WorkingSet]) -> tuple[MemoryHot, Beliefs]:
    beliefs = Beliefs(built, world.get)
    return MemoryHot(beliefs), beliefs


async def found(believed: WorkingSet, question: str) -> list[int]:
    """The segment that mentions each named entity; entity n is mentioned in segment n alone."""
    ranking = await graph(segment_index(9), believed).search(ANN, Probe(question))
    return sorted(ranking.keys.tolist())


async def test_names_are_found_longest_first_and_through_aliases_and_possessives():
    believed = memory(PEOPLE, {f"e-{n}": [n] for n in (1, 2, 3, 5)})
    assert await found(believed, "Did Val's sister join the new york choir?") == [1, 3]
    assert await found(believed, "Was it in New York?") == [2]
    assert await found(believed, "What does st. john's café serve?") == [5]
    assert await found(believed, "Nobody here") == []


async def test_a_merged_entity_is_followed():
    believed = memory(PEOPLE, {"e-1": [1]})
    believed = replace(believed, names={**believed.names, fold("Marnie"): ("e-4",)})
    assert await found(believed, "Where is Marnie?") == [1]


async def test_a_rare_entity_outranks_a_common_one_and_both_together_win():
    believed = memory(PEOPLE, {"e-1": range(1, 9), "e-2": [8, 9]})
    ranking = await graph(segment_index(20), believed).search(ANN, Probe("Valerie in New York"))
    assert ranking.keys.tolist()[:2] == [8, 9]
    assert set(ranking.keys.tolist()) == set(range(1, 10))


async def test_evidence_of_its_facts_and_its_neighbours_follow_its_mentions():
    lives = fact("f-1", "e-1", "Valerie lives in New York.", object_id="e-2")
    old = fact("f-2", "e-1", "Valerie lives in Rome.", status="invalidated")
    believed = memory(PEOPLE, {"e-1": [1], "e-2": [3]}, [lives, old], {"f-1": [2], "f-2": [4]})
    ranking = await graph(segment_index(9), believed).search(ANN, Probe("Valerie"))
    assert ranking.keys.tolist() == [1, 2, 3]


async def test_only_segments_in_the_columns_come_out():
    believed = memory(PEOPLE, {"e-1": [1, 2, 99]})
    ranking = await graph(segment_index(2), believed).search(ANN, Probe("Valerie"))
    assert ranking.keys.tolist() == [1, 2]


async def test_hot_finds_the_evidence_of_matching_facts():
    facts = [fact("f-1", "e-1", "Valerie plays the violin."), fact("f-2", "e-1", "Valerie lives in Rome.")]
    believed = memory(PEOPLE, {}, facts, {"f-1": [3], "f-2": [4]})
    leg, _ = hot(segment_index(9), {"ann": believed})
    assert (await leg.search(ANN, Probe("Who is playing violins?"))).keys.tolist() == [3]


async def test_one_fact_that_fits_beats_many_that_fit_worse():
    fits = fact("f-1", "e-1", "Valerie plays the violin.")
    near = [fact(f"f-{n}", "e-1", f"Valerie heard a violin in city number {n}.") for n in range(2, 6)]
    believed = memory(PEOPLE, {}, [fits, *near], {"f-1": [3], **{one.fact_id: [4] for one in near}})
    leg, _ = hot(segment_index(9), {"ann": believed})
    ranking = await leg.search(ANN, Probe("Who plays the violin?"))
    assert ranking.keys.tolist() == [3, 4]


async def test_hot_catches_up_with_what_is_believed_now():
    first = fact("f-1", "e-1", "Valerie plays the violin.")
    world = {"ann": memory(PEOPLE, {}, [first], {"f-1": [1]})}
    leg, beliefs = hot(segment_index(9), world)
    assert (await leg.search(ANN, Probe("violin"))).keys.tolist() == [1]
    moved = [replace(first, status="forgotten"), fact("f-2", "e-1", "Valerie sold the violin.")]
    world["ann"] = memory(PEOPLE, {}, moved, {"f-1": [1], "f-2": [2]})
    assert (await leg.search(ANN, Probe("violin"))).keys.tolist() == [2]
    beliefs.drop("ann")
    assert (await leg.search(ANN, Probe("violin"))).keys.tolist() == [2]


async def test_what_hot_began_before_the_vector_came_is_ended_with_what_is_believed_then():
    first = fact("f-1", "e-1", "Valerie plays the violin.")
    world = {"ann": memory(PEOPLE, {}, [first], {"f-1": [1]})}
    leg, beliefs = hot(segment_index(9), world)
    beliefs.facts_of("ann").catch_up(world["ann"])
    beliefs.facts_of("ann").put_vectors(["f-1"], np.array([[1, 0]], np.float32))
    probe = Probe("violin")
    known = replace(probe, vector=np.array([1, 0], np.float32))
    end = leg.begin(ANN, probe)
    assert end(probe).scores.tolist() == (await leg.search(ANN, probe)).scores.tolist()
    assert end(known).scores.tolist() == (await leg.search(ANN, known)).scores.tolist()
    assert end(known).scores[0] > end(probe).scores[0] > 0
    world["ann"] = memory(PEOPLE, {}, [first, fact("f-2", "e-1", "A violin.")], {"f-1": [3], "f-2": [4]})
    assert end(known).keys.tolist() == (await leg.search(ANN, known)).keys.tolist() == [3, 4]


async def test_hot_finds_by_meaning_once_statements_have_vectors():
    believed = memory(PEOPLE, {}, [fact("f-1", "e-1", "Valerie plays the violin.")], {"f-1": [1]})
    leg, beliefs = hot(segment_index(9), {"ann": believed})
    probe = Probe("musician?", np.array([1, 0], np.float32))
    assert not len((await leg.search(ANN, probe)).keys)
    beliefs.facts_of("ann").put_vectors(["f-1", "f-unknown"], np.array([[1, 0], [0, 1]], np.float32))
    assert (await leg.search(ANN, probe)).keys.tolist() == [1]


def test_a_fact_whose_words_did_not_change_keeps_its_vector():
    facts = FactColumns(2)
    first = fact("f-1", "e-1", "Valerie plays the violin.")
    facts.catch_up(memory(PEOPLE, {}, [first]))
    facts.put_vectors(["f-1"], np.array([[1, 0]], np.float32))
    facts.catch_up(memory(PEOPLE, {}, [replace(first, version=2, confidence=1.0)]))
    rows, _ = facts.columns.rows_of(np.array([key_of("f-1")]))
    assert facts.columns["has_vector"][rows].tolist() == [True]
    facts.catch_up(memory(PEOPLE, {}, [replace(first, version=3, statement="Valerie plays the cello.")]))
    rows, _ = facts.columns.rows_of(np.array([key_of("f-1")]))
    assert facts.columns["has_vector"][rows].tolist() == [False]


async def test_what_is_archived_is_not_at_hand_and_its_words_are_found():
    """Words, vectors and the graph go on finding them; being found is what brings it back."""
    tom, words = entity("e-1", "Tom"), "Tom plays the cello"
    held = fact("f-1", "e-1", words)
    for state, at_hand in (("active", [1]), ("archived", [])):
        known = memory([tom], {"e-1": [1]}, [replace(held, state=state)], {"f-1": [1]})
        segments = segment_index(2)
        beliefs = Beliefs(segments, {"ann": known}.get)
        assert (await MemoryHot(beliefs).search(ANN, Probe("Who plays the cello?"))).keys.tolist() == at_hand
        assert 1 in (await MemoryGraph(beliefs).search(ANN, Probe("What does Tom play?"))).keys.tolist()
        then = Probe("Who plays the cello?", as_of=NOON + 1)
        assert (await MemoryHot(beliefs).search(ANN, then)).keys.tolist() == [1], "of the past it still tells"


async def test_what_is_tied_to_a_name_is_remembered_until_something_changes() -> None:
    world = {"ann": memory(PEOPLE, {"e-1": [1, 2], "e-2": [3]})}
    leg = MemoryGraph(Beliefs(segment_index(4), world.get))
    first = await leg.search(ANN, Probe("Valerie"))
    again = await leg.search(ANN, Probe("Valerie"))
    assert first.keys.tolist() == again.keys.tolist() == [1, 2]
    assert first.scores.tolist() == again.scores.tolist()
    world["ann"] = memory(PEOPLE, {"e-1": [1, 2, 4], "e-2": [3]})
    later = await leg.search(ANN, Probe("Valerie"))
    assert later.keys.tolist() == [1, 2, 4]
    assert (await leg.search(ANN, Probe("Valerie in New York"))).keys.tolist()[0] == 3


async def test_more_names_than_are_remembered_change_no_answer(monkeypatch) -> None:
    believed = memory(PEOPLE, {"e-1": [1, 2], "e-2": [3], "e-3": [4]})
    plenty, scarce = graph(segment_index(4), believed), graph(segment_index(4), believed)
    questions = ["Valerie", "New York", "Valerie", "New York Choir", "Valerie and New York"]
    expected = [(await plenty.search(ANN, Probe(each))).keys.tolist() for each in questions]
    monkeypatch.setattr(graph_leg, "REMEMBERED", 1)
    assert [(await scarce.search(ANN, Probe(each))).keys.tolist() for each in questions] == expected
