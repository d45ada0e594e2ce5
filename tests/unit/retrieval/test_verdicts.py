"""Whether a turn answers, against the definition written as plain loops, and what is looked at for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.retrieval.compared import BESIDE
from memory.retrieval.pieces import Near, Pieces
from memory.retrieval.verdicts import AROUND, MOST_ODDS, CloseLook, VerdictWeights, pieces_around, read, verdicts
from memory.retrieval.weighting import Case
from tests.unit.retrieval.test_weighting import case, traits

DIMENSIONS, HEADS, WIDTH, HIDDEN, SIGNS = 16, 2, 3, 4, 34
TEXT = "How many cats does Valerie have?"
DRAWN = np.random.default_rng(5)


def drawn(*shape: int) -> np.ndarray:
    return DRAWN.standard_normal(shape).astype(np.float32)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def weights_for(dimensions: int) -> VerdictWeights:
    wide = HEADS * WIDTH
    return VerdictWeights(
        mean=drawn(SIGNS),
        spread=np.abs(drawn(SIGNS)) + 1,
        asked=drawn(dimensions, wide),
        asked_whole=drawn(dimensions + 1, wide),
        shown=drawn(dimensions, wide),
        shown_whole=drawn(dimensions, wide),
        told=drawn(dimensions, wide),
        told_whole=drawn(dimensions, wide),
        beside=drawn(AROUND, HEADS),
        likeness=drawn(HEADS),
        word=drawn(3 * wide + 5, HIDDEN),
        weight=drawn(HIDDEN + 1, 1),
        first=drawn(SIGNS + 2 * HIDDEN + 1, 6),
        second=drawn(7, 5),
        last=drawn(6, 1),
        compared=drawn(BESIDE + 2 * 5 + 3, 3),
        moved=drawn(5 + 1 + 2 * 3 + 1, 4),
        by=drawn(5, 1),
        plain=drawn(SIGNS + 1, 1),
        nothing=drawn(SIGNS + 1, 1),
    )


WEIGHTS = weights_for(DIMENSIONS)
AROUND_OF = np.array([[0, -1, 1, -1, 2], [1, 0, 2, -1, -1], [2, 1, -1, 0, -1], [3, -1, -1, -1, -1]])


def talk(text: str = TEXT, counts: tuple[int, ...] = (3, 2, 4, 1)) -> Case:
    """Four turns, of which the first three are one source."""
    pieces = Pieces.of([drawn(count, DIMENSIONS) for count in counts], DIMENSIONS)
    near = Near(pieces, np.array([40, 10, 900, 30], np.int32), AROUND_OF)
    of = traits(4, speaker=[0, 1, 0, 1], length=np.array([40, 10, 900, 30], np.int32), source=[1, 1, 1, 2])
    of = replace(of, near=near, vectors=unit(drawn(4, DIMENSIONS)))
    return case(text, of, vector=unit(drawn(DIMENSIONS)), pieces=unit(drawn(3, DIMENSIONS)))


def seen_of(one: Case, best: list[int], hidden: list[int] | None = None) -> CloseLook:
    scores = np.array([2.0, 1.0, 0.5, 0.1], np.float32)
    seen = read(TEXT, one, np.array(best), scores, None if hidden is None else np.array(hidden))
    assert seen is not None
    return seen


def layer(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return rows @ weights[:-1] + weights[-1]


def softmax(values: np.ndarray) -> np.ndarray:
    shares = np.exp(values - values.max())
    return shares / shares.sum()


def by_the_book(seen: CloseLook, weights: VerdictWeights) -> list[float]:
    known = []
    signs = np.clip((seen.signs - weights.mean) / weights.spread, -5, 5)
    for result, around in enumerate(seen.around.tolist()):
        keys, values, places, turns = [], [], [], []
        for place, turn in enumerate(around):
            for piece in seen.turns[seen.starts[turn] : seen.starts[turn + 1]] if turn >= 0 else ():
                keys.append(piece @ weights.shown)
                values.append(piece @ weights.told)
                places.append(place)
                turns.append(piece)
        keys.append(seen.vectors[result] @ weights.shown_whole)
        values.append(seen.vectors[result] @ weights.told_whole)
        places.append(0)
        sought = [*(seen.asked.pieces @ weights.asked), layer(seen.asked.vector, weights.asked_whole)]
        words = []
        for number, each in enumerate(sought):
            found = np.zeros(HEADS * WIDTH)
            for head in range(HEADS):
                of = slice(head * WIDTH, (head + 1) * WIDTH)
                alike = [piece @ seen.asked.pieces[number] if number < 3 else 0.0 for piece in turns] + [0.0]
                logits = [
                    key[of] @ each[of] / WIDTH**0.5 + weights.likeness[head] * like + weights.beside[place, head]
                    for key, like, place in zip(keys, alike, places, strict=True)
                ]
                found[of] = softmax(np.array(logits)) @ np.array(values)[:, of]
            met = [*seen.met[:, result, number], seen.rarity[number], 0] if number < 3 else [0, 0, 0, 1]
            words.append(np.maximum(layer(np.concatenate((found, found * each, each, met)), weights.word), 0))
        shares = softmax(np.array([layer(word, weights.weight)[0] for word in words]))
        inner = np.concatenate((signs[result], shares @ np.array(words), np.max(words, axis=0)))
        inner = np.maximum(layer(np.maximum(layer(inner, weights.first), 0), weights.second), 0)
        odds = layer(inner, weights.last)[0] + layer(signs[result], weights.plain)[0]
        known.append((inner, odds))
    nothing = layer(signs[0], weights.nothing)[0]
    return [odds + moved_by(seen, weights, known, place) - nothing for place, (_, odds) in enumerate(known)]


def moved_by(seen: CloseLook, weights: VerdictWeights, known: list[tuple[np.ndarray, float]], place: int) -> float:
    """By how much the other results move the odds of one."""
    told = [np.append(inner, np.clip(odds, -MOST_ODDS, MOST_ODDS) * 2 / MOST_ODDS) for inner, odds in known]
    others = [each for each in range(len(known)) if each != place]
    found = [
        np.maximum(layer(np.concatenate((seen.others[place, each], told[place], told[each])), weights.compared), 0)
        for each in others
    ] or [np.zeros(3)]
    row = np.concatenate((told[place], np.max(found, axis=0), np.mean(found, axis=0)))
    return float(layer(np.maximum(layer(row, weights.moved), 0), weights.by)[0])


def test_verdicts_are_what_the_definition_says():
    seen = seen_of(talk(), [2, 0, 3])
    found = verdicts(seen, WEIGHTS)
    expected = by_the_book(seen, WEIGHTS)
    assert found.each.tolist() == pytest.approx(expected, rel=1e-3)
    assert found.answered == pytest.approx(float(np.logaddexp.reduce(expected)), rel=1e-3)


def test_what_is_looked_at_is_the_turn_and_those_beside_it():
    seen = seen_of(talk(), [0, 3])
    # turns 0, 1 and 3 of the talk, in this order
    assert seen.around.tolist() == [[0, -1, 1], [2, -1, -1]]
    assert (seen.starts[1:] - seen.starts[:-1]).tolist() == [3, 2, 1]
    assert np.abs(seen.turns) == pytest.approx(DIMENSIONS**-0.5)
    rows, beside = pieces_around(seen.starts, seen.around[0])
    assert (rows.tolist(), beside.tolist()) == ([0, 1, 2, 3, 4], [0, 0, 0, 2, 2])
    assert (seen.met[1] >= seen.met[0]).all()
    assert seen.signs.shape == (2, SIGNS)
    assert seen.others.shape == (2, 2, BESIDE)


def test_a_turn_that_is_hidden_lends_nothing():
    one = talk()
    assert seen_of(one, [1], hidden=[0, 2]).around.tolist() == [[0, -1, -1]]
    alone = seen_of(one, [1], hidden=[0, 2])
    assert alone.met[1].tolist() == alone.met[0].tolist()


def test_a_turn_without_pieces_is_met_by_nothing_and_judged_by_the_rest():
    seen = seen_of(talk(counts=(3, 0, 4, 1)), [1, 0])
    assert seen.met[0, 0].tolist() == [-1, -1, -1]
    assert np.isfinite(verdicts(seen, WEIGHTS).each).all()
    nothing = seen_of(talk(counts=(3, 2, 4, 0)), [3])
    assert len(nothing.turns) == 0
    assert np.isfinite(verdicts(nothing, WEIGHTS).each).all()


def test_nothing_is_judged_that_cannot_be_read_closely():
    one, best, scores = talk(), np.array([0]), np.ones(4, np.float32)
    assert read(TEXT, one, best[:0], scores) is None
    assert read(TEXT, Case(one.plan, (), one.traits, None, one.now), best, scores) is None
    assert read(TEXT, Case(one.plan, (), replace(one.traits, near=None), one.asked, one.now), best, scores) is None
    without = replace(one.traits, vectors=np.zeros((0, 0), np.float32))
    assert read(TEXT, Case(one.plan, (), without, one.asked, one.now), best, scores) is None
    wordless = replace(one.asked, pieces=one.asked.pieces[:0])
    assert read(TEXT, Case(one.plan, (), one.traits, wordless, one.now), best, scores) is None
