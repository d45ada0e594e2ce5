"""Shards of a running system: their number changes, and one of them is killed, while several people write."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest

from actors.placement import living, shard_of
from tests.e2e.conftest import System, until
from tests.rooms import room

pytestmark = pytest.mark.e2e
MOVED_WITHIN_S = 60.0
ACKNOWLEDGED_WITHIN_S = 120.0


@pytest.fixture(scope="module")
def sharded() -> Iterator[System]:
    """Two shards."""
    with room() as place:
        running = System(place / "home")
        running.home.mkdir(mode=0o711)
        put(running, 2)
        try:
            up = running.memoray("up", "--no-demo")
            assert up.returncode == 0, up.stdout + up.stderr
            yield running
        finally:
            down = running.memoray("down")
        assert down.returncode == 0, down.stderr


def put(system: System, shards: int) -> None:
    (system.home / "memory.yaml").write_text(f"shards: {shards}\n")


@dataclass
class Writer:
    """One who tells facts one after the other, each until it is acknowledged."""

    system: System
    user: str
    acknowledged: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    failed: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def write(self) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            said = f"{self.user} keeps the number {number}"
            began = time.monotonic()
            while not self.tell(said):
                if time.monotonic() - began > ACKNOWLEDGED_WITHIN_S:
                    return
                time.sleep(0.2)
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            self.acknowledged.append(said)

    def tell(self, said: str) -> bool:
        body = {"statement": said, "subject": "Maya", "predicate": "keeps", "object": said}
        headers = {"X-User-Id": self.user, "Idempotency-Key": said}
        try:
            told = self.system.request("POST", "/v1/facts", json=body, headers=headers)
        except httpx.TransportError as error:
            self.failed = repr(error)
            return False
        self.failed = told.text
        return told.status_code == 201

    def believed(self) -> list[str]:
        found: list[str] = []
        asked = {"limit": "200"}
        while True:
            page = self.system.request("GET", "/v1/facts", params=asked, headers={"X-User-Id": self.user}).json()
            found += [each["statement"] for each in page["facts"]]
            if page["cursor"] is None:
                return found
            asked["cursor"] = page["cursor"]


def living_in(shard: str, shards: int, but: str = "") -> str:
    named = (f"user-{number}" for number in range(1_000))
    return next(each for each in named if shard_of(each, shards) == shard and each != but)


def replace_shards(system: System, before: int, after: int) -> None:
    put(system, after)
    told = system.memoray("up", "--no-demo")
    assert told.returncode == 0, told.stderr
    assert f"from {before} to {after} shards" in told.stdout
    until(lambda: len(living(system.home)) == after, MOVED_WITHIN_S, "each shard has its process")


def test_nothing_is_lost_or_doubled_whatever_happens_to_shards(sharded: System) -> None:
    first = living_in("shard-2", 3)
    users = [first, living_in("shard-2", 3, but=first), living_in("shard-0", 3), living_in("shard-1", 3)]
    writers = [Writer(sharded, user) for user in users]
    threads = [threading.Thread(target=writer.write) for writer in writers]
    for thread in threads:
        thread.start()
    until(lambda: all(len(writer.acknowledged) > 5 for writer in writers), MOVED_WITHIN_S, "all write")

    replace_shards(sharded, 2, 3)
    rows = "SELECT user_id, shard FROM owners"
    until(lambda: {(user, "shard-2") for user in users[:2]} <= set(sharded.rows(rows)), MOVED_WITHIN_S, "they move")
    assert dict(sharded.rows(rows))[users[2]] == "shard-0", "who stays is not touched"  # type: ignore[arg-type]
    told = json.loads(sharded.memoray("status", "--json").stdout)
    assert told["shards"] == {"in_force": 3, "pids": living(sharded.home)}

    killed = living(sharded.home)["shard-2"]
    os.kill(killed, signal.SIGKILL)
    until(lambda: living(sharded.home).get("shard-2", killed) != killed, MOVED_WITHIN_S, "another life")
    counts = [len(writer.acknowledged) for writer in writers]
    until(lambda: all(len(w.acknowledged) > n + 5 for w, n in zip(writers, counts, strict=True)), MOVED_WITHIN_S, "on")

    ending = living(sharded.home)["shard-2"]
    replace_shards(sharded, 3, 2)
    until(lambda: not os.path.exists(f"/proc/{ending}"), MOVED_WITHIN_S, "the third ends")
    counts = [len(writer.acknowledged) for writer in writers]
    until(lambda: all(len(w.acknowledged) > n + 5 for w, n in zip(writers, counts, strict=True)), MOVED_WITHIN_S, "on")

    for writer in writers:
        writer.over.set()
    for thread in threads:
        thread.join(ACKNOWLEDGED_WITHIN_S)
    print({writer.user: (len(writer.acknowledged), round(writer.slowest_s, 1)) for writer in writers})
    for writer in writers:
        assert Counter(writer.believed()) == Counter(writer.acknowledged), writer.failed
