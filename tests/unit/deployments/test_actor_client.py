"""The living parts as the gateway reaches them: few questions at once, and no call where there is no raylet."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, cast

import pytest

from actors import directory
from actors.directory import Directory
from actors.placement import line_of, shard_of
from actors.shard_socket import ShardServer
from adapters.watched import orphaned
from config.settings import Settings
from deployments import actor_client
from deployments.actor_client import ASKED_AT_ONCE, RayActorClient
from memory.errors import Unavailable
from memory.model.scopes import View
from memory.retrieval.query import Question


class Shards:
    """A directory whose shards answer when they are told to."""

    def __init__(self, settings: Settings) -> None:
        self.under_way, self.most, self.answered = 0, 0, 0
        self.go = asyncio.Event()

    def ensure(self) -> None:
        """They live."""

    def shard_of(self, user_id: str) -> str:
        """Where a user lives."""
        return f"shard of {user_id}"

    def forget(self) -> None:
        """Nothing is remembered."""

    async def ask(self, user_id: str, *asked: object) -> str:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await self.go.wait()
        self.under_way -= 1
        self.answered += 1
        return "found"


def question() -> Question:
    return Question("Where?", View("maya"), 0.0)


async def test_few_questions_are_asked_at_once_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor_client, "Directory", Shards)
    asked = RayActorClient(Settings(Path("/nowhere")))
    shards = cast(Any, asked._directory)
    asking = [asyncio.create_task(asked.recall(question(), None, None)) for _ in range(5 * ASKED_AT_ONCE)]
    await asyncio.sleep(0.05)
    assert shards.most == ASKED_AT_ONCE
    asking[0].cancel()  # who gives up makes room for the next
    shards.go.set()
    await asyncio.gather(*asking, return_exceptions=True)
    assert shards.most == ASKED_AT_ONCE
    assert shards.answered == 5 * ASKED_AT_ONCE - 1


class OneSilent(Shards):
    """A directory one of whose shards answers nobody."""

    async def ask(self, user_id: str, *asked: object) -> str:
        return "found" if user_id == "ben" else await super().ask(user_id, *asked)


async def test_who_waits_for_a_silent_shard_keeps_nobody_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor_client, "Directory", OneSilent)
    asked = RayActorClient(Settings(Path("/nowhere")))
    waiting = [asyncio.create_task(asked.recall(question(), None, None)) for _ in range(2 * ASKED_AT_ONCE)]
    await asyncio.sleep(0.05)
    of_another = asked.recall(Question("Where?", View("ben"), 0.0), None, None)
    assert cast(Any, await asyncio.wait_for(of_another, 5)) == "found"
    assert not any(each.done() for each in waiting)
    cast(Any, asked._directory).go.set()
    await asyncio.gather(*waiting)


async def test_a_shard_that_does_not_come_back_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor_client, "Directory", Shards)
    asked = RayActorClient(Settings(Path("/nowhere")))
    asked._patience_s = 0.05
    with pytest.raises(Unavailable):
        await asked.recall(question(), None, None)


def test_without_its_raylet_a_process_calls_no_actor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray ends a process without a raylet with the first of its calls that fails."""
    found = Directory(Settings(Path("/nowhere")))
    assert not orphaned(), "no raylet has begun this process"
    monkeypatch.setenv("RAY_RAYLET_PID", str(os.getppid()))
    assert not orphaned()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert orphaned()
    with pytest.raises(Unavailable):
        found.worker()


async def test_without_its_raylet_a_process_waits_for_the_next_life_of_a_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_RAYLET_PID", str(os.getppid() + 1))
    monkeypatch.setattr(directory, "NEXT_LIFE_S", 60.0)  # a busy machine may need more than the second it is

    async def answer(method: str, user_id: str) -> str:
        return f"{method} of {user_id}"

    asking = asyncio.ensure_future(Directory(Settings(tmp_path)).ask("maya", "believed", "maya"))
    await asyncio.sleep(0)
    exchange = ShardServer(answer, line_of(tmp_path, shard_of("maya", 1)))
    await exchange.open()
    assert await asyncio.wait_for(asking, 60) == "believed of maya"
    await exchange.close()


class BrokenShards(Shards):
    """A directory that cannot look, for a reason that nobody foresaw."""

    looks = 0

    async def look(self) -> None:
        self.looks += 1
        if self.looks > 2:
            self.go.set()
        raise (OSError if self.looks == 1 else ValueError)("a line is closed")


async def test_a_look_that_fails_is_not_the_last(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(actor_client, "Directory", BrokenShards)
    monkeypatch.setattr(actor_client, "LOOKED_S", 0.0)
    client = RayActorClient(Settings(Path("/nowhere")))
    keeping = asyncio.create_task(client.keep_shards())
    await asyncio.wait_for(cast(Any, client._directory).go.wait(), 60)
    assert not keeping.done()
    keeping.cancel()
    assert "OSError" in caplog.text
