"""A night finds storylines, sums them up out of what was said, and on Sundays the macros that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from adapters.inmemory.storylines import InMemoryStorylineReads
from memory.model.entities import Mention
from memory.model.facts import Evidence
from memory.model.scopes import Sensitivity
from memory.model.storylines import Macro, Storyline
from memory.ports import LanguageModel
from memory.rules.parameters import Storylines
from memory.services.storylines import (
    Standing,
    StorylineNight,
    StorylinesFound,
    SummaryWriter,
    find_storylines,
    group_of,
    standing_of,
)
from memory.services.summing_up import Summary, SummaryLine
from tests.unit.language.test_answer import ScriptedModel
from tests.unit.rules.lives_of_ties import MAY, entities, fact, memory

DAY = 86_400.0
RULES = Storylines()


@dataclass
class Life:
    """Who is told of on which days, each in a source of its own, and what stands of it."""

    people: str = "ab"
    mentions: list[Mention] = field(default_factory=list)
    texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    others: list[object] = field(default_factory=list)
    standing: Standing = field(default_factory=Standing)

    def tell(self, who: str, *days: float, level: int = 0, text: str = "{who} sails on day {day}.") -> None:
        for day in days:
            key = len(self.mentions)
            self.mentions.append(Mention(who, f"s{key:03}", key, MAY + day * DAY, who, 1.0, Sensitivity(level)))
            self.texts[key] = ("Maya", text.format(who=who, day=day))

    async def sleep(
        self, day: float, *, sunday: bool = False, model: LanguageModel | None = None, rules: Storylines = RULES
    ) -> dict[Sensitivity, StorylinesFound]:
        """A night, after which stands what it found."""
        believed = memory(entities(self.people, state="active"), self.mentions, self.others)
        reads = InMemoryStorylineReads(lambda: believed, texts=lambda: self.texts)
        night = StorylineNight("u", MAY + day * DAY, sunday, reads, SummaryWriter(model), rules)
        found = await find_storylines(night, self.standing)
        self.standing = _after(found, self.standing.summaries)
        return {each.level: each for each in found}

    def told(self, identity: str) -> list[str]:
        return [each.text for each in self.standing.summaries[identity].lines]


def _after(found: Sequence[StorylinesFound], summaries: Mapping[str, object]) -> Standing:
    lines = [each.as_written(line) for each in found for line in each.storylines.standing]
    macros = [each.macro_as_written(macro) for each in found for macro in each.macros.standing]
    known = {**summaries, **{key: summary for each in found for key, summary in each.summaries.items()}}
    return Standing(tuple(lines), tuple(macros), known)  # type: ignore[arg-type]


@pytest.mark.conforms("002:storylines.refresh")
async def test_a_storyline_is_summed_up_in_words_that_were_said() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    life.tell("b", 0, 1)
    [found] = (await life.sleep(10)).values()
    [line] = life.standing.storylines
    assert (line.anchor_id, line.dirty, line.quotes) == ("a", False, (0, 1, 4))
    assert life.told(line.storyline_id) == [f'Maya: "a sails on day {day}."' for day in (0, 1, 4)]
    assert found.summaries[line.storyline_id].generated is False


@pytest.mark.conforms("002:storylines.refresh")
async def test_the_same_night_again_changes_nothing() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4, 200, 201, 202, 203, 204)
    await life.sleep(210, sunday=True)
    before = life.standing
    [found] = (await life.sleep(210, sunday=True)).values()
    assert found.summaries == {}
    assert (found.storylines.changed, found.storylines.opened, found.macros.changed, found.macros.opened) == ((),) * 4
    assert life.standing == before


@pytest.mark.conforms("002:storylines.refresh")
async def test_only_the_last_ten_sources_are_summed_up() -> None:
    life = Life()
    life.tell("a", *range(15))
    await life.sleep(20)
    assert life.standing.storylines[0].quotes == (5, 6, 14)


@pytest.mark.conforms("002:storylines.refresh")
async def test_what_comes_is_summed_up_and_what_has_long_been_silent_is_not() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    await life.sleep(10)
    life.tell("a", 30, text="a has sold the boat.")
    [found] = (await life.sleep(31)).values()
    assert life.told(life.standing.storylines[0].storyline_id)[-1] == 'Maya: "a has sold the boat."'
    life.tell("a", 25, text="a wants to sell the boat.")
    [found] = (await life.sleep(200)).values()
    assert (len(found.storylines.changed), found.summaries, life.standing.storylines[0].dirty) == (1, {}, True)


@pytest.mark.conforms("002:storylines.refresh")
async def test_a_storyline_that_is_closed_already_is_summed_up_once() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    await life.sleep(300)
    [line] = life.standing.storylines
    assert (line.closed_at, line.dirty) == (MAY + 94 * DAY, False)
    assert life.told(line.storyline_id)


async def test_what_nobody_can_tell_of_is_not_tried_again() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4, text="Is {who} well?")
    await life.sleep(10)
    assert [(each.dirty, each.quotes) for each in life.standing.storylines] == [(False, ())]
    [found] = (await life.sleep(11)).values()
    assert found.summaries == {}


async def test_what_was_forgotten_is_not_told() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    life.others = [fact("f", "a", None, status="forgotten"), Evidence("f", "s004", 4, "a sails on day 4.", MAY)]
    await life.sleep(10)
    assert life.standing.storylines[0].quotes == (0, 1, 3)


@pytest.mark.conforms("002:macros.promotion", "002:macros.refresh")
async def test_macros_come_on_sundays_and_tell_how_each_storyline_stood_last() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4, 200, 201, 202, 203, 204)
    await life.sleep(210)
    assert life.standing.macros == ()
    await life.sleep(211, sunday=True)
    [macro] = life.standing.macros
    assert (macro.anchor_id, macro.sources, macro.dirty, macro.quotes) == ("a", 10, False, (4, 9))
    assert life.told(macro.macro_id) == ['Maya: "a sails on day 4."', 'Maya: "a sails on day 204."']
    life.tell("a", 206, text="a is ashore.")
    await life.sleep(212)
    assert life.standing.macros == (macro,), "it waits for Sunday"
    await life.sleep(218, sunday=True)
    assert life.told(macro.macro_id)[-1] == 'Maya: "a is ashore."'


@pytest.mark.conforms("002:storylines.refresh")
async def test_each_level_has_its_own_and_no_summary_tells_of_what_is_above() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    life.tell("a", 5, level=1, text="a is ill.")
    found = await life.sleep(10)
    assert set(found) == {Sensitivity.OPEN, Sensitivity.PRIVATE}
    by_level = {each.level: life.told(each.storyline_id) for each in life.standing.storylines}
    assert by_level[Sensitivity.PRIVATE][-1] == 'Maya: "a is ill."'
    assert not any("ill" in each for each in by_level[Sensitivity.OPEN])


@pytest.mark.conforms("002:storylines.refresh")
async def test_a_level_that_nothing_is_told_of_any_more_is_emptied() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4, level=1)
    await life.sleep(10)
    [line] = life.standing.storylines
    life.mentions.clear()
    found = await life.sleep(11)
    assert found[Sensitivity.PRIVATE].storylines.withdrawn == (line.storyline_id,)


@pytest.mark.conforms("002:storylines.refresh")
async def test_a_model_sums_up_what_its_lines_support() -> None:
    life = Life()
    life.tell("a", 0, 1, 2, 3, 4)
    await life.sleep(10, model=ScriptedModel("a sails a lot [1][5]. a has moved to Kiel [2]."))
    [summary] = life.standing.summaries.values()
    assert (summary.generated, summary.lines) == (True, (SummaryLine("a sails a lot.", (0, 4)),))


@pytest.mark.conforms("002:storylines.refresh")
async def test_a_model_that_fails_is_asked_no_more_and_everything_is_quoted() -> None:
    life, model = Life(people="abcdefg"), ScriptedModel(None)
    for who in life.people:
        life.tell(who, 0, 1, 2, 3, 4)
    await life.sleep(10, model=model)
    assert len(model.prompts) == 3
    assert [each.generated for each in life.standing.summaries.values()] == [False] * 7


@pytest.mark.parametrize(("most", "left"), [(1, 1), (2, 0)])
async def test_what_a_night_does_not_write_waits_for_the_next(most: int, left: int) -> None:
    life, rules = Life(), replace(RULES, refreshed=most)
    life.tell("a", 0, 1, 2, 3, 4)
    life.tell("b", 0, 1, 2, 3, 4)
    await life.sleep(10, rules=rules)
    assert sum(each.dirty for each in life.standing.storylines) == left
    await life.sleep(11, rules=rules)
    assert not any(each.dirty for each in life.standing.storylines)


@pytest.mark.conforms("002:storylines.refresh", "002:macros.refresh")
def test_a_row_keeps_its_summary_until_another_is_written_and_is_read_as_it_was() -> None:
    line = Storyline("s-1", "a", Sensitivity.OPEN, MAY, ("s1", "s2"), MAY, MAY + DAY, MAY + 91 * DAY, False, (1,))
    macro = Macro("m-1", "a", Sensitivity.OPEN, MAY, ("s-1",), 2, MAY, MAY + DAY, True, (1,))
    first, second = (Summary((SummaryLine(text, (1,)),)) for text in ("He sails.", "He swims."))
    for each in (line, macro):
        row = group_of(each, None, first)
        assert row.summary == "Extractive summary.\nHe sails. [1]"
        assert group_of(each, row, None).summary == row.summary
        assert group_of(each, row, second).summary == "Extractive summary.\nHe swims. [1]"
        assert (group_of(each, None, None).summary, group_of(each, row, Summary()).summary) == (None, None)
    rows = [group_of(line, None, first), group_of(macro, None, second)]
    assert standing_of(rows) == Standing([line], [macro], {"s-1": first, "m-1": second})
    for gone in ({"first_at": None}, {"last_at": None}, {"anchor_id": None}):
        assert standing_of([replace(each, summary=None, **gone) for each in rows]) == Standing([], [], {})  # type: ignore[arg-type]


@pytest.mark.conforms("002:macros.refresh")
async def test_a_model_is_told_whom_a_macro_is_about() -> None:
    life, model = Life(), ScriptedModel("a sails [1].")
    life.tell("a", 0, 1, 2, 3, 4, 200, 201, 202, 203, 204)
    await life.sleep(210, model=model)
    model.prompts.clear()
    await life.sleep(211, sunday=True, model=model)
    assert [text.splitlines()[0] for _, text in model.prompts] == ["About: a"]
