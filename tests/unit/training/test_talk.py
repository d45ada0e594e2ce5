"""Lessons out of worlds: what is taught of them, and what is refused."""

from __future__ import annotations

import random

import pytest

from bench.unseen_worlds import world
from memory.errors import Invalid
from training.talk import FOR_ENCODER, MEMORIES, UNTAUGHT, Lesson, lesson, lessons, split

LINES = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: The tent leaks.
Bo: Mine is in the shed, take it.
## 2 | 2024-04-11 08:30 | chat
Ana: Slept dry all night.
?? questions
? Whose tent did Ana sleep in? | 1.2 2.1 | Bo's | infer
? What is Bo's sister called? | - | not said | unanswerable"""


def _lesson(lines: str = LINES) -> Lesson:
    return lesson(world("x-tent", lines.splitlines()))


def test_a_question_is_taught_with_its_turns() -> None:
    taught = _lesson()
    assert (taught.questions, taught.gold) == (("Whose tent did Ana sleep in?",), ((1, 2),))
    assert taught.sources.tolist() == [0, 0, 1]
    assert taught.author == "x"


def test_lines_are_those_of_the_product() -> None:
    assert _lesson().lines() == [
        "[2 March 2024] Ana: The tent leaks.",
        "[2 March 2024] Bo: Mine is in the shed, take it.",
        "[11 April 2024] Ana: Slept dry all night.",
    ]


def test_a_day_is_written_alike_within_a_session_and_in_many_shapes() -> None:
    drawn = [_lesson().lines(random.Random(seed)) for seed in range(40)]
    assert len({lines[2] for lines in drawn}) == 5
    assert all(lines[0].partition("Ana")[0] == lines[1].partition("Bo")[0] for lines in drawn)


def test_evidence_that_is_not_there_is_refused() -> None:
    with pytest.raises(Invalid, match=r"no turn 2\.4, which 'Whose tent"):
        _lesson(LINES.replace("1.2 2.1", "1.2 2.4"))


def test_every_world_of_ours_can_be_taught() -> None:
    found = lessons()
    assert len(found) >= 72
    taught, left_out = split(found, ["i", "j", "k"])
    assert len(taught) + len(left_out) == len(found)
    assert {each.author for each in left_out} == {"i", "j", "k"}


def test_a_split_without_worlds_on_one_side_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to split"):
        split([_lesson()], ["z"])


def test_memories_for_the_encoder_and_those_never_taught_are_there_and_are_others() -> None:
    there = {path.name.partition("-")[0] for path in MEMORIES.glob("*.txt")}
    assert there.issuperset((*FOR_ENCODER, *UNTAUGHT))
    assert not set(FOR_ENCODER).intersection(UNTAUGHT)
