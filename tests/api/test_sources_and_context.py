"""A source goes in and is found: at once by its words, later by its meaning and what it says."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import Door


def conversation(source_id: str = "breakfast", **rest: Any) -> dict[str, Any]:
    return {
        "source_id": source_id,
        "started_at": "2026-03-01T08:00:00+00:00",
        "segments": [
            {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon last month.", "start": 0, "end": 2},
            {"segment_id": "2", "speaker": "Ravi", "text": "How is the weather there?", "start": 2, "end": 4},
            {
                "segment_id": "3",
                "speaker": "Maya",
                "text": "Sunny. My sister Elena visits on Friday.",
                "start": 4,
                "end": 6,
            },
        ],
        **rest,
    }


async def test_a_source_is_found_by_its_words_in_the_next_request(door: Door) -> None:
    stored = await door.post("/v1/sources", conversation(), 202)
    assert stored == {"source_id": "breakfast", "segments": 3, "changed": 3, "status": "raw"}
    again = await door.post("/v1/sources", conversation(), 202)
    assert (again["segments"], again["changed"]) == (3, 0), "what was there already is not told as new"
    found = await door.get("/v1/context", query="Lisbon", limit=1)
    hit = found["results"][0]
    assert (hit["segment_id"], hit["speaker"], hit["source_session"]) == ("1", "Maya", "breakfast")
    assert hit["timestamp"] == 1772352000.0
    assert found["degraded"] == []
    assert found["pending"] == {"embedding": 1, "extraction": 1}


async def test_what_was_read_is_shown_with_its_hits(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    found = await door.get("/v1/context", query="Where did Maya move to?", limit=1)
    hit = found["results"][0]
    assert "place:Lisbon" in hit["entities"]
    assert hit["fact_ids"]
    assert found["pending"] == {"embedding": 0, "extraction": 0}
    assert "Maya: I moved to Lisbon last month." in found["context"]
    only = await door.get("/v1/context", query="Maya", entity="Elena", cut="none", limit=10)
    assert [hit["segment_id"] for hit in only["results"]] == ["3"]


async def test_where_no_storyline_stands_what_was_said_answers(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    said = await door.get("/v1/context", query="Lisbon")
    for granularity in (2, 3):
        assert await door.get("/v1/context", query="Lisbon", granularity=granularity) == {**said, "granularity": 1}
    assert said == await door.get("/v1/context", query="Lisbon", granularity=1)


async def test_a_careful_question_finds_the_same(door: Door) -> None:
    """In an order of its own where its encoder has verdicts."""
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    plain, careful = [
        await door.get("/v1/context", query="Where does Maya live?", **more) for more in ({}, {"effort": "careful"})
    ]
    assert plain["results"]
    assert {hit["segment_id"] for hit in plain["results"]} == {hit["segment_id"] for hit in careful["results"]}


async def test_the_same_source_again_changes_nothing(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    before = await door.app.stores.memory.journal.load(door.user)
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    assert await door.app.stores.memory.journal.load(door.user) == before


async def test_changed_words_are_read_again_and_the_old_ones_taken_back(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    body = conversation()
    body["segments"][0]["text"] = "I moved to Porto last month."
    await door.post("/v1/sources", body, 202)
    await door.settle()
    memory = await door.app.stores.memory.journal.load(door.user)
    active = {fact.object for fact in memory.facts.values() if fact.status == "active" and fact.predicate == "lives_in"}
    assert active == {"Porto"}
    found = await door.get("/v1/context", query="Lisbon", cut="none")
    assert all("Lisbon" not in hit["text"] for hit in found["results"])


async def test_without_the_shard_postgresql_answers(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()

    async def away(*_: object) -> None:
        from memory.errors import Unavailable

        raise Unavailable()

    door.actors.recall = away  # type: ignore[method-assign, assignment]
    found = await door.get("/v1/context", query="Where did Maya move to?", limit=1)
    assert found["results"][0]["segment_id"] == "1"
    assert "shard" in found["degraded"]
