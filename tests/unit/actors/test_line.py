"""Lines: a question and its answer past Ray, and a call wherever a line is missing or breaks."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import uvloop

from actors import line as lines
from actors.line import Caller, Exchange, Line
from memory.errors import NotFound, Unavailable

NOWHERE = "\0memoray-line-of-nobody"


@dataclass
class Shard:
    """Answers over its line and to calls, and tells them apart."""

    exchange: Exchange = field(init=False)
    calls: list[object] = field(default_factory=list)
    rung: int = 0
    hold: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.exchange = Exchange(self.answer)
        self.hold.set()

    async def answer(self, asked: object, more: object = None) -> object:
        await self.hold.wait()
        if isinstance(asked, Exception):
            raise asked
        return asked, more

    async def name(self) -> str:
        self.rung += 1
        return await self.exchange.open()

    async def call(self, *asked: object) -> object:
        self.calls.append(asked)
        return "called"


@pytest.fixture
async def shard() -> AsyncIterator[Shard]:
    one = Shard()
    yield one
    await one.exchange.close()


async def test_what_is_asked_and_answered_arrives_whole(shard: Shard) -> None:
    line = Line(await shard.name())
    keys = np.arange(100_000)
    asked, more = await line.ask(keys, {"limit": 5})
    assert np.array_equal(asked, keys)
    assert more == {"limit": 5}
    line.close()


async def test_many_questions_at_once_each_get_their_own_answer(shard: Shard) -> None:
    line = Line(await shard.name())
    answers = await asyncio.gather(*(line.ask(number) for number in range(40)))
    assert answers == [(number, None) for number in range(40)]
    line.close()


async def test_an_error_of_ours_is_raised_as_it_was_and_the_line_goes_on(shard: Shard) -> None:
    line = Line(await shard.name())
    with pytest.raises(NotFound, match="no such user"):
        await line.ask(NotFound("There is no such user."))
    assert await line.ask(1) == (1, None)
    line.close()


async def test_any_other_error_is_told_as_unavailable_without_its_words(shard: Shard) -> None:
    line = Line(await shard.name())
    with pytest.raises(Unavailable) as raised:
        await line.ask(ValueError("somebody's words"))
    assert "somebody" not in str(raised.value)
    line.close()


async def test_who_no_longer_waits_leaves_no_answer_for_the_next(shard: Shard) -> None:
    line = Line(await shard.name())
    shard.hold.clear()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(line.ask("late"), 0.05)
    shard.hold.set()
    assert await line.ask("next") == ("next", None)
    line.close()


async def test_a_caller_asks_over_the_line_and_rings_once(shard: Shard) -> None:
    caller = Caller(shard.name, shard.call)
    assert [await caller.ask(number) for number in range(3)] == [(0, None), (1, None), (2, None)]
    assert (shard.rung, shard.calls) == (1, [])


async def test_a_line_that_breaks_becomes_a_call_and_the_next_life_has_its_own() -> None:
    before, after = Shard(), Shard()
    living = [before]

    async def rung_up_at() -> str:
        return await living[0].name()

    caller = Caller(rung_up_at, after.call)
    assert await caller.ask(1) == (1, None)
    await before.exchange.close()
    living[0] = after
    caller_line: Any = caller._line
    caller_line.close()  # as the end of a process closes what it held
    assert await caller.ask(2) == "called"
    assert await caller.ask(3) == (3, None)
    assert after.rung == 1
    await after.exchange.close()


async def test_a_shard_that_ends_while_it_is_asked_is_called(shard: Shard) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    name = "\0memoray-line-that-is-cut"
    server = await asyncio.start_unix_server(cut, name)

    async def told() -> str:
        return name

    assert await Caller(told, shard.call).ask(1) == "called"
    server.close()


async def test_where_nobody_answers_it_is_called_and_not_rung_up_each_time(shard: Shard) -> None:
    rung = []

    async def elsewhere() -> str:
        rung.append(1)
        return NOWHERE

    caller = Caller(elsewhere, shard.call)
    assert [await caller.ask(number) for number in range(3)] == ["called"] * 3
    assert len(rung) == 1


async def test_a_stranger_is_not_answered(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(await shard.name())
    monkeypatch.setattr(lines, "user_of", lambda socket: -1)
    with pytest.raises(ConnectionError):
        await line.ask(1)


def test_under_the_event_loop_that_ray_uses() -> None:
    async def asked() -> object:
        shard = Shard()
        line = Line(await shard.name())
        try:
            return await line.ask(1)
        finally:
            line.close()
            await shard.exchange.close()

    assert uvloop.run(asked()) == (1, None)


async def test_each_life_has_a_name_of_its_own() -> None:
    first, second = Exchange(Shard().answer), Exchange(Shard().answer)
    names = {await first.open(), await second.open(), await first.open()}
    assert len(names) == 2
    await first.close()
    await second.close()


async def test_a_line_that_was_looked_up_is_there_when_nobody_can_be_asked_for_it(shard: Shard) -> None:
    async def nobody() -> str:
        raise Unavailable()

    caller = Caller(shard.name, shard.call)
    await caller.look_up()
    caller._name = nobody
    assert await caller.ask(1) == (1, None)
    assert shard.calls == []


async def test_to_look_again_leads_to_the_life_that_is_led_now(shard: Shard) -> None:
    caller, after = Caller(shard.name, shard.call), Shard()
    await caller.ask(1)
    await shard.exchange.close()
    caller._name = after.name
    await caller.look_up()
    assert await caller.ask(2) == (2, None)
    assert (shard.calls, after.calls) == ([], [])
    await after.exchange.close()
