"""Messages as chats of several people and long ones send them to OpenAI's dialect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_openai import CHAT, talks

pytestmark = pytest.mark.postgres


def named(*said: tuple[str | None, str]) -> dict[str, Any]:
    messages = [{"role": "user", "content": words, "name": name} for name, words in said]
    return {"model": "memoray", "messages": messages}


async def test_who_is_named_in_a_message_says_it(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Lisbon"})
    said = (("Ravi", "I moved to Ghent."), ("maya", "I moved to Lisbon."), (None, "I like figs."), ("", "I like tea."))
    await door.post(CHAT, named(*said))
    await door.settle()
    facts = {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}
    assert facts >= {"Ravi lives in Ghent", "Maya lives in Lisbon", "Maya likes figs", "Maya likes tea"}
    assert not any("Ghent" in each for each in facts if "Ravi" not in each)
    [source] = {source for source, *_ in await talks(door)}
    told = [(each["speaker"], each["role"]) for each in (await door.get(f"/v1/sources/{source}"))["segments"]]
    assert told == [("Ravi", "other"), ("maya", "user"), ("Maya", "user"), ("Maya", "user"), ("assistant", "assistant")]


async def test_parts_that_are_too_long_together_are_refused(door: Door) -> None:
    parts = [{"type": "text", "text": "word " * 60_000} for _ in range(2)]
    body = {"model": "memoray", "messages": [{"role": "user", "content": parts}]}
    answer = await door.client.post(CHAT, json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["param"] == "messages[0].content"
    assert await talks(door) == []
