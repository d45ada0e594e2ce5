"""How many statements a request sends to the database: as many for fifty results as for five."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.postgres.history import Q as HISTORY
from adapters.postgres.pool import Pool
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

PEOPLE = (
    "Ana",
    "Ben",
    "Cleo",
    "Dora",
    "Emil",
    "Fay",
    "Gus",
    "Hana",
    "Ivo",
    "Jana",
    "Karl",
    "Lia",
    "Max",
    "Nora",
    "Olaf",
    "Pia",
    "Quinn",
    "Rosa",
    "Sven",
    "Tara",
    "Udo",
    "Vera",
    "Will",
    "Xenia",
    "Yara",
    "Zoe",
)
THINGS = ("tea", "figs", "jazz")
BESIDE = ("FROM serving", "FROM tokens", "DELETE FROM audit")
"""What is remembered for a second or a few and looked up anew by whatever request comes then, and what trims the trail
of requests two seconds after the first of them."""


@pytest.fixture
async def peopled(door: Door) -> Door:
    """A memory in which 78 facts about 26 people are known."""
    lines = [("Maya", f"{who} likes {what}.") for who in PEOPLE for what in THINGS]
    await door.post("/v1/sources", talk("likes", "2026-03-01", *lines), 202)
    await door.settle()
    return door


async def counted(
    door: Door, monkeypatch: pytest.MonkeyPatch, path: str, body: Any = None, **parameters: Any
) -> tuple[int, int]:
    """Statements one request takes, and how many results it has; the request before warms what is remembered."""
    sent: list[str] = []
    rows = Pool._rows

    async def counting(self: Pool, sql: str, given: dict[str, Any]) -> Any:
        if not any(table in sql for table in BESIDE):
            sent.append(sql)
        return await rows(self, sql, given)

    for _ in range(2):
        sent.clear()
        with monkeypatch.context() as patched:
            patched.setattr(Pool, "_rows", counting)
            found = await (door.post(path, body) if body is not None else door.get(path, **parameters))
    listed = found.get("results") or found.get("facts") or found.get("entities")
    return len(sent), len(listed)


CONTEXT = {"query": "Who likes what?", "cut": "none", "record_access": "false"}
LISTS = {
    "context": ("/v1/context", CONTEXT),
    "context within a budget": ("/v1/context", {**CONTEXT, "budget_tokens": 100_000}),
    "context with its reasons": ("/v1/context", {**CONTEXT, "explain": "true"}),
    "facts": ("/v1/facts", {}),
    "entities": ("/v1/entities", {}),
}


@pytest.mark.parametrize("name", LISTS)
async def test_fifty_results_take_as_many_statements_as_five(
    peopled: Door, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path, parameters = LISTS[name]
    few = await counted(peopled, monkeypatch, path, **parameters, limit=5)
    many = await counted(peopled, monkeypatch, path, **parameters, limit=50)
    assert few[1] == 5
    assert many[1] > 2 * few[1]
    assert many[0] == few[0]


async def test_an_answer_takes_as_many_statements_for_fifty_as_for_five(
    peopled: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": "Who likes figs?", "cut": "none", "record_access": False}
    few = await counted(peopled, monkeypatch, "/v1/ask", {**body, "limit": 5})
    many = await counted(peopled, monkeypatch, "/v1/ask", {**body, "limit": 50})
    assert many[1] > few[1]
    assert many[0] <= few[0] + 1  # one more where the leading fact rests on words that no hit is


async def test_a_budget_costs_two_statements_more(peopled: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = await counted(peopled, monkeypatch, "/v1/context", **CONTEXT)
    budgeted = await counted(peopled, monkeypatch, "/v1/context", **CONTEXT, budget_tokens=1000)
    assert budgeted[0] == plain[0] + 2  # what is known around the hits, and at once the zone that days are told in


@pytest.mark.parametrize("path", ["/v1/reflection", "/v1/contradictions"])
async def test_a_look_at_all_facts_serves_again_until_the_memory_moves(
    peopled: Door, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    sent: list[str] = []
    rows = Pool._rows

    async def counting(self: Pool, sql: str, given: dict[str, Any]) -> Any:
        sent.append(sql)
        return await rows(self, sql, given)

    first = await peopled.get(path)
    monkeypatch.setattr(Pool, "_rows", counting)
    assert await peopled.get(path) == first
    assert [sql for sql in sent if not any(table in sql for table in BESIDE)] == [HISTORY["stamp"]]
    sent.clear()
    await peopled.post("/v1/facts", {"text": "I like figs."}, 201)
    await peopled.get(path)
    assert HISTORY["facts_seen"] in sent
