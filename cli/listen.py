"""`memoray listen`: what is said into a microphone becomes memory while it is said."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
import typer
from rich.markup import escape
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidStatus, WebSocketException

from adapters import build_models
from adapters.hearing.microphone import PIECE_S, from_microphone, from_samples
from cli.client import HttpClient, RequestRefused, address, route
from cli.console import HomeOption, JsonOption, UserOption, err, out, print_json_line
from config.settings import load
from memory.errors import Unavailable
from memory.model.sound import samples_of
from memory.words.cleaning import visible

HELD_S = 600.0
"""Seconds of sound that are held while nobody answers, the oldest of which is given up then (chosen: a restart takes
seconds)."""
AGAIN_S = 1.0
"""Seconds between two tries to connect."""
PATIENCE_S = 120.0
"""Seconds in which nobody answers, after which it is given up."""
REST_S = 60.0
"""Seconds that the last words are waited for."""
BARS = " ▁▂▃▄▅▆▇█"
LOUD_DB, STILL_DB = -6.0, -60.0
"""Levels of the highest bar and of none, in dB below the loudest sample there can be."""
NOBODY = "Memoray does not answer; see `memoray status`."
Teller = Callable[[Mapping[str, Any]], None]


def listen(
    source: Annotated[
        Path | None, typer.Option("--from", help="Listen to this recording instead of a microphone.", exists=True)
    ] = None,
    pace: Annotated[float, typer.Option("--pace", min=0.1, max=20, help="How much faster than it was spoken.")] = 1.0,
    device: Annotated[str | None, typer.Option("--device", help="The microphone: number, or part of its name.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who speaks, if it is not you.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="What is spoken: en, de, ... Else told.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="Go on with this session.")] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Listen, and remember what is said: words come as they are spoken; Ctrl-C ends, and all of it is heard once more.

    Example: memoray listen --language en
    """
    url, token = address(home)
    named = session or f"listen-{secrets.token_hex(6)}"
    wished = {"session_id": named, "device_id": "terminal", "speaker": speaker, "language": language}
    query = urlencode({name: value for name, value in wished.items() if value is not None})
    headers = {"X-Internal-Token": token} | ({"X-User-Id": user} if user else {})
    line = LiveLine(f"{url.replace('http', 'ws', 1)}/v1/listen?{query}", headers, _teller(as_json))
    asyncio.run(_listen(line, source, pace, device, home, shows=not as_json and err.is_terminal))
    with HttpClient(url, token, user) as client:
        _end(client, named, as_json)


COMMANDS = (("listen", listen),)


@dataclass
class LiveLine:
    """A stream that outlasts its connections: what could not be sent yet is held, and sent when somebody answers."""

    url: str
    headers: Mapping[str, str]
    tell: Teller
    held: deque[bytes] = field(default_factory=lambda: deque(maxlen=int(HELD_S / PIECE_S)))
    came: asyncio.Event = field(default_factory=asyncio.Event)
    ended: bool = False

    def put(self, piece: bytes) -> None:
        """Add what was just heard."""
        self.held.append(piece)
        self.came.set()

    def end(self) -> None:
        """Nothing more comes."""
        self.ended = True
        self.came.set()

    async def run(self) -> None:
        """Send until it has ended and the last words have come. Raises Unavailable, and RequestRefused."""
        loop = asyncio.get_running_loop()
        gone_at: float | None = None
        """Since when nobody answers, where somebody did."""
        while True:
            try:
                async with connect(self.url, additional_headers=self.headers, proxy=None) as connection:
                    try:
                        await self._served(connection)
                    finally:
                        gone_at = loop.time()
                    return
            except InvalidStatus as refused:
                if gone_at is None or refused.response.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                    raise _problem(refused) from refused
            except (OSError, InvalidHandshake, WebSocketException, TimeoutError) as error:
                if gone_at is None:
                    raise Unavailable(NOBODY) from error
            if loop.time() - gone_at > PATIENCE_S:
                raise Unavailable(NOBODY)
            await asyncio.sleep(AGAIN_S)

    async def _served(self, connection: ClientConnection) -> None:
        """Send and be told over one connection. Raises WebSocketException if it breaks before the end."""
        telling = asyncio.ensure_future(self._told(connection))
        try:
            while not (self.ended and not self.held):
                while self.held:
                    await connection.send(self.held[0])
                    self.held.popleft()
                self.came.clear()
                if not self.ended:
                    await self.came.wait()
            await connection.send(json.dumps({"type": "CloseStream"}))
            await asyncio.wait_for(telling, REST_S)
        finally:
            telling.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketException):
                await telling

    async def _told(self, connection: ClientConnection) -> None:
        async for message in connection:
            told = json.loads(message)
            for segment in told["segments"]:
                self.tell(segment)
            if skipped_s := told.get("skipped_s"):
                err.print(f"[dim]{skipped_s:.1f} s of speech before this are heard when the session ends.[/]")


