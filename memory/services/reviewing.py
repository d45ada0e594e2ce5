"""The day in review: what was said on it in a few sentences, quoted, or written by a language model.

A model is shown numbered lines and must name those that each sentence rests on. A sentence that names none, or tells a
name or a number that they do not hold (memory.words.invented), is dropped; if none is left, or the model fails, the day
is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from memory.errors import ModelFailed
from memory.model.prompts import Prompt
from memory.model.shown_times import Day, DaySegment
from memory.ports import LanguageModel
from memory.retrieval.briefing import BRIEFING_CHARS, briefing, fitting
from memory.services.hits import retraction
from memory.services.overview import sessions_with
from memory.words.cleaning import called, harmless, in_quotes, sentence
from memory.words.invented import invented
from memory.words.retractions import retracts
from memory.words.spelling import quotable

CONSIDERED = 24
"""Segments of a day that are looked at, those that say most: as many lines as fill a briefing."""
QUOTED = 3
"""Segments that a summary quotes."""
NOTHING = "Nothing was heard on this day."
UNGENERATED = "(The language model gave no usable summary.)"
_MAX_TOKENS = 256
_SENTENCE = re.compile(r".+?[.!?]+(?=\s|\[|$)(?:\s*\[\d+\])*", re.DOTALL)
_CITED = re.compile(r"\s*\[(\d+)\]")
_NUMBERED = re.compile(r"\[\d+\] ")
"""What stands in front of a line that a model is shown, and was not said."""


@dataclass(slots=True)
class SentenceCount:
    """How often a model was asked, how many sentences it gave, and how many of these counted."""

    asked: int = 0
    sentences: int = 0
    supported: int = 0

    def figures(self) -> dict[str, Any]:
        """As a report tells them; `support_rate` is None where it gave no sentence."""
        rate = round(self.supported / self.sentences, 4) if self.sentences else None
        return {
            "asked": self.asked,
            "sentences": self.sentences,
            "supported": self.supported,
            "support_rate": rate,
        }


async def summary_of(day: Day, people: Sequence[str], model: LanguageModel | None) -> str:
    """A day in a few sentences, which say first whether they were written or quoted."""
    if not day.sessions:
        return NOTHING
    telling = untaken(day.telling)
    quoted = _quoted(day.sessions, telling, people)
    if model is None or not telling:
        return quoted
    lines = list(fitting([f"[{number}] {_said(each)}" for number, each in enumerate(telling, 1)], BRIEFING_CHARS))
    try:
        written = await model.complete(Prompt(instructions(), briefing(lines), max_tokens=_MAX_TOKENS))
    except ModelFailed:
        return f"{quoted}\n{UNGENERATED}"
    kept = " ".join(supported(written, lines))
    return f"Generated summary. {kept}" if kept else f"{quoted}\n{UNGENERATED}"


def untaken(telling: Sequence[DaySegment]) -> list[DaySegment]:
    """Segments without those that were taken back in the next breath, and those that take something back."""
    return [each for each in telling if not (retraction(each.next_words) or retracts(each.text))]


def people_of(day: Day) -> list[str]:
    """Who was spoken of, the most mentioned first, without the owner."""
    return [each.name for each in day.entities if each.type == "person" and not each.is_owner]


def supported(written: str, lines: Sequence[str]) -> Iterator[str]:
    """The sentences that rest on the numbered lines they name, without the numbers of these."""
    return (told for told, _ in supported_by(written, lines))


def supported_by(written: str, lines: Sequence[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The same sentences, each with the places of the lines that it names, in order."""
    said = [_NUMBERED.sub("", line, count=1) for line in lines]
    for each in sentences(written):
        named = sorted({number - 1 for number in map(int, _CITED.findall(each)) if 1 <= number <= len(said)})
        told = harmless(_CITED.sub("", each).strip())
        if named and not invented(told, [said[place] for place in named]):
            yield sentence(told), tuple(named)


def sentences(written: str) -> Iterator[str]:
    """The sentences of a model that have an end, each with the citations behind it."""
    return (found[0].strip() for found in _SENTENCE.finditer(written.strip()))


def _quoted(sessions: int, telling: Sequence[DaySegment], people: Sequence[str]) -> str:
    """How many sessions, with whom, and the segments that tell most, in their order."""
    best = sorted(each.place for each in telling)[:QUOTED]
    quotes = " ".join(
        f"{called(each.speaker)}: {in_quotes(quotable(each.text))}{each.mark}" for each in telling if each.place in best
    )
    return f"Extractive summary. {sessions_with(sessions, people)}. {quotes}".rstrip()


def _said(segment: DaySegment) -> str:
    return f"{called(segment.speaker)}: {harmless(segment.text)}{segment.mark}"


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "daily.md").read_text(encoding="utf-8").strip()
