"""What is done for each user in turn, and could not be done for one."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class StepFailure:
    """A step that has failed for a user."""

    step: str
    reason: str
    """A kind of error, and no words."""
    times: int
    since: Instant
    """When it failed first, and `at` when last."""
    at: Instant
