"""The taught heads: what they think of a sentence, of whom it may be about, and of a claim that the rules read.

The weights are those of `python -m training.reader`, in one file that is known by its SHA-256.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from adapters.extraction.taught_features import SEEN, SIZED, Floats
from adapters.extraction.taught_votes import DOUBTS, MARKS
from memory.errors import ModelFailed

KINDS = ("none", "change", "event", "plan", "preference", "promise", "state", "trait")
"""What a sentence may hold, in the order of the logits behind those of keeping and of a trap."""
VERDICTS = ("useful", "beside", "wrong")
"""What a claim of the rules may come to: worth keeping, not worth it, or wrong."""
_WIDTHS = {"sentence": (SEEN, 1 + len(KINDS)), "person": (SIZED, 1), "vote": (SEEN + MARKS + DOUBTS, len(VERDICTS))}


@dataclass(frozen=True, slots=True, eq=False)
class TaughtHead:
    """One head: features made comparable, a hidden layer, logits."""

    mean: Floats
    scale: Floats
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats

    def logits(self, rows: Floats) -> Floats:
        """[rows, out]."""
        hidden = np.maximum((rows - self.mean) / self.scale @ self.inner.T + self.inner_bias, 0.0)
        found: Floats = (hidden @ self.outer.T + self.outer_bias).astype(np.float32)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """All three."""

    sentence: TaughtHead
    person: TaughtHead
    vote: TaughtHead

    def sentences(self, rows: Floats) -> tuple[Floats, Floats]:
        """[rows, 2] Chances of something to keep and of a trap; [rows, kinds] chances of each kind but none."""
        logits = self.sentence.logits(rows)
        return _sigmoid(logits[:, :2]), softmax(logits[:, 2:])

    def persons(self, rows: Floats) -> Floats:
        """[persons] The chance of each that the sentence is about them."""
        return softmax(self.person.logits(rows)[:, 0])

    def votes(self, rows: Floats) -> Floats:
        """[claims, VERDICTS] Chances."""
        return softmax(self.vote.logits(rows))


def load(path: Path) -> Heads:
    """The heads of a file. Raises ModelFailed if they are not of these shapes."""
    try:
        with np.load(path, allow_pickle=False) as parts:
            layers = {name: _layer(name, parts) for name in _WIDTHS}
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise ModelFailed("The taught heads cannot be read: their file is damaged.", file=path.name) from error
    for name, (wide, out) in _WIDTHS.items():
        if layers[name].inner.shape[-1:] != (wide,) or layers[name].outer.shape[:1] != (out,):
            raise ModelFailed("The taught heads are those of other features.", file=path.name, head=name)
    return Heads(**layers)


def _layer(name: str, parts: Mapping[str, Floats]) -> TaughtHead:
    names: Sequence[str] = ("mean", "scale", "inner.weight", "inner.bias", "outer.weight", "outer.bias")
    return TaughtHead(*(np.asarray(parts[f"{name}.{part}"], np.float32) for part in names))


def softmax(logits: Floats) -> Floats:
    """Chances, over the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    chances: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return chances


def _sigmoid(logits: Floats) -> Floats:
    chances: Floats = (1 / (1 + np.exp(-logits))).astype(np.float32)
    return chances
