"""Conversing: a session in which somebody talks with their memory, answered as a stream of events (seed 001).

What an answer is, and what is remembered of it, is told in chatting.py. Here it has a session and tools.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field
from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.chats import ChatSession, ChatTurn
from deployments.kinds import Body, Id, ShortText, Words
from deployments.use_cases import chatting
from deployments.use_cases.answering import Answering, Event
from deployments.use_cases.chatting import Reply, Talk
from deployments.use_cases.questions import ask, told_again
from deployments.use_cases.searching import ContextParameters, question_of
from deployments.use_cases.speaking import Speaking
from memory.errors import Invalid, Unavailable
from memory.model.events import COMPLETE, ERROR
from memory.model.timeline import iso
from memory.retrieval.briefing import briefing
from memory.services.told import kind_of

log = logging.getLogger("memoray.gateway")
BRIEFING_S = 3.0
"""Seconds for the briefing of a session: a talk never waits longer for it (seed 001)."""
BRIEFING_QUERY, BRIEFING_RESULTS = "recent conversations and key facts", 10
"""What a briefing holds (seed 001)."""
BRIEFING = "briefing"
"""What `degraded` calls a briefing that was away or late."""
SESSION = "session"
"""What `degraded` calls a session that is not known here, or no more: it goes on without what was said before."""
BRIEFING_PART, TOOLS_PART = "memory-loader", "tool-router"
"""What the registry of events calls what loads a briefing, and what calls tools."""
AUTO, QUOTED_BACKEND = "auto", "quoted"


def _said(words: str) -> str:
    if not words.strip():
        raise ValueError("there are no words in it")
    return words


class ChatMessageIn(Body):
    """What somebody says. Without a session one begins; the answer's first event tells its id."""

    message: Annotated[Words, AfterValidator(_said)]
    session_id: Id | None = None
    llm_backend: Annotated[
        ShortText | None,
        Field(description="auto, quoted, or the configured model's name; the session keeps it. Default: auto."),
    ] = None

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"message": "What did I talk about yesterday?", "llm_backend": "auto"}]}
    }


_SESSION = {
    "session_id": "5f0c1a9be2d74c33",
    "llm_backend": "auto",
    "started_at": "2026-03-01T08:00:00Z",
    "last_at": "2026-03-01T08:04:10Z",
    "messages": 3,
}


class ChatSessionOut(BaseModel, json_schema_extra={"examples": [_SESSION]}):
    """A session; `messages` counts what was said in it, the answers left out."""

    session_id: str
    llm_backend: str
    started_at: str
    last_at: str
    messages: int


class ChatSessionList(BaseModel):
    """The active sessions, the latest first."""

    sessions: list[ChatSessionOut]


def sessions_of(app: AppContext, who: Caller) -> ChatSessionList:
    """The caller's active sessions in this gateway."""
    return ChatSessionList(
        sessions=[
            ChatSessionOut(
                session_id=each.session_id,
                llm_backend=each.backend,
                started_at=iso(each.started_at) or "",
                last_at=iso(each.last_at) or "",
                messages=each.messages,
            )
            for each in app.chats.active(who.view, app.clock.now())
        ]
    )


def session_for(app: AppContext, who: Caller, said: ChatMessageIn) -> ChatSession:
    """The session a message belongs to. Raises Invalid of a back end that there is not."""
    known = (AUTO, QUOTED_BACKEND, *(() if app.model is None else (app.model.name,)))
    if said.llm_backend is not None and said.llm_backend not in known:
        raise Invalid(f"llm_backend: must be one of {', '.join(known)}.")
    fresh_id = secrets.token_hex(8)
    session = app.chats.session(who.view, said.session_id, fresh_id, app.clock.now())
    session.backend = said.llm_backend or session.backend
    return session


async def converse(app: AppContext, who: Caller, session: ChatSession, message: str) -> AsyncGenerator[Event]:
    """Answer a message. A further message to the same session waits until this one is answered."""
    yield {"type": "session", "session_id": session.session_id}
    async with session.lock:
        session.messages += 1
        missing = [SESSION] if session.is_lost else []
        session.is_lost = False
        mark = await chatting.mark_of(app, who)
        await _drop_what_was_forgotten(app, who, session)
        model = None if session.backend == QUOTED_BACKEND else app.model
        told, away = ("", False) if model is None else await _briefing_of(app, who, session)
        talk = Talk(
            turns=[*session.said, ("user", message)],
            instructions=told,
            provenance={"door": "chat", "chat_session": session.session_id},
            remembered=who.permission != "read",
        )
        reminded = await chatting.remind(app, who, talk, mark)
        answering = Answering(Speaking(app, who, talk, reminded), model)
        async with aclosing(answering.events()) as events:
            async for event in events:
                if event["type"] == "tool_use":
                    _watched(app, who, session, TOOLS_PART, COMPLETE, tool=str(event["name"]))
                yield event
        answered, source_id = answering.speaking.reply, answering.speaking.source_id
        assert answered is not None, "events end with a reply or raise"
        if answering.speaking.is_outdated:
            session.clear()
        else:
            *_, asked_id, answer_id = chatting.turn_ids(talk.turns)
            said = ChatTurn("user", message, asked_id, source_id)
            session.add(said, ChatTurn("assistant", answered.kept, answer_id, source_id))
        yield done(answered, [*missing, *([BRIEFING] if away else [])])


def done(answered: Reply | None, missing: list[str]) -> Event:
    """The event that ends an answer: what it rests on, whether a model wrote it, and what was away."""
    if answered is None:
        return {"type": "done", "citations": [], "generated": False, "degraded": missing}
    citations = [each.model_dump() for each in answered.citations]
    degraded = [*missing, *answered.degraded]
    return {"type": "done", "citations": citations, "generated": answered.generated, "degraded": degraded}


async def _briefing_of(app: AppContext, who: Caller, session: ChatSession) -> tuple[str, bool]:
    """A session's briefing between tags, and whether it is missing. Found once; told as its words stand now."""
    try:
        async with asyncio.timeout(BRIEFING_S):
            asked = ContextParameters(query=BRIEFING_QUERY, limit=BRIEFING_RESULTS, cut="none", record_access=False)
            question = replace(await question_of(app, who, asked), budget_tokens=None)
            if session.briefing is None:
                recalled = await ask(app, question)
                session.briefing = tuple(each.segment_key for each in recalled.shown)
                _watched(app, who, session, BRIEFING_PART, COMPLETE, segments=len(session.briefing))
            context = await told_again(app, question, session.briefing)
    except (Unavailable, RayError, TimeoutError) as error:
        log.warning("a chat goes on without its briefing (%s)", type(error).__name__)
        session.briefing = session.briefing or ()
        _watched(app, who, session, BRIEFING_PART, ERROR, error=kind_of(error))
        return "", True
    return (briefing(context.splitlines()) if context else ""), False


def _watched(app: AppContext, who: Caller, session: ChatSession, part: str, what: str, **figures: str | float) -> None:
    """Tell whoever watches the memory what a chat does."""
    level = who.view.clearance
    app.stores.events.tell(who.user_id, part, what, session_id=session.session_id, sensitivity=level, **figures)


async def _drop_what_was_forgotten(app: AppContext, who: Caller, session: ChatSession) -> None:
    """Keep nothing of a talk of which something was forgotten, here or in another gateway."""
    for source_id in {each.source_id for each in session.turns if each.source_id is not None}:
        kept = {each.segment_id for each in await app.stores.reads.sources.segments(who.scope, source_id)}
        if any(each.source_id == source_id and each.segment_id not in kept for each in session.turns):
            session.clear()
            return
