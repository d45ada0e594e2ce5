"""Another encoder takes the place of the one that serves, while questions are asked and words are heard."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from actors.encoder_migration import EncoderMigration
from adapters import build, build_models
from adapters.postgres.serving import PostgresServing, Served
from adapters.stores import stores_over
from config.settings import Settings, load
from deployments.app_context import LocalEncoder, open_app_context
from deployments.gateway import create_app
from tests.api.conftest import PATIENT, Door
from tests.api.test_sources_and_context import conversation
from tests.contract.conftest import database, own_pool  # noqa: F401  (fixtures)
from tests.fakes.actor_client import LocalActorClient

OLD, NEW = "hashing-64", "memoray-minilm-2-int8"
ASKED = {"query": "Where did Maya move to?", "cut": "none", "record_access": "false"}


class Change:
    """A memory that began with the encoder `hashing`, and a worker's steps towards the one that is configured now."""

    def __init__(self, door: Door, settings: Settings) -> None:
        self.door, self.settings = door, settings
        self._migration: EncoderMigration | None = None
        self.told = 0

    async def step(self) -> bool:
        """What the worker does when nothing else waits."""
        if self._migration is None:
            pool = self.door.app.stores.pool
            self._migration = EncoderMigration((await stores_over(pool, self.settings)).encoders, self.renew)
        return await self._migration.step()

    def crash(self) -> None:
        """The worker starts anew."""
        self._migration = None

    async def renew(self) -> None:
        self._migration = None
        self.told += 1
        for shard in self.door.actors.shards:
            await shard.renew()

    async def finish(self) -> None:
        while await self.step():
            await asyncio.sleep(0)
        await self.door.app.renew()

    async def kept(self, table: str) -> dict[str, int]:
        """Encoder -> how many vectors there are by it."""
        pool = self.door.app.stores.pool
        rows = await pool.rows(f"SELECT encoder, count(*) AS n FROM {table} GROUP BY encoder")
        return {row["encoder"]: row["n"] for row in rows}


