"""`memoray bench doors`: whether every door finds the same, what each costs above `GET /v1/context`, and how soon a
wearable's webhook is acknowledged.

The same questions go through each in turn, so that whatever else the machine does is shared by all. MCP and mem0 are to
give the segments that `/v1/context` gives, in its order; OpenAI's chat what `/v1/ask` cites. Nothing is remembered of
that; what the webhook tells comes last.
"""

from __future__ import annotations

import http.client
import json
import math
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from bench import talk
from bench.measure import ApiClient, Site, Spread, await_done, memories, post_all, timed

USER = "bench-doors"
LIMIT = 10
WEBHOOKS = 200
"""Webhooks of a wearable that are sent."""
WORK = ("embedding", "extraction")
Found = Sequence[tuple[str, str]]
"""Source and segment ids, the best first."""
Ask = Callable[[ApiClient, str], Any]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask: how, what of the answer was found, and the way it is compared with."""

    name: str
    ask: Ask
    found: Callable[[Any], Found]
    like: str = ""


def _hits(answer: Mapping[str, Any], under: str = "results") -> Found:
    return [(each["source_id"], each["segment_id"]) for each in answer[under]]


def _sealed(memory: Mapping[str, Any]) -> tuple[str, str]:
    """The source and segment in the id of a memory of mem0's: base64 of a JSON list that begins with its owner."""
    given = memory["id"]
    _, source, segment = json.loads(urlsafe_b64decode(given + "=" * (-len(given) % 4)))
    return source, segment


def _called(question: str) -> dict[str, Any]:
    asked = {"name": "search_memory", "arguments": {"query": question, "limit": LIMIT}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}


def chat(question: str, *, stream: bool = False) -> dict[str, Any]:
    """A chat of one question that asks not to be remembered."""
    told = [{"role": "user", "content": question}]
    return {"model": "memoray", "messages": told, "store": False, "stream": stream}


def _asked_context(door: ApiClient, question: str) -> Any:
    return door.get("/v1/context", query=question, limit=LIMIT, budget_tokens="auto")


def _asked_mem0(door: ApiClient, question: str) -> Any:
    return door.post("/v3/memories/search/", {"query": question, "top_k": LIMIT, "filters": {"user_id": USER}})


def _found_mem0(answer: Mapping[str, Any]) -> Found:
    return [_sealed(each) for each in answer["results"]]


def _cited(answer: Mapping[str, Any]) -> Found:
    return _hits(answer, "citations")


CONTEXT, ANSWER = "HTTP /v1/context", "HTTP /v1/ask"
WAYS = (
    Way(CONTEXT, _asked_context, _hits),
    Way(
        "MCP search_memory",
        lambda door, question: door.post("/mcp", _called(question)),
        lambda answer: _hits(answer["result"]["structuredContent"]),
        CONTEXT,
    ),
    Way("mem0 search", _asked_mem0, _found_mem0, CONTEXT),
    Way(ANSWER, lambda door, question: door.post("/v1/ask", {"query": question}), _cited),
    Way(
        "OpenAI chat",
        lambda door, question: door.post("/v1/chat/completions", chat(question)),
        lambda answer: _cited(answer["memoray"]),
        ANSWER,
    ),
)


@dataclass(frozen=True, slots=True)
class WayRow:
    """What one way took, above what it is compared with, and how often it found the same in the same order."""

    name: str
    spread: Spread
    p99_ms: float
    above_ms: float | None
    same: int | None
    asked: int

    def cells(self) -> dict[str, str]:
        """One row."""
        return {
            "door": self.name,
            "p50 ms": f"{self.spread.p50_ms:.1f}",
            "p95 ms": f"{self.spread.p95_ms:.1f}",
            "p99 ms": f"{self.p99_ms:.1f}",
            "p50 above": "" if self.above_ms is None else f"{self.above_ms:+.1f}",
            "the same": "" if self.same is None else f"{self.same} of {self.asked}",
        }


