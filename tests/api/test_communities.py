"""Communities and patterns over HTTP: found by a night, quoted, seen by those who may, gone with what they rest on."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door

TOLD = ("Elena and Tom met Ravi.", "Tom cooked with Elena and Ravi.", "Ravi, Tom and Elena went sailing.")
MONTHS = [f"2026-0{month}-{day:02d}" for month in (1, 2, 3) for day in (3, 17)]


def source(day: str, text: str, **more: Any) -> dict[str, Any]:
    said = {"segment_id": "1", "speaker": "Maya", "text": text, "start": 0, "end": 4}
    return {"source_id": f"day-{day}", "started_at": f"{day}T10:00:00Z", "segments": [said], **more}


@pytest.fixture
async def told(door: Door) -> Door:
    """A memory of three friends who are named together over three months, after a night."""
    for number, day in enumerate(MONTHS):
        await door.post("/v1/sources", source(day, TOLD[number % len(TOLD)]), 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2026-03-20"})
    return door


async def test_a_night_finds_who_belongs_together_and_shows_what_says_so(told: Door) -> None:
    found = await told.get("/v1/communities")
    [community] = found["communities"]
    assert found["total"] == 1
    page = await told.get(f"/v1/communities/{community['community_id'][:9]}")
    assert {each["name"] for each in page["members"]} >= {"Tom", *community["names"]}
    assert page["size"] == len(page["members"])
    assert {each["source_id"] for each in page["segments"]} == {f"day-{day}" for day in MONTHS}
    [pattern] = page["shown"]
    [listed] = (await told.get("/v1/patterns", community=community["community_id"]))["patterns"]
    assert listed == pattern == await told.get(f"/v1/patterns/{pattern['pattern_id'][:9]}")
    assert all(each["text"] in TOLD and each["speaker"] == "Maya" for each in pattern["quotes"])
    assert len({each["source_id"] for each in pattern["quotes"]}) >= 3


async def test_what_was_forgotten_is_quoted_by_nothing(told: Door) -> None:
    [pattern] = (await told.get("/v1/patterns"))["patterns"]
    gone = pattern["quotes"][0]["source_id"]
    assert (await told.client.delete(f"/v1/sources/{gone}")).status_code == 200
    await told.settle()
    assert (await told.get("/v1/patterns"))["patterns"] == []
    [community] = (await told.get("/v1/communities"))["communities"]
    page = await told.get(f"/v1/communities/{community['community_id']}")
    assert gone not in {each["source_id"] for each in page["segments"]}


async def test_an_undone_night_leaves_none(told: Door) -> None:
    await told.post("/v1/undo", {"night": "2026-03-20"})
    assert (await told.get("/v1/communities"))["total"] == 0
    assert (await told.get("/v1/patterns"))["total"] == 0


async def test_whoever_may_see_less_sees_none_of_it(door: Door) -> None:
    for number, day in enumerate(MONTHS):
        body = source(day, TOLD[number % len(TOLD)], sensitivity="sensitive")
        await door.post("/v1/sources", body, 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2026-03-20"})
    everything = await door.client_of(door.user, clearance=Sensitivity.SENSITIVE)
    less = await door.client_of(door.user, clearance=Sensitivity.PRIVATE)
    stranger = await door.client_of("somebody-else", clearance=Sensitivity.SENSITIVE)
    [community] = (await everything.get("/v1/communities")).json()["communities"]
    [pattern] = (await everything.get("/v1/patterns")).json()["patterns"]
    for client in (less, stranger):
        for route, identity in (("communities", community["community_id"]), ("patterns", pattern["pattern_id"])):
            assert (await client.get(f"/v1/{route}")).json()["total"] == 0
            assert (await client.get(f"/v1/{route}/{identity}")).status_code == 404


async def test_a_memory_without_a_night_has_none_and_a_wrong_id_is_not_found(door: Door) -> None:
    assert (await door.get("/v1/communities"))["communities"] == []
    assert (await door.get("/v1/patterns"))["patterns"] == []
    for path in ("/v1/communities/g-0000000000000000", "/v1/patterns/p-0000000000000000"):
        assert (await door.client.get(path)).status_code == 404
