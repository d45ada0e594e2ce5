"""Rivals: the facts of the same subject that a claim resembles most, by calibrated similarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.working_set import Draft

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rival:
    """A fact and its calibrated similarity to the claim, in [0, 1]."""

    fact_id: str
    similarity: float


@dataclass(frozen=True)
class Resemblance:
    """What a turn knows about likeness: vectors of facts and of new statements, and the encoder's calibration.

    `facts` and `statements` map fact ids and statements to unit vectors. A statement without a vector has no rivals:
    it is created and its likeness is looked at again once the encoder is back.
    """

    facts: Mapping[str, Vector] = field(default_factory=dict)
    statements: Mapping[str, Vector] = field(default_factory=dict)
    calibrate: Callable[[NDArray[np.float32]], NDArray[np.float32]] = field(default=lambda cosine: cosine)

    def vector(self, statement: str) -> Vector | None:
        """The vector of a new statement, if it was encoded."""
        return self.statements.get(statement)

    def rivals(self, draft: Draft, subject_id: str, statement: str, born: Mapping[str, str], most: int) -> list[Rival]:
        """The `most` active facts of the subject that resemble the statement, most similar first.

        `born` maps facts created earlier in the same turn to their statements.
        """
        vector = self.vector(statement)
        if vector is None:
            return []
        rows = [
            (fact_id, known)
            for fact_id in draft.by_subject.get(subject_id, ())
            if draft.facts[fact_id].status == "active"
            and (known := self.facts.get(fact_id, self.statements.get(born.get(fact_id, "")))) is not None
        ]
        if not rows:
            return []
        cosine = np.stack([known for _, known in rows]) @ vector
        similarity = self.calibrate(cosine.astype(np.float32))
        best: Sequence[int] = np.argsort(-similarity, kind="stable")[:most].tolist()
        return [Rival(rows[index][0], float(similarity[index])) for index in best]
