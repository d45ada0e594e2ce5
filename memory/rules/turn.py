"""The turn: what deciding one command carries along, and a claim on its way through it."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.model.claims import Claim
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.verdicts import Judging, PendingJudgement
from memory.model.working_set import Draft
from memory.rules.parameters import Revision
from memory.rules.rivals import Resemblance


@dataclass(frozen=True, slots=True)
class ClaimOrigin:
    """Where a claim was heard: a segment, or a command where `segment_key` is None."""

    source_id: str
    at: Instant
    segment_key: int | None = None
    revision: int = 1
    sensitivity: Sensitivity = Sensitivity.OPEN
    judged_by: str = "rules"

    @property
    def key(self) -> str:
        """What makes a statement at this place unlike the same statement elsewhere."""
        return f"{self.source_id}/{self.segment_key}"


@dataclass
class TurnState:
    """What one turn carries from claim to claim."""

    draft: Draft
    now: Instant
    rules: Revision
    resemblance: Resemblance
    judging: Judging | None = None
    born: dict[str, str] = field(default_factory=dict)
    """Facts created in this turn -> their statements, which are their vectors' keys."""
    by_object: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = field(default_factory=dict)
    """(subject, predicate) -> stems of the object -> facts the turn began with; filled when it is first needed."""
    asked: list[PendingJudgement] = field(default_factory=list)
    """Pairs that a judge outside has not judged yet."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A claim, what it is about, where it was heard, and the fact it would become."""

    claim: Claim
    subject_id: str
    object_id: str | None
    origin: ClaimOrigin
    fact_id: str

    @property
    def since(self) -> Instant:
        """The moment from which it claims to be so."""
        return self.origin.at if self.claim.valid_from is None else self.claim.valid_from
