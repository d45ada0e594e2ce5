"""Writes one after another, as a walk over a memory makes them: whatever comes of it is told, never unexpected."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.fact_reads import Q as FACTS
from adapters.postgres.pool import Pool
from memory.errors import NotFound
from memory.model.scopes import View, user_scope
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk


async def test_a_renaming_is_not_undone_into_a_name_that_was_erased(door: Door) -> None:
    await door.post("/v1/sources", talk("first", "2026-03-01", ("Maya", "Elena lives in Lisbon.")), 202)
    await door.settle()
    people = (await door.get("/v1/entities", entity_type="person"))["entities"]
    [elena] = [each["entity_id"] for each in people if each["name"] == "Elena"]
    renaming = {"headers": {"Idempotency-Key": "renaming"}, "json": {"name": "Leni"}}
    assert (await door.client.post(f"/v1/entities/{elena}/rename", **renaming)).status_code == 200
    await door.post("/v1/sources", talk("second", "2026-03-02", ("Maya", "Leni likes tea.")), 202)
    await door.settle()
    assert (await door.client.delete("/v1/sources/first")).status_code == 200
    answer = await door.client.post("/v1/undo", json={"command_id": "renaming"})
    assert answer.status_code == 409, answer.text
    assert (await door.get(f"/v1/entities/{elena}"))["name"] == "Leni"


async def test_what_was_resolved_and_is_gone_by_then_is_not_found(door: Door) -> None:
    stores, view = door.app.stores, View(door.user)
    with pytest.raises(NotFound):
        await stores.reads.entities.one(view, "e-0a1b2c3d4e5f6071")
    with pytest.raises(NotFound):
        await stores.reads.sources.one(view, user_scope(door.user), "gone")


class Meanwhile(Pool):
    """A pool of a memory whose facts are erased as soon as one of them was resolved."""

    async def rows(self, sql: str, **parameters: Any) -> list[Any]:
        found = await super().rows(sql, **parameters)
        if sql == FACTS["resolve"]:
            await super().rows("DELETE FROM fact_versions WHERE user_id = %(user_id)s", user_id=parameters["user_id"])
        return found


async def test_a_fact_that_is_erased_while_it_is_read_is_not_found(door: Door, database: str) -> None:
    told = await door.post("/v1/facts", {"text": "I like figs."}, 201)
    pool = Meanwhile(database)
    await pool.open()
    with pytest.raises(NotFound):
        await PostgresFactReads(pool).one(View(door.user), told["fact_id"])
    await pool.close()


async def test_entities_are_forgotten_one_after_another_and_each_receipt_counts_its_own(door: Door) -> None:
    names = ("Ana", "Ben", "Cleo", "Dora")
    for name in names:
        await door.post("/v1/facts", {"text": f"{name} likes figs."}, 201)
    people = (await door.get("/v1/entities", entity_type="person"))["entities"]
    known = [each["entity_id"] for each in people if each["name"] in names]
    assert len(known) == len(names)
    answers = await asyncio.gather(*(door.client.delete(f"/v1/entities/{each}") for each in known))
    assert [(answer.status_code, answer.json()["facts"]) for answer in answers] == [(200, 1)] * len(names)
    assert sum(answer.json()["vectors"] for answer in answers) >= len(names)
    assert [answer.json()["segments"] for answer in answers] == [1] * len(names)


@pytest.mark.parametrize("known", [False, True])
async def test_when_entities_were_seen_is_what_their_pages_say(door: Door, known: bool) -> None:
    await door.post("/v1/sources", talk("first", "2026-03-01", ("Maya", "Elena lives in Lisbon with Tomas.")), 202)
    await door.post("/v1/sources", talk("second", "2026-03-05", ("Maya", "Elena likes tea.")), 202)
    await door.settle()
    await door.post("/v1/facts", {"statement": "Ravi likes figs", "subject": "Ravi"}, 201)
    spans = """SELECT * FROM {name}(%(user)s, ARRAY['user:' || %(user)s::text], {clearance}, {known}, {as_of}{ids})
               ORDER BY entity_id"""
    for clearance in (0, 2):
        for as_of in ("NULL", "'2026-03-02'::timestamptz"):
            asked = {"clearance": clearance, "known": "now()" if known else "NULL", "as_of": as_of}
            rows = door.rows
            whole = await rows(spans.format(name="seen_entities_known", ids="", **asked), user=door.user)
            lean = await rows(spans.format(name="seen_spans", ids=", NULL", **asked), user=door.user)
            assert lean == [{name: row[name] for name in lean[0]} for row in whole]
            one = await rows(
                spans.format(name="seen_spans", ids=f", ARRAY['{lean[0]['entity_id']}']", **asked), user=door.user
            )
            assert one == lean[:1]
