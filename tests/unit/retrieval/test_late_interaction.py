"""Late interaction against the definition, written as plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.retrieval.late_interaction import HALVING_LENGTH, LENT, MET, SLICE, meetings
from memory.retrieval.pieces import Near, Pieces

DIMENSIONS = 16
vectors = st.lists(st.integers(-8, 8).map(float), min_size=DIMENSIONS, max_size=DIMENSIONS)
unit_rows = st.lists(vectors.filter(any), max_size=4).map(lambda rows: unit(np.array(rows).reshape(-1, DIMENSIONS)))


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@st.composite
def nears(draw) -> Near:
    turns = draw(st.lists(st.lists(vectors, max_size=4), max_size=6))
    count = len(turns)
    around = [[draw(st.integers(-1, count - 1)) for _ in LENT] for _ in range(draw(st.integers(0, 5)))]
    return Near(
        Pieces.of([np.array(turn, np.float32).reshape(-1, DIMENSIONS) for turn in turns], DIMENSIONS),
        np.array([draw(st.integers(0, 5000)) for _ in turns], np.int32),
        np.array(around, np.int64).reshape(-1, len(LENT)),
    )


def by_the_book(asked: np.ndarray, near: Near) -> list[float]:
    def best(turn: int, word: np.ndarray) -> float:
        pieces = np.unpackbits(near.turns.take(np.array([turn])).bits, axis=1) * 2.0 - 1
        return max((float(piece @ word) / math.sqrt(DIMENSIONS) for piece in pieces), default=-math.inf)

    own = [turns[0] for turns in near.around.tolist()]
    known = [turn for turn in own if turn >= 0 and near.turns.counts[turn]]
    met = [sum(best(turn, word) > MET for turn in known) for word in asked]
    rarity = [math.log(1 + (len(known) - count + 0.5) / (count + 0.5)) for count in met]
    out = []
    for turns in near.around.tolist():
        if not len(asked) or turns[0] not in known:
            out.append(math.nan)
            continue
        damping = [(1 + near.lengths[turn] / HALVING_LENGTH) ** -0.5 for turn in turns]
        shares = [1.0, *(float(LENT[n]) * damping[0] * damping[n] for n in range(1, len(turns)))]
        words = [
            max(best(turn, word) * share for turn, share in zip(turns, shares, strict=True) if turn >= 0)
            for word in asked
        ]
        out.append(sum(word * rare for word, rare in zip(words, rarity, strict=True)) / sum(rarity))
    return out


@settings(max_examples=200)
@given(unit_rows, nears())
def test_meetings_are_what_the_definition_says(asked, near):
    assert meetings(asked, near).nearby.tolist() == pytest.approx(by_the_book(asked, near), abs=2e-3, nan_ok=True)


@settings(max_examples=60)
@given(unit_rows, nears(), st.randoms(use_true_random=False))
def test_the_order_of_turns_changes_no_bit(asked, near, random):
    shuffled = list(range(len(near.turns)))
    random.shuffle(shuffled)
    number = np.append(np.argsort(shuffled), -1)  # the last slot answers for a missing turn
    again = Near(near.turns.take(np.array(shuffled, np.int64)), near.lengths[shuffled], number[near.around])
    assert meetings(asked, near).nearby.tobytes() == meetings(asked, again).nearby.tobytes()


def test_many_pieces_are_compared_slice_by_slice():
    random = np.random.default_rng(1)
    pieces = random.normal(size=(2 * SLICE + 3, 384)).astype(np.float32)
    asked = unit(random.normal(size=(3, 384)))
    near = Near(
        Pieces.of(list(pieces[:, None]), 384),
        np.zeros(len(pieces), np.int32),
        np.pad(np.arange(len(pieces))[:, None], ((0, 0), (0, 4)), constant_values=-1),
    )
    signs = np.where(pieces > 0, 1, -1) / math.sqrt(384)
    np.testing.assert_allclose(meetings(asked, near).nearby, (signs @ asked.T).mean(axis=1), atol=1e-3)


@pytest.mark.parametrize(("place", "lent"), [(1, 0.95), (2, 0.95), (3, 0.85), (4, 0.85)])
def test_a_neighbour_lends_what_a_turn_does_not_say_itself(place: int, lent: float):
    tea = np.ones((1, DIMENSIONS), np.float32)
    around = np.full((2, len(LENT)), -1)
    around[:, 0], around[0, place] = (0, 1), 1
    near = Near(Pieces.of([-tea, tea], DIMENSIONS), np.zeros(2, np.int32), around)
    assert meetings(unit(tea), near).nearby.tolist() == pytest.approx([lent, 1.0])


def test_a_rare_word_weighs_more_than_a_common_one():
    common = np.tile([1.0, -1.0], DIMENSIONS // 2).astype(np.float32)[None]
    rare = np.repeat([1.0, -1.0], DIMENSIONS // 2).astype(np.float32)[None]
    alone = [[turn, -1, -1, -1, -1] for turn in range(4)]
    near = Near(Pieces.of([common, common, common, rare], DIMENSIONS), np.zeros(4, np.int32), np.array(alone))
    met = meetings(unit(np.concatenate((common, rare))), near).nearby
    assert met[3] > met[0] == met[1] == met[2] > 0


@pytest.mark.parametrize(("cosine", "share"), [(0.58, 0.5), (0.62, math.log1p(0.5 / 3.5) / math.log(8 + 8 / 7))])
def test_a_word_that_all_meet_from_a_cosine_of_0_6_on_tells_little(cosine: float, share: float):
    """Beside it one that nobody meets: each weighs the same, until all three turns meet the first."""
    ones, across, beside = np.zeros((3, DIMENSIONS))
    ones[:], across[:2], beside[2:4] = 0.25, (0.5**0.5, -(0.5**0.5)), (0.5**0.5, -(0.5**0.5))
    asked = np.array([cosine * ones + (1 - cosine**2) ** 0.5 * across, beside], np.float32)
    alone = np.full((3, len(LENT)), -1)
    alone[:, 0] = range(3)
    near = Near(Pieces.of([np.ones((1, DIMENSIONS), np.float32)] * 3, DIMENSIONS), np.zeros(3, np.int32), alone)
    assert meetings(asked, near).nearby.tolist() == pytest.approx([cosine * share] * 3, abs=2e-3)
