"""The tools of an agent do what the routes do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation

TEN = {
    "search_memory",
    "remember_fact",
    "correct_fact",
    "confirm_fact",
    "get_entity_info",
    "explore",
    "traverse",
    "memory_stats",
    "explain_fact",
    "weak_facts",
}


async def call(door: Door, tool: str, /, **arguments: Any) -> Any:
    return await door.post(f"/v1/tools/{tool}", arguments)


async def test_every_tool_is_described_for_function_calling(door: Door) -> None:
    listed = await door.get("/v1/tools")
    assert {each["function"]["name"] for each in listed} == TEN
    for each in listed:
        schema = each["function"]["parameters"]
        assert (each["type"], schema["type"], schema["additionalProperties"]) == ("function", "object", False)
        assert each["function"]["description"]


async def test_a_fact_through_its_life(door: Door) -> None:
    told = await call(door, "remember_fact", statement="Maya plays the viola", subject="Maya")
    assert set(told) == {"fact_id", "outcome", "rivals"}
    fixed = await call(door, "correct_fact", fact_id=told["fact_id"], statement="Maya plays the cello")
    weak = (await call(door, "weak_facts"))["facts"]
    assert [each["fact_id"] for each in weak] == [fixed["fact_id"]]
    await call(door, "confirm_fact", fact_id=fixed["fact_id"][:14])
    assert (await call(door, "weak_facts"))["facts"] == []
    why = await call(door, "explain_fact", fact_id=fixed["fact_id"])
    assert [each["fact_id"] for each in why["supersedes"]] == [told["fact_id"]]
    assert {each["command"] for each in why["changes"]} == {"CorrectFact", "ConfirmFact"}


async def test_searching_and_looking_up(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    found = await call(door, "search_memory", query="Who visits?", entity_name="Elena", limit=1)
    assert found["results"][0]["segment_id"] == "3"
    assert (await call(door, "search_memory", query="visits", after="2026-03-02"))["results"] == []
    page = await call(door, "get_entity_info", name="elena")
    assert (page["name"], [each["segment_id"] for each in page["timeline"]]) == ("Elena", ["3"])
    assert await call(door, "get_entity_info", entity_id=page["entity_id"]) == page
    figures = await call(door, "memory_stats")
    assert figures["segments_count"] == 3
    assert figures["storage_bytes"] > 0
    assert sum(figures["entities"].values()) == figures["entities_count"] >= figures["orphans"]
    assert figures["maintenance"]["last_night"] is None


async def test_the_graph_is_walked_as_by_its_routes(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    page = await door.get("/v1/explore", name="Maya")
    assert [each["name"] for each in page["entities"]] == ["Maya"]
    assert await call(door, "explore", name="maya") == page
    met = await call(door, "traverse", name="Maya", depth=1)
    assert met == await door.get("/v1/traverse", name="Maya", depth=1)
    assert {each["name"] for each in met["entities"]} > {"Maya"}, "relations lead to others"
    assert len((await call(door, "traverse", name="Maya", limit=1))["entities"]) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("grow_memory", {}, 404),
        ("search_memory", {}, 422),
        ("search_memory", {"query": "a", "type": "dragon"}, 422),
        ("get_entity_info", {"name": "Nobody"}, 404),
        ("get_entity_info", {}, 422),
        ("explore", {"name": "Nobody"}, 404),
        ("explore", {}, 422),
        ("traverse", {"name": "Nobody"}, 404),
        ("traverse", {"name": "Maya", "depth": 5}, 422),
        ("confirm_fact", {"fact_id": "f-none"}, 404),
        ("remember_fact", {"text": "a", "statement": "b"}, 422),
        ("memory_stats", {"all": True}, 422),
    ],
)
async def test_a_wrong_call_is_told_what_is_wrong(
    door: Door, name: str, arguments: dict[str, Any], status: int
) -> None:
    assert (await door.post(f"/v1/tools/{name}", arguments, status))["status"] == status


async def test_a_reading_token_may_search_and_ask_but_not_tell(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    async with await door.client_of(door.user, permission="read") as reader:
        assert (await reader.post("/v1/tools/search_memory", json={"query": "Lisbon"})).json()["total"] >= 1
        assert (await reader.post("/v1/ask", json={"query": "Lisbon"})).status_code == 200
        assert (await reader.post("/v1/tools/remember_fact", json={"text": "No."})).status_code == 403


async def test_a_question_is_answered_with_citations(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    told = await door.post("/v1/ask", {"query": "Where does Maya live?"})
    assert not told["generated"]
    assert "Lisbon" in told["answer"]
    assert ("breakfast", "1") in {(each["source_id"], each["segment_id"]) for each in told["citations"]}
    await door.post("/v1/ask", {"query": ""}, 422)
    unknown = await door.client.post("/v1/ask", json={"query": "?"}, headers={"X-User-Id": f"nobody-{door.user}"})
    assert unknown.json()["answer"] == "I have nothing about that."
