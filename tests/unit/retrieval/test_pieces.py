"""Word pieces as bits, bytes and columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Interval
from memory.retrieval import columns as columns_module
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.pieces import MOST_KEPT, Pieces, pooled
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from tests.unit.retrieval.rows import Row, batch

DIMENSIONS = 16
words = st.binary(max_size=4).map(lambda bits: bits[: len(bits) // 2 * 2])
"""The bytes of up to two pieces."""
ANN = View("ann")


def bits_of(*texts: bytes) -> Pieces:
    return Pieces.from_bytes(texts, DIMENSIONS)


@given(st.lists(words | st.none(), max_size=6), st.data())
def test_bytes_come_back_and_can_be_taken_and_joined(texts, data):
    pieces = Pieces.from_bytes(texts, DIMENSIONS)
    held = [text or b"" for text in texts]
    assert [pieces.to_bytes(text) for text in range(len(pieces))] == held
    assert pieces.counts.tolist() == [len(text) // 2 for text in held]
    chosen = data.draw(st.lists(st.sampled_from(range(len(texts))))) if texts else []
    taken = pieces.take(np.array(chosen, np.int64))
    assert [taken.to_bytes(n) for n in range(len(taken))] == [held[n] for n in chosen]
    both = pieces.joined([taken])
    assert [both.to_bytes(n) for n in range(len(both))] == held + [held[n] for n in chosen]


def test_a_piece_is_the_signs_of_its_vector():
    signs = np.where(np.arange(24).reshape(2, 12) % 3 == 0, 0.5, -0.5).astype(np.float32)
    pieces = Pieces.of([signs[:1], np.zeros((0, 12), np.float32), signs[1:]], 12)
    assert pieces.counts.tolist() == [1, 0, 1]
    assert (np.unpackbits(pieces.bits, axis=1, count=12) == (signs > 0)).all()
    assert len(Pieces.none(3, 12)) == 3
    assert Pieces.none(3, 12).counts.tolist() == [0, 0, 0]


def test_few_pieces_are_kept_as_they_are():
    few = np.random.default_rng(1).standard_normal((MOST_KEPT, 12)).astype(np.float32)
    np.testing.assert_array_equal(pooled(few), few)


def test_what_is_said_again_takes_no_room():
    dice = np.random.default_rng(2)
    distinct = dice.standard_normal((MOST_KEPT, 48)).astype(np.float32)
    again = distinct[np.concatenate((np.arange(MOST_KEPT), dice.integers(0, MOST_KEPT, 90)))]
    louder = again * dice.uniform(0.5, 2, (len(again), 1)).astype(np.float32)
    np.testing.assert_array_equal(pooled(louder) > 0, distinct > 0)


def joined_one_by_one(pieces: np.ndarray) -> np.ndarray:
    """Ward's criterion as it is written: always the two groups whose joining adds least to the squares."""
    unit = pieces.astype(np.float64) / np.linalg.norm(pieces, axis=1, keepdims=True)
    groups = [[row] for row in unit]
    while len(groups) > MOST_KEPT:
        means, sizes = (
            np.array([np.mean(group, axis=0) for group in groups]),
            np.array([len(group) for group in groups]),
        )
        apart = ((means[:, None] - means[None]) ** 2).sum(-1) * sizes[:, None] * sizes / (sizes[:, None] + sizes)
        apart[np.tril_indices(len(groups))] = np.inf
        one, other = divmod(int(apart.argmin()), len(groups))
        groups[one] += groups.pop(other)
    return np.array([np.sum(group, axis=0) for group in groups])


@settings(max_examples=20)
@given(st.integers(MOST_KEPT + 1, 70), st.integers(0, 2**16))
def test_those_alike_are_joined(count, seed):
    pieces = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    np.testing.assert_allclose(pooled(pieces), joined_one_by_one(pieces), atol=1e-4)


keys = st.integers(0, 5)
steps = st.lists(
    st.tuples(st.just("put"), keys) | st.tuples(st.just("remove"), keys) | st.tuples(st.just("encode"), keys, words),
    max_size=25,
)


@settings(max_examples=150)
@given(steps, st.sampled_from([0, 3, 4096]))
def test_pieces_stay_with_their_revision_through_whatever_happens(steps, slack):
    columns, believed = ScopeColumns(DIMENSIONS), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "SLACK_ROWS", slack)
        for kind, key, *held in steps:
            if kind == "put":
                columns.put(batch([Row(key, "tea", order=key)]))
                believed[key] = b""  # a new revision has none
            elif kind == "remove":
                columns.remove(np.array([key]))
                believed.pop(key, None)
            else:
                columns.put_vectors(np.array([key]), np.ones((1, DIMENSIONS), np.float32), bits_of(*held))
                believed |= {key: held[0]} if key in believed else {}
    rows, found = columns.rows_of(np.arange(6))
    pieces = columns.pieces_of(rows)
    assert {int(key): pieces.to_bytes(n) for n, key in enumerate(found)} == believed


