"""Settings of the night, of other jobs, of the sweep after an erasure, and of leases of the GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from memory.model.quantities import Count, HourOfDay, Range, Seconds, Share
from memory.rules.leases import MOST_SHARE

Questions = Annotated[int, Range(0, 200, "a number of questions")]
Gigabytes = Annotated[float, Range(0.0, 10_000.0, "gigabytes")]
DeclaredShare = Annotated[float, Range(0.0, MOST_SHARE, "a share of the memory")]


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
    proof_seconds: Seconds = 30.0
    """Seconds within which they are asked at first; those that are left are not asked (chosen: a tenth of what a night
    over 100,000 entities may take)."""


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

    @property
    def most_of_a_night(self) -> int:
        """Ties up to which a night finds communities itself: none if they are to be found on a GPU."""
        return 0 if self.num_gpus else self.ties


@dataclass(frozen=True, slots=True)
class Erasure:
    """What follows once words are erased (decision 0068)."""

    sweep_after_s: Seconds = 600.0
    """Seconds from an erasure to the sweep of pages and log that removes its last bytes: what comes in between is swept
    with it. A sweep rewrites every table, and who needs a large one waits."""
    due_s: Seconds = 86_400.0
    """Seconds within which a receipt promises what is still to come (chosen: a day; machines sleep at night)."""


@dataclass(frozen=True, slots=True)
class Leasing:
    """Who may use the one GPU at once (decision 0110). Gigabytes are what each declares while it holds a lease; they
    bound nothing by themselves, and their defaults are those of seed 001 for the Spark."""

    device: Literal["cpu", "gpu"] = "cpu"
    """`gpu`: sweeps, live transcription, embedding and extraction share one and ask for a lease; `cpu`: nobody waits,
    and a sweep declares a processor."""
    memory_gb: Gigabytes = 128.0
    """The memory that CPU and GPU have together."""
    share: DeclaredShare = MOST_SHARE
    """Share of it that may be declared at once."""
    sweep_gb: Gigabytes = 9.6
    """A sweep: Whisper large 8.75, diarisation 0.2, emotion 0.6."""
    live_gb: Gigabytes = 8.8
    """Live transcription: Whisper large."""
    embedding_gb: Gigabytes = 14.1
    """A batch of sentences: an encoder of eight billion parameters."""
    extraction_gb: Gigabytes = 20.0
    """A batch of reading: a language model of 35 billion parameters, three of them active."""

    @property
    def fits(self) -> bool:
        """Whether each of the four could ever hold a lease."""
        return max(self.sweep_gb, self.live_gb, self.embedding_gb, self.extraction_gb) <= self.memory_gb * self.share
