"""`memoray bench latency`: what a request takes with a memory of a given size, at rest and while others import.

One caller over one kept-alive connection sends the next request when the last is answered. The singles that are posted
are encoded and read in the background while the next ones come, as they would be in a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from bench import talk
from bench.measure import Door, Site, Spread, ask, await_done, memories, pending, post_all, timed

USER, IMPORTER = "bench-latency", "bench-import"
WORK = ("embedding", "extraction")
"""Kinds of background work, in the order in which the worker does them."""
WARM_UP = 20
"""Requests of each kind that are sent before any is timed."""


@dataclass(frozen=True, slots=True)
class UnderImport:
    """GET /v1/context while another user's import is worked on."""

    http: Spread
    encoder_p50_ms: float
    ratio: float
    """p95 over the idle p95."""
    left: int
    """Sources of the import still to be worked on afterwards; 0 means that some questions met no load."""


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """The result of one run."""

    segments: int
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
            "POST p50 / p95 ms": _pair(self.post),
            "found next": f"{100 * self.found / self.requests:.1f} %",
            "context p50 / p95 ms": _pair(self.idle),
            "encoder p50 ms": f"{self.encoder_p50_ms:.1f}",
            "above encoder ms": f"{self.idle.p50_ms - self.encoder_p50_ms:.1f}",
            **{f"during {kind}, p50 / p95 ms (p95 ratio)": _loaded(load) for kind, load in self.importing.items()},
            "PSS MB": f"{self.pss_mb:.0f}",
        }


def _pair(spread: Spread) -> str:
    return f"{spread.p50_ms:.1f} / {spread.p95_ms:.1f}"


def _loaded(load: UnderImport) -> str:
    return f"{_pair(load.http)} ({load.ratio:.2f}x{'' if load.left else ', ended early'})"


def measure_latency(site: Site, segments: int, requests: int, *, keep: bool = False) -> LatencyRow:
    """Make the memory, wait until it is at rest, measure, import, measure again, remove both memories.

    Raises DomainError if the system refuses a request, does not answer, or does not get on.
    """
    with memories(site, (USER, IMPORTER), keep=keep) as doors:
        door, now = doors[USER], talk.end_of(segments)
        _grow(site, door, segments)
        posts, found = _post_singles(site, door, requests, now)
        await_done(site, {USER: door}, WORK)
        idle, encoder_p50_ms = _ask_many(site, door, requests, now, "at rest")
        pss_mb = site.pss_bytes() / 1e6
        importing = dict(_during_import(site, doors, segments, requests, idle))
    return LatencyRow(segments, requests, posts, found, idle, encoder_p50_ms, importing, pss_mb)


def _grow(site: Site, door: Door, segments: int) -> None:
    post_all(site, [(door, body) for body in talk.bodies(segments)])
    await_done(site, {USER: door}, WORK)


def _post_singles(site: Site, door: Door, requests: int, now: float) -> tuple[Spread, int]:
    """POST one segment, then ask for its rare word, again and again."""
    durations, found = [], 0
    for number in range(-WARM_UP, requests):
        body, word = talk.single(number + WARM_UP, now)
        _, post_ms = timed(lambda body=body: door.post("/v1/sources", body))  # type: ignore[misc]
        hits = door.get("/v1/context", query=word, now=now)["results"]
        if number >= 0:
            durations.append(post_ms)
            found += any(hit["source_id"] == body["source_id"] for hit in hits)
            site.tell("Posting single segments", number + 1, requests)
    return Spread.of(durations), found


def _ask_many(site: Site, door: Door, requests: int, now: float, when: str) -> tuple[Spread, float]:
    """Ask so many questions; the times of the front door and the median of the encoder alone."""
    answers = []
    for number, question in enumerate(talk.questions(WARM_UP + requests)):
        answers.append(ask(site, door, question, now=now))
        site.tell(f"Asking questions {when}", max(0, number + 1 - WARM_UP), requests)
    timed_ones = answers[WARM_UP:]
    return Spread.of([one.http_ms for one in timed_ones]), median(one.encoder_ms for one in timed_ones)


def _during_import(
    site: Site, doors: Mapping[str, Door], segments: int, requests: int, idle: Spread
) -> Iterator[tuple[str, UnderImport]]:
    """Import as much again for somebody else, and ask once while it is encoded and once while it is read."""
    importer = {IMPORTER: doors[IMPORTER]}
    post_all(site, [(doors[IMPORTER], body) for body in talk.bodies(segments)])
    for place, kind in enumerate(WORK):
        if place:  # the worker encodes everything before it reads
            await_done(site, importer, WORK[:place])
        now = talk.end_of(segments)
        http, encoder_p50_ms = _ask_many(site, doors[USER], requests, now, f"during {kind}")
        yield kind, UnderImport(http, encoder_p50_ms, http.p95_ms / idle.p95_ms, pending(importer)[kind])
