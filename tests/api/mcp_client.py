"""The SDK's own client, speaking to the front door over a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import Door
from tests.api.foreign import token_of


@asynccontextmanager
async def host(
    door: Door, url: str, path: str = "/mcp", *, mode: str = "auto", user: str = "", permission: str = "write"
) -> AsyncIterator[Client]:
    """A host of MCP that has a token of the door's user, or of another."""
    token = await token_of(door, user or door.user, permission)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30.0, trust_env=False) as http:
        transport = streamable_http_client(f"{url}{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def told(client: Client, tool: str, /, **arguments: Any) -> Any:
    """The structured answer of a tool that does what it was asked."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, /, **arguments: Any) -> str:
    """Why a tool does not do it."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    [text] = result.content
    return str(getattr(text, "text", ""))
