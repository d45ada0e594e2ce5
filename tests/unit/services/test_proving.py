"""A night that does harm is caught by questions of the user's own memory, and the step is taken back."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.inmemory.proofs import InMemoryProofReads
from memory.errors import JournalUnavailable, ModelFailed
from memory.model import commands as c
from memory.rules.night_steps import ACTOR, StepResult
from memory.rules.proof import reaches
from memory.services.night import run_night
from memory.services.night_words import WordSight, WordStep
from memory.services.proving import Proving
from tests.fakes.nights import parts
from tests.unit.rules.memory_in_miniature import Memory, says
from tests.unit.rules.test_night import FIRST, Lived

NIGHT = FIRST + timedelta(days=1)
PLACES = ("Porto", "Ghent", "Bergen", "Lisbon")


class Proved:
    """A memory of four people and where they live. A question finds segments of beliefs about whom it names."""

    def __init__(self, questions: int = 200) -> None:
        self.memory, self.asked, self.late = Memory(), list[str](), 0
        for key, place in enumerate(PLACES, start=1):
            claim = says(f"Guest{key} lives in {place}", key, subject=f"Guest{key}", predicate="lives_in", object=place)
            self.memory.hear(key, claim)
        self.lived = Lived(self.memory)
        reads = InMemoryProofReads(lambda: self.memory.believed)
        self.proving = Proving(reads, self._ask, self.lived.mind, questions)

    async def _ask(self, user_id: str, text: str, now: float) -> Sequence[int] | None:
        self.asked.append(text)
        if self.late:
            self.late -= 1
            return None
        believed = self.memory.believed
        return [
            row.segment_key
            for fact_id, rows in believed.evidence.items()
            for row in rows
            if row.segment_key is not None
            and believed.facts[fact_id].status == "active"
            and believed.entities[believed.facts[fact_id].subject_id].name in text
        ]

    async def sleep(self, *steps: str, night: date = NIGHT) -> dict[str, Any]:
        known = {"harm": self._harm, "help": self._help, "nothing": _nothing}
        chosen = {each: known[each] for each in steps}
        with_what = parts(self.lived.nights, self.lived.mind, word_steps=chosen, proving=self.proving)
        return await run_night("u", night, "UTC", with_what)

    def lives(self) -> list[str]:
        facts = self.memory.believed.facts.values()
        return sorted(each.object or "" for each in facts if each.predicate == "lives_in" and each.status == "active")

    async def _harm(self, sight: WordSight) -> StepResult:
        """Stop believing where two of them live."""
        facts = self.memory.believed.facts.values()
        chosen = [
            (each.fact_id, each.version) for each in facts if each.object in PLACES[:2] and each.status == "active"
        ]
        return StepResult(tuple(_pruning(sight, *each) for each in chosen), {})

    async def _help(self, sight: WordSight) -> StepResult:
        """Write a remark."""
        [about, *_] = sorted(self.memory.believed.entities)
        note = c.WriteNote(
            command_id=sight.of.identity("help"), actor=ACTOR, about_id=about, text="a remark", lifetime="week"
        )
        return StepResult((note,), {})


def _pruning(sight: WordSight, fact_id: str, version: int) -> c.Command:
    return c.PruneFacts(command_id=sight.of.identity("harm", fact_id), actor=ACTOR, chosen=((fact_id, version),))


async def _nothing(sight: WordSight) -> StepResult:
    return StepResult((), {})


@pytest.mark.conforms("model:proof")
async def test_a_step_that_does_harm_is_undone_and_told() -> None:
    proved = Proved()
    report = await proved.sleep("harm")
    assert report["proof"] == {"questions": 4, "before": 1.0, "after": 1.0, "undone": ["harm"]}
    assert proved.lives() == sorted(PLACES)


@pytest.mark.conforms("model:proof")
async def test_a_step_that_does_none_stays_and_so_do_those_beside_one_that_does() -> None:
    proved = Proved()
    report = await proved.sleep("help", "harm")
    assert report["proof"]["undone"] == ["harm"]
    assert [each.text for each in proved.memory.believed.notes.values()] == ["a remark"]


@pytest.mark.conforms("model:proof")
async def test_a_night_without_change_asks_nothing() -> None:
    proved = Proved()
    await proved.sleep(night=FIRST)
    proved.asked.clear()
    report = await proved.sleep("nothing")
    assert proved.asked == []
    assert "proof" not in report


@pytest.mark.conforms("model:proof")
async def test_a_night_is_not_proved_by_no_questions() -> None:
    proved = Proved(questions=0)
    report = await proved.sleep("harm")
    assert ("proof" in report, proved.asked, proved.lives()) == (False, [], sorted(PLACES[2:]))


@pytest.mark.conforms("model:proof")
async def test_no_words_of_a_question_stand_in_the_report_even_while_the_night_goes_on() -> None:
    proved = Proved()
    proved.lived.mind.left = 1
    with contextlib.suppress(JournalUnavailable):
        await proved.sleep("harm")
    [plan] = proved.lived.nights.kept.values()
    assert set(plan.report["proof"]) >= {"asked", "proved"}
    assert not any(name in str(plan.report["proof"]) for name in (*PLACES, "Guest", "lives"))


@given(st.lists(st.integers(0, 4), max_size=4))
async def test_a_night_that_is_killed_anywhere_ends_as_if_it_had_not_been(deaths: list[int]) -> None:
    straight, killed = Proved(), Proved()
    expected = await straight.sleep("help", "harm")
    for left in deaths:
        killed.lived.mind.left = left
        with contextlib.suppress(JournalUnavailable):
            await killed.sleep("help", "harm")
    killed.lived.mind.left = None
    report = await killed.sleep("help", "harm")
    assert report["proof"] == expected["proof"]
    assert killed.lives() == straight.lives()


@pytest.mark.conforms("model:proof")
async def test_a_late_leg_is_asked_again_and_is_no_harm() -> None:
    proved = Proved()
    proved.late = 2
    report = await proved.sleep("help")
    assert (report["proof"]["questions"], report["proof"]["undone"]) == (4, [])
    proved = Proved()
    proved.late = 3
    report = await proved.sleep("help")
    assert (report["proof"]["questions"], report["proof"]["before"]) == (3, 1.0)


@pytest.mark.conforms("model:proof")
async def test_a_proof_that_fails_is_told_and_costs_the_night_nothing() -> None:
    proved = Proved()

    async def fail(*_: object) -> None:
        raise ModelFailed("The encoder said no.")

    proved.proving = Proving(proved.proving.reads, fail, proved.lived.mind)
    report = await proved.sleep("help")
    assert "failed" in report["proof"]
    assert len(proved.memory.believed.notes) == 1


# ----------------------------------------------------------------------------------------------------- what it may cost


class Describing(Proved):
    """A memory whose nights describe two people, a step each; a question may find nothing once that was done."""

    def __init__(self, *, harmful: bool = False) -> None:
        super().__init__()
        self.harmful = harmful
        self.proving = Proving(self.proving.reads, self._ask, self.lived.mind)

    async def sleep(self, *steps: str, night: date = NIGHT) -> dict[str, Any]:
        chosen = {"first": self._describing(0), "then": self._describing(1), **dict.fromkeys(steps, self._harm)}
        with_what = parts(self.lived.nights, self.lived.mind, word_steps=chosen, proving=self.proving)
        return await run_night("u", night, "UTC", with_what)

    async def _ask(self, user_id: str, text: str, now: float) -> Sequence[int] | None:
        found = await super()._ask(user_id, text, now)
        return [] if self.harmful and self.described() else found

    def described(self) -> list[str]:
        return [each.entity_id for each in self.memory.believed.entities.values() if each.description]

    def _describing(self, place: int) -> WordStep:
        async def step(sight: WordSight) -> StepResult:
            facts = sorted(self.memory.believed.facts.values(), key=lambda each: each.fact_id)
            told = c.Description(facts[place].subject_id, "They live somewhere.", (facts[place].fact_id,))
            command = c.DescribeEntities(
                command_id=sight.of.identity("describe", place), actor=ACTOR, descriptions=(told,)
            )
            return StepResult((command,), {})

        return step


@pytest.mark.conforms("model:proof")
async def test_steps_that_change_nothing_a_search_reads_are_asked_about_once_and_together() -> None:
    proved = Describing()
    report = await proved.sleep()
    assert report["proof"] == {"questions": 4, "before": 1.0, "after": 1.0, "undone": []}
    assert (len(proved.asked), len(proved.described())) == (2 * 4, 2), "before the first, and at the end"
    proved = Describing()
    report = await proved.sleep("harm")
    assert (report["proof"]["undone"], len(proved.described())) == (["harm"], 2)


@pytest.mark.conforms("model:proof")
@given(st.lists(st.integers(0, 4), max_size=3))
async def test_if_they_did_harm_after_all_they_are_taken_back_together_wherever_the_night_dies(
    deaths: list[int],
) -> None:
    proved = Describing(harmful=True)
    for left in deaths:
        proved.lived.mind.left = left
        with contextlib.suppress(JournalUnavailable):
            await proved.sleep()
    proved.lived.mind.left = None
    report = await proved.sleep()
    undone = ["then", "first", "states"]
    assert report["proof"] == {"questions": 4, "before": 1.0, "after": 1.0, "undone": undone}
    assert proved.described() == []


@pytest.mark.conforms("model:proof")
@pytest.mark.parametrize(
    ("command", "reached"),
    [
        (c.ArrangeGroups(command_id="x"), False),
        (c.DescribeEntities(command_id="x"), False),
        (c.LinkCauses(command_id="x"), False),
        (c.MergeFacts(command_id="x"), True),
        (c.Synthesize(command_id="x"), True),
        (c.PruneFacts(command_id="x"), True),
    ],
)
def test_what_a_search_reads_is_asked_about(command: c.Command, reached: bool) -> None:
    assert reaches([command]) is reached
    assert not reaches([])


@pytest.mark.conforms("model:proof")
@pytest.mark.parametrize(
    ("noun", "reached"), [("fact", True), *((each, False) for each in ("entity", "source", "group"))]
)
def test_of_what_crosses_only_facts_are_read_by_a_search(noun: str, reached: bool) -> None:
    crossing = c.Crossing(noun, "x", "state", "active", "archived")
    closing = c.CloseNight(command_id="x", night="2026-03-02", step="states", crossings=(crossing,))
    assert reaches([closing]) is reached


@pytest.mark.conforms("model:proof")
async def test_questions_for_which_there_is_no_time_are_left_out_and_told() -> None:
    proved = Proved()
    seconds = iter(range(1_000))
    proved.proving = replace(proved.proving, seconds=3.0, clock=lambda: float(next(seconds)))
    report = await proved.sleep("help")
    assert report["proof"] == {"questions": 2, "before": 1.0, "after": 1.0, "undone": [], "left_out": 2}


# ------------------------------------------------------------------------------------------------- what is held back


class Fading(Proved):
    """A memory in which a question finds no segment of a fact that is archived."""

    def __init__(self) -> None:
        super().__init__()
        rules = self.lived.life.lifecycle
        life = replace(self.lived.life, lifecycle=replace(rules, archive_below=0.9, grace_days=0.0))
        self.lived = Lived(self.memory, life)
        self.proving = Proving(self.proving.reads, self._ask, self.lived.mind)

    async def sleep(self, *steps: str, night: date = NIGHT) -> dict[str, Any]:
        with_what = parts(self.lived.nights, self.lived.mind, self.lived.life, word_steps={}, proving=self.proving)
        return await run_night("u", night, "UTC", with_what)

    async def _ask(self, user_id: str, text: str, now: float) -> Sequence[int] | None:
        found = await super()._ask(user_id, text, now)
        believed = self.memory.believed
        archived = {
            row.segment_key
            for fact_id, rows in believed.evidence.items()
            for row in rows
            if believed.facts[fact_id].state == "archived"
        }
        return [each for each in found or () if each not in archived]

    def states(self) -> set[str]:
        return {each.state for each in self.memory.believed.facts.values() if each.status == "active"}


@pytest.mark.conforms("model:held")
async def test_what_was_taken_back_is_left_by_the_next_nights_until_something_about_it_changes() -> None:
    fading = Fading()
    first, second, third = (NIGHT + timedelta(days=400 + number) for number in range(3))
    report = await fading.sleep(night=first)
    assert report["proof"]["undone"] == ["states"]
    kept = [row for row in report["proof"]["taken_back"]["states"] if row[0] == "fact"]
    assert (len(kept), fading.states()) == (len(PLACES), {"candidate"})
    fading.asked.clear()
    report = await fading.sleep(night=second)
    assert [row for row in report["states"]["held_back"] if row[0] == "fact"] == kept
    assert ("proof" in report, fading.asked, fading.states()) == (False, [], {"candidate"}), "it is not planned again"
    fact_id = kept[0][1]
    fading.memory.turn(c.ProtectFact(command_id="protect", fact_id=fact_id))
    fading.memory.turn(c.ProtectFact(command_id="again", fact_id=fact_id, protected=False))
    report = await fading.sleep(night=third)
    assert len([row for row in report["states"]["held_back"] if row[0] == "fact"]) == len(PLACES) - 1
    assert fact_id not in str(report["states"]["held_back"])
