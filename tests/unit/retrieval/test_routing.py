from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.model.timeline import Interval
from memory.retrieval.routing import DEFAULT_RECENCY, route

NOW = datetime(2024, 3, 15, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Why did Priya move?", "why"),
        ("When did Beatrix leave the quartet?", "when"),
        ("What year did they meet?", "when"),
        ("Who fixed the roof?", "who"),
        ("What does Arun eat?", "what"),
        ("How many dogs are there?", "what"),
        ("Tell me about Arun", "general"),
        ("", "general"),
    ],
)
def test_intent(text, intent):
    assert route(text, NOW).intent == intent


def test_what_is_asked_for():
    assert route("When was that?", NOW).asks_time
    assert route("How long did it take?", NOW).asks_time
    assert route("How many cats?", NOW).asks_count
    assert route("Wie viele Katzen?", NOW).asks_count
    assert route("Wie teuer war das Rad?", NOW).asks_count
    assert route("What did I say?", NOW).first_person
    assert route("Was haben wir gesagt?", NOW).first_person
    assert not route("What did Arun say?", NOW).first_person


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("What has Arun been reading lately?", 1.0),
        ("Where does she currently live?", 1.0),
        ("When did he move?", 0.0),
        ("What did she first study?", 0.0),
        ("Which tea does he like?", DEFAULT_RECENCY),
    ],
)
def test_recency_is_asked_for_or_not(text, strength):
    assert route(text, NOW).recency == strength


def test_days_a_question_names():
    day = datetime(2023, 5, 8, tzinfo=UTC).timestamp()
    assert route("What happened on 8 May 2023?", NOW).days == (Interval(day, day + 86_400),)
    assert route("What happened?", NOW).days == ()
    assert route("What does she do every Monday?", NOW).days == ()


def test_speakers_are_named_by_label_or_by_a_first_name_nobody_shares():
    speakers = ("Beatrix", "Valerie Smith", "PhD F", "PhD G")
    assert route("What did Beatrix's friend say?", NOW).named(speakers) == {0}
    assert route("Where is Valerie?", NOW).named(speakers) == {1}
    assert route("What did PhD G measure?", NOW).named(speakers) == {3}
    assert route("Who holds a PhD?", NOW).named(speakers) == frozenset()
    assert route("Who is it?", NOW).named(()) == frozenset()


@pytest.mark.parametrize(
    "text",
    ["Wo wohnt Felix?", "Wo wohne ich jetzt?", "Welche Firma leitet Anna?", "Wer ist Jonas?", "Ist Tom verheiratet?"],
)
def test_german_asks_about_now_by_no_word(text):
    assert route(text, NOW).present


@pytest.mark.parametrize(
    "text",
    [
        "Wo wohnte Felix?",
        "Wo hat Felix gewohnt?",
        "Wer war Jonas?",
        "Wo wohnt er seit wann?",
        "Wohin ist sie gezogen?",
        "Wo habe ich früher gearbeitet?",
        "Was hat Anna studiert?",
        "Wann zieht sie um?",
    ],
)
def test_german_asks_about_what_was(text):
    assert not route(text, NOW).present


def test_german_words_of_now_and_of_old():
    assert route("Wo arbeitet Felix derzeit?", NOW).recency == 1.0
    assert route("Wo hat Felix ursprünglich gearbeitet?", NOW).recency == 0.0
