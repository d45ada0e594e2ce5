"""Pipecat: what is remembered goes into the model's context, and what was said into the memory. Needs pipecat-ai 1.14.

It stands between the user's aggregator and the model:

    Pipeline([transport.input(), stt, aggregators.user(), MemoraySpeechMemory(memory, "kitchen"), llm, tts, ...])

What the assistant says is kept with the next turn, or when the pipeline ends. A turn that a model only speculates
about is looked up and not kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pipecat.frames.frames import EndFrame, Frame, LLMContextFrame
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from memoray_client.client import AsyncMemory
from memoray_client.errors import MemorayError
from memoray_client.integrations.turns import is_note, last_words, placed, with_note
from memoray_client.messages import Message, text_of

log = logging.getLogger(__name__)
BUDGET_S = 0.15
"""Seconds a spoken answer may wait for its memory; a later one is left out of this turn."""

LAST_S = 5.0
"""Seconds the end of a pipeline may wait for its last turns to be kept."""


class MemoraySpeechMemory(FrameProcessor):
    """Puts a note in front of each turn, in the place of the one before, and keeps finished turns in the background."""

    def __init__(self, memory: AsyncMemory, conversation: str, *, budget_s: float = BUDGET_S) -> None:
        super().__init__()
        self._memory = memory
        self._conversation = conversation
        self._budget_s = budget_s
        self._seen = 0
        self._talk: LLMContext | None = None
        self._keeping: set[asyncio.Task[None]] = set()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Look at contexts that are on their way to the model; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            every = list(frame.context.get_messages())
            messages = [each for each in every if isinstance(each, Mapping) and not is_note(each)]
            frame.context.set_messages(with_note(every, await self._context(last_words(messages))))
            if not frame.speculation:
                self._talk = frame.context
                self._begin_to_keep(messages)
        elif isinstance(frame, EndFrame):
            await self._end()
        await self.push_frame(frame, direction)

    def _begin_to_keep(self, messages: Sequence[Mapping[str, Any]]) -> None:
        if said := self._fresh(messages):
            task = self.create_task(self._keep(said))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    async def _end(self) -> None:
        """Keep what was said last, before the pipeline ends and takes along what is still at work."""
        if self._talk is not None:
            every = self._talk.get_messages()
            self._begin_to_keep([each for each in every if isinstance(each, Mapping) and not is_note(each)])
        if self._keeping:
            await asyncio.wait(self._keeping, timeout=LAST_S)

    async def _context(self, question: str) -> str:
        if not question:
            return ""
        try:
            return await asyncio.wait_for(self._memory.context(question), self._budget_s)
        except (MemorayError, TimeoutError) as error:
            log.warning("this turn goes on without its memory: %s", type(error).__name__)
            return ""

    def _fresh(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """What was said since the last context; of one that was cut short the latest message alone."""
        begin = self._seen if len(messages) > self._seen else max(0, len(messages) - 1)
        self._seen = len(messages)
        return [
            Message(text, str(each["role"]), str(each["role"]))
            for each in messages[begin:]
            if each.get("role") in ("user", "assistant") and (text := text_of(each.get("content"))).strip()
        ]

    async def _keep(self, said: Sequence[Message]) -> None:
        options, messages = placed(self._conversation, said, datetime.now().astimezone())
        try:
            await self._memory.add(messages, **options)
        except MemorayError as error:
            log.warning("a turn was not kept: %s", type(error).__name__)
