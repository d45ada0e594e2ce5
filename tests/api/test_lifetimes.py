"""Lifetimes over HTTP: recalls leave their trace or none, what is archived is hidden and yet found, figures add up."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.commands import CloseNight, Crossing
from tests.api.conftest import Door

SAID = {
    "source_id": "cellar",
    "started_at": "2026-03-01T08:00:00Z",
    "segments": [{"segment_id": "1", "speaker": "Maya", "text": "I live in Lisbon.", "start": 0, "end": 2}],
}


@pytest.fixture
async def lived(door: Door) -> Door:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    await door.post("/v1/sources", SAID, 202)
    await door.settle()
    return door


async def ask(door: Door, **how: Any) -> list[str]:
    answer = await door.get("/v1/context", query="Where does Maya live?", cut="none", **how)
    await door.shard._accesses.commit()
    return [hit["segment_id"] for hit in answer["results"]]


async def traces(door: Door) -> dict[str, list[Any]]:
    statements = {
        "accesses": "SELECT id, count, value, gradient FROM accesses WHERE user_id = %(user)s ORDER BY id",
        "journal": "SELECT kind FROM journal WHERE user_id = %(user)s AND kind = 'RecordAccess'",
    }
    return {name: await door.rows(sql, user=door.user) for name, sql in statements.items()}


@pytest.mark.conforms("002:access.record_access_false", "003:access.record_access_false")
async def test_a_question_that_must_leave_no_trace_leaves_none(lived: Door) -> None:
    assert await ask(lived, record_access="false") == ["1"]
    assert await traces(lived) == {"accesses": [], "journal": []}


@pytest.mark.conforms("002:access.count", "002:state.active_at")
async def test_a_recall_counts_once_for_the_fact_its_entities_and_its_source(lived: Door) -> None:
    assert await ask(lived) == ["1"]
    [fact] = (await lived.get("/v1/facts"))["facts"]
    assert fact["state"] == "active"
    found = await traces(lived)
    assert {row["id"]: row["count"] for row in found["accesses"]}.keys() >= {fact["fact_id"], "source:cellar"}
    assert all(row["count"] == 1 for row in found["accesses"])
    assert len(found["journal"]) == 1
    await lived.shard._accesses.commit()
    assert await traces(lived) == found, "a second commit has nothing to say"


@pytest.mark.conforms("002:state.archived_hidden", "002:archive.evidence_is_found")
async def test_what_is_archived_is_in_no_list_and_its_words_are_found(lived: Door) -> None:
    [fact] = (await lived.get("/v1/facts"))["facts"]
    place = next(each for each in (await lived.get("/v1/entities"))["entities"] if each["name"] == "Lisbon")
    crossings = (
        Crossing("fact", fact["fact_id"], "state", "candidate", "archived"),
        Crossing("entity", place["entity_id"], "state", "candidate", "archived"),
        Crossing("source", "cellar", "state", "candidate", "archived"),
    )
    await lived.actors.turn(
        lived.user,
        CloseNight(command_id="c-night", actor="night", night="2026-03-03", step="states", crossings=crossings),
        {},
    )
    assert (await lived.get("/v1/facts"))["facts"] == []
    assert "Lisbon" not in [each["name"] for each in (await lived.get("/v1/entities"))["entities"]]
    assert (await lived.get("/v1/sources"))["sources"] == []
    assert (await lived.get("/v1/sources/cellar"))["state"] == "archived", "by its id it is there"
    assert (await lived.get(f"/v1/facts/{fact['fact_id']}"))["state"] == "archived"
    assert await ask(lived) == ["1"]
    assert [each["state"] for each in (await lived.get("/v1/facts"))["facts"]] == ["active"], "and it is back"


@pytest.mark.conforms("000:night.tier_stats", "000:stats.low_salience")
async def test_a_night_over_http_tells_every_step_and_stats_agree_with_it(lived: Door) -> None:
    report = await lived.post("/v1/night")
    assert {"pending", "decay", "tiers", "states", "pruning", "notes", "proof"} <= set(report)
    assert set(report["proof"]) == {"questions", "before", "after", "undone"}
    assert report["proof"]["questions"] > 0
    stats = await lived.get("/v1/stats")
    assert stats["entities_count"] == report["decay"]["entities"]
    assert stats["tiers"]["low_salience"] == report["decay"]["low_salience"]
    assert {tier: stats["tiers"][tier] for tier in ("L0", "L1", "L2")} == report["tiers"]["after"]
    assert await lived.post("/v1/night", {"night": report["night"]}) == report
