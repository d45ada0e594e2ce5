"""A line of live sound: what cannot be sent is held, words are told, and a refusal is told in the door's own words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.server import Request, Response, Server, ServerConnection, serve
from websockets.datastructures import Headers

from adapters.hearing.microphone import PIECE_BYTES, PIECE_S, from_samples
from cli import listen
from cli.client import RequestRefused
from cli.listen import LiveLine, level
from cli.ports import free_port
from memory.errors import Unavailable
from memory.model.sound import pcm_of
from tests.fakes.hearing import silence, tone


class FakeDoor:
    """A door that counts what comes, tells a word for it, and may break a stream after some messages."""

    def __init__(self, breaks_after: int | None = None, skipped_s: float | None = None) -> None:
        self.came: list[bytes] = []
        self.streams = 0
        self._breaks_after = breaks_after
        self._skipped = {} if skipped_s is None else {"skipped_s": skipped_s}

    async def take(self, connection: ServerConnection) -> None:
        self.streams += 1
        async for message in connection:
            if isinstance(message, str):
                segment = {"start": 1.0, "speaker": "me", "text": f"{len(self.came)} pieces"}
                await connection.send(json.dumps({"segments": [segment], "session_id": "s", **self._skipped}))
                return
            self.came.append(message)
            if self.streams == 1 and len(self.came) == self._breaks_after:
                await connection.close(1012, "service restart")

    async def open(self, port: int = 0) -> Server:
        return await serve(self.take, "127.0.0.1", port)


def line_to(port: int) -> tuple[LiveLine, list[Mapping[str, Any]]]:
    told: list[Mapping[str, Any]] = []
    return LiveLine(f"ws://127.0.0.1:{port}/v1/listen", {}, told.append), told


def port_of(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])


async def test_all_pieces_come_and_the_last_words_are_waited_for() -> None:
    door = FakeDoor()
    async with await door.open() as server:
        line, told = line_to(port_of(server))
        for number in range(5):
            line.put(bytes([number]))
        line.end()
        await asyncio.wait_for(line.run(), 10)
    assert door.came == [bytes([number]) for number in range(5)]
    assert [each["text"] for each in told] == ["5 pieces"]


async def test_what_was_skipped_is_said_beside_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    door = FakeDoor(skipped_s=4.25)
    async with await door.open() as server:
        line, told = line_to(port_of(server))
        line.end()
        await asyncio.wait_for(line.run(), 10)
    assert [each["text"] for each in told] == ["0 pieces"]
    assert "4.2 s of speech" in capsys.readouterr().err


async def test_a_line_that_breaks_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "AGAIN_S", 0.01)
    door = FakeDoor(breaks_after=3)
    async with await door.open() as server:
        line, told = line_to(port_of(server))
        running = asyncio.ensure_future(line.run())
        for number in range(3):
            line.put(bytes([number]))
        while door.streams < 2:
            await asyncio.sleep(0.01)
            line.put(b"x")  # whoever sends nothing does not notice
        line.put(b"last")
        line.end()
        await asyncio.wait_for(running, 10)
    assert door.came[:3] == [b"\0", b"\1", b"\2"]
    assert door.came[-1] == b"last"
    assert len(told) == 1


async def test_a_refusal_is_told_in_the_words_of_the_door() -> None:
    async def refuse(connection: ServerConnection, request: Request) -> Response:
        body = json.dumps({"detail": "Hearing needs the extra."}).encode()
        return Response(HTTPStatus.SERVICE_UNAVAILABLE, "", Headers({"content-length": str(len(body))}), body)

    async with await serve(FakeDoor().take, "127.0.0.1", 0, process_request=refuse) as server:
        line, _ = line_to(port_of(server))
        with pytest.raises(RequestRefused, match="needs the extra"):
            await asyncio.wait_for(line.run(), 10)


async def test_nobody_at_the_door_is_told() -> None:
    line, _ = line_to(free_port(0))
    with pytest.raises(Unavailable, match="memoray status"):
        await asyncio.wait_for(line.run(), 10)


def test_what_is_held_has_a_bound() -> None:
    line, _ = line_to(1)
    for _ in range(int(listen.HELD_S / PIECE_S) + 5):
        line.put(b"")
    assert len(line.held) == int(listen.HELD_S / PIECE_S)


def test_the_louder_the_higher() -> None:
    levels = [listen.BARS.index(level(pcm_of(tone(0.1, loudness)))) for loudness in (0.001, 0.01, 0.1, 1.0)]
    assert levels == sorted(set(levels))
    assert (level(pcm_of(silence(0.1))), level(b""), level(b"\0")) == (" ", " ", " ")


async def test_samples_come_in_pieces(tmp_path: Any) -> None:
    (path := tmp_path / "pcm").write_bytes(pcm_of(np.concatenate((tone(0.25), silence(0.1)))))
    with path.open("rb") as file:
        pieces = [each async for each in from_samples(file, 100.0)]
    assert [len(each) for each in pieces] == [PIECE_BYTES] * 3 + [PIECE_BYTES // 2]
