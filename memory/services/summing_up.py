"""Summing up: a storyline or a macro in a few lines, each with the segments it rests on.

Without a language model a summary quotes sentences, and says so. A model is shown numbered lines and must name those
that each sentence rests on, as for a day (memory.services.reviewing). A text begins with who wrote it. Behind each line
stand the places of its segments in the list that is kept with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby

from memory.errors import ModelFailed
from memory.model.ids import fold
from memory.model.prompts import Prompt
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.retrieval.briefing import BRIEFING_CHARS, briefing, fitting
from memory.retrieval.flags import bare
from memory.services.hits import retraction
from memory.services.reviewing import SentenceCount, sentences, supported_by
from memory.words.cleaning import called, harmless, in_quotes
from memory.words.normalise import split_sentences
from memory.words.retractions import retracts
from memory.words.spelling import quotable
from memory.words.stems import STOP_WORDS, tokenise

EXTRACTIVE, GENERATED = "Extractive summary.", "Generated summary."
_KEYWORDS = "Keywords: "
MOST_CHARS = 200
"""Characters of a sentence that are quoted (chosen: two lines of a terminal)."""
_MAX_TOKENS = 200
_CITED = re.compile(r" ((?:\[\d+\])+)$")
_STOPS = STOP_WORDS["en"] | STOP_WORDS["de"]


@dataclass(frozen=True, slots=True)
class ToldSegment:
    """What somebody said of an anchor."""

    segment_key: int
    source_id: str
    at: Instant
    speaker: str
    text: str
    quote: str
    """The words that mean the anchor."""
    next_words: str | None = None
    """What its speaker said next."""
    gone: tuple[str, ...] = ()
    """Sentences of it that are not to be told: a fact that was read from them was forgotten."""
    revision: int = field(default=1, compare=False)
    """The revision of the segment that was read."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of a summary, and the keys of the segments it rests on."""

    text: str
    segments: tuple[int, ...]
    read: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    """(segment key, revision) of what was read for it, as far as that is known."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines in the order of time; without lines there is nothing to tell."""

    lines: tuple[SummaryLine, ...] = ()
    generated: bool = False
    keywords: tuple[str, ...] = ()
    """Words that a source is known by; a storyline has none."""

    @property
    def quotes(self) -> tuple[int, ...]:
        """Keys of all segments it rests on, each once."""
        return tuple(dict.fromkeys(key for line in self.lines for key in line.segments))

    @property
    def read(self) -> tuple[tuple[int, int], ...]:
        """(segment key, revision) of what was read for it, each once."""
        return tuple(dict.fromkeys(each for line in self.lines for each in line.read))

    def text(self) -> str:
        """As it is kept, with `quotes` beside it; empty without lines."""
        if not self.lines:
            return ""
        place = {key: number for number, key in enumerate(self.quotes, 1)}
        cited = ("".join(f"[{place[key]}]" for key in line.segments) for line in self.lines)
        told = [f"{line.text} {marks}" for line, marks in zip(self.lines, cited, strict=True)]
        known_by = [f"{_KEYWORDS}{', '.join(self.keywords)}"] if self.keywords else []
        return "\n".join((GENERATED if self.generated else EXTRACTIVE, *told, *known_by))


def read_summary(text: str, quotes: Sequence[int]) -> Summary:
    """The summary of a text that `Summary.text` gave, and of its quotes."""
    first, *told = text.splitlines() or [""]
    known_by: list[str] = []
    if told and told[-1].startswith(_KEYWORDS) and not _CITED.search(told[-1]):  # somebody may be called Keywords
        known_by = told.pop().removeprefix(_KEYWORDS).split(", ")
    lines = []
    for each in told:
        found = _CITED.search(each)
        numbers = [int(number) for number in re.findall(r"\d+", found[1])] if found else []
        if found and all(1 <= number <= len(quotes) for number in numbers):
            lines.append(SummaryLine(each[: found.start()], tuple(quotes[number - 1] for number in numbers)))
    return Summary(tuple(lines), first == GENERATED, tuple(known_by))


