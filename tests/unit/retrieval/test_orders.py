"""The orders of seeds 003 and 004, by examples reckoned by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model.timeline import DAY_S
from memory.retrieval.backing import Backing
from memory.retrieval.candidates import Ranking
from memory.retrieval.fusion import FusionRules
from memory.retrieval.orders import FADING, Growth, factors, reciprocal
from memory.retrieval.pieces import EncodedQuestion
from tests.unit.retrieval.test_weighting import NOW, case, traits

TOWARDS = np.array([1, 0], np.float32)


def at_cosine(*cosines: float) -> np.ndarray:
    return np.array([(each, np.sqrt(1 - each**2)) for each in cosines], np.float32)


def backed(pairs: list[tuple[int, int]], links: list[tuple[int, int]] = [], **columns: list[float]) -> Backing:  # noqa: B006
    count = max((fact for _, fact in pairs), default=-1) + 1
    plain = {
        "importance": [5.0] * count,
        "stability": [1.0] * count,
        "recalls": [0.0] * count,
        "since": [NOW] * count,
        "named": [False] * count,
    } | columns
    return Backing(
        row=np.array([row for row, _ in pairs], np.int64),
        fact=np.array([fact for _, fact in pairs], np.int64),
        links=np.array(links, np.int64).reshape(-1, 2),
        **{name: np.array(values) for name, values in plain.items()},
    )


def weighed(cosines: list[float], held: Backing, **columns: object) -> np.ndarray:
    of = replace(traits(len(cosines), **columns), vectors=at_cosine(*cosines), backing=held)
    one = replace(case("Where?", of), asked=EncodedQuestion(TOWARDS, np.zeros((0, 2), np.float32)))
    return factors(one, FusionRules(), Growth()).scores


@pytest.mark.conforms("003:recall.factors", "003:recall.subject")
def test_the_factors_add_up_as_in_the_seed() -> None:
    held = backed([(0, 0)], importance=[8.0], stability=[1.0], recalls=[10.0], named=[True], since=[NOW - 30 * DAY_S])
    expected = 0.50 * 0.6 + 0.20 * 0.8 + 0.10 * np.exp(-FADING * 30) + 0.05 * 2 / 5 + 0.15
    assert weighed([0.6], held)[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.conforms("003:recall.recency")
def test_recency_is_half_after_about_thirty_days() -> None:
    new, old = weighed([0.6, 0.6], backed([(0, 0), (1, 1)], since=[NOW, NOW - 30 * DAY_S]))
    assert new - old == pytest.approx(0.1 * (1 - np.exp(-0.023 * 30)), abs=1e-6)
    assert np.exp(-0.023 * 30) == pytest.approx(0.5, abs=0.01)


@pytest.mark.conforms("003:recall.factors", "003:access.stability_cap")
def test_stability_counts_up_to_five() -> None:
    fresh, first, last = weighed([0.5] * 3, backed([(0, 0), (1, 1), (2, 2)], recalls=[0.0, 40.0, 400.0]))
    assert first == last == pytest.approx(fresh + 0.05 * 4 / 5, abs=1e-6)


@pytest.mark.conforms("003:recall.factors", "003:birth.fallback")
@pytest.mark.parametrize("held", [None, backed([])], ids=["no facts are kept", "no fact was read from these"])
def test_words_without_a_fact_are_as_recent_as_they_are_said(held: Backing | None) -> None:
    of = replace(traits(2, at=[NOW, NOW - 30 * DAY_S]), vectors=at_cosine(0.6, 0.6), backing=held)
    one = replace(case("Where?", of), asked=EncodedQuestion(TOWARDS, np.zeros((0, 2), np.float32)))
    plain = 0.50 * 0.6 + 0.20 * 0.5 + 0.05 / 5
    assert factors(one, FusionRules(), Growth()).scores == pytest.approx([plain + 0.1, plain + 0.1 * 0.5016], abs=1e-5)


@pytest.mark.conforms("003:recall.least_cosine")
def test_below_a_cosine_of_0_20_nothing_is_a_result() -> None:
    scores = weighed([0.21, 0.19], backed([(0, 0), (1, 1)], importance=[1.0, 10.0], named=[False, True]))
    assert np.isfinite(scores[0])
    assert np.isneginf(scores[1])


@pytest.mark.conforms("003:recall.neighbours")
def test_neighbours_of_the_best_three_count_four_fifths_of_them() -> None:
    pairs = [(row, row) for row in range(6)]
    alone = weighed([0.9, 0.8, 0.7, 0.6, 0.1, 0.1], backed(pairs))
    lent = weighed([0.9, 0.8, 0.7, 0.6, 0.1, 0.1], backed(pairs, links=[(4, 1), (3, 5)]))
    assert lent[:4].tolist() == alone[:4].tolist()
    assert lent[4] == pytest.approx(0.8 * alone[1], abs=1e-6)
    assert np.isneginf(lent[5])
    third = weighed([0.9, 0.8, 0.7, 0.6, 0.1, 0.1], backed(pairs, links=[(2, 4), (0, 4), (1, 3)]))
    assert third[3] == alone[3], "it is worth more than its neighbour lends"
    assert third[4] == pytest.approx(0.8 * alone[0], abs=1e-6), "the best of its neighbours lends"
    last = weighed([0.9, 0.8, 0.7, 0.6, 0.1, 0.1], backed(pairs, links=[(2, 4)]))
    assert last[4] == pytest.approx(0.8 * alone[2], abs=1e-6)


@pytest.mark.conforms("003:recall.factors", "003:birth.fallback")
def test_of_several_facts_on_the_same_words_the_best_counts_and_plain_words_are_of_importance_five() -> None:
    best, plain = weighed([0.5, 0.5], backed([(0, 0), (0, 1)], importance=[9.0, 2.0]))
    assert best - plain == pytest.approx(0.20 * 0.4, abs=1e-6)


@pytest.mark.conforms("003:recall.factors")
def test_without_a_vector_the_order_is_that_of_fusion() -> None:
    of = traits(3)
    one = case("Where?", of, Ranking("text", np.array([2, 1, 3]), np.array([3, 2, 1], np.float32)))
    assert np.argsort(-factors(one, FusionRules(), Growth()).scores).tolist() == [1, 0, 2]


RULES = FusionRules(k=60, weights={"graph": 2.0, "hot": 0.0})


def legs(*found: tuple[str, list[int]]) -> list[Ranking]:
    return [Ranking(leg, np.array(keys), np.arange(len(keys), 0, -1).astype(np.float32)) for leg, keys in found]


@pytest.mark.conforms("004:rrf")
def test_ranks_add_up_as_in_the_seed() -> None:
    found = legs(("text", [1, 2]), ("vectors", [2, 1]), ("graph", [2]), ("hot", [3]))
    added = reciprocal(case("Who came?", traits(3), *found), RULES)
    assert added.scores[0] == pytest.approx(1 / 61 + 1 / 62)
    assert added.scores[1] == pytest.approx(1 / 62 + 1 / 61 + 2 / 61)
    assert np.isneginf(added.scores[2])  # only a leg that does not count has found it


@pytest.mark.conforms("004:intent.routing")
def test_a_general_question_does_not_walk_the_graph() -> None:
    found = legs(("text", [1]), ("graph", [2, 1]))
    general = reciprocal(case("Tell me more.", traits(2), *found), RULES).scores
    assert general[0] == pytest.approx(1 / 61)
    assert np.isneginf(general[1])
    assert np.isfinite(reciprocal(case("Why?", traits(2), *found), RULES).scores).all()
