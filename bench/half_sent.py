"""`python -m bench.half_sent`: a crowd that sends half of a request and no more, while others ask.

It keeps so many such connections open against a running Memoray, opening another for each that is ended. Meanwhile
somebody without a token asks for /health and somebody with one for what is remembered, each time over a new connection,
as those do who come while the crowd is there. Exit code 1 if anybody was answered late or not at all.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import orjson

BAR_S = 1.0
"""What others wait at most."""
EVERY_S = 0.1
PATIENCE_S = 30.0
SPARE_DESCRIPTORS = 100
HALVES = (
    b"",
    b"GET /health HT",
    b"GET /health HTTP/1.1\r\nhost: localhost\r\nx-inter",
    b"GET /health HTTP/1.1\r\nhost: localhost\r\n",
    b"POST /v1/sources HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf",
)
"""What the crowd sends, in turn: nothing at all, part of a line, of a head, of a body."""
ASKED = ("/health", "/v1/context?query=Who+lives+in+Porto")


@dataclass
class CrowdResult:
    """What came back: seconds and failures by what was asked, and how often one of the crowd was ended."""

    waits_s: dict[str, list[float]] = field(default_factory=lambda: {path: [] for path in ASKED})
    failures: Counter[str] = field(default_factory=Counter)
    ended: int = 0


class HalfSent:
    """One run against one address."""

    def __init__(self, url: str, token: str, connections: int, seconds: float) -> None:
        self._url, self._token, self._connections, self._seconds = url, token, connections, seconds
        self._place = urlsplit(url)
        self.seen = CrowdResult()

    async def run(self) -> CrowdResult:
        """Ask while the crowd comes, stays and comes again."""
        crowd = [asyncio.create_task(self._one_of_the_crowd(number)) for number in range(self._connections)]
        try:
            async with asyncio.timeout(self._seconds + 2 * PATIENCE_S), asyncio.TaskGroup() as asking:
                for path in ASKED:
                    asking.create_task(self._ask(path))
        finally:
            for each in crowd:
                each.cancel()
            await asyncio.gather(*crowd, return_exceptions=True)
        return self.seen

    async def _one_of_the_crowd(self, number: int) -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(self._place.hostname, self._place.port)
                try:
                    writer.write(HALVES[number % len(HALVES)])
                    await reader.read()
                    self.seen.ended += 1
                finally:
                    writer.close()
            await asyncio.sleep(EVERY_S)

    async def _ask(self, path: str) -> None:
        until = time.monotonic() + self._seconds
        while time.monotonic() < until:
            asked = time.monotonic()
            try:
                async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
                    answer = await client.get(self._url + path, headers={"X-Internal-Token": self._token})
                answer.raise_for_status()
                self.seen.waits_s[path].append(time.monotonic() - asked)
            except httpx.HTTPError as error:
                self.seen.failures[f"{path} {type(error).__name__}"] += 1
            await asyncio.sleep(EVERY_S)


def told(seen: CrowdResult, connections: int) -> int:
    """Print what came of it; 0 if everybody was answered in time."""
    print(f"{connections} half-sent requests at once; {seen.ended} were ended, each followed by another")
    for path, waits in seen.waits_s.items():
        ordered = sorted(waits) or [float("inf")]
        print(
            f"{path.partition('?')[0]}: {len(waits)} answers, p50 {1000 * ordered[len(ordered) // 2]:.0f} ms, "
            f"at most {1000 * ordered[-1]:.0f} ms (bar {1000 * BAR_S:.0f})"
        )
    print(f"not answered: {dict(seen.failures) or 'nobody'}")
    late = any(not waits or max(waits) > BAR_S for waits in seen.waits_s.values())
    return int(late or bool(seen.failures))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.half_sent", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path("data"), help="of the running Memoray; default: data")
    parser.add_argument("--connections", type=int, default=1_024)
    parser.add_argument("--seconds", type=float, default=30.0)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, given.connections + SPARE_DESCRIPTORS), hard))
    runtime = orjson.loads((given.home / "run" / "runtime.json").read_bytes())
    token = Path(runtime["token_file"]).read_text().strip()
    seen = asyncio.run(HalfSent(runtime["url"], token, given.connections, given.seconds).run())
    sys.exit(told(seen, given.connections))


if __name__ == "__main__":
    main()
