"""The Python client against the front door it is made for, and against the description that door gives of itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

import httpx
import pytest

import memoray_client
from deployments.gateway import create_app
from memoray_client import (
    AsyncMemory,
    AuthenticationError,
    InvalidRequestError,
    Memory,
    Message,
    NotFoundError,
    PermissionDeniedError,
    calls,
    options,
    responses,
)
from memoray_client.calls import Call
from memoray_client.integrations.turns import NOTE
from tests.api.conftest import Door
from tests.api.foreign import run_client, served, token_of

PACKAGE = Path(memoray_client.__file__).parents[1]


def every_call() -> Iterator[Call[Any]]:
    """One call of each kind, with all that can be given."""
    asked: Any = {name: "1" for name in get_type_hints(options.AskOptions) if name != "user_id"}
    yield calls.add([Message("Hi", "Maya", "user", "1", 0.0, 1.0, "en")], _every(options.AddOptions))
    yield calls.add("Hi", {})
    yield calls.search("?", asked)
    yield calls.context("?", "auto", asked)
    yield calls.ask("?", asked)
    yield calls.facts(_every(options.FactsOptions))
    yield calls.promises(_every(options.PromisesOptions))
    yield calls.timeline(_every(options.TimelineOptions))
    yield calls.remember("Hi", _every(options.CommandOptions))
    yield calls.correct("f-1", "Hi", _every(options.CommandOptions))
    yield calls.forget("f-1", _every(options.CommandOptions))
    yield calls.delete_source("s", _every(options.CommandOptions))


def _every(kind: Any) -> Any:
    return dict.fromkeys(get_type_hints(kind), "1")


class TestDescription:
    """All that the client sends and reads is in the server's OpenAPI."""

    described = create_app().openapi()

    def operation(self, call: Call[Any]) -> Mapping[str, Any]:
        fits = [path for path in self.described["paths"] if re.fullmatch(re.sub(r"{[^}]*}", "[^/]+", path), call.path)]
        found = [self.described["paths"][path][call.method.lower()] for path in fits]
        assert found, f"there is no {call.method} {call.path}"
        operation: Mapping[str, Any] = found[0]
        return operation

    def schema(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" in raw:
            named: Mapping[str, Any] = self.described["components"]["schemas"][raw["$ref"].rpartition("/")[2]]
            return named
        for each in raw.get("anyOf", ()):
            if each.get("type") != "null":
                return self.schema(each)
        return self.schema(raw["items"]) if "items" in raw else raw

    def test_what_is_sent_is_known_there(self) -> None:
        for call in every_call():
            operation = self.operation(call)
            known = {(each["in"], each["name"].lower()) for each in operation.get("parameters", ())}
            sent = {("query", name) for name in call.params} | {("header", name.lower()) for name in call.headers}
            assert sent - known == set(), call.path
            if call.body is not None:
                body = self.schema(operation["requestBody"]["content"]["application/json"]["schema"])
                assert set(call.body) - set(body["properties"]) == set(), call.path
                segments = self.schema(body["properties"].get("segments", {}))
                for segment in call.body.get("segments", ()):
                    assert set(segment) - set(segments["properties"]) == set()

    @pytest.mark.parametrize(
        ("kind", "path", "method"),
        [
            (responses.SearchResponse, "/v1/context", "get"),
            (responses.AskResponse, "/v1/ask", "post"),
            (responses.FactsPage, "/v1/facts", "get"),
            (responses.RememberResponse, "/v1/facts", "post"),
            (responses.Change, "/v1/facts/{fact_id}/correct", "post"),
            (responses.Change, "/v1/facts/{fact_id}/forget", "post"),
            (responses.PromisesPage, "/v1/promises", "get"),
            (responses.TimelinePage, "/v1/timeline", "get"),
            (responses.DeletionReceipt, "/v1/sources/{source_id}", "delete"),
        ],
        ids=lambda each: getattr(each, "__name__", each),
    )
    def test_what_is_read_is_told_there(self, kind: Any, path: str, method: str) -> None:
        answers = self.described["paths"][path][method]["responses"]
        told = next(answer for status, answer in answers.items() if status in ("200", "201", "202"))
        self.compare(kind, told["content"]["application/json"]["schema"])

    def compare(self, kind: Any, raw: Mapping[str, Any]) -> None:
        properties = self.schema(raw)["properties"]
        for name, hint in get_type_hints(kind).items():
            assert name in properties, f"{kind.__name__}.{name} is told nowhere"
            inner = [each for each in (*getattr(hint, "__args__", ()), hint) if hasattr(each, "__dataclass_fields__")]
            for each in inner:
                self.compare(each, properties[name])


TALK = [
    Message("I moved to Lisbon in March.", "Maya", "user", "1", 0.0, 3.0),
    Message("Lisbon is lovely.", "Ravi", None, "2", 4.0, 6.0),
    Message("I'll send you the photos on Friday.", "Maya", "user", "3", 7.0, 9.0),
]


@pytest.mark.postgres
async def test_a_memory_through_the_client_that_awaits(door: Door) -> None:
    token = await token_of(door, door.user)
    transport = httpx.ASGITransport(create_app(door.app))
    async with AsyncMemory("http://test", token, transport=transport) as memory:
        added = await memory.add(TALK, source_id="breakfast", started_at="2026-04-05T08:00:00+00:00")
        assert (added.source_id, added.segments, added.changed) == ("breakfast", 3, 3)
        assert (await memory.add(TALK, source_id="breakfast", started_at="2026-04-05T08:00:00Z")).changed == 0
        await door.settle()
        found = await memory.search("Where did Maya move?", limit=2, before="2026-04-06")
        assert found.results[0].text == "I moved to Lisbon in March."
        assert found.results[0].timestamp == datetime(2026, 4, 5, 8, 0, tzinfo=UTC)
        assert "Lisbon" in await memory.context("Where did Maya move?", 200)
        answer = await memory.ask("Where did Maya move?")
        assert "Lisbon" in answer.answer
        assert answer.citations[0].source_id == "breakfast"
        assert {each.segment_id for each in (await memory.timeline(limit=20)).entries} >= {"1", "2", "3"}
        promised = (await memory.promises(state="open")).promises or (await memory.promises()).promises
        assert promised[0].by == "Maya"


@pytest.mark.postgres
async def test_facts_and_forgetting_through_the_client_that_waits(door: Door) -> None:
    token, other = await token_of(door, door.user), await token_of(door, f"{door.user}-other", "read")

    def live(url: str) -> None:
        with Memory(url, token) as memory:
            told = memory.remember("I play the viola.", key="once")
            assert memory.remember("I play the viola.", key="once").fact_id == told.fact_id
            [fact] = [each for each in memory.facts().facts if each.fact_id == told.fact_id]
            assert "viola" in fact.statement
            assert fact.valid_to is None
            fixed = memory.correct(told.fact_id, "I play the cello.")
            assert memory.forget(fixed.fact_id).fact_id == fixed.fact_id
            memory.add("The spare key lies under the blue pot.", source_id="a note/1", kind="note")
            assert memory.search("Where is the spare key?").results[0].source_id == "a note/1"
            assert memory.delete_source("a note/1").segments == 1
            assert [each for each in memory.search("the spare key").results if each.source_id == "a note/1"] == []
            with pytest.raises(NotFoundError):
                memory.forget("f-0000000000000000")
            with pytest.raises(PermissionDeniedError):
                memory.facts(user_id="somebody-else")
            with pytest.raises(InvalidRequestError):
                memory.timeline(limit=0)
        with Memory(url, other) as memory:
            assert memory.search("viola").results == ()
            with pytest.raises(PermissionDeniedError):
                memory.remember("I play the viola.")
        with Memory(url, "not-a-token") as memory, pytest.raises(AuthenticationError):
            memory.facts()

    async with served(door) as url:
        await asyncio.to_thread(live, url)


@pytest.mark.postgres
@pytest.mark.parametrize("page", [PACKAGE / "README.md", PACKAGE.parents[1] / "docs" / "howto" / "use-python.md"])
async def test_what_the_pages_show_runs(door: Door, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)[0]
    token = await token_of(door, door.user)
    async with served(door) as url:
        script = re.sub(r"http://[\w.]+:8000", url, shown).replace("YOUR_TOKEN", token).replace("TOKEN", token)
        await asyncio.to_thread(exec, compile(script, page.name, "exec"), {})
    assert "Lisbon" in capsys.readouterr().out


LANGCHAIN = """
import asyncio, json, os
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from memoray_client import Memory
from memoray_client.integrations.langchain import ConversationWriter, MemorayRetriever, memory_tool

memory = Memory(os.environ["URL"], os.environ["TOKEN"])
remembered = memory_tool(memory)

def answer(state):
    told = remembered.invoke({"question": state["messages"][-1].text})
    return {"messages": [AIMessage("I know: " + told)]}

graph = StateGraph(MessagesState)
graph.add_node("answer", answer)
graph.add_node("keep", ConversationWriter(memory, "thread-7"))
graph.add_edge(START, "answer")
graph.add_edge("answer", "keep")
graph.add_edge("keep", END)
agent = graph.compile()
first = agent.invoke({"messages": [SystemMessage("Be kind."), HumanMessage("The spare key lies under the blue pot.")]})
second = agent.invoke({"messages": [*first["messages"], HumanMessage("Where is the spare key?")]})
agent.invoke(second)
retriever = MemorayRetriever(memory=memory, limit=3)
found = retriever.invoke("spare key")
later = asyncio.run(retriever.ainvoke("spare key"))
print(json.dumps({
    "answer": second["messages"][-1].text,
    "tool": remembered.name,
    "found": [each.page_content for each in found],
    "speakers": [each.metadata["speaker"] for each in found],
    "same": [each.id for each in found] == [each.id for each in later],
}))
"""


@pytest.mark.postgres
async def test_langgraph_agents_remember(door: Door, tmp_path: Path) -> None:
    token = await token_of(door, door.user)
    async with served(door) as url:
        told = await run_client(LANGCHAIN, tmp_path, URL=url, TOKEN=token, PYTHONPATH=str(PACKAGE))
    assert told["tool"] == "search_memory"
    assert "blue pot" in told["answer"]
    assert "The spare key lies under the blue pot." in told["found"]
    assert told["same"]
    rows = await door.rows(
        "SELECT s.role, s.source_id FROM segments s WHERE s.scope = %(scope)s ORDER BY s.at", scope=f"user:{door.user}"
    )
    assert [row["role"] for row in rows] == ["user", "assistant", "user", "assistant", "assistant"]
    assert {row["source_id"][:9] for row in rows} == {"thread-7-"}


PIPECAT = """
import asyncio, json, os, sys
from loguru import logger
logger.remove()
from pipecat.frames.frames import (
    LLMContextFrame, LLMFullResponseEndFrame, LLMFullResponseStartFrame, LLMTextFrame, TranscriptionFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.tests.utils import SleepFrame, run_test
from memoray_client import AsyncMemory
from memoray_client.integrations.pipecat import MemoraySpeechMemory

class Heard(FrameProcessor):
    # as a user's aggregator does at the end of a turn
    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, TranscriptionFrame):
            said, maybe = {"role": "user", "content": frame.text}, frame.user_id == "maybe"
            heard = LLMContext([*context.get_messages(), said]) if maybe else context
            if not maybe:
                context.add_message(said)
            frame = LLMContextFrame(heard, speculation=maybe)
        await self.push_frame(frame, direction)

class Parrot(FrameProcessor):
    # a language model that says what it was reminded of
    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        given.append([each["content"] for each in frame.context.get_messages()])
        if frame.speculation:
            return
        for each in (LLMFullResponseStartFrame(), LLMTextFrame("I see, " + str(len(given))), LLMFullResponseEndFrame()):
            await self.push_frame(each, direction)

context, given = LLMContext([{"role": "system", "content": "Be kind."}]), []

async def main():
    async with AsyncMemory(os.environ["URL"], os.environ["TOKEN"]) as memory:
        kept = MemoraySpeechMemory(memory, "kitchen", budget_s=5.0)
        pipeline = Pipeline([Heard(), kept, Parrot(), LLMContextAggregatorPair(context).assistant()])
        turns = [("The spare key lies under the blue pot.", ""), ("Where is the spare key?", "")]
        frames = []
        for text, who in turns:
            frames += [TranscriptionFrame(text, who, "2026-03-01T08:00:00Z"), SleepFrame(2.0)]
        frames += [TranscriptionFrame("Never mind the k", "maybe", "2026-03-01T08:00:00Z"), SleepFrame(0.5)]
        await run_test(pipeline, frames_to_send=frames, start_timeout=30.0)

asyncio.run(main())
print(json.dumps({"given": given}))
"""


@pytest.mark.postgres
async def test_a_pipecat_pipeline_remembers(door: Door, tmp_path: Path) -> None:
    token = await token_of(door, door.user)
    async with served(door) as url:
        told = await run_client(PIPECAT, tmp_path, URL=url, TOKEN=token, PYTHONPATH=str(PACKAGE))
    first, second, guessed = told["given"]
    assert first[-1] == second[1] == "The spare key lies under the blue pot."
    [note] = [each for each in second if each.startswith(NOTE)]
    assert "blue pot" in note, "what was said is remembered when it is asked for"
    assert second[-1] == "Where is the spare key?"
    assert guessed[-1] == "Never mind the k"
    assert len([each for each in guessed if each.startswith(NOTE)]) <= 1
    rows = await door.rows(
        "SELECT s.role, s.source_id, c.words FROM segments s JOIN content c USING (scope, content_id)"
        " WHERE s.scope = %(scope)s ORDER BY s.at",
        scope=f"user:{door.user}",
    )
    assert [(row["role"], row["words"]) for row in rows] == [
        ("user", "The spare key lies under the blue pot."),
        ("assistant", "I see, 1"),
        ("user", "Where is the spare key?"),
        ("assistant", "I see, 2"),
    ]
    assert {row["source_id"][:8] for row in rows} == {"kitchen-"}
