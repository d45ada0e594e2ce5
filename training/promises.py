"""Teach the head that tells promises, on the packaged encoder, and say what authors left out hold of it.

    python -m training.promises OUT [--sealed] [--share 1.0]

OUT gets `promises.npz`. Authors are split as for every reader: the sealed ones are judged with `--sealed` alone, the
cuts are chosen on others that are not taught either. One process, no chance: the same worlds give the same weights.
`training/promises.txt` has the sentences that promise something and that no claim names.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from adapters.embedding.minilm import MiniLm, TaughtMiniLmEmbedder
from adapters.extraction.promise_features import BUCKETS
from adapters.extraction.promise_head import PromiseHead
from bench.reading_worlds import CHOSEN_ON, SEALED, reading_worlds
from training.promise_lessons import PromiseLesson, author, average_precision, dense_of, lessons_of, noted, words_of
from training.talk import WORLDS

FOLDS = 5
"""Parts, by author, in which the first regression looks at what it was not taught; this opens the gate as in use."""
WORD_DECAY, DENSE_DECAY = 3.0, 1000.0
"""Of squared weights, those of the view standardised (chosen on the authors for cuts: 1, 3, 6; 300, 1000, 3000)."""
GATE_KEEPS = 0.8
"""Share of the promises taught that pass the gate."""
DOUBT = -1.5
"""Log-odds below which a deed that the rules find is none (chosen on the authors for cuts: of 20 such deeds four were
below, none of them a promise)."""
MOST_STEPS = 150


class Regression:
    """A logistic regression over words and, where there is one, the encoder's view."""

    def __init__(self, words: sparse.csr_matrix, dense: NDArray[Any] | None, lessons: Sequence[PromiseLesson]) -> None:
        width = 0 if dense is None else dense.shape[1]
        self.mean = np.zeros(width) if dense is None else dense.mean(0)
        self.scale = np.ones(width) if dense is None else dense.std(0) + 1e-6
        view = None if dense is None else sparse.csr_matrix((dense - self.mean) / self.scale)
        features = words if view is None else sparse.hstack([words, view]).tocsr()
        decay = np.concatenate([np.full(BUCKETS, WORD_DECAY), np.full(width, DENSE_DECAY)])
        truth = np.array([each.promise for each in lessons], np.float64)
        weight = np.array([each.weight for each in lessons])

        def loss(params: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            odds = features @ params[:-1] + params[-1]
            told = weight * (np.logaddexp(0, odds) - truth * odds)
            wrong = weight * (1 / (1 + np.exp(-odds)) - truth)
            gradient = np.append(features.T @ wrong + decay * params[:-1], wrong.sum())
            return float(told.sum() + (decay * params[:-1] ** 2).sum() / 2), gradient

        start = np.append(np.zeros(features.shape[1]), -4.0)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS}).x
        self.words, own, bias = found[:BUCKETS], found[BUCKETS:-1], found[-1]
        self.dense = own / self.scale
        self.bias = float(bias - (self.mean * self.dense).sum())

    def odds(self, words: sparse.csr_matrix, dense: NDArray[Any] | None = None) -> NDArray[np.float64]:
        """[sentences] Log-odds."""
        told: NDArray[np.float64] = words @ self.words + self.bias
        return told if dense is None else told + dense @ self.dense


def taught_head(
    lessons: Sequence[PromiseLesson], encoder: MiniLm, tell: Callable[[str], None] = lambda _: None
) -> PromiseHead:
    """A head without cuts, over these lessons."""
    words = words_of(lessons)
    authors = sorted({author(each) for each in lessons})
    part = np.array([authors.index(author(each)) % FOLDS for each in lessons])
    hints = np.zeros(len(lessons))
    for fold in range(min(FOLDS, len(authors))):
        known = np.flatnonzero(part != fold).tolist()
        hints[part == fold] = Regression(words[known], None, [lessons[k] for k in known]).odds(words[part == fold])
        tell(f"part {fold + 1} of {FOLDS}")
    truth = np.array([each.promise and each.weight > 0 for each in lessons])
    gate = float(np.quantile(hints[truth], 1 - GATE_KEEPS))
    first = Regression(words, None, lessons)
    kept = np.flatnonzero(hints >= gate).tolist()
    passed = [lessons[k] for k in kept]
    tell(f"{len(passed)} of {len(lessons)} sentences pass the gate")
    both = Regression(words[kept], dense_of(passed, encoder), passed)
    return PromiseHead(
        encoder.name,
        first.words.astype(np.float32),
        both.words.astype(np.float32),
        both.dense.astype(np.float32),
        first.bias,
        both.bias,
        gate,
        0.0,
        -99.0,
        1.0,
    )