def _problem(refused: InvalidStatus) -> RequestRefused:
    """What the door said, in its own words."""
    status = refused.response.status_code
    try:
        told = json.loads(refused.response.body or b"")["detail"]
    except (ValueError, KeyError, TypeError):
        told = f"The stream was refused with status {status}."
    return RequestRefused(str(told), status=status)


async def _listen(
    line: LiveLine, source: Path | None, pace: float, device: str | None, home: Path | None, *, shows: bool
) -> None:
    """Take sound until it ends or somebody presses Ctrl-C; then wait for the last words."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, stopped.set)
    async with contextlib.AsyncExitStack() as opened:
        pieces = from_microphone(device)
        if source is not None:
            ear = build_models.ear(load(home))
            decoded = await ear.decode(opened.enter_context(source.open("rb")), load(home).models.speech.most_s)
            pieces = from_samples(opened.enter_context(decoded), pace)
        elif shows:
            err.print("[dim]Listening. Ctrl-C ends.[/]")
        sending = asyncio.ensure_future(line.run())
        taking = asyncio.ensure_future(_take(line, pieces, shows=shows))
        waiting = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait({sending, taking, waiting}, return_when=asyncio.FIRST_COMPLETED)
            taking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await taking
            line.end()
            await sending
        finally:
            for each in (sending, taking, waiting):
                each.cancel()
            loop.remove_signal_handler(signal.SIGINT)


async def _take(line: LiveLine, pieces: AsyncIterator[bytes], *, shows: bool) -> None:
    async for piece in pieces:
        line.put(piece)
        if shows:
            err.print(f"[dim]{level(piece)}[/]", end="\r")


def level(piece: bytes) -> str:
    """How loud a piece is, as a bar."""
    samples = samples_of(piece)
    loudness = 10 * np.log10(max(float(np.mean(samples**2)) if len(samples) else 0.0, 1e-12))
    share = (loudness - STILL_DB) / (LOUD_DB - STILL_DB)
    return BARS[round(min(1.0, max(0.0, share)) * (len(BARS) - 1))]


def _teller(as_json: bool) -> Teller:
    """Shows segments as they come."""

    def tell(segment: Mapping[str, Any]) -> None:
        if as_json:
            print_json_line(segment)
            return
        minutes, seconds = divmod(int(segment["start"]), 60)
        said = f"{minutes:02}:{seconds:02} {visible(segment['speaker'])}: {visible(segment['text'])}"
        out.print(escape(said))

    return tell


def _end(client: HttpClient, session_id: str, as_json: bool) -> None:
    """End the session, so that it is swept."""
    try:
        ended = client.post(route("session", session_id, "end"))
    except RequestRefused as refused:
        if refused.ids.get("status") != 404:
            raise
        err.print("Nothing was heard.")
        return
    if not as_json:
        err.print(
            f"[dim]{ended['sound_s']:.0f} s of sound are kept as session {escape(session_id)}, and are heard once more "
            f'in the background. Ask on: memoray ask "What was said just now?"[/]'
        )
