"""Rivals: the facts of the same subject that a claim resembles most, by calibrated similarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.working_set import Draft

Vector = NDArray[np.float32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rival:
    """A fact and its calibrated similarity to the claim, in [0, 1]."""

    fact_id: str
    similarity: float


class FactVectors:
    """Unit vectors of facts in one growing matrix, so that a turn compares with thousands in one product."""

    def __init__(self, vectors: Mapping[str, Vector] | None = None) -> None:
        self._rows: dict[str, int] = {}
        self._matrix: Floats = np.zeros((0, 0), np.float32)
        self.put(vectors or {})

    def __len__(self) -> int:
        """Facts with a vector."""
        return len(self._rows)

    def __contains__(self, fact_id: str) -> bool:
        """Whether a fact has a vector."""
        return fact_id in self._rows

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Add vectors, or replace them."""
        for fact_id, vector in vectors.items():
            row = self._rows.setdefault(fact_id, len(self._rows))
            if row >= len(self._matrix):
                grown = np.zeros((max(64, 2 * len(self._matrix)), len(vector)), np.float32)
                grown[: len(self._matrix), : self._matrix.shape[1]] = self._matrix
                self._matrix = grown
            self._matrix[row] = vector

    def cosines(self, fact_ids: Iterable[str], vector: Vector) -> tuple[list[str], Floats]:
        """Those of the facts that have a vector, and their cosines with this one."""
        known = [fact_id for fact_id in fact_ids if fact_id in self._rows]
        if not known:
            return [], np.zeros(0, np.float32)
        rows = np.fromiter((self._rows[fact_id] for fact_id in known), np.intp, len(known))
        if 2 * len(known) > len(self._rows):  # most of them: cheaper to multiply all than to gather first
            return known, (self._matrix[: len(self._rows)] @ vector)[rows]
        return known, self._matrix[rows] @ vector


@dataclass(frozen=True)
class Resemblance:
    """What a turn knows about likeness: vectors of facts and of new statements, and the encoder's calibration.

    A statement without a vector has no rivals: it is created, and its likeness is known once the encoder is back.
    """

    facts: FactVectors = field(default_factory=FactVectors)
    statements: Mapping[str, Vector] = field(default_factory=dict)
    calibrate: Callable[[Floats], Floats] = field(default=lambda cosine: cosine)

    def rivals(self, draft: Draft, subject_id: str, statement: str, born: Mapping[str, str], most: int) -> list[Rival]:
        """The `most` active facts of the subject that resemble the statement, most similar first.

        `born` maps facts created earlier in the same turn to their statements.
        """
        vector = self.statements.get(statement)
        if vector is None:
            return []
        active = [each for each in draft.by_subject.get(subject_id, ()) if draft.facts[each].status == "active"]
        known, cosine = self.facts.cosines((each for each in active if each not in born), vector)
        fresh = [each for each in active if each in born and born[each] in self.statements]
        if fresh:
            cosine = np.append(cosine, np.stack([self.statements[born[each]] for each in fresh]) @ vector)
        similarity = self.calibrate(cosine.astype(np.float32))
        best: list[int] = np.argsort(-similarity, kind="stable")[:most].tolist()
        everyone = known + fresh
        return [Rival(everyone[index], float(similarity[index])) for index in best]
