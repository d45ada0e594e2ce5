"""Every tool of every MCP mount is called with what its schema allows, and with much that it does not."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx
import pytest

from deployments.gateway import create_app
from tests.api.conftest import Door
from tests.api.foreign import token_of
from tests.api.test_sources_and_context import conversation

pytestmark = pytest.mark.postgres
CALLS = 15
"""Of each tool; more find nothing that these do not, and take their time."""
SEED = 7
ODD = (
    "",
    " ",
    "!!!",
    "\u200b",
    "🙂",
    "a" * 201,
    "'; DROP TABLE facts;--",
    "../..",
    "\u202eabc",
    "a\nb",
    "x\x00y",
    "\ud800",
    "%s {0}",
    "I",
    "owner",
    "main",
    "e-00",
    "f-00",
    "9" * 400,
    "last_week",
    "ß" * 3_000,
    "null",
    "formerly:live",
)
PLAIN = ("Maya", "Elena", "works_at", "plays", "Lisbon", "likes tea", "Who visits?", "2026-03-01T08:00:00Z")
WRONG = (None, True, 0, -1, 1, 10**30, 1.5, [], {}, [[]], [None], ["x"], {"name": "x"})
NUMBERS = (0, 1, 5, 50, 51, -3, 10**12)


def drawn(schema: dict[str, Any], known: dict[str, Any], draw: random.Random) -> Any:
    """A value of a schema; now and then something else."""
    if draw.random() < 0.07:
        return draw.choice(WRONG + ODD)
    if "$ref" in schema:
        return drawn(known[schema["$ref"].rpartition("/")[2]], known, draw)
    if "anyOf" in schema:
        return drawn(draw.choice(schema["anyOf"]), known, draw)
    match schema.get("type"):
        case "object":
            needed = schema.get("required", [])
            parts = schema.get("properties", {}).items()
            return {name: drawn(of, known, draw) for name, of in parts if name in needed or draw.random() < 0.4}
        case "array":
            return [drawn(schema["items"], known, draw) for _ in range(draw.randint(0, 2))]
        case "integer" | "number":
            return draw.choice(NUMBERS)
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
    return draw.choice(schema.get("enum") or (ODD if draw.random() < 0.5 else PLAIN))


async def test_whatever_a_tool_is_given_it_answers(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    draw, transport = random.Random(SEED), httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "authorization": f"Bearer {await token_of(door, door.user)}",
    }
    done = 0
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        for path in ("/mcp", "/mcp/memory", "/mcp/graphiti"):
            listed = await client.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            for tool in listed.json()["result"]["tools"]:
                schema = tool["inputSchema"]
                for _ in range(CALLS):
                    asked = {"name": tool["name"], "arguments": drawn(schema, schema.get("$defs", {}), draw)}
                    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
                    answer = await client.post(path, content=json.dumps(message))
                    assert answer.status_code < 500, asked
                    assert "should not happen" not in answer.text, asked
                    done += not answer.json().get("result", {}).get("isError", True)
    assert done > 100
    assert "DROP TABLE" not in caplog.text
