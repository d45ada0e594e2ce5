"""`memoray bench night`: two nights over an invented memory of a given size, as Ray jobs, with what they cost.

The first night finds everything for the first time; the second is like any other, and is then asked for again. The
memory is awake in its shard before all of them, for a memory that somebody uses is. Questions are asked before the
first night and during both, one after the other, because whoever is awake at night must not notice one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from adapters.postgres.codec import content_id
from bench.measure import ApiClient, Spread, Tell, timed
from memory.errors import DomainError, Unavailable
from memory.model.timeline import DAY_S

USER = "bench-night"
LOOK_S = 5.0
"""Seconds between looks at the memory of all processes, and between questions while it wakes: a look walks the page
tables of 5 GB, and a question that PostgreSQL answers takes a second of one core. Oftener, and they count, too."""
WAKING_S = 600.0
ASKED_BEFORE = 100
"""Questions asked before the first night (chosen: five are slower than the 95th percentile)."""
PAUSE_S = 0.25
"""Seconds between questions, before nights and during them (chosen: one person, and a tenth of one core)."""
STAGES = 6
"""Of a run, as it tells how far it is."""
WARM_UP = 5
"""Questions that are not timed: the first ones after a memory woke read what others find read."""
STRIDE = 7_919
"""From the entity of one question to that of the next: a prime, so that all are asked of before one is again."""
Reply = tuple[float, bool] | None
"""(milliseconds, whether it was degraded) of a question that was answered."""


@dataclass(frozen=True, slots=True)
class NightSite:
    """What the benchmark works with: the database, the front door, jobs, the system's memory, progress."""

    dsn: str
    door: Callable[[str], ApiClient]
    run_job: Callable[[str, date], None]
    """Run one night of a user as a Ray job, and wait for it."""
    pss_bytes: Callable[[], int]
    tell: Tell
    asking: Callable[[str], ApiClient]
    """A door of its own for the questions: they are asked in a thread, while the other one waits for a night."""
    pause: Callable[[float], object] = time.sleep


@dataclass(frozen=True, slots=True)
class QuestionsMeanwhile:
    """Questions asked one after the other, which recorded no access."""

    asked: int
    took: Spread | None
    """Of those that were answered; None if none was."""
    degraded: int
    """Answered without the shard, or without a leg."""
    unanswered: int
    """Refused, or not answered at all."""

    def cell(self) -> str:
        """p50 and p95 in milliseconds, how many were asked, and what became of those that went wrong."""
        times = "-" if self.took is None else f"{self.took.p50_ms:.1f} / {self.took.p95_ms:.1f}"
        wrong = f", {self.degraded} degraded" if self.degraded else ""
        wrong += f", {self.unanswered} unanswered" if self.unanswered else ""
        return f"{times} ({self.asked}{wrong})"


@dataclass(frozen=True, slots=True)
class NightTime:
    """One night: seconds from submitting the job to its end, rows it changed, and the most memory above rest."""

    seconds: float
    changed: int
    above_rest_mb: float
    meanwhile: QuestionsMeanwhile


@dataclass(frozen=True, slots=True)
class NightRow:
    """What `memoray bench night` prints."""

    entities: int
    facts: int
    awake_mb: float
    """What all processes take when the memory is awake."""
    before: QuestionsMeanwhile
    """Questions to the memory at rest."""
    first: NightTime
    next: NightTime
    again_s: float
    """Seconds of the second night asked for once more, which changes nothing."""

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "entities": f"{self.entities:,}",
            "facts": f"{self.facts:,}",
            "awake MB": f"{self.awake_mb:.0f}",
            "first night s (rows changed, MB above rest)": _told(self.first),
            "next night s (rows changed, MB above rest)": _told(self.next),
            "that night again s": f"{self.again_s:.1f}",
            "questions before p50 / p95 ms (asked)": self.before.cell(),
            "during the first night": self.first.meanwhile.cell(),
            "during the next night": self.next.meanwhile.cell(),
        }


def _told(night: NightTime) -> str:
    return f"{night.seconds:.1f} ({night.changed:,}, {night.above_rest_mb:.0f})"


def measure_night(site: NightSite, entities: int, now: float, *, keep: bool = False) -> NightRow:
    """Make the memory, wake it, run two nights, remove it. Raises DomainError if the system refuses."""
    door = site.door(USER)
    door.delete("/v1/memory")
    try:
        site.tell("Making the memory", 0, STAGES)
        last = datetime.fromtimestamp(now - DAY_S, UTC).date()
        populate(site.dsn, entities, now - 3 * DAY_S)
        site.tell("Waking it", 1, STAGES)
        _wake(door)
        awake = site.pss_bytes()
        site.tell("Asking it", 2, STAGES)
        questions = MeasuredQuestions(site, entities)
        at_rest = questions.before()
        eve = last - timedelta(days=1)
        site.tell(f"The night of {eve}", 3, STAGES)
        first = _night(site, door, eve, awake, questions)
        site.tell(f"The night of {last}", 4, STAGES)
        second = _night(site, door, last, awake, questions)
        site.tell(f"The night of {last} again", 5, STAGES)
        return NightRow(entities, 3 * entities, awake / 1e6, at_rest, first, second, _again(site, door, last))
    finally:
        if not keep:
            door.delete("/v1/memory")


