"""Word pieces: what an encoder understood by each word of a text, in that text, kept as one bit a dimension.

Only content pieces are kept: no stop words, no punctuation, none of the encoder's own marks (all, if none is left). Of
a long text those alike are pooled. On LoCoMo's dev conversations bits order as well as 8-bit numbers (recall@10 of late
interaction alone 82.6 and 82.6) in a thirteenth of the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.postings import ranges

MOST_KEPT = 32
"""Pieces kept of a text: 1.5 kB with 384 dimensions. Of BEAM's turns, whose mean is 90, 36 find no more (recall@10 83.2
and 83.2), and 48 picked evenly less (81.6, docs/decisions/0046)."""
MOST_ASKED = 32
"""Content pieces of a question that are looked for, the first ones; LoCoMo's longest question has 19."""

Floats = NDArray[np.float32]
Bits = NDArray[np.uint8]


def pooled(pieces: Floats) -> Floats:
    """Content pieces [pieces, dimensions] as at most `MOST_KEPT`: those alike are added up, by Ward's criterion.

    Token pooling (Clavie, Chaffin & Adams 2024): of a long text most pieces say again what others say. The two groups
    whose joining moves their unit vectors least from their means are joined first; which they are next follows from
    their distances alone (Lance & Williams 1967).
    """
    if len(pieces) <= MOST_KEPT:
        return pieces
    lengths: Floats = np.maximum(np.linalg.norm(pieces, axis=1, keepdims=True), np.float32(1e-12))
    unit = pieces / lengths
    group, sizes, apart = np.arange(len(unit)), np.ones(len(unit), np.float32), 1 - unit @ unit.T
    np.fill_diagonal(apart, np.inf)
    for _ in range(len(unit) - MOST_KEPT):
        one, other = divmod(int(apart.argmin()), len(unit))
        joined = (sizes + sizes[one]) * apart[one] + (sizes + sizes[other]) * apart[other] - sizes * apart[one, other]
        apart[one] = apart[:, one] = joined / (sizes + sizes[one] + sizes[other])
        apart[other] = apart[:, other] = np.inf
        sizes[one] += sizes[other]
        group[group == other] = one
    sums = np.zeros_like(unit)
    np.add.at(sums, group, unit)
    kept: Floats = sums[np.unique(group)]
    return kept


def width(dimensions: int) -> int:
    """Bytes of one piece: eight dimensions in each."""
    return (dimensions + 7) // 8


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The pieces of some texts, one text after another."""

    bits: Bits
    """[pieces, dimensions / 8]: whether each coordinate is positive, eight to a byte as np.packbits lays them."""
    starts: NDArray[np.int64]
    """[texts + 1]: text i has bits[starts[i]:starts[i + 1]]; none where nothing is known of its words."""

    def __len__(self) -> int:
        """How many texts."""
        return len(self.starts) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """[texts] Pieces of each."""
        return self.starts[1:] - self.starts[:-1]

    @classmethod
    def none(cls, texts: int, dimensions: int) -> Pieces:
        """No piece of any of these texts: an encoder that cannot tell them apart."""
        return cls(np.zeros((0, width(dimensions)), np.uint8), np.zeros(texts + 1, np.int64))

    @classmethod
    def of(cls, texts: Sequence[Floats], dimensions: int) -> Pieces:
        """The pieces of texts whose vectors are [pieces, dimensions] each."""
        vectors = np.concatenate([np.zeros((0, dimensions), np.float32), *texts])
        return cls(np.packbits(vectors > 0, axis=1), _starts([len(text) for text in texts]))

    @classmethod
    def from_bytes(cls, texts: Sequence[bytes | None], dimensions: int) -> Pieces:
        """The pieces of texts as `to_bytes` wrote them; None is a text of which none are known."""
        row = width(dimensions)
        bits = np.frombuffer(b"".join(text or b"" for text in texts), np.uint8).reshape(-1, row)
        return cls(bits, _starts([len(text or b"") // row for text in texts]))

    def to_bytes(self, text: int) -> bytes:
        """One text's pieces, dimensions / 8 bytes each."""
        return self.bits[self.starts[text] : self.starts[text + 1]].tobytes()

    def joined(self, others: Sequence[Pieces]) -> Pieces:
        """These texts and then those of the others."""
        counts = np.concatenate([self.counts, *(other.counts for other in others)])
        return Pieces(np.concatenate([self.bits, *(other.bits for other in others)]), _starts(counts))

    def take(self, texts: NDArray[np.int64]) -> Pieces:
        """The pieces of these texts, in this order."""
        counts = self.counts[texts]
        return Pieces(self.bits[ranges(self.starts[texts], counts)], _starts(counts))


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Texts as an encoder understood them in one pass."""

    vectors: Floats
    """[texts, dimensions], each row of unit length."""
    pieces: Pieces


@dataclass(frozen=True, slots=True, eq=False)
class EncodedQuestion:
    """A question as an encoder understood it."""

    vector: Floats
    """[dimensions], unit length."""
    pieces: Floats
    """[pieces, dimensions], each row of unit length, at most `MOST_ASKED`; no row from an encoder without pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Word pieces of candidates and of the turns around them in the same source."""

    turns: Pieces
    """The distinct turns, each once, candidates among them."""
    lengths: NDArray[np.int32]
    """[turns] Characters of text."""
    around: NDArray[np.int64]
    """[candidates, 5] Turns: itself, just before, just after, two before, two after; -1 where none is in sight.

    A row of -1 is a candidate that is not read this closely.
    """


def _starts(counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
