"""What a run of chaos has shown: an outage for each fault, and whether the bars hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

BARS_S = {"GCS": 15.0, "raylet": 15.0, "controller": 15.0}
"""The longest outage that is let pass for Ray's own parts (chosen: what a patient client waits)."""
OURS_S = 5.0
"""And for every other part."""
NAMED = 10
"""Writes that were lost, or are there twice, that are named at most."""
ANSWERED = 0.99
"""The share of reads that must be answered."""
NOTICED_S = 0.5
"""Shorter gaps between two answers are load, and no outage."""


@dataclass(frozen=True)
class ChaosFault:
    """What is done to a part."""

    part: str
    how: str


@dataclass(frozen=True)
class Struck:
    """A fault that was done; seconds since the beginning."""

    at: float
    fault: ChaosFault


@dataclass(frozen=True)
class Outage:
    """What was noticed of a fault: the longest gap between two answered reads, and two acknowledged writes, that began
    between it and the next fault. A gap goes on over later faults.
    """

    at_s: float
    part: str
    how: str
    reads_s: float
    writes_s: float

    @property
    def longest_s(self) -> float:
        """The longer of the two."""
        return max(self.reads_s, self.writes_s)

    @property
    def holds(self) -> bool:
        """Whether it is short enough."""
        return self.longest_s <= BARS_S.get(self.part, OURS_S)


@dataclass(frozen=True)
class Report:
    """One run."""

    seed: int
    outages: tuple[Outage, ...]
    answered: int
    acknowledged: int
    reads: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    unacknowledged: int
    slowest_read_s: float
    reasons: dict[str, int]

    @classmethod
    def of(
        cls,
        seed: int,
        struck: Sequence[Struck],
        span: tuple[float, float],
        *,
        answered: Sequence[float],
        acknowledged: Sequence[float],
        **figures: Any,
    ) -> Report:
        """A run's figures, from when each fault was done, each read answered and each write acknowledged. `span` is
        when writing and asking began and ended.
        """
        read_gaps, write_gaps = (gaps_after(struck, (*span, *each)) for each in (answered, acknowledged))
        outages = tuple(
            Outage(round(each.at, 1), each.fault.part, each.fault.how, round(read_s, 1), round(write_s, 1))
            for each, read_s, write_s in zip(struck, read_gaps, write_gaps, strict=True)
        )
        return cls(seed, outages, len(answered), len(acknowledged), **figures)

    @property
    def share(self) -> float:
        """The share of reads that were answered."""
        return self.answered / self.reads if self.reads else 1.0

    @property
    def worst(self) -> dict[str, float]:
        """Part and fault -> its longest outage in seconds."""
        worst: dict[str, float] = {}
        for each in self.outages:
            name = f"{each.part} {each.how}"
            worst[name] = max(worst.get(name, 0.0), each.longest_s)
        return worst

    @property
    def holds(self) -> bool:
        """Whether every bar holds."""
        kept = not self.lost and not self.doubled and not self.unacknowledged
        return kept and self.share >= ANSWERED and all(each.holds for each in self.outages)

    def as_json(self) -> dict[str, Any]:
        """Everything, for a program."""
        return asdict(self) | {"answered_share": round(self.share, 5), "worst_s": self.worst, "holds": self.holds}

    def rows(self) -> list[dict[str, str]]:
        """A line for each fault: what it did to reads and to writes, in seconds."""
        return [
            {
                "at s": f"{each.at_s:.1f}",
                "fault": f"{each.part} {each.how}",
                "reads away s": f"{each.reads_s:.1f}",
                "writes away s": f"{each.writes_s:.1f}",
                "bar s": f"{BARS_S.get(each.part, OURS_S):.0f}",
                "holds": "yes" if each.holds else "no",
            }
            for each in self.outages
        ]

    def summary(self) -> str:
        """The figures of the run in a few sentences."""
        worst = ", ".join(f"{name} {seconds:.1f}" for name, seconds in sorted(self.worst.items()))
        return (
            f"{self.acknowledged} writes acknowledged, {len(self.lost)} lost, {len(self.doubled)} doubled, "
            f"{self.unacknowledged} never acknowledged. {self.answered} of {self.reads} reads answered "
            f"({self.share:.2%}), the slowest after {self.slowest_read_s:.1f} s.\n"
            f"{self._named('Lost', self.lost)}{self._named('Doubled', self.doubled)}"
            f"Not answered, or sent again: {self.reasons or 'nothing'}.\nWorst outages in seconds: {worst}.\n"
            f"The bars {'hold' if self.holds else 'do not hold'} (seed {self.seed})."
        )

    @staticmethod
    def _named(what: str, which: Sequence[str]) -> str:
        return f"{what}: {'; '.join(which[:NAMED])}.\n" if which else ""


def gaps_after(struck: Sequence[Struck], answers: Sequence[float]) -> list[float]:
    """For each fault the longest gap between two answers that it, and no later fault, stands before the end of.

    A gap belongs to the last fault before its first half second has passed: what is answered just after a fault was
    asked before it. One that began before every fault belongs to the first within it.
    """
    longest = [0.0] * len(struck)
    for before, after in pairwise(sorted(answers)):
        if after - before < NOTICED_S:
            continue
        behind = [number for number, each in enumerate(struck) if each.at <= before + NOTICED_S]
        within = [number for number, each in enumerate(struck) if each.at < after]
        for number in behind[-1:] or within[:1]:
            longest[number] = max(longest[number], after - before)
    return longest


def counted(acknowledged: Collection[str], there: Sequence[str]) -> tuple[list[str], list[str]]:
    """What was acknowledged and is not there; and what is there more than once, acknowledged or not."""
    times = Counter(there)
    return sorted(set(acknowledged) - times.keys()), sorted(name for name, count in times.items() if count > 1)
