"""Speaking: what has begun when something is told, and what a tool tells whose part of the cluster is away."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any, cast

from ray.exceptions import RayActorError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import Body
from deployments.use_cases.chat_tools import result_of
from deployments.use_cases.chatting import Reminded, Talk
from deployments.use_cases.speaking import Speaking
from deployments.use_cases.tools import Tool


class UntouchedErasing:
    """A memory of which nothing was ever forgotten."""

    async def reached(self, _: str) -> tuple[int, float]:
        """No erasure."""
        return 0, 0.0


def speaking(stops: list[str]) -> Speaking:
    stores = SimpleNamespace(erasure=SimpleNamespace(receipts=UntouchedErasing()))
    app = cast(AppContext, SimpleNamespace(stores=stores))
    recalled = SimpleNamespace(shown=[], context="", recollection=SimpleNamespace(degraded=()))
    reminded = Reminded(cast(Any, None), cast(Any, recalled), "chat-1", (0, 0.0))
    who = cast(Caller, SimpleNamespace(user_id="ann"))
    return Speaking(app, who, Talk([("user", "Hello")], stops=stops, remembered=False), reminded)


async def said(*pieces: str) -> AsyncGenerator[str]:
    for piece in pieces:
        yield piece


async def test_an_answer_has_begun_when_its_first_words_are_told() -> None:
    for stops in ([], ["a stop that is longer than all of it"]):
        answer = speaking(stops)
        assert [(piece, answer.has_begun) async for piece in answer.words(said("Certainly."))] == [("Certainly.", True)]


async def test_a_part_that_is_away_is_told_to_the_model() -> None:
    async def away(*_: Any) -> Any:
        raise RayActorError()

    tool = Tool("To look.", Body, away)
    answer = speaking([])
    told = await result_of(answer.app, answer.who, "c-1", tool, Body(), [], 0)
    assert "not reachable" in told
