"""Conversing: a session in which somebody talks with their memory, answered as a stream of events (seed 001).

What an answer is, and what is remembered of it, is told in chatting.py. Here it has a session and tools.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field
from ray.exceptions import RayError

from deployments.callers import Caller
from deployments.chats import ChatSession, ChatTurn
from deployments.house import House
from deployments.kinds import Body, Id, ShortText, Words
from deployments.questions import ask, told_again
from deployments.use_cases import chatting
from deployments.use_cases.asking import Citation
from deployments.use_cases.chat_tools import (
    ToolCall,
    accepted,
    choice_of,
    each_text,
    failed,
    offered,
    result_of,
    schema_of,
    told_of,
)
from deployments.use_cases.chatting import FAILURES, MODEL, Reminded, Reply, Talk
from deployments.use_cases.searching import Asked, question_of
from memory.errors import DomainError, Invalid, ModelFailed, Unavailable
from memory.model.events import COMPLETE, ERROR
from memory.model.ids import digest
from memory.model.timeline import iso
from memory.ports import Exchange, LanguageModel
from memory.retrieval.briefing import briefing
from memory.services.told import kind_of
from memory.words.cleaning import visible

log = logging.getLogger("memoray.gateway")
BRIEFING_S = 3.0
"""Seconds for the briefing of a session: a talk never waits longer for it (seed 001)."""
BRIEFING_QUERY, BRIEFING_RESULTS = "recent conversations and key facts", 10
"""What a briefing holds (seed 001)."""
BRIEFING = "briefing"
"""What `degraded` calls a briefing that was away or late."""
SESSION = "session"
"""What `degraded` calls a session that is not known here, or no more: it goes on without what was said before."""
MOST_CALLS = 4
"""Calls of tools before a model must answer (chosen: two searches, a thought and a table)."""
PATIENCE = 2.0
"""How many times the time of one call a model has for all of an answer."""
BRIEFING_PART, TOOLS_PART = "memory-loader", "tool-router"
"""What the registry of events calls what loads a briefing, and what calls tools."""
AUTO, QUOTED_BACKEND = "auto", "quoted"
ANSWER_NOW = "Answer now, in words alone: there are no more tools."
Event = Mapping[str, Any]


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


def sessions_of(house: House, who: Caller) -> ChatSessionList:
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
            for each in house.chats.active(who.view, house.clock.now())
        ]
    )


def session_for(house: House, who: Caller, said: ChatMessageIn) -> ChatSession:
    """The session a message belongs to. Raises Invalid of a back end that there is not."""
    known = (AUTO, QUOTED_BACKEND, *(() if house.model is None else (house.model.name,)))
    if said.llm_backend is not None and said.llm_backend not in known:
        raise Invalid(f"llm_backend: must be one of {', '.join(known)}.")
    fresh_id = secrets.token_hex(8)
    session = house.chats.session(who.view, said.session_id, fresh_id, house.clock.now())
    session.backend = said.llm_backend or session.backend
    return session


async def converse(house: House, who: Caller, session: ChatSession, message: str) -> AsyncGenerator[Event]:
    """Answer a message. A further message to the same session waits until this one is answered."""
    yield {"type": "session", "session_id": session.session_id}
    async with session.lock:
        session.messages += 1
        missing = [SESSION] if session.is_lost else []
        session.is_lost = False
        await _drop_what_was_forgotten(house, who, session)
        model = None if session.backend == QUOTED_BACKEND else house.model
        told, away = ("", False) if model is None else await _briefing_of(house, who, session)
        talk = Talk(
            turns=[*session.said, ("user", message)],
            instructions=told,
            provenance={"door": "chat", "chat_session": session.session_id},
            remembered=who.permission != "read",
        )
        reminded = await chatting.remind(house, who, talk)
        answering = Answering(house, who, talk, reminded, model)
        async for event in answering.events():
            _watched(house, who, session, TOOLS_PART, COMPLETE, tool=str(event["name"]))
            yield event
        async for event in _told(house, who, session, answering, [*missing, *([BRIEFING] if away else [])]):
            yield event


async def _told(
    house: House, who: Caller, session: ChatSession, answering: Answering, missing: list[str]
) -> AsyncGenerator[Event]:
    """The answer in pieces. Both sides are remembered behind the first: who left before has heard nothing."""
    talk, reminded, answered = answering.talk, answering.reminded, await answering.answered()
    first, *others = chatting.pieces(answered.text)
    yield _token(first)
    source_id = await chatting.remember(house, who, talk, reminded, answered)
    *_, asked_id, answer_id = chatting.turn_ids(talk.turns)
    session.add(
        ChatTurn("user", talk.asked, asked_id, source_id), ChatTurn("assistant", answered.kept, answer_id, source_id)
    )
    for piece in others:
        yield _token(piece)
    yield done(answered, missing)


def done(answered: Reply | None, missing: list[str]) -> Event:
    """The event that ends an answer: what it rests on, whether a model wrote it, and what was away."""
    if answered is None:
        return {"type": "done", "citations": [], "generated": False, "degraded": missing}
    citations = [each.model_dump() for each in answered.citations]
    degraded = [*missing, *answered.degraded]
    return {"type": "done", "citations": citations, "generated": answered.generated, "degraded": degraded}


def _token(text: str) -> Event:
    return {"type": "token", "text": text}


@dataclass
class Answering:
    """A message being answered: by a model that may call tools, or in quotations where there is none or it fails."""

    house: House
    who: Caller
    talk: Talk
    reminded: Reminded
    model: LanguageModel | None
    found: list[Citation] = field(default_factory=list)
    """What the model has looked up itself."""
    reply: Reply | None = None

    async def events(self) -> AsyncGenerator[Event]:
        """The tools that are used on the way to a model's answer. A model that fails costs its words alone."""
        if self.model is None:
            return
        try:
            async for event in self._generated(self.model):
                yield event
        except FAILURES as error:
            log.warning("the language model gave no answer (%s); memory is quoted instead", type(error).__name__)

    async def answered(self) -> Reply:
        """The answer, once the events are over."""
        missing = () if self.model is None else (MODEL,)
        return self.reply or await chatting.quoted(self.house, self.who, self.talk, self.reminded, missing)

    async def _generated(self, model: LanguageModel) -> AsyncGenerator[Event]:
        """Let the model choose between answering and one tool, some times; then it must answer. Raises ModelFailed."""
        tools, earlier, prompt = offered(self.house, self.who), list(self.talk.turns[:-1]), self.talk.asked
        deadline = asyncio.get_running_loop().time() + PATIENCE * self.house.settings.models.language.timeout_s
        for _ in range(MOST_CALLS):
            words = await self._complete(model, earlier, prompt, deadline, may_call=True)
            earlier += [("user", prompt), ("assistant", words)]
            try:
                choice = choice_of(words)
                tool, body = accepted(choice, tools) if isinstance(choice, ToolCall) else (None, None)
            except DomainError as error:
                prompt = failed(error)
                continue
            if not isinstance(choice, ToolCall) or tool is None or body is None:
                self.reply = self._in_words(str(choice))
                return
            given = body.model_dump(mode="json", exclude_unset=True)
            yield {"type": "tool_use", "name": choice.name, "input": each_text(given, chatting.spoken)}
            key = self._key_of(choice)
            prompt = await result_of(self.house, self.who, key, tool, body, self.found, self._numbered)
        words = await self._complete(model, earlier, f"{prompt}\n\n{ANSWER_NOW}", deadline, may_call=False)
        choice = choice_of(words)
        if isinstance(choice, ToolCall):
            raise ModelFailed("The language model calls tools and does not answer.")
        self.reply = self._in_words(choice)

    @property
    def _numbered(self) -> int:
        """How many lines of the briefing have a number."""
        return len(self.reminded.recalled.shown)

    async def _complete(
        self, model: LanguageModel, earlier: list[Exchange], prompt: str, deadline: float, *, may_call: bool
    ) -> str:
        """A turn of the model. Raises ModelFailed, and TimeoutError after its time or that of the whole answer."""
        tools = offered(self.house, self.who)
        system = chatting.system_of(self.talk, self.reminded)
        system = f"{system}\n\n{chatting.prompt_named('tools')}\n\n{told_of(tools)}" if may_call else system
        left = deadline - asyncio.get_running_loop().time()
        async with asyncio.timeout(max(0.0, min(left, self.house.settings.models.language.timeout_s))):
            words = await model.complete(
                system,
                prompt,
                schema=schema_of(tools) if may_call else None,
                max_tokens=self.talk.most,
                earlier=list(earlier),
            )
        return visible(words)

    def _in_words(self, words: str) -> Reply:
        return chatting.in_words(words, self.talk, self.reminded, self.found, list(offered(self.house, self.who)))

    def _key_of(self, call: ToolCall) -> str:
        """The command id of a call: a message that comes again, because its answer was lost, does nothing twice."""
        asked = chatting.turn_ids(self.talk.turns)[-2]
        return f"c-{digest('chat tool', asked, call.name, str(sorted(call.given.items()))).hex()}"


