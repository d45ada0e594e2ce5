"""POST /v1/chat: talk with a memory, answered as Server-Sent Events; and the sessions there are."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from deployments.callers import Caller, Reader
from deployments.chats import ChatSession
from deployments.commands import Here
from deployments.house import House
from deployments.use_cases.conversing import (
    ChatMessageIn,
    ChatSessionList,
    Event,
    converse,
    done,
    session_for,
    sessions_of,
)
from memory.errors import DomainError
from memory.words.cleaning import visible_json

router = APIRouter(prefix="/v1/chat", tags=["chat"])
log = logging.getLogger("memoray.gateway")
PING_S = 10.0
"""Seconds between signs of life while a language model is waited for; proxies close what is silent for a minute."""
UNANSWERED = "answer"
"""What `degraded` calls an answer that broke."""
_STREAMED = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_EXAMPLE = """data: {"type":"session","session_id":"5f0c1a9be2d74c33"}

data: {"type":"token","text":"You talked about "}

data: {"type":"tool_use","name":"search_memory","input":{"query":"yesterday"}}

data: {"type":"done","citations":[],"generated":true,"degraded":[]}

"""
_TOLD: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: `session`, `tool_use` and `token`, in the end `done`; `error` before it if it broke.",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}},
    }
}


@router.post("", response_class=StreamingResponse, responses=_TOLD)
async def chat(body: ChatMessageIn, who: Reader, house: Here) -> StreamingResponse:
    """Say something and be answered from memory, as a stream; both sides are remembered if the token may write.

    Example: `{"message": "What did I talk about yesterday?"}`, and `session_id` from then on.
    """
    session = session_for(house, who, body)
    events = _written(house, who, session, body.message)
    return StreamingResponse(events, media_type="text/event-stream", headers=_STREAMED)


@router.get("/sessions")
async def sessions(who: Reader, house: Here) -> ChatSessionList:
    """The caller's sessions that are active in this gateway.

    Example: `GET /v1/chat/sessions`
    """
    return sessions_of(house, who)


async def _written(house: House, who: Caller, session: ChatSession, message: str) -> AsyncIterator[str]:
    """The events as they are sent. Whatever happens, the stream tells of it and ends as clients expect."""
    try:
        async with aclosing(_kept_alive(converse(house, who, session, message))) as events:
            async for event in events:
                yield ": thinking\n\n" if event is None else _event(event)
    except DomainError as error:
        log.warning("a chat broke (%s)", type(error).__name__)
        yield _event({"type": "error", "status": error.status, "kind": error.kind, "detail": error.detail})
        yield _event(done(None, [UNANSWERED]))
    except Exception as error:  # the status has been sent: the stream is the one place left to tell it
        log.error("unexpected error in a chat", exc_info=error)
        broken = {"status": 500, "kind": "unexpected", "detail": "This should not happen; see the log."}
        yield _event({"type": "error", **broken})
        yield _event(done(None, [UNANSWERED]))


async def _kept_alive(events: AsyncGenerator[Event]) -> AsyncGenerator[Event | None]:
    """The events, and None for every while in which there is none."""
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


async def _next(events: AsyncIterator[Event]) -> Event | None:
    return await anext(events, None)


def _event(told: Event) -> str:
    return f"data: {visible_json(json.dumps(told, ensure_ascii=False, separators=(',', ':')))}\n\n"
