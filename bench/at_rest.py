"""`memoray bench latency --synthetic`: what a question takes with more memory than can be encoded for a benchmark.

The memories are written into the database (bench/invented.py). A first question wakes each: its shard reads all of it,
and as long as that takes PostgreSQL answers in its place. What is timed then is the last step of `bench/latency.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from bench import talk
from bench.latency import WARM_UP, ask_in_turn, names_of
from bench.measure import ApiClient, Site, Spread, Tell, memories, timed
from memory.errors import Unavailable

FIRST_LOOK_S, LOOK_S = 0.05, 5.0
"""Seconds between questions while a memory wakes, twice as long each time: PostgreSQL takes all processors for each."""
WAKING_S = 600.0


class FillOptions(Protocol):
    """How memories are written, and taken out again; see `bench.invented.Filling`."""

    def fill(self, users: Sequence[str], segments: int, tell: Tell) -> None:
        """Give each of these users, who have no memory, so many segments."""

    def empty(self, users: Sequence[str]) -> None:
        """Take all of them out again."""


@dataclass(frozen=True, slots=True)
class AtRestRow:
    """The result of one run."""

    segments: int
    """Of all users together."""
    users: int
    requests: int
    filling_s: float
    """Writing the memories, their talk and vectors included."""
    waking_s: float
    """From the first question until every user's shard answers, one user after the other."""
    http: Spread
    """GET /v1/context as an assistant asks: five results, abstaining allowed, accesses recorded."""
    encoder_p50_ms: float
    """Encoding the same questions, in the same run, without anything around it."""
    answered: int
    """Timed questions that brought anything."""
    degraded: int
    """Timed questions that lacked a leg, or that PostgreSQL answered: more than none, and the times say little."""
    pss_mb: float

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "segments": str(self.segments),
            "users": str(self.users),
            "filled in s": f"{self.filling_s:.0f}",
            "awake in s": f"{self.waking_s:.0f}",
            "context p50 / p95 ms": f"{self.http.p50_ms:.1f} / {self.http.p95_ms:.1f}",
            "encoder p50 ms": f"{self.encoder_p50_ms:.1f}",
            "above encoder ms": f"{self.http.p50_ms - self.encoder_p50_ms:.1f}",
            "answered": f"{100 * self.answered / self.requests:.1f} %",
            "degraded": str(self.degraded),
            "PSS MB": f"{self.pss_mb:.0f}",
        }


def measure_at_rest(
    site: Site, filling: FillOptions, segments: int, requests: int, *, users: int = 1, keep: bool = False
) -> AtRestRow:
    """Write the memories, wake them, ask, remove them. The segments are shared out; each request is of the next user.

    Raises DomainError if the system refuses a request, does not answer, or does not wake.
    """
    each, names = segments // users, names_of(users)
    filling.empty(names)  # what a run that was broken off has left
    with memories(site, names, keep=keep) as doors, _written(site, filling, names, each, keep=keep) as filling_ms:
        now = talk.end_of(each)
        _, waking_ms = timed(lambda: _wake(site, doors, now))
        answers = ask_in_turn(site, tuple(doors.values()), requests, now, "at rest", WARM_UP)
        pss_mb = site.pss_bytes() / 1e6
    return AtRestRow(
        segments=each * users,
        users=users,
        requests=requests,
        filling_s=filling_ms / 1000,
        waking_s=waking_ms / 1000,
        http=answers.http,
        encoder_p50_ms=answers.encoder_p50_ms,
        answered=answers.answered,
        degraded=answers.degraded,
        pss_mb=pss_mb,
    )


@contextmanager
def _written(site: Site, filling: FillOptions, users: Sequence[str], segments: int, *, keep: bool) -> Iterator[float]:
    """What these users have said is there as long as the block runs; the milliseconds that writing it took."""
    try:
        _, took_ms = timed(lambda: filling.fill(users, segments, site.tell))
        yield took_ms
    finally:
        if not keep:
            filling.empty(users)


def _wake(site: Site, doors: Mapping[str, ApiClient], now: float) -> None:
    """Ask each user until the shard answers itself."""
    (question,) = talk.questions(1)
    for place, (user, door) in enumerate(doors.items()):
        site.tell("Waking memories", place, len(doors))
        waited, pause_s = 0.0, FIRST_LOOK_S
        while "shard" in door.get("/v1/context", query=question, now=now, record_access=False)["degraded"]:
            if waited > WAKING_S:
                raise Unavailable(f"The memory of {user} was not awake after {WAKING_S:.0f} s.")
            site.pause(pause_s)
            waited, pause_s = waited + pause_s, min(2 * pause_s, LOOK_S)
