"""The front door's own listener: on the address of the settings, patient with the one before it, honest at its end."""

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from cli.ports import free_port
from config.settings import Http
from deployments.listening import listen
from deployments.protocol import CoalescedTransport
from memory.errors import Unavailable

app = FastAPI()
HOME = Path(f"/nowhere/{os.getpid()}")


class Sent:
    """A connection that keeps what is written to it, write by write."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.closed = False

    def write(self, part: bytes) -> None:
        self.parts.append(part)

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, name: str) -> str:
        return name


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


async def answer(port: int) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(f"http://127.0.0.1:{port}/health")


async def test_it_answers_until_it_is_closed() -> None:
    http = Http(port=free_port(0))
    listener = await listen(app, HOME, http)
    assert listener.listening
    found = await answer(http.port)
    assert (found.status_code, found.json()) == (200, {"status": "ok"})
    assert "server" not in found.headers
    await listener.close()
    assert not listener.listening
    with pytest.raises(httpx.ConnectError):
        await answer(http.port)


async def test_the_same_port_may_be_had_again_at_once() -> None:
    http = Http(port=free_port(0))
    for _ in range(3):
        listener = await listen(app, HOME, http)
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(f"http://127.0.0.1:{http.port}/health")
            await listener.close()  # the server ends the connection, so that its side lingers


async def test_it_waits_for_the_one_before_it() -> None:
    http = Http(port=free_port(0))
    before = await listen(app, HOME, http)
    after = asyncio.create_task(listen(app, HOME, http))
    await asyncio.sleep(0.1)
    assert not after.done()
    await before.close()
    assert (await asyncio.wait_for(after, 60)).listening
    await after.result().close()


async def test_a_port_that_stays_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=rf"Port {port} of 127\.0\.0\.1 cannot be had: Address already in use"):
            await listen(app, HOME, Http(port=port), patience_s=0.1)


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        (f"GET /health?q={'a' * 100_000} HTTP/1.1\r\nhost: x\r\n\r\n".encode(), 414, "POST /v1/ask"),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400, "cannot be read as HTTP"),
    ],
    ids=["an address of 100 kB", "no HTTP"],
)
async def test_what_cannot_be_read_is_told_as_a_problem(sent: bytes, status: int, said: str) -> None:
    http = Http(port=free_port(0))
    listener = await listen(app, HOME, http)
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    writer.write(sent)
    head, _, body = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
    writer.close()
    await listener.close()
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"content-type: application/problem+json" in head
    problem = json.loads(body)
    assert (problem["status"], problem["type"]) == (status, "urn:memoray:http")
    assert said in problem["detail"]


async def test_the_head_of_an_answer_leaves_with_its_body() -> None:
    sent = Sent()
    joined = CoalescedTransport(cast(asyncio.Transport, sent), asyncio.get_running_loop())
    joined.write(b"HTTP/1.1 200 OK\r\n\r\n")
    assert sent.parts == []
    joined.write(b"body")
    joined.write(b" and more")
    await asyncio.sleep(0)
    assert sent.parts == [b"HTTP/1.1 200 OK\r\n\r\nbody", b" and more"]
    assert joined.get_extra_info("peername") == "peername"


async def test_a_head_waits_for_no_body_that_is_yet_to_come() -> None:
    sent = Sent()
    joined = CoalescedTransport(cast(asyncio.Transport, sent), asyncio.get_running_loop())
    joined.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    await asyncio.sleep(0)
    assert sent.parts == [b"HTTP/1.1 100 Continue\r\n\r\n"]
    joined.write(b"HTTP/1.1 204 No Content\r\n\r\n")
    joined.close()
    assert sent.parts[1:] == [b"HTTP/1.1 204 No Content\r\n\r\n"]
    assert sent.closed
    await asyncio.sleep(0)
    assert len(sent.parts) == 2
