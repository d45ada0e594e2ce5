"""A writer that is paused and comes back: what it decided before the pause is never written over what came after."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from actors.memory_shard import MemoryShard
from config.settings import Settings, load
from memory.errors import Fenced
from memory.model.claims import Claim
from memory.model.commands import Remember, SetProfile
from memory.model.profile import Profile
from tests.contract.conftest import database  # noqa: F401  (a session fixture)

pytestmark = pytest.mark.postgres

WRITER = """
import asyncio, json, sys
from pathlib import Path
from actors.memory_shard import MemoryShard
from config.settings import load
from memory.errors import DomainError
from memory.model.claims import Claim
from memory.model.commands import Remember


async def main(home, dsn, user):
    shard = MemoryShard("shard-{user}", load(Path(home), {"dsn": dsn, "models": {"encoder": {"kind": "hashing"}}}, {}))
    for line in iter(sys.stdin.readline, ""):
        claim = Claim("Maya", line.strip(), 0, line.strip())
        try:
            changes = await shard.turn(user, Remember(command_id="c-" + line.strip(), claims=(claim,)))
            print(json.dumps({"outcome": changes.outcomes[0].outcome}), flush=True)
        except DomainError as error:
            print(json.dumps({"error": error.kind}), flush=True)


asyncio.run(main(*sys.argv[1:]))
"""


class Writer:
    """A shard in a process of its own: it takes a statement a line and tells what became of it."""

    def __init__(self, home: Path, dsn: str, user: str) -> None:
        program = WRITER.replace("{user}", user)
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, str(home), dsn, user],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def say(self, statement: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(statement + "\n")
        self.process.stdin.flush()

    async def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(asyncio.to_thread(self.process.stdout.readline), 60)
        told: dict[str, Any] = json.loads(line)
        return told

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def end(self) -> None:
        self.signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait(10)


@pytest.fixture
def user() -> str:
    return f"u-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def settings(database: str, tmp_path: Path) -> Settings:  # noqa: F811
    return load(tmp_path, {"dsn": database, "models": {"encoder": {"kind": "hashing"}}}, {})


@pytest.fixture
async def successor(settings: Settings, user: str) -> AsyncIterator[MemoryShard]:
    shard = MemoryShard(f"shard-{user}", settings)
    yield shard
    if shard._stores is not None:
        await shard._stores.pool.close()


@pytest.fixture
def writer(settings: Settings, user: str) -> Any:
    assert settings.dsn is not None
    writer = Writer(settings.home, settings.dsn, user)
    yield writer
    writer.end()


def remember(statement: str) -> Remember:
    return Remember(command_id=f"c-{statement}", claims=(Claim("Maya", statement, 0, statement),))


async def statements(shard: MemoryShard, user: str) -> set[str]:
    """What is believed according to the journal, not to anybody's state."""
    loaded = await (await shard._open()).memory.journal.load(user)
    return {fact.statement for fact in loaded.facts.values()}


async def test_a_paused_writer_commits_nothing_stale_and_recovers(
    writer: Writer, successor: MemoryShard, user: str
) -> None:
    writer.say("Maya plays the cello")
    assert await writer.answer() == {"outcome": "created"}
    writer.signal(signal.SIGSTOP)
    writer.say("Maya plays the viola")
    await successor.turn(user, remember("Maya bakes bread"))
    writer.signal(signal.SIGCONT)
    assert await writer.answer() == {"error": "fenced"}
    assert await statements(successor, user) == {"Maya plays the cello", "Maya bakes bread"}

    writer.say("Maya bakes bread")
    told = await writer.answer()
    assert told == {"outcome": "created"}, "the same command again is told as it was: it knows what its successor wrote"
    writer.say("Maya rides a bicycle")
    assert await writer.answer() == {"outcome": "created"}
    with pytest.raises(Fenced):
        await successor.turn(user, remember("Maya swims"))
    assert await statements(successor, user) == {"Maya plays the cello", "Maya bakes bread", "Maya rides a bicycle"}


async def test_a_writer_paused_inside_its_commit_does_not_hold_up_its_successor(
    writer: Writer, successor: MemoryShard, settings: Settings, user: str
) -> None:
    writer.say("Maya plays the cello")
    assert await writer.answer() == {"outcome": "created"}
    with psycopg.connect(settings.dsn or "") as keeper:
        keeper.execute("SELECT 1 FROM users WHERE user_id = %s FOR UPDATE", (user,))
        writer.say("Maya plays the viola")
        await asyncio.to_thread(until_waiting, keeper)
        writer.signal(signal.SIGSTOP)  # it holds the fence, and now waits for nothing but itself
    began = asyncio.get_running_loop().time()
    await successor.turn(user, SetProfile(command_id="c-profile", profile=Profile(name="Maya")))
    assert asyncio.get_running_loop().time() - began < 20
    writer.signal(signal.SIGCONT)
    assert await writer.answer() in ({"error": "journal-unavailable"}, {"error": "fenced"})
    assert await statements(successor, user) == {"Maya plays the cello"}


def until_waiting(keeper: psycopg.Connection[Any]) -> None:
    """Until the writer's transaction waits for the row the keeper holds."""
    for _ in range(200):
        waiting = keeper.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone()
        if waiting is not None:
            return
        keeper.execute("SELECT pg_sleep(0.05)")
    raise AssertionError("the writer never came to its commit")
