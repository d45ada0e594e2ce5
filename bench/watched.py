"""`python -m bench.watched`: whether a crowd that watches, and a storm of events, make questions late.

Against a running Memoray it asks steadily for a while, first alone, then beside so many listeners of
`GET /v1/events/stream` and so many events a second through `POST /v1/events/emit`. It tells the p95 of the questions in
both, their ratio, and what each listener was given. Exit code 1 if the ratio is above the bar.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles

import httpx
import orjson

BAR = 1.3
"""How many times the p95 at rest it may be."""
ASKED = "/v1/context?query=Who+lives+in+Porto&record_access=false"
EVERY_S = 0.2
"""Between two questions."""
BATCH = 100
"""Events in one request."""
USER = "bench-watched"


class ListenerBench:
    """One run against one address, in a memory of its own that is removed afterwards."""

    def __init__(self, url: str, token: str, listeners: int, rate: int, seconds: float) -> None:
        self._listeners, self._rate, self._seconds = listeners, rate, seconds
        limits = httpx.Limits(max_connections=listeners + 50)
        headers = {"X-Internal-Token": token, "X-User-Id": USER}
        self._client = httpx.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=60, trust_env=False)
        self.emitted = 0
        self.given = [0] * listeners

    async def run(self) -> tuple[list[float], list[float]]:
        """Seconds of each question, alone and beside the crowd."""
        async with self._client:
            said = {"source_id": "s", "started_at": 0, "segments": [{"speaker": "Eva", "text": "Eva lives in Porto."}]}
            (await self._client.post("/v1/sources", json=said)).raise_for_status()
            try:
                alone = await self._ask()
                async with self._crowd():
                    return alone, await self._ask()
            finally:
                (await self._client.delete("/v1/memory")).raise_for_status()

    @asynccontextmanager
    async def _crowd(self) -> AsyncIterator[None]:
        crowd = [asyncio.create_task(self._listen(number)) for number in range(self._listeners)]
        crowd.append(asyncio.create_task(self._emit()))
        await asyncio.sleep(1)
        try:
            yield
        finally:
            for each in crowd:
                each.cancel()
            await asyncio.gather(*crowd, return_exceptions=True)

    async def _ask(self) -> list[float]:
        taken, until = [], time.monotonic() + self._seconds
        while time.monotonic() < until:
            begun = time.monotonic()
            (await self._client.get(ASKED)).raise_for_status()
            taken.append(time.monotonic() - begun)
            await asyncio.sleep(EVERY_S)
        return taken

    async def _listen(self, number: int) -> None:
        async with self._client.stream("GET", "/v1/events/stream", timeout=None) as answer:
            async for piece in answer.aiter_raw():  # lines one by one would take more time than the system does
                self.given[number] += piece.count(b"id: ")

    async def _emit(self) -> None:
        one = {"process": "entity-extraction", "creature": "kraken", "event_type": "metric", "data": {"segments": 1}}
        next_at = time.monotonic()
        while True:
            told = (await self._client.post("/v1/events/emit", json=[one] * BATCH)).json()
            self.emitted += told["accepted"]
            next_at += BATCH / self._rate
            await asyncio.sleep(max(0.0, next_at - time.monotonic()))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.watched", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path("data"), help="of the running Memoray; default: data")
    parser.add_argument("--listeners", type=int, default=100)
    parser.add_argument("--rate", type=int, default=1_000, help="events a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    runtime = orjson.loads((asked.home / "run" / "runtime.json").read_bytes())
    token = Path(runtime["token_file"]).read_text().strip()
    run = ListenerBench(runtime["url"], token, asked.listeners, asked.rate, asked.seconds)
    alone, beside = (1_000 * quantiles(each, n=20)[18] for each in asyncio.run(run.run()))
    print(f"p95 of a question: {alone:.0f} ms alone, {beside:.0f} ms beside the crowd, {beside / alone:.2f} times")
    print(f"{run.emitted} events were told; listeners were given {min(run.given)} to {max(run.given)}")
    sys.exit(beside / alone > BAR)


if __name__ == "__main__":
    main()