def _wake(door: ApiClient) -> None:
    """Ask until the shard answers itself: while it reads 300,000 facts, PostgreSQL answers in its place."""
    deadline = time.monotonic() + WAKING_S
    while "shard" in door.get("/v1/context", query="Entity 7", record_access=False)["degraded"]:
        if time.monotonic() > deadline:
            raise Unavailable(f"The memory was not awake after {WAKING_S:.0f} s.")
        time.sleep(LOOK_S)


def populate(dsn: str, entities: int, now: float) -> None:
    """Write the memory straight into the tables (bench/night_population.sql)."""
    statements = Path(__file__).with_name("night_population.sql").read_text()
    with psycopg.connect(dsn, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET LOCAL synchronous_commit = off")
        connection.execute("CREATE TEMPORARY TABLE night_words (noun text, n integer, id bigint) ON COMMIT DROP")
        with connection.cursor().copy("COPY night_words FROM STDIN") as copy:
            for row in _words(entities):
                copy.write_row(row)
        connection.execute(statements, {"user_id": USER, "entities": entities, "now": now})
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _words(entities: int) -> Iterator[tuple[str, int, int]]:
    """(noun, number, content id) of every name and statement."""
    for n in range(1, entities + 1):
        yield "entity", n, content_id(f"e-{n:016x}", "name", f"Entity {n}")
    for n in range(1, 3 * entities + 1):
        yield "fact", n, content_id(f"f-{n:016x}", "statement", f"Fact {n}")


class MeasuredQuestions:
    """Asks a memory of invented entities of one after the other; never twice of the same until all were asked of."""

    def __init__(self, site: NightSite, entities: int) -> None:
        self._site, self._door, self._entities = site, site.asking(USER), entities
        self._next = 0

    def before(self) -> QuestionsMeanwhile:
        """Ask while nothing else happens."""
        for _ in range(WARM_UP):
            self._ask()
        return counted([self._ask() for _ in range(ASKED_BEFORE)])

    @contextmanager
    def meanwhile(self) -> Iterator[list[Reply]]:
        """Ask as long as the block runs, once at least; the replies stand in the list when it is over."""
        replies, over = list[Reply](), threading.Event()

        def ask() -> None:
            while not replies or not over.is_set():
                replies.append(self._ask())

        asker = threading.Thread(target=ask, daemon=True)
        asker.start()
        try:
            yield replies
        finally:
            over.set()
            asker.join()

    def _ask(self) -> Reply:
        self._site.pause(PAUSE_S)
        self._next = (self._next + STRIDE) % self._entities
        text = f"What do you know about Entity {self._next + 1}?"
        try:
            answer, took_ms = timed(lambda: self._door.get("/v1/context", query=text, record_access=False))
        except DomainError:
            return None
        return took_ms, bool(answer["degraded"])


def counted(replies: Sequence[Reply]) -> QuestionsMeanwhile:
    """These replies in figures."""
    answered = [each for each in replies if each is not None]
    took = Spread.of([took_ms for took_ms, _ in answered]) if answered else None
    degraded = sum(degraded for _, degraded in answered)
    return QuestionsMeanwhile(len(replies), took, degraded, len(replies) - len(answered))


def _night(site: NightSite, door: ApiClient, night: date, awake: int, questions: MeasuredQuestions) -> NightTime:
    with most(site.pss_bytes) as peak, questions.meanwhile() as replies:
        started = time.perf_counter()
        site.run_job(USER, night)
        seconds = time.perf_counter() - started
    changed = changed_by(door.get(f"/v1/night/{night}"))
    return NightTime(seconds, changed, (peak[0] - awake) / 1e6, counted(replies))


def _again(site: NightSite, door: ApiClient, night: date) -> float:
    """Seconds that a night takes which is over. Raises Unavailable if it changed what is told of it."""
    told, started = door.get(f"/v1/night/{night}"), time.perf_counter()
    site.run_job(USER, night)
    seconds = time.perf_counter() - started
    if door.get(f"/v1/night/{night}") != told:
        raise Unavailable(f"The night of {night} tells something else when it is run again.")
    return seconds


def changed_by(report: dict[str, Any]) -> int:
    """Rows a night has changed, by its report."""
    tiers = len(report["tiers"]["promoted"]) + len(report["tiers"]["demoted"])
    groups = len(report["storylines"]["opened"]) + len(report["communities"]["opened"])
    crossed = int(report["states"]["crossed"]) + len(report["pruning"]["pruned"]) + int(report["notes"]["expired"])
    return tiers + groups + crossed


@contextmanager
def most(pss_bytes: Callable[[], int]) -> Iterator[list[int]]:
    """The most memory that is taken while the block runs, in bytes, as the one number of a list."""
    peak, over = [pss_bytes()], threading.Event()

    def look() -> None:
        while not over.wait(LOOK_S):
            peak[0] = max(peak[0], pss_bytes())

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()
