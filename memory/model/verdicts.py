"""Verdicts: what somebody outside a turn makes of two statements that may not both be so."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.timeline import Instant

RELATIONS = ("same", "contradicts", "updates", "fulfils", "unrelated")
"""The later statement says the same, denies the earlier one, takes its place, tells that what the earlier one promises
was done, or does none of these."""


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """A statement, since when it is meant to hold, and the sentence it was taken from."""

    statement: str
    at: Instant
    context: str = ""


@dataclass(frozen=True, slots=True)
class StatementPair:
    """Two statements about one subject, in the order of their times, and their calibrated similarity in [0, 1]."""

    earlier: ComparedStatement
    later: ComparedStatement
    similarity: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of RELATIONS, and how sure the judge is of it in [0, 1]."""

    relation: str = "unrelated"
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class PendingJudgement:
    """A pair that has to be judged: the fact a claim would become, and the fact it stands against."""

    fact_id: str
    rival_id: str
    pair: StatementPair


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on a question, and the name of whoever gave it."""

    fact_id: str
    rival_id: str
    verdict: Verdict
    judge: str


@dataclass(frozen=True, slots=True)
class Judging:
    """What a command brings of the judgements made for it outside its turn."""

    judge: str
    verdicts: tuple[Judgement, ...] = ()
    asked_above: float | None = None
    """Calibrated similarity from which the nearest rivals are to be judged; None = seed 003's band."""
    closed: bool = False
    """No further round: what is not judged by now is left to the rules."""
