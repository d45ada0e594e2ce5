"""What waits for the background: sources to be encoded or read, segments and facts without a vector."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class DueSource:
    """A source of which a task, `embed` or `read`, is due."""

    scope: str
    source_id: str
    task: str
    user_id: str = ""
    """Whom it is read for; of `embed` nobody."""
    attempts: int = 0
    """How many have failed."""
    asked: int = 0
    """Counts on whenever the task is asked for: it is finished only as it was when it was taken."""
    session_id: str | None = None
    sensitivity: Sensitivity | None = None
    """None, as the session: the source is gone."""


@dataclass(frozen=True, slots=True)
class QueueOrder:
    """In which order due sources are taken. What was just heard comes first."""

    longest: bool = False
    """What has waited longest comes first instead, whatever and whose it is."""
    served: tuple[str, ...] = ()
    """Users (of `embed`: scopes) who come last, in this order: the longest ago first."""
    besides: tuple[str, ...] = ()
    """Users who do not come at all."""


LATEST_FIRST = QueueOrder()


@dataclass(frozen=True, slots=True)
class UnencodedSegment:
    """A segment that has no current vector, or one to be made anew, with what it is encoded from."""

    scope: str
    source_id: str
    segment_key: int
    revision: int
    speaker: str
    text: str
    started_at: Instant
    """Of its source."""
    offset_s: int


@dataclass(frozen=True, slots=True)
class WaitingFact:
    """A fact that stands and waits for a vector or a judge."""

    user_id: str
    fact_id: str
    statement: str


@dataclass(frozen=True, slots=True)
class UnencodedFact(WaitingFact):
    """A fact that has no vector, or one that serves until another is made."""

    anew: bool = False
    """It has a vector, and so has met its rivals."""
