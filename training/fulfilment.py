"""Teach what tells that a promise was kept, and say what authors left out hold of it.

    python -m training.fulfilment OUT

OUT gets `fulfilment.json`. Lessons are promises of the worlds beside later turns that share words with them. What a
later turn tells of a promise was read by hand (`training/promise_ends.txt`); of other turns it counts as nothing. What
is printed is told of authors who taught nothing, part by part. One process, no chance: the same worlds give the same
weights.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from adapters.extraction.promise_recipients import BEFORE, load_recipients
from adapters.model_files import PROMISE_RECIPIENTS
from bench.reading_worlds import SEALED, ReadingWorld, reading_worlds
from memory.errors import Invalid
from memory.model.claims import Utterance
from memory.rules.fulfilment import FulfilmentWeights, LaterTurn, Undertaking, features, is_done_by_words, roots
from training.feature_rows import matrix_of, weights_of
from training.promise_lessons import lessons_of, noted
from training.talk import WORLDS

READ = Path(__file__).parent / "promise_ends.txt"
TOLD = ("kept", "broken", "moved", "repeated", "maybe")
FOLDS = 5
"""Parts, by author, that are judged by what the others teach."""
DECAY = 3.0
"""Of squared weights of words, a tenth of it of others (chosen by parts: 1, 3, 8)."""
LEAST = 5
"""Lessons in which a feature occurs, or it is not weighed."""
BROKEN_WORTH = 3.0
"""Times that a turn counts which tells that a promise was broken: but for a few words it is as one that was kept."""
COMMON = 20
"""Turns in which a word occurs, or it counts as rarest."""
SMALL = 0.02
"""Weights below it are left out of the file."""
CUT = 0.5
"""The least log-odds with which a promise is kept (chosen by parts, see `main`)."""
Truth = Mapping[tuple[str, str, str], str]
"""World, turn of the promise, later turn -> one of TOLD."""


@dataclass(frozen=True, slots=True)
class EndLesson:
    """A promise beside a later turn; `told` is one of TOLD, or "nothing"."""

    author: str
    promise: tuple[str, str]
    told: str
    features: Mapping[str, float]
    may_be: bool
    """Whether the sentences that share words with the promise may tell a deed."""


def read_ends(path: Path = READ) -> Truth:
    """What was read by hand. Raises Invalid, with the line."""
    found: dict[tuple[str, str, str], str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match line.split():
            case [world, promise, later, told] if told in TOLD:
                found[world, promise, later] = told
            case _:
                raise Invalid(f"{path.name}, line {number}: no world, promise, later turn and what it tells.")
    return found


def rarity(worlds: Sequence[ReadingWorld]) -> tuple[dict[str, float], float]:
    """How rare each common word of these worlds is, and how rare all others are."""
    turns = [each for world in worlds for each in world.turns.values()]
    counted = Counter(word for turn in turns for word in roots(turn.text))
    return (
        {word: round(math.log(len(turns) / times), 2) for word, times in counted.items() if times >= COMMON},
        round(math.log(len(turns) / COMMON), 2),
    )


def lessons(worlds: Sequence[ReadingWorld], truth: Truth, weights: FulfilmentWeights) -> Iterator[EndLesson]:
    """Each promise beside every later turn of somebody that shares a word with it."""
    notes, recipients = noted(), load_recipients(PROMISE_RECIPIENTS.find())
    for world in worlds:
        turns = [each for session in world.sessions for each in session]
        places = {each.segment_id: place for place, each in enumerate(turns)}
        made = [each for each in lessons_of(world, notes) if each.promise and each.weight]
        for promise in {each.utterance.segment_id: each for each in reversed(made)}.values():
            first, span = promise.utterance, promise.span
            to = recipients.recipient(
                first, span, turns[max(0, places[first.segment_id] - BEFORE) : places[first.segment_id]]
            )
            owed = Undertaking(first.text[slice(*span)], first.speaker, to, first.at)
            for later in turns[places[first.segment_id] + 1 :]:
                found = None if later.role == "assistant" else features(owed, _later(later), weights)
                if found is not None:
                    told = truth.get((world.name, first.segment_id, later.segment_id), "nothing")
                    may_be = is_done_by_words(owed, _later(later))
                    yield EndLesson(world.author, (world.name, first.segment_id), told, found, may_be)


def _later(turn: Utterance) -> LaterTurn:
    return LaterTurn(turn.text, turn.speaker, turn.at)


def taught(given: Sequence[EndLesson], bare: FulfilmentWeights) -> FulfilmentWeights:
    """Weights by which turns are likely that tell of a promise kept, and no others; nobody's doubt teaches."""
    sure = [each for each in given if each.told != "maybe"]
    names, matrix = matrix_of([each.features for each in sure], LEAST)
    decay = np.array([DECAY if name.startswith(("word", "near")) else DECAY / 10 for name in names])
    found = minimize(
        _loss(matrix, sure, decay), np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    ).x
    return FulfilmentWeights(weights_of(names, found, SMALL), bare.rarity, bare.rarest, CUT)


def _loss(matrix: sparse.csr_matrix, given: Sequence[EndLesson], decay: NDArray[np.float64]) -> Any:
    """Surprise at what the turns tell, and its gradient."""
    truth = np.array([each.told == "kept" for each in given], np.float64)
    weight = np.array([BROKEN_WORTH if each.told == "broken" else 1.0 for each in given])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = matrix @ weights
        wrong = weight * (1 / (1 + np.exp(-odds)) - truth)
        surprise = float((weight * (np.logaddexp(0, odds) - truth * odds)).sum())
        return surprise + float((decay * weights**2).sum()) / 2, matrix.T @ wrong + decay * weights

    return loss


Scored = tuple[EndLesson, float]
"""A lesson, and the log-odds that its promise was kept."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Teach, print what is told of authors left out at several cuts, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    worlds = [each for each in reading_worlds(WORLDS) if each.author not in SEALED]
    bare = FulfilmentWeights({}, *rarity(worlds), CUT)
    given = list(lessons(worlds, read_ends(), bare))
    authors = sorted({each.author for each in given})
    judged: list[Scored] = []
    for part in range(FOLDS):
        known = [each for each in given if authors.index(each.author) % FOLDS != part]
        weights = taught(known, bare)
        left_out = (each for each in given if authors.index(each.author) % FOLDS == part)
        judged += ((each, weights.odds(each.features)) for each in left_out)
    for cut in (0.0, 0.3, CUT, 0.8, 1.2):
        print(f"left out, at {cut}: {_told(judged, cut)}")
    _write(taught(given, bare), options.out / "fulfilment.json")
    return 0


def _told(judged: Sequence[Scored], cut: float) -> str:
    """Of promises, not of turns."""
    truth, told = defaultdict[tuple[str, str], set[str]](set), set[tuple[str, str]]()
    for lesson, odds in judged:
        truth[lesson.promise].add(lesson.told)
        if odds >= cut and lesson.may_be:
            told.add(lesson.promise)
    kept = {each for each, tells in truth.items() if "kept" in tells}
    unsure = sum("kept" not in truth[each] and "maybe" in truth[each] for each in told)
    broken = sum("kept" not in truth[each] and "broken" in truth[each] for each in told)
    return (
        f"{len(kept)} of {len(truth)} promises are kept; {len(told)} are told as kept, {len(kept & told)} rightly"
        f" ({unsure} nobody could decide, {broken} are broken)"
    )


def _write(weights: FulfilmentWeights, path: Path) -> None:
    told = {"cut": weights.cut, "rarest": weights.rarest, "rarity": weights.rarity, "weights": weights.weights}
    path.write_text(json.dumps(told, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
