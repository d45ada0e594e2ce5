"""Settings of jobs that run by themselves, beside the night."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.quantities import Count, Share


@dataclass(frozen=True, slots=True)
class CommunitiesJob:
    """The job that finds communities outside the nights, a task for some users each."""

    num_cpus: Share = 1.0
    """Share of CPUs each of its tasks asks Ray for; logical ones (chosen: one of the four that are kept for jobs)."""
    num_gpus: Share = 0.0
    """Share of a GPU each of its tasks asks Ray for; above 0 its engine runs there, and 0 = on the CPU."""
    ties: Count = 500_000
    """Ties of a memory up to which its night finds them. Of more the scheduler has this job find them after the night
    (chosen: so many take a night 5 s and 170 MB, twice as many 15 s and 340 MB)."""
    python: str | None = None
    """The interpreter of the environment that holds the GPU's engine; None = that of the job."""