def odds_of(head: PromiseHead, lessons: Sequence[PromiseLesson], encoder: MiniLm) -> NDArray[np.float64]:
    """[sentences] Log-odds as in use: what stops at the gate has less than all others."""
    words = words_of(lessons)
    hints = words @ head.first + head.first_bias
    kept = np.flatnonzero(hints >= head.gate).tolist()
    odds = hints - 100.0
    dense = dense_of([lessons[k] for k in kept], encoder)
    odds[kept] = head.slope * (words[kept] @ head.words + dense @ head.dense + head.bias)
    return np.asarray(odds)


def with_cuts(head: PromiseHead, odds: NDArray[np.float64], lessons: Sequence[PromiseLesson]) -> PromiseHead:
    """The head with log-odds of authors it was not taught by, and the cut at which most is found rightly (F1)."""
    kept = np.flatnonzero((odds > -50) & np.array([each.weight > 0 for each in lessons])).tolist()
    truth, raw = np.array([lessons[k].promise for k in kept]), odds[kept]

    def loss(params: NDArray[np.float64]) -> float:
        told = params[0] * raw + params[1]
        return float((np.logaddexp(0, told) - truth * told).sum())

    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    told = np.sort(slope * raw + shift)
    every = sum(each.promise for each in lessons if each.weight > 0)
    right = [float(truth[slope * raw + shift >= cut].sum()) for cut in told]
    scores = [2 * found / (len(told) - place + every) for place, found in enumerate(right)]
    cut = float(told[int(np.argmax(scores))])
    return replace(head, slope=float(slope), bias=head.bias + float(shift / slope), cut=cut, doubt=DOUBT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Teach, choose the cuts, print what is told of authors left out, and write the head."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sealed", action="store_true", help="judge the sealed authors, too")
    parser.add_argument("--share", type=float, default=1.0, help="of the worlds taught")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    encoder, notes, began = TaughtMiniLmEmbedder(), noted(), time.monotonic()
    worlds = [each for each in reading_worlds(WORLDS) if options.sealed or each.author not in SEALED]
    taught = [each for each in worlds if each.author not in (*SEALED, *CHOSEN_ON)]
    taught = [
        each for place, each in enumerate(taught) if int((place + 1) * options.share) > int(place * options.share)
    ]
    head = taught_head([lesson for each in taught for lesson in lessons_of(each, notes)], encoder, print)
    for name, authors in (("chosen on", CHOSEN_ON), ("sealed", SEALED)):
        lessons = [lesson for each in worlds if each.author in authors for lesson in lessons_of(each, notes)]
        if not lessons:
            continue
        odds = odds_of(head, lessons, encoder)
        head = with_cuts(head, odds, lessons) if authors == CHOSEN_ON else head
        odds = odds_of(head, lessons, encoder) if authors == CHOSEN_ON else odds
        print(f"{name}: {len(taught)} worlds taught, {_told(odds, head.cut, lessons)}")
    head.save(options.out / "promises.npz")
    print(f"{time.monotonic() - began:.0f} s")
    return 0


def _told(odds: NDArray[np.float64], cut: float, lessons: Sequence[PromiseLesson]) -> str:
    counted = np.array([each.weight > 0 for each in lessons])
    truth = np.array([each.promise for each in lessons])[counted]
    named, listed = np.array([each.named for each in lessons])[counted], odds[counted] >= cut
    right = int((listed & truth).sum())
    return (
        f"{len(lessons)} sentences, {int(truth.sum())} promises ({int(named.sum())} by claims): average"
        f" precision {average_precision(odds[counted], truth):.3f} (of claims alone"
        f" {average_precision(odds[counted], named):.3f}),"
        f" at {cut:.2f} found {right / max(1, truth.sum()):.3f}, right {right / max(1, listed.sum()):.3f},"
        f" claims found {int((listed & named).sum()) / max(1, named.sum()):.3f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
