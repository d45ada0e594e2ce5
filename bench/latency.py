"""`memoray bench latency`: what a request takes with a memory of a given size, while it is imported and at rest.

One caller over one kept-alive connection sends the next request when the last is answered. The memory is there, word
for word, as soon as it is sent; the load are the encoding and the reading of it, which take minutes. The singles that
are posted afterwards are encoded and read while the next ones come, as they would be in a conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench import talk
from bench.measure import ApiClient, Site, Spread, ask, await_done, memories, pending, post_all, timed

USER = "bench-latency"
WORK = ("embedding", "extraction")
"""Kinds of background work, in the order in which the worker does them."""
WARM_UP = 20
"""Requests of each kind that are sent before any is timed."""


@dataclass(frozen=True, slots=True)
class LatencyRun:
    """What questions took, one after the other."""

    http: Spread
    encoder_p50_ms: float
    """Encoding the same questions, right before each, without anything around it."""
    answered: int
    """Questions that brought anything."""
    degraded: int
    """Questions that lacked a leg, or that PostgreSQL answered in the shard's place."""


@dataclass(frozen=True, slots=True)
class UnderImport:
    """GET /v1/context while the import is worked on."""

    http: Spread
    encoder_p50_ms: float
    left: int
    """Sources of the import still to be worked on afterwards; 0 means that some questions met no load."""


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """The result of one run."""

    segments: int
    """Of all users together."""
    users: int
    requests: int
    """Of each kind."""
    post: Spread
    """POST /v1/sources with one segment."""
    found: int
    """Posted segments that the very next request found by a rare word of theirs."""
    idle: Spread
    """GET /v1/context as an assistant asks: five results, abstaining allowed, accesses recorded."""
    encoder_p50_ms: float
    """Encoding the same questions, in the same run, without anything around it."""
    importing: Mapping[str, UnderImport]
    """By the kind of work that was going on."""
    pss_mb: float

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "segments": str(self.segments),
            "users": str(self.users),
            "POST p50 / p95 ms": _pair(self.post),
            "found next": f"{100 * self.found / self.requests:.1f} %",
            "context p50 / p95 ms": _pair(self.idle),
            "encoder p50 ms": f"{self.encoder_p50_ms:.1f}",
            "above encoder ms": f"{self.idle.p50_ms - self.encoder_p50_ms:.1f}",
            **{f"during {kind}, p50 / p95 ms (p95 ratio)": self._loaded(load) for kind, load in self.importing.items()},
            "PSS MB": f"{self.pss_mb:.0f}",
        }

    def _loaded(self, load: UnderImport) -> str:
        ratio = load.http.p95_ms / self.idle.p95_ms
        return f"{_pair(load.http)} ({ratio:.2f}x{'' if load.left else ', ended early'})"


def _pair(spread: Spread) -> str:
    return f"{spread.p50_ms:.1f} / {spread.p95_ms:.1f}"


def measure_latency(site: Site, segments: int, requests: int, *, users: int = 1, keep: bool = False) -> LatencyRow:
    """Send the memories, measure while they are worked on, wait until all is at rest, measure again, remove them.

    The segments are shared out among so many users, and each request is of the next one. Raises DomainError if the
    system refuses a request, does not answer, or does not get on.
    """
    each = segments // users
    with memories(site, names_of(users), keep=keep) as doors:
        callers, now = tuple(doors.values()), talk.end_of(each)
        post_all(site, [(door, body) for door in callers for body in talk.bodies(each)])
        importing = {}
        for kind in WORK:
            importing[kind] = _under_import(site, doors, requests, now, kind)
            await_done(site, doors, (kind,))
        posts, found = _post_singles(site, callers, requests, now)
        await_done(site, doors, WORK)
        # whoever is asked for the first time since the start is waked for it, which is no part of a question at rest
        idle = ask_in_turn(site, callers, requests, now, "at rest", max(WARM_UP, users))
        pss_mb = site.pss_bytes() / 1e6
    return LatencyRow(each * users, users, requests, posts, found, idle.http, idle.encoder_p50_ms, importing, pss_mb)


def names_of(users: int) -> tuple[str, ...]:
    """The benchmark's users, so many of them."""
    return (USER, *(f"{USER}-{number}" for number in range(2, users + 1)))


def _under_import(site: Site, doors: Mapping[str, ApiClient], requests: int, now: float, kind: str) -> UnderImport:
    asked = ask_in_turn(site, tuple(doors.values()), requests, now, f"during {kind}", WARM_UP)
    return UnderImport(asked.http, asked.encoder_p50_ms, pending(doors)[kind])


def _post_singles(site: Site, callers: Sequence[ApiClient], requests: int, now: float) -> tuple[Spread, int]:
    """POST one segment, then ask for its rare word, again and again."""
    durations, found = [], 0
    for number in range(-WARM_UP, requests):
        door = callers[number % len(callers)]
        body, word = talk.single(number + WARM_UP, now)
        _, post_ms = timed(lambda door=door, body=body: door.post("/v1/sources", body))  # type: ignore[misc]
        hits = door.get("/v1/context", query=word, now=now)["results"]
        if number >= 0:
            durations.append(post_ms)
            found += any(hit["source_id"] == body["source_id"] for hit in hits)
            site.tell("Posting single segments", number + 1, requests)
    return Spread.of(durations), found


def ask_in_turn(
    site: Site, callers: Sequence[ApiClient], requests: int, now: float, when: str, warm_up: int
) -> LatencyRun:
    """Ask so many questions, each of the next caller, after `warm_up` of them that do not count."""
    answers = []
    for number, question in enumerate(talk.questions(warm_up + requests)):
        answers.append(ask(site, callers[number % len(callers)], question, now=now))
        site.tell(f"Asking questions {when}", max(0, number + 1 - warm_up), requests)
    timed_ones = answers[warm_up:]
    return LatencyRun(
        http=Spread.of([one.http_ms for one in timed_ones]),
        encoder_p50_ms=median(one.encoder_ms for one in timed_ones),
        answered=sum(bool(one.found) for one in timed_ones),
        degraded=sum(one.degraded for one in timed_ones),
    )
