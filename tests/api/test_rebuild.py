"""An index that was dropped and built again answers as before."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import sql

from memory.model.scopes import user_scope
from tests.api.conftest import Door
from tests.api.test_forgetting import living_memory
from tests.api.test_sources_and_context import conversation

BELIEF = (
    "touched",
    "mentions",
    "evidence",
    "links",
    "notes",
    "fact_vectors",
    "fact_versions",
    "entities",
    "accesses",
    "extracted",
    "journal",
    "users",
)
"""Everything that is kept of what a user believes, beside words."""


@pytest.mark.parametrize("what", ["text", "vectors", "graph", "all"])
async def test_a_rebuilt_index_answers_as_before(door: Door, what: str) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    asked = {"query": "Where did Maya move to?", "cut": "none", "record_access": "false"}
    before = await door.get("/v1/context", **asked)
    answer = await door.post("/v1/rebuild", {"what": what})
    assert answer["pending"]["embedding"] == (1 if what in ("vectors", "all") else 0)
    meanwhile = await door.get("/v1/context", **asked)
    assert meanwhile["results"] == before["results"], "what is made anew serves until then"
    await door.settle()
    await door.actors.encode_facts(door.app.stores)
    after = await door.get("/v1/context", **asked)
    assert after["results"] == before["results"]


async def lose(door: Door) -> None:
    """The database loses all that is believed of the user, words included; what was heard stays."""
    async with door.app.stores.pool.transaction(user_id=door.user) as connection:
        for table in BELIEF:
            statement = sql.SQL("DELETE FROM {} WHERE user_id = %s").format(sql.Identifier(table))
            await connection.execute(statement, [door.user])
        gone = "DELETE FROM content WHERE scope = %s AND config IS NULL"
        await connection.execute(gone, [user_scope(door.user)])
    await door.actors.forget_user(door.user)


async def kept(door: Door) -> dict[str, Any]:
    """All rows of what is believed, its words, its history and how far was read; vectors to three places."""
    rows: dict[str, Any] = {}
    for table in (*BELIEF[:-1], "row_versions"):
        statement = f"SELECT to_jsonb(t)::text AS row FROM {table} t WHERE user_id = %(user)s"
        found = await door.rows(statement, user=door.user)
        rows[table] = sorted(row["row"] for row in found)
    words = "SELECT owner, words FROM content WHERE scope = %(scope)s AND config IS NULL"
    found = await door.rows(words, scope=user_scope(door.user))
    rows["content"] = sorted((row["owner"], row["words"]) for row in found)
    return rows


async def test_a_lost_journal_is_rebuilt_from_the_captured_commands(door: Door) -> None:
    await living_memory(door)
    await door.post("/v1/undo")
    await door.get("/v1/context", query="Where does Maya live?")
    await door.shard._accesses.commit()
    await door.actors.encode_facts(door.app.stores)
    believed, before = await door.actors.believed(door.user), await kept(door)
    await lose(door)
    refused = await door.client.post("/v1/facts", json={"text": "I play the viola."})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:memoray:journal-behind")
    answer = (await door.post("/v1/rebuild", {"what": "journal"}))["journal"]
    assert (answer["snapshot"], answer["otherwise"], answer["refused"]) == (0, 0, 0)
    assert answer["version"] == answer["turns"] == believed.version
    assert await door.app.stores.memory.journal.load(door.user) == believed == await door.actors.believed(door.user)
    assert await kept(door) == before
    await door.post("/v1/facts", {"text": "I play the viola."}, 201)
    again = (await door.post("/v1/rebuild", {"what": "journal"}))["journal"]
    assert (again["version"], again["otherwise"]) == (believed.version + 1, 0), (
        "a journal that stands may be rebuilt too"
    )


async def test_after_forgetting_a_snapshot_brings_back_what_is_left(door: Door) -> None:
    await living_memory(door)
    receipt = (await door.client.delete(f"/v1/sources/{conversation()['source_id']}")).json()
    assert receipt["captures"] == 1
    await door.post("/v1/facts", {"text": "I play the viola."}, 201)
    await door.actors.encode_facts(door.app.stores)
    believed, before = await door.actors.believed(door.user), await kept(door)
    await lose(door)
    answer = (await door.post("/v1/rebuild", {"what": "journal"}))["journal"]
    assert (answer["snapshot"], answer["turns"]) == (believed.version - 1, 1)
    assert await door.app.stores.memory.journal.load(door.user) == believed
    assert {table: rows for table, rows in (await kept(door)).items() if before[table] != rows} == {}


async def test_a_memory_without_captures_makes_a_snapshot_and_a_missing_line_is_refused(door: Door) -> None:
    await living_memory(door)
    believed = await door.actors.believed(door.user)
    await door.app.stores.memory.commands.remove(door.user)
    await door.actors.forget_user(door.user)
    answer = (await door.post("/v1/rebuild", {"what": "journal"}))["journal"]
    assert (answer["snapshot"], answer["turns"], answer["version"]) == (believed.version, 0, believed.version)
    assert await door.actors.believed(door.user) == believed
    for text in ("I play the viola.", "I play the flute."):
        await door.post("/v1/facts", {"text": text}, 201)
    months = [*(door.app.settings.home / "commands").rglob("*.jsonl")]
    lines = months[0].read_bytes().splitlines(keepends=True)
    months[0].write_bytes(b"".join(lines[1:]))
    before = await kept(door)
    refused = await door.client.post("/v1/rebuild", json={"what": "journal"})
    assert refused.status_code == 409
    assert f"version {believed.version + 1} is missing" in refused.json()["detail"]
    assert await kept(door) == before


async def test_an_imported_memory_can_be_rebuilt(door: Door) -> None:
    await living_memory(door)
    archive = (await door.client.get("/v1/export")).content
    await door.client.delete("/v1/memory")
    assert not [*(door.app.settings.home / "commands").rglob("*.jsonl")]
    assert (await door.client.post("/v1/import", content=archive)).status_code == 201
    believed = await door.actors.believed(door.user)
    await lose(door)
    answer = (await door.post("/v1/rebuild", {"what": "journal"}))["journal"]
    assert (answer["snapshot"], answer["turns"]) == (believed.version, 0)
    assert await door.actors.believed(door.user) == believed


async def test_who_was_never_heard_of_has_nothing_to_rebuild(door: Door) -> None:
    assert (await door.client.post("/v1/rebuild", json={"what": "journal"})).status_code == 404
    async with await door.client_of(door.user) as limited:
        assert (await limited.post("/v1/rebuild", json={"what": "journal"})).status_code == 403