@dataclass(frozen=True, slots=True)
class MeasuredClient:
    """A client of the system that is measured, as the administrator: each request has a connection of its own."""

    url: str
    token: str

    def first_words(self, question: str) -> float:
        """Milliseconds until the first words of a streamed answer are there."""
        begun = time.perf_counter()
        with closing(self._connection()) as connection:
            connection.request("POST", "/v1/chat/completions", json.dumps(chat(question, stream=True)), self._headers)
            for line in connection.getresponse():
                if line.startswith(b"data: {") and json.loads(line[6:])["choices"][0]["delta"].get("content"):
                    return (time.perf_counter() - begun) * 1_000
        raise RuntimeError("the stream ended without a word")

    def acknowledged(self, number: int) -> float:
        """Milliseconds until a webhook of Omi's was answered, with a segment that is new and one that has grown."""
        begun = time.perf_counter()
        with closing(self._connection()) as connection:
            connection.request("POST", f"/omi/{self.token}/transcript", json.dumps(heard(number)), self._headers)
            answer = connection.getresponse()
            if (answer.status, answer.read()) != (200, b"{}"):
                raise RuntimeError("the webhook was refused")
        return (time.perf_counter() - begun) * 1_000

    @property
    def _headers(self) -> dict[str, str]:
        return {"X-Internal-Token": self.token, "X-User-Id": USER, "Content-Type": "application/json"}

    def _connection(self) -> http.client.HTTPConnection:
        place = urlsplit(self.url)
        return http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)


def heard(number: int) -> dict[str, Any]:
    """What Omi's cloud sends of a stream: the segment before, which has grown, and the next."""
    said = [(each, f"Word by word, {each} of them are said.") for each in (number - 1, number) if each >= 0]
    segments = [
        {
            "id": f"w{each}",
            "text": text,
            "speaker": "SPEAKER_00",
            "speaker_id": 0,
            "is_user": True,
            "start": 3.0 * each,
            "end": 3.0 * each + 2.0,
        }
        for each, text in said
    ]
    return {"session_id": USER, "segments": segments}


def doors(site: Site, segments: int, questions: int, client: MeasuredClient, *, keep: bool = False) -> list[WayRow]:
    """Fill a memory, ask through every door, and be a wearable. Raises DomainError."""
    with memories(site, (USER,), keep=keep) as opened:
        door = opened[USER]
        post_all(site, [(door, body) for body in talk.bodies(segments)])
        await_done(site, opened, WORK)
        asked = talk.questions(questions)
        for way in WAYS:  # the first request of each loads what it needs
            way.ask(door, asked[0])
        taken: dict[str, list[float]] = {way.name: [] for way in WAYS}
        found: dict[str, list[Found]] = {way.name: [] for way in WAYS}
        streamed = []
        for number, question in enumerate(asked):
            for way in WAYS:
                answer, took = timed(lambda way=way, question=question: way.ask(door, question))  # type: ignore[misc]
                taken[way.name].append(took)
                found[way.name].append(way.found(answer))
            streamed.append(client.first_words(question))
            site.tell("Asking", number + 1, len(asked))
        told = []
        for number in range(WEBHOOKS):
            told.append(client.acknowledged(number))
            site.tell("Telling", number + 1, WEBHOOKS)
    rows = [_row(way, taken, found) for way in WAYS]
    return [*rows, _alone("OpenAI chat, first words", streamed), _alone("Omi transcript, acknowledged", told)]


def _alone(name: str, taken: Sequence[float]) -> WayRow:
    return WayRow(name, Spread.of(taken), _p99(taken), None, None, len(taken))


def _p99(taken: Sequence[float]) -> float:
    """The 99th percentile by nearest rank."""
    return sorted(taken)[math.ceil(0.99 * len(taken)) - 1]


def _row(way: Way, taken: Mapping[str, Sequence[float]], found: Mapping[str, Sequence[Found]]) -> WayRow:
    alone = _alone(way.name, taken[way.name])
    if not way.like:
        return alone
    above = median(taken[way.name]) - median(taken[way.like])
    same = sum(one == other for one, other in zip(found[way.name], found[way.like], strict=True))
    return replace(alone, above_ms=above, same=same)