async def _briefing_of(house: House, who: Caller, session: ChatSession) -> tuple[str, bool]:
    """A session's briefing between tags, and whether it is missing. Found once; told as its words stand now."""
    try:
        async with asyncio.timeout(BRIEFING_S):
            asked = Asked(query=BRIEFING_QUERY, limit=BRIEFING_RESULTS, cut="none", record_access=False)
            question = replace(await question_of(house, who, asked), budget_tokens=None)
            if session.briefing is None:
                recalled = await ask(house, question)
                session.briefing = tuple(row["segment_key"] for row in recalled.shown)
                _watched(house, who, session, BRIEFING_PART, COMPLETE, segments=len(session.briefing))
            context = await told_again(house, question, session.briefing)
    except (Unavailable, RayError, TimeoutError) as error:
        log.warning("a chat goes on without its briefing (%s)", type(error).__name__)
        session.briefing = session.briefing or ()
        _watched(house, who, session, BRIEFING_PART, ERROR, error=kind_of(error))
        return "", True
    return (briefing(context.splitlines()) if context else ""), False


def _watched(house: House, who: Caller, session: ChatSession, part: str, what: str, **figures: str | float) -> None:
    """Tell whoever watches the memory what a chat does."""
    level = who.view.clearance
    house.stores.events.tell(who.user_id, part, what, session_id=session.session_id, sensitivity=level, **figures)


async def _drop_what_was_forgotten(house: House, who: Caller, session: ChatSession) -> None:
    """Keep nothing of a talk of which something was forgotten, here or in another gateway."""
    for source_id in {each.source_id for each in session.turns if each.source_id is not None}:
        kept = {row["segment_id"] for row in await house.stores.sources.segments(who.scope, source_id)}
        if any(each.source_id == source_id and each.segment_id not in kept for each in session.turns):
            session.clear()
            return
