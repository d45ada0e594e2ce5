"""Answering somebody who talks with their memory: a language model that may call tools, or quotations (seed 001)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from deployments.kinds import Body
from deployments.use_cases import chatting
from deployments.use_cases.asking import Citation
from deployments.use_cases.chat_tools import accepted, each_text, failed, offered, result_of, told_of
from deployments.use_cases.chatting import MODEL, NO_WORDS
from deployments.use_cases.model_turns import ToolCall, TurnReader, choice_of, schema_of
from deployments.use_cases.speaking import Speaking
from deployments.use_cases.tools import Tool
from memory.errors import DomainError, ModelFailed
from memory.model.ids import digest
from memory.model.prompts import Prompt, SpokenTurn
from memory.ports import LanguageModel
from memory.words.cleaning import visible
from memory.words.spoken import spoken

MOST_CALLS = 4
"""Calls of tools before a model must answer (chosen: two searches, a thought and a table)."""
PATIENCE = 2.0
"""How many times the time of one call a model has until it answers."""
ANSWER_NOW = "Answer now, in words alone: there are no more tools."
Event = Mapping[str, Any]


@dataclass
class Answering:
    """A message being answered, as events: pieces of the answer, and the tools that are used on the way."""

    speaking: Speaking
    model: LanguageModel | None
    tools: Mapping[str, Tool] = field(init=False)
    earlier: list[SpokenTurn] = field(init=False)
    """The talk so far, and the turns of this answer."""
    found: list[Citation] = field(default_factory=list)
    """What the model has looked up itself."""

    def __post_init__(self) -> None:
        self.tools = offered(self.speaking.app, self.speaking.who)
        self.earlier = list(self.speaking.talk.turns[:-1])

    async def events(self) -> AsyncGenerator[Event]:
        """The answer. A model that fails before its first words costs these alone: memory is quoted.

        Raises ModelFailed of one that breaks off later.
        """
        if self.model is not None:
            try:
                async with aclosing(self._generated(self.model)) as events:
                    async for event in events:
                        yield event
            except ModelFailed as error:
                self.speaking.failed(error)
        if self.speaking.reply is None:
            async with aclosing(self.speaking.quotations(() if self.model is None else (MODEL,))) as quoted:
                async for piece in quoted:
                    yield _token(piece)

    async def _generated(self, model: LanguageModel) -> AsyncGenerator[Event]:
        """Let the model choose between answering and one tool, some times; then it must answer. Raises ModelFailed."""
        until = asyncio.get_running_loop().time() + PATIENCE * self.speaking.app.settings.models.language.timeout_s
        text = self.speaking.talk.asked
        for place in range(MOST_CALLS + 1):
            may_call = place < MOST_CALLS
            prompt = self._prompt(text if may_call else f"{text}\n\n{ANSWER_NOW}", may_call=may_call)
            turn = TurnReader(self.speaking.talk.most_heard)
            async with aclosing(self._shown(turn.answer(self._said(model, prompt, until)))) as tokens:
                async for token in tokens:
                    yield token
            if turn.is_answer:
                break
            self.earlier += [("user", prompt.text), ("assistant", visible(turn.words))]
            try:
                choice = choice_of(visible(turn.words))
                called = accepted(choice, self.tools) if isinstance(choice, ToolCall) else None
            except DomainError as error:
                text = failed(error)
                continue
            if isinstance(choice, str):
                async with aclosing(self._shown(_at_once(choice))) as tokens:
                    async for token in tokens:
                        yield token
                break
            if called is not None and may_call:
                given = called[1].model_dump(mode="json", exclude_unset=True)
                yield {"type": "tool_use", "name": choice.name, "input": each_text(given, spoken)}
                text = await self._result(choice, *called)
        if self.speaking.reply is None:
            raise ModelFailed(NO_WORDS)

    def _prompt(self, text: str, *, may_call: bool) -> Prompt:
        """What the model is asked next: the talk, the memory, and the tools as long as it may call them."""
        talk = self.speaking.talk
        system = chatting.system_of(talk, self.speaking.reminded)
        if may_call:
            system = f"{system}\n\n{chatting.prompt_named('tools')}\n\n{told_of(self.tools)}"
        schema = schema_of(self.tools) if may_call else None
        return Prompt(system, text, schema, talk.most_generated, list(self.earlier))

    async def _said(self, model: LanguageModel, prompt: Prompt, until: float) -> AsyncGenerator[str]:
        """A turn of the model. Raises ModelFailed if nothing of an answer has been told at an instant."""
        now = asyncio.get_running_loop().time
        left = max(0.0, min(until - now(), self.speaking.app.settings.models.language.timeout_s))
        async with aclosing(self.speaking.streamed(model, prompt, left)) as pieces:
            async for words in pieces:
                yield words
                if not self.speaking.has_begun and now() > until:
                    raise ModelFailed("The language model has called tools for too long.")

    async def _shown(self, said: AsyncGenerator[str]) -> AsyncGenerator[Event]:
        async with aclosing(self.speaking.words(said, list(self.tools), self.found)) as pieces:
            async for piece in pieces:
                yield _token(piece)

    async def _result(self, call: ToolCall, tool: Tool, body: Body) -> str:
        """What a tool gives. Its command has an id made of the talk: a message that comes again does nothing twice."""
        speaking = self.speaking
        asked = chatting.turn_ids(speaking.talk.turns)[-2]
        key = f"c-{digest('chat tool', asked, call.name, str(sorted(call.given.items()))).hex()}"
        numbered = len(speaking.reminded.recalled.shown)
        return await result_of(speaking.app, speaking.who, key, tool, body, self.found, numbered)


async def _at_once(words: str) -> AsyncGenerator[str]:
    yield words


def _token(text: str) -> Event:
    return {"type": "token", "text": text}
