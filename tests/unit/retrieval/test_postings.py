"""Entries of postings against a plain list of every word that was said."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.retrieval import postings as postings_module
from memory.retrieval.postings import EVERYWHERE, FARTHEST, HEADER, NEAREST, Postings, reach, times

Turn = list[tuple[int, int]]
"""Stem and the character it begins at, of every word of a turn."""

positions = st.sampled_from([0, 5, NEAREST - 1, NEAREST, 61, 170, FARTHEST - 1, FARTHEST, 9000, 70_000])
turns = st.lists(st.tuples(st.integers(-3, 3), positions), max_size=12)
steps = st.lists(st.lists(turns, max_size=4) | st.just("compact"), max_size=8)
LENGTHS = np.array([0, 7, 300, 720, 721, 5000], np.int32)


def append(postings: Postings, some: list[Turn]) -> None:
    words = [word for turn in some for word in turn]
    terms, begins = (np.array([word[part] for word in words], np.int64) for part in (0, 1))
    postings.append(np.array([len(turn) for turn in some], np.int64), terms, begins)


def borrowed(turn: Turn, length: int) -> Turn:
    """What a turn of so many characters borrows of another."""
    return [(term, start) for term, start in turn if start < int(max(60.0, 300.0 - length / 3))]


def holds(postings: Postings, said: list[Turn]) -> None:
    """Asserts that postings answer as the plain list does."""
    rows = np.arange(len(said))
    terms, starts = postings.terms_of(rows)
    places, counts = postings.places_of(rows)
    assert np.diff(starts).tolist() == counts.tolist()
    for row, turn in enumerate(said):
        held = Counter()
        part = slice(starts[row], starts[row + 1])
        for term, often in zip(terms[part].tolist(), times(places[part]).tolist(), strict=True):
            held[term] += often
        assert held == Counter(term for term, _ in turn)
    for length, before in zip(LENGTHS.tolist(), reach(LENGTHS).tolist(), strict=True):
        lent = [int((places[starts[row] : starts[row + 1]] < before).sum()) for row in rows]
        assert lent == [len(borrowed(turn, length)) for turn in said]
    for term in range(-3, 4):
        found, where = postings.entries(term)
        dense = np.bincount(found, times(where), minlength=len(said))
        assert dense.tolist() == [sum(one == term for one, _ in turn) for turn in said]
        assert postings.count(rows, term, np.full(len(rows), EVERYWHERE)).tolist() == dense.tolist()
        near = postings.count(rows, term, np.repeat(reach(LENGTHS[2:3]), len(rows)))
        assert near.tolist() == [sum(one == term for one, _ in borrowed(turn, 300)) for turn in said]


@settings(max_examples=150)
@given(steps, st.sampled_from([1, 2, 2**16]), st.data())
def test_whatever_is_appended_and_compacted_is_what_was_said(steps, block, data):
    postings, said = Postings(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings_module, "_BLOCK", block)
        for step in steps:
            if step == "compact":
                kept = data.draw(st.lists(st.integers(0, len(said) - 1), unique=True).map(sorted)) if said else []
                postings.compact(np.array(kept, np.int64))
                said = [said[row] for row in kept]
                assert postings.uncompiled == 0
            else:
                append(postings, step)
                said += step
        holds(postings, said)


@pytest.mark.parametrize("often", [1, 14, 15, 16, 30, 31, 1000])
def test_what_nobody_borrows_takes_one_entry_for_each_fifteen_times(often):
    postings = Postings()
    append(postings, [[(1, FARTHEST + at) for at in range(often)], [(1, HEADER)]])
    rows, places = postings.entries(1)
    assert np.bincount(rows, times(places)).tolist() == [often, 1]
    assert len(rows) == -(-often // 15) + 1


def test_what_is_forgotten_leaves_no_word_behind():
    postings = Postings()
    append(postings, [[(7, 0)], [(8, 0), (9, 400)]])
    postings.compact(np.array([0, 1]))
    postings.compact(np.array([1]))
    assert postings._vocabulary.tolist() == [8, 9]
    assert [array.tolist() for array in postings.entries(7)] == [[], []]


def test_five_bytes_an_entry_of_a_small_vocabulary_and_twelve_a_word():
    postings = Postings()
    append(postings, [[(term, 2 * term + 3 * turn) for term in range(100)] for turn in range(300)])
    postings.compact(np.arange(300))
    held = [postings._words, postings._rows, postings._places_by_word, postings._places.view, postings._vocabulary]
    assert sum(array.nbytes for array in held) + postings._bounds.nbytes == 300 * 100 * (1 + 2 + 1 + 1) + 100 * 12 + 4


def test_a_large_vocabulary_takes_numbers_that_are_wider():
    postings = Postings()
    append(postings, [[(term, 0) for term in range(70_000)]])
    postings.compact(np.array([0]))
    assert [array.tolist() for array in postings.entries(69_999)] == [[0], [0]]
    assert postings.terms_of(np.array([0]))[0].tolist() == list(range(70_000))
