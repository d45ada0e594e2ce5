"""`memoray bench strength`: the four laws over a million rows, beside the bare NumPy expression on the same columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from memory.model.timeline import DAY_S
from memory.rules.decay import LAWS, Anchors, Column, strength_of
from memory.rules.parameters import Life, Strength

NOW = 1_700_000_000.0
REPEATS = 15
"""Runs of each, of which the one of least CPU time counts: what others do on the machine only ever slows one down."""
SMALL = 10_000


def columns(rows: int, seed: int = 1) -> Anchors:
    """Invented anchors: ages up to two years, a third evergreen, half of them recalled, a few protected or kept."""
    draw = np.random.default_rng(seed)
    return Anchors(
        heard_at=NOW - draw.uniform(0, 730, rows) * DAY_S,
        born_at=NOW - draw.uniform(0, 730, rows) * DAY_S,
        confidence=draw.uniform(0.3, 1.0, rows),
        stability=np.ones(rows),
        count=np.float64(1) * draw.integers(0, 2, rows) * draw.integers(0, 30, rows),
        accessed_at=NOW - draw.uniform(0, 300, rows) * DAY_S,
        value=draw.uniform(0.3, 1.0, rows),
        gradient=draw.uniform(0.5, 3.0, rows),
        floor=np.where(draw.random(rows) < 0.2, 0.3, 0.0),
        evergreen=draw.random(rows) < 0.3,
        protected=draw.random(rows) < 0.01,
        kept=draw.random(rows) < 0.01,
    )


BARE: Mapping[str, Callable[[Anchors], Column]] = {
    "half_life": lambda a: np.exp2(-(NOW - a.heard_at) / (30 * DAY_S)),
    "spaced": lambda a: (
        np.where(a.count > 0, a.value, 0.5)
        * np.exp(-0.02 / (1 + a.count**a.gradient) * (NOW - np.where(a.count > 0, a.accessed_at, a.born_at)) / DAY_S)
    ),
    "stability": lambda a: (
        a.confidence * np.exp2(-(NOW - a.heard_at) / (30 * DAY_S * np.minimum(5, a.stability + 0.1 * a.count)))
    ),
    "stretched": lambda a: (
        np.minimum(1, a.confidence + 0.05 * np.log(1 + a.count / 20))
        * np.exp(-0.1 * ((NOW - np.where(a.count > 0, a.accessed_at, a.born_at)) / DAY_S) ** 0.8)
    ),
}
"""Each law as its formula alone says it: no floors, no protection, no candidates."""


@dataclass(frozen=True, slots=True)
class LawTime:
    """Milliseconds of CPU time of the bare expression and of the law with all that belongs to it."""

    bare_ms: float
    law_ms: float
    small_ms: float
    """The law over SMALL rows."""


@dataclass(frozen=True)
class StrengthRow:
    """What `memoray bench strength` prints."""

    rows: int
    laws: Mapping[str, LawTime]

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        scale = self.rows / SMALL
        growth = max(each.law_ms / each.small_ms / scale for each in self.laws.values())
        told = {f"{law} ms (x bare)": f"{t.law_ms:.1f} ({t.law_ms / t.bare_ms:.2f}x)" for law, t in self.laws.items()}
        return {"rows": f"{self.rows:,}", **told, f"a row costs, against {SMALL:,} rows": f"{growth:.2f}x at most"}


def measure_strength(rows: int, life: Life) -> StrengthRow:
    """Every law over the same invented columns, with these numbers, in this process."""
    anchors, small = columns(rows), columns(SMALL)
    laws = {}
    for law in LAWS:
        life = replace(life, strength=Strength(entity=law))  # type: ignore[arg-type]
        laws[law] = LawTime(
            bare_ms=_fastest_ms(lambda law=law: BARE[law](anchors)),  # type: ignore[misc]
            law_ms=_fastest_ms(lambda life=life: strength_of("entity", anchors, NOW, life)),  # type: ignore[misc]
            small_ms=_fastest_ms(lambda life=life: strength_of("entity", small, NOW, life)),  # type: ignore[misc]
        )
    return StrengthRow(rows, laws)


def _fastest_ms(act: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        act()
        times.append(time.process_time() - started)
    return 1000 * min(times)
