"""A night that does harm is caught by questions of the user's own memory, and the step is taken back."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.inmemory.proofs import InMemoryProofReads
from memory.errors import JournalUnavailable, ModelFailed
from memory.model import commands as c
from memory.rules.night_steps import ACTOR, StepResult
from memory.rules.proof import ProofFact, ProofQuestion, lost, questions_of, recalled, spread
from memory.services.night import run_night
from memory.services.night_words import WordSight
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
            if row.segment_key is not None and believed.facts[fact_id].status == "active"
            and believed.entities[believed.facts[fact_id].subject_id].name in text
        ]  # fmt: skip

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
        note = c.WriteNote(command_id=sight.of.identity("help"), actor=ACTOR, about_id=about, text="a remark",
                           lifetime="week")  # fmt: skip
        return StepResult((note,), {})


def _pruning(sight: WordSight, fact_id: str, version: int) -> c.Command:
    return c.PruneFacts(command_id=sight.of.identity("harm", fact_id), actor=ACTOR, chosen=((fact_id, version),))


async def _nothing(sight: WordSight) -> StepResult:
    return StepResult((), {})


async def test_a_step_that_does_harm_is_undone_and_told() -> None:
    proved = Proved()
    report = await proved.sleep("harm")
    assert report["proof"] == {"questions": 4, "before": 1.0, "after": 1.0, "undone": ["harm"]}
    assert proved.lives() == sorted(PLACES)


async def test_a_step_that_does_none_stays_and_so_do_those_beside_one_that_does() -> None:
    proved = Proved()
    report = await proved.sleep("help", "harm")
    assert report["proof"]["undone"] == ["harm"]
    assert [each.text for each in proved.memory.believed.notes.values()] == ["a remark"]


async def test_a_night_without_change_asks_nothing() -> None:
    proved = Proved()
    await proved.sleep(night=FIRST)
    proved.asked.clear()
    report = await proved.sleep("nothing")
    assert proved.asked == []
    assert "proof" not in report


async def test_a_night_is_not_proved_by_no_questions() -> None:
    proved = Proved(questions=0)
    report = await proved.sleep("harm")
    assert ("proof" in report, proved.asked, proved.lives()) == (False, [], sorted(PLACES[2:]))


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


async def test_a_late_leg_is_asked_again_and_is_no_harm() -> None:
    proved = Proved()
    proved.late = 2
    report = await proved.sleep("help")
    assert (report["proof"]["questions"], report["proof"]["undone"]) == (4, [])
    proved = Proved()
    proved.late = 3
    report = await proved.sleep("help")
    assert (report["proof"]["questions"], report["proof"]["before"]) == (3, 1.0)


async def test_a_proof_that_fails_is_told_and_costs_the_night_nothing() -> None:
    proved = Proved()

    async def fail(*_: object) -> None:
        raise ModelFailed("The encoder said no.")

    proved.proving = Proving(proved.proving.reads, fail, proved.lived.mind)
    report = await proved.sleep("help")
    assert "failed" in report["proof"]
    assert len(proved.memory.believed.notes) == 1


# ------------------------------------------------------------------------------------------------------- pure figures


def fact(number: int, **more: Any) -> ProofFact:
    return ProofFact(f"f{number}", "Maya", "lives_in", None, frozenset({number}), **more)


def test_a_question_leaves_the_object_out_and_equal_questions_are_one() -> None:
    [asked] = questions_of([fact(1), fact(2)])
    assert asked == ProofQuestion("Maya lives in?", ("f1", "f2"), frozenset({1, 2}))
    slotted = questions_of([ProofFact("f3", "Maya", "favorite", "shoes", frozenset({3}))])
    assert [each.text for each in slotted] == ["Maya favorite shoes?"]
    assert questions_of([ProofFact("f4", "Maya", "likes", None, frozenset())]) == []


AGED = st.lists(
    st.tuples(st.integers(0, 50).map(float), st.uuids().map(str)), max_size=60, unique_by=lambda row: row[1]
)


@given(AGED, st.integers(0, 20), st.text(max_size=3))
def test_a_sample_is_spread_over_the_ages_and_the_same_for_the_same_seed(
    aged: list[tuple[float, str]], most: int, seed: str
) -> None:
    chosen = spread(aged, most, seed)
    order = [each for _, each in sorted(aged)]
    places = [order.index(each) for each in chosen]
    assert len(chosen) == min(most, len(aged))
    assert places == sorted(set(places))
    assert spread(reversed(aged), most, seed) == chosen
    for stretch, place in enumerate(places):  # no two come of one stretch
        assert stretch * (len(order) // most) <= place < (stretch + 1) * (len(order) // most + 1)


@pytest.mark.parametrize(
    ("found", "expected", "share"),
    [
        ([1, 2], {1}, 1.0),
        ([3], {1}, 0.0),
        ([*range(11)], {10}, 0.0),
        ([1], {1, 2}, 0.5),
        ([*range(20)], {*range(20)}, 1),
    ],
)
def test_recall_counts_the_first_ten(found: list[int], expected: set[int], share: float) -> None:
    assert recalled(found, expected) == share


def test_half_a_point_may_be_lost_and_no_more() -> None:
    assert not lost([1.0] * 200, [0.0] + [1.0] * 199)
    assert lost([1.0] * 200, [0.0] * 2 + [1.0] * 198)
    assert not lost([], [])
    assert not lost([0.5], [1.0])
