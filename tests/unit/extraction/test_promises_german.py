"""What is promised in German, by Sam to Ada, on Thursday 25 May 2023."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from memory.model.claims import Sighting
from memory.words.german_times import english_times
from tests.unit.extraction.conftest import said


def promised(text: str) -> list[Sighting]:
    return [s for s in read(said(("Sam", text), ("Ada", "Gut."))).sightings if s.type == "promise"]


@pytest.mark.parametrize(
    ("text", "to", "due"),
    [
        ("Ich verspreche dir, dass ich morgen die Blumen mitbringe.", "Ada", "2023-05-26T23:59:59Z"),
        ("Ich schicke dir morgen die Unterlagen.", "Ada", "2023-05-26T23:59:59Z"),
        ("Morgen schicke ich dir den Vertrag.", "Ada", "2023-05-26T23:59:59Z"),
        ("Ich verspreche, den Bericht bis Freitag zu schicken.", "Ada", "2023-05-26T23:59:59Z"),
        ("Versprochen, ich komme am Samstag.", "Ada", "2023-05-27T23:59:59Z"),
        ("Ich werde dir das Buch zurückgeben.", "Ada", None),
        ("Ich gebe den Text bis zum 3. Juni ab.", "Ada", "2023-06-03T23:59:59Z"),
        ("Erinnere mich daran, morgen Milch zu kaufen.", "Sam", "2023-05-26T23:59:59Z"),
        ("Kannst du mich daran erinnern, Oma anzurufen?", "Sam", None),
    ],
)
def test_a_promise_says_to_whom_and_until_when(text: str, to: str, due: str | None) -> None:
    (promise,) = promised(text)
    assert promise.confidence >= 0.7
    assert (promise.properties["by"], promise.properties["to"], promise.properties["due"]) == ("Sam", to, due)


@pytest.mark.parametrize(
    "text",
    [
        "Ich schicke dir jeden Tag ein Foto.",
        "Ich verspreche nichts.",
        "Ich gebe dir recht.",
        "Ich rufe dich gerade an.",
        "Wenn ich Zeit habe, schicke ich dir morgen die Datei.",
        "Schickst du mir morgen die Datei?",
        "Ich schicke dir morgen die Datei, wenn ich Zeit habe.",
        "Er sagte, ich schicke dir morgen die Datei.",
        '"Ich schicke dir morgen die Datei", sagte Tom.',
        "Ich gebe dir morgen eine Million, haha.",
        "Ich verspreche mir viel von dem Treffen am Freitag.",
        "Versprochen ist versprochen.",
        "Erinnere mich nicht an gestern.",
        "Ich habe dir gestern die Datei geschickt.",
        "Vielleicht bringe ich dir morgen Kuchen.",
    ],
)
def test_what_is_no_promise(text: str) -> None:
    assert promised(text) == []


def test_what_is_promised_is_a_fact_too() -> None:
    claims = read(said(("Sam", "Ich verspreche dir, dass ich morgen die Blumen mitbringe."), ("Ada", "Gut."))).claims
    assert [(c.predicate, c.statement, c.tense) for c in claims] == [
        ("promises", "Sam verspricht Ada, dass Sam morgen die Blumen mitbringt", "plan")
    ]


def test_german_times_are_put_into_english() -> None:
    assert english_times("Bis Freitag, spätestens in zwei Wochen") == "on Friday\nin two weeks"
    assert english_times("Guten Morgen, am Morgen regnet es") == ""
