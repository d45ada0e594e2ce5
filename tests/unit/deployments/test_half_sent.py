"""Whoever does not say what it wants is not waited for: neither for its head, nor for its body, nor in any number."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from cli.ports import free_port
from config.settings import Http
from deployments import protocol
from deployments.listening import Listener, listen
from deployments.protocol import GRANTED

HOME = Path(f"/nowhere/{os.getpid()}")
app = FastAPI()
Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@app.post("/count")
async def count(request: Request) -> dict[str, int]:
    return {"bytes": len(await request.body())}


@app.post("/refused", status_code=401)
async def refused() -> dict[str, str]:
    return {"no": "body was read"}


@app.get("/slow")
async def slow(request: Request) -> dict[str, str]:
    """An answer that takes a second, to somebody with a token."""
    request.scope[GRANTED] = "somebody"
    await asyncio.sleep(1)
    return {"status": "at last"}


@app.get("/endless")
async def endless() -> StreamingResponse:
    async def more() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 1_000_000
            await asyncio.sleep(0)

    return StreamingResponse(more())


@pytest.fixture
async def door(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Http]:
    """A door with little patience and little room."""
    for name, seconds in (("HEAD_S", 0.3), ("BODY_S", 0.3), ("ANSWER_S", 0.3), ("LINGER_S", 0.3)):
        monkeypatch.setattr(protocol, name, seconds)
    http = Http(port=free_port(0), connections=16, connections_per_address=8)
    listener = await listen(app, HOME, http)
    yield http
    await shut(listener)


async def shut(listener: Listener) -> None:
    listener._server.force_exit = True
    await listener.close()


async def connected(http: Http, sent: bytes = b"") -> Wire:
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    writer.write(sent)
    return reader, writer


async def ended(wire: Wire) -> bytes:
    """What comes until the other side hangs up."""
    told = b""
    with suppress(ConnectionError):
        while part := await asyncio.wait_for(wire[0].read(65_536), 30):
            told += part
    wire[1].close()
    return told


def status(told: bytes) -> int:
    return int(told.split(b" ", 2)[1])


async def asked(http: Http) -> int:
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"http://127.0.0.1:{http.port}/health", timeout=30)).status_code


HALVES = {
    "a request line": b"GET /health HT",
    "a header": b"GET /health HTTP/1.1\r\nhost: localhost\r\nx-inter",
    "no end of the headers": b"GET /health HTTP/1.1\r\nhost: localhost\r\n",
    "a body": b"POST /count HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf",
    "a body in pieces": b"POST /count HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
}


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
async def test_half_a_request_is_told_that_its_time_is_over(door: Http, half: bytes) -> None:
    told = await ended(await connected(door, half))
    assert status(told) == 408
    head, _, body = told.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    assert json.loads(body)["type"] == "urn:memoray:http"


async def test_half_of_a_further_request_is_ended_too(door: Http) -> None:
    whole = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    told = await ended(await connected(door, whole + b"GET /heal"))
    assert (status(told), b" 408 " in told) == (200, True)
    for more in (b"GET /heal", b"\r\n"):
        wire = await connected(door, whole)
        assert status(await asyncio.wait_for(wire[0].readuntil(b"}"), 30)) == 200
        wire[1].write(more)
        assert (b" 408 " in await ended(wire)) == (more != b"\r\n"), "an empty line begins no request"


async def test_who_says_nothing_is_left_without_a_word(door: Http) -> None:
    assert await ended(await connected(door)) == b""


async def test_a_drop_now_and_then_buys_no_time(door: Http) -> None:
    """Byte by byte, each within the limit: what counts is the whole."""
    for half, drop in ((HALVES["no end of the headers"], b"x-a: b\r\n"), (HALVES["a body"], b"a")):
        wire = await connected(door, half)

        async def drip(writer: asyncio.StreamWriter = wire[1], drop: bytes = drop) -> None:
            with suppress(ConnectionError):
                for _ in range(80):
                    writer.write(drop)
                    await writer.drain()
                    await asyncio.sleep(0.1)

        dripping = asyncio.create_task(drip())
        assert status(await ended(wire)) == 408
        assert not dripping.done()
        dripping.cancel()


async def test_headers_without_end_are_not_kept(door: Http) -> None:
    wire = await connected(door, b"GET /health HTTP/1.1\r\n" + b"x-a: " + b"b" * 1_000 + b"\r\n")
    for _ in range(400):
        wire[1].write(b"x-a: " + b"b" * 1_000 + b"\r\n")
    assert status(await ended(wire)) == 431


async def test_a_refusal_is_read_although_the_body_is_not(door: Http) -> None:
    head = b"POST /refused HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4000000\r\n\r\n"
    wire = await connected(door, head + b"a" * 4_000_000)
    told = await ended(wire)
    assert status(told) == 401
    assert b"connection: close" not in told.lower() or b"200" not in told


async def test_who_takes_nothing_of_the_answer_is_left(door: Http) -> None:
    reader, writer = await connected(door, b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await asyncio.sleep(1.5)
    with suppress(ConnectionError):
        while await asyncio.wait_for(reader.read(1_000_000), 30):
            pass
    writer.close()


async def test_a_crowd_of_half_sent_requests_pushes_itself_out_and_nobody_else(door: Http) -> None:
    """Fifty times the room, from one address, while somebody with a token waits for an answer and others come."""
    patient = asyncio.create_task(
        ended(await connected(door, b"GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    )
    await asyncio.sleep(0.2)
    crowd: list[Wire] = []
    for number in range(400):
        crowd.append(await connected(door, list(HALVES.values())[number % len(HALVES)]))
        if number % 50 == 49:
            assert await asked(door) == 200
    assert status(await patient) == 200
    for wire in crowd:
        wire[1].close()


async def test_who_has_shown_a_token_keeps_the_connection(door: Http) -> None:
    known = await connected(door, b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
    assert b" 200 " in await asyncio.wait_for(known[0].readuntil(b"at last"), 30)
    crowd = [await connected(door, b"GET /he") for _ in range(40)]
    known[1].write(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
    assert b" 200 " in await asyncio.wait_for(known[0].readuntil(b"at last"), 30)
    for wire in [known, *crowd]:
        wire[1].close()


async def test_where_all_are_being_answered_the_next_one_is_told_so() -> None:
    http = replace(Http(), port=free_port(0), connections=2, connections_per_address=2)
    listener = await listen(app, HOME, http)
    waiting = b"GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    answered = [asyncio.create_task(ended(await connected(http, waiting))) for _ in range(2)]
    await asyncio.sleep(0.2)
    assert status(await ended(await connected(http))) == 503
    assert [status(await each) for each in answered] == [200, 200]
    assert await asked(http) == 200
    await shut(listener)
