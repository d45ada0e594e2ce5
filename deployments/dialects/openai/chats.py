"""Chat completions: answered from memory and remembered (deployments/use_cases/chatting.py).

An answer carries `memoray`, a field of ours, with what it rests on.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from deployments.app_context import AppContext
from deployments.callers import Caller, Reader
from deployments.commands import Here
from deployments.dialects.openai.names import OWN, known, names
from deployments.dialects.openai.telling import error_of
from deployments.kinds import MOST_TEXT, ShortText
from deployments.problems import problem_of
from deployments.routers import json_router
from deployments.showing import VisibleJson
from deployments.sse import PING, kept_alive, streamed, written
from deployments.use_cases import chatting
from deployments.use_cases.chatting import MOST_ANSWER, Reminded, Reply, Talk
from deployments.use_cases.messages_told import MessageIn
from deployments.use_cases.speaking import Speaking
from memory.errors import Invalid
from memory.retrieval.packing import tokens

CHAT = "/v1/chat/completions"
MOST_MESSAGES = 10_000
"""Messages of one request (chosen: the bound of a body holds some thousands)."""
_OFF = ("no", "off", "false", "0", "never")
"""Words by which a request asks not to be remembered."""
router = json_router(described=False)


class CompletionMessageIn(MessageIn):
    """A message of a chat."""

    role: Literal["system", "developer", "user", "assistant"]


class StreamOptionsIn(BaseModel):
    """What a stream is to hold beside the answer."""

    include_usage: bool = False


class CompletionIn(BaseModel, extra="allow"):
    """A request for a chat completion. What only tunes a model is not read: it may have none."""

    model: ShortText
    messages: Annotated[list[CompletionMessageIn], Field(min_length=1, max_length=MOST_MESSAGES)]
    stream: bool | None = False
    stream_options: StreamOptionsIn | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: ShortText | Annotated[list[ShortText], Field(max_length=4)] | None = None
    user: ShortText | None = None
    store: bool | None = None
    metadata: dict[ShortText, Any] | None = None


_REFUSED = {
    "n": (1,),
    "tools": (),
    "functions": (),
    "logprobs": (),
    "top_logprobs": (),
    "audio": (),
    "modalities": (["text"],),
    "web_search_options": (),
    "response_format": ({"type": "text"},),
}
"""What would be another answer than is given -> values that ask for nothing else than that."""


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """What all that is sent of one answer has in common."""

    id: str
    created: int
    model: str
    usage: bool
    """Whether a stream tells what it has cost."""

    def whole(self, answered: Reply, cost: Mapping[str, int]) -> dict[str, Any]:
        """The answer in one."""
        message: dict[str, Any] = {"role": "assistant", "content": answered.text, "refusal": None, "annotations": []}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _ending(answered)}
        head = {"id": self.id, "object": "chat.completion", "created": self.created, "model": self.model}
        return {**head, "choices": [choice], "usage": cost, OWN: _own(answered)}

    def chunk(self, delta: Mapping[str, str], ending: str | None = None, **more: Any) -> str:
        """A piece of the answer as an event."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": ending}
        return self._event([choice], {"usage": None} if self.usage else {}, more)

    def last(self, answered: Reply, cost: Mapping[str, int]) -> Iterator[str]:
        """The events that end an answer; the very last one tells what it rests on."""
        if not self.usage:
            yield self.chunk({}, _ending(answered), **{OWN: _own(answered)})
            return
        yield self.chunk({}, _ending(answered))
        yield self._event([], {"usage": cost}, {OWN: _own(answered)})

    def _event(self, choices: list[Any], usage: Mapping[str, Any], more: Mapping[str, Any]) -> str:
        head = {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}
        return written({**head, "choices": choices, **usage, **more})


def _ending(answered: Reply) -> str:
    return "length" if answered.cut else "stop"


def _own(answered: Reply) -> dict[str, Any]:
    citations = [each.model_dump() for each in answered.citations]
    return {"citations": citations, "generated": answered.generated, "degraded": list(answered.degraded)}


@router.post(CHAT)
async def chat(body: CompletionIn, request: Request, who: Reader, app: Here) -> Response:
    """Answer what was said last from memory, in one or as a stream, and remember both sides."""
    _refuse(body)
    known(body.model, names(app))
    talk = _talk(body, _remembers(body, request, who))
    reminded = await chatting.remind(app, who, talk, await chatting.mark_of(app, who))
    wants_usage = body.stream_options is not None and body.stream_options.include_usage
    made = ChatCompletion(f"chatcmpl-{secrets.token_hex(12)}", int(app.clock.now()), body.model, wants_usage)
    if body.stream:
        events = _events(app, who, talk, reminded, made)
        return streamed(events)
    answered = await chatting.reply(app, who, talk, reminded)
    kept = await chatting.standing(app, who, reminded, answered)
    await chatting.remember(app, who, talk, reminded, kept)
    return VisibleJson(made.whole(answered, _cost(talk, reminded, answered)))


