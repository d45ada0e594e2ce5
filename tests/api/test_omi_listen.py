"""Omi's own transcriber (Custom STT): a stream whose token stands in the path, heard as every other stream."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import websockets
from websockets.exceptions import ConnectionClosed, InvalidStatus

from deployments import live_socket
from tests.api.conftest import Door
from tests.api.foreign import token_of
from tests.api.test_listen import Open, chunks, opened, told
from tests.fakes.ear import FakeEar, FakeLiveEar
from tests.fakes.hearing import silence, tone

pytestmark = pytest.mark.postgres
CLOSE = json.dumps({"type": "CloseStream"})


@pytest.fixture
async def live(door: Door, tmp_path: Path) -> AsyncIterator[Open]:
    door.app.ear, door.app.live_ear = FakeEar(), (ear := FakeLiveEar())
    async with opened(door, ear, tmp_path) as front:
        yield front


def connect(live: Open, secret: str, query: str = "") -> Any:
    return websockets.connect(f"ws://127.0.0.1:{live.port}/omi/{secret}/listen?{query}", proxy=None)


async def test_omi_is_told_words_in_its_own_form_and_they_are_kept(live: Open) -> None:
    secret = await token_of(live.door, live.door.user)
    async with connect(live, secret, "session_id=pendant&language=en-US&uid=vQ2xBn81&conversation_timeout=120") as omi:
        for each in chunks(tone(1.0), silence(1.0)):
            await omi.send(each)
        first = json.loads(await omi.recv())
        assert "type" not in first
        assert [each["text"] for each in first["segments"]] == [" ".join(["hm"] * 10)]
        assert {"text", "speaker", "start", "end"} <= set(first["segments"][0])
        await omi.send(CLOSE)
        assert await told(omi) == []
    assert live.ear.opened[0][:3] == ("opus", 16_000, "en")
    source = await live.door.get("/v1/sources/pendant")
    assert [each["text"] for each in source["segments"]] == [first["segments"][0]["text"]]


async def test_a_stream_goes_on_as_long_as_its_secret_lets_in(live: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_socket, "LOOK_S", 0.02)
    secret = await token_of(live.door, live.door.user)
    async with connect(live, secret, "session_id=pendant") as omi:
        await asyncio.sleep(0.3)
        for each in chunks(tone(1.0), silence(1.0)):
            await omi.send(each)
        assert json.loads(await omi.recv())["segments"]
        [name] = [each["name"] for each in await live.door.get("/v1/tokens") if each["user_id"] == live.door.user]
        await live.door.client.delete(f"/v1/tokens/{name}")
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(omi.recv(), 5)
    assert (closed.value.rcvd.code, secret in closed.value.rcvd.reason) == (1008, False)


@pytest.mark.parametrize(
    ("query", "codec"),
    [("", "opus"), ("codec=opus_fs320&language=multi", "opus"), ("codec=pcm16", "pcm16"), ("codec=linear16", "pcm16")],
)
async def test_samples_are_taken_where_omi_says_so(live: Open, query: str, codec: str) -> None:
    async with connect(live, await token_of(live.door, live.door.user), query) as omi:
        await omi.send(CLOSE)
        assert await told(omi) == []
        assert omi.response.headers["x-session-id"].startswith("live-")
    assert live.ear.opened[0][0] == codec


async def test_what_is_wrong_is_told_before_a_stream_begins_and_names_no_secret(
    live: Open, caplog: pytest.LogCaptureFixture
) -> None:
    good, reading = await token_of(live.door, live.door.user), await token_of(live.door, live.door.user, "read")
    for secret, query, status in (
        ("not-the-secret-at-all", "", 401),
        ("tools", "", 401),
        (reading, "", 403),
        (good, "session_id=../etc", 422),
        (good, "sample_rate=1", 422),
    ):
        with pytest.raises(InvalidStatus) as refused:
            await connect(live, secret, query)
        assert refused.value.response.status_code == status, query
        assert set(json.loads(refused.value.response.body)) == {"error"}
        assert secret not in refused.value.response.body.decode() or secret == "tools"
    assert live.ear.opened == []
    await live.door.app.trail.flush()
    trail = await live.door.rows("SELECT * FROM audit WHERE user_id = %(user)s", user=live.door.user)
    ours = [each for each in caplog.records if each.name.startswith("memoray")]
    logged = " ".join(logging.Formatter().format(each) for each in ours) + repr(trail)
    assert good not in logged
    assert reading not in logged
