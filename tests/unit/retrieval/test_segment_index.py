from __future__ import annotations

import numpy as np

from memory.model.scopes import Sensitivity, View
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.words.stems import term_of
from tests.unit.retrieval.rows import Row, batch

ANN = View("ann", ("choir",), Sensitivity.PRIVATE)


def segment_index() -> SegmentIndex:
    built = SegmentIndex(2)
    built.put(
        "user:ann",
        Sensitivity.OPEN,
        batch(
            [
                Row(1, "my green tea", order=0, speaker="Ann", role="user"),
                Row(2, "black coffee?", order=1000, speaker="Kai", at=5.0),
            ]
        ),
    )
    built.put("team:choir", Sensitivity.PRIVATE, batch([Row(3, "sing 2 songs today", source=9, speaker="Kai")]))
    built.put("user:bob", Sensitivity.OPEN, batch([Row(4, "secret")]))
    built.put_vectors("user:ann", np.array([2]), np.array([[0, 1]], np.float32))
    return built


async def test_traits_are_aligned_with_the_keys_in_sight():
    traits = await MemoryTraits(segment_index()).traits(ANN, np.array([3, 4, 2, 77, 1]), Probe("?"))
    assert traits.keys.tolist() == [3, 2, 1]
    assert [traits.speakers[row] for row in traits.speaker] == ["Kai", "Kai", "Ann"]
    assert traits.role.tolist() == [3, 3, 0]
    assert traits.before.tolist() == [0, 1, 0]
    assert traits.at.tolist()[1] == 5.0
    assert traits.question_share.tolist() == [0, 1, 0]
    assert traits.has_digit.tolist() == traits.has_time.tolist() == [True, False, False]
    assert traits.first_person.tolist() == [False, False, True]
    assert traits.vectors.tolist() == [[0, 0], [0, 1], [0, 0]]
    assert term_of("tea", "en") in traits.words_of(2)
    assert term_of("tea", "en") not in traits.words_of(1)


async def test_words_that_nobody_will_compare_are_not_read():
    traits_of, probe = MemoryTraits(segment_index()), Probe("?", worded=False)
    assert not len((await traits_of.traits(ANN, np.array([2]), probe)).words_of(0))
    assert len((await traits_of.traits(ANN, np.array([2, 1]), probe)).words_of(0)), "for one has no vector"
    assert len((await traits_of.traits(ANN, np.array([2]), Probe("?"))).words_of(0))


async def test_nothing_in_sight_gives_empty_traits():
    traits = await MemoryTraits(segment_index()).traits(View("nobody"), np.array([1, 2]), Probe("?"))
    assert len(traits.keys) == len(traits.at) == len(traits.vectors) == 0
    assert traits.speakers == ()


def test_a_segment_that_becomes_private_leaves_the_open_columns():
    built = segment_index()
    built.put("user:ann", Sensitivity.SENSITIVE, batch([Row(1, "green tea")]))
    assert not built.visible(View("ann", (), Sensitivity.PRIVATE), np.array([1]), Probe("")).any()
    assert built.visible(View("ann", (), Sensitivity.SENSITIVE), np.array([1]), Probe("")).all()


def test_a_scope_can_be_removed_from_and_dropped():
    built = segment_index()
    built.remove("user:ann", np.array([1]))
    assert built.visible(ANN, np.array([1, 2, 3]), Probe("")).tolist() == [False, True, True]
    built.drop("user:ann")
    assert not built.holds("user:ann")
    assert built.visible(ANN, np.array([1, 2, 3]), Probe("")).tolist() == [False, False, True]


def test_one_more_segment_above_the_clearance_changes_no_score():
    built = segment_index()
    before = [len(columns) for columns in built.sight(ANN)]
    built.put("user:ann", Sensitivity.SENSITIVE, batch([Row(5, "tea tea tea")]))
    assert [len(columns) for columns in built.sight(ANN)] == before
