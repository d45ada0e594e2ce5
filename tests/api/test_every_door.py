"""What one person said is told to them at every door, to nobody else at any, and at none once it is forgotten.

The doors are those that answer questions or list what is known. A dialect without a line here fails the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from deployments.dialect import every_dialect
from tests.api.conftest import Door
from tests.api.foreign import token_of

pytestmark = pytest.mark.postgres
MARK, KEPT = "quillfeather", "thistledown"
"""Words that nobody else says: one that is asked about, and one that only the answer holds."""
QUESTION = f"Who keeps a {MARK}?"
SAID = {
    "source_id": "marked",
    "started_at": "2026-03-01T08:00:00Z",
    "provenance": {"group_id": "home", "role_type": "user"},
    "segments": [{"speaker": "Maya", "text": f"My sister Elena keeps a {MARK} in a box of {KEPT}.", "role": "user"}],
}
Asked = tuple[str, str, Any]
"""Method, path, body."""


def called(path: str, tool: str, **arguments: Any) -> Asked:
    asked = {"name": tool, "arguments": arguments}
    return "POST", path, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}


def ways(token: str, user: str) -> Mapping[str, list[Asked]]:
    """Door -> requests that tell what is known, by whoever holds the token."""
    chat = {"model": "memoray", "messages": [{"role": "user", "content": QUESTION}], "store": False}
    return {
        "our own": [
            ("GET", f"/v1/context?query={MARK}&cut=none", None),
            ("POST", "/v1/ask", {"query": QUESTION}),
            ("GET", "/v1/timeline", None),
            ("GET", "/v1/sources", None),
            ("POST", "/v1/chat", {"message": QUESTION}),
        ],
        "mcp": [called("/mcp", "search_memory", query=MARK), called("/mcp", "ask", query=QUESTION)],
        "mcp-memory": [called("/mcp/memory", "search_nodes", query="Elena"), called("/mcp/memory", "read_graph")],
        "mcp-graphiti": [called("/mcp/graphiti", "get_episodes"), called("/mcp/graphiti", "search_nodes", query=MARK)],
        "graphiti": [("GET", "/graphiti/episodes/home?last_n=10", None)],
        "mem0": [
            ("POST", "/v3/memories/search/", {"query": MARK, "filters": {"user_id": user}}),
            ("POST", "/v3/memories/", {"filters": {"user_id": user}}),
        ],
        "openai": [("POST", "/v1/chat/completions", chat)],
        "omi": [("POST", f"/omi/{token}/tools/search_memory", {"uid": "u", "query": MARK})],
        "webhook": [],  # it only takes in
    }


async def told(client: httpx.AsyncClient, token: str, user: str) -> set[str]:
    """The doors at which it is told."""
    found = set()
    headers = {"X-Internal-Token": token, "Accept": "application/json, text/event-stream"}
    for door, requests in ways(token, user).items():
        for method, path, body in requests:
            answer = await client.request(method, path, json=body, headers=headers)
            assert answer.status_code == 200, (door, path, answer.text)
            if KEPT in answer.text:
                found.add(door)
    return found


def test_every_dialect_has_a_line() -> None:
    assert {each.name for each in every_dialect()} <= ways("", "").keys()


async def test_it_is_told_at_every_door_to_nobody_else_and_not_once_it_is_forgotten(door: Door) -> None:
    await door.post("/v1/sources", SAID, 202)
    await door.settle()
    mine, stranger = await token_of(door, door.user), await token_of(door, f"{door.user}-next-door")
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as client:
        telling = {name for name, requests in ways("", "").items() if requests}
        assert await told(client, mine, door.user) == telling
        assert await told(client, stranger, door.user) == set()
        answer = await door.client.delete("/v1/sources/marked")
        assert answer.status_code == 200, answer.text
        assert await told(client, mine, door.user) == set()
