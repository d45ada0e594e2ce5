"""`memoray bench night`: two nights over an invented memory of a given size, as Ray jobs, with what they cost.

The first night finds everything for the first time; the second is like any other, and is then asked for again. The
memory is awake in its shard before all of them, for a memory that somebody uses is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from adapters.postgres.codec import content_id
from bench.measure import ApiClient, Tell
from memory.errors import Unavailable
from memory.model.timeline import DAY_S

USER = "bench-night"
LOOK_S = 5.0
"""Seconds between looks at the memory of all processes, and between questions while it wakes: a look walks the page
tables of 5 GB, and a question that PostgreSQL answers takes a second of one core. Oftener, and they count, too."""
WAKING_S = 600.0


@dataclass(frozen=True, slots=True)
class NightSite:
    """What the benchmark works with: the database, the front door, jobs, the system's memory, progress."""

    dsn: str
    door: Callable[[str], ApiClient]
    run_job: Callable[[str, date], None]
    """Run one night of a user as a Ray job, and wait for it."""
    pss_bytes: Callable[[], int]
    tell: Tell


@dataclass(frozen=True, slots=True)
class NightTime:
    """One night: seconds from submitting the job to its end, rows it changed, and the most memory above rest."""

    seconds: float
    changed: int
    above_rest_mb: float


@dataclass(frozen=True, slots=True)
class NightRow:
    """What `memoray bench night` prints."""

    entities: int
    facts: int
    awake_mb: float
    """What all processes take when the memory is awake."""
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
        }


def _told(night: NightTime) -> str:
    return f"{night.seconds:.1f} ({night.changed:,}, {night.above_rest_mb:.0f})"


def measure_night(site: NightSite, entities: int, now: float, *, keep: bool = False) -> NightRow:
    """Make the memory, wake it, run two nights, remove it. Raises DomainError if the system refuses."""
    door = site.door(USER)
    door.delete("/v1/memory")
    try:
        site.tell("Making the memory", 0, 5)
        last = datetime.fromtimestamp(now - DAY_S, UTC).date()
        populate(site.dsn, entities, now - 3 * DAY_S)
        site.tell("Waking it", 1, 5)
        _wake(door)
        awake = site.pss_bytes()
        before = last - timedelta(days=1)
        site.tell(f"The night of {before}", 2, 5)
        first = _night(site, door, before, awake)
        site.tell(f"The night of {last}", 3, 5)
        second = _night(site, door, last, awake)
        site.tell(f"The night of {last} again", 4, 5)
        return NightRow(entities, 3 * entities, awake / 1e6, first, second, _again(site, door, last))
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


def _night(site: NightSite, door: ApiClient, night: date, awake: int) -> NightTime:
    with most(site.pss_bytes) as peak:
        started = time.perf_counter()
        site.run_job(USER, night)
        seconds = time.perf_counter() - started
    return NightTime(seconds, changed_by(door.get(f"/v1/night/{night}")), (peak[0] - awake) / 1e6)


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
