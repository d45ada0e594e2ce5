"""`memoray bench soak`: whether a system that runs all day keeps its size. A steady load, and slopes of what it takes.

Requests come at fixed times, reads and writes mixed, in a memory of its own that stays as large as it is: the same
sources are told again in other words. Every few seconds it is counted what each part takes. A slope is that of the
means of ten equal stretches, by least squares, with its 95 % interval: neighbouring samples are alike, and taken one
by one they would make any drift look sure. The first part of the run, in which caches fill, does not count.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np

from bench import talk
from bench.measure import ApiClient, Site, await_done, memories, post_all

USER = "bench-soak"
WORK = ("embedding", "extraction")
SAMPLE_S = 5.0
STRETCHES = 10
WARM_UP = 0.25
"""Share of the run that does not count: whoever answers for the first time reads, plans and remembers."""
STUDENT = 2.306
"""Of the 95 % interval, at eight degrees of freedom."""
TOLD_AGAIN = 200
"""Sources that the writes go round."""
PLACES = ("Lisbon", "Ghent", "Halle", "Porto", "Bruges", "Leipzig", "Faro", "Namur")


@dataclass(frozen=True, slots=True)
class Sample:
    """What is taken at a moment, by part: megabytes (PSS), descriptors, and connections of the front door."""

    at: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Slope:
    """How much something grows an hour, give or take `within` (95 %)."""

    what: str
    first: float
    last: float
    per_hour: float
    within: float

    @property
    def grows(self) -> bool:
        """Whether that is more than noise."""
        return self.per_hour > self.within

    def cells(self) -> dict[str, str]:
        """One row."""
        return {
            "what": self.what,
            "first": f"{self.first:.1f}",
            "last": f"{self.last:.1f}",
            "an hour": f"{self.per_hour:+.1f} ± {self.within:.1f}",
            "above noise": "yes" if self.grows else "no",
        }


@dataclass(frozen=True, slots=True)
class RouteTimes:
    """What one kind of request took, in milliseconds."""

    route: str
    requests: int
    p50_ms: float
    p99_ms: float
    most_ms: float

    def cells(self) -> dict[str, str]:
        """One row."""
        return {
            "route": self.route,
            "requests": str(self.requests),
            "p50 ms": f"{self.p50_ms:.0f}",
            "p99 ms": f"{self.p99_ms:.0f}",
            "max ms": f"{self.most_ms:.0f}",
        }


@dataclass(frozen=True, slots=True)
class Soak:
    """The result of one run."""

    minutes: float
    late: int
    """Requests that began more than a second after their time: the system did not keep up."""
    routes: Sequence[RouteTimes]
    slopes: Sequence[Slope]


Ask = Callable[[ApiClient, int], object]
MIX: Sequence[tuple[str, Ask]] = (
    ("GET /v1/context", lambda door, n: door.get("/v1/context", query=f"Who lives in {PLACES[n % 8]}?", limit=5)),
    ("GET /v1/entities", lambda door, n: door.get("/v1/entities", limit=50)),
    ("POST /v1/sources", lambda door, n: door.post("/v1/sources", _told(n))),
    ("GET /v1/context", lambda door, n: door.get("/v1/context", query=f"What about {PLACES[n % 7]}?", limit=5)),
    ("GET /v1/facts", lambda door, n: door.get("/v1/facts", limit=50)),
    ("POST /v1/ask", lambda door, n: door.post("/v1/ask", {"query": f"Where does Tomas{n % 5} live?"})),
    ("GET /v1/context", lambda door, n: door.get("/v1/context", query="What did we say?", budget_tokens=800)),
    ("GET /v1/timeline", lambda door, n: door.get("/v1/timeline", limit=50)),
    ("GET /v1/entities", lambda door, n: door.get("/v1/entities", entity_type="person", limit=50)),
    ("GET /v1/stats", lambda door, n: door.get("/v1/stats")),
)
"""What is asked, in turn: as an assistant and a person with a page do, with a write for nine reads."""


def _told(number: int) -> dict[str, object]:
    source = number // len(MIX) % TOLD_AGAIN
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=source)
    words = f"Tomas{number % 5} lives in {PLACES[number // 7 % 8]} now."
    said = {"segment_id": "1", "speaker": "Maya", "text": words, "start": 0, "end": 2}
    return {"source_id": f"soak-{source}", "started_at": at.isoformat(), "segments": [said]}


def soak(
    site: Site,
    look: Callable[[], Mapping[str, float]],
    minutes: float,
    rate: float,
    segments: int,
    *,
    keep: bool = False,
) -> Soak:
    """Fill a memory, ask at `rate` requests a second for so long, and tell what grew. Raises DomainError."""
    with memories(site, (USER,), keep=keep) as doors:
        door = doors[USER]
        post_all(site, [(door, body) for body in talk.bodies(segments)])
        await_done(site, doors, WORK)
        samples: list[Sample] = []
        over = threading.Event()
        looking = threading.Thread(target=_look, args=(look, samples, over), daemon=True)
        looking.start()
        try:
            taken, late = _ask(site, door, minutes * 60, rate)
        finally:
            over.set()
            looking.join()
    routes = [_times(route, np.array(times)) for route, times in sorted(taken.items())]
    return Soak(minutes, late, routes, tuple(slopes(samples)))


def _ask(site: Site, door: ApiClient, seconds: float, rate: float) -> tuple[Mapping[str, list[float]], int]:
    taken: defaultdict[str, list[float]] = defaultdict(list)
    began, late = time.perf_counter(), 0
    for number in count():
        due = began + number / rate
        if due - began > seconds:
            return taken, late
        if (wait := due - time.perf_counter()) > 0:
            site.pause(wait)
        late += wait < -1.0
        route, ask = MIX[number % len(MIX)]
        started = time.perf_counter()
        ask(door, number)
        taken[route].append(1_000 * (time.perf_counter() - started))
        site.tell("asking", number, int(seconds * rate))
    raise AssertionError


def _look(look: Callable[[], Mapping[str, float]], samples: list[Sample], over: threading.Event) -> None:
    while not over.wait(SAMPLE_S):
        samples.append(Sample(time.monotonic(), look()))


def _times(route: str, taken: np.ndarray) -> RouteTimes:
    p50, p99 = np.percentile(taken, (50, 99))
    return RouteTimes(route, len(taken), float(p50), float(p99), float(taken.max()))


def slopes(samples: Sequence[Sample]) -> Iterator[Slope]:
    """How each thing that was counted grows, once warm; nothing of a run that is too short for ten stretches."""
    warm = samples[int(len(samples) * WARM_UP) :]
    if len(warm) < 2 * STRETCHES:
        return
    hours = np.array([(each.at - warm[0].at) / 3_600 for each in warm])
    for what in sorted({name for each in warm for name in each.values}):
        values = np.array([each.values.get(what, 0.0) for each in warm])
        yield slope(what, hours, values)


def slope(what: str, hours: np.ndarray, values: np.ndarray) -> Slope:
    """Least squares over the means of ten stretches."""
    x = np.array([part.mean() for part in np.array_split(hours, STRETCHES)])
    y = np.array([part.mean() for part in np.array_split(values, STRETCHES)])
    spread = ((x - x.mean()) ** 2).sum()
    steep = ((x - x.mean()) * (y - y.mean())).sum() / spread
    rest = y - y.mean() - steep * (x - x.mean())
    error = np.sqrt((rest**2).sum() / (STRETCHES - 2) / spread)
    return Slope(what, float(y[0]), float(y[-1]), float(steep), float(STUDENT * error))
