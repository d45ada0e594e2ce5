"""What the second wall costs: the same questions, captures and censuses with and without it, in turns, in one run.

`python -m bench.walls --home DIR` starts a PostgreSQL of its own in an empty folder. Without the wall the owner asks,
whom row security does not hold, and nothing is said of whose a statement is; with it the product's role asks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psycopg

from actors.memory_shard import MemoryShard
from adapters import build, build_models
from adapters.postgres import pool as pooling
from adapters.postgres.embedded import EmbeddedPostgres
from adapters.postgres.migrate import migrate
from adapters.postgres.roles import product_dsn
from adapters.stores import MemoryStores, Stores
from bench.invented import filling
from config.settings import Settings, load
from memory.model.changes import Change, ChangeSet, Row
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.scopes import View, user_scope
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet
from memory.retrieval.query import Question

USERS = tuple(f"u-{number}" for number in range(8))
TEXTS = ("Where did we go for the weekend?", "Who plays the violin?", "What did Ann say about the rain?")
NOW = 1_700_000_000.0
SAID = 20
"""Segments of one capture."""

Act = Callable[[str], Awaitable[object]]


class Side:
    """What asks: stores and a shard over one way to connect."""

    def __init__(self, name: str, settings: Settings, stores: Stores) -> None:
        self.name, self.stores, self.captured = name, stores, 0
        self.shard = MemoryShard(f"shard-{name}", settings)

    async def question(self, user: str) -> None:
        """What a context asks of the database, and what is answered from memory."""
        view = View(user)
        await self.stores.intake.capture.profile(user)
        found = await self.shard.recall(Question(TEXTS[0], view, NOW, limit=10, record_access=False))
        await self.stores.questions.segments.dressed(view, [int(key) for key in found.keys])

    async def capture(self, user: str) -> None:
        """One source more."""
        self.captured += 1
        said = tuple(Segment(str(n), "Ann", f"Rain number {n} of many.", float(n), n + 1.0) for n in range(SAID))
        name = f"{self.name}-{self.captured}"
        await self.stores.intake.capture.store(Source(name, user_scope(user), "conversation", NOW, segments=said))

    async def census(self, user: str) -> None:
        """What a night plans on."""
        await self.stores.nights.kept.census(user)


@contextmanager
def unsaid() -> Iterator[None]:
    """Without a word of whose a statement is."""
    said = pooling._say

    async def nothing(*_: object, **__: object) -> None:
        return None

    pooling._say = nothing
    try:
        yield
    finally:
        pooling._say = said


@asynccontextmanager
async def side(name: str, dsn: str, home: Path) -> AsyncIterator[Side]:
    """One side, closed at the end."""
    settings = load(home, {"dsn": dsn, "models": {"encoder": {"kind": "hashing"}}}, {})
    stores = await build.stores(settings)
    one = Side(name, settings, stores)
    try:
        yield one
    finally:
        await stores.close()
        await (await one.shard._open()).close()


async def believe(memory: MemoryStores, user: str, facts: int) -> None:
    """Give a user facts about a hundred entities."""
    entities: list[Row] = [Entity(f"e-{n}", "topic", f"Entity {n}", 0.5, NOW) for n in range(100)]
    rows: list[Row] = [
        Fact(f"f-{n}", 1, f"e-{n % 100}", f"Fact {n}", "factual", 3, 0.5, NOW - n, NOW) for n in range(facts)
    ]
    made = tuple(Change("created", None, row) for row in (*entities, *rows))
    changes = ChangeSet("c-1", "Remember", "user", NOW, made)
    await memory.journal.commit(await memory.journal.claim(user, "shard-0"), WorkingSet(user), changes, {})


async def pairs(without: Act, behind: Act, users: Sequence[str], rounds: int) -> dict[str, Any]:
    """Milliseconds without and with the wall, in turns; the median of what it adds to each pair."""
    spent: dict[str, list[float]] = {"without": [], "behind": []}
    turns = cycle(users)
    for round_ in range(rounds + len(users)):
        user = next(turns)
        acts = [("without", without), ("behind", behind)]
        for name, act in acts if round_ % 2 else reversed(acts):
            began = perf_counter()
            if name == "without":
                with unsaid():
                    await act(user)
            else:
                await act(user)
            if round_ >= len(users):  # the first of each user loads what the others have at hand
                spent[name].append((perf_counter() - began) * 1000)
    more = [behind - without for without, behind in zip(spent["without"], spent["behind"], strict=True)]
    told = {f"{name}_p50_ms": round(median(each), 3) for name, each in spent.items()}
    low = {f"{name}_p10_ms": round(sorted(each)[len(each) // 10], 3) for name, each in spent.items()}
    added = round(median(more) / median(spent["without"]) * 100, 1)
    return {**told, **low, "added_ms": round(median(more), 3), "added_percent": added, "rounds": rounds}


async def measured(owner: str, home: Path, segments: int, facts: int, rounds: int) -> dict[str, Any]:
    """Every kind of work, for one user again and again, and for users in turn."""
    with filling(owner, build_models.embedder(load(home, {"models": {"encoder": {"kind": "hashing"}}}, {}))) as fill:
        fill.fill(USERS, segments, lambda *_: None)
    async with side("without", owner, home) as without, side("behind", product_dsn(owner), home) as behind:
        for user in USERS:
            await believe(behind.stores.memory, user, facts)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("ANALYZE")  # as the server does by itself within ten seconds of so much new
        told = {}
        for kind, times in (("question", rounds), ("capture", rounds), ("census", max(10, rounds // 10))):
            for among, users in (("one", USERS[:1]), ("in turn", USERS)):
                told[f"{kind}, {among}"] = await pairs(getattr(without, kind), getattr(behind, kind), users, times)
        return told


def main() -> None:
    """Start, fill, measure, and print one JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.walls", description=main.__doc__)
    parser.add_argument("--home", type=Path, required=True, help="an empty folder")
    parser.add_argument("--segments", type=int, default=3_000, help="of each of eight users")
    parser.add_argument("--facts", type=int, default=2_000, help="of each")
    parser.add_argument("--rounds", type=int, default=400)
    given = parser.parse_args()
    server = EmbeddedPostgres(given.home)
    owner = server.start()
    try:
        migrate(owner)
        print(json.dumps(asyncio.run(measured(owner, given.home, given.segments, given.facts, given.rounds)), indent=1))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
