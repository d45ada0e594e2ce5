"""Teach to whom something is promised, and say what authors left out hold of it.

    python -m training.promise_recipients OUT [--sealed]

OUT gets `recipients.json`. Lessons are the promises of claims that say to whom ("promise to Maya by 2025-03-01"). What
is printed is told of authors who taught nothing, part by part; then all but the sealed ones teach the weights that are
written. `--sealed` judges these on the sealed authors. One process, no chance: the same worlds give the same weights.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from adapters.extraction.promise_features import sentences
from adapters.extraction.promise_recipients import Candidate, RecipientWeights, candidates
from bench.reading_worlds import SEALED, reading_world
from bench.unseen_worlds import author_of, turns_of
from memory.model.claims import Utterance
from memory.model.ids import fold
from training.feature_rows import matrix_of, weights_of
from training.promise_lessons import laid_onto, same_person
from training.talk import WORLDS

FOLDS = 5
"""Parts, by author, that are judged by what the others teach."""
DECAY = 1.0
"""Of squared weights (chosen by parts: 0.5, 1, 2, 4 differ by less than one in a hundred)."""
LEAST = 3
"""Lessons in which a feature occurs, or it is not weighed."""
SMALL = 0.02
"""Weights below it are left out of the file."""
CUT = 0.55
"""The least probability with which somebody is told (chosen by parts, see `main`)."""
MOST_STEPS = 200
_PROMISE = re.compile(r"promise\W*to (?P<to>.+?)(?:\s+by [\d-]+)?\)?$")
_DETERMINED = re.compile(r"^(?:his|her|their|my|our|the|mein\w*|unser\w*|seine?\w*|ihre?\w*|der|die|dem)\s+|['’]s\b")


@dataclass(frozen=True, slots=True)
class RecipientLesson:
    """A promise, to whom it was made, and who could be meant."""

    author: str
    utterance: Utterance
    to: str
    candidates: tuple[Candidate, ...]

    @property
    def right(self) -> list[bool]:
        """Which candidates are meant: nobody, if none of them is."""
        named = [bool(each.name) and is_same(each.name, self.to) for each in self.candidates]
        return named if any(named) else [not each.name for each in self.candidates]


def is_same(told: str, to: str) -> bool:
    """Whether two names mean one person: one has all words of the other, articles aside."""
    first, second = (frozenset(re.findall(r"\w+", _DETERMINED.sub("", fold(name)))) for name in (told, to))
    return bool(first and second) and (first <= second or second <= first)


def lessons_of(path: Path) -> Iterator[RecipientLesson]:
    """The promises of a world whose claims say to whom they were made, by those who made them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    world = reading_world(path.stem, lines)
    turns = {each.segment_id: (each, session[:at]) for session in world.sessions for at, each in enumerate(session)}
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark != "!":
            continue
        told, subject, predicate, object_, _, kind = (each.strip() for each in rest.split("|"))
        found, first = _PROMISE.match(kind), next(iter(turns_of(told)))
        if found is None or first not in turns or not same_person(subject, turns[first][0].speaker):
            continue
        utterance, before = turns[first]
        spans = sentences(utterance.text) or [(0, len(utterance.text))]
        span = spans[laid_onto(f"{predicate} {object_}", utterance, spans, world.languages[0])[0]]
        yield RecipientLesson(world.author, utterance, found["to"], tuple(candidates(utterance, span, before)))


def taught(lessons: Sequence[RecipientLesson]) -> RecipientWeights:
    """Weights by which the recipients of these lessons are likeliest."""
    rows = [dict.fromkeys(one.features, 1.0) for each in lessons for one in each.candidates]
    names, features = matrix_of(rows, LEAST)
    right = np.array([so for each in lessons for so in each.right], np.float64)
    starts = np.cumsum([0, *(len(each.candidates) for each in lessons)])[:-1]
    found = minimize(
        _loss(features, right, starts),
        np.zeros(len(names)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS},
    ).x
    return RecipientWeights(weights_of(names, found, SMALL), CUT)


def _loss(features: sparse.csr_matrix, right: NDArray[np.float64], starts: NDArray[np.int64]) -> Any:
    """Surprise at who was meant, of all who could be, and its gradient; candidates of a lesson lie side by side."""
    lesson = np.repeat(np.arange(len(starts)), np.diff([*starts, len(right)]))

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = features @ weights
        odds = np.exp(odds - np.maximum.reduceat(odds, starts)[lesson])
        every, meant = np.add.reduceat(odds, starts), np.add.reduceat(odds * right, starts)
        wrong = odds / every[lesson] - odds * right / meant[lesson]
        surprise = float((np.log(every) - np.log(meant)).sum())
        return surprise + DECAY * float(weights @ weights) / 2, features.T @ wrong + DECAY * weights

    return loss


def main(arguments: Sequence[str] | None = None) -> int:
    """Teach, print what is told of authors left out at several cuts, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sealed", action="store_true", help="judge the sealed authors, too")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    paths = [each for each in sorted(WORLDS.glob("*.txt")) if options.sealed or author_of(each.stem) not in SEALED]
    lessons = [lesson for path in paths for lesson in lessons_of(path)]
    own = [each for each in lessons if each.author not in SEALED]
    authors = sorted({each.author for each in own})
    judged: list[tuple[RecipientLesson, str, float]] = []
    for part in range(FOLDS):
        weights = taught([each for each in own if authors.index(each.author) % FOLDS != part])
        left_out = (each for each in own if authors.index(each.author) % FOLDS == part)
        judged += ((each, *weights.likeliest(each.candidates)) for each in left_out)
    for cut in (0.4, 0.45, 0.5, CUT, 0.6, 0.7):
        print(f"left out, at {cut}: {_told(judged, cut)}")
    weights = taught(own)
    sealed = [(each, *weights.likeliest(each.candidates)) for each in lessons if each.author in SEALED]
    if sealed:
        print(f"sealed, at {CUT}: {_told(sealed, CUT)}")
    text = json.dumps({"cut": CUT, "weights": weights.weights}, indent=0, ensure_ascii=False, sort_keys=True)
    (options.out / "recipients.json").write_text(text + "\n", encoding="utf-8")
    return 0


def _told(judged: Sequence[tuple[RecipientLesson, str, float]], cut: float) -> str:
    told = [is_same(name, lesson.to) for lesson, name, likely in judged if name and likely >= cut]
    return f"of {len(judged)} promises {len(told)} have a recipient, {sum(told)} the right one"


if __name__ == "__main__":
    raise SystemExit(main())