def telling_lines(told: Iterable[ToldSegment]) -> list[SummaryLine]:
    """The sentence of each source that says most of the anchor, in quotation marks, the earliest first.

    What was taken back in the next breath, what asks, what only shows that somebody listens ("So do I."), and what
    somebody wanted forgotten is not told. A sentence that
    shares its words with those of other sources says most.
    """
    said = [each for segment in sorted(told, key=lambda each: (each.at, each.segment_key)) for each in _said(segment)]
    fresh = list({fold(sentence): (segment, sentence) for segment, sentence in reversed(said)}.values())[::-1]
    words = [_words(sentence) for _, sentence in fresh]
    weighed = [(_weight(place, words, fresh), segment, each) for place, (segment, each) in enumerate(fresh)]
    by_source = sorted(weighed, key=lambda each: (each[1].source_id, -each[0], each[1].at, each[1].segment_key))
    best = [next(some) for _, some in groupby(by_source, key=lambda each: each[1].source_id)]
    best.sort(key=lambda each: (each[1].at, each[1].segment_key))
    return [quoted_line(one.speaker, each, (one.segment_key, one.revision)) for _, one, each in best]


def quoted_line(speaker: str, sentence: str, read: tuple[int, int]) -> SummaryLine:
    """A sentence of a segment, by its key and revision, in quotation marks behind who said it; fillers are left out."""
    return SummaryLine(f"{called(speaker)}: {in_quotes(_cut(quotable(sentence)))}", (read[0],), (read,))


def extracted(lines: Sequence[SummaryLine], most: int) -> Summary:
    """So many of these lines: the last and the first, then those that share most words with the others."""
    words = [_words(each.text) for each in lines]
    ends = [len(lines) - 1, 0]
    order = sorted(range(len(lines)), key=lambda place: (-sum(_alike(words[place], each) for each in words), place))
    chosen = list(dict.fromkeys((*ends, *order)))[:most] if lines else []
    return Summary(tuple(lines[place] for place in sorted(chosen)))


async def generated(
    name: str, lines: Sequence[SummaryLine], most: int, model: LanguageModel, count: SentenceCount | None = None
) -> Summary:
    """What a model makes of these lines: of its sentences those that the lines they name support, `most` at most.

    All of its sentences are added to `count`. Raises ModelFailed, also where none of them is supported.
    """
    count = count or SentenceCount()
    count.asked += 1
    shown = list(fitting([f"[{number}] {each.text}" for number, each in enumerate(lines, 1)], BRIEFING_CHARS))
    prompt = f"About: {harmless(name)}\n{briefing(shown)}"
    written = await model.complete(Prompt(instructions(), prompt, max_tokens=_MAX_TOKENS))
    grounds = [f"{name} {each}" for each in shown]
    kept = [
        SummaryLine(
            text,
            tuple(dict.fromkeys(key for place in named for key in lines[place].segments)),
            tuple(dict.fromkeys(each for place in named for each in lines[place].read)),
        )
        for text, named in supported_by(written, grounds)
    ]
    count.sentences += sum(1 for _ in sentences(written))
    count.supported += len(kept)
    if not kept:
        raise ModelFailed("The language model gave no sentence that its lines support.")
    return Summary(tuple(kept[:most]), generated=True)


def _said(segment: ToldSegment) -> Iterator[tuple[ToldSegment, str]]:
    """The sentences of a segment that name the anchor; where none does as it was quoted, its first."""
    if retraction(segment.next_words) or retracts(segment.text):
        return
    gone = [fold(each) for each in segment.gone if fold(each)]
    told = [each for each in split_sentences(segment.text) if not each.endswith("?") and not bare(each)]
    kept = [each for each in told if not any(fold(each) in quote or quote in fold(each) for quote in gone)]
    naming = [each for each in kept if fold(segment.quote) in fold(each)]
    yield from ((segment, each) for each in naming or kept[:1])


def _weight(place: int, words: Sequence[frozenset[str]], said: Sequence[tuple[ToldSegment, str]]) -> float:
    """How much a sentence shares with those of other sources."""
    own = said[place][0].source_id
    return sum(_alike(words[place], each) for each, (one, _) in zip(words, said, strict=True) if one.source_id != own)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Common words of two sentences, as the cosine of their sets."""
    return len(one & other) / (len(one) * len(other)) ** 0.5 if one and other else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word, _ in tokenise(text)) - _STOPS


def _cut(text: str) -> str:
    told = " ".join(text.split())
    return told if len(told) <= MOST_CHARS else f"{told[:MOST_CHARS].rstrip()}…"


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "storyline.md").read_text(encoding="utf-8").strip()