def test_encoding_again_and_again_does_not_pile_up():
    columns, some = ScopeColumns(DIMENSIONS), [bytes([n, n]) * 20 for n in range(8)]
    columns.put(batch([Row(key, "tea", order=key) for key in range(8)]))
    for _ in range(50):
        columns.put_vectors(np.arange(8), np.ones((8, DIMENSIONS), np.float32), bits_of(*some))
    assert len(columns._pieces.view) <= 2 * 8 * 20
    assert columns.pieces_of(columns.rows_of(np.arange(8))[0]).to_bytes(3) == some[3]


def talk() -> SegmentIndex:
    """Five turns of one source whose pieces are their number, the fourth a secret; and one of another source."""
    segment_index = SegmentIndex(DIMENSIONS)
    turns = [Row(n, f"turn {n}", order=n, at=1000.0 * n, known_from=1000.0 * n) for n in range(1, 6)]
    turns.append(Row(9, "elsewhere", source=2, at=9000.0, known_from=9000.0))
    for turn in turns:
        level = Sensitivity.SENSITIVE if turn.key == 4 else Sensitivity.OPEN
        segment_index.put("user:ann", level, batch([turn]))
        pieces = bits_of(bytes([turn.key, turn.key]))
        segment_index.put_vectors("user:ann", np.array([turn.key]), np.ones((1, DIMENSIONS), np.float32), pieces)
    return segment_index


async def around(keys: list[int], probe: Probe = Probe("?"), view: View = ANN, closely: int = 9) -> list[list[int]]:
    """The turns whose pieces are read for each of these keys, as their numbers."""
    near = (await MemoryTraits(talk()).traits(view, np.array(keys), probe, closely)).near
    assert near is not None
    number = [near.turns.to_bytes(turn)[0] for turn in range(len(near.turns))]
    assert near.lengths.tolist() == [len(f"turn {n}") if n < 9 else 9 for n in number]
    assert len(set(number)) == len(number)
    return [[number[turn] for turn in turns if turn >= 0] for turns in near.around.tolist()]


async def test_the_turns_around_are_read_along_in_their_places():
    assert await around([3, 9, 1]) == [[3, 2, 5, 1], [9], [1, 2, 3]]
    assert await around([5]) == [[5, 3, 2]]


async def test_only_the_first_are_read_closely():
    assert await around([9, 3, 1], closely=1) == [[9], [], []]
    assert (await MemoryTraits(talk()).traits(ANN, np.array([3]), Probe("?"))).near is None


async def test_bare_turns_are_read_after_all_others():
    segment_index = SegmentIndex(DIMENSIONS)
    said = {1: "Yeah.", 2: "We moved to Pune.", 3: "", 4: "In spring."}
    for key, text in said.items():
        level = Sensitivity.OPEN if key < 3 else Sensitivity.PRIVATE
        segment_index.put("user:ann", level, batch([Row(key, text, source=key)]))
        segment_index.put_vectors(
            "user:ann", np.array([key]), np.ones((1, DIMENSIONS), np.float32), bits_of(bytes([key, key]))
        )

    async def read(closely: int) -> list[int]:
        asked = np.array([3, 1, 4, 2])
        traits = await MemoryTraits(segment_index).traits(
            View("ann", (), Sensitivity.PRIVATE), asked, Probe("?"), closely
        )
        assert traits.near is not None
        return traits.keys[traits.near.around[:, 0] >= 0].tolist()

    assert [await read(closely) for closely in (1, 2, 3, 4)] == [[4], [4, 2], [3, 4, 2], [3, 1, 4, 2]]


async def test_what_is_out_of_sight_lends_nothing():
    everything = View("ann", (), Sensitivity.SENSITIVE)
    assert await around([4, 3], view=everything) == [[4], [3, 2, 5, 1]]
    assert await around([3], Probe("?", window=Interval(2000.0, 5000.0))) == [[3, 2]]
    assert await around([3], Probe("?", known_as_of=3000.0)) == [[3, 2, 1]]
    assert await around([3], Probe("?", only=np.array([3, 5]))) == [[3, 5]]


async def test_without_pieces_nothing_is_near():
    segment_index = SegmentIndex(DIMENSIONS)
    segment_index.put("user:ann", Sensitivity.OPEN, batch([Row(1, "tea")]))
    assert (await MemoryTraits(segment_index).traits(ANN, np.array([1]), Probe("?"), 9)).near is None
    traits = await MemoryTraits(segment_index).traits(ANN, np.array([1]), replace(Probe("?"), limit=1), 9)
    assert traits.keys.tolist() == [1]
