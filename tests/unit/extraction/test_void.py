"""What has the form of a statement and tells nothing of anybody."""

from __future__ import annotations

import pytest

from tests.unit.extraction.conftest import reading


@pytest.mark.parametrize(
    "text",
    [
        "Really, that cheese tasting sounds great.",
        "It is an adventure.",
        "It's been a rough crossing.",
        "Growing your own tomatoes is.",
        "I definitely will.",
        "Sleeping well is so important.",
        "Losing a tooth can be hard.",
        "Those tiles are so shiny.",
    ],
)
def test_applause_and_opinions_of_all_are_no_facts(text: str) -> None:
    assert reading(text).claims == ()


@pytest.mark.parametrize(
    "text",
    [
        "Tom is here.",
        "My mum is upstairs.",
        "This was my grandmother's ring.",
        "Running is my favourite sport.",
        "Swimming helps me relax.",
        "This recipe is from my aunt.",
        "That restaurant is good for birthday dinners.",
        "That bike is mine.",
        "It is important to stay calm with learners.",
        "The error is on line 58.",
    ],
)
def test_what_names_somebody_something_or_a_time_is_kept(text: str) -> None:
    assert reading(text).claims != ()


def test_what_answers_a_question_is_kept_with_it() -> None:
    (claim,) = reading("It was a long weekend.", before=[("Ben", "How was the retreat?")]).claims
    assert claim.statement.startswith("Asked “How was the retreat?”, Ana answers: ")
