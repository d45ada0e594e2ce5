"""Lines: a question and its answer past Ray, and a call wherever a line is missing or breaks."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvloop

from actors import shard_socket as lines
from actors.shard_socket import ShardClient, ShardConnection, ShardServer
from memory.errors import NotFound, Unavailable

NOWHERE = "memoray-line-of-nobody"


@dataclass
class Shard:
    """Answers over its line and to calls, and tells them apart."""

    place: Path
    exchange: ShardServer = field(init=False)
    calls: list[object] = field(default_factory=list)
    hold: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.exchange = ShardServer(self.answer, self.place)
        self.hold.set()

    async def answer(self, asked: object, more: object = None) -> object:
        await self.hold.wait()
        if isinstance(asked, Exception):
            raise asked
        return asked, more

    async def line(self) -> ShardConnection:
        await self.exchange.open()
        return ShardConnection(f"\0{self.place.read_text()}")

    async def call(self, *asked: object) -> object:
        self.calls.append(asked)
        return "called"


@pytest.fixture
async def shard(tmp_path: Path) -> AsyncIterator[Shard]:
    one = Shard(tmp_path / "run" / "line-shard-0")
    await one.exchange.open()
    yield one
    await one.exchange.close()


async def test_what_is_asked_and_answered_arrives_whole(shard: Shard) -> None:
    line = await shard.line()
    keys = np.arange(100_000)
    asked, more = await line.ask(keys, {"limit": 5})
    assert np.array_equal(asked, keys)
    assert more == {"limit": 5}
    line.close()


async def test_many_questions_at_once_each_get_their_own_answer(shard: Shard) -> None:
    line = await shard.line()
    answers = await asyncio.gather(*(line.ask(number) for number in range(40)))
    assert answers == [(number, None) for number in range(40)]
    line.close()


async def test_an_error_of_ours_is_raised_as_it_was_and_the_line_goes_on(shard: Shard) -> None:
    line = await shard.line()
    with pytest.raises(NotFound, match="no such user"):
        await line.ask(NotFound("There is no such user."))
    assert await line.ask(1) == (1, None)
    line.close()


async def test_any_other_error_is_told_as_unavailable_without_its_words(shard: Shard) -> None:
    line = await shard.line()
    with pytest.raises(Unavailable) as raised:
        await line.ask(ValueError("somebody's words"))
    assert "somebody" not in str(raised.value)
    line.close()


async def test_who_no_longer_waits_leaves_no_answer_for_the_next(shard: Shard) -> None:
    line = await shard.line()
    shard.hold.clear()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(line.ask("late"), 0.05)
    shard.hold.set()
    assert await line.ask("next") == ("next", None)
    line.close()


async def test_a_caller_asks_over_the_line(shard: Shard) -> None:
    caller = ShardClient(shard.place, shard.call)
    assert [await caller.ask(number) for number in range(3)] == [(0, None), (1, None), (2, None)]
    assert shard.calls == []


async def test_a_line_that_breaks_becomes_a_call_and_the_next_life_has_its_own(shard: Shard) -> None:
    caller = ShardClient(shard.place, shard.call)
    assert await caller.ask(1) == (1, None)
    await shard.exchange.close()
    caller_line: Any = caller._line
    caller_line.close()  # as the end of a process closes what it held
    assert await caller.ask(2) == "called"
    after = Shard(shard.place)
    await after.exchange.open()
    assert await caller.ask(3) == (3, None)
    await after.exchange.close()


async def test_the_line_of_the_next_life_answers_before_a_call_that_hangs(tmp_path: Path) -> None:
    before, after = Shard(tmp_path / "line-shard-0"), Shard(tmp_path / "line-shard-0")
    hung: asyncio.Future[object] = asyncio.get_running_loop().create_future()

    async def hanging(*asked: object) -> object:
        return await hung

    caller = ShardClient(before.place, hanging)
    await before.exchange.open()
    assert await caller.ask(1) == (1, None)
    await before.exchange.close()
    caller_line: Any = caller._line
    caller_line.close()
    asking = asyncio.ensure_future(caller.ask(2))
    await asyncio.sleep(0)
    assert not asking.done()
    await after.exchange.open()
    assert await asking == (2, None)
    assert hung.cancelled()
    await after.exchange.close()


async def test_a_younger_life_is_asked_though_the_older_one_answers_on(shard: Shard) -> None:
    caller = ShardClient(shard.place, shard.call)
    assert await caller.ask(1) == (1, None)
    after = Shard(shard.place)
    await after.exchange.open()
    shard.hold.clear()
    assert await asyncio.wait_for(caller.ask(2), 60) == (2, None)
    await after.exchange.close()


async def test_a_shard_that_ends_while_it_is_asked_is_called(shard: Shard) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    server = await asyncio.start_unix_server(cut, "\0memoray-line-that-is-cut")
    shard.place.write_text("memoray-line-that-is-cut")
    assert await ShardClient(shard.place, shard.call).ask(1) == "called"
    server.close()


async def test_where_nobody_answers_or_nobody_left_a_name_it_is_called(shard: Shard) -> None:
    shard.place.write_text(NOWHERE)
    caller = ShardClient(shard.place, shard.call)
    assert [await caller.ask(number) for number in range(3)] == ["called"] * 3
    assert await ShardClient(shard.place / "none", shard.call).ask(1) == "called"


async def test_a_stranger_is_not_answered(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    line = await shard.line()
    monkeypatch.setattr(lines, "user_of", lambda socket: -1)
    with pytest.raises(ConnectionError):
        await line.ask(1)


def test_under_the_event_loop_that_ray_uses(tmp_path: Path) -> None:
    async def asked() -> object:
        shard = Shard(tmp_path / "line")
        line = await shard.line()
        try:
            return await line.ask(1)
        finally:
            line.close()
            await shard.exchange.close()

    assert uvloop.run(asked()) == (1, None)


async def test_a_name_that_could_not_be_left_is_left_later(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("in the way")
    shard = Shard(run / "line-shard-0")
    with pytest.raises(FileExistsError):
        await shard.exchange.open()
    run.unlink()
    line = await shard.line()
    assert await line.ask(1) == (1, None)
    line.close()
    await shard.exchange.close()


async def test_each_life_has_a_name_of_its_own(shard: Shard) -> None:
    first, again, after = await shard.line(), await shard.line(), await Shard(shard.place).line()
    assert first.name == again.name != after.name
