"""Chaos: parts of a running Memoray are killed and stopped while somebody writes and asks, and everything is counted.

Writes are sources and keyed facts of invented users; each is sent again until it is acknowledged, as a careful
client does, and afterwards every acknowledged one must be there exactly once. A read is asked once, and each request
has a connection of its own.

The client is aiohttp. httpx looks through all requests under way for each one: with 2,000 of them, as after an outage,
it takes a processor for itself and is late, and what is measured is the client.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import aiohttp

from bench.chaos_report import ChaosFault, Report, Struck, counted
from bench.measure import Tell

KILL, STOP = "killed", "stopped"
FAULTS = (
    *(ChaosFault(part, KILL) for part in ("shard", "worker", "gateway", "controller", "GCS", "raylet", "PostgreSQL")),
    ChaosFault("supervisor", KILL),
    *(ChaosFault(part, STOP) for part in ("shard", "gateway", "PostgreSQL")),
)
EVERY_S = 10.0
TWIN = 4
"""Each fourth fault has a second one behind it, amid its recovery."""
TWIN_S = 2.0
READ_S = 20.0
"""What somebody who asks waits for an answer."""
WRITE_S = 10.0
AGAIN_S = 0.25
SETTLED_S = 180.0
"""What the last writes and the recovery from the last fault are given."""
FACT_EVERY = 10
"""Each tenth write is a fact, which is decided by the shard; the others are sources."""
PAGE = 200
USERS = tuple(f"chaos-{number}" for number in range(5))
"""They live in each of up to three shards, of which one is killed at a time."""


@dataclass(frozen=True)
class ChaosPlan:
    """What is done to whom, and for how long."""

    minutes: float
    seed: int
    writes_per_s: float
    reads_per_s: float
    parts: frozenset[str] = frozenset()
    """Only these; all without any."""

    def faults(self) -> Sequence[tuple[float, ChaosFault]]:
        """When, in seconds, and what: each fault as often as any other, in an order drawn by the seed."""
        drawn = random.Random(self.seed)
        kinds = [fault for fault in FAULTS if not self.parts or fault.part in self.parts]
        planned: list[tuple[float, ChaosFault]] = []
        bag: list[ChaosFault] = []
        at = EVERY_S / 2
        while at < 60 * self.minutes:
            bag = bag or drawn.sample(kinds, len(kinds))
            planned.append((at, bag.pop()))
            twin = len(planned) % (TWIN + 1) == TWIN
            at += TWIN_S if twin else EVERY_S
        return planned


@dataclass
class ChaosRecord:
    """What was sent and what came back; times in seconds since the beginning."""

    reads: int = 0
    answered: list[float] = field(default_factory=list)
    acknowledged_at: list[float] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    unacknowledged: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why reads were not answered and writes had to be sent again."""
    slowest_read_s: float = 0.0


@dataclass(frozen=True)
class ChaosReply:
    """What was sent back."""

    told: bytes

    @property
    def json(self) -> Any:
        """Its JSON; None where nothing was sent. Raises ValueError."""
        return json.loads(self.told) if self.told else None

    @property
    def kind(self) -> str:
        """What kind of problem it tells, by the end of its type."""
        try:
            return str(self.json["type"]).rpartition(":")[2]
        except (ValueError, KeyError, TypeError):
            return ""


