"""The sample conversation, told to the real memory: what it must and must not make of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

import pytest
import uvicorn

from cli import demo
from deployments.gateway import create_app
from tests.api.conftest import Door

DEMO: dict[str, Any] = json.loads((files("cli") / "demo_conversation.json").read_text(encoding="utf-8"))


@pytest.fixture
async def url(door: Door) -> AsyncIterator[str]:
    """The door on a loopback port, for a client that knows nothing of this process."""
    config = uvicorn.Config(create_app(door.app), host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


async def told(door: Door, url: str) -> None:
    """Run the demonstration as `memoray up` does, while this process does the worker's work."""
    thread = threading.Thread(target=demo.run, args=(url, "a" * 43))
    thread.start()
    while thread.is_alive():
        await door.settle()
        await asyncio.sleep(0.02)


def lines_after(text: str, question: str) -> list[str]:
    """What stands below a question, as lines a narrow console has not broken."""
    return text.partition(f"{question}\n")[2].partition("\n\n")[0].splitlines()


async def test_the_demonstration_believes_what_was_meant_and_no_joke(
    door: Door, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    await told(door, url)
    first = capsys.readouterr().out
    memory = await door.app.stores.journal.load(DEMO["user"])
    active = {(fact.predicate, fact.object) for fact in memory.facts.values() if fact.status == "active"}
    past = {(fact.predicate, fact.object) for fact in memory.facts.values() if fact.status == "superseded"}
    assert ("lives_in", "Ghent") in active
    assert ("lives_in", "Antwerp") in past
    assert ("prefers", "green tea") in active
    assert ("prefers", "flat white") in past
    statements = " ".join(fact.statement for fact in memory.facts.values())
    assert "nickname is Pri" in statements
    assert "marry" not in statements
    assert "moon" not in statements
    assert "needs it" not in statements
    people = {entity.name: entity.aliases for entity in memory.entities.values() if entity.type == "person"}
    assert people.keys() == {"Nora", "Tomas", "Priyanka"}, "a dog is nobody's contact"
    assert people["Priyanka"] == ("Pri",)
    assert any(entity.type == "promise" for entity in memory.entities.values())
    assert all(question in first for question in DEMO["questions"])
    living, drinking, promising = [lines_after(first, question) for question in DEMO["questions"]]
    assert living[0] == "Nora lives in Ghent (since 31 January 2026; before: Antwerp)"
    assert living[1].endswith("[demo-03-phone-call/1]")
    assert living[2].endswith("[demo-01-breakfast/1]")
    assert drinking[0].startswith("Nora's favorite drink is green tea now (since 11 February 2026; before: a flat")
    assert drinking[1].endswith("[demo-04-voice-memo/1]")
    assert drinking[2].endswith("[demo-01-breakfast/3]")
    assert promising[0].startswith("Nora promises to send Tomas the photos")
    assert promising[1].endswith("[demo-03-phone-call/3]")
    await told(door, url)
    assert "nothing was changed" in capsys.readouterr().out
    assert await door.app.stores.journal.load(DEMO["user"]) == memory
