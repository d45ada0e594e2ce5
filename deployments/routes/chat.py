"""POST /v1/chat: talk with a memory, answered as Server-Sent Events; and the sessions there are."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi.responses import StreamingResponse

from deployments.app_context import AppContext
from deployments.callers import Caller, Reader
from deployments.chats import ChatSession
from deployments.commands import Here
from deployments.problems import problem_of
from deployments.routers import json_router
from deployments.sse import PING, kept_alive, streamed, written
from deployments.use_cases.conversing import (
    ChatMessageIn,
    ChatSessionList,
    converse,
    done,
    session_for,
    sessions_of,
)

router = json_router("/v1/chat", ["chat"])
UNANSWERED = "answer"
"""What `degraded` calls an answer that broke."""
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
async def chat(body: ChatMessageIn, who: Reader, app: Here) -> StreamingResponse:
    """Say something and be answered from memory, as a stream; both sides are remembered if the token may write.

    Example: `{"message": "What did I talk about yesterday?"}`, and `session_id` from then on.
    """
    session = session_for(app, who, body)
    return streamed(_written(app, who, session, body.message))


@router.get("/sessions")
async def sessions(who: Reader, app: Here) -> ChatSessionList:
    """The caller's sessions that are active in this gateway.

    Example: `GET /v1/chat/sessions`
    """
    return sessions_of(app, who)


async def _written(app: AppContext, who: Caller, session: ChatSession, message: str) -> AsyncGenerator[str]:
    """The events as they are sent. Whatever happens, the stream tells of it and ends as clients expect."""
    try:
        async with aclosing(kept_alive(converse(app, who, session, message))) as events:
            async for event in events:
                yield PING if event is None else written(event)
    except Exception as error:  # the status has been sent: the stream is the one place left to tell it
        broken = problem_of(error, "a chat", "/v1/chat")
        yield written({"type": "error", "status": broken.status, "kind": broken.kind, "detail": broken.detail})
        yield written(done(None, [UNANSWERED]))
