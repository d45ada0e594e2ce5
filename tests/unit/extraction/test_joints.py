"""Two clauses in one breath, firms one moves to, and what is said in part or of others."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from adapters.extraction.rules_firms import is_spelt_like_a_firm
from tests.unit.extraction.conftest import reading, said
from tests.unit.extraction.test_endings import typed


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Nora lives in Ghent and Paula knits scarves.", {("Nora", "lives_in", "Ghent"), ("Paula", "made", "scarves")}),
        ("Ben lives in Hull and Carla teaches yoga.", {("Ben", "lives_in", "Hull"), ("Carla", "teaches", "yoga")}),
        (
            "Nora lives in Ghent and Paula has moved to Rome.",
            {("Nora", "lives_in", "Ghent"), ("Paula", "moved_to", "Rome"), ("Paula", "lives_in", "Rome")},
        ),
        ("Nora lives in Ghent and Paula is a nurse.", {("Nora", "lives_in", "Ghent"), ("Paula", "works_as", "nurse")}),
        ("Tom loves Anna and Anna loves Tom.", {("Tom", "likes", "Anna"), ("Anna", "likes", "Tom")}),
        ("I love Tom and Jerry cartoons.", {("Ana", "likes", "Tom and Jerry cartoons")}),
    ],
)
def test_a_name_before_a_verb_is_its_subject(text: str, facts: set[tuple[str, str, str]]) -> None:
    assert typed(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Zalando.",
        "I moved to Siemens last month.",
        "I moved to Lufthansa from KLM.",
        "I moved to HelloFresh.",
        "I moved from Bosch to Foxglove.",
        "I moved to Legal.",
        "I moved to the night shift.",
        "I moved to a new team.",
        "Tom moved to Nintendo.",
    ],
)
def test_nobody_lives_in_a_firm_or_a_department(text: str) -> None:
    assert not {"lives_in", "moved_to"} & {predicate for _, predicate, _ in typed(text)}


@pytest.mark.parametrize("town", ["Ghent", "Porto", "Lyon", "McAllen", "Ford Street"])
def test_a_town_is_still_moved_to(town: str) -> None:
    assert ("Ana", "lives_in", town) in typed(f"I moved to {town}.")


@pytest.mark.parametrize(
    ("name", "firm"),
    [
        ("HelloFresh", True),
        ("KLM", True),
        ("booking.com", True),
        ("H&M", True),
        ("McAllen", False),
        ("USA", False),
        ("Ghent", False),
        ("LA", False),
    ],
)
def test_a_firm_is_known_by_its_spelling(name: str, firm: bool) -> None:
    assert is_spelt_like_a_firm(name) == firm


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My mum turned seventy on Sunday.", ("Ana's mum", "age_is", "seventy")),
        ("I'm thirty-four, no, sorry, thirty-five.", ("Ana", "age_is", "thirty-five")),
        ("We've been married since 2009.", ("Ana", "has_status", "married")),
        ("Dad used to drive a lorry, now he's retired.", ("Dad", "has_status", "retired")),
        ("I was born on 3 May.", ("Ana", "birthday_is", "3 May")),
        ("Tom's moved to Rome.", ("Tom", "lives_in", "Rome")),
        ("Dad's retired.", ("Dad", "has_status", "retired")),
        ("My uncle passed away.", ("Ana's uncle", "died", None)),
        ("Priya's just started at Ericsson.", ("Priya", "works_at", "Ericsson")),
        ("I've got two kids, Mia and Theo.", ("Ana", "has_child", "Theo")),
        ("Paula has a dog named Rex.", ("Paula", "has_pet", "Rex")),
        ("We got a cat called Biscuit.", ("Ana", "has_pet", "Biscuit")),
    ],
)
def test_everyday_turns_of_phrase(text: str, fact: tuple[str, str, str | None]) -> None:
    assert fact in typed(text)


def test_an_age_of_years_ago_is_none_of_today() -> None:
    assert not [predicate for _, predicate, _ in typed("I turned thirty in 2010.") if predicate == "age_is"]


def test_of_which_year_a_birthday_without_a_year_was_is_not_said() -> None:
    assert {c.statement for c in reading("I was born on 3 May.").claims} == {"Ana was born on 3 May"}
    assert "birthday_is" not in {predicate for _, predicate, _ in typed("I was born on a Sunday.")}


@pytest.mark.parametrize(
    "text",
    [
        "I hate to say it but Rosa was right.",
        "She goes, oh my God, I live in Chelsea.",
        "Sure, I love being stuck in traffic.",
        "Oh yeah, I just love cleaning the oven.",
        "He was all, I hate you.",
    ],
)
def test_courtesy_mockery_and_mimicry_are_not_meant(text: str) -> None:
    assert not {"likes", "dislikes", "lives_in"} & {predicate for _, predicate, _ in typed(text)}


def test_who_dislikes_a_thing_at_times_does_not_dislike_it() -> None:
    denied = [c for c in reading("I don't like tea when it's cold.").claims if c.predicate == "likes"]
    assert denied == []


def test_a_pronoun_is_no_name() -> None:
    objects = {c.object for c in reading("Lena, that's my sister, she lives in Graz.").claims}
    assert "That" not in objects


def test_of_whom_is_present_others_do_not_settle_the_birthday() -> None:
    of_ana = read(said(("Ana", "My birthday is on 3 May."), ("Maya", "No, Ana's birthday is on 4 May."))).claims
    assert [(c.subject, c.object) for c in of_ana if c.predicate == "birthday_is"] == [("Ana", "3 May")]


def test_a_promise_begins_where_it_is_made() -> None:
    seen = reading("I sent you the contract yesterday, but I'll send you the contract again tomorrow.").sightings
    promises = [sighting.properties["text"] for sighting in seen if sighting.type == "promise"]
    assert promises == ["I'll send you the contract again tomorrow"]
