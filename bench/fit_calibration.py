"""Fit an encoder's calibration: the monotone map from cosine to the similarity that rules read.

    python -m bench.fit_calibration [PAIRS.jsonl] [--encoder taught|minilm-int8|minilm|e5|hashing]

A pair is `{grade, a, b}`: `same` says the same thing twice (similarity near 0.93), `near` is about the same person or
matter without saying the same (0.40 to 0.70), `unrelated` shares nothing (at most 0.40). The pairs in
calibration_pairs.jsonl were written for this purpose, in the manner of a memory's statements.

Four knots, straight lines between: the cosine that 95 % of the unrelated stay below is 0.40, the upper quartile of the
near 0.70, the median of the same 0.93, and 1 is 1. The table printed belongs into the encoder's module.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.hashing import HashingEmbedder
from adapters.embedding.minilm import FullMiniLmEmbedder, MiniLmEmbedder, TaughtMiniLmEmbedder
from memory.ports import Embedder

ENCODERS: dict[str, Callable[[], Embedder]] = {
    "taught": TaughtMiniLmEmbedder,
    "minilm-int8": MiniLmEmbedder,
    "minilm": FullMiniLmEmbedder,
    "e5": E5Embedder,
    "hashing": HashingEmbedder,
}
KNOTS = (("unrelated", 0.95, 0.40), ("near", 0.75, 0.70), ("same", 0.50, 0.93))
"""Grade, the quantile of its cosines, and the similarity that quantile is mapped to."""


def cosines(pairs: list[dict[str, str]], encoder: Embedder) -> dict[str, NDArray[np.float32]]:
    """Cosines of all pairs by grade."""
    left = encoder.embed([pair["a"] for pair in pairs])
    right = encoder.embed([pair["b"] for pair in pairs])
    between = (left * right).sum(axis=1)
    grades = np.array([pair["grade"] for pair in pairs])
    return {grade: between[grades == grade] for grade in ("same", "near", "unrelated")}


def table(by_grade: dict[str, NDArray[np.float32]]) -> list[tuple[float, float]]:
    """The knots (cosine, similarity), increasing in both.

    An encoder that does not tell the near from the unrelated has no knot for them: the line goes on to the same. Raises
    ValueError if it does not even tell the same from the unrelated.
    """
    fitted = [(round(float(np.quantile(by_grade[grade], share)), 3), goal) for grade, share, goal in KNOTS]
    lowest, middle, highest = fitted
    if lowest[0] >= highest[0]:
        raise ValueError(f"This encoder does not tell the grades apart: {fitted}")
    between = [middle] if lowest[0] < middle[0] < highest[0] else []
    return [(-1.0, 0.0), lowest, *between, highest, (1.0, 1.0)]


def main() -> None:
    """Print the table and how well it keeps the grades apart."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pairs", nargs="?", type=Path, default=Path(__file__).parent / "calibration_pairs.jsonl")
    arguments.add_argument("--encoder", choices=sorted(ENCODERS), default="taught")
    given = arguments.parse_args()
    pairs = [json.loads(line) for line in given.pairs.read_text().splitlines()]
    by_grade = cosines(pairs, ENCODERS[given.encoder]())
    knots = table(by_grade)
    print(knots)
    x, y = zip(*knots, strict=True)
    for grade, values in by_grade.items():
        shares = np.quantile(np.interp(values, x, y), (0.05, 0.25, 0.5, 0.75, 0.95)).round(2)
        print(f"{grade:<10} {len(values)} pairs, similarity at 5, 25, 50, 75, 95 %: {shares.tolist()}")


if __name__ == "__main__":
    main()
