"""Questions for all of somebody or of a time are told from those that ask for anything in particular."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.model.timeline import DAY_S, Interval
from memory.words.overview_questions import CHANGED_S, LATELY_S, OverviewQuestion, asks_overview, overview_question

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()
TODAY = datetime(2026, 11, 26, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What do you know about me?", ""),
        ("so, what do you remember about me", ""),
        ("Tell me about Tom.", "Tom"),
        ("Tell me everything you know about Priya Nair!", "Priya Nair"),
        ("What can you tell me about Dr. Weidner", None),
        ("Was weißt du über mich?", ""),
        ("Erzähl mir alles von Lena", "Lena"),
        ("Tell me about Tom's new job", None),
        ("Tell me about the trip to Porto", None),
        ("What do you know about Tom and the drill?", None),
        ("What do you think about me?", None),
    ],
)
def test_about_somebody(question: str, about: str | None) -> None:
    assert overview_question(question, NOW) == (None if about is None else OverviewQuestion(about=about))
    assert asks_overview(question) == (about is not None)


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("tell me about tom", "tom"),
        ("what do you know about priya nair?", "priya nair"),
        ("was weißt du von lena", "lena"),
    ],
)
def test_a_name_that_is_written_small_is_for_the_memory_to_know(question: str, about: str) -> None:
    assert overview_question(question, NOW) == OverviewQuestion(about=about, small=True)


@pytest.mark.parametrize(
    "question",
    [
        "What happened since I moved?",
        "What's happened since I moved to Lisbon?",
        "what has been going on since I started at Acme?",
        "Was ist seit meinem Umzug passiert?",
    ],
)
def test_since_an_event_begins_when_that_was(question: str) -> None:
    assert overview_question(question, NOW) == OverviewQuestion(happened=Interval(None, NOW), anchored=True)


def test_what_changed_since_an_event_begins_when_that_was() -> None:
    for question in ("What has changed since I moved?", "What's changed since the wedding?"):
        assert overview_question(question, NOW) == OverviewQuestion(changed=Interval(None, NOW), anchored=True)


@pytest.mark.parametrize(
    "question",
    [
        "What's new?",
        "what is new with me",
        "What's been going on lately?",
        "What happened recently?",
        "What's new lately",
    ],
)
def test_lately_and_new_are_two_weeks(question: str) -> None:
    assert LATELY_S == 14 * 86_400
    assert overview_question(question, NOW) == OverviewQuestion(happened=Interval(NOW - LATELY_S, NOW))
    assert asks_overview(question)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What happened today?", TODAY, NOW),
        ("What happened yesterday?", TODAY - DAY_S, TODAY),
        ("What did I do yesterday?", TODAY - DAY_S, TODAY),
        ("Was ist gestern passiert?", TODAY - DAY_S, TODAY),
        ("What happened this week?", TODAY - 3 * DAY_S, NOW),
        ("what's been going on since Monday", TODAY - 3 * DAY_S, NOW),
    ],
)
def test_of_a_time_up_to_now(question: str, first: float, last: float) -> None:
    assert overview_question(question, NOW) == OverviewQuestion(happened=Interval(first, last))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What has changed?", NOW - CHANGED_S),
        ("What has changed lately?", NOW - LATELY_S),
        ("What's different since Monday?", TODAY - 3 * DAY_S),
        ("What has changed this week", TODAY - 3 * DAY_S),
        ("Was hat sich seit Montag geändert?", TODAY - 3 * DAY_S),
    ],
)
def test_what_changed_in_a_time_or_lately(question: str, first: float) -> None:
    assert overview_question(question, NOW) == OverviewQuestion(changed=Interval(first, NOW))


@pytest.mark.parametrize(
    "question",
    [
        "What happened?",
        "What happened to the drill yesterday?",
        "What happened at work this week?",
        "What happens next week?",
        "What did I do with the keys yesterday?",
        "What did Tom do yesterday?",
        "What happened before Monday?",
        "What will happen tomorrow?",
        "What happened on Monday or on Tuesday?",
        "",
        "What has changed about the drill?",
        "What has changed at work since Monday?",
        "What changed Tom's mind?",
        "What's new with Tom?",
        "What's new with him?",
        "What is new in the contract?",
        "What happened to him lately?",
        "What happened at work since I moved?",
        "What has changed at work since I moved?",
    ],
)
def test_whoever_asks_for_something_in_particular_is_answered_by_that(question: str) -> None:
    assert overview_question(question, NOW) is None
