"""A night writes storylines as commands, which change nothing when it is run again and are undone with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from adapters.inmemory.nights import InMemoryNights, InMemoryNightWords
from adapters.inmemory.storylines import InMemoryStorylineReads
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.entities import Mention
from memory.model.scopes import Sensitivity
from memory.model.working_set import evolve
from memory.rules.decider import Rules, decide
from memory.rules.night_steps import MOST_ROWS
from memory.services.night import NightParts, commands_of, run_night
from memory.services.undoing_nights import undo_night
from tests.fakes.nights import FrailRunner, NightLog
from tests.unit.language.test_answer import ScriptedModel
from tests.unit.rules.lives_of_ties import MAY, entities, memory

DAY = 86_400.0
FIRST = datetime.fromtimestamp(MAY, UTC).date()
SUNDAY = next(FIRST + timedelta(days=ahead) for ahead in range(7) if (FIRST + timedelta(days=ahead)).weekday() == 6)


class Dreamer:
    """A memory of some people and what is told of them, with its nights."""

    def __init__(self, people: str = "ab") -> None:
        self.believed = memory(entities(people, state="active"))
        self.texts: dict[int, tuple[str, str]] = {}
        self.now = MAY
        self.told: Mapping[str, Any] = {}
        """The report of the last night."""
        self.nights = InMemoryNights(lambda: self.believed)
        self.mind = FrailRunner(self.commit)
        reads = InMemoryStorylineReads(lambda: self.believed, texts=lambda: self.texts)
        words = InMemoryNightWords(lambda: self.believed)
        self.parts = NightParts(Rules().life, self.nights, self.mind, words, storylines=reads)

    def commit(self, command: c.Command) -> ChangeSet:
        changes = decide(self.believed, command, self.now, Rules())
        self.believed = evolve(self.believed, changes.changes)
        return changes

    def tell(self, who: str, *days: float, level: int = 0) -> None:
        for day in days:
            key = len(self.texts)
            row = Mention(who, f"s{key:04}", key, MAY + day * DAY, who, 1.0, Sensitivity(level))
            told = {**self.believed.mentions, who: {**self.believed.mentions.get(who, {}), key: row}}
            kept = (*self.believed.entities.values(), *self.believed.groups.values(), *self.believed.accesses.values())
            self.believed = memory(*kept, [each for rows in told.values() for each in rows.values()])
            self.texts[key] = ("Maya", f"{who} sails on day {day}.")

    async def sleep(self, night: date) -> Mapping[str, Any]:
        self.told = await run_night("u", night, "UTC", self.parts)
        return dict(self.told["storylines"])


def after(days: float) -> date:
    return FIRST + timedelta(days=days)


@pytest.mark.conforms("002:storylines", "002:storylines.refresh")
async def test_a_night_writes_storylines_and_tells_of_them() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", 0, 1, 2, 3, 4)
    dreamer.tell("b", 0, 1)
    told = await dreamer.sleep(after(10))
    [group] = dreamer.believed.groups.values()
    assert (group.kind, group.anchor_id, group.sources, group.dirty) == ("storyline", "a", 5, False)
    assert (group.summary or "").splitlines()[:2] == ["Extractive summary.", 'Maya: "a sails on day 0." [1]']
    assert {name: told[name] for name in ("standing", "open", "opened", "attached", "summed_up", "by")} == {
        "standing": 1,
        "open": 1,
        "opened": [group.group_id],
        "attached": 0,
        "summed_up": 1,
        "by": "extractive",
    }


@pytest.mark.conforms("002:storylines.refresh")
async def test_the_same_night_and_one_without_news_change_nothing() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", 0, 1, 2, 3, 4)
    first = await dreamer.sleep(after(10))
    before = dreamer.believed
    assert await dreamer.sleep(after(10)) == first
    told = await dreamer.sleep(after(11))
    assert dreamer.believed.groups == before.groups
    assert (told["opened"], told["summed_up"], told["standing"]) == ([], 0, 1)
    assert dreamer.nights.kept[after(11)].commands["storylines"] == ()


@pytest.mark.conforms("002:storylines.closing", "model:reopening", "002:storylines.refresh")
async def test_what_joins_closes_and_opens_again_is_told() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", 0, 1, 2, 3, 4)
    await dreamer.sleep(after(10))
    [identity] = dreamer.believed.groups
    dreamer.tell("a", 20)
    assert (await dreamer.sleep(after(21)))["attached"] == 1
    closed = await dreamer.sleep(after(120))
    assert (closed["closed"], closed["open"]) == ([identity], 0)
    dreamer.tell("a", 100)
    assert (await dreamer.sleep(after(121)))["reopened"] == [identity]
    dreamer.believed = memory(entities("ab"), *dreamer.believed.groups.values())
    assert (await dreamer.sleep(after(122)))["withdrawn"] == [identity]
    assert dreamer.believed.groups == {}


@pytest.mark.conforms("002:macros.promotion", "002:storylines.refresh")
async def test_on_sundays_there_are_macros() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", *(each - 300 for each in (0, 1, 2, 3, 4, 200, 201, 202, 203, 204)))
    told = await dreamer.sleep(SUNDAY - timedelta(days=1))
    assert (len(told["opened"]), told["macros"]) == (2, 0)
    told = await dreamer.sleep(SUNDAY)
    [macro] = [each for each in dreamer.believed.groups.values() if each.kind == "macro"]
    assert (told["macros_opened"], told["macros"]) == ([macro.group_id], 1)
    assert (macro.sources, len(macro.members), macro.quotes) == (10, 2, (4, 9))


async def test_a_night_that_dies_goes_on_and_is_undone_to_what_was() -> None:
    dreamer = Dreamer("abcdef")
    for who in "abcdef":
        dreamer.tell(who, *range(120))
    before = dreamer.believed
    dreamer.mind.dies_at = c.ArrangeGroups
    with pytest.raises(JournalUnavailable):
        await dreamer.sleep(after(130))
    assert 0 < len(dreamer.believed.groups) < 6
    dreamer.mind.dies_at = None
    await dreamer.sleep(after(130))
    assert len(dreamer.believed.groups) == 6
    undone = await undo_night("u", after(130), "key", NightLog(dreamer.nights, dreamer.mind), dreamer.mind)
    assert undone.skipped == ()
    assert dreamer.believed.groups == before.groups == {}


async def test_a_commit_has_at_most_so_many_rows() -> None:
    dreamer, kept = Dreamer("abcdefgh"), []
    for who in "abcdefgh":
        dreamer.tell(who, *range(120))
    keep = dreamer.nights.keep

    async def watched(*given: Any) -> Any:
        kept.append(await keep(*given))
        return kept[-1]

    dreamer.nights.keep = watched  # type: ignore[method-assign]
    await dreamer.sleep(after(130))
    commands = [each for each in commands_of(kept[-1]) if isinstance(each, c.ArrangeGroups)]
    assert len(commands) == 2
    for each in commands:
        assert sum(1 + len(one.group.members) for one in each.arranged) <= MOST_ROWS


async def test_a_model_writes_and_is_named() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", 0, 1, 2, 3, 4)
    dreamer.parts = NightParts(
        dreamer.parts.life,
        dreamer.nights,
        dreamer.mind,
        dreamer.parts.words,
        ScriptedModel("a sails a lot [1][5]."),
        storylines=dreamer.parts.storylines,
    )
    told = await dreamer.sleep(after(10))
    [group] = dreamer.believed.groups.values()
    assert (group.summary, group.quotes) == ("Generated summary.\na sails a lot. [1][2]", (0, 4))
    assert (told["by"], told["model_failed"]) == ("scripted", False)
    assert told["support"] == {"asked": 1, "sentences": 1, "supported": 1, "support_rate": 1.0}


async def test_where_nothing_can_be_read_there_are_none() -> None:
    dreamer = Dreamer()
    dreamer.tell("a", 0, 1, 2, 3, 4)
    dreamer.parts = NightParts(dreamer.parts.life, dreamer.nights, dreamer.mind, dreamer.parts.words)
    assert await dreamer.sleep(after(10)) == {}
