"""Every language model answers in one or in pieces, and fails as its port says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from adapters.language.openai import OpenAiModel
from config.models import Endpoint
from deployments.language import Language, Scripted
from memory.errors import AnswerCut, ModelFailed
from memory.model.prompts import Prompt
from memory.ports import LanguageModel
from tests.fakes.model_server import ModelServer, Reply

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.fixture(params=["openai", "openai that does not stream", "deployment"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
    """A model that says some words."""
    if request.param == "deployment":
        yield Scripted()
        return
    raw = b'{"choices": [{"message": {"content": "<think>hm</think> In Coimbra, as it seems."}}]}'
    reply = Reply(body=raw) if "not" in request.param else Reply("<think>hm</think> In Coimbra, as it seems.")
    with ModelServer(reply) as server:
        opened = OpenAiModel(Endpoint(url=server.url, model="small"))
        yield opened
        await opened.close()


async def test_the_pieces_are_the_answer(model: LanguageModel) -> None:
    for prompt in (
        Prompt("Be brief.", "Where?"),
        Prompt("", "Where?", SCHEMA, 9, [("user", "Hi"), ("assistant", "Ho")]),
    ):
        pieces = [each async for each in model.stream(prompt)]
        assert all(pieces)
        assert "".join(pieces).strip() == await model.complete(prompt)


async def test_who_stops_reading_leaves_it_as_it_was(model: LanguageModel) -> None:
    async with aclosing(model.stream(Prompt("", "Where?"))) as pieces:
        assert await anext(pieces)
    assert await model.complete(Prompt("", "Where?"))


async def test_the_deployment_passes_on_what_its_model_says() -> None:
    deployment = Language(Scripted)
    assert [each async for each in deployment.stream(Prompt("", ""))][:2] == ["This ", "is "]
    assert "".join([each async for each in deployment.stream(Prompt("", ""))]) == await deployment.complete(
        Prompt("", "")
    )


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("In Coimbra, as it seems.", breaks_after=3), "broke off"),
        (Reply("In Coimbra", between=b"data: <html>\n\n"), "protocol"),
        (Reply("In Coimbra", between=b'data: {"choices": 7}\n\n'), "protocol"),
        (Reply("In Coimbra", between=b'data: {"choices": [{"delta": {"content": 7}}]}\n\n'), "protocol"),
        (Reply("In Coimbra", between=b'data: {"error": {"message": "your words"}}\n\n'), "reports an error"),
        (Reply("In Coimbra", between=b"data: \xff\n\n"), "protocol"),
        (Reply("In Coimbra", between=b"data: " + b"[" * 100_000 + b"\n\n"), "protocol"),
        (Reply("In Coimbra", between=b"x" * 300_000), "without an end"),
        (Reply(""), "empty"),
        (Reply("<think>hm</think>"), "empty"),
        (Reply("<think>hm and no end"), "empty"),
        (Reply(status=500), "500"),
        (Reply(status=404), "model"),
        (Reply(body=b"<html>"), "protocol"),
        (Reply(body=b"x" * 300_000), "protocol"),
    ],
)
async def test_a_server_that_breaks_off_or_lies_is_a_failed_model(reply: Reply, why: str) -> None:
    with ModelServer(reply) as server:
        model = OpenAiModel(Endpoint(url=server.url, model="small"))
        with pytest.raises(ModelFailed, match=why) as failure:
            async for _ in model.stream(Prompt("", "a secret of mine")):
                pass
        await model.close()
    assert "words" not in str(failure.value)
    assert "secret" not in str(failure.value)


async def test_a_schema_that_is_refused_is_asked_for_more_simply_in_a_stream_too() -> None:
    with ModelServer(Reply("{}", refuses=frozenset({"json_schema"}))) as server:
        model = OpenAiModel(Endpoint(url=server.url, model="small"))
        assert [each async for each in model.stream(Prompt("", "Hi", SCHEMA))] == ["{}"]
        await model.close()
    assert [each["response_format"]["type"] for each in server.requests] == ["json_schema", "json_object"]


async def test_a_connection_is_closed_when_nobody_reads_any_more() -> None:
    with ModelServer(Reply("word " * 400, pause_s=0.02)) as server:
        model = OpenAiModel(Endpoint(url=server.url, model="small"))
        async with aclosing(model.stream(Prompt("", "Hi"))) as pieces:
            await anext(pieces)
        assert server.left.wait(5)
        await model.close()


CUT = b'{"choices": [{"message": {"content": "In Coimbra"}, "finish_reason": "length"}]}'


@pytest.mark.parametrize("reply", [Reply("In Coimbra", ending="length"), Reply(body=CUT)])
async def test_an_answer_that_used_up_its_tokens_says_so_behind_its_words(reply: Reply) -> None:
    with ModelServer(reply) as server:
        model = OpenAiModel(Endpoint(url=server.url, model="small"))
        told: list[str] = []
        with pytest.raises(AnswerCut):
            await anext(words async for words in model.stream(Prompt("", "Where?")) if told.append(words))
        assert "".join(told) == await model.complete(Prompt("", "Where?")) == "In Coimbra"
        await model.close()
