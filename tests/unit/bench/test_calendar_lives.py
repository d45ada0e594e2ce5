"""What a stranger asks by event about two invented lives, read by rules: with the calendar, and without it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.extraction.rules import RuleExtractor
from bench.living import USER, Living, Parts, scope, segment
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.sources import Source
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits
from memory.rules.decider import Rules
from memory.services.recall import RecallContext, RecallSettings, Recollection, at_hand, recall
from tests.unit.retrieval.calendar_lives import ENGLISH, GERMAN, NOT_BY_EVENT, WRITTEN_FIRST, WRITTEN_LATER, About, Said

PATIENT = RecallSettings(leg_timeout_s=60.0)
ENCODER = HashingEmbedder()


def at(day: str) -> float:
    return datetime.fromisoformat(f"{day}T18:00:00+00:00").timestamp()


NOW = at("2026-02-01")


@dataclass(frozen=True)
class Lived:
    """A life that was heard and read."""

    beliefs: Beliefs
    names: dict[int, str]
    language: str

    async def ask(self, text: str, *, calendar: bool) -> Recollection:
        segment_index = self.beliefs.segment_index
        legs = [
            MemoryText(segment_index),
            MemoryVectors(segment_index),
            MemoryGraph(self.beliefs),
            MemoryHot(self.beliefs),
        ]
        legs += [MemoryCalendar(self.beliefs)] if calendar else []
        question = Question(text, View(USER), NOW, limit=50, cut="none")
        asked, traits_of = at_hand(ENCODER.ask(text)), MemoryTraits(segment_index, self.beliefs)
        return await recall(question, legs, traits_of, asked, PATIENT, RecallContext((self.language,)))

    def found(self, about: About, *, calendar: bool) -> float:
        """The share of what answers that is among the first five."""
        keys = asyncio.run(self.ask(about.text, calendar=calendar)).keys.tolist()[:5]
        return sum(self.names[key] in about.gold for key in keys) / min(5, len(about.gold))


async def lived(lines: Sequence[Said], language: str) -> Lived:
    living, names = Living(Parts(ENCODER, RuleExtractor(), Rules(), PATIENT), at(lines[0].day)), dict[int, str]()
    await living.begin(Profile(lines[0].speaker, time_zone="UTC", languages=(language,)))
    for day, talk in groupby(lines, key=lambda line: line.day):
        said = list(talk)
        segments = tuple(segment(number, line.speaker, line.text) for number, line in enumerate(said))
        source = Source(day, scope(), "conversation", at(day), participants=(said[0].speaker,), segments=segments)
        living.clock.at = at(day) + 60
        await living.hear(source)
        names |= {source.key_of(each): line.name for each, line in zip(segments, said, strict=True)}
    return Lived(living.beliefs, names, language)


@pytest.fixture(scope="module")
def lives() -> dict[str, Lived]:
    return {"en": asyncio.run(lived(ENGLISH, "en")), "de": asyncio.run(lived(GERMAN, "de"))}


@pytest.mark.parametrize("questions", [WRITTEN_FIRST, WRITTEN_LATER], ids=["written first", "written later"])
def test_what_happened_at_the_time_of_an_event_is_found(lives: dict[str, Lived], questions: tuple[About, ...]):
    for language, least in (("en", 0.8), ("de", 0.8)):
        asked = [about for about in questions if about.life == language]
        gained = sum(lives[language].found(about, calendar=True) for about in asked) / len(asked)
        without = sum(lives[language].found(about, calendar=False) for about in asked) / len(asked)
        assert gained >= least
        assert gained > without + 0.1


@pytest.mark.parametrize("text", NOT_BY_EVENT)
async def test_any_other_question_is_answered_to_the_bit_as_without_a_calendar(lives: dict[str, Lived], text: str):
    mine, plain = await lives["en"].ask(text, calendar=True), await lives["en"].ask(text, calendar=False)
    assert mine.keys.tolist() == plain.keys.tolist()
    assert mine.scores.tobytes() == plain.scores.tobytes()
    rest = [each.name for each in fields(mine) if each.name not in ("keys", "scores", "beyond")]
    assert [getattr(mine, name) for name in rest] == [getattr(plain, name) for name in rest]
