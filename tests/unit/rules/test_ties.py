"""What ties two entities, and how strongly: by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.graph import WeightedGraph
from memory.model.scopes import Sensitivity
from memory.rules.parameters import Communities
from memory.rules.ties import TIED_TYPES, Ties, graph_of, resolution_of, ties_of
from tests.unit.rules.lives_of_ties import Lives, entities, fact, memory, named, said, ties

RULES = Communities()


def weights(found: Ties, rules: Communities = RULES) -> dict[tuple[str, str], float]:
    graph = graph_of(found, rules)
    ends = zip(graph.one.tolist(), graph.other.tolist(), graph.weight.tolist(), strict=True)
    return {(found.entities[one], found.entities[other]): weight for one, other, weight in ends}


@pytest.mark.conforms("model:ties")
def test_a_breath_that_names_two_ties_them_by_one_and_one_that_names_more_by_less() -> None:
    found = ties(entities("abcd"), named(1, "a", "b"), named(2, "b", "c", "d"))
    assert weights(found) == {("a", "b"): 1.0, ("b", "c"): 0.5, ("b", "d"): 0.5, ("c", "d"): 0.5}


@pytest.mark.conforms("model:ties")
def test_a_list_of_many_ties_nobody() -> None:
    names = [f"e{number:02}" for number in range(21)]
    assert weights(ties(entities(names), named(1, *names))) == {}
    twenty = weights(ties(entities(names), named(1, *names[:20])))
    assert len(twenty) == 190
    assert list(twenty.values()) == pytest.approx([1 / 19] * 190)


@pytest.mark.conforms("model:ties")
def test_a_source_ties_two_by_one_at_most_and_another_source_more() -> None:
    long = [each for segment in range(30) for each in named(segment, "a", "b", source="talk")]
    assert weights(ties(entities("ab"), long)) == {("a", "b"): 1.0}
    assert weights(ties(entities("ab"), long, named(50, "a", "b", source="call"))) == {("a", "b"): 2.0}


@pytest.mark.conforms("model:ties")
def test_a_fact_of_two_ties_them_by_its_confidence_in_each_source_that_says_it() -> None:
    rows = [fact("f", "a", "b", 0.7), said("f", "s1"), said("f", "s2", segment=3)]
    assert weights(ties(entities("ab"), rows)) == {("a", "b"): pytest.approx(1.4)}
    both = ties(entities("ab"), rows, named(3, "a", "b", source="s2"))
    assert weights(both) == {("a", "b"): pytest.approx(1.7)}, "what one source says of two counts once"


@pytest.mark.conforms("model:ties")
@pytest.mark.parametrize("status", ["superseded", "invalidated", "forgotten", "pruned"])
def test_only_what_is_believed_ties(status: str) -> None:
    assert weights(ties(entities("ab"), fact("f", "a", "b", status=status), said("f", "s1"))) == {}
    assert weights(ties(entities("ab"), fact("f", "a", "b", 0.0), said("f", "s1"))) == {}


@pytest.mark.conforms("model:ties")
def test_the_owner_and_what_is_said_once_tie_nobody() -> None:
    rows = [entities("abc"), entities("o", is_owner=True), entities("p", "promise"), entities("m", merged_into="a")]
    rows += [named(1, "a", "o"), named(2, "b", "p"), named(3, "c", "m"), fact("f", "o", "a"), said("f", "s1")]
    found = ties(*rows)
    assert found.entities == ("a", "b", "c")
    assert weights(found) == {}
    assert {"promise", "question", "decision"} & TIED_TYPES == set()


@pytest.mark.conforms("model:ties")
def test_ties_fade_by_half_in_half_a_year_counted_from_the_newest() -> None:
    old = [entities("abcdef"), named(1, "a", "b", day=0), named(2, "c", "d", day=180), named(3, "e", "f", day=360)]
    assert weights(ties(*old)) == {("a", "b"): 0.25, ("c", "d"): 0.5, ("e", "f"): 1.0}
    far = ties(*old, named(4, "e", "f", day=36_000))
    assert weights(far)["a", "b"] == 0.03125, "what was once is not gone"


@pytest.mark.conforms("model:ties")
def test_what_is_more_private_ties_those_who_may_see_it() -> None:
    found = ties(
        entities("abc"),
        named(1, "a", "b"),
        named(2, "b", "c", level=2),
        fact("f", "a", "c", sensitivity=Sensitivity.PRIVATE),
        said("f", "s9"),
    )
    assert found.levels() == (Sensitivity.OPEN, Sensitivity.PRIVATE, Sensitivity.SENSITIVE)
    seen = [set(weights(found.seen(level))) for level in Sensitivity]
    assert seen == [{("a", "b")}, {("a", "b"), ("a", "c")}, {("a", "b"), ("a", "c"), ("b", "c")}]


@pytest.mark.conforms("model:ties")
def test_a_fact_ties_both_its_ends_and_nobody_where_it_has_one() -> None:
    assert weights(ties(entities("ab"), fact("f", "b", "a", 0.7), said("f", "s1"))) == {("a", "b"): pytest.approx(0.7)}
    assert weights(ties(entities("abc"), fact("f", "a", None), said("f", "s1"))) == {}
    owner = [entities("a"), entities("o", is_owner=True), fact("f", "o", None), said("f", "s1")]
    assert ties(*owner).facts == (), "of neither end is anybody to be tied"


@pytest.mark.conforms("model:ties")
def test_a_source_that_goes_on_ties_as_it_did_last() -> None:
    long = [*named(1, "a", "b", day=0, source="s"), *named(2, "a", "b", day=180, source="s")]
    assert weights(ties(entities("abcd"), long, named(3, "c", "d", day=360)))["a", "b"] == 0.5


@pytest.mark.conforms("model:ties")
def test_a_memory_of_nothing_has_no_ties() -> None:
    for found in (ties(), ties(entities("a")), ties(entities("ab"), named(1, "a"))):
        assert weights(found) == {}
    assert ties().levels() == ()


@pytest.mark.conforms("model:ties")
@given(order=st.randoms(use_true_random=False))
def test_the_order_of_rows_says_nothing(order) -> None:
    rows = [*named(1, "a", "b", "c"), *named(2, "b", "c", source="s1", day=3), *named(4, "a", "c", day=9)]
    rows += [fact("f", "a", "b", 0.3), said("f", "s1", day=2), said("f", "s4")]
    known = graph_of(ties(entities("abc"), rows), RULES)
    order.shuffle(rows)
    found = graph_of(ties(entities("cab"), rows), RULES)
    np.testing.assert_array_equal(found.weight, known.weight)


def test_a_night_without_a_new_source_finds_the_graph_of_the_night_before() -> None:
    """Nothing of a graph depends on when it is looked at: the same memory gives the same weights, to the bit."""
    lives = Lives()
    one, other = (graph_of(lives.ties(), RULES) for _ in range(2))
    np.testing.assert_array_equal(one.weight, other.weight)
    assert one.edges > 300


@pytest.mark.conforms("model:ties")
def test_the_ties_of_a_working_set_name_every_id_once() -> None:
    found = ties_of(memory(entities("ab"), named(1, "a", "b"), fact("f", "a", "b"), said("f", "s1")))
    assert (found.sources, found.facts) == (("s1",), ("f",))
    assert found.lasting.tolist() == [True, True]


@pytest.mark.conforms("model:ties")
def test_the_resolution_grows_slower_than_the_weight_of_all_ties() -> None:
    few = WeightedGraph.of(2, [0], [1], [500.0])
    assert resolution_of(few, RULES) == 1.0
    many = WeightedGraph.of(2, [0], [1], [16_000.0])
    assert resolution_of(many, RULES) == pytest.approx(16**0.8)
    assert resolution_of(many, Communities(resolution=0.5, scale=16_000)) == 0.5
    assert resolution_of(WeightedGraph.of(0, [], []), RULES) == 1.0
