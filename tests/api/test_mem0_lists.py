"""What mem0's clients list and change many at a time: page by page, and all or nothing."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from deployments.use_cases.heard import MOST_WORDINGS
from tests.api.conftest import Door
from tests.api.test_mem0 import asked, kept, speaking

pytestmark = pytest.mark.postgres


async def notes(client: httpx.AsyncClient, number: int) -> list[str]:
    return [await kept(client, f"Note {each}") for each in range(number)]


def texts(page: Any) -> list[str]:
    return [each["memory"] for each in page["results"]]


async def test_a_list_of_the_first_version_has_pages_where_they_are_asked_for(door: Door) -> None:
    client = await speaking(door, door.user)
    await notes(client, 5)
    path, seen = "/v1/memories/?page=1&page_size=2", list[str]()
    while path:
        page = await asked(client, "GET", path)
        assert page["count"] == 5
        seen += texts(page)
        path = page["next"]
    assert sorted(seen) == [f"Note {each}" for each in range(5)]
    whole = await asked(client, "GET", "/v1/memories/")
    assert [each["memory"] for each in whole] == seen, "without pages it is a list, as it was then"


async def test_an_export_beyond_one_page_is_fetched_page_by_page(door: Door) -> None:
    client = await speaking(door, door.user)
    await notes(client, 5)
    begun = await asked(client, "POST", "/v1/exports/", json={"schema": {}})
    seen = []
    for number in (1, 2, 3):
        body = {"memory_export_id": begun["id"], "page": number, "page_size": 2}
        seen += texts(await asked(client, "POST", "/v1/exports/get/", json=body))
    assert sorted(seen) == [f"Note {each}" for each in range(5)]
    whole = await asked(client, "POST", "/v1/exports/get/", json={"memory_export_id": begun["id"]})
    assert texts(whole) == seen


@pytest.mark.parametrize(
    "wrong", [{"text": "  "}, {"text": "x", "timestamp": "soon"}, {}, {"metadata": {"a": "b" * 2_000}}]
)
async def test_a_batch_of_which_one_cannot_be_done_changes_nothing(door: Door, wrong: dict[str, Any]) -> None:
    client = await speaking(door, door.user)
    first, second = await notes(client, 2)
    memories = [{"memory_id": first, "text": "Another"}, {"memory_id": second, **wrong}]
    await asked(client, "PUT", "/v1/batch/", 422, json={"memories": memories})
    for each, text in ((first, "Note 0"), (second, "Note 1")):
        assert (await asked(client, "GET", f"/v1/memories/{each}/"))["memory"] == text


async def test_a_memory_may_change_often_and_keeps_its_latest_wordings(door: Door) -> None:
    client = await speaking(door, door.user)
    [one, other] = await notes(client, 2)
    for number in range(30):
        await asked(client, "PUT", f"/v1/memories/{one}/", json={"text": f"Version {number}"})
    await asked(client, "PUT", f"/v1/memories/{other}/", json={"text": "Version 0"})
    said = await asked(client, "GET", f"/v1/memories/{one}/history/")
    assert [each["new_memory"] for each in said] == [
        f"Version {number}" for number in range(30 - MOST_WORDINGS - 1, 30)
    ]
    [kept_of] = await door.rows(
        "SELECT max((SELECT count(*) FROM jsonb_object_keys(provenance) AS k (name) WHERE name LIKE 'was.%%')) AS most"
        " FROM sources WHERE scope = %(scope)s",
        scope=f"user:{door.user}",
    )
    assert kept_of["most"] == MOST_WORDINGS
    said = await asked(client, "GET", f"/v1/memories/{other}/history/")
    assert [each["new_memory"] for each in said] == ["Note 1", "Version 0"]
