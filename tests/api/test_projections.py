"""What `GET /v1/stats` tells of projections, and what is searched where PostgreSQL's was dropped."""

from __future__ import annotations

from typing import Any

from memory.errors import Unavailable
from memory.model.scopes import Sensitivity, user_scope
from memory.services.project import follow
from tests.api.conftest import Door

NOTHING = {"heard": 0, "encoded": 0, "believed": 0}
ASKED = {"query": "Where did Maya move to?"}


async def tell(door: Door, source_id: str, text: str, **more: object) -> None:
    segment = {"segment_id": "1", "speaker": "Maya", "text": text, "start": 0}
    started = {"source_id": source_id, "started_at": "2026-03-01T08:00:00+00:00", "segments": [segment]}
    await door.post("/v1/sources", started | more, 202)


async def projections(door: Door) -> dict[str, Any]:
    return {each["name"]: each for each in (await door.get("/v1/stats"))["projections"]}


async def test_lag_is_told_of_each_projection(door: Door) -> None:
    assert {each["unread"] for each in (await projections(door)).values()} == {0}, "there is nothing to be read"
    await tell(door, "a", "I moved to Lisbon last month.")
    found = await projections(door)
    assert found.keys() == {"columns", "postgres"}
    assert (found["columns"]["unread"], found["columns"]["behind"]) == (1, NOTHING)
    assert (found["postgres"]["unread"], found["postgres"]["behind"]) == (0, NOTHING)
    assert {each["generation"] for each in found.values()} == {door.app.stores.encoder.name}
    await door.get("/v1/context", **ASKED)
    assert (await projections(door))["columns"] == found["columns"] | {"unread": 0}
    await tell(door, "b", "I moved to Porto.")
    assert (await projections(door))["columns"]["behind"] == NOTHING | {"heard": 1}
    await door.settle()
    behind = (await projections(door))["columns"]["behind"]
    assert behind["heard"] == 1
    assert behind["encoded"] > 0
    assert behind["believed"] == (await door.get("/v1/stats"))["pending"]["graph"] == 0, "turns are shown at once"
    await door.get("/v1/context", **ASKED)
    assert (await projections(door))["columns"]["behind"] == NOTHING


async def test_turns_of_another_writer_are_what_the_graph_is_behind(door: Door) -> None:
    await tell(door, "a", "I moved to Lisbon last month.")
    await door.settle()
    await door.get("/v1/context", **ASKED)
    await door.rows("UPDATE users SET version = version + 2 WHERE user_id = %(user)s RETURNING 1", user=door.user)
    stats = await door.get("/v1/stats")
    assert stats["pending"]["graph"] == 2
    assert {each["name"]: each["behind"]["believed"] for each in stats["projections"]} == {"columns": 2, "postgres": 0}


async def test_who_may_not_see_all_is_not_told_how_much_there_is(door: Door) -> None:
    await tell(door, "a", "I moved to Lisbon last month.", sensitivity="sensitive")
    async with await door.client_of(door.user, clearance=Sensitivity.PRIVATE) as other:
        told = (await other.get("/v1/stats")).json()
    assert (told["projections"], told["pending"]["graph"]) == ([], 0)


async def test_figures_do_not_wait_for_a_shard_that_is_away(door: Door, monkeypatch: Any) -> None:
    async def away(*_: object) -> object:
        return ()

    monkeypatch.setattr(door.actors, "projected", away)
    assert (await projections(door)).keys() == {"postgres"}


async def test_a_search_that_was_dropped_keeps_quiet_until_it_is_taken_up(door: Door, monkeypatch: Any) -> None:
    await tell(door, "a", "I moved to Lisbon last month.")
    await door.settle()

    async def away(*_: object) -> object:
        raise Unavailable

    monkeypatch.setattr(door.actors, "recall", away)
    assert (await door.get("/v1/context", **ASKED))["results"]
    scope, search = user_scope(door.user), door.app.stores.questions.search
    await search.drop(scope)
    assert (await door.get("/v1/context", **ASKED))["results"] == []
    assert (await projections(door))["postgres"]["unread"] == 1
    await follow(search, door.app.stores.questions.feed, scope)
    assert (await door.get("/v1/context", **ASKED))["results"]
    assert (await projections(door))["postgres"]["unread"] == 0
