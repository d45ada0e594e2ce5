"""GET /v1/context, where only some sources may answer: by their provenance, their labels, and the time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

TOLD = (
    ("meet-red", "2026-03-02", {"app": "meet", "team": "red", "run_id": "7"}, "The launch is on Friday."),
    ("meet-blue", "2026-03-03", {"app": "meet", "team": "blue"}, "The launch is on Monday."),
    ("mail", "2026-03-04", {"app": "mail", "metadata.mood": "calm"}, "The launch is on Sunday."),
)


@pytest.fixture
async def told(door: Door) -> Door:
    """Three sources that say much the same, each of another provenance and day."""
    for source_id, day, provenance, text in TOLD:
        await door.post("/v1/sources", {**talk(source_id, day, ("Maya", text)), "provenance": provenance}, 202)
    await door.settle()
    return door


async def sources(door: Door, filters: Any, **given: Any) -> set[str]:
    asked = {"query": "When is the launch?", "cut": "none", "filters": json.dumps(filters), **given}
    found = await door.get("/v1/context", **asked)
    return {hit["source_id"] for hit in found["results"]}


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({"provenance": {"app": "meet"}}, {"meet-red", "meet-blue"}),
        ({"provenance": {"app": "meet", "team": "red"}}, {"meet-red"}),
        ({"NOT": [{"run_id": "7"}]}, {"meet-blue", "mail"}),
        ({"run_id": "*"}, {"meet-red"}),
        ({"metadata": {"mood": "calm"}}, {"mail"}),
        ({"OR": [{"metadata": {"mood": "calm"}}, {"provenance": {"team": "blue"}}]}, {"mail", "meet-blue"}),
        ({"created_at": {"gte": "2026-03-03", "lt": "2026-03-04"}}, {"meet-blue"}),
        ({"provenance": {"app": "fax"}}, set()),
    ],
)
async def test_only_sources_that_meet_the_filters_answer(told: Door, filters: Any, left: set[str]) -> None:
    assert await sources(told, filters) == left
    assert await sources(told, filters, granularity=2) == left, "where nothing is rolled up, segments answer"


REFUSED = ("[]", "{", '{"colour": "red"}', '{"NOT": [{}]}', '{"provenance": {}}', "x" * 2_001)


@pytest.mark.parametrize("filters", REFUSED)
async def test_what_is_no_filter_is_refused(told: Door, filters: str) -> None:
    asked = {"query": "When is the launch?", "filters": filters}
    assert (await told.client.get("/v1/context", params=asked)).status_code == 422
