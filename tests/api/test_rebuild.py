"""An index that was dropped and built again answers as before."""

from __future__ import annotations

import pytest

from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation


@pytest.mark.parametrize("what", ["text", "vectors", "graph", "all"])
async def test_a_rebuilt_index_answers_as_before(door: Door, what: str) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    asked = {"query": "Where did Maya move to?", "cut": "none", "record_access": "false"}
    before = await door.get("/v1/context", **asked)
    answer = await door.post("/v1/rebuild", {"what": what})
    assert answer["pending"]["embedding"] == (1 if what in ("vectors", "all") else 0)
    meanwhile = await door.get("/v1/context", **asked)
    assert {hit["segment_id"] for hit in meanwhile["results"]} == {hit["segment_id"] for hit in before["results"]}
    await door.settle()
    await door.minds.encode_facts(door.house.stores)
    after = await door.get("/v1/context", **asked)
    assert after["results"] == before["results"]
