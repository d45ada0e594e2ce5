"""By which other names people go: said of oneself, said of others, and heard when somebody is addressed."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from tests.unit.extraction.conftest import said


def aliases(*turns: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """Person -> the names they are also called by, as far as any sighting says so."""
    people = [s for s in read(said(*turns)).sightings if s.type == "person"]
    return {name: tuple(a for s in people if s.name == name for a in s.aliases) for name in {s.name for s in people}}


@pytest.mark.parametrize(
    "text",
    [
        "My nickname is Pri.",
        'My nickname is "Pri".',
        "Everyone calls me Pri.",
        "Call me Pri!",
        "Please call me Pri.",
        "Hi, I'm Priyanka, but you can call me Pri.",
        "I'm Priyanka, or Pri for short.",
        "I go by Pri.",
    ],
)
def test_what_somebody_calls_themselves_is_their_alias(text: str) -> None:
    assert aliases(("Priyanka", text)) == {"Priyanka": ("Pri",)}


@pytest.mark.parametrize(
    "text",
    [
        "Val is short for Valerie.",
        "We all call Valerie Val.",
        "Valerie goes by Val.",
        "Valerie, Val for short, called.",
        "I met Valerie. Everyone calls her Val.",
    ],
)
def test_what_others_are_called_is_theirs(text: str) -> None:
    assert aliases(("Ana", text)) == {"Ana": (), "Valerie": ("Val",)}


def test_a_short_name_that_somebody_is_addressed_by_is_theirs_once() -> None:
    found = aliases(("Ana", "Hey Val, how are you?"), ("Valerie", "Fine, Ana!"), ("Ana", "Bye, Val!"))
    assert found == {"Ana": (), "Valerie": ("Val",)}


@pytest.mark.parametrize(
    "text",
    [
        "Don't call me Pri.",
        "Nobody calls me Pri.",
        "Call me Monday.",
        "Can I call you Pri?",
        "Call me when you land.",
        "Benny, come here!",
        "I like Ben Affleck.",
    ],
)
def test_what_is_no_nickname_is_none(text: str) -> None:
    found = aliases(("Ana", text), ("Benjamin", "Hmm."))
    assert (found["Ana"], found["Benjamin"]) == ((), ())
