"""What nights write is shown, hidden and forgotten with what it rests on, and a whole night can be taken back."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.commands import RecordAccess
from memory.model.scopes import Sensitivity
from tests.api.archives import exported, restored
from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation

WORDS = "My sister Elena lives in Zanzibar."
SECRET = {
    "source_id": "doctor",
    "started_at": "2026-03-02T08:00:00Z",
    "segments": [{"segment_id": "1", "speaker": "Maya", "text": WORDS, "start": 0, "end": 2}],
}


async def look(door: Door) -> None:
    """Somebody recalls everybody who is known."""
    known = await door.actors.believed(door.user)
    ids = tuple((each, 1) for each in sorted(known.entities))
    await door.actors.turn(
        door.user, RecordAccess(command_id=f"look-{known.version}", actor="access", accessed=ids), {}
    )


async def page(door: Door, name: str = "Elena", client: Any = None) -> dict[str, Any]:
    found = (await door.get("/v1/entities", name=name))["entities"]
    answer = await (client or door.client).get(f"/v1/entities/{found[0]['entity_id']}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


@pytest.fixture
async def slept(door: Door) -> Door:
    """Maya told of her sister, somebody looked, and a night went by."""
    await door.client.put("/v1/profile", json={"name": "Maya"})
    await door.post("/v1/sources", conversation(), 202)
    await door.post("/v1/sources", SECRET, 202)
    await door.settle()
    await look(door)
    door.report = await door.post("/v1/night")  # type: ignore[attr-defined]
    return door


async def described(door: Door) -> set[str]:
    rows = await door.rows(
        "SELECT words FROM content WHERE scope = 'user:' || %(user)s AND owner LIKE 'description:%%'", user=door.user
    )
    return {row["words"] for row in rows}


async def test_a_page_opens_with_what_the_night_has_written(slept: Door) -> None:
    told = await page(slept)
    assert next(iter(told)) == "description"
    assert told["description"].startswith('Quoted: "')
    assert "Zanzibar" in told["description"]
    report = slept.report["descriptions"]  # type: ignore[attr-defined]
    assert told["entity_id"] in report["written"]
    assert report["by"] == "extractive"
    as_of = await slept.client.get(f"/v1/entities/{told['entity_id']}?as_of=2026-03-05")
    assert as_of.json()["description"] is None, "it tells what holds now"


async def test_it_is_not_shown_where_something_it_rests_on_is_out_of_sight(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    await door.post("/v1/sources", {**SECRET, "sensitivity": "private"}, 202)
    await door.settle()
    await look(door)
    await door.post("/v1/night")
    assert "Zanzibar" in (await page(door))["description"]
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as limited:
        listed = (await limited.get("/v1/entities")).json()["entities"]
        pages = [(await limited.get(f"/v1/entities/{each['entity_id']}")).json() for each in listed]
    assert all(each["description"] is None for each in pages)


async def test_a_fact_that_is_no_longer_believed_takes_it_away_at_once_and_undo_brings_it_back(slept: Door) -> None:
    before = (await page(slept))["description"]
    facts = (await slept.get("/v1/facts"))["facts"]
    fact = next(each for each in facts if "Zanzibar" in each["statement"])
    await slept.post(f"/v1/facts/{fact['fact_id']}/forget")
    assert (await page(slept))["description"] is None
    await slept.post("/v1/undo")
    assert (await page(slept))["description"] == before


async def test_forgetting_the_words_takes_every_description_that_may_quote_them(slept: Door) -> None:
    assert any("Zanzibar" in each for each in await described(slept))
    assert (await slept.client.delete("/v1/sources/doctor")).status_code == 200
    assert (await page(slept))["description"] is None
    await slept.settle()
    assert not any("Zanzibar" in each for each in await described(slept))
    believed = await slept.actors.believed(slept.user)
    assert await slept.app.stores.memory.journal.load(slept.user) == believed
    assert not any("Zanzibar" in (each.description or "") for each in believed.entities.values())


async def test_forgetting_an_entity_takes_what_was_written_of_it(slept: Door) -> None:
    told = await page(slept)
    assert (await slept.client.delete(f"/v1/entities/{told['entity_id']}")).status_code == 200
    await slept.settle()
    assert told["description"] not in await described(slept)


async def test_a_whole_night_is_taken_back_by_its_name(slept: Door) -> None:
    night = slept.report["night"]  # type: ignore[attr-defined]
    undone = await slept.post("/v1/undo", {"night": night})
    assert undone["night"] == night
    assert (undone["undoes"], undone["skipped"]) == (None, [])
    assert undone["changes"] > 0
    assert (await page(slept))["description"] is None
    assert (await slept.get(f"/v1/night/{night}"))["undone"] is True
    told = await slept.client.post("/v1/undo", json={"night": night})
    assert (told.status_code, told.json()["detail"]) == (409, "Nothing of that night is left to undo.")
    assert await slept.app.stores.memory.journal.load(slept.user) == await slept.actors.believed(slept.user)
    kinds = [
        row["kind"]
        for row in await slept.rows(
            "SELECT kind FROM journal WHERE user_id = %(user)s AND undoes IS NOT NULL", user=slept.user
        )
    ]
    assert kinds == ["Undo"] * undone["commands"], "undoing is journaled"


async def test_a_memory_rebuilt_from_its_commands_has_its_nights_and_their_undoing(slept: Door) -> None:
    await slept.post("/v1/undo", {"night": slept.report["night"]})  # type: ignore[attr-defined]
    before = await slept.actors.believed(slept.user)
    await slept.actors.rebuild(slept.user)
    after = await slept.actors.believed(slept.user)
    assert (after.entities, after.links, after.version) == (before.entities, before.links, before.version)


async def test_which_night_must_be_one_that_was_and_the_caller_must_see_all_of_it(slept: Door) -> None:
    night = slept.report["night"]  # type: ignore[attr-defined]
    await slept.post("/v1/undo", {"night": "2026-01-01"}, 404)
    await slept.post("/v1/undo", {"night": "tomorrow"}, 422)
    await slept.post("/v1/undo", {"night": night, "command_id": "c-1"}, 422)
    async with await slept.client_of(slept.user) as limited:
        assert (await limited.post("/v1/undo", json={"night": night})).status_code == 403


async def test_a_memory_that_moves_takes_its_nights_along(slept: Door) -> None:
    night, before = slept.report["night"], await page(slept)  # type: ignore[attr-defined]
    archive = await exported(slept)
    assert (await slept.client.delete("/v1/memory")).status_code == 200
    answer = await restored(slept, archive)
    assert answer.is_success, answer.text
    assert (await page(slept))["description"] == before["description"]
    assert (await slept.post("/v1/undo", {"night": night}))["skipped"] == []
    assert (await page(slept))["description"] is None
