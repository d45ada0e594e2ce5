"""The calendar: from when events happened to the time a question asks about, with soft edges.

Plain arithmetic. Which events those are is looked up in `memory.retrieval.calendar_leg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import DAY_S, EARLIEST, LATEST, Instant, Interval
from memory.words.time_anchors import Anchored
from memory.words.time_named import Stretch

Moments = NDArray[np.float64]

APART_S = 14 * DAY_S
"""What is told of an event within a fortnight is told of the same one: a holiday, not the next one."""
UNITS = {"day": DAY_S, "week": 7 * DAY_S, "month": 30.4 * DAY_S, "year": 365.25 * DAY_S}
EDGE_SHARE, EDGE_LEAST, EDGE_MOST = 0.25, 2 * DAY_S, 14 * DAY_S
"""What lies a quarter of the window beside it is out of it, two days to two weeks: one tells of a thing a little later,
and says "two weeks" of fifteen days."""
HALF_LIFE_S = 30 * DAY_S
"""After the move asks of the weeks after it rather than of the years: beyond the event half of the degree halves every
30 days, the half-life of recency. The other half stays."""


@dataclass(frozen=True, slots=True)
class Happening:
    """When an event was: `start` to `end` (UTC epoch seconds, inf while it lasts), and what tells so."""

    start: Instant
    end: float
    keys: tuple[int, ...]
    """Segments that tell of it."""
    facts: tuple[str, ...] = ()
    """Ids of the facts that tell of it; none where its words have not been read."""


@dataclass(frozen=True, slots=True)
class Window:
    """The time asked about: `start` to `end` (UTC epoch seconds, infinite where open)."""

    start: float
    end: float
    fades_from: float | None = None
    """The event that what lies nearer to is likelier meant; None where all of it counts alike."""
    sharp: bool = False
    """What lies beside it is out of it: a day of the calendar ends at midnight."""

    def degree(self, at: Moments) -> Moments:
        """How far moments lie inside, 0 to 1: 1 within, less beside it, and less far from the event it is open from."""
        if self.sharp:
            return ((at >= self.start) & (at < self.end)).astype(np.float64)
        edge = min(max(EDGE_SHARE * (self.end - self.start), EDGE_LEAST), EDGE_MOST)
        if not np.isfinite(self.end - self.start):
            edge = EDGE_LEAST
        beside = np.maximum(self.start - at, at - self.end)
        degree: Moments = np.clip(1 - beside / edge, 0.0, 1.0)
        if self.fades_from is not None:
            degree = degree * (0.5 + 0.5 * np.exp2(-np.abs(at - self.fades_from) / HALF_LIFE_S))
        return degree


@dataclass(frozen=True, slots=True)
class Dated:
    """What a calendar gave a question: the words that tell a time, the window, and the events it follows from.

    Of more stretches than one, which only the calendar names, the window is from the first to the last.
    """

    said: str
    window: Window
    events: tuple[Happening, ...] = ()


def bounded(window: Window) -> Interval:
    """A window; a side that is open, or that no memory can hold, is None."""
    start, end = (each if EARLIEST <= each <= LATEST else None for each in (window.start, window.end))
    return Interval(start, end)


def of_events(dated: Dated) -> Interval | None:
    """The time that events tell; None for one that only the calendar names."""
    return bounded(dated.window) if dated.events else None


def whole(windows: Sequence[Window]) -> Window:
    """From the beginning of the first to the end of the last."""
    return Window(min(each.start for each in windows), max(each.end for each in windows), sharp=True)


def stretch(named: Stretch) -> Window:
    """The time that a question names."""
    start, end = named.extent.start, named.extent.end
    return Window(-np.inf if start is None else start, np.inf if end is None else end, sharp=not named.about)


def latest(starts: Moments) -> NDArray[np.int64]:
    """Which of these moments belong to the event that began last: no two in a row are a fortnight apart."""
    order = np.argsort(starts, kind="stable")
    breaks = np.flatnonzero(np.diff(starts[order]) > APART_S) + 1
    return order[breaks[-1] if len(breaks) else 0 :]


def fullest(at: Moments) -> NDArray[np.int64]:
    """Which of these moments lie where most do, the later of two such: when it was, not when it was recalled."""
    order = np.argsort(at, kind="stable")
    edges = [0, *(np.flatnonzero(np.diff(at[order]) > APART_S) + 1).tolist(), len(at)]
    first, after = max(pairwise(edges), key=lambda pair: (pair[1] - pair[0], pair[0]))
    return order[first:after]


def window(asked: Anchored, events: Sequence[Happening]) -> Window:
    """The time that lies from these events as the question says."""
    return _between(*events) if asked.relation == "between" else _RELATIONS[asked.relation](asked, events[0])


def _between(one: Happening, other: Happening) -> Window:
    first, last = sorted((one, other), key=lambda each: each.start)
    return Window(min(first.end, last.start), last.start)


def _during(asked: Anchored, event: Happening) -> Window:
    return Window(event.start, event.end)


def _before(asked: Anchored, event: Happening) -> Window:
    return Window(-np.inf, event.start, event.start)


def _after(asked: Anchored, event: Happening) -> Window:
    over = event.start if np.isinf(event.end) else event.end
    return Window(over, np.inf, over)


def _since(asked: Anchored, event: Happening) -> Window:
    return Window(event.start, np.inf)


def _until(asked: Anchored, event: Happening) -> Window:
    return Window(-np.inf, event.start)


def _away(asked: Anchored, event: Happening) -> Window:
    """Two weeks before it: that day, and half a unit around it where the unit is longer than a day."""
    unit, from_ = UNITS[asked.unit], event.start if asked.side < 0 else _after(asked, event).start
    middle = from_ + asked.side * asked.count * unit
    return Window(middle - unit / 2, middle + unit / 2)


def _beside(asked: Anchored, event: Happening) -> Window:
    reach = asked.count * UNITS[asked.unit]
    if asked.side < 0:
        return Window(event.start - reach, event.start)
    over = _after(asked, event).start
    return Window(over, over + reach)


def _of(asked: Anchored, event: Happening) -> Window:
    """The day of it, or so many days around it as a week or a month has."""
    around = (UNITS[asked.unit] - DAY_S) / 2
    return Window(event.start - around, event.start + DAY_S + around)


_RELATIONS = {
    "during": _during,
    "before": _before,
    "after": _after,
    "since": _since,
    "until": _until,
    "away": _away,
    "beside": _beside,
    "of": _of,
}
