"""Proposing: sentences that a language model adds to a night, each with the lines it rests on.

Only those count that the lines they name support, as in summaries. How many did is in the report of the night.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from memory.errors import ModelFailed
from memory.model.prompts import Prompt
from memory.ports import LanguageModel
from memory.retrieval.briefing import BRIEFING_CHARS, briefing, fitting
from memory.services.reviewing import SentenceCount, sentences, supported_by
from memory.services.storylines import MOST_FAILURES
from memory.words.cleaning import harmless

MOST_SENTENCE = 300
"""Characters of a sentence that counts (chosen: what is longer than a general fact tells several things)."""
_MAX_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """A sentence of a model, and the places of the lines that it names, in order."""

    text: str
    lines: tuple[int, ...]


class Proposer:
    """Asks a model as long as it answers, and counts what it says. Without a model nothing is proposed."""

    def __init__(self, model: LanguageModel | None, prompt: str) -> None:
        self._model, self._given, self._prompt = model, model, prompt
        self._failures, self._count = 0, SentenceCount()

    @property
    def name(self) -> str:
        """Who is asked."""
        return "" if self._given is None else self._given.name

    async def propose(self, about: str, lines: Sequence[str]) -> list[Proposal]:
        """The sentences about something that these lines support; none of a model that fails."""
        if self._model is None or not lines:
            return []
        shown = list(fitting([f"[{number}] {harmless(each)}" for number, each in enumerate(lines, 1)], BRIEFING_CHARS))
        asked = Prompt(
            instructions(self._prompt), f"About: {harmless(about)}\n{briefing(shown)}", max_tokens=_MAX_TOKENS
        )
        self._count.asked += 1
        try:
            written = await self._model.complete(asked)
        except ModelFailed:
            self._failures += 1
            self._model = None if self._failures == MOST_FAILURES else self._model
            return []
        self._failures = 0
        self._count.sentences += sum(1 for _ in sentences(written))
        kept = (Proposal(*each) for each in supported_by(written, [f"{about} {each}" for each in shown]))
        return [each for each in kept if len(each.text) <= MOST_SENTENCE]

    def used(self, count: int) -> None:
        """So many of its sentences counted."""
        self._count.supported += count

    def told(self) -> dict[str, Any]:
        """What a report tells: how often it was asked, what it said, and the share that counted.

        Nothing without a model.
        """
        if self._given is None:
            return {}
        by = {"by": self._given.name, "model_failed": self._model is not self._given}
        return {"proposed": {**self._count.figures(), **by}}


@cache
def instructions(name: str) -> str:
    """A system prompt."""
    return (files("memory.services") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
