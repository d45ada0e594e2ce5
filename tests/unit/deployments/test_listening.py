"""The front door's own listener: on the address of the settings, patient with the one before it, honest at its end."""

import asyncio
import socket
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from cli.ray_head import free_port
from config.settings import Http
from deployments.listening import listen
from memory.errors import Unavailable

app = FastAPI()
HOME = Path("/nowhere")


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
