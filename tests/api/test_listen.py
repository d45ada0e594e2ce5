"""A live stream over a WebSocket: words go out while sound comes in, and both are kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cli.ports import free_port
from config.settings import Http
from deployments import listening, live_socket
from deployments.gateway import create_app
from deployments.listening import Listener
from memory.model.sound import RATE, pcm_of
from tests.api.conftest import Door
from tests.api.test_omi import Clock
from tests.fakes.ear import FakeEar, FakeLiveEar
from tests.fakes.hearing import silence, tone

pytestmark = pytest.mark.postgres
TOKEN = "a" * 43


class Open:
    """A front door with a real socket."""

    def __init__(self, door: Door, ear: FakeLiveEar, listener: Listener, port: int) -> None:
        self.door, self.ear, self.listener, self.port = door, ear, listener, port

    def connect(self, query: str = "session_id=walk", **headers: str) -> Any:
        given = {"X-Internal-Token": TOKEN, "X-User-Id": self.door.user} | headers
        return websockets.connect(f"ws://127.0.0.1:{self.port}/v1/listen?{query}", additional_headers=given, proxy=None)

    async def refused(self, query: str = "session_id=walk", **headers: str) -> tuple[int, Any]:
        with pytest.raises(InvalidStatus) as refused:
            await self.connect(query, **headers)
        return refused.value.response.status_code, json.loads(refused.value.response.body)


@pytest.fixture
async def live(door: Door, tmp_path: Path) -> AsyncIterator[Open]:
    door.app.ear, door.app.live_ear = FakeEar(), (ear := FakeLiveEar())
    async with opened(door, ear, tmp_path) as front:
        yield front


@asynccontextmanager
async def opened(door: Door, ear: FakeLiveEar, home: Path) -> AsyncIterator[Open]:
    http = Http(port=free_port(0))
    listener = await listening.listen(create_app(door.app), home, http)
    yield Open(door, ear, listener, http.port)
    await listener.close()


async def told(connection: ClientConnection) -> list[Any]:
    """The segments of all that is told until the stream is closed."""
    return [segment for message in await messages(connection) for segment in message["segments"]]


async def messages(connection: ClientConnection) -> list[Any]:
    """All that is told until the stream is closed."""
    return [json.loads(message) async for message in connection]


def chunks(*parts: np.ndarray, of: int = RATE // 10) -> list[bytes]:
    sound = np.concatenate(parts)
    return [pcm_of(sound[place : place + of]) for place in range(0, len(sound), of)]


async def test_words_are_told_while_talk_goes_on_and_stored_before(live: Open) -> None:
    async with live.connect() as connection:
        for each in chunks(tone(1.0), silence(1.0)):
            await connection.send(each)
        first = json.loads(await asyncio.wait_for(connection.recv(), 10))
        assert first["session_id"] == "walk"
        [segment] = first["segments"]
        assert segment["text"] == " ".join(["hm"] * 10)
        source = await live.door.get("/v1/sources/walk")
        assert [each["text"] for each in source["segments"]] == [segment["text"]]
        for each in chunks(silence(1.0), tone(2.0)):
            await connection.send(each)
        await connection.send(json.dumps({"type": "CloseStream"}))
        [second] = await told(connection)
    assert second["start"] - segment["start"] == pytest.approx(3.0, abs=0.5)
    assert second["text"] == " ".join(["hm"] * 20)
    kept = await live.door.get("/v1/session/walk")
    assert kept["sound_s"] == pytest.approx(5.0, abs=0.1)
    assert (kept["segments_count"], kept["sweep"]) == (2, "none")


async def test_what_was_said_when_the_client_leaves_is_kept(live: Open) -> None:
    async with live.connect("device_id=pin") as connection:
        named = connection.response.headers["x-session-id"]
        for each in chunks(silence(0.5), tone(0.8)):
            await connection.send(each)
    for _ in range(100):
        kept = await live.door.client.get(f"/v1/session/{named}")
        if kept.status_code == 200 and kept.json()["segments_count"]:
            break
        await asyncio.sleep(0.05)
    assert kept.json()["sound_s"] == pytest.approx(1.3, abs=0.1)
    assert live.ear.opened[0][3].closed


async def test_a_stream_says_in_what_form_it_comes(live: Open) -> None:
    await live.door.client.put("/v1/profile", json={"languages": ["de"]})
    async with live.connect("codec=omi&sample_rate=8000") as connection:
        await connection.send(json.dumps({"type": "CloseStream"}))
        assert await told(connection) == []
    assert live.ear.opened[0][:3] == ("omi", 8_000, "de")


async def test_what_is_wrong_is_told_before_a_stream_begins(live: Open) -> None:
    assert (await live.refused(**{"X-Internal-Token": "b" * 43}))[0] == 401
    status, problem = await live.refused("codec=mp3")
    assert (status, problem["type"]) == (422, "urn:memoray:invalid")
    assert "codec" in problem["detail"]
    assert (await live.refused("session_id=../etc"))[0] == 422
    live.ear.is_installed = False
    status, problem = await live.refused()
    assert (status, "make extra ARGS=speech" in problem["detail"]) == (503, True)
    assert live.ear.opened == []


async def test_one_memory_has_a_share_of_the_streams(live: Open) -> None:
    most = live.door.app.settings.sound.streams
    open_ = [await live.connect() for _ in range(most)]
    status, problem = await live.refused()
    assert (status, problem["type"]) == (429, "urn:memoray:too-many-requests")
    assert "sound.streams" in problem["detail"]
    for each in open_:
        await each.close()
    for _ in range(100):
        if not live.door.app.live:
            break
        await asyncio.sleep(0.05)
    async with live.connect():
        assert live.door.app.live == {live.door.user: 1}


async def test_a_page_that_gives_its_own_name_our_address_is_refused(live: Open) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", live.port)
    head = ("GET /v1/listen HTTP/1.1", "Host: evil.example", "Upgrade: websocket", "Connection: Upgrade")
    keys = (f"X-Internal-Token: {TOKEN}", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    writer.write("\r\n".join((*head, *keys, "", "")).encode())
    assert (await reader.readline()).startswith(b"HTTP/1.1 421 ")
    writer.close()
    assert live.ear.opened == []


async def test_whoever_may_only_read_may_not_speak(live: Open) -> None:
    made = await live.door.post("/v1/tokens", {"name": f"r-{live.door.user}", "permission": "read"}, 201)
    assert (await live.refused(**{"X-Internal-Token": made["token"]}))[0] == 403


@pytest.mark.parametrize("ends", ["revoked", "rotated", "expired"])
async def test_a_stream_ends_with_its_token(live: Open, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    monkeypatch.setattr(live_socket, "LOOK_S", 0.05)
    name, app = f"w-{live.door.user}", live.door.app
    asked = {"name": name, "permission": "write", "user_id": live.door.user, "expires_in_s": 3_600}
    made = await live.door.post("/v1/tokens", asked, 201)
    async with live.connect(**{"X-Internal-Token": made["token"]}) as connection:
        await connection.send(chunks(silence(0.5))[0])
        await asyncio.sleep(0.3)
        assert app.live == {live.door.user: 1}
        if ends == "revoked":
            await live.door.client.delete(f"/v1/tokens/{name}")
        elif ends == "rotated":
            await live.door.post(f"/v1/tokens/{name}/rotate", {"grace_s": 0})
        else:
            app.clock = Clock(app.clock.now() + 3_601.0)
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(connection.recv(), 5)
    assert closed.value.rcvd.code == 1008
    assert (await live.refused(**{"X-Internal-Token": made["token"]}))[0] == 401


async def test_when_hearing_breaks_the_client_is_told_to_come_again(live: Open) -> None:
    async with live.connect() as connection:
        for each in chunks(silence(0.5)):
            await connection.send(each)
        live.ear.opened[0][3].broken = True
        await connection.send(b"\0\0")
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(connection.recv(), 10)
    assert closed.value.rcvd.code == 1011
    assert "connect again" in closed.value.rcvd.reason


async def test_a_front_door_that_ends_closes_its_streams(live: Open) -> None:
    async with live.connect() as connection:
        await connection.send(chunks(silence(0.5))[0])
        await asyncio.wait_for(live.listener.close(), 30)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(connection.recv(), 10)


@pytest.mark.parametrize("message", ["{", '"CloseStream"', '{"type": "KeepAlive"}', "[]", ""])
async def test_other_messages_are_left_unread(live: Open, message: str) -> None:
    async with live.connect() as connection:
        await connection.send(message)
        await connection.send(b"\1")  # half a sample
        await connection.send(json.dumps({"type": "CloseStream"}))
        assert await told(connection) == []
