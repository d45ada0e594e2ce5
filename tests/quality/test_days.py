"""What a stranger asks of days and stretches of time, about small lives that were heard day by day and read by rules.

`days_1.txt` was written before the mechanism it measures and held out until it stood; `days_2.txt` was written beside
it. Lives of one file and language share a memory: each lies in a year of its own with the weekdays of 2025, if another
lies in its months.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.extraction.rules import RuleExtractor
from bench.living import USER, Living, Parts, scope, segment
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.sources import Source
from memory.ports import Embedder, Index
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits
from memory.rules.decider import Rules
from memory.services.recall import RecallContext, RecallSettings, Recollection, at_hand, recall

HERE = Path(__file__).parent
PATIENT = RecallSettings(leg_timeout_s=60.0)
OWNER = "Ann"
ALIKE = (2025, 2014, 2003, 1997, 1986, 1975)
"""Years whose days are the same weekdays."""


@dataclass
class Life:
    """Lines of (day, speaker, words), the day that is asked on, and questions with the lines that answer."""

    language: str
    asked_on: str
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    questions: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    year: int = ALIKE[0]

    @property
    def months(self) -> frozenset[str]:
        return frozenset(day[5:7] for day, *_ in self.lines) | {self.asked_on[5:7]}

    def at(self, day: str, hour: int) -> float:
        return datetime.fromisoformat(f"{self.year}{day[4:]}T{hour:02}:00:00+00:00").timestamp()


def lives(name: str) -> list[Life]:
    """The lives of a file."""
    found: list[Life] = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "==":
            found.append(Life(*rest.split()))
        elif mark == "?":
            words, _, gold = rest.partition(" => ")
            found[-1].questions.append((words, tuple(map(int, gold.split()))))
        elif mark != "#" and line:
            speaker, parted, words = rest.partition(": ")
            said = (speaker, words) if (parted and speaker.istitle()) or speaker == "AI" else (OWNER, rest)
            found[-1].lines.append((mark, *said))
    return found


def apart(lives_of: Sequence[Life]) -> None:
    """Move lives to years in which nobody else lies in their months."""
    taken: dict[int, set[str]] = {year: set() for year in ALIKE}
    for life in lives_of:
        life.year = next(year for year in ALIKE if taken[year].isdisjoint(life.months))
        taken[life.year] |= life.months


@dataclass(frozen=True)
class Lived:
    """A memory of lives."""

    living: Living
    embedder: Embedder
    language: str
    names: dict[int, tuple[int, int]]
    """Segment key -> life and line, from 1."""

    async def ask(self, text: str, now: float, *, calendar: bool = True) -> Recollection:
        """What comes to mind at a moment of a life, of what was said by then."""
        beliefs = self.living.beliefs
        segment_index = beliefs.segment_index
        legs: list[Index] = [
            MemoryText(segment_index),
            MemoryVectors(segment_index),
            MemoryGraph(beliefs),
            MemoryHot(beliefs),
        ]
        legs += [MemoryCalendar(beliefs)] if calendar else []
        question = Question(text, View(USER), now, limit=50, cut="none", as_of=now, explain=True)
        asked, traits_of = at_hand(self.embedder.ask(text)), MemoryTraits(segment_index, beliefs)
        return await recall(question, legs, traits_of, asked, PATIENT, RecallContext((self.language,)))


async def lived(lives_of: Sequence[Life], embedder: Embedder) -> Lived:
    """Hear all of it in the order of time, and read it."""
    apart(lives_of)
    days = sorted({(life.at(day, 12), number) for number, life in enumerate(lives_of) for day, *_ in life.lines})
    living, names = Living(Parts(embedder, RuleExtractor(), Rules(), PATIENT), days[0][0]), dict[int, tuple[int, int]]()
    language = lives_of[0].language
    await living.begin(Profile(OWNER, time_zone="UTC", languages=(language,)))
    for at, number in days:
        life = lives_of[number]
        said = [(place, line) for place, line in enumerate(life.lines, 1) if life.at(line[0], 12) == at]
        segments = tuple(segment(place, who, words) for place, (_, who, words) in said)
        people = tuple({OWNER: None} | {who: None for _, (_, who, _) in said})
        source = Source(f"{number}-{at:.0f}", scope(), "conversation", at, participants=people, segments=segments)
        living.clock.at = at + 3600
        await living.hear(source)
        names |= {source.key_of(each): (number, place) for each, (place, _) in zip(segments, said, strict=True)}
    return Lived(living, embedder, language, names)


def asked(lives_of: Sequence[Life]) -> Iterator[tuple[int, Life, str, tuple[int, ...]]]:
    """Every question: the number of its life, the life, the words, the lines that answer."""
    for number, life in enumerate(lives_of):
        for words, gold in life.questions:
            yield number, life, words, gold


def scored(lives_of: Sequence[Life], memory: Lived, *, calendar: bool = True) -> list[tuple[str, float, float]]:
    """(question, share of what answers among the first five, among the first n of n) of every question."""
    rows = []
    for number, life, words, gold in asked(lives_of):
        found = asyncio.run(memory.ask(words, life.at(life.asked_on, 20), calendar=calendar))
        hits = [memory.names[key] in {(number, line) for line in gold} for key in found.keys.tolist()]
        rows.append((words, sum(hits[:5]) / min(5, len(gold)), sum(hits[: len(gold)]) / len(gold)))
    return rows


@cache
def remembered(name: str, language: str) -> tuple[list[Life], Lived]:
    chosen = [life for life in lives(name) if life.language == language]
    return chosen, asyncio.run(lived(chosen, HashingEmbedder()))


@pytest.mark.parametrize("name", ["days_1.txt", "days_2.txt"], ids=["held out", "beside it"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_was_said_then_is_found_and_comes_first(name: str, language: str):
    chosen, memory = remembered(name, language)
    rows, plain = scored(chosen, memory), scored(chosen, memory, calendar=False)
    among_five, first = (sum(row[which] for row in rows) / len(rows) for which in (1, 2))
    assert among_five >= 0.95
    assert first >= 0.85
    assert first > sum(row[2] for row in plain) / len(plain) + 0.1


async def test_of_a_time_of_which_nothing_is_known_nothing_is_said():
    chosen, memory = remembered("days_1.txt", "en")
    now = chosen[0].at(chosen[0].asked_on, 20)
    assert (await memory.ask("What happened on the 4th of May 1990?", now)).abstained
    assert not (await memory.ask("What happened on Wednesday?", now)).abstained
