"""What is seen in a sentence, with confidences that mean something at the gates of seed 001."""

from __future__ import annotations

import pytest

from memory.model.claims import Sighting
from tests.unit.extraction.conftest import reading

GATES = {"promise": 0.7, "decision": 0.7, "person": 0.6, "event": 0.6, "place": 0.6, "relationship": 0.6}
"""Seed 001; any other type 0.5."""


def seen(text: str) -> list[Sighting]:
    return [s for s in reading(text).sightings if s.confidence >= GATES.get(s.type, 0.5) and s.segment_key == 0]


SEEN = [
    ("I met Laura Jensen in Oslo.", "person", "Laura Jensen"),
    ("I met Laura Jensen in Oslo.", "place", "Oslo"),
    ("I work at Siemens.", "organization", "Siemens"),
    ("I moved to Ghent on Saturday.", "place", "Ghent"),
    ("I met Priyanka yesterday.", "person", "Priyanka"),
    ("I am worried about my dad.", "emotion", "anxiety"),
    ("We went to the lantern parade.", "event", "lantern parade"),
    ("I volunteer at a hedgehog hospital.", "place", "hedgehog hospital"),
    ("I love baroque opera.", "topic", "baroque opera"),
    ("I'm learning Spanish.", "topic", "Spanish"),
    ("I'm working on a tide calculator.", "project", "tide calculator"),
    ("I go swimming every Tuesday.", "habit", "Ana goes swimming every Tuesday"),
    ("I'm so excited!", "emotion", "excitement"),
    ("I felt really sad yesterday.", "emotion", "sadness"),
    ("I decided to quit my job.", "decision", "Ana decided to quit their job"),
    ("My sister Jane called.", "relationship", "Ana's sister Jane"),
    ("My sister Jane called.", "person", "Jane"),
    ("My dad is ill.", "relationship", "Ana's dad"),
    ("What did you have for lunch today?", "question", "What did you have for lunch today?"),
]


@pytest.mark.parametrize(("text", "type_", "name"), SEEN)
def test_it_is_seen(text: str, type_: str, name: str) -> None:
    assert (type_, name) in {(s.type, s.name) for s in seen(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Congrats!",
        "Woohoo, that's great!",
        "FYI the bus is late.",
        "Dance is my life, I dance daily.",
        "Thankfully, my son is fine.",
        "Seeing my kids was great.",
    ],
)
def test_no_name_is_invented(text: str) -> None:
    assert {s.name for s in seen(text) if s.type in ("person", "organization", "place")} == {"Ana"}


def test_every_speaker_is_a_person() -> None:
    people = {s.name: s.confidence for s in reading("Hi.").sightings if s.type == "person"}
    assert people == {"Ana": 0.95, "Ben": 0.95}


@pytest.mark.parametrize(
    ("text", "by", "to"),
    [
        ("Tom promised me to fix the shelf by Friday.", "Tom", "Ana"),
        ("My brother promised to pay the rent in May.", "Ana's brother", None),
    ],
)
def test_what_somebody_else_promised_is_theirs(text: str, by: str, to: str | None) -> None:
    (promise,) = [s for s in seen(text) if s.type == "promise"]
    assert (promise.properties["by"], promise.properties["to"]) == (by, to)


@pytest.mark.parametrize(
    ("text", "to", "due"),
    [
        ("I promise I'll call.", "Ben", None),
        ("I'll send you the photos by Friday.", "Ben", "2023-05-26T23:59:59Z"),
        ("Remind me to call mom tomorrow at 5 pm.", "Ana", "2023-05-26T17:00:00Z"),
        ("Can you remind me to pay rent next week?", "Ana", "2023-06-04T23:59:59Z"),
        ("I'll send Lena the report by Friday.", "Lena", "2023-05-26T23:59:59Z"),
        ("I'll write to Lena by Friday.", "Lena", "2023-05-26T23:59:59Z"),
        ("I promised Lena to water the plants.", "Lena", None),
        ("I'll send you the photos of Lena.", "Ben", None),
        ("I'll finish the report by Friday.", "Ben", "2023-05-26T23:59:59Z"),
        ("Brilliant, I'll drive you, I promise.", "Ben", None),
    ],
)
def test_a_promise_says_by_whom_to_whom_and_when(text: str, to: str, due: str | None) -> None:
    (promise,) = [s for s in seen(text) if s.type == "promise"]
    assert (promise.properties["by"], promise.properties["to"], promise.properties["due"]) == ("Ana", to, due)


@pytest.mark.parametrize(
    "text",
    [
        "These photos remind me of Rome.",
        "I'll be right there.",
        "I can't promise anything.",
        "Will I call you?",
        "I never promised Lena a pony.",
        "I promised Lena nothing.",
    ],
)
def test_what_is_no_promise(text: str) -> None:
    assert [s.name for s in seen(text) if s.type == "promise"] == []


def test_at_most_one_question_a_turn() -> None:
    text = "How was the trip to Rome? What did you eat there? Who came along with you?"
    assert len([s for s in seen(text) if s.type == "question"]) == 1


def test_a_relation_names_the_person_and_how_they_are_called() -> None:
    (jane,) = [s for s in seen("My sister Jane called.") if s.name == "Jane"]
    assert jane.aliases == ("Ana's sister",)
    assert jane.properties == {"relation": "sister", "of": "Ana"}
