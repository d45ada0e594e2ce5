"""The second phase of a night: what its steps may read, that they fail alone, and that a night can die anywhere."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memory.rules.night_steps as night_steps
import memory.services.night_words as night_words
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.timeline import Instant
from memory.rules.describing import Surroundings
from memory.rules.night_steps import StepResult
from memory.services.night import instant_of, run_night
from memory.services.night_words import MOST_FAILURES, NightWords, WordSight, WordStep, descriptions, instructions
from tests.unit.language.test_answer import ScriptedModel
from tests.unit.rules.memory_in_miniature import DAY, Memory, says
from tests.unit.rules.test_describing import BEES, CELLO, SEA, elena, told
from tests.unit.rules.test_night import FIRST, HISTORIES, SEEDS, Lived, lived_through

NIGHT = 1001
"""A night after memories in miniature are told, within a week."""


def looked(*statements: str) -> Lived:
    """A memory that somebody has looked into in the week before that night."""
    memory = told(*(statements or (BEES, CELLO)))
    memory.turn(c.RecordAccess(command_id="look", actor="access", accessed=((elena(memory).entity_id, 1),)))
    return Lived(memory)


def people(count: int) -> Memory:
    """So many people who paint, all of them looked at."""
    memory = Memory()
    for number in range(count):
        claim = says(f"Person {number} paints", 0, subject=f"Person {number}")
        memory.turn(c.Remember(command_id=f"told-{number}", claims=(claim,)))
    others = [each.entity_id for each in memory.believed.entities.values() if not each.is_owner]
    memory.turn(c.RecordAccess(command_id="look", actor="access", accessed=tuple((each, 1) for each in others)))
    return memory


async def sleep(lived: Lived, number: int = NIGHT, **rest: Any) -> dict[str, Any]:
    parts = replace(lived.parts, **rest)
    return await run_night("u", FIRST + timedelta(days=number), "UTC", parts)


def bears(lived: Lived) -> str | None:
    return elena(lived.memory).description


@pytest.mark.conforms("002:descriptions.consolidated")
async def test_what_somebody_looked_at_is_described_from_what_is_known_of_it() -> None:
    lived = looked()
    report = (await sleep(lived))["descriptions"]
    assert bears(lived) == f'Quoted: "{CELLO}"; "{BEES}"', "the more important first"
    who = elena(lived.memory).entity_id
    assert report == {
        "looked_at": 1,
        "written": [who],
        "withdrawn": [],
        "unchanged": 0,
        "more": False,
        "by": "extractive",
        "model_failed": False,
    }


@pytest.mark.conforms("002:descriptions.consolidated")
@pytest.mark.parametrize(("days", "written"), [(6.9, True), (7.1, False)])
async def test_only_what_was_looked_at_in_the_last_seven_days_is_written(days: float, written: bool) -> None:
    memory = told(BEES)
    lived = Lived(memory)
    memory.now = instant_of(FIRST + timedelta(days=NIGHT), "UTC", 3) - days * DAY - 1
    memory.turn(c.RecordAccess(command_id="look", actor="access", accessed=((elena(memory).entity_id, 1),)))
    await sleep(lived)
    assert (bears(lived) is not None) is written


@pytest.mark.conforms("002:descriptions.consolidated")
async def test_what_rests_on_the_same_facts_is_not_written_again() -> None:
    lived = looked()
    await sleep(lived)
    before = lived.memory.believed
    report = (await sleep(lived, NIGHT + 1))["descriptions"]
    assert (report["written"], report["unchanged"]) == ([], 1)
    assert lived.memory.believed.entities == before.entities


async def test_what_has_changed_since_is_written_anew() -> None:
    lived = looked(BEES, CELLO, SEA)
    await sleep(lived)
    lived.memory.turn(c.ForgetFact(command_id="forget", fact_id=lived.memory.fact(CELLO).fact_id))
    assert bears(lived) is None, "at once, not only at night"
    report = (await sleep(lived, NIGHT + 1))["descriptions"]
    assert report["written"] == [elena(lived.memory).entity_id]
    assert bears(lived) == f'Quoted: "{SEA}"; "{BEES}"'


async def test_a_model_puts_it_into_words_and_what_was_only_quoted_is_written_anew() -> None:
    lived = looked()
    await sleep(lived)
    model = ScriptedModel("Elena keeps bees and  plays.\n")
    report = (await sleep(lived, NIGHT + 1, model=model))["descriptions"]
    assert bears(lived) == "Elena keeps bees and plays."
    assert (report["by"], report["model_failed"]) == ("scripted", False)
    system, prompt = model.prompts[0]
    assert system == instructions()
    assert all(part in prompt for part in ("About: Elena", f"- {BEES}", f"- {CELLO}"))
    await sleep(lived, NIGHT + 2, model=model)
    assert len(model.prompts) == 1, "the facts are the same, so it is not asked again"


def note(lived: Lived, text: str, name: str = "note", **more: Any) -> str:
    """The owner notes something about Elena; the id of the note."""
    about = elena(lived.memory).entity_id
    lived.memory.turn(c.WriteNote(command_id=name, about_id=about, text=text, **more))
    return next(each.note_id for each in lived.memory.believed.notes.values() if each.text == text)


@pytest.mark.conforms("002:descriptions.consolidated")
async def test_a_note_of_the_owner_is_quoted_behind_the_facts_as_a_note() -> None:
    lived = looked(BEES)
    note(lived, "She moves to Kiel soon.")
    await sleep(lived)
    assert bears(lived) == f'Quoted: "{BEES}" Noted: "She moves to Kiel soon."'
    before = lived.memory.believed
    assert (await sleep(lived, NIGHT + 1))["descriptions"]["unchanged"] == 1
    assert lived.memory.believed.entities == before.entities
    model = ScriptedModel("Elena keeps bees.")
    await sleep(lived, NIGHT + 2, model=model)
    assert bears(lived) == 'Elena keeps bees. Noted: "She moves to Kiel soon."'
    assert "Kiel" not in model.prompts[0][1], "no model makes a fact of it"


@pytest.mark.parametrize("how", ["removed", "reworded", "expired"])
async def test_a_description_goes_with_a_note_that_it_quotes_and_is_written_anew(how: str) -> None:
    lived = looked(BEES)
    note_id = note(lived, "Fond of tea.", lifetime="week")
    await sleep(lived)
    if how != "expired":
        edit = c.EditNote(command_id="edit", note_id=note_id, text="" if how == "removed" else "Fond of coffee.")
        done = lived.memory.turn(edit)
        assert bears(lived) is None
        lived.memory.turn(c.Undo(command_id="undo", done=done))
        assert bears(lived) == f'Quoted: "{BEES}" Noted: "Fond of tea."'
        lived.memory.turn(replace(edit, command_id="again"))
    else:
        expiry = c.Crossing("note", note_id, "lifetime", "week", "expired")
        lived.memory.turn(
            c.CloseNight(command_id="n", actor="night", night="2026-01-01", step="notes", crossings=(expiry,))
        )
    assert bears(lived) is None
    await sleep(lived, NIGHT + 1)
    told = ' Noted: "Fond of coffee."' if how == "reworded" else ""
    assert bears(lived) == f'Quoted: "{BEES}"{told}'


async def test_only_the_latest_two_notes_of_the_owner_are_quoted_and_none_that_names_a_source() -> None:
    lived = looked(BEES)
    for number in range(3):
        lived.memory.now += 1.0
        note(lived, f"Note {number}.", f"note-{number}")
    note(lived, "Of a client.", "client", author="claude")
    note(lived, "Of a call.", "call", source_id="call")
    await sleep(lived)
    assert bears(lived) == f'Quoted: "{BEES}" Noted: "Note 2."; "Note 1."'


async def test_of_whom_nothing_but_a_note_is_known_the_note_is_told() -> None:
    lived = looked(BEES)
    lived.memory.turn(c.ForgetFact(command_id="forget", fact_id=lived.memory.fact(BEES).fact_id))
    note(lived, "Fond of tea.")
    await sleep(lived)
    assert bears(lived) == 'Noted: "Fond of tea."'


async def test_a_note_that_was_changed_while_the_night_went_on_is_not_quoted() -> None:
    lived = looked(BEES)
    note_id = note(lived, "Fond of tea.")
    who, fact_id = elena(lived.memory).entity_id, lived.memory.fact(BEES).fact_id
    lived.memory.turn(c.EditNote(command_id="edit", note_id=note_id, text="Fond of coffee."))
    late = c.Description(who, 'Noted: "Fond of tea."', (fact_id,), ((note_id, "Fond of tea."),))
    lived.memory.turn(c.DescribeEntities(command_id="late", actor="night", descriptions=(late,)))
    assert bears(lived) is None


@pytest.mark.parametrize(
    "reply", [None, "", "x" * 401, f"{'bees ' * 81}.", "no end", "Elena keeps 3 bees.", "Elena knows Tom."]
)
async def test_a_model_that_fails_costs_its_words_and_never_the_description(reply: str | None) -> None:
    lived = looked()
    report = (await sleep(lived, model=ScriptedModel(reply)))["descriptions"]
    assert bears(lived) == f'Quoted: "{CELLO}"; "{BEES}"'
    assert report["model_failed"] is False, "one failure is no reason to give it up"


async def test_a_model_that_fails_again_and_again_is_not_asked_for_the_rest_of_the_night() -> None:
    model = ScriptedModel(None)
    report = (await sleep(Lived(people(MOST_FAILURES + 2)), model=model))["descriptions"]
    assert len(model.prompts) == MOST_FAILURES
    assert (len(report["written"]), report["model_failed"]) == (MOST_FAILURES + 2, True)


async def test_a_sentence_that_no_fact_tells_is_left_out_of_a_description() -> None:
    lived = looked()
    await sleep(lived, model=ScriptedModel("Elena keeps bees. She sold 12 jars to Tom. She plays the cello."))
    assert bears(lived) == "Elena keeps bees. She plays the cello."


async def test_words_that_cannot_be_used_cost_their_entity_alone() -> None:
    """The model is there: it is asked for each of them, however many of its answers cannot be used."""
    model = ScriptedModel("Zoe swims.")
    report = (await sleep(Lived(people(MOST_FAILURES + 2)), model=model))["descriptions"]
    assert len(model.prompts) == MOST_FAILURES + 2
    assert report["model_failed"] is False


class Counting:
    """The words of a memory, counting how often something is read around entities."""

    def __init__(self, words: NightWords) -> None:
        self._words = words
        self.reads = 0

    async def looked_at(self, user_id: str, since: Instant, most: int) -> Sequence[str]:
        return await self._words.looked_at(user_id, since, most)

    async def around(self, user_id: str, entity_ids: Sequence[str], now: Instant) -> Surroundings:
        self.reads += 1
        return await self._words.around(user_id, entity_ids, now)


async def test_once_enough_is_written_nothing_more_is_read() -> None:
    lived = Lived(people(6))
    few = replace(lived.life, descriptions=replace(lived.life.descriptions, most=2))
    counting = Counting(lived.parts.words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_words, "LOOKED_AT_ONCE", 1)
        report = (await sleep(lived, life=few, words=counting))["descriptions"]
    assert (len(report["written"]), report["more"]) == (2, True)
    assert counting.reads == 3, "one more tells that there is more"


async def test_a_night_looks_through_so_many_and_no_more() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_words, "MOST_LOOKED_AT", 2)
        report = (await sleep(Lived(people(3))))["descriptions"]
    assert (report["looked_at"], len(report["written"])) == (2, 2)


async def test_no_more_are_written_than_the_settings_let_and_the_rest_comes_in_the_next_night() -> None:
    lived = Lived(people(3))
    few = replace(lived.life, descriptions=replace(lived.life.descriptions, most=2))
    first = (await sleep(lived, life=few))["descriptions"]
    assert (len(first["written"]), first["more"]) == (2, True)
    second = (await sleep(lived, NIGHT + 1, life=few))["descriptions"]
    assert (len(second["written"]), second["unchanged"], second["more"]) == (1, 2, False)


# ------------------------------------------------------------------------------------------------ steps that fail


async def broken(sight: WordSight) -> StepResult:
    raise KeyError("words of somebody")


async def refused(sight: WordSight) -> StepResult:
    """Gives a command that nobody can carry out."""
    return StepResult(
        (c.WriteNote(command_id=sight.of.identity("refused"), actor="night", about_id="e-nobody", text="so"),),
        {"notes": 1},
    )


async def away(sight: WordSight) -> StepResult:
    raise JournalUnavailable()


async def test_a_step_that_fails_is_its_own_failure_and_the_others_go_on() -> None:
    lived = looked()
    steps: Mapping[str, WordStep] = {"broken": broken, "refused": refused, "descriptions": descriptions}
    report = await sleep(lived, word_steps=steps)
    assert report["broken"] == {"failed": "KeyError"}, "its words are told to nobody"
    assert report["refused"] == {"failed": "not-found: There is no such entity or fact."}
    assert bears(lived) is not None
    assert lived.nights.kept[FIRST + timedelta(days=NIGHT)].done


async def test_a_night_whose_house_is_away_is_not_over_and_goes_on_later() -> None:
    lived = looked()
    with pytest.raises(JournalUnavailable):
        await sleep(lived, word_steps={"away": away, "descriptions": descriptions})
    assert not lived.nights.kept[FIRST + timedelta(days=NIGHT)].done
    assert bears(lived) is None
    await sleep(lived)
    assert bears(lived) is not None


async def test_what_a_step_gives_is_fixed_before_any_of_it_is_committed() -> None:
    """Killed between two commits and run again with another model, it writes what it had begun with."""
    lived = Lived(people(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_words, "MOST_DESCRIBED", 1)
        lived.mind.dies_at = c.DescribeEntities
        with pytest.raises(JournalUnavailable):
            await sleep(lived, model=ScriptedModel("Before."))
    lived.mind.dies_at = None
    report = await sleep(lived, model=ScriptedModel("After."))
    told_of = [each.description for each in lived.memory.believed.entities.values() if each.description]
    assert told_of == ["Before."] * 2
    assert len(report["descriptions"]["written"]) == 2
    assert lived.nights.ids[FIRST + timedelta(days=NIGHT)], "what it committed is known afterwards"


# ------------------------------------------------------------------------------------------------ killed anywhere


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 320), st.lists(st.integers(0, 4), max_size=5))
@settings(max_examples=60)
async def test_killed_anywhere_a_night_ends_as_if_it_had_not_been_with_all_it_writes(
    history: list[Any], preset: str, night: int, deaths: list[int]
) -> None:
    whole, frail = lived_through(history, preset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_steps, "MOST_ROWS", 1)  # as many commits as there are rows
        patch.setattr(night_words, "MOST_DESCRIBED", 1)
        report = await whole.sleep(night)
        for left in deaths:
            frail.mind.left = left
            with contextlib.suppress(JournalUnavailable):
                await frail.sleep(night)
        frail.mind.left = None
        assert await frail.sleep(night) == report
    assert frail.memory.believed == whole.memory.believed
    assert frail.nights.kept == whole.nights.kept


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 320))
@settings(max_examples=40)
async def test_killed_after_each_commit_and_run_twice_it_is_a_night_run_once(
    history: list[Any], preset: str, night: int
) -> None:
    whole, frail = lived_through(history, preset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_steps, "MOST_ROWS", 1)
        patch.setattr(night_words, "MOST_DESCRIBED", 1)
        report, again = await whole.sleep(night), await whole.sleep(night)
        told = None
        while told is None:
            frail.mind.left = 1
            with contextlib.suppress(JournalUnavailable):
                told = await frail.sleep(night)
    assert told == report == again
    assert frail.memory.believed == whole.memory.believed
