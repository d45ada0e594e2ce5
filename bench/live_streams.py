"""`python -m bench.live_streams FOLDER`: several people talk at once to a running Memoray, each over a live stream.

FOLDER holds sound files. Each stream sends them in real time, one after another from another one on, with two seconds
of silence between them, to a user of its own. Counted are the words, how late they came, what of the sound is kept,
and what the processes of Memoray took above rest. How late: from when the last sound of a segment was sent until the
segment was told. Exit code 1 if sound was lost, or a stream ended early.

With `--voice FILE` each of these users is known by that sound, so that whoever speaks is compared with them. It needs
the extra `speech`. Afterwards the memories of these users are forgotten.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import av
import httpx
import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from adapters.capture.voice_memos import SUFFIXES
from adapters.hearing.sound_files import PyavDecoder
from cli.client import HttpClient, address, route
from cli.console import places_of
from cli.processes import descendants, pss_bytes, title
from cli.runtime import supervisor_pid
from memory.model.sound import RATE, StreamCodec, Waveform, pcm_of

PAUSE_S = 2.0
PIECE_S: dict[StreamCodec, float] = {"pcm16": 0.1, "opus": 0.02}
"""Seconds of sound in a message: of PCM as `memoray listen` sends it, of Opus as wearables do."""
OPUS_BITS = 24_000
"""Bits a second, of speech as devices send it (chosen)."""
MOST_FILE_S = 600.0
LOOK_S = 2.0
"""Between two looks at the memory; each takes some 10 ms."""
LAST_WORDS_S = 60.0
ENROL_S = 60.0
HEARS = "adapters.hearing."
"""In the titles of processes that hear."""


@dataclass
class StreamResult:
    """What came of one stream; `late_s` is of each segment."""

    codec: StreamCodec
    sent_s: float = 0.0
    kept_s: float = 0.0
    words: int = 0
    late_s: list[float] = field(default_factory=list)
    ended_early: str = ""

    @property
    def lost_s(self) -> float:
        """Seconds of sound that were sent and are not kept, to a hundredth."""
        return round(self.sent_s - self.kept_s, 2)


class LiveTalker:
    """Talks over one stream."""

    def __init__(self, url: str, token: str, user: str, codec: StreamCodec, messages: Sequence[bytes]) -> None:
        self._url, self._token, self.user, self._messages = url, token, user, messages
        self.seen = StreamResult(codec, len(messages) * PIECE_S[codec])

    async def run(self) -> None:
        """Send in real time, and take the words until there are no more."""
        query = urlencode({"session_id": "talk", "codec": self.seen.codec, "language": "en"})
        address_ = f"{self._url.replace('http', 'ws', 1)}/v1/listen?{query}"
        headers = {"X-Internal-Token": self._token, "X-User-Id": self.user}
        async with connect(address_, additional_headers=headers, proxy=None) as line:
            began = time.monotonic()
            telling = asyncio.create_task(self._told(line, began))
            try:
                for number, message in enumerate(self._messages, 1):
                    await asyncio.sleep(began + number * PIECE_S[self.seen.codec] - time.monotonic())
                    await line.send(message)
                await line.send(json.dumps({"type": "CloseStream"}))
                await asyncio.wait_for(telling, LAST_WORDS_S)
            except Exception as error:  # whatever it is, the run is judged by it
                self.seen.ended_early = type(error).__name__
                telling.cancel()

    async def _told(self, line: ClientConnection, began: float) -> None:
        async for message in line:
            now = time.monotonic()
            for segment in json.loads(message)["segments"]:
                self.seen.words += len(segment["text"].split())
                self.seen.late_s.append(now - began - segment["end"])

    def count(self) -> None:
        """Ask what is kept of it, and forget it."""
        with HttpClient(self._url, self._token, self.user) as client:
            self.seen.kept_s = client.get(route("session", "talk"))["sound_s"]
            client.delete(route("memory"))


def enrol(url: str, token: str, users: Sequence[str], sound: Path) -> None:
    """Let memories know somebody by a sound. Raises httpx.HTTPStatusError if it is refused."""
    for user in users:
        head = {"X-Internal-Token": token, "X-User-Id": user}
        with sound.open("rb") as file:
            asked = httpx.post(f"{url}/v1/enroll?name=Ann", headers=head, files={"audio": file}, timeout=ENROL_S)
        asked.raise_for_status()


def talk_of(files: Sequence[Waveform], first: int, seconds: float) -> Waveform:
    """These recordings from one on, again and again, with pauses, for so many seconds."""
    pause = np.zeros(int(PAUSE_S * RATE), dtype=np.float32)
    parts = [part for each in [*files[first % len(files) :], *files[: first % len(files)]] for part in (each, pause)]
    return np.resize(np.concatenate(parts), int(seconds * RATE))


def messages_of(sound: Waveform, codec: StreamCodec) -> Iterator[bytes]:
    """What a device sends of it."""
    if codec == "pcm16":
        of = int(PIECE_S[codec] * RATE)
        yield from (pcm_of(sound[place : place + of]) for place in range(0, len(sound) - of + 1, of))
        return
    encoder = av.CodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.layout, encoder.format, encoder.bit_rate = RATE, "mono", "s16", OPUS_BITS
    of = int(PIECE_S[codec] * RATE)
    for place in range(0, len(sound) - of + 1, of):
        frame = av.AudioFrame.from_ndarray(
            np.frombuffer(pcm_of(sound[place : place + of]), "<i2")[None, :], format="s16", layout="mono"
        )
        frame.sample_rate, frame.pts = RATE, place
        yield from (bytes(packet) for packet in encoder.encode(frame))


@dataclass(frozen=True, slots=True)
class TakenMemory:
    """Bytes of memory of all processes of a running Memoray, and of those that hear."""

    all: int
    hearing: int


async def all_at_once(talkers: Sequence[LiveTalker], home: Path) -> tuple[TakenMemory, TakenMemory]:
    """Let all of them talk; what Memoray's processes took before, and at their peak."""
    rest = taken(home)
    talking = asyncio.gather(*(each.run() for each in talkers))
    peak = rest
    while not talking.done():
        now = await asyncio.to_thread(taken, home)
        peak = TakenMemory(max(peak.all, now.all), max(peak.hearing, now.hearing))
        await asyncio.wait([talking], timeout=LOOK_S)
    await talking
    return rest, peak