def _refuse(body: CompletionIn) -> None:
    for name, harmless in _REFUSED.items():
        value = (body.model_extra or {}).get(name)
        if value and value not in harmless:
            raise Invalid(f"{name} is not supported here; leave it out.", param=name, code="unsupported_parameter")


def _remembers(body: CompletionIn, request: Request, who: Caller) -> bool:
    """Whether a request may be remembered: it does not say no, and its token may write."""
    asked = (request.headers.get("x-memoray-remember"), (body.metadata or {}).get(OWN))
    refused = any(str(each).strip().lower() in _OFF for each in asked if each is not None)
    return who.permission != "read" and body.store is not False and not refused


def _talk(body: CompletionIn, remembered: bool) -> Talk:
    said = [(each.role, _words(each, place), each.name) for place, each in enumerate(body.messages)]
    spoken = [(role, words, name) for role, words, name in said if role in ("user", "assistant") and words]
    turns = [(role, words) for role, words, _ in spoken]
    instructions = "\n\n".join(words for role, words, _ in said if role in ("system", "developer") and words)
    if not turns or turns[-1][0] != "user" or not turns[-1][1].strip():
        raise Invalid("messages: the last turn must be the user's, and not be empty.", param="messages")
    bounds = [each for each in (body.max_completion_tokens, body.max_tokens) if each is not None]
    stops = [body.stop] if isinstance(body.stop, str) else body.stop or []
    user = {} if body.user is None else {"user": body.user}
    return Talk(
        turns=turns,
        instructions=instructions,
        most=min(bounds, default=MOST_ANSWER),
        stops=[each for each in stops if each],
        provenance={"dialect": "openai", "model": body.model, **user},
        named={place: name for place, (*_, name) in enumerate(spoken) if name},
        remembered=remembered,
    )


def _words(message: CompletionMessageIn, place: int) -> str:
    """The words of a message. Raises Invalid for parts that hold others than words, or together too many."""
    silent = [number for number, each in enumerate(message.parts) if each.words is None]
    if silent:
        where = f"messages[{place}].content[{silent[0]}]"
        raise Invalid(f"{where}: only parts of type text are read.", param=f"{where}.type", code="unsupported_value")
    if len(message.words) > MOST_TEXT:
        where = f"messages[{place}].content"
        raise Invalid(f"{where}: must have at most {MOST_TEXT:,} characters.", param=where)
    return message.words


def _cost(talk: Talk, reminded: Reminded, answered: Reply) -> dict[str, int]:
    """Tokens as they are counted here; the instructions and the memory cost something where a model has read them."""
    read = chatting.system_of(talk, reminded) if answered.generated else talk.instructions
    prompt = tokens(read) + sum(tokens(words) for _, words in talk.turns)
    told = tokens(answered.text)
    return {"prompt_tokens": prompt, "completion_tokens": told, "total_tokens": prompt + told}


async def _events(
    app: AppContext, who: Caller, talk: Talk, reminded: Reminded, made: ChatCompletion
) -> AsyncGenerator[str]:
    """The answer as a stream. Whatever happens it tells of it and ends as clients expect."""
    try:
        async with aclosing(_told(app, who, talk, reminded, made)) as events:
            async for event in events:
                yield event
    except Exception as error:  # the status has been sent: the stream is the one place left to tell it
        yield written(error_of(problem_of(error, "a stream", CHAT)))
    yield "data: [DONE]\n\n"


async def _told(
    app: AppContext, who: Caller, talk: Talk, reminded: Reminded, made: ChatCompletion
) -> AsyncGenerator[str]:
    """The pieces of the answer as they come. How it ended is told once it is remembered."""
    yield made.chunk({"role": "assistant", "content": ""})
    speaking = Speaking(app, who, talk, reminded)
    async with aclosing(kept_alive(speaking.answer())) as pieces:
        async for piece in pieces:
            yield PING if piece is None else made.chunk({"content": piece})
    answered = speaking.reply
    assert answered is not None, "an answer ends with a reply or raises"
    for event in made.last(answered, _cost(talk, reminded, answered)):
        yield event
