"""MCP over HTTP: both protocols, Memoray's own tools, and what a request without a token or with nonsense gets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from deployments.gateway import create_app
from tests.api.conftest import Door
from tests.api.foreign import run_client, served, token_of
from tests.api.mcp_client import host, refused, told
from tests.api.test_sources_and_context import conversation

pytestmark = pytest.mark.postgres
OURS = {
    "search_memory",
    "remember_fact",
    "correct_fact",
    "confirm_fact",
    "get_entity_info",
    "memory_stats",
    "explain_fact",
    "weak_facts",
    "ask",
    "forget",
    "timeline",
    "promises",
    "explore",
    "traverse",
}
MOUNTS = ("/mcp", "/mcp/memory", "/mcp/graphiti")
ACCEPT = {"accept": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_of_ours(door: Door, mode: str) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    async with served(door) as url, host(door, url, mode=mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        listed = {each.name: each for each in (await client.list_tools()).tools}
        assert set(listed) == OURS
        assert all(each.description and each.input_schema["type"] == "object" for each in listed.values())
        found = await told(client, "search_memory", query="Who visits?")
        theirs = await door.post("/v1/tools/search_memory", {"query": "Who visits?"})
        assert [each["segment_id"] for each in found["results"]] == [each["segment_id"] for each in theirs["results"]]
        fact = await told(client, "remember_fact", statement="Maya plays the viola", subject="Maya")
        fixed = await told(client, "correct_fact", fact_id=fact["fact_id"], statement="Maya plays the cello")
        await told(client, "confirm_fact", fact_id=fixed["fact_id"])
        assert (await told(client, "explain_fact", fact_id=fixed["fact_id"]))["fact"]["subject"] == "Maya"
        assert "facts" in await told(client, "weak_facts")
        assert (await told(client, "memory_stats"))["segments_count"] > 3
        assert (await told(client, "get_entity_info", name="Maya"))["name"] == "Maya"
        answer = await told(client, "ask", query="Which instrument does Maya play?")
        assert "cello" in answer["answer"]
        assert (await told(client, "timeline", limit=3))["entries"]
        assert (await told(client, "promises"))["total"] >= 0
        near = await told(client, "explore", name="Maya")
        assert "cello" in json.dumps(near["entities"])
        assert {each["name"] for each in (await told(client, "traverse", name="Maya"))["entities"]} >= {"Maya"}
        await told(client, "forget", fact_id=fixed["fact_id"])
        assert (await door.get("/v1/facts", subject="Maya", predicate="plays"))["facts"] == []
        today = await client.read_resource("memoray://today")
        assert today.contents[0].text.startswith("# 20")  # type: ignore[union-attr]
        assert {each.name for each in (await client.list_prompts()).prompts} == {"today", "about"}
        said = await client.get_prompt("about", {"topic": "Elena"})
        assert "Elena" in said.messages[0].content.text  # type: ignore[union-attr]
        assert [str(each.uri) for each in (await client.list_resources()).resources] == ["memoray://today"]
        for wrong in ("memoray://tomorrow", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="no such resource"):
                await client.read_resource(wrong)


async def test_who_may_not_and_what_is_wrong(door: Door) -> None:
    async with served(door) as url:
        async with host(door, url) as client:
            assert "search_memory" in await refused(client, "no_such_tool")
            assert await refused(client, "search_memory") == "query: is required"
            assert "limit" in await refused(client, "search_memory", query="x", limit="many")
            assert "no such fact" in await refused(client, "confirm_fact", fact_id="f-0000")
            assert "give one of" in await refused(client, "forget")
            mine = await told(client, "remember_fact", statement="Maya plays the viola", subject="Maya")
        async with host(door, url, permission="read") as client:
            assert "only read" in await refused(client, "remember_fact", text="I live in Lisbon.")
            assert "only read" in await refused(client, "forget", fact_id=mine["fact_id"])
            assert (await told(client, "explore", name="Maya"))["entities"]
        async with host(door, url, user=f"{door.user}-other", permission="admin") as client:
            assert "no such fact" in await refused(client, "explain_fact", fact_id=mine["fact_id"])
            assert (await told(client, "timeline"))["entries"] == []


@pytest.mark.parametrize("path", MOUNTS)
async def test_a_request_is_refused_before_it_is_read(door: Door, path: str) -> None:
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    token = {"authorization": f"Bearer {await token_of(door, door.user)}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=ACCEPT) as client:
        for headers in ({}, {"authorization": "Bearer wrong"}):
            answer = await client.post(path, json=LIST, headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert answer.headers["content-type"] == "application/json"
            assert answer.json()["detail"] == answer.json()["error"]["message"]
        answer = await client.get(path, headers=token)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        for address in (path, f"{path}/"):
            answer = await client.post(address, json=LIST, headers=token)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
            assert answer.json()["result"]["tools"]
        as_admin = {"x-internal-token": "a" * 43, "x-user-id": f"{door.user}-ward"}
        call = {**LIST, "method": "tools/call", "params": {"name": "read_graph", "arguments": {}}}
        if path == "/mcp/memory":
            answer = await client.post(path, json=call, headers=as_admin)
            assert answer.json()["result"]["structuredContent"] == {"entities": [], "relations": []}
            answer = await client.post(path, json=call, headers={**token, "x-user-id": "somebody"})
            assert "administrator" in answer.json()["result"]["content"][0]["text"]


@pytest.mark.parametrize("path", MOUNTS)
async def test_nonsense_gets_an_error_of_the_protocol(door: Door, path: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    headers = {**ACCEPT, "authorization": f"Bearer {await token_of(door, door.user)}"}
    calls: list[Any] = [
        {"name": "zebra words", "arguments": "zebra"},
        {"name": ["zebra words"]},
        {"name": "search_nodes", "arguments": {"query": "\ud800"}},
        {"name": "read_graph", "arguments": {"zebra": 1}},
        {"name": "search_memory", "arguments": {"query": "\x00 zebra"}},
    ]
    messages = [{**LIST, "method": "tools/call", "params": each} for each in calls]
    messages += [{**LIST, "method": each} for each in ("zebra words", "server/discover", "notifications/zebra")]
    messages += [{**LIST, "method": "resources/read", "params": {"uri": "zebra words"}}]
    bodies = [b"", b"{", b"[]", b'"hello"', b"null", b"1" * 5000, b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}']
    bodies += [json.dumps(each).encode() for each in messages]
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        for version in ({}, {"mcp-protocol-version": "2026-07-28"}, {"mcp-protocol-version": "2199-01-01"}):
            for body in bodies:
                sent = {"content-type": "application/json", **version}
                answer = await asyncio.wait_for(client.post(path, content=body, headers=sent), 5)
                assert answer.status_code < 500, (version, body[:80], answer.text)
        answer = await client.post(path, content=b"{}", headers={"content-type": "text/plain"})
        assert answer.status_code in (400, 415)
    assert "zebra" not in caplog.text


LANGCHAIN = """
import asyncio, json, os
from langchain_mcp_adapters.client import MultiServerMCPClient