@pytest.fixture
async def change(own_pool: Any, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Change]:  # noqa: F811
    """A door over a database of its own, where `hashing`, or the kind a test names, has encoded one conversation and
    `taught` is set now."""
    kind = getattr(request, "param", "hashing")
    (tmp_path / "token").write_text("a" * 43)
    async with own_pool.connection() as connection:
        dsn = connection.info.dsn
    before = load(
        tmp_path,
        {"dsn": dsn, "models": {"encoder": {"kind": kind}, "extraction": {"kind": "rules"}}, "recall": PATIENT},
        {},
    )
    now = load(tmp_path, {"dsn": dsn, "recall": PATIENT}, {})
    pool = await build.stores(before)
    await pool.pool.close()
    actors = LocalActorClient(now)
    app = await open_app_context(now, actors)
    user = f"u-{uuid.uuid4().hex[:12]}"
    headers = {"X-Internal-Token": "a" * 43, "X-User-Id": user}
    transport = httpx.ASGITransport(create_app(app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        door = Door(client, app, actors, user)
        await door.post("/v1/sources", conversation(), 202)
        await door.settle()
        await door.actors.encode_facts(app.stores)
        yield Change(door, now)
    await app.stores.pool.close()
    await actors.close()


@pytest.mark.parametrize("change", ["hashing", "minilm-int8"], indirect=True)
async def test_the_old_encoder_serves_until_the_new_one_knows_everything(change: Change) -> None:
    before = await change.door.get("/v1/context", **ASKED)
    assert before["results"]
    old = change.door.app.stores.encoder.name
    words, facts = await change.kept("segment_vectors"), await change.kept("fact_vectors")
    assert set(words) == set(facts) == {old} != {NEW}
    answers, done = [], asyncio.Event()

    async def ask() -> None:
        while not done.is_set():
            answers.append(await change.door.get("/v1/context", **ASKED))

    asking = asyncio.ensure_future(ask())
    await change.finish()
    done.set()
    await asking
    assert all(answer["results"] for answer in answers)
    assert [answer["degraded"] for answer in answers if answer["degraded"]] == []
    assert await change.kept("segment_vectors") == {NEW: words[old]}
    assert await change.kept("fact_vectors") == {NEW: facts[old]}
    assert change.door.app.stores.encoder.name == NEW
    meaning = await change.door.get("/v1/context", query="In which town does she live nowadays?", cut="none")
    assert meaning["results"]
    assert not meaning["degraded"]


async def test_it_goes_on_where_it_was_interrupted(change: Change) -> None:
    while await change.step():
        change.crash()
        if change.told:
            break
    assert await change.kept("segment_vectors") != {NEW: 0}
    assert len(await change.kept("segment_vectors")) == 2, "what is old is dropped only after everybody was told"
    await change.finish()
    assert set(await change.kept("segment_vectors")) == set(await change.kept("fact_vectors")) == {NEW}
    assert change.told == 2
    assert not await change.step()


async def test_what_is_heard_meanwhile_is_lost_to_neither(change: Change) -> None:
    assert await change.step()
    heard = conversation() | {"source_id": "meanwhile"}
    await change.door.post("/v1/sources", heard, 202)
    await change.door.settle()
    serving = (await change.kept("segment_vectors"))[OLD]
    await change.finish()
    assert await change.kept("segment_vectors") == {NEW: serving}
    await change.door.post("/v1/sources", conversation() | {"source_id": "afterwards"}, 202)
    await change.door.settle()
    assert set(await change.kept("segment_vectors")) == {NEW}


async def test_a_swap_that_would_lose_something_is_refused(change: Change) -> None:
    serving = PostgresServing(change.door.app.stores.pool)
    assert not await serving.swap(OLD, Served(NEW, 384, {"kind": "taught"}))
    assert await serving.name() == OLD


async def test_a_fact_stated_with_the_old_encoder_after_the_swap_is_kept_without_its_vector(change: Change) -> None:
    stale = change.door.app.stores
    while not change.told:
        await change.step()
    assert change.door.app.stores is stale, "the front door has not looked yet"
    change.door.app.looked = float("inf")
    await change.door.post("/v1/facts", {"statement": "Maya plays the cello.", "subject": "Maya"}, 201)
    waiting = await change.door.shard._stores.memory.journal.unencoded_facts(10)
    assert [fact.statement for fact in waiting] == ["Maya plays the cello."]
    await change.door.app.renew()
    await change.door.post("/v1/facts", {"statement": "Maya plays the violin.", "subject": "Maya"}, 201)
    assert len(await change.door.shard._stores.memory.journal.unencoded_facts(10)) == 1


async def test_words_serve_while_the_serving_encoder_cannot_be_loaded(change: Change) -> None:
    shard = change.door.shard
    pool = (await shard._open()).pool
    await pool.rows("UPDATE serving SET settings = %(gone)s::jsonb", gone='{"kind": "of an earlier version"}')
    shard._stores, shard._legs = await stores_over(pool, change.settings), None
    answer = await change.door.get("/v1/context", **ASKED)
    assert answer["results"]
    assert "vectors" in answer["degraded"]
    await change.finish()
    assert not (await change.door.get("/v1/context", **ASKED))["degraded"]


async def test_how_far_it_has_come_is_told(change: Change) -> None:
    answer = (await change.door.post("/v1/rebuild", {"what": "vectors"}))["encoder"]
    assert answer == {"serving": OLD, "successor": NEW, "segments": answer["segments"], "encoded": 0}
    assert answer["segments"] > 0
    assert (await change.door.get("/v1/rebuild")) == answer
    await change.finish()
    assert await change.door.get("/v1/rebuild") == {"serving": NEW, "successor": None, "segments": 0, "encoded": 0}


async def test_a_deployed_encoder_is_asked_once_it_serves(change: Change) -> None:
    deployed = LocalEncoder(build_models.embedder(change.settings))
    app = await open_app_context(change.settings, change.door.actors, deployed)
    assert (app.encodes, app.encoder is deployed) == (False, False)
    await change.finish()
    await app.renew()
    assert (app.encodes, app.encoder is deployed) == (True, True)
    await app.stores.pool.close()


async def test_going_back_before_the_swap_drops_what_was_made_in_vain(change: Change) -> None:
    assert await change.step()
    assert set(await change.kept("segment_vectors")) == {OLD, NEW}
    again = {"models": {"encoder": {"kind": "hashing"}, "extraction": {"kind": "rules"}}, "recall": PATIENT}
    change.settings = load(change.settings.home, again, {})
    change.crash()
    await change.finish()
    assert set(await change.kept("segment_vectors")) == {OLD}


async def test_the_database_decides_which_encoder_serves(change: Change) -> None:
    stores = await stores_over(change.door.app.stores.pool, change.settings)
    assert stores.encoders.successor is not None
    assert (stores.encoder.name, stores.encoders.successor.encoder.name) == (OLD, NEW)
