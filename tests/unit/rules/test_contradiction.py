"""What the words of two statements show: denials, figures, dates, and what looks alike and is none of them."""

from __future__ import annotations

import pytest

from memory.model.verdicts import RELATIONS, Pair, Said
from memory.rules.contradiction import LEAST_ALIKE, judge
from memory.words.contrast import dates, denials, figures


def verdict(earlier: str, later: str, similarity: float = 0.7, *, before: str = "", after: str = "") -> str:
    found = judge(Pair(Said(earlier, 0.0, before), Said(later, 1.0, after), similarity))
    assert found.relation in RELATIONS
    assert 0.0 <= found.score <= 1.0
    return found.relation


@pytest.mark.parametrize(
    ("earlier", "later", "relation"),
    [
        ("Ida has never repaired any bicycles", "Ida has repaired two bicycles in the shed", "contradicts"),
        ("Ida attended a workshop on glass", "Ida has never attended any workshops or talks on glass", "contradicts"),
        ("Ida has never baked rye bread", "Ida wants to bake rye bread", "unrelated"),
        ("Ida has never baked rye bread", "Ida has never baked white bread", "unrelated"),
        ("Ida has completed 10 pottery lessons", "Ida has recently completed 15 pottery lessons", "updates"),
        ("Ida has completed 10 pottery lessons", "Ida has recently completed 15 riding lessons", "unrelated"),
        ("Ida has completed 10 pottery lessons", "Ida now aims for at least 15 pottery lessons", "unrelated"),
        ("Ida pays $900 rent for the flat", "Ida now pays $1,050 rent for the flat", "updates"),
        ("Ida pays $900 rent for the flat", "Ida recently paid $90 for new shoes", "unrelated"),
        ("The club had 40 members in spring", "The number of members Ida counts has now reached 55", "updates"),
        ("Ida's exam is on May 3", "Ida's exam was moved to May 9", "updates"),
        ("Ida's exam is on May 3", "Ida's wedding was moved to May 9", "unrelated"),
        ("Ida's chess puzzle score is 70%", "Ida's chess puzzle score has improved from 70% to 85%", "updates"),
        ("Ida's chess puzzle score improved to 70%", "Ida's chess puzzle score now improved to 85%", "updates"),
    ],
)  # fmt: skip
def test_it_is_seen_in_the_words(earlier: str, later: str, relation: str) -> None:
    assert verdict(earlier, later) == relation


def test_a_value_told_again_is_the_same_and_no_update() -> None:
    assert verdict("Ida has recently solved 12 chess puzzles", "Ida has now solved 12 chess puzzles") == "same"


def test_a_figure_without_a_word_of_change_is_only_a_doubt() -> None:
    found = judge(Pair(Said("Ida completed 10 pottery lessons", 0), Said("Ida has 15 pottery lessons", 1), 0.8))
    assert (found.relation, found.score) == ("contradicts", 0.6)


def test_what_is_not_alike_at_all_is_never_compared() -> None:
    earlier, later = "Ida has never baked rye bread", "Ida has baked rye bread already"
    assert verdict(earlier, later, 0.7) == "contradicts"
    assert verdict(earlier, later, LEAST_ALIKE - 0.01) == "unrelated"


def test_the_sentence_around_tells_what_is_counted() -> None:
    before = "My accuracy in pottery lessons went up after 8 lessons"
    told = "Ida has recently had 12 pottery lessons"
    assert verdict("Ida's accuracy went up after completing 8 lessons", told, 0.8, before=before) == "updates"
    assert verdict("Ida's accuracy went up after completing 8 lessons", told, 0.8) == "unrelated"


def test_a_denial_knows_its_alternatives_and_what_they_are_about() -> None:
    (denial,) = denials("Ida has never attended any workshops or lectures on glass blowing, but she would")
    assert denial.verb == "attend"
    assert denial.things == (frozenset({"workshop"}), frozenset({"lectur"}))
    assert denial.rest == frozenset({"glass", "blow"})


def test_values_that_do_not_hold_are_no_figures() -> None:
    held = figures("Ida aims for 30 km, ran 20 km after 15 km in May 2024 and improved from 70% to 85%")
    assert [(each.value, each.unit) for each in held] == [("20", "km"), ("15", "km"), ("85", "%")]


def test_dates_count_only_beside_something_that_has_one() -> None:
    assert dates("The deadline is April 5, 2024") == (("apr 5", frozenset({"deadlin"})),)
    assert dates("Ida laughed on April 5") == ()