async def main():
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
    client = MultiServerMCPClient({
        name: {"transport": "streamable_http", "url": os.environ["URL"] + path, "headers": headers}
        for name, path in (("own", "/mcp"), ("memory", "/mcp/memory"), ("graphiti", "/mcp/graphiti"))
    })
    tools = {each.name: each for each in await client.get_tools(server_name="own")}
    await tools["remember_fact"].ainvoke({"statement": "Maya plays the viola", "subject": "Maya"})
    found = await tools["search_memory"].ainvoke({"query": "Which instrument does Maya play?"})
    graph = {each.name: each for each in await client.get_tools(server_name="memory")}
    made = await graph["create_entities"].ainvoke(
        {"entities": [{"name": "Robin", "entityType": "person", "observations": ["sings bass"]}]})
    temporal = await client.get_tools(server_name="graphiti")
    print(json.dumps([sorted(tools), str(found), sorted(graph), str(made), len(temporal)]))

asyncio.run(main())
"""


async def test_langchain_loads_the_tools_and_calls_them(door: Door, tmp_path: Any) -> None:
    async with served(door) as url:
        token = await token_of(door, door.user)
        own, found, graph, made, temporal = await run_client(LANGCHAIN, tmp_path, URL=url, TOKEN=token)
    assert (set(own), len(graph), temporal) == (OURS, 9, 13)
    assert "viola" in found
    assert "Robin" in made
