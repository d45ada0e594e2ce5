"""What a model answers is as sensitive as what it may have used: it was asked by somebody who sees it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest

from memory.model.prompts import Prompt
from memory.model.scopes import Sensitivity
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

pytestmark = pytest.mark.postgres
ASKED = "What does Dr. Ottokar say?"


class Telling:
    """A language model that repeats what it was told of the memory."""

    name = "telling"

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        yield "Dr. Ottokar says: hibernate." if "hibernate" in prompt.system else "I do not know."


async def say(client: httpx.AsyncClient, way: str, words: str = ASKED) -> str:
    if way == "/v1/chat":
        return (await client.post(way, json={"message": words})).text
    body = {"model": "memoray", "messages": [{"role": "user", "content": words}], "stream": way == "stream"}
    return (await client.post("/v1/chat/completions", json=body)).text


async def levels(door: Door) -> set[int]:
    rows = await door.rows(
        "SELECT sensitivity FROM sources WHERE scope = %(scope)s AND source_id LIKE 'chat-%%'",
        scope=f"user:{door.user}",
    )
    return {row["sensitivity"] for row in rows}


@pytest.mark.parametrize("way", ["/v1/chat", "whole", "stream"])
async def test_an_answer_made_of_sensitive_memory_is_kept_as_such(door: Door, way: str) -> None:
    door.app.model = Telling()  # type: ignore[assignment]
    vault = talk("vault", "2026-03-02", ("Maya", "Dr. Ottokar says that I must hibernate."), sensitivity="sensitive")
    async with (
        await door.client_of(door.user, clearance=Sensitivity.SENSITIVE) as high,
        await door.client_of(door.user) as everyday,
    ):
        await say(high, way, "Hello there")
        assert await levels(door) == {Sensitivity.OPEN}, "nothing is secret yet"
        assert (await high.post("/v1/sources", json=vault)).status_code == 202
        await door.settle()
        await say(everyday, way, "Good morning")
        assert await levels(door) == {Sensitivity.OPEN}, "who does not see it cannot be told of it"
        assert "hibernate" in await say(high, way)
        assert await levels(door) == {Sensitivity.OPEN, Sensitivity.SENSITIVE}
        seen: list[dict[str, Any]] = (await everyday.get("/v1/sources")).json()["sources"]
        assert len([each for each in seen if each["source_id"].startswith("chat-")]) == 2
        found = await everyday.get("/v1/context", params={"query": ASKED, "cut": "none"})
        assert "says: hibernate" not in found.text
        door.app.model = None
        await say(high, way)
        assert await levels(door) == {Sensitivity.OPEN, Sensitivity.SENSITIVE}, "a quotation makes nothing more open"
