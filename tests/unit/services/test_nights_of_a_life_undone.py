"""Every night of a life is taken back to the byte, and finds the same when it is run again.

The nights are those of the product, with all of their parts, over the adapters in memory. Excepted are the stamps that
every commit gives anew: the number of the working set, and the number and the instant of the version of a fact. Where a
language model writes, the facts it made are excepted, too: taken back they stay as forgotten ones (decision 0009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.extraction.rules import RuleExtractor
from bench.life import Invented, LifeSource, invented
from bench.living import HOUR, USER, Living, Parts, scope, segment
from bench.story import story
from config.settings import load
from memory.model import commands as c
from memory.model.changes import key_of
from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.ids import command_id
from memory.model.plain import plain
from memory.model.profile import Profile
from memory.model.prompts import Prompt
from memory.model.sources import Source
from memory.rules.decider import Rules
from memory.rules.parameters import Life, Lifecycle, Storylines
from memory.services.night import instant_of
from memory.services.recall import RecallSettings
from memory.services.undoing_nights import NightCommands, undo_night

ZONE, START, OWNER = "Asia/Kolkata", date(2026, 1, 5), "Rajesh"
MOST_STEPS = {"CloseNight", "ArrangeGroups", "DescribeEntities", "LinkCauses", "MergeFacts"}
"""What nights without a language model commit."""


class Undoable(Living):
    """A life whose nights can be taken back and run again: what is committed then has ids of its own."""

    def __init__(self, parts: Parts, began: float) -> None:
        super().__init__(parts, began)
        self._run, self._told = 0, list[str]()

    async def sleep(self, night: date) -> dict[str, Any]:
        """A night as if it had not been run; its report, without the number of the working set."""
        self._run, self._told = self._run + 1, []
        self.nights.kept.pop(night, None)
        report = await super().sleep(night)
        del report["version"]
        return report

    async def carry_out(self, user_id: str, command: c.Command) -> None:
        """One turn of this run of a night."""
        own = replace(command, command_id=command_id(f"run-{self._run}", command.command_id))
        self._told.append(own.command_id)
        await super().carry_out(user_id, own)

    async def commands(self, user_id: str, night: date) -> NightCommands:
        """What this run changed, in its order."""
        done = [await self.journal.committed(user_id, each) for each in self._told]
        return NightCommands(True, tuple(each.command_id for each in done if each is not None and each.changes))

    async def undone(self, user_id: str, night: date) -> None:
        """The night is run again."""

    async def kinds(self) -> Counter[str]:
        """The kinds of what this run changed."""
        done = [await self.journal.committed(USER, each) for each in self._told]
        return Counter(each.kind for each in done if each is not None and each.changes)

    def serialised(self, *, but: frozenset[str] = frozenset(), digits: int | None = None) -> bytes:
        """The working set and the states of its sources, without stamps, and without the facts of these ids.

        `digits` rounds when facts were judged: no two commits are of one instant, so a second run is later by a hair.
        """
        believed = self.believed
        facts = {key: _unstamped(fact, digits) for key, fact in believed.facts.items() if key not in but}
        links = sorted(believed.links, key=key_of)
        others = (each.name for each in fields(believed) if each.compare)  # the trail is of the process alone
        rest = [name for name in others if name not in ("version", "facts", "links")]
        told = {name: _without(getattr(believed, name), but) for name in rest}
        states = {each["ids"]: each["state"] for each in self._source_rows()}
        return orjson.dumps([plain(facts), plain(links), told, states], option=orjson.OPT_SORT_KEYS)


def _unstamped(fact: Fact, digits: int | None) -> Fact:
    since = fact.since if digits is None else round(fact.since, digits)
    return replace(fact, version=0, system_from=0.0, updated_at=since)


def _without(table: Any, ids: frozenset[str]) -> Any:
    """A table without these ids: by them, and in the lists that name them."""
    if not ids or not isinstance(table, Mapping):
        return plain(table)
    kept = {key: _left(row, ids) for key, row in table.items() if key not in ids}
    return plain({key: row for key, row in kept.items() if row != ()})


def _left(row: Any, ids: frozenset[str]) -> Any:
    return tuple(each for each in row if each not in ids) if isinstance(row, tuple) else row


class Saying:
    """A language model that says the same of everything, as far as it may."""

    name = "saying"

    async def complete(self, prompt: Prompt) -> str:
        """A sentence that names nobody."""
        return "That happens again and again [1][2]."

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same at once."""
        yield await self.complete(prompt)


# ------------------------------------------------------------------------------------------------------------ lives


def full_life() -> Invented:
    """Seventy days with something for every step: visits, long talks, reasons, what is said twice, what passes."""
    everyday = (
        "I met Maria in the park.",
        "I called Maria today.",
        "Maria is learning the guitar.",
        "I visited the museum with Maria.",
        "I cooked dinner for Maria.",
    )
    visits = [
        LifeSource(f"visit-{began + day}", began + day, 18, ((OWNER, everyday[day % 5]), ("Maria", "Lovely!")))
        for began in (1, 38)
        for day in range(10)
    ]
    once = (
        (2, "The doctor found a gluten intolerance, so I stopped eating bread."),
        (4, "My sister Kavita plays the violin."),
        (5, "Kavita plays the violin every day."),
        (6, "I was often tired. That is why I gave up coffee."),
        (20, "I really love green tea."),
        (21, "I love green tea."),
        (33, "I moved to Madrid."),
    )
    said = [LifeSource(f"told-{day}", day, 9, ((OWNER, text), ("Maria", "Really?"))) for day, text in once]
    boat = (
        (OWNER, "The harbour office wants the mooring fee for the boat in March."),
        ("Dev", "I paid the mooring fee for the boat at the harbour office in April."),
        (OWNER, "We could sell the old boat and buy a smaller one next summer."),
        ("Dev", "My brother repaired the engine of the boat for nothing."),
        (OWNER, "The sails of the boat were torn by a storm last autumn."),
    )
    talks = [LifeSource(f"boat-{day}", day, 12, boat[: 4 + place]) for place, day in enumerate((3, 30))]
    memo = LifeSource("memo", 0, 8, ((OWNER, "I live in Berlin."),), "ephemeral")
    ordered = sorted((*visits, *said, *talks, memo), key=lambda each: (each.day, each.hour, each.id))
    return Invented(OWNER, ZONE, START, 70, tuple(ordered), (), ())


