"""A source that is told again: what is left out stays, and who may not see it cannot make it less private."""

from __future__ import annotations

import asyncio
from typing import Any

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door

SECRET = "My code for the vault is Quagga."


def _told(*texts: str, first: int = 0, **rest: Any) -> dict[str, Any]:
    segments = [
        {"segment_id": str(number), "speaker": "Ilse", "text": text, "start": number, "end": number + 1}
        for number, text in enumerate(texts, start=first)
    ]
    return {"source_id": "vault", "started_at": "2026-03-01T08:00:00Z", "segments": segments, **rest}


async def test_words_out_of_sight_stay_out_of_sight_when_their_source_is_told_again(door: Door) -> None:
    above = await door.client_of(door.user, clearance=Sensitivity.SENSITIVE)
    below = await door.client_of(door.user, clearance=Sensitivity.OPEN)
    await above.post("/v1/sources", json=_told(SECRET, sensitivity="sensitive"))
    for given in ({}, {"sensitivity": "open"}, {"sensitivity": "private"}):
        answer = await below.post("/v1/sources", json=_told("Hello.", first=1, **given))
        assert answer.status_code == 202, answer.text
        assert (await below.get("/v1/sources/vault")).status_code == 404
        assert (await below.get("/v1/context", params={"query": "code vault Quagga"})).json()["results"] == []
    page = (await above.get("/v1/sources/vault")).json()
    assert (page["sensitivity"], page["segments_count"]) == ("sensitive", 2)
    await above.aclose()
    await below.aclose()


async def test_who_sees_a_source_may_make_it_less_private(door: Door) -> None:
    await door.post("/v1/sources", _told(SECRET, sensitivity="private"), 202)
    await door.post("/v1/sources", _told(SECRET, sensitivity="open"), 202)
    assert (await door.get("/v1/sources/vault"))["sensitivity"] == "open"


async def test_what_is_left_out_stays(door: Door) -> None:
    first = {"kind": "meeting", "sensitivity": "private", "ttl_policy": "keep_forever"}
    await door.post("/v1/sources", _told("We begin.", **first), 202)
    await door.post("/v1/sources", _told("We go on.", first=1), 202)
    page = await door.get("/v1/sources/vault")
    assert {name: page[name] for name in first} == first
    assert page["segments_count"] == 2
    fresh = {"kind": "conversation", "sensitivity": "open", "ttl_policy": "decay"}
    await door.post("/v1/sources", _told("We end.", first=2, **fresh), 202)
    assert {name: (await door.get("/v1/sources/vault"))[name] for name in first} == fresh


async def test_a_teams_source_is_made_less_private_by_who_sees_it_alone(door: Door) -> None:
    team = f"{door.user}-team"
    above = await door.client_of(f"{door.user}-anna", (team,), clearance=Sensitivity.PRIVATE)
    below = await door.client_of(f"{door.user}-bert", (team,), clearance=Sensitivity.OPEN)
    await above.post("/v1/sources", json=_told(SECRET, team_id=team, sensitivity="private"))
    await below.post("/v1/sources", json=_told("Hello.", first=1, team_id=team, sensitivity="open"))
    assert (await below.get("/v1/sources/vault")).status_code == 404
    assert (await above.get("/v1/sources/vault")).json()["sensitivity"] == "private"
    await above.aclose()
    await below.aclose()


async def test_words_that_were_forgotten_and_told_again_are_read_again(door: Door) -> None:
    for _ in range(2):
        await door.post("/v1/sources", _told("I moved to Oslo yesterday."), 202)
        async with asyncio.timeout(60):
            await door.settle()
        believed = (await door.get("/v1/facts", predicate="lives_in"))["facts"]
        assert [fact["object"] for fact in believed] == ["Oslo"]
        assert (await door.client.delete("/v1/sources/vault")).status_code == 200
        assert (await door.get("/v1/facts", status="all"))["total"] == 0
