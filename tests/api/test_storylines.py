"""Storylines and macros are listed, opened down to what was said, and shown to nobody who may not see it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door

DAYS = ("2025-01-06", "2025-01-08", "2025-01-11", "2025-01-14", "2025-01-20")
LATER = ("2025-09-01", "2025-09-03", "2025-09-05", "2025-09-08", "2025-09-10")


def diary(day: str, text: str, **more: Any) -> dict[str, Any]:
    said = {"segment_id": "1", "speaker": "Maya", "text": text, "start": 0, "end": 5}
    return {"source_id": f"diary-{day}", "started_at": f"{day}T18:00:00Z", "segments": [said], **more}


@pytest.fixture
async def lived(door: Door) -> Door:
    """Maya met Elena in January and in September, wrote of it, and it is a Sunday in November."""
    return await live(door, (*DAYS, *LATER), "2025-11-23")


async def live(door: Door, days: Sequence[str], night: str) -> Door:
    """A life of visits on these days, and one night."""
    await door.client.put("/v1/profile", json={"name": "Maya"})
    for number, day in enumerate(days):
        await door.post("/v1/sources", diary(day, f"My friend Elena visited me on day {number}."), 202)
    await door.settle()
    await door.post("/v1/night", {"night": night})
    return door


async def test_storylines_are_listed_with_lines_that_name_their_segments(lived: Door) -> None:
    found = await lived.get("/v1/storylines", entity="Elena")
    assert found["total"] == len(found["storylines"]) == 2
    later, first = found["storylines"]
    assert (later["entity"], later["entity_type"], later["sources"], later["open"]) == ("Elena", "person", 5, True)
    assert (first["open"], first["first_at"], first["last_at"]) == (
        False,
        "2025-01-06T18:00:00Z",
        "2025-01-20T18:00:00Z",
    )
    assert later["extractive"] is True
    line = later["summary"][-1]
    assert line["text"] == 'Maya: "My friend Elena visited me on day 9."'
    assert line["segments"] == [
        {"source_id": "diary-2025-09-10", "segment_id": "1", "speaker": "Maya", "at": "2025-09-10T18:00:00Z"}
    ]
    assert [each["open"] for each in (await lived.get("/v1/storylines", open=True, entity="Elena"))["storylines"]] == [
        True
    ]


async def test_a_list_comes_in_parts(lived: Door) -> None:
    first = await lived.get("/v1/storylines", limit=1, entity="Elena")
    rest = await lived.get("/v1/storylines", limit=1, entity="Elena", cursor=first["cursor"])
    assert (first["total"], rest["total"], rest["cursor"]) == (2, 2, None)
    assert first["storylines"] != rest["storylines"]


@pytest.mark.conforms("002:granularity.drill_down")
async def test_a_storyline_is_opened_down_to_what_was_said(lived: Door) -> None:
    identity = (await lived.get("/v1/storylines", entity="Elena"))["storylines"][0]["storyline_id"]
    page = await lived.get(f"/v1/storylines/{identity[:12]}", limit=2)
    assert page["storyline_id"] == identity
    assert [each["source_id"] for each in page["told_in"]] == ["diary-2025-09-10", "diary-2025-09-08"]
    assert page["told_in"][0]["segments"] == [
        {
            "segment_id": "1",
            "speaker": "Maya",
            "at": "2025-09-10T18:00:00Z",
            "text": "My friend Elena visited me on day 9.",
        }
    ]
    rest = await lived.get(f"/v1/storylines/{identity}", limit=9, cursor=page["cursor"])
    assert [len(rest["told_in"]), rest["cursor"]] == [3, None]


@pytest.mark.conforms("002:granularity.drill_down")
async def test_a_macro_is_opened_down_to_its_storylines(lived: Door) -> None:
    [macro] = (await lived.get("/v1/macros", entity="Elena"))["macros"]
    page = await lived.get(f"/v1/macros/{macro['macro_id']}")
    assert [each["storyline_id"] for each in page["parts"]] == macro["storylines"]
    assert (page["sources"], len(page["told_in"])) == (10, 10)
    assert [each["text"][-3:] for each in macro["summary"]] == ['4."', '9."']


@pytest.mark.parametrize("path", ["/v1/storylines/s-0000000000000000", "/v1/macros/m-0000000000000000"])
async def test_what_is_not_there_is_not_found(lived: Door, path: str) -> None:
    assert (await lived.client.get(path)).status_code == 404
    [macro] = (await lived.get("/v1/macros", entity="Elena"))["macros"]
    assert (await lived.client.get(f"/v1/storylines/{macro['macro_id']}")).status_code == 404
    assert (await lived.client.get("/v1/storylines/s-")).status_code == 409, "two begin so"


async def test_who_may_see_less_sees_the_storylines_of_that(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    for number, day in enumerate(DAYS):
        await door.post("/v1/sources", diary(day, f"My friend Elena visited me on day {number}."), 202)
    secret = diary("2025-01-22", "My friend Elena is in hospital.", sensitivity="private")
    await door.post("/v1/sources", secret, 202)
    for day in ("2025-02-01", "2025-02-02", "2025-02-03", "2025-02-04", "2025-02-05"):
        told = diary(day, "My friend Ravi visited me.", sensitivity="private")
        await door.post("/v1/sources", told, 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2025-11-23"})
    private = await door.client_of(door.user)
    limited = await door.client_of(door.user, clearance=Sensitivity.OPEN)
    async with private, limited:
        seen = {each["entity"]: each for each in (await private.get("/v1/storylines")).json()["storylines"]}
        assert (seen["Elena"]["sources"], seen["Ravi"]["sources"]) == (6, 5)
        assert "hospital" in str(seen["Elena"]["summary"])
        found = (await limited.get("/v1/storylines")).json()
        [elena] = [each for each in found["storylines"] if each["entity"] == "Elena"]
        assert (elena["sources"], found["total"]) == (5, len(found["storylines"]))
        assert "hospital" not in str(found)
        assert "Ravi" not in str(found)
        hidden = await limited.get(f"/v1/storylines/{seen['Elena']['storyline_id']}")
        assert hidden.status_code == 404, "that of those who may see more"
        assert (await limited.get(f"/v1/storylines/{elena['storyline_id']}")).status_code == 200
    stranger = await door.client_of("somebody-else")
    async with stranger:
        assert (await stranger.get("/v1/storylines")).json() == {"storylines": [], "total": 0, "cursor": None}
        assert (await stranger.get(f"/v1/storylines/{elena['storyline_id']}")).status_code == 404


async def test_what_is_forgotten_leaves_no_line(lived: Door) -> None:
    assert (await lived.client.delete("/v1/sources/diary-2025-09-10")).status_code == 200
    await lived.settle()
    later, _ = (await lived.get("/v1/storylines", entity="Elena"))["storylines"]
    assert (later["sources"], later["summary"]) == (4, [])
    await lived.post("/v1/night", {"night": "2025-11-24"})
    found = (await lived.get("/v1/storylines", entity="Elena"))["storylines"]
    assert [each["sources"] for each in found] == [5], "four sources are no storyline"


async def test_an_entity_is_explored_as_coarsely_as_it_is_asked_for(lived: Door) -> None:
    plain = await lived.get("/v1/explore", name="Elena")
    assert (plain["storylines"], plain["macros"]) == ([], [])
    told = await lived.get("/v1/explore", name="Elena", granularity=2)
    listed = (await lived.get("/v1/storylines", entity="Elena"))["storylines"]
    assert told == {**plain, "storylines": listed}
    assert listed
    coarse = await lived.get("/v1/explore", name="Elena", granularity=3)
    assert [each["entity"] for each in coarse["macros"]] == ["Elena"]
    assert coarse["storylines"] == []
    assert (await lived.client.get("/v1/explore", params={"name": "Elena", "granularity": 4})).status_code == 422
    assert await lived.post("/v1/tools/explore", {"name": "Elena", "granularity": 3}) == coarse


@pytest.mark.conforms("002:granularity")
async def test_a_question_is_answered_at_the_granularity_it_asks_for(lived: Door) -> None:
    said = await lived.get("/v1/context", query="What is Elena doing?", limit=3)
    found = await lived.get("/v1/context", query="What is Elena doing?", limit=3, granularity=2)
    assert (found["granularity"], said.get("granularity")) == (2, None)
    elena = [each for each in found["rolled_up"] if each["entity"] == "Elena"]
    assert [(each["kind"], each["sources"]) for each in elena] == [("storyline", 5)] * len(elena)
    assert elena
    lines = [line for line in found["context"].splitlines() if line.startswith("- ")]
    for line in lines:
        number = int(line.rpartition("[")[2].rstrip("]"))
        assert found["results"][number - 1]["text"] in line
    coarse = await lived.get("/v1/context", query="What is Elena doing?", limit=1, granularity=3)
    assert (coarse["granularity"], [each["kind"] for each in coarse["rolled_up"]]) == (3, ["macro"])
    assert coarse["context"] != found["context"] != said["context"]


async def test_a_budget_holds_for_storylines_too(lived: Door) -> None:
    asked = {"query": "What is Elena doing?", "granularity": 2}
    whole = await lived.get("/v1/context", **asked)
    short = await lived.get("/v1/context", **asked, budget_tokens=40)
    assert len(short["context"]) < len(whole["context"])
    assert len(short["rolled_up"]) == 1 < len(whole["rolled_up"])
    assert {f"[{number}]" for number in range(1, short["total"] + 1)} == {
        line.rpartition(" ")[2] for line in short["context"].splitlines()[1:]
    }


async def recalls(door: Door) -> dict[str, int]:
    """Id of a storyline or macro -> how often it was recalled, after all that is under way."""
    await asyncio.gather(*door.app.underway)
    await door.shard._accesses.commit()
    rows = await door.rows("SELECT id, count FROM accesses WHERE user_id = %(user)s", user=door.user)
    return {row["id"]: row["count"] for row in rows if row["id"][:2] in ("s-", "m-")}


async def test_whoever_opens_one_recalls_it_unless_they_leave_no_trace(lived: Door) -> None:
    later, _ = (await lived.get("/v1/storylines", entity="Elena"))["storylines"]
    [macro] = (await lived.get("/v1/macros", entity="Elena"))["macros"]
    await lived.get(f"/v1/storylines/{later['storyline_id']}", record_access=False)
    quiet = {"query": "What is Elena doing?", "granularity": 2, "record_access": False}
    await lived.get("/v1/context", **quiet)
    assert await recalls(lived) == {}
    await lived.get(f"/v1/storylines/{later['storyline_id'][:12]}")
    await lived.get(f"/v1/macros/{macro['macro_id']}")
    assert await recalls(lived) == {later["storyline_id"]: 1, macro["macro_id"]: 1}
    found = await lived.get("/v1/context", **{**quiet, "record_access": True})
    counted = await recalls(lived)
    assert {each["id"] for each in found["rolled_up"]} | {macro["macro_id"]} == counted.keys()
    assert counted[later["storyline_id"]] == 2


async def test_one_that_was_long_silent_is_hidden_until_somebody_looks_at_it(door: Door) -> None:
    lived = await live(door, [day.replace("2025", "2024") for day in (*DAYS, *LATER)], "2024-11-24")
    await lived.post("/v1/night", {"night": "2025-06-20"})
    assert (await lived.get("/v1/storylines", entity="Elena"))["total"] == 0
    assert (await lived.get("/v1/macros", entity="Elena"))["total"] == 0
    asked = {"query": "What is Elena doing?", "granularity": 3, "record_access": False}
    told = await lived.get("/v1/context", **asked)
    assert (told["granularity"], told.get("rolled_up")) == (1, None), "what was said is found all the same"
    assert told["results"]
    [macro] = (await lived.get("/v1/macros", entity="Elena", state="archived"))["macros"]
    later, _ = (await lived.get("/v1/storylines", entity="Elena", state="archived"))["storylines"]
    assert (macro["state"], later["state"]) == ("archived", "archived")
    page = await lived.get(f"/v1/macros/{macro['macro_id']}", record_access=False)
    assert len(page["parts"]) == 2, "it is opened down to storylines that are archived, too"
    await lived.get(f"/v1/storylines/{later['storyline_id']}")
    await recalls(lived)
    [back] = (await lived.get("/v1/storylines", entity="Elena"))["storylines"]
    assert (back["storyline_id"], back["state"]) == (later["storyline_id"], "active")
    told = await lived.get("/v1/context", **asked)
    assert (told["granularity"], [each["id"] for each in told["rolled_up"]]) == (2, [later["storyline_id"]])
