"""What plain German asserts, said by Sam."""

from __future__ import annotations

import pytest

from adapters.extraction import german
from tests.unit.extraction.conftest import said

READ = [
    ("Ich wohne jetzt in Leipzig.", "Sam wohnt jetzt in Leipzig", "lives_in", "Leipzig"),
    ("Am Montag fahre ich nach Danzig, das Hotel ist gebucht.", "Am Montag fährt Sam nach Danzig", None, None),
    ("nein ich arbeite bei der Sparkasse", "Sam arbeitet bei der Sparkasse", "works_at", "Sparkasse"),
    ("Meine Schwester heißt Katrin.", "Sams Schwester heißt Katrin", "has_sister", "Katrin"),
    ("hab mir ein rotes Fahrrad gekauft", "Sam hat sich ein rotes Fahrrad gekauft", None, None),
    ("Ich habe am 7. März Geburtstag.", "Sam hat am 7. März Geburtstag", "birthday_is", "7 March"),
    ("Maya ist nach Bremen gezogen.", "Maya ist nach Bremen gezogen", "moved_to", "Bremen"),
    ("Ich arbeite in Fulda, und wenn ich reich wäre, hätte ich ein Schloss.", "Sam arbeitet in Fulda", None, None),
]
UNSAID = [
    "Wohnst du noch in Kassel?",
    "hab ich am Freitag einen Termin",
    "wenn es klappt kaufe ich den Hof",
    "Ich hätte gern einen Bruder.",
    "Vielleicht ist Tom bei Siemens.",
    "Mein Chef behauptet, ich wäre nie da.",
    "Ich habe geträumt, ich wohne in Rom.",
    "Du bist mein kleiner Professor.",
    "Ruf bitte den Klempner an.",
    "Ja klar, ich liebe den Stau.",
    'Auf dem Hemd stand "Ich heirate morgen".',
]


@pytest.mark.parametrize(("text", "statement", "predicate", "object_"), READ)
def test_a_main_clause_is_read(text: str, statement: str, predicate: str | None, object_: str | None) -> None:
    (utterance,) = said(("Sam", text))
    found = next(german.claims_of(utterance))
    assert (found.statement, found.predicate, found.object) == (statement, predicate, object_)
    assert found.quote in text


@pytest.mark.parametrize("text", UNSAID)
def test_what_is_not_asserted_is_not_read(text: str) -> None:
    (utterance,) = said(("Sam", text))
    assert list(german.claims_of(utterance)) == []


def test_a_denial_has_its_own_polarity() -> None:
    (utterance,) = said(("Sam", "Ich trinke keinen Alkohol."))
    assert [(c.statement, c.polarity) for c in german.claims_of(utterance)] == [("Sam trinkt keinen Alkohol", False)]


def test_who_moved_lives_there() -> None:
    (utterance,) = said(("Sam", "Ich bin nach Freiburg gezogen."))
    assert [c.predicate for c in german.claims_of(utterance)] == ["moved_to", "lives_in"]


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "object_", "so"),
    [
        ("Ich bin seit zwei Jahren Vegetarierin.", "Ana", "has_condition", "vegetarian", True),
        ("Ich bin eine strenge Veganerin.", "Ana", "has_condition", "vegan", True),
        ("Ich bin kein Veganer.", "Ana", "has_condition", "vegan", False),
        ("Ich esse kein Fleisch mehr.", "Ana", "habit:eat", "Fleisch", False),
        ("Ich rauche nicht mehr.", "Ana", "habit:smoke", None, False),
        ("Ich habe mit dem Rauchen aufgehört.", "Ana", "stopped", "smoke", True),
        ("Ich spiele nicht mehr Klavier.", "Ana", "plays", "Klavier", False),
        ("Ich habe Berlin verlassen.", "Ana", "left", "Berlin", True),
        ("Ich habe mich von Tom getrennt.", "Ana", "separated_from", "Tom", True),
        ("Ich habe das Auto verkauft.", "Ana", "lost", "Auto", True),
        ("Meine Schwester wohnt in Jena.", "Ana's sister", "lives_in", "Jena", True),
        ("Mein Bruder isst kein Fleisch mehr.", "Ana's brother", "habit:eat", "Fleisch", False),
    ],
)
def test_diets_and_endings_are_typed(text: str, subject: str, predicate: str, object_: str | None, so: bool) -> None:
    found = next(german.claims_of(said(("Ana", text))[0]))
    assert (found.subject, found.predicate, found.object, found.polarity) == (subject, predicate, object_, so)


@pytest.mark.parametrize(
    "text",
    [
        "Ich bin mit einer Vegetarierin verheiratet.",
        "Ich habe heute vegan gegessen.",
        "Meine Katze isst Fisch.",
        "Ich wohne nicht mehr allein in Jena.",
        "Ich esse heute Fisch.",
        "Ich war mal Veganer.",
    ],
)
def test_what_tells_of_no_diet_and_no_end_is_not_typed(text: str) -> None:
    assert [each.predicate for each in german.claims_of(said(("Ana", text))[0])] == [None]