def taken(home: Path) -> TakenMemory:
    """What a running Memoray takes now."""
    root = supervisor_pid(places_of(home))
    sizes = {pid: pss_bytes(pid) for pid in {root} | descendants(root)} if root is not None else {}
    hearing = sum(size for pid, size in sizes.items() if HEARS in title(pid))
    return TakenMemory(sum(sizes.values()), hearing)


def report(streams: Sequence[StreamResult], rest: TakenMemory, peak: TakenMemory) -> int:
    """Print what came of it; 0 if nothing was lost."""
    for each in streams:
        print(f"{each.codec}: {told([each])} {each.ended_early}")
    for codec in dict.fromkeys(each.codec for each in streams):
        print(f"{codec}, all: {told([each for each in streams if each.codec == codec])}")
    print(f"memory: {rest.all / 1e6:.0f} MB at rest, {(peak.all - rest.all) / 1e6:.0f} more at the peak")
    print(f"of what hears: {rest.hearing / 1e6:.0f} MB at rest, {peak.hearing / 1e6:.0f} at the peak")
    return int(any(each.lost_s or each.ended_early or not each.words for each in streams))


def told(streams: Sequence[StreamResult]) -> str:
    """What came of these streams, in a line."""
    late = sorted(second for each in streams for second in each.late_s) or [float("inf")]
    sent, lost, words = (sum(getattr(each, name) for each in streams) for name in ("sent_s", "lost_s", "words"))
    return (
        f"sent {sent:.2f} s, not kept {lost:.2f} s, {words} words in {len(late)} segments,"
        f" late p50 {late[len(late) // 2]:.2f} s, p95 {late[int(0.95 * len(late))]:.2f} s"
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, default=Path("data"), help="of the running Memoray; default: data")
    parser.add_argument("--codec", nargs="+", choices=tuple(PIECE_S), default=("pcm16", "opus"), help="taken in turn")
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--voice", type=Path, help="a sound of one person, by which each memory knows somebody")
    given = parser.parse_args()
    url, token = address(given.home)
    sounds = [path for path in sorted(given.folder.iterdir()) if path.suffix.lower() in SUFFIXES]
    files = [np.concatenate([*PyavDecoder().open(path.open("rb")).blocks]) for path in sounds]
    run, talkers = secrets.token_hex(3), []
    for number in range(given.streams):
        codec = given.codec[number % len(given.codec)]
        messages = [*messages_of(talk_of(files, number, given.seconds), codec)]
        talkers.append(LiveTalker(url, token, f"talker-{run}-{number}", codec, messages))
    if given.voice:
        enrol(url, token, [each.user for each in talkers], given.voice)
    rest, peak = asyncio.run(all_at_once(talkers, given.home))
    for each in talkers:
        each.count()
    sys.exit(report([each.seen for each in talkers], rest, peak))


if __name__ == "__main__":
    main()
