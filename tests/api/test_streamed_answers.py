"""A language model's words come as it says them, in OpenAI's form and in ours; half an answer is an error."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest

from deployments.use_cases import chatting
from memory.errors import JournalUnavailable
from tests.api.conftest import Door
from tests.api.foreign import served, token_of
from tests.api.test_chat import CHAT, Script, said, text_of, turn
from tests.api.test_openai import ASKED, TOLD, behind, talks
from tests.api.test_openai import CHAT as COMPLETIONS
from tests.api.test_openai import events as completion
from tests.api.test_openai import said as asked
from tests.api.test_openai import text_of as words_of
from tests.fakes.model_server import ModelServer, Reply

pytestmark = pytest.mark.postgres


async def as_they_come(door: Door, path: str, body: Mapping[str, Any], most: int = 10_000) -> list[tuple[float, Any]]:
    """The events of an answer over a real socket, each with the instant at which it came; whoever asks may leave."""
    told: list[tuple[float, Any]] = []
    headers = {"X-Internal-Token": await token_of(door, door.user)}
    async with (
        served(door) as url,
        httpx.AsyncClient(base_url=url, headers=headers, timeout=30) as client,
        client.stream("POST", path, json=body) as answer,
    ):
        assert answer.status_code == 200
        async for line in answer.aiter_lines():
            if line.startswith("data: {"):
                told.append((time.monotonic(), json.loads(line.removeprefix("data: "))))
            if len(told) == most:
                break
    return told


SPOKEN = "In Coimbra [1], as it seems to me."


async def test_a_model_s_words_come_as_it_says_them(door: Door) -> None:
    await door.post("/v1/sources", TOLD, 202)
    with ModelServer(Reply(SPOKEN, pause_s=0.15)) as server:
        behind(door, server)
        told = await as_they_come(door, COMPLETIONS, asked(ASKED, stream=True))
    assert words_of([event for _, event in told]) == SPOKEN
    spoken = [at for at, event in told if event["choices"][0]["delta"].get("content")]
    assert spoken[0] < server.sent[-1], "the first piece has come before the last was sent"
    assert len(spoken) == len(SPOKEN.split())
    assert told[-1][1]["memoray"]["generated"] is True
    assert [each["segment_id"] for each in told[-1][1]["memoray"]["citations"]] == ["1"]
    assert [(role, words) for _, role, words in await talks(door)] == [("user", ASKED), ("assistant", SPOKEN)]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(SPOKEN, hangs_after=4), "paused for more than 0.5 s"),
        (Reply(SPOKEN, breaks_after=4), "broke off"),
        (Reply(SPOKEN, between=b'data: {"choices": 7}\n\n'), "does not speak the OpenAI protocol"),
        (Reply(SPOKEN, between=b'data: {"error": {"message": "secret"}}\n\n'), "reports an error"),
        (Reply(SPOKEN * 50, pause_s=0.1), "not come to an end within 2 s"),
    ],
    ids=["stalls", "breaks off", "rubbish", "an error", "has no end"],
)
async def test_half_a_completion_is_an_error_and_not_remembered(door: Door, reply: Reply, why: str) -> None:
    with ModelServer(reply) as server:
        behind(door, server, pause_s=0.5, stream_s=2.0)
        told = await completion(door, asked(ASKED))
    error = told[-1]["error"]
    assert error["type"] == "server_error"
    assert why in error["message"]
    assert "secret" not in error["message"]
    assert words_of(told[:-1])
    assert [(role, words) for _, role, words in await talks(door)] == [("user", ASKED)]


async def test_who_stops_an_answer_is_remembered_and_half_an_answer_is_not(door: Door) -> None:
    with ModelServer(Reply("word " * 200, pause_s=0.02)) as server:
        behind(door, server)
        await as_they_come(door, COMPLETIONS, asked("Tell me a tale.", stream=True), most=6)
        assert server.left.wait(5), "nobody waits for the model any more"
    assert [(role, words) for _, role, words in await talks(door)] == [("user", "Tell me a tale.")]


async def test_a_stream_ends_where_it_was_asked_to(door: Door) -> None:
    with ModelServer(Reply("One two three four five six seven eight.")) as server:
        behind(door, server)
        stopped = await completion(door, asked("Count.", stop=["three fo", "nine"], store=False))
        cut = await completion(door, asked("Count.", max_tokens=3, store=False))
    assert words_of(stopped) == "One two "
    assert stopped[-1]["choices"][0]["finish_reason"] == "stop"
    assert words_of(cut).startswith("One two")
    assert cut[-1]["choices"][0]["finish_reason"] == "length"


async def test_an_answer_comes_as_the_model_says_it(door: Door) -> None:
    await door.post("/v1/sources", TOLD, 202)
    answer = 'In "Coimbra" [1],\nI hear — Élodie said so.'
    script = Script(turn("think", thought="Hm."), turn(answer=answer))
    slow = lambda request: replace(script(request), pause_s=0.15)  # noqa: E731
    with ModelServer(slow) as server:
        behind(door, server)
        told = await as_they_come(door, CHAT, {"message": ASKED})
    assert text_of([event for _, event in told]) == answer
    tokens = [at for at, event in told if event["type"] == "token"]
    assert tokens[0] < server.sent[-1], "the first piece has come before the last was sent"
    assert [event["type"] for _, event in told][:3] == ["session", "tool_use", "token"]
    assert [words for _, _, words in await talks(door)] == [ASKED, answer]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"hangs_after": 12}, "paused for more than 0.5 s"),
        ({"breaks_after": 12}, "broke off"),
    ],
    ids=["stalls", "breaks off"],
)
@pytest.mark.parametrize("words", ["One two three four five six seven eight nine ten eleven.", None])
async def test_half_an_answer_is_an_error_and_not_remembered(
    door: Door, words: str | None, more: dict[str, int], why: str
) -> None:
    said_by_model = words or turn(answer="One two three four five six seven eight nine ten eleven.")
    with ModelServer(Reply(said_by_model, **more)) as server:  # type: ignore[arg-type]
        behind(door, server, pause_s=0.5)
        events = await said(door, "Count.")
        assert [each["type"] for each in events[-2:]] == ["error", "done"]
        assert (events[-2]["status"], events[-2]["kind"]) == (503, "model-failed")
        assert why in events[-2]["detail"]
        assert "One two" in text_of(events)
        assert [words for _, _, words in await talks(door)] == ["Count."]
        server.script = Script(turn(answer="One."))
        again = await said(door, "Count.", session_id=events[0]["session_id"])
    assert text_of(again) == "One."
    assert [words for _, _, words in await talks(door)] == ["Count.", "One."], "said again it is one message"


async def test_an_answer_that_used_up_its_tokens_is_told_as_cut(door: Door) -> None:
    with ModelServer(Reply("One two", ending="length")) as server:
        behind(door, server)
        streamed = await completion(door, asked("Count."))
        whole = await door.post(COMPLETIONS, asked("Count."))
    assert words_of(streamed) == whole["choices"][0]["message"]["content"] == "One two"
    assert streamed[-1]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("half", [turn(answer="One two three")[:-4], '{"tool": "search_memory", "inp'])
async def test_half_a_json_answer_is_not_remembered(door: Door, half: str) -> None:
    with ModelServer(Reply(half)) as server:
        behind(door, server)
        events = await said(door, "Count.")
    assert "{" not in text_of(events)
    if "One" in half:
        assert (events[-2]["type"], events[-2]["kind"]) == ("error", "model-failed")
        assert [words for _, _, words in await talks(door)] == ["Count."]
    else:
        assert events[-1]["degraded"] == ["language"], "nothing was told: memory is quoted"


async def test_a_database_that_fails_is_not_told_as_a_model_that_does(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> Any:
        raise JournalUnavailable()

    monkeypatch.setattr(chatting, "remember", away)
    with ModelServer(Reply("One two three.")) as server:
        behind(door, server)
        events = await said(door, "Count.")
        [*_, last] = await completion(door, asked("Count."))
    assert [each["type"] for each in events[-2:]] == ["error", "done"]
    assert events[-2]["kind"] == "journal-unavailable"
    assert last["error"]["code"] == "journal_unavailable"


async def test_what_is_forgotten_while_an_answer_is_told_stays_forgotten(door: Door) -> None:
    await door.post("/v1/sources", TOLD, 202)
    with ModelServer(Reply(SPOKEN, pause_s=0.3)) as server:
        behind(door, server)
        answering = asyncio.create_task(said(door, ASKED))
        while not await talks(door):
            await asyncio.sleep(0.01)
        [(talk, _, words)] = await talks(door)
        assert words == ASKED
        for source in ("breakfast", talk):
            assert (await door.client.delete(f"/v1/sources/{source}")).status_code == 200
        events = await answering
        assert text_of(events) == SPOKEN
        assert await talks(door) == []
        server.script = Script(turn(answer="Hm."))
        await said(door, "And you?", session_id=events[0]["session_id"])
        assert "Coimbra" not in json.dumps(server.requests[-1])


async def test_a_whole_answer_during_which_something_is_forgotten_is_not_remembered(door: Door) -> None:
    await door.post("/v1/sources", TOLD, 202)
    with ModelServer(Reply(SPOKEN, delay_s=1.0)) as server:
        behind(door, server)
        answering = asyncio.create_task(door.post(COMPLETIONS, asked(ASKED)))
        while not server.requests:
            await asyncio.sleep(0.01)
        assert (await door.client.delete("/v1/sources/breakfast")).status_code == 200
        assert (await answering)["choices"][0]["message"]["content"] == SPOKEN
    assert [(role, words) for _, role, words in await talks(door)] == [("user", ASKED)]


async def test_both_sides_stand_in_the_conversation_of_the_day_on_which_it_was_asked(door: Door) -> None:
    class LateClock:
        """A clock on which each look is a day later."""

        at = 1_772_000_000.0

        def now(self) -> float:
            self.at += 86_400
            return self.at

    door.app.clock = LateClock()
    with ModelServer(Reply(SPOKEN)) as server:
        behind(door, server)
        await completion(door, asked(ASKED))
    assert len({source for source, _, _ in await talks(door)}) == 1
    assert [role for _, role, _ in await talks(door)] == ["user", "assistant"]
