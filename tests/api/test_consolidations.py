"""Consolidations are listed and opened down to what was said, and what they archive is found as ever."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door
from tests.api.test_storylines import diary

DAYS = ("2025-01-06", "2025-01-08", "2025-01-11")
NIGHT = "2025-04-01"


@pytest.fixture
async def lived(door: Door) -> Door:
    """Maya wrote of Elena in January, and it is April."""
    await door.client.put("/v1/profile", json={"name": "Maya"})
    for number, day in enumerate(DAYS):
        text = f"My friend Elena visited me on day {number}. Elena lives in Lisbon."
        await door.post("/v1/sources", diary(day, text), 202)
    await door.settle()
    await door.post("/v1/night", {"night": NIGHT})
    return door


def listed(found: dict[str, Any]) -> set[str]:
    return {each["source_id"] for each in found["sources"]}


async def test_what_was_gathered_is_shown_with_lines_and_insights_down_to_what_was_said(lived: Door) -> None:
    found = await lived.get("/v1/consolidations")
    assert (await lived.client.get("/v1/consolidations", params={"state": "core"})).status_code == 422
    assert found["total"] == 1
    [shown] = found["consolidations"]
    assert (shown["sources"], shown["extractive"], shown["first_at"]) == (3, True, "2025-01-06T18:00:00Z")
    assert {each["source_id"] for line in shown["summary"] for each in line["segments"]} <= {f"diary-{d}" for d in DAYS}
    assert shown["summary"]
    [insight] = [each for each in shown["insights"] if "Lisbon" in each["statement"]]
    assert {each["source_id"] for each in insight["segments"]} == {f"diary-{day}" for day in DAYS}
    page = await lived.get(f"/v1/consolidations/{shown['consolidation_id'][:12]}", limit=2)
    assert [each["source_id"] for each in page["told_in"]] == [f"diary-{day}" for day in reversed(DAYS[1:])]
    assert page["told_in"][0]["segments"][0]["text"].startswith("My friend Elena")
    assert page["cursor"] is not None


async def test_the_archived_is_out_of_the_list_and_yet_opened_and_found(lived: Door) -> None:
    assert listed(await lived.get("/v1/sources")) == set()
    assert (await lived.get("/v1/sources/diary-2025-01-06"))["source_id"] == "diary-2025-01-06"
    hits = (await lived.get("/v1/context", query="When did Elena visit me?"))["results"]
    assert {each["source_id"] for each in hits} & {f"diary-{day}" for day in DAYS}


async def test_undoing_the_night_brings_the_sources_back(lived: Door) -> None:
    await lived.post("/v1/undo", {"night": NIGHT})
    assert (await lived.get("/v1/consolidations"))["total"] == 0
    assert listed(await lived.get("/v1/sources")) == {f"diary-{day}" for day in DAYS}


async def test_what_is_above_a_clearance_is_shown_to_nobody_without_it(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    for day in DAYS:
        await door.post("/v1/sources", diary(day, "My friend Elena visited me.", sensitivity="private"), 202)
    await door.settle()
    await door.post("/v1/night", {"night": NIGHT})
    [shown] = (await door.get("/v1/consolidations"))["consolidations"]
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as limited:
        assert (await limited.get("/v1/consolidations")).json()["total"] == 0
        assert (await limited.get(f"/v1/consolidations/{shown['consolidation_id']}")).status_code == 404