class Chaos:
    """One run. `harm` does a fault to the running system and says whether it found whom."""

    def __init__(self, url: str, token: str, plan: ChaosPlan, harm: Callable[[ChaosFault], bool], tell: Tell) -> None:
        self._plan, self._harm, self._tell = plan, harm, tell
        self._headers = {"X-Internal-Token": token}
        self._url = url
        self._run = secrets.token_hex(4)
        """A key that was used once stays used."""
        self._seen = ChaosRecord()
        self._began = 0.0

    async def run(self) -> Report:
        """Erase, write and ask amid faults, wait until all is settled, count, erase."""
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        async with aiohttp.ClientSession(self._url, headers=self._headers, connector=connector) as client:
            self._client = client
            for user in USERS:
                await self._surely("DELETE", "/v1/memory", user)
            self._began = time.monotonic()
            struck = await self._amid_faults()
            self._tell("Counting what is there", 0, 1)
            found: list[str] = []
            for user in USERS:
                found += await self._listed("/v1/sources", "sources", "source_id", user)
                found += await self._listed("/v1/facts", "facts", "statement", user)
                await self._surely("DELETE", "/v1/memory", user)
        seen = self._seen
        lost, doubled = counted(seen.sources | seen.facts, found)
        return Report.of(
            self._plan.seed,
            struck,
            (0.0, 60 * self._plan.minutes),
            answered=seen.answered,
            acknowledged=seen.acknowledged_at,
            reads=seen.reads,
            lost=tuple(lost),
            doubled=tuple(doubled),
            unacknowledged=seen.unacknowledged,
            slowest_read_s=round(seen.slowest_read_s, 1),
            reasons=dict(seen.reasons),
        )

    @property
    def _now(self) -> float:
        return time.monotonic() - self._began

    async def _amid_faults(self) -> list[Struck]:
        until = 60 * self._plan.minutes
        async with asyncio.TaskGroup() as under_way:
            striking = under_way.create_task(self._strike())
            under_way.create_task(self._steadily(self._plan.reads_per_s, until, self._read, under_way))
            under_way.create_task(self._steadily(self._plan.writes_per_s, until, self._write, under_way))
        return striking.result()

    async def _steadily(self, per_s: float, until: float, act: Callable[[int], Any], tasks: asyncio.TaskGroup) -> None:
        """Begin so many a second, whether the earlier ones are answered or not."""
        number = 0
        while self._now < until:
            if number < self._now * per_s:
                tasks.create_task(act(number))
                number += 1
            else:
                await asyncio.sleep(0.005)

    async def _strike(self) -> list[Struck]:
        struck = []
        planned = self._plan.faults()
        for number, (at, fault) in enumerate(planned):
            await asyncio.sleep(max(0.0, at - self._now))
            self._tell(f"{fault.part} {fault.how}", number, len(planned))
            found = False
            while not found and self._now < at + EVERY_S / 2:  # it may be dead from the last fault
                found = await asyncio.to_thread(self._harm, fault)
                if not found:
                    await asyncio.sleep(AGAIN_S)
            if found:
                struck.append(Struck(self._now, fault))
        return struck

    async def _read(self, number: int) -> None:
        self._seen.reads += 1
        asked = self._now
        asked_for = {"query": f"Who lives in {_city(number)}?"}
        answer = await self._sent("GET", "/v1/context", READ_S, params=asked_for, headers=_of(_user(number)))
        if answer is not None:
            self._seen.answered.append(self._now)
            self._seen.slowest_read_s = max(self._seen.slowest_read_s, self._now - asked)

    async def _write(self, number: int) -> None:
        who = f"Nora Nordgren-{number}"
        said = f"{who} lives in {_city(number)}"
        if number % FACT_EVERY == 0:
            fact = {"subject": who, "predicate": "lives_in", "object": _city(number), "statement": said}
            key = {"Idempotency-Key": f"chaos-{self._run}-{number}", **_of(_user(number))}
            kept = await self._until_acknowledged("/v1/facts", self._seen.facts, said, json=fact, headers=key)
        else:
            segment = {"segment_id": "1", "speaker": "Ola", "text": f"I saw the number {number} today.", "start": 0}
            source_id = f"chaos-{number}"
            source = {"source_id": source_id, "started_at": "2026-03-01T08:00:00Z", "segments": [segment]}
            whose = _of(_user(number))
            kept = await self._until_acknowledged(
                "/v1/sources", self._seen.sources, source_id, json=source, headers=whose
            )
        self._seen.unacknowledged += not kept

    async def _until_acknowledged(self, path: str, kept: set[str], name: str, **request: Any) -> bool:
        deadline = self._now + SETTLED_S
        while self._now < deadline:
            answer = await self._sent("POST", path, WRITE_S, **request)
            if answer is not None:
                kept.add(name)
                self._seen.acknowledged_at.append(self._now)
                return True
            await asyncio.sleep(AGAIN_S)
        return False

    async def _sent(self, method: str, path: str, timeout_s: float, **request: Any) -> ChaosReply | None:
        """The answer; None, with its reason counted, if there was none or another than wished for."""
        try:
            within = aiohttp.ClientTimeout(total=timeout_s)
            async with self._client.request(method, path, timeout=within, **request) as response:
                status, told = response.status, await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            self._seen.reasons[f"{method} {type(error).__name__}"] += 1
            return None
        answer = ChaosReply(told)
        if status >= HTTPStatus.BAD_REQUEST:
            self._seen.reasons[f"{method} {status} {answer.kind}".rstrip()] += 1
            return None
        return answer

    async def _surely(self, method: str, path: str, user: str, **request: Any) -> Any:
        """An answer, however long the system needs to recover. Raises TimeoutError."""
        async with asyncio.timeout(SETTLED_S):
            while True:
                answer = await self._sent(method, path, READ_S, headers=_of(user), **request)
                if answer is not None:
                    return answer.json
                await asyncio.sleep(AGAIN_S)

    async def _listed(self, path: str, name: str, field_name: str, user: str) -> list[str]:
        found: list[str] = []
        asked: dict[str, Any] = {"limit": PAGE}
        while True:
            page = await self._surely("GET", path, user, params=asked)
            found += [row[field_name] for row in page[name]]
            if page["cursor"] is None:
                return found
            asked["cursor"] = page["cursor"]


def _of(user: str) -> dict[str, str]:
    return {"X-User-Id": user}


def _user(number: int) -> str:
    """So many writes in a row go to one user that each user gets a fact in turn."""
    return USERS[number // FACT_EVERY % len(USERS)]


def _city(number: int) -> str:
    return ("Porto", "Lisbon", "Berlin", "Oslo", "Dublin", "Prague", "Ghent")[number % 7]
