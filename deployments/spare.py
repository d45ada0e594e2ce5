"""The spare gateway: one outside Ray, which answers while no gateway of Serve's can.

`python -m deployments.spare HOME`; the supervisor begins it, with what Ray's processes are told. It stands by with all
but the encoder loaded, serves as soon as nobody else does, hands over to a gateway of Serve's, and stands by again. It
reaches the shards past Ray (actors/shard_socket.py), so neither a dead raylet nor a dead GCS keeps it from answering.
What needs the worker at once, as reading a sentence or judging a pair, it answers with 503.

A guardian above it has imported all it needs, and forks the next one when it is killed: a process that begins from
nothing has the door only seconds later.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from types import FrameType
from typing import Any

from actors.background import stand_before
from adapters.guardian import STOP_SIGNALS, Guardian, release
from config.settings import load
from deployments.actor_client import RayActorClient
from deployments.app_context import open_app_context
from deployments.gateway import create_app
from deployments.listening import listen


async def serve(home: Path) -> None:
    """Stand by and serve, by turns, without end."""
    stand_before()
    settings = load(home)
    context = await open_app_context(settings, RayActorClient(settings))
    under_way: set[asyncio.Future[None]] = set()
    """What goes on beside standing by: the encoder is loaded, callers are answered after another has taken over."""

    def beside(work: Coroutine[Any, Any, None]) -> None:
        under_way.add(task := asyncio.ensure_future(work))
        task.add_done_callback(under_way.discard)

    async def begun() -> None:
        beside(context.warm())

    app = create_app(
        context,
        body_bytes=settings.limits.body_bytes,
        sound_bytes=settings.limits.sound_bytes,
        requests=settings.http.requests,
        cors=settings.http.cors,
    )
    while True:
        listener = await listen(
            app, settings.home, settings.http, begun=begun, orphaned=lambda: True, patient=True, ended=context.rings.end
        )
        await listener.leaving()
        beside(listener.close())


def main() -> int:
    """The command, which ends when it is told to."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    home = Path(sys.argv[1])
    gc.freeze()  # a collection that marked what was imported would copy its pages
    return Guardian(lambda _: _run(home)).guard()


def _run(home: Path) -> int:
    for number in STOP_SIGNALS:
        signal.signal(number, _leave)
    release()
    asyncio.run(serve(home))
    return 0


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0)  # at once: nothing is held here that is not in the database


if __name__ == "__main__":
    sys.exit(main())
