"""Speaking: an answer that is told while a language model still writes it, and remembered once it is whole.

What the user said is remembered behind the first piece: who left before has heard nothing. The answer joins it when the
model has come to its end. If it breaks off, or whoever asked leaves in the middle, the half of it is no answer and is
not remembered (decision 0093). No more is one during which something was forgotten: its words may be those.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases import chatting
from deployments.use_cases.asking import Citation
from deployments.use_cases.chatting import ENDLESS, MODEL, NO_WORDS, Reminded, Reply, Talk
from memory.errors import AnswerCut, ModelFailed
from memory.model.prompts import Prompt
from memory.ports import LanguageModel
from memory.retrieval.packing import tokens
from memory.services.pacing import StreamLimits
from memory.words.spoken import Sieve

log = logging.getLogger("memoray.gateway")
BROKE_OFF = "The answer broke off in the middle, and is not remembered."


@dataclass
class SpokenAnswer:
    """The words of an answer as far as they have been told: no longer than is wanted, up to the first of its stops."""

    talk: Talk
    tools: Collection[str] = ()
    """Names of tools that a model may call as Python would."""
    text: str = ""
    is_over: bool = False
    """Whether all that is wanted is there, whatever else the model says."""
    is_cut: bool = False
    """Whether it was longer than was wanted."""
    _sieve: Sieve = field(init=False)
    _held: str = ""
    """What has come through and may be the beginning of a stop."""
    _heard: int = 0
    """Characters that the model has said."""
    _cost: int = 0
    """Tokens of the text, or more: those of its pieces."""

    def __post_init__(self) -> None:
        self._sieve = Sieve(self.tools)

    def put(self, words: str) -> str:
        """What can be told now of the next words. Raises ModelFailed if far more comes than can be told."""
        self._heard += len(words)
        if self._heard > self.talk.most_heard:
            raise ModelFailed(ENDLESS)
        return self._told(self._sieve.put(words), max((len(each) for each in self.talk.stops), default=1) - 1)

    def end(self) -> str:
        """The rest, once the model has ended."""
        return "" if self.is_over else self._told(self._sieve.end(), 0)

    def _told(self, words: str, waiting: int) -> str:
        if not words and waiting:
            return ""
        self._held += words
        self._cost += tokens(words)
        before, reached = len(self.text), self.text + self._held
        is_stopped = any(stop in reached[max(0, before - len(stop)) :] for stop in self.talk.stops)
        if is_stopped or self._cost > self.talk.most:
            bounded, self.is_cut = chatting.bounded(reached, self.talk)
            self.is_over = is_stopped or self.is_cut
            reached = bounded if self.is_over else reached
        end = len(reached) if self.is_over else max(before, len(reached) - waiting)
        self.text, self._held = reached[:end], reached[end:]
        return self.text[before:]


@dataclass
class Speaking:
    """An answer to a talk while it is told. `reply` is there once it is over."""

    app: AppContext
    who: Caller
    talk: Talk
    reminded: Reminded
    reply: Reply | None = None
    source_id: str | None = None
    """Where both sides are remembered, if they are."""
    has_begun: bool = False
    """Whether something of it has been told."""
    is_outdated: bool = False
    """Whether something was forgotten while it was told: then it is not remembered."""
    _is_asked: bool = False
    """Whether what the user said is remembered."""

    async def answer(self) -> AsyncGenerator[str]:
        """The pieces of an answer to a talk in which no tools are called.

        A model that fails before its first words costs no more than these: memory is quoted. Raises ModelFailed of one
        that breaks off later.
        """
        missing: Sequence[str] = ()
        if self.app.model is not None:
            said = self.streamed(self.app.model, chatting.prompt_of(self.talk, self.reminded))
            try:
                async with aclosing(self.words(said)) as pieces:
                    async for piece in pieces:
                        yield piece
                if self.reply is None:
                    raise ModelFailed(NO_WORDS)
            except ModelFailed as error:
                self.failed(error)
                missing = (MODEL,)
        if self.reply is None:
            async with aclosing(self.quotations(missing)) as quoted:
                async for piece in quoted:
                    yield piece

    def streamed(self, model: LanguageModel, prompt: Prompt, first_s: float | None = None) -> AsyncGenerator[str]:
        """What a model says, as long as it comes in the time that the settings give it."""
        asked = self.app.settings.models.language
        limits = StreamLimits(asked.timeout_s if first_s is None else first_s, asked.pause_s, asked.stream_s)
        return chatting.said_by(model, prompt, limits)

    async def words(
        self, said: AsyncGenerator[str], tools: Collection[str] = (), found: Sequence[Citation] = ()
    ) -> AsyncGenerator[str]:
        """A model's words as they may be shown; then both sides are remembered. Without any there is no reply.

        `found` may be cited beside the briefing: it is what the model has looked up itself. Raises ModelFailed, of an
        answer that was cut off only if nothing of it is there.
        """
        spoken = SpokenAnswer(self.talk, tools)
        try:
            async with aclosing(said):
                async for words in said:
                    if piece := spoken.put(words):
                        self.has_begun = True
                        yield piece
                        await self._begin()
                    if spoken.is_over:
                        break
        except AnswerCut:
            spoken.is_cut = True
        if piece := spoken.end():
            self.has_begun = True
            yield piece
        if spoken.text:
            await self._remember(chatting.in_words(spoken.text, self.reminded, found, cut=spoken.is_cut))
        elif spoken.is_cut:
            raise AnswerCut()

    async def quotations(self, missing: Sequence[str]) -> AsyncGenerator[str]:
        """The answer in quotations, both sides remembered behind the first piece; `missing` is what was away."""
        answered = await chatting.quoted(self.app, self.who, self.talk, self.reminded, missing)
        first, *others = chatting.pieces(answered.text)
        self.has_begun = True
        yield first
        await self._remember(answered)
        for piece in others:
            yield piece

    def failed(self, error: ModelFailed) -> None:
        """Make known that a model failed. Raises ModelFailed if something of its answer has been told."""
        log.warning("the language model gave no whole answer (%s)", type(error).__name__)
        if self.has_begun:
            raise ModelFailed(f"{BROKE_OFF} {error.detail}") from error

    async def _begin(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            self.source_id = await chatting.remember(self.app, self.who, self.talk, self.reminded, None)

    async def _remember(self, answered: Reply) -> None:
        kept = await chatting.standing(self.app, self.who, self.reminded, answered)
        self.is_outdated = kept is None
        if kept is None:
            await self._begin()
        else:
            self.source_id = await chatting.remember(self.app, self.who, self.talk, self.reminded, kept)
        self.reply = answered
