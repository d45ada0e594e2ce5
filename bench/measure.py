"""Measuring a running Memoray from outside: through its front door, in a closed loop, beside the bare encoder."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from memory.errors import Unavailable

POLL_S = 0.25
"""Seconds between looks at what is pending: the error of a duration that ends with such a look."""
STALLED_S = 900.0
"""Seconds without any progress after which waiting ends: a small model on a CPU may read one long source that long."""

T = TypeVar("T")
Tell = Callable[[str, int, int], None]
"""Shows progress: what is being done, how much of it is done, how much there is."""


class Refused(Unavailable):
    """A request was refused."""


class ApiClient(Protocol):
    """The front door, for one user. Raises DomainError when a request is refused or nobody answers."""

    def get(self, path: str, **parameters: object) -> Any:
        """GET, decoded."""

    def post(self, path: str, body: object = None) -> Any:
        """POST a JSON body."""

    def put(self, path: str, body: object) -> Any:
        """PUT a JSON body."""

    def delete(self, path: str) -> Any:
        """DELETE."""


@dataclass(frozen=True, slots=True)
class Site:
    """What a benchmark works with: a door for each user, the encoder alone, the system's memory, progress, time."""

    door: Callable[[str], ApiClient]
    encode: Callable[[str], object]
    """A question."""
    encode_heard: Callable[[Sequence[str]], object]
    """Segments, with their word pieces, as many at once as the worker takes."""
    pss_bytes: Callable[[], int]
    tell: Tell
    pause: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the slow end of durations, in milliseconds."""

    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, durations_ms: Sequence[float]) -> Spread:
        """The median, and the 95th percentile by nearest rank."""
        slow = sorted(durations_ms)[math.ceil(0.95 * len(durations_ms)) - 1]
        return cls(statistics.median(durations_ms), slow)


@dataclass(frozen=True, slots=True)
class AnswerMeasurement:
    """What one question brought: segment ids best first, whether a leg was away, and what it took in milliseconds."""

    found: tuple[str, ...]
    degraded: bool
    http_ms: float
    encoder_ms: float


@contextmanager
def memories(site: Site, users: Sequence[str], *, keep: bool = False) -> Iterator[dict[str, ApiClient]]:
    """The doors of these users, whose memories are removed before and, unless they are kept, afterwards."""
    doors = {user: site.door(user) for user in users}
    _remove(doors, site.tell)
    try:
        yield doors
    finally:
        if not keep:
            _remove(doors, site.tell)


def _remove(doors: Mapping[str, ApiClient], tell: Tell) -> None:
    for done, door in enumerate(doors.values(), start=1):
        door.delete("/v1/memory")
        tell("Removing what earlier runs left, or this one made", done, len(doors))


def timed(act: Callable[[], T]) -> tuple[T, float]:
    """What it gives and how many milliseconds it took."""
    started = time.perf_counter()
    given = act()
    return given, 1000 * (time.perf_counter() - started)


def ask(site: Site, door: ApiClient, text: str, **parameters: object) -> AnswerMeasurement:
    """Encode the question here, then ask it there: both meet the same load, one after the other."""
    _, encoder_ms = timed(lambda: site.encode(text))
    answer, http_ms = timed(lambda: door.get("/v1/context", query=text, **parameters))
    found = tuple(dict.fromkeys(hit["segment_id"] for hit in answer["results"]))
    return AnswerMeasurement(found, bool(answer["degraded"]), http_ms, encoder_ms)


def post_all(site: Site, deliveries: Sequence[tuple[ApiClient, Mapping[str, Any]]]) -> float:
    """POST sources one after the other; seconds until the words of the last one can be found."""
    segments, done = sum(len(body["segments"]) for _, body in deliveries), 0
    started = time.perf_counter()
    for door, body in deliveries:
        door.post("/v1/sources", body)
        done += len(body["segments"])
        site.tell("Sending segments", done, segments)
    return time.perf_counter() - started


def pending(doors: Mapping[str, ApiClient]) -> dict[str, int]:
    """Work left in these memories, by kind."""
    left: dict[str, int] = {}
    for door in doors.values():
        for kind, count in door.get("/v1/stats")["pending"].items():
            left[kind] = left.get(kind, 0) + count
    return left


def await_done(site: Site, doors: Mapping[str, ApiClient], kinds: Sequence[str]) -> None:
    """Wait until no work of these kinds is left. Raises Unavailable if nothing at all happens for STALLED_S.

    Each look is at one memory, in turn: looking at all of them again and again would slow down what is waited for.
    """
    left = {user: _count(door, kinds) for user, door in doors.items()}
    most, waiting, idle_s = sum(left.values()), deque(doors), 0.0
    while True:
        site.tell(f"Waiting for {' and '.join(kinds)} of sources", most - sum(left.values()), most)
        while waiting and left[waiting[0]] == 0:
            waiting.popleft()
            if waiting:
                left[waiting[0]] = _count(doors[waiting[0]], kinds)
        if not waiting:
            return
        if idle_s > STALLED_S:
            raise Unavailable(
                f"The {kinds[-1]} of {sum(left.values())} sources does not get on; see `memoray logs workers`."
            )
        site.pause(POLL_S)
        waiting.rotate(-1)
        before, left[waiting[0]] = left[waiting[0]], _count(doors[waiting[0]], kinds)
        idle_s = idle_s + POLL_S if left[waiting[0]] == before else 0.0


def _count(door: ApiClient, kinds: Sequence[str]) -> int:
    left = door.get("/v1/stats")["pending"]
    return sum(left[kind] for kind in kinds)


def markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows of the same columns as a table for docs/benchmarks.md."""
    lines = (rows[0].keys(), ("---" for _ in rows[0]), *(row.values() for row in rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
