"""`python -m bench.damaged_sounds`: sounds that are damaged come in through every door of a running Memoray.

They are cut containers, containers with other bytes in them, garbage as Opus, wrong rates, silence, 200 channels, a ZIP
called WAV, and a WAV of twelve hours. They are pieces of sessions, files to transcribe, and live streams. Each session
begins with a whole second of sound, which must be kept in the end. Exit code 1 if anything answered 500 or worse other
than "too many wait", if anything took longer than 5 s, or if the sound of a session was lost.

It needs the extra `speech`. Sounds follow from `--seed`. Afterwards the memory of its user is forgotten.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import secrets
import sys
import tempfile
import time
import wave
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import av
import httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cli.client import address
from memory.model.sound import RATE

BAR_S = 5.0
"""What an answer may take (the plan's bar)."""
BYTES_A_S = 50e6
"""Bytes a second that a large body may take to arrive, on top of that (chosen: below what loopback carries)."""
PATIENCE_S = 120.0
AT_ONCE, SESSIONS = 3, 20
TWELVE_HOURS, TELEPHONE = 12 * 3_600, 8_000
WAITING = 503
"""Too many sounds wait, as it may say with `Retry-After`: the request is sent again."""
CONTAINERS = {"flac": "flac", "mp3": "libmp3lame", "ogg": "libopus", "mp4": "aac", "wav": "pcm_s16le"}
NEVER, ENDED, LONG = ("none", "1006", "1011"), "ended", "12 hours"
"""No answer, and a stream that broke or ended by an error; a connection that ended before its answer, as one may that
sends more than is taken."""
Damage = Callable[[random.Random], bytes]


@dataclass
class DamageSeen:
    """What came of it, by door: statuses, the slowest answers, and what must not be."""

    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    waits_s: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def note(self, door: str, status: str, kind: str, seconds: float, allowed_s: float = BAR_S) -> None:
        """Count one answer."""
        self.statuses[door, status] += 1
        self.waits_s.append(seconds)
        if status.startswith("5") or status in NEVER or (status == ENDED and kind != LONG):
            self.broken.append(f"{door}, {kind}: {status}")
        if seconds > allowed_s:
            self.broken.append(f"{door}, {kind}: {seconds:.1f} s")


def tone(seconds: float, hertz: float = 220.0) -> bytes:
    """Samples of 16 bits at `RATE`."""
    moments = np.arange(int(seconds * RATE)) / RATE
    return bytes((8_000 * np.sin(2 * np.pi * hertz * moments)).astype("<i2").tobytes())


def waved(samples: bytes, channels: int = 1, rate: int = RATE, width: int = 2) -> bytes:
    """Samples of so many bytes as WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((channels, width, rate, 0, "NONE", ""))
        writer.writeframes(samples)
    return file.getvalue()


def contained(kind: str) -> bytes:
    """A second of sound in a container of that kind."""
    file = io.BytesIO()
    with av.open(file, "w", format=kind) as container:
        stream: Any = container.add_stream(CONTAINERS[kind], rate=48_000, layout="mono")
        resampler = av.AudioResampler(stream.format, "mono", 48_000, stream.frame_size or 1_024)
        frame = av.AudioFrame.from_ndarray(np.frombuffer(tone(1.0), "<i2")[None], format="s16", layout="mono")
        frame.sample_rate = RATE
        for each in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(each))
        container.mux(stream.encode(None))
    return file.getvalue()


def zipped() -> bytes:
    """A ZIP, whatever it is called."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("a.wav", waved(tone(1.0)))
    return file.getvalue()


def other_bytes(whole: list[bytes], draw: random.Random) -> bytes:
    """A container with some bytes changed, near its head or anywhere."""
    content = bytearray(draw.choice(whole))
    for _ in range(draw.randint(1, 20)):
        content[draw.randrange(min(len(content), draw.choice((64, 4_096, 10**6))))] = draw.randrange(256)
    return bytes(content)


def cut_short(whole: list[bytes], draw: random.Random) -> bytes:
    """The beginning of a container."""
    content = draw.choice(whole)
    return content[: draw.randrange(1, len(content))]


def damages() -> dict[str, Damage]:
    """Kind -> a sound of it."""
    whole = [contained(kind) for kind in CONTAINERS]
    rates = (1, 7, 3_999, 4_000_000, 2**31 - 1)
    return {
        "cut": partial(cut_short, whole),
        "other bytes": partial(other_bytes, whole),
        "garbage": lambda draw: draw.randbytes(draw.randint(0, 5_000)),
        "garbage as opus": lambda draw: b"OggS" + draw.randbytes(500),
        "rate": lambda draw: waved(tone(0.2), rate=draw.choice(rates)),
        "silence": lambda draw: waved(bytes(2 * draw.choice((0, 1, RATE)))),
        "200 channels": lambda _: waved(bytes(400 * 200), channels=200),
        "zip": lambda _: zipped(),
    }


class DamagedSounds:
    """One run against one address."""

    def __init__(self, url: str, token: str, seed: int) -> None:
        self._url, self._draw, self._run = url, random.Random(seed), secrets.token_hex(3)
        self._headers = {"X-Internal-Token": token, "X-User-Id": f"damaged-{self._run}"}
        self._client = httpx.AsyncClient(base_url=url, headers=self._headers, timeout=PATIENCE_S)
        self._damages, self.seen = damages(), DamageSeen()

    async def run(self, count: int) -> DamageSeen:
        """So many requests, some at once; then the long ones, and what is left of the sessions."""
        for number in range(SESSIONS):
            await self._piece(number, "whole", waved(tone(1.0)))
        waiting = iter(list(self._requests(count)))
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work(waiting))
        await self._twelve_hours()
        for number in range(SESSIONS):
            told = await self._client.get(f"/v1/session/{self._session(number)}")
            if told.status_code != 200 or told.json()["sound_s"] < 0.99:
                self.seen.broken.append(f"session {number}: {told.status_code}, its sound is lost")
        await self._client.delete("/v1/memory")
        await self._client.aclose()
        return self.seen

    def _session(self, number: int) -> str:
        return f"damaged-{self._run}-{number}"

    def _requests(self, count: int) -> Iterator[Callable[[], Any]]:
        """Two pieces, a file to transcribe and a stream, by turns, each with the next kind of damage."""
        kinds = list(self._damages)
        for number in range(count):
            kind = kinds[number // 4 % len(kinds)]
            content = self._damages[kind](self._draw)
            if number % 4 < 2:
                yield partial(self._piece, number % SESSIONS, kind, content)
            elif number % 4 == 2:
                yield partial(self._file, kind, content)
            else:
                yield partial(self._stream, kind, content, ("opus", "pcm16", "omi")[number // 4 % 3])

    async def _work(self, waiting: Iterator[Callable[[], Any]]) -> None:
        for each in waiting:
            await each()

    async def _piece(self, number: int, kind: str, content: Any, allowed_s: float = BAR_S) -> None:
        form = {"session_id": self._session(number), "language": "en"}
        await self._sent("piece", kind, "/v1/transcribe", form, ("audio", content), allowed_s)

    async def _file(self, kind: str, content: Any, allowed_s: float = BAR_S) -> None:
        form = {"model": "whisper-1", "language": "en"}
        await self._sent("transcription", kind, "/v1/audio/transcriptions", form, ("file", content), allowed_s)

    async def _sent(
        self, door: str, kind: str, path: str, form: dict[str, str], sound: tuple[str, Any], allowed_s: float
    ) -> None:
        name, content = sound
        for _ in range(30):
            began = time.perf_counter()
            try:
                answer = await self._client.post(path, data=form, files={name: ("a.wav", content, "audio/wav")})
                status, wait = str(answer.status_code), answer.headers.get("retry-after")
            except httpx.HTTPError as error:
                status, wait = "none" if isinstance(error, httpx.TimeoutException) else ENDED, None
            seconds = time.perf_counter() - began
            if status != str(WAITING) or wait is None:
                break
            await asyncio.sleep(1.0)
        self.seen.note(door, status, kind, seconds, allowed_s)

    async def _stream(self, kind: str, content: bytes, codec: str) -> None:
        """A stream in messages of 400 bytes, which is then closed; it must end, and say why if not well."""
        query = urlencode({"session_id": f"live-{secrets.token_hex(4)}", "codec": codec, "language": "en"})
        began, status = time.perf_counter(), "none"
        try:
            async with asyncio.timeout(PATIENCE_S):
                place = f"{self._url.replace('http', 'ws', 1)}/v1/listen?{query}"
                async with connect(place, additional_headers=self._headers, proxy=None) as line:
                    for start in range(0, min(len(content), 20_000), 400):
                        await line.send(content[start : start + 400])
                    await line.send(json.dumps({"type": "CloseStream"}))
                    began = time.perf_counter()
                    async for _ in line:
                        pass
                status = str(line.close_code)
        except InvalidStatus as error:
            status = str(error.response.status_code)
        except ConnectionClosed as error:
            status = str(error.rcvd.code if error.rcvd else 1006)
        except (TimeoutError, OSError):
            status = "none"
        self.seen.note("stream", status, kind, time.perf_counter() - began)

    async def _twelve_hours(self) -> None:
        """A sparse file: a head that tells twelve hours, and nothing behind it; small enough to be taken."""
        with tempfile.TemporaryFile() as file:
            length = TELEPHONE * TWELVE_HOURS
            head = bytearray(waved(b"", rate=TELEPHONE, width=1))
            head[4:8], head[40:44] = (length + 36).to_bytes(4, "little"), length.to_bytes(4, "little")
            file.write(head)
            file.truncate(length + len(head))
            for send in (partial(self._piece, 0), self._file):
                file.seek(0)
                await send(LONG, file, allowed_s=BAR_S + length / BYTES_A_S)


def report(seen: DamageSeen) -> int:
    """Print what came back; 0 if nothing was broken."""
    waits = sorted(seen.waits_s)
    print(f"{len(waits)} requests; answers p50 {waits[len(waits) // 2]:.2f} s, at most {waits[-1]:.1f} s")
    for (door, status), count in sorted(seen.statuses.items()):
        print(f"{door}: {status} {count} times")
    for each in seen.broken:
        print(f"broken: {each}")
    return int(bool(seen.broken))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, default=Path("data"), help="of the running Memoray; default: data")
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    url, token = address(given.home)
    sys.exit(report(asyncio.run(DamagedSounds(url, token, given.seed).run(given.requests))))


if __name__ == "__main__":
    main()
