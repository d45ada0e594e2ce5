"""The OpenAI-compatible client against a server that misbehaves."""

from __future__ import annotations

import pytest

from adapters.language.openai import OpenAiModel
from config.models import Endpoint
from memory.errors import ConfigError, ModelFailed
from memory.model.prompts import Prompt
from tests.fakes.model_server import ModelServer, Reply

SCHEMA = {"type": "object", "properties": {}}
SECRET = "sk-very-secret"


def model_of(server: ModelServer, **settings: object) -> OpenAiModel:
    return OpenAiModel(Endpoint(url=server.url, model="small", **settings))  # type: ignore[arg-type]


def formats(server: ModelServer) -> list[str | None]:
    return [request.get("response_format", {}).get("type") for request in server.requests]


async def test_it_asks_as_the_protocol_wants():
    with ModelServer(Reply("Hello")) as server:
        assert await model_of(server).complete(Prompt("Be brief.", "Hi", max_tokens=7)) == "Hello"
    assert server.requests == [
        {
            "model": "small",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            "temperature": 0,
            "max_tokens": 7,
        }
    ]
    assert server.keys == [None]


async def test_what_came_earlier_stands_between_the_instructions_and_the_prompt():
    with ModelServer(Reply("Yes")) as server:
        await model_of(server).complete(
            Prompt("Be brief.", "Really?", earlier=[("user", "Hi"), ("assistant", "Hello")])
        )
    told = [(each["role"], each["content"]) for each in server.requests[0]["messages"]]
    assert told == [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Really?")]


async def test_a_schema_is_sent_along():
    with ModelServer(Reply("{}")) as server:
        await model_of(server).complete(Prompt("", "Hi", schema=SCHEMA))
    wanted = server.requests[0]["response_format"]
    assert wanted == {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}


@pytest.mark.parametrize(
    ("refused", "asked"),
    [
        ({"json_schema"}, ["json_schema", "json_object", "json_object"]),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", None, None]),
    ],
)
async def test_a_refused_schema_is_asked_for_more_simply_and_what_works_is_remembered(refused, asked):
    with ModelServer(Reply("{}", refuses=frozenset(refused))) as server:
        model = model_of(server)
        assert await model.complete(Prompt("", "Hi", schema=SCHEMA)) == "{}"
        assert await model.complete(Prompt("", "Hi", schema=SCHEMA)) == "{}"
    assert formats(server) == asked


async def test_a_request_refused_in_every_form_changes_nothing_for_the_next():
    replies = iter([Reply(status=400)] * 3 + [Reply("{}")])
    with ModelServer(lambda _: next(replies)) as server:
        model = model_of(server)
        with pytest.raises(ModelFailed, match="context"):
            await model.complete(Prompt("", "Hi", schema=SCHEMA))
        assert await model.complete(Prompt("", "Hi", schema=SCHEMA)) == "{}"
    assert formats(server) == ["json_schema", "json_object", None, "json_schema"]


async def test_without_a_schema_a_refusal_is_final():
    with ModelServer(Reply(status=400)) as server, pytest.raises(ModelFailed):
        await model_of(server).complete(Prompt("", "Hi"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "why"),
    [(401, "key"), (403, "key"), (404, "model"), (429, "busy"), (500, "500"), (503, "503"), (307, "307")],
)
async def test_errors_of_the_server_say_what_to_do(status, why):
    with ModelServer(Reply("your words", status=status)) as server, pytest.raises(ModelFailed, match=why) as failure:
        await model_of(server).complete(Prompt("system", "a secret of mine"))
    assert failure.value.ids == {"status": status}
    assert "secret" not in str(failure.value)
    assert "words" not in str(failure.value)


async def test_a_slow_server_is_waited_for_and_a_slower_one_is_not():
    with ModelServer(Reply("late", delay_s=0.2)) as server:
        assert await model_of(server, timeout_s=5).complete(Prompt("", "Hi")) == "late"
        with pytest.raises(ModelFailed, match=r"within 0\.05 s"):
            await model_of(server, timeout_s=0.05).complete(Prompt("", "Hi"))


async def test_nobody_there():
    with ModelServer(Reply()) as server:
        model = model_of(server)
    with pytest.raises(ModelFailed, match="cannot be reached"):
        await model.complete(Prompt("", "Hi"))


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": 5}]}', b"[" * 100_000, b"\xff"],
)
async def test_what_is_no_answer_of_the_protocol_is_refused(body):
    with ModelServer(Reply(body=body)) as server, pytest.raises(ModelFailed, match="protocol"):
        await model_of(server).complete(Prompt("", "Hi"))


@pytest.mark.parametrize("content", ["", "  \n", None, "<think>hm</think>"])
async def test_an_empty_answer_is_none(content):
    with ModelServer(Reply(content)) as server, pytest.raises(ModelFailed, match="empty"):
        await model_of(server).complete(Prompt("", "Hi"))


async def test_thoughts_of_a_reasoning_model_are_left_out():
    with ModelServer(Reply("<think>\nWell, <b>\n</think>\n\nTwo.")) as server:
        assert await model_of(server).complete(Prompt("", "1 + 1?")) == "Two."


async def test_the_key_comes_from_the_environment_and_is_never_told(monkeypatch):
    monkeypatch.setenv("SOME_KEY", SECRET)
    with ModelServer(Reply(status=401)) as server, pytest.raises(ModelFailed) as failure:
        await model_of(server, api_key_env="SOME_KEY").complete(Prompt("", "Hi"))
    assert server.keys == [f"Bearer {SECRET}"]
    assert SECRET not in f"{failure.value!r} {failure.value.ids}"


@pytest.mark.parametrize("value", [None, " ", "schlüssel", "a\nb"])
def test_a_key_that_is_none_is_said_at_once(monkeypatch, value):
    monkeypatch.delenv("SOME_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(ConfigError, match="SOME_KEY"):
        OpenAiModel(Endpoint(url="http://127.0.0.1:1/v1", model="m", api_key_env="SOME_KEY"))


@pytest.mark.parametrize(
    "endpoint",
    [Endpoint(), Endpoint(url="http://a/v1"), Endpoint(model="m"), Endpoint(url="http://[::x/v1", model="m")],
)
def test_an_endpoint_that_cannot_be_is_refused(endpoint):
    with pytest.raises(ConfigError):
        OpenAiModel(endpoint)


async def test_a_proxy_of_the_environment_gets_no_words(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with ModelServer(Reply("direct")) as server:
        assert await model_of(server).complete(Prompt("", "Hi")) == "direct"


async def test_it_closes():
    with ModelServer(Reply("x")) as server:
        model = model_of(server)
        await model.complete(Prompt("", "Hi"))
        await model.close()
