"""What ends a state: left, cancelled, broken off, given up; and since when, or until when, it held."""

from __future__ import annotations

import pytest

from tests.unit.extraction.conftest import reading
from tests.unit.extraction.test_claims import claim, instant


def typed(text: str) -> set[tuple[str, str | None, str | None]]:
    return {(c.subject, c.predicate, c.object) for c in reading(text).claims if c.predicate and c.polarity}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Tom moved to Lyon.", ("Tom", "lives_in", "Lyon")),
        ("Sofia moved back to Naples.", ("Sofia", "lives_in", "Naples")),
        ("Marek moved from Prague to Vienna.", ("Marek", "lives_in", "Vienna")),
        ("I left Berlin.", ("Ana", "left", "Berlin")),
        ("I left Berlin to live in Paris.", ("Ana", "left", "Berlin")),
        ("I moved out of Oslo.", ("Ana", "moved_from", "Oslo")),
        ("I dropped out of Yale.", ("Ana", "left", "Yale")),
        ("I cancelled my gym membership.", ("Ana", "stopped", "gym")),
        ("I cancelled my membership of the chess club.", ("Ana", "stopped", "chess club")),
        ("I don't swim in the river any more.", ("Ana", "stopped", "swim in the river")),
        ("I no longer go to the gym.", ("Ana", "stopped", "go to the gym")),
        ("Maria and I broke up.", ("Ana", "separated_from", "Maria")),
        ("I broke up with Tom.", ("Ana", "separated_from", "Tom")),
        ("My girlfriend and I broke up.", ("Ana", "separated_from", None)),
        ("Lars and I got divorced.", ("Ana", "has_status", "divorced")),
        ("My parents moved to Oslo.", ("Ana's parents", "lives_in", "Oslo")),
        ("The Millers live in Rome.", ("Millers", "lives_in", "Rome")),
        ("I didn't move to York until 2020.", ("Ana", "lives_in", "York")),
    ],
)
def test_what_is_over_is_told_by_its_verb(text: str, said: tuple[str, str, str | None]) -> None:
    assert said in typed(text)


@pytest.mark.parametrize(
    "text",
    [
        "I left Berlin out of the list.",
        "I left Berlin for the weekend.",
        "I left Berlin at seven this morning.",
        "I left Berlin to visit my mother.",
        "I left my keys in Berlin.",
        "The meeting broke up at noon.",
        "Lars and I split up to search the house.",
        "Tom moved to tears.",
        "Tom moved to the next slide.",
        "Tom moved his money to Zurich.",
        "I cancelled the dentist appointment.",
        "I stopped running for a moment to tie my shoe.",
        "I stopped running when it began to rain.",
    ],
)
def test_what_only_sounds_like_it_is_not(text: str) -> None:
    ended = {"left", "moved_to", "moved_from", "lives_in", "separated_from", "stopped"}
    assert not ended & {predicate for _, predicate, _ in typed(text)}


def test_who_goes_from_one_thing_to_another_has_given_up_the_first() -> None:
    given_up = [c for c in reading("I switched from Vim to Emacs.").claims if not c.polarity]
    assert [(c.predicate, c.object, c.change) for c in given_up] == [("uses", "Vim", True)]
    assert all(c.polarity for c in reading("I switched from the sofa to the chair.").claims)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I lived in Leeds from 2012 to 2018.", instant(2012, 1, 1), instant(2019, 1, 1)),
        ("I lived in Leeds from March 2015 to May 2018.", instant(2015, 3, 1), instant(2018, 6, 1)),
        ("I lived in Leeds between 2015 and 2018.", instant(2015, 1, 1), instant(2019, 1, 1)),
        ("I lived in Leeds for two years until 2015.", instant(2013, 1, 1), instant(2015, 1, 1)),
        ("I lived in Leeds until 2015.", instant(2015, 1, 1), instant(2015, 1, 1)),
        ("I lived in Leeds before 2015.", instant(2015, 1, 1), instant(2015, 1, 1)),
        ("Before 2015 I lived in Leeds.", instant(2015, 1, 1), instant(2015, 1, 1)),
    ],
)
def test_a_state_that_is_over_is_so_up_to_when_it_is_told_to_be(text: str, since: float, until: float) -> None:
    found = claim(text, "lives_in")
    assert (found.valid_from, found.valid_to) == (since, until)


@pytest.mark.parametrize("when", ["in mid-2015", "a year and a half ago", "in May 2015"])
def test_one_time_of_what_is_over_is_not_all_of_it(when: str) -> None:
    assert claim(f"I lived in Leeds {when}.", "lives_in").valid_to is None


def test_how_long_something_lasted_says_nothing_of_when() -> None:
    lasted, lasts = (
        claim(text, "lives_in") for text in ("I lived in York for five years.", "I have lived in York for five years.")
    )
    assert lasts.valid_from == instant(2018, 5, 25)
    assert (lasted.valid_from or 0.0) > instant(2023, 5, 1)
    assert lasted.statement == "Ana lived in York for five years"


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I forgot to cancel the gym.", "Ana forgot to cancel the gym"),
        ("Forgot to cancel the gym.", "Ana forgot to cancel the gym"),
        ("I forget to cancel things.", "Ana forgets to cancel things"),
        ("When Tom left Rome, it rained.", "When Tom left Rome, it rained"),
    ],
)
def test_what_is_told_keeps_its_tense_and_its_when(text: str, statement: str) -> None:
    assert statement in {each.statement for each in reading(text).claims}
