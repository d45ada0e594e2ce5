"""Server-Sent Events: how an answer is written that comes in pieces, with signs of life while nothing does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypeVar

from starlette.responses import StreamingResponse

from memory.words.cleaning import visible_json

PING_S = 10.0
"""Seconds between signs of life while a language model is waited for; proxies close what is silent for a minute."""
PING = ": thinking\n\n"
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
Event = TypeVar("Event")


def streamed(events: AsyncGenerator[str]) -> StreamingResponse:
    """The answer; nothing on the way may hold its events back."""
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)


def written(told: Mapping[str, Any]) -> str:
    """An event of JSON."""
    return f"data: {visible_json(json.dumps(told, ensure_ascii=False, separators=(',', ':')))}\n\n"


async def kept_alive(events: AsyncGenerator[Event]) -> AsyncGenerator[Event | None]:
    """The events, and None for every while in which there is none; they are closed with this."""
    coming: asyncio.Future[Event | None] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(_next(events))
            while not (await asyncio.wait((coming,), timeout=PING_S))[0]:
                yield None
            event = coming.result()
            if event is None:
                return
            yield event
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.wait((coming,))
        await events.aclose()  # who has left keeps nobody waiting for the session


async def _next(events: AsyncGenerator[Event]) -> Event | None:
    return await anext(events, None)
