"""Who is whose boss, partner or friend no longer."""

from __future__ import annotations

import pytest

from adapters.extraction import german
from tests.unit.extraction.conftest import reading, said


@pytest.mark.parametrize(
    ("text", "predicate", "name"),
    [
        ("Tom is no longer my boss.", "has_boss", "Tom"),
        ("Tom is not my boss anymore.", "has_boss", "Tom"),
        ("My boss is no longer Tom.", "has_boss", "Tom"),
        ("Maya is not my girlfriend any more.", "has_partner", "Maya"),
    ],
)
def test_a_tie_that_is_over_is_denied_of_whose_it_was(text: str, predicate: str, name: str) -> None:
    denied = {(c.subject, c.predicate, c.object, c.change) for c in reading(text).claims if not c.polarity}
    assert denied == {("Ana", predicate, name, True)}


@pytest.mark.parametrize(
    "text",
    [
        "Tom is not my favourite boss.",
        "Tom is not my boss on Fridays.",
        "Tom is no longer angry.",
        "Tom was not my boss.",
        "Tom is no longer the boss.",
    ],
)
def test_what_else_is_denied_ends_no_tie(text: str) -> None:
    assert not any((c.predicate or "").startswith("has_") for c in reading(text).claims)


@pytest.mark.parametrize("text", ["Tom is my boss.", "Tom is my boss now."])
def test_a_tie_is_told_once(text: str) -> None:
    assert [(c.subject, c.predicate, c.object) for c in reading(text).claims] == [("Ana", "has_boss", "Tom")]


@pytest.mark.parametrize(
    ("text", "predicate", "object_", "so"),
    [
        ("Tom ist mein Chef.", "has_boss", "Tom", True),
        ("Tom ist nicht mehr mein Chef.", "has_boss", "Tom", False),
        ("Mein Chef ist nicht mehr Tom.", "has_boss", "Tom", False),
        ("Mein Chef ist Schweizer.", None, None, True),
        ("Meine Schwester ist jetzt Lehrerin.", None, None, True),
        ("Ich hasse jetzt Jazz.", "dislikes", "Jazz", True),
        ("Ich mag keinen Jazz.", "likes", "Jazz", False),
        ("Ich kann Kaffee nicht ausstehen.", "dislikes", "Kaffee", True),
        ("Ich mag das Meer.", "likes", "Meer", True),
        ("Ich kann Kaffee nicht trinken.", None, None, False),
        ("Ich mag es nicht.", None, None, False),
    ],
)
def test_german_ties_and_attitudes(text: str, predicate: str | None, object_: str | None, so: bool) -> None:
    found = next(german.claims_of(said(("Ana", text))[0]))
    assert (found.subject, found.predicate, found.object, found.polarity) == ("Ana", predicate, object_, so)
