"""The front door over a real database, without Ray: routes, reads, turns and extraction in one process."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from psycopg.rows import DictRow

from actors.memory_shard import MemoryShard
from adapters.postgres.roles import product_dsn
from adapters.row_scope import everybody
from bench.canaries import data_directory, store_plainly
from config.settings import load
from deployments.app_context import AppContext, open_app_context
from deployments.gateway import create_app
from memory.model.scopes import Sensitivity
from memory.model.tokens import Token
from tests.contract.conftest import database  # noqa: F401  (a session fixture)
from tests.fakes.actor_client import LocalActorClient

PATIENT = {"leg_timeout_ms": 10_000, "shard_timeout_ms": 30_000}
"""Settings of recall by which no leg is late, however busy the machine: what is told stays the same."""


PLAIN_MODELS = {"encoder": {"kind": "hashing"}, "extraction": {"kind": "rules"}}
"""The models of most tests: they load at once, and judge nothing."""


@dataclass
class Door:
    """A client for one user, and what stands behind the door."""

    client: httpx.AsyncClient
    app: AppContext
    actors: LocalActorClient
    user: str

    @property
    def shard(self) -> MemoryShard:
        """The shard of the user."""
        return self.actors.of(self.user)

    async def get(self, path: str, **parameters: Any) -> Any:
        answer = await self.client.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = await self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def rows(self, statement: str, **parameters: Any) -> list[DictRow]:
        """Rows whosever they are, as no request is shown them."""
        with everybody("what a test looks at"):
            return await self.app.stores.pool.rows(statement, **parameters)

    async def settle(self) -> None:
        await self.actors.settle(self.app.stores)

    async def client_of(
        self,
        user: str,
        teams: tuple[str, ...] = (),
        permission: str = "write",
        clearance: Sensitivity = Sensitivity.PRIVATE,
    ) -> httpx.AsyncClient:
        token = uuid.uuid4().hex
        await self.app.tokens.put(token, Token(f"{user}-{token[:6]}", user, teams, permission, clearance))
        transport = httpx.ASGITransport(create_app(self.app))
        return httpx.AsyncClient(transport=transport, base_url="http://test", headers={"X-Internal-Token": token})


@pytest.fixture
async def door(database: str, tmp_path: Path) -> AsyncIterator[Door]:  # noqa: F811
    """The door for a fresh user, as the administrator."""
    async with _opened(database, tmp_path, PLAIN_MODELS) as opened:
        yield opened


@pytest.fixture
async def taught_door(database: str, tmp_path: Path) -> AsyncIterator[Door]:  # noqa: F811
    """The same with the models that a fresh installation has: taught encoder, reader and verdicts."""
    async with _opened(database, tmp_path, {}) as opened:
        yield opened


@asynccontextmanager
async def _opened(database: str, home: Path, models: Mapping[str, Any]) -> AsyncIterator[Door]:  # noqa: F811
    (home / "token").write_text("a" * 43)
    settings = load(home, {"dsn": product_dsn(database), "models": models, "recall": PATIENT}, {})
    actors = LocalActorClient(settings)
    app = await open_app_context(settings, actors)
    user = f"u-{uuid.uuid4().hex[:12]}"
    headers = {"X-Internal-Token": "a" * 43, "X-User-Id": user}
    transport = httpx.ASGITransport(create_app(app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        opened = Door(client, app, actors, user)
        yield opened
        await opened.rows("DELETE FROM work")  # else whoever settles next reads what this test has left
    await app.stores.close()
    await actors.close()


@pytest.fixture
def places(door: Door, database: str, tmp_path: Path) -> list[Path]:  # noqa: F811
    """Everything Memoray writes to: its home and the server's files, which are stored without compression."""
    folder = data_directory(database)
    if not os.access(folder, os.R_OK | os.X_OK):
        pytest.skip("the files of this server are out of reach")
    store_plainly(database)
    told = door.app.settings.home / "run" / "runtime.json"  # as the supervisor leaves it
    told.parent.mkdir()
    told.write_text(json.dumps({"owner_dsn": database}))
    return [tmp_path, folder]
