"""Measuring the time machine: questions of two times over a million invented fact versions, in this process.

The facts are those of ten years: four versions each, a fortieth of them of one predicate, two fifths about the owner,
the rest about twenty thousand others. A question asks for what was true at one random moment, as it was believed at
another: of everything, of everything about somebody, about the owner, and about the owner by predicate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.measure import Spread
from memory.model.shown_times import Then
from memory.model.timeline import DAY_S
from memory.rules.time_machine import ROW, FactTimes, HistoryQuery, Rows

DAYS = 3_650
VERSIONS_EACH = 4
OTHERS = 20_000
PREDICATES = 40
OWNER = 1
SHOWN = 201
"""Versions a list asks for: one part of it, and one more."""
STARTED = 1_451_606_400.0
"""2016-01-01, UTC."""


@dataclass(frozen=True, slots=True)
class AsOfRow:
    """What was measured: how long all questions took by the clock and of a processor, and each kind by the clock."""

    versions: int
    questions: int
    load_s: float
    megabytes: float
    asked: Spread
    cpu: Spread
    kinds: Mapping[str, Spread]

    def cells(self) -> dict[str, str]:
        """The row of a table."""
        kinds = {f"{name} p95 ms": f"{spread.p95_ms:.1f}" for name, spread in self.kinds.items()}
        return {
            "versions": f"{self.versions:,}",
            "questions": str(self.questions),
            "load s": f"{self.load_s:.2f}",
            "MB": f"{self.megabytes:.0f}",
            "p50 ms": f"{self.asked.p50_ms:.1f}",
            "p95 ms": f"{self.asked.p95_ms:.1f}",
            "CPU p95 ms": f"{self.cpu.p95_ms:.1f}",
            **kinds,
        }


def measure_as_of(versions: int, questions: int, seed: int = 1) -> AsOfRow:
    """Load that many versions and ask that many questions of each kind."""
    rows = invented(versions, seed)
    times, started = FactTimes(), time.perf_counter()
    times.put(rows)
    load_s = time.perf_counter() - started
    draw = random.Random(seed)
    took: dict[str, list[float]] = {}
    cpu: list[float] = []
    for _ in range(questions):
        for kind, asked in _questions(draw).items():
            then = Then(_moment(draw), _moment(draw))
            started, worked = time.perf_counter(), time.thread_time()
            times.at(then, asked).latest(SHOWN)
            took.setdefault(kind, []).append((time.perf_counter() - started) * 1e3)
            cpu.append((time.thread_time() - worked) * 1e3)
    return AsOfRow(
        versions=len(times),
        questions=questions * len(took),
        load_s=load_s,
        megabytes=rows.nbytes / 1e6,
        asked=Spread.of([each for some in took.values() for each in some]),
        cpu=Spread.of(cpu),
        kinds={kind: Spread.of(some) for kind, some in took.items()},
    )


def invented(versions: int, seed: int) -> Rows:
    """That many versions of facts, in the order they came to be true."""
    draw, rows = np.random.default_rng(seed), np.zeros(versions, ROW)
    fact, version = np.arange(versions) // VERSIONS_EACH, np.arange(versions) % VERSIONS_EACH
    count = int(fact[-1]) + 1
    begun = STARTED + np.sort(draw.random(count))[fact] * DAYS * DAY_S
    last = version == VERSIONS_EACH - 1
    rows["fact"] = draw.permutation(count).astype(np.uint64)[fact] + np.uint64(1)
    rows["subject"] = np.where(draw.random(count) < 0.4, OWNER, draw.integers(2, OTHERS + 2, count))[fact]
    rows["version"] = version + 1
    rows["predicate"] = draw.integers(0, PREDICATES, count)[fact]
    rows["status"] = np.where(last & (fact % 3 == 0), 1, 0)
    rows["valid_from"] = begun
    rows["valid_to"] = np.where(rows["status"] == 1, begun + 400 * DAY_S, np.inf)
    rows["system_from"] = begun + version * 90 * DAY_S
    rows["system_to"] = np.where(last, np.inf, begun + (version + 1) * 90 * DAY_S)
    return rows


def _questions(draw: random.Random) -> dict[str, HistoryQuery]:
    held = (0, 1)
    return {
        "everything": HistoryQuery(held),
        "somebody": HistoryQuery(held, about=draw.randrange(2, OTHERS + 2)),
        "the owner": HistoryQuery(held, about=OWNER),
        "one predicate": HistoryQuery(held, subjects=(OWNER,), predicate=draw.randrange(PREDICATES)),
    }


def _moment(draw: random.Random) -> float:
    return STARTED + draw.random() * DAYS * DAY_S
