"""The process that hears live streams, without models: `python -m` this, as adapters.hearing.live_child."""

from __future__ import annotations

import queue
import sys
import threading

import orjson

from adapters.hearing.live_child import Asked, LiveHearing, read_all
from memory.services.live_hearing import LiveStreams
from tests.fakes.hearing import Loudness, Pcm, Teller

if __name__ == "__main__":
    asked: queue.Queue[Asked | None] = queue.Queue(1_000)
    threading.Thread(target=read_all, args=(sys.stdin.buffer, asked), daemon=True).start()
    asks = orjson.loads(sys.argv[1])["asks"]
    told, streams = sys.stdout.buffer, LiveStreams(Loudness())
    LiveHearing(streams, Teller(), Teller(), told, asks=asks, sound=lambda *_: Pcm()).run(asked)
