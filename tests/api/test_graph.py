"""A memory is walked as a graph, entity by entity, by whoever may see it."""

from __future__ import annotations

import pytest

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres


@pytest.fixture
async def lived(door: Door) -> Door:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    said = {"segment_id": "1", "speaker": "Maya", "start": 0, "end": 5}
    for number, text in enumerate(("My brother Tom lives in Ghent.", "Tom works at Acme.")):
        body = {"source_id": f"s{number}", "started_at": "2026-03-01T08:00:00Z", "segments": [{**said, "text": text}]}
        await door.post("/v1/sources", body, 202)
    await door.settle()
    return door


async def test_an_entity_is_explored_with_its_facts_and_relations(lived: Door) -> None:
    found = await lived.get("/v1/explore", name="tom")
    [tom] = found["entities"]
    assert (tom["name"], tom["entity_type"]) == ("Tom", "person")
    facts = {each["fact_id"] for each in tom["facts"]} | {each["fact_id"] for each in found["relations"]}
    assert {each["fact_id"] for each in (await lived.get("/v1/facts", subject="Tom"))["facts"]} <= facts
    assert {(each["from"], each["to"]) for each in found["relations"]} >= {("Tom", "Ghent"), ("Tom", "Acme")}


async def test_relations_lead_on_step_by_step(lived: Door) -> None:
    near = await lived.get("/v1/traverse", name="Ghent", depth=1)
    assert {each["name"] for each in near["entities"]} == {"Ghent", "Tom"}
    far = await lived.get("/v1/traverse", name="Ghent", depth=2)
    assert {each["name"] for each in far["entities"]} >= {"Ghent", "Tom", "Acme"}
    assert len((await lived.get("/v1/traverse", name="Ghent", depth=2, limit=2))["entities"]) == 2


async def test_who_is_not_there_and_what_is_out_of_sight_is_not_found(lived: Door) -> None:
    for path in ("explore", "traverse"):
        assert (await lived.client.get(f"/v1/{path}", params={"name": "Zebra"})).status_code == 404
        assert (await lived.client.get(f"/v1/{path}")).status_code == 422
    stranger = await lived.client_of("somebody-else", clearance=Sensitivity.SENSITIVE)
    assert (await stranger.get("/v1/explore", params={"name": "Tom"})).status_code == 404
    assert (await lived.client.get("/v1/traverse", params={"name": "Tom", "depth": 9})).status_code == 422
