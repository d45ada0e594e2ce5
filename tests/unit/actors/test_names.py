"""The shards as the worker and jobs ask them: by Ray's own calls, in bounded time, once more where a memory moved."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ray.exceptions import RayActorError

from actors import names
from actors.erasing import erase_piece
from actors.memory_shard import MemoryShard
from actors.names import Shards
from actors.placement import put_in_force
from config.settings import Settings
from jobs.nights import ShardTurnRunner
from memory.errors import Fenced, Unavailable
from memory.model.commands import Undo
from memory.model.erasing import ErasureTask, WithdrawnEntity

Answer = Callable[..., Awaitable[object]]


class Handles:
    """Actors by name; each method may be called as a shard's may, and all of them answer alike."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._answer = answer

    def actor(self, name: str) -> Any:
        def method(called: str) -> SimpleNamespace:
            def remote(*asked: object) -> Awaitable[object]:
                inspect.signature(getattr(MemoryShard, called)).bind(None, *asked)
                self.asked.append((name, called, *asked))
                return self._answer(*asked)

            return SimpleNamespace(remote=remote)

        return SimpleNamespace(**{each: method(each) for each in ("erase", "carry_out", "relearn", "status")})


def shards_of(
    answer: Answer, home: Path, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 9.0
) -> tuple[Shards, Handles]:
    handles = Handles(answer)
    monkeypatch.setattr(names, "actor", handles.actor)
    return Shards(Settings(home), timeout_s), handles


async def test_what_is_asked_is_asked_as_the_shard_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(*_: object) -> dict[str, int]:
        return {"facts": 2}

    shards, handles = shards_of(answer, tmp_path, monkeypatch)
    task = ErasureTask("r-1", "entity", "maya", WithdrawnEntity("e-1", "c-1"))
    assert await erase_piece(shards, task) == {"facts": 2}
    command = Undo(command_id="undo", done=None)
    await ShardTurnRunner(shards).carry_out("maya", command)
    assert handles.asked == [("shard-0", "erase", task), ("shard-0", "carry_out", "maya", command)]
    assert await shards.ask_all("status") == [{"facts": 2}]


async def test_a_shard_that_never_answers_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(*_: object) -> None:
        await asyncio.Event().wait()

    shards, _ = shards_of(answer, tmp_path, monkeypatch, 0.01)
    with pytest.raises(TimeoutError):
        await shards.ask("maya", "relearn", "maya")


@pytest.mark.parametrize("error", [Fenced(user_id="maya"), Unavailable(), RayActorError()])
async def test_a_memory_that_has_moved_meanwhile_is_asked_for_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def answer(*_: object) -> str:
        if len(handles.asked) == 1:
            put_in_force(tmp_path, 1)
            raise error
        return "done"

    put_in_force(tmp_path, 2)
    shards, handles = shards_of(answer, tmp_path, monkeypatch)
    user = next(each for each in map(str, range(100)) if shards._placement.of(each) == "shard-1")
    assert await shards.ask(user, "relearn", user) == "done"
    assert [each[0] for each in handles.asked] == ["shard-1", "shard-0"]


async def test_a_shard_that_has_died_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(*_: object) -> None:
        raise RayActorError

    shards, handles = shards_of(answer, tmp_path, monkeypatch)
    with pytest.raises(Unavailable):
        await shards.ask("maya", "relearn", "maya")
    assert len(handles.asked) == 1
