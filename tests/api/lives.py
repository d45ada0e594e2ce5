"""Invented lives told in this process: routes, turns and reading over a real database, without Ray, by a driven clock.

    python -m tests.api.lives tests/quality/lives/*.life --out reports

prints what `memoray bench lives` prints, but needs nothing running and takes each life's own time for now: what is told
by a command is then as old as the life says, and a promise is overdue when it is in the life.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import uuid
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from adapters import build, build_models
from adapters.clock import SystemClock
from adapters.postgres.embedded import EmbeddedPostgres
from adapters.postgres.migrate import migrate
from adapters.temporary import vacate
from bench.life_files import read_life
from bench.life_model import LifeScript
from bench.life_reports import cells, report
from bench.lives import LifeResult, measure_life
from bench.measure import ApiClient, Refused, Site, markdown
from config.settings import load
from deployments.app_context import open_app_context
from deployments.gateway import create_app
from memory.model.timeline import Instant
from memory.ports import Embedder
from tests.fakes.actor_client import LocalActorClient

T = TypeVar("T")
TOKEN = "a" * 43
PATIENT = {"leg_timeout_ms": 10_000, "shard_timeout_ms": 30_000}
"""Settings of recall by which no leg is late, however busy the machine: what is told stays the same."""


class TickingClock:
    """Stands where it was put and moves a millisecond a look: no two changes are made at once."""

    def __init__(self) -> None:
        self._at = 0.0

    def now(self) -> Instant:
        """A millisecond later than before."""
        self._at = round(self._at + 0.001, 3)
        return self._at

    def put(self, moment: datetime) -> None:
        """Put it to a moment, never back."""
        self._at = max(self._at, moment.timestamp())


@dataclass(frozen=True)
class InProcess(ApiClient):
    """The front door for one user, from another thread than the one it is served in."""

    client: httpx.AsyncClient
    loop: asyncio.AbstractEventLoop
    user: str

    def get(self, path: str, **parameters: object) -> Any:
        given = {name: str(value) for name, value in parameters.items() if value is not None}
        return self._asked("GET", path, params=given)

    def post(self, path: str, body: object = None) -> Any:
        return self._asked("POST", path, json=body)

    def put(self, path: str, body: object) -> Any:
        return self._asked("PUT", path, json=body)

    def delete(self, path: str) -> Any:
        return self._asked("DELETE", path)

    def _asked(self, method: str, path: str, **request: Any) -> Any:
        headers = {"X-User-Id": self.user, "X-Internal-Token": TOKEN}
        answer = waited(self.loop, self.client.request(method, path, headers=headers, **request))
        if answer.is_error:
            raise Refused(f"{method} {path} was refused with status {answer.status_code}. {answer.text}")
        return answer.json() if answer.content else None


def waited(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of what runs in another thread's loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


async def lived(life: LifeScript, dsn: str, home: Path, models: Mapping[str, Any]) -> LifeResult:
    """What becomes of a life in this process, with these models, over a migrated database."""
    clock = TickingClock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "clock", lambda: clock)
        async with _site(dsn, home, models) as site:
            return await asyncio.to_thread(measure_life, life, site, at=clock.put)


@asynccontextmanager
async def _site(dsn: str, home: Path, models: Mapping[str, Any]) -> AsyncIterator[Site]:
    (home / "token").write_text(TOKEN)
    settings = load(home, {"dsn": dsn, "models": models, "recall": PATIENT}, {})
    actors, loop = LocalActorClient(settings), asyncio.get_running_loop()
    app = await open_app_context(settings, actors)

    async def serving() -> Embedder:
        return app.stores.encoder

    actors.extractor = build_models.reader(actors.extractor, settings, serving)  # reads as the worker does
    transport = httpx.ASGITransport(create_app(app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=None) as client:
        yield Site(
            door=lambda user: InProcess(client, loop, user),
            encode=lambda text: text,
            encode_heard=lambda texts: texts,
            pss_bytes=lambda: 0,
            tell=lambda *_: None,
            pause=lambda _: waited(loop, actors.settle(app.stores, SystemClock().now())),
        )
    await app.stores.pool.close()
    await actors.close()


def main() -> None:
    """Tell the lives of the arguments, each to a database server of its own making."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    lives = [read_life(path) for path in given.files]
    with tempfile.TemporaryDirectory(prefix=f"memoray-lives-{uuid.uuid4().hex[:6]}-") as folder:
        home = Path(folder)
        home.chmod(0o711)  # as root the server runs under another account, which must be able to pass
        server = EmbeddedPostgres(home)
        dsn = server.start()
        try:
            migrate(dsn)
            measured = [asyncio.run(lived(life, dsn, home, {})) for life in lives]
        finally:
            server.stop()
            vacate(home)
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        for one in measured:
            (given.out / f"{one.life.name}.md").write_text(report(one), encoding="utf-8")
    print(markdown([cells(one) for one in measured]))


if __name__ == "__main__":
    main()