@dataclass(frozen=True)
class Course:
    """A life, and how it went: kinds of what its nights changed, and the kinds of groups that there were."""

    kinds: Counter[str]
    groups: frozenset[str]
    nights: int


async def lived(life: Invented, parts: Parts, *, again: bool = True) -> Course:
    """Live it. After each night that changed something take it back, compare, and run it again, or else keep it so."""
    living = Undoable(parts, instant_of(life.start, life.zone, HOUR))
    await living.begin(Profile(life.owner, time_zone=life.zone))
    kinds, groups, nights = Counter[str](), set[str](), 0
    for day in range(life.days + 1):
        for talk in (each for each in life.talks if each.day == day):
            await _hear(living, life, talk)
        await _look(living, day)
        night = life.start + timedelta(day + 1)
        living.clock.at = instant_of(night, life.zone, HOUR)
        before, known = living.serialised(), living.believed.facts.keys()
        report = await living.sleep(night)
        fresh, after = await living.kinds(), living.serialised(digits=0)
        groups |= {each.kind for each in living.believed.groups.values()}
        if fresh:
            kinds, nights = kinds + fresh, nights + 1
            undone = await undo_night(USER, night, f"key-{day}", living, living)
            assert undone.skipped == ()
            made = living.believed.facts.keys() - known
            assert all(living.believed.facts[each].status == "forgotten" for each in made)
            assert living.serialised(but=frozenset(made)) == before, f"the night of day {day}"
            told = await living.sleep(night)
            assert not again or (told, living.serialised(digits=0)) == (report, after), (
                f"the night of day {day}, run again"
            )
    return Course(kinds, frozenset(groups), nights)


async def _hear(living: Living, life: Invented, talk: LifeSource) -> None:
    began = instant_of(life.start + timedelta(talk.day), life.zone, HOUR) + 3600.0 * (talk.hour - HOUR)
    source = Source(
        talk.id,
        scope(),
        "conversation",
        began,
        participants=tuple(sorted({who for who, _ in talk.lines})),
        ttl_policy=talk.ttl_policy,
        segments=tuple(segment(number, who, text) for number, (who, text) in enumerate(talk.lines)),
    )
    living.clock.at = source.time_of(source.segments[-1]) + 60.0
    await living.hear(source)


async def _look(living: Living, day: int) -> None:
    """Ask now and then, so that somebody was looked at; leave a note for a week; and state the same twice."""
    if day % 7 == 5:
        living.clock.at += 3600.0
        await living.ask("What did I do with Maria?")
    about = sorted(each.entity_id for each in living.believed.entities.values() if each.merged_into is None)
    if day % 10 == 6 and about:
        note = c.WriteNote(command_id=f"note-{day}", about_id=about[0], text="Call back.", lifetime="week")
        await living.turn(USER, note, {})
    if day == 15:
        await _state_twice(living)


async def _state_twice(living: Living) -> None:
    """Two facts that say the same, and get their vectors later: a turn that had them would have taken both for one."""
    said = tuple(Claim("Maya", f"Maya {words}", 0, words) for words in ("keeps bees", "has bees"))
    await living.turn(USER, c.Remember(command_id="bees", claims=said), {})
    alike = [key for key, fact in living.believed.facts.items() if fact.statement.endswith("bees")]
    vector = PARTS.embedder.embed(["Maya keeps bees"])[0]
    living.journal.vectors.setdefault(USER, {}).update(dict.fromkeys(alike, vector))


PARTS = Parts(HashingEmbedder(), RuleExtractor(), Rules(), RecallSettings())
SHORT_SILENCE = Life(storylines=Storylines(silent_days=20.0))


async def test_every_night_of_a_full_life_is_taken_back_and_finds_the_same_again() -> None:
    course = await lived(full_life(), replace(PARTS, rules=Rules(life=SHORT_SILENCE)))
    assert course.kinds.keys() == MOST_STEPS
    assert course.groups == {"storyline", "community", "summary", "consolidation"}


async def test_a_model_s_words_are_taken_back_and_of_its_insights_only_forgotten_facts_are_left() -> None:
    rules = Rules(life=SHORT_SILENCE)
    course = await lived(full_life(), replace(PARTS, rules=rules, model=Saying()), again=False)
    assert course.kinds.keys() >= {"Synthesize", "ArrangeGroups", "DescribeEntities"}


@pytest.mark.parametrize("preset", ["annie", "cosmo", "personal-ai", "graph-memory"])
async def test_every_night_of_an_invented_life_is_taken_back_by_any_preset(preset: str, tmp_path: Path) -> None:
    rules = replace(Rules(), life=load(tmp_path, {"preset": preset}, {}).life)
    course = await lived(invented(story(), 7, 40), replace(PARTS, rules=rules))
    assert course.nights > 10


async def test_nights_that_prune_are_taken_back() -> None:
    numbers = replace(SHORT_SILENCE, lifecycle=Lifecycle(archive_below=0.0, floor=0.0, prunes=True))
    course = await lived(full_life(), replace(PARTS, rules=Rules(life=numbers)))
    assert course.nights > 10
