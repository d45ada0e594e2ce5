"""Rivals: the facts of the same subject that a claim resembles most, by calibrated similarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import Fact
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft

Vector = NDArray[np.float32]
Floats = NDArray[np.float32]
About = tuple[str, Sensitivity]
"""A subject, and the sensitivity of what is said of it: facts of different ones are no rivals (decision 0025)."""
_SPARE = 4
"""Rows ranked for each that is wanted: some of them have been closed in this very turn."""


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

    def rows(self, fact_ids: Iterable[str]) -> tuple[list[str], NDArray[np.intp]]:
        """Those of the facts that have a vector, and where it stands."""
        known = [fact_id for fact_id in fact_ids if fact_id in self._rows]
        return known, np.fromiter((self._rows[fact_id] for fact_id in known), np.intp, len(known))

    def at(self, rows: NDArray[np.intp], vectors: Floats) -> Floats:
        """The cosines of these rows with one vector [dimensions], or with several at once [dimensions, several]."""
        if not len(rows):
            return np.zeros((0, *vectors.shape[1:]), np.float32)
        if 2 * len(rows) > len(self._rows):  # most of them: cheaper to multiply all than to gather first
            return (self._matrix[: len(self._rows)] @ vectors)[rows]
        return self._matrix[rows] @ vectors

    def cosines(self, fact_ids: Iterable[str], vector: Vector) -> tuple[list[str], Floats]:
        """Those of the facts that have a vector, and their cosines with this one."""
        known, rows = self.rows(fact_ids)
        return known, self.at(rows, vector)


@dataclass(frozen=True, eq=False)
class Resemblance:
    """What a turn knows about likeness: vectors of facts and of new statements, and the encoder's calibration.

    A statement without a vector has no rivals: it is created, and meets them once the encoder is back. One
    Resemblance serves one turn: all its statements are compared with the facts of a subject at once.
    """

    facts: FactVectors = field(default_factory=FactVectors)
    statements: Mapping[str, Vector] = field(default_factory=dict)
    calibrate: Callable[[Floats], Floats] = field(default=lambda cosine: cosine)
    _begun: dict[About, tuple[list[str], Floats]] = field(default_factory=dict, init=False)

    def rivals(self, draft: Draft, about: About, statement: str, born: Mapping[str, str], most: int) -> list[Rival]:
        """The `most` active facts of a subject, at one sensitivity, that resemble the statement, most similar first.

        `born` maps facts created earlier in the same turn to their statements.
        """
        vector = self.statements.get(statement)
        if vector is None:
            return []
        known, cosines = self._of(draft, about)
        cosine = cosines[:, list(self.statements).index(statement)]
        fresh = [
            fact_id
            for fact_id, words in born.items()
            if words in self.statements and fact_id not in self.facts and _about(draft.facts[fact_id]) == about
        ]
        if fresh:
            cosine = np.append(cosine, np.stack([self.statements[born[each]] for each in fresh]) @ vector)
        return self._best(draft, about, [*known, *fresh] if fresh else known, cosine, most)

    def _of(self, draft: Draft, about: About) -> tuple[list[str], Floats]:
        """Facts of a subject that had a vector when it was first asked about, and cosines [facts, statements]."""
        if about not in self._begun:
            facts = draft.facts
            of_subject = draft.by_subject.get(about[0], ())
            known, rows = self.facts.rows(each for each in of_subject if _competes(facts[each], about))
            cosines = self.facts.at(rows, np.stack(list(self.statements.values()), axis=1))
            self._begun[about] = known, cosines
        return self._begun[about]

    def _best(self, draft: Draft, about: About, ids: Sequence[str], cosine: Floats, most: int) -> list[Rival]:
        count = min(len(ids), _SPARE * most)
        best = np.argpartition(-cosine, count - 1)[:count] if 0 < count < len(ids) else np.arange(len(ids))
        best = best[np.lexsort((best, -cosine[best]))]
        similarity = self.calibrate(cosine[best].astype(np.float32))
        found = []
        for place, likeness in zip(best.tolist(), similarity.tolist(), strict=True):
            fact = draft.facts.get(ids[place])
            if fact is not None and _competes(fact, about):
                found.append(Rival(ids[place], likeness))
            if len(found) == most:
                break
        return found


def _about(fact: Fact) -> About:
    return fact.subject_id, fact.sensitivity


def _competes(fact: Fact, about: About) -> bool:
    """Whether a fact is believed and was heard: what the memory concluded itself is no rival of what is said."""
    return fact.status == "active" and fact.kind != "meta" and _about(fact) == about
