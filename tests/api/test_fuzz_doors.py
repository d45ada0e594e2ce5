"""Every door at its worst: bodies that nobody would send, cut, endless or huge, wrong keys, and clients that leave.

The routes are those that every dialect brings, and our own chat: none can be forgotten here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from deployments.dialect import every_dialect
from tests.api.conftest import Door
from tests.api.foreign import served, token_of
from tests.fakes.ear import FakeEar

pytestmark = pytest.mark.postgres
EACH = int(os.environ.get("MEMORAY_FUZZ_EXAMPLES", "8"))
"""Bodies for each route; the suite sends the same ones, a larger number looks for new ones."""
HANGS_S = 60.0
"""Seconds after which a request hangs, on the slowest machine."""
CANARY = "zanzibarium"
"""Stands in all that is sent, and in no log."""
CHAT = ("chat", "POST", "/v1/chat")
HUGE = 50_000_000


def _routes() -> Iterator[tuple[str, str, str]]:
    """Dialect, method and path of every route of every dialect, and of our own chat."""
    for dialect in every_dialect():
        for route in dialect.router.routes if dialect.router else ():
            path = getattr(route, "path_format", getattr(route, "path", ""))
            for method in sorted(getattr(route, "methods", None) or {"POST"}):
                if method not in ("HEAD", "OPTIONS"):
                    yield dialect.name, method, path
    yield CHAT


ROUTES = sorted(set(_routes()))
SPOKEN = {each.name: each for each in every_dialect()}


def _is_openai(told: Any) -> bool:
    return set(told["error"]) == {"message", "type", "param", "code"}


def _is_detail(told: Any) -> bool:
    return set(told) == {"detail"} and isinstance(told["detail"], str)


def _is_rpc(told: Any) -> bool:
    return told["jsonrpc"] == "2.0" and isinstance(told["error"]["message"], str)


def _is_problem(told: Any) -> bool:
    return told.keys() >= {"type", "title", "status", "detail", "instance"}


FORMS: dict[str, Callable[[Any], bool]] = {
    "openai": _is_openai,
    "mem0": _is_detail,
    "graphiti": _is_detail,
    "omi": lambda told: set(told) == {"error"},
    "mcp": _is_rpc,
    "mcp-memory": _is_rpc,
    "mcp-graphiti": _is_rpc,
    "webhook": _is_problem,
    "chat": _is_problem,
}
"""Dialect -> whether an error has its form."""

WORDS = [
    "messages",
    "role",
    "content",
    "model",
    "input",
    "stream",
    "stop",
    "store",
    "user",
    "metadata",
    "filters",
    "user_id",
    "agent_id",
    "AND",
    "OR",
    "NOT",
    "in",
    "query",
    "top_k",
    "memories",
    "memory_id",
    "text",
    "infer",
    "timestamp",
    "segments",
    "id",
    "start",
    "end",
    "is_user",
    "session_id",
    "transcript_segments",
    "structured",
    "created_at",
    "summary_json",
    "message",
    "llm_backend",
    "group_id",
    "group_ids",
    "max_facts",
    "name",
    "uuid",
    "jsonrpc",
    "method",
    "params",
    "arguments",
    "tools/call",
    "tools/list",
    "initialize",
    "search_memory",
    "2.0",
    "feedback",
    "limit",
]
"""Names that dialects know."""
TEXTS = [CANARY, "", " ", "\u202eabc", "x\x00y", "\ud800", "🙂", "null", "*", "../..", "ß" * 3_000, "9" * 400, "user"]
ODD = [*TEXTS, "assistant", "memoray", "2026-03-01", None, True, False, 0, -1, 1.5, 10**30, [], {}, [[]], [None]]
TORN = [
    b"",
    b"{",
    b"null",
    b"7",
    b'"x"',
    b"[]",
    b"\xff\xfe",
    b"{}\n{}",
    CANARY.encode(),
    b"--x\r\nContent-Disposition: x",
]
RAW = [*TORN, b"[" * 50_000, b'{"a":' * 5_000, b"\x00" * 64, b'{"messages": 1e999}', b'{"n": ' + b"9" * 5_000 + b"}"]
"""Bodies that are none."""


def drawn(draw: random.Random, depth: int = 0) -> Any:
    """Something that may stand in a body, made of the words that dialects know."""
    kind = draw.random()
    if depth > 4 or kind < 0.3:
        return draw.choice(ODD)
    if kind < 0.45:
        return draw.choice(WORDS)
    if kind < 0.6:
        return [drawn(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {draw.choice(WORDS): drawn(draw, depth + 1) for _ in range(draw.randrange(6))}


def body_of(draw: random.Random) -> bytes:
    """A body: of the table, made up, or made up and then damaged."""
    if draw.random() < 0.3:
        return draw.choice(RAW)
    whole = json.dumps({**drawn_object(draw), "user": CANARY}).encode()
    if draw.random() < 0.3:
        place = draw.randrange(len(whole))
        return whole[:place] + draw.randbytes(3) + whole[place + draw.randrange(9) :]
    return whole


def drawn_object(draw: random.Random) -> dict[str, Any]:
    return {draw.choice(WORDS): drawn(draw, 1) for _ in range(1 + draw.randrange(6))}


def placed(path: str, secret: str, draw: random.Random) -> str:
    """The path with something in its places."""
    names = ("x", "f-0011223344556677", CANARY, "%00", "..%2f..", "%ff", "a" * 3_000, quote("ß🙂"), "0")

    def chosen(found: re.Match[str]) -> str:
        return secret if found[0] == "{secret}" else draw.choice(names)

    return re.sub(r"\{[^}]*\}", chosen, path)


def form_of(dialect: str, path: str) -> Callable[[Any], bool]:
    """The form of an error at a path: of whoever speaks there."""
    there = next((name for name, each in SPOKEN.items() if each.speaks(httpx.URL(path).path)), dialect)
    return FORMS[there if there in SPOKEN else "chat"]


def assert_no_words(caplog: pytest.LogCaptureFixture) -> None:
    """What was sent stands in no log of ours, and nothing broke that nobody meant."""
    ours = [each for each in caplog.records if not each.name.startswith(("http", "uvicorn.access", "asyncio"))]
    told = [f"{each.getMessage()} {each.exc_text or ''}" for each in ours]
    assert [each for each in told if CANARY in each or "unexpected" in each] == []


def test_every_dialect_has_a_form() -> None:
    assert set(FORMS) == {*SPOKEN, "chat"}
    assert len(ROUTES) > 50


@pytest.mark.parametrize(("dialect", "method", "path"), ROUTES, ids=str)
async def test_nothing_breaks_a_door(
    door: Door, caplog: pytest.LogCaptureFixture, dialect: str, method: str, path: str
) -> None:
    door.app.ear = FakeEar()
    caplog.set_level(logging.INFO)
    draw, secret = random.Random(f"{method} {path}"), await token_of(door, door.user)
    kinds = ("application/json", "application/octet-stream", "text/plain", "application/x-www-form-urlencoded")
    for _ in range(EACH):
        where, body = placed(path, secret, draw), body_of(draw)
        headers = {"content-type": draw.choice(kinds[:1] * 5 + kinds), "accept": "application/json, text/event-stream"}
        async with asyncio.timeout(HANGS_S):
            answer = await door.client.request(method, where, content=body, headers=headers)
        assert answer.status_code < 500, f"{answer.status_code} {answer.text} to {where} {body[:300]!r}"
        if answer.status_code >= 400:
            assert form_of(dialect, where)(answer.json()), f"{answer.text} to {where} {body[:300]!r}"
    assert_no_words(caplog)


@pytest.mark.parametrize(("dialect", "method", "path"), ROUTES, ids=str)
async def test_wrong_keys_and_bodies_beyond_all_measure_are_told_in_form(
    door: Door, dialect: str, method: str, path: str
) -> None:
    door.app.ear = FakeEar()
    secret, draw = await token_of(door, door.user), random.Random(path)
    wrong = {"X-Internal-Token": "b" * 43}
    answer = await door.client.request(
        method, placed(path, "not-the-secret-at-all", draw), headers=wrong, content=b"{}"
    )
    assert answer.status_code == 401, answer.text
    assert form_of(dialect, path)(answer.json())
    if method == "GET":
        return

    async def endless() -> Any:
        for _ in range(HUGE // 1_000_000):
            yield b" " * 1_000_000

    for content in (b" " * HUGE, endless()):
        async with asyncio.timeout(HANGS_S):
            answer = await door.client.request(method, placed(path, secret, random.Random(1)), content=content)
        assert answer.status_code < 500, answer.text
        if answer.status_code not in (404, 415):  # where there is nothing, or no form, nothing is read
            assert answer.status_code == 413, answer.text
        assert form_of(dialect, path)(answer.json())


ONE_EACH = {name: (method, path) for name, method, path in reversed(ROUTES) if method == "POST"}
"""A route of each dialect that takes a body."""
LEAVING: dict[str, Callable[[bytes], bytes]] = {
    "in its head": lambda whole: whole[: whole.index(b"\r\n\r\n") // 2],
    "behind its head": lambda whole: whole[: whole.index(b"\r\n\r\n") + 4],
    "in its body": lambda whole: whole[:-10],
    "before the answer": lambda whole: whole,
}
"""Where a client leaves -> what it has sent by then."""


async def test_who_leaves_early_breaks_nothing(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    token = await token_of(door, door.user)
    async with served(door) as url:
        place = urlsplit(url)
        for (method, path), cut in ((one, cut) for one in ONE_EACH.values() for cut in LEAVING.values()):
            body = json.dumps(
                {"message": CANARY, "messages": [{"role": "user", "content": CANARY}], "model": "memoray"}
            )
            head = (
                f"{method} {placed(path, token, random.Random(0))} HTTP/1.1\r\nHost: {place.netloc}\r\n"
                f"X-Internal-Token: {token}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(cut(f"{head}{body}".encode()))
            await writer.drain()
            writer.transport.abort()
        async with httpx.AsyncClient(base_url=url, headers={"X-Internal-Token": token}, timeout=HANGS_S) as client:
            assert (await client.get("/v1/models")).status_code == 200
            assert (await client.get("/v1/stats")).status_code == 200
    assert_no_words(caplog)
