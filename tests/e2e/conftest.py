"""The whole system on a home of its own: started as a user starts it, gone without a trace afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.rows import TupleRow

from adapters.temporary import folders_of
from cli.processes import descendants, title
from cli.runtime import Places, Runtime, read_runtime, supervisor_pid
from tests.rooms import room

COMMAND_S = 400.0
REQUEST_S = 30.0
BEGUN_S = 30.0


@dataclass(frozen=True)
class System:
    """A running Memoray."""

    home: Path

    @property
    def places(self) -> Places:
        return Places(self.home)

    @property
    def runtime(self) -> Runtime:
        found = read_runtime(self.places)
        assert found is not None
        return found

    def memoray(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(str(Path(sys.executable).with_name("memoray")), *arguments, "--home", str(self.home))

    def run(self, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """A command in a shell of its own, with the token of Ray's own interfaces."""
        ours = {"MEMORAY_HOME": str(self.home), "RAY_AUTH_MODE": "token"}
        ours |= {"RAY_AUTH_TOKEN_PATH": str(self.places.ray_token)}
        return subprocess.run(
            command,
            env=os.environ | ours | environ,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_S,
        )

    def request(self, method: str, path: str, timeout_s: float = REQUEST_S, **request: Any) -> httpx.Response:
        """One request as the administrator, on a connection of its own. Raises httpx.TransportError."""
        runtime = read_runtime(self.places)
        if runtime is None or not runtime.url:
            raise httpx.ConnectError("Memoray is starting")
        headers = {"X-Internal-Token": Path(runtime.token_file).read_text().strip()}
        with httpx.Client(base_url=runtime.url, headers=headers, timeout=timeout_s, trust_env=False) as client:
            return client.request(method, path, **request)

    def rows(self, statement: str) -> list[TupleRow]:
        """What a statement finds in the database."""
        with psycopg.connect(self.runtime.owner_dsn) as connection:
            return connection.execute(statement).fetchall()  # type: ignore[call-overload, no-any-return]

    def process(self, name: str) -> int:
        """The process that calls itself so, as soon as there is one: words are taken before a shard has begun."""
        guardian = supervisor_pid(self.places)
        assert guardian is not None
        found: list[int] = []

        def there() -> bool:
            found[:] = [pid for pid in descendants(guardian) if title(pid).startswith(name)]
            return bool(found)

        until(there, BEGUN_S, name)
        return found[0]


def until(reached: Callable[[], bool], within_s: float, what: str) -> float:
    """Wait for something; the seconds it took."""
    began = time.monotonic()
    while not reached():
        assert time.monotonic() - began < within_s, f"{what}: not within {within_s:.0f} s"
        time.sleep(0.2)
    return time.monotonic() - began


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """Up without a demonstration; down at the end, and nothing left."""
    with room() as place:
        running = System(place / "home")
        try:
            up = running.memoray("up", "--no-demo")
            assert up.returncode == 0, up.stdout + up.stderr
            yield running
        finally:
            down = running.memoray("down")
        assert down.returncode == 0, down.stderr
        assert folders_of(running.home) == []
