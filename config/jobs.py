"""Settings of the night and of other jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from memory.model.quantities import HourOfDay, Range, Share

Questions = Annotated[int, Range(0, 200, "a number of questions")]


@dataclass(frozen=True, slots=True)
class Night:
    """The nightly job; the zone is the user's, from the profile."""

    hour: HourOfDay = 3
    """Local hour it is due (seeds 000 to 004)."""
    num_cpus: Share = 1.0
    """Share of CPUs its job asks Ray for; logical ones (chosen: one of the four that are kept for jobs)."""
    num_gpus: Share = 0.0
    """Share of a GPU its job asks Ray for; 0 = none (chosen: its steps of today run on the CPU)."""
    proof_questions: Questions = 200
    """Questions of the user's own memory a night is proved by, at most; 0 = it is not proved (chosen: half a point of
    recall is one of them)."""


@dataclass(frozen=True, slots=True)
class CommunitiesJob:
    """The job that finds communities outside the nights, a task for some users each."""

    num_cpus: Share = 1.0
    """Share of CPUs each of its tasks asks Ray for; logical ones (chosen: one of the four that are kept for jobs)."""
    num_gpus: Share = 0.0
    """Share of a GPU each of its tasks asks Ray for; above 0 its engine runs there, and 0 = on the CPU."""
    python: str | None = None
    """The interpreter of the environment that holds the GPU's engine; None = that of the job."""
