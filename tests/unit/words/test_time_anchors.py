"""Which questions tell a time by an event, in which relation, and what is left of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.event_words import KINDS, STAY
from memory.words.time_anchors import anchored
from tests.unit.retrieval.calendar_lives import NOT_BY_EVENT, WRITTEN_FIRST, WRITTEN_LATER


@pytest.mark.parametrize(
    ("text", "relation", "event", "rest"),
    [
        ("What did I do during my trip to Lisbon?", "during", "my trip to Lisbon", "What did I do"),
        ("During my trip to Lisbon, who did I meet?", "during", "my trip to Lisbon", "who did I meet"),
        ("After the surgery who did I meet?", "after", "the surgery", "who did I meet"),
        ("What did Anna do while she was in Berlin?", "during", "she was in Berlin", "What did Anna do"),
        ("What has changed since I started at Acme?", "since", "I started at Acme", "What has changed"),
        ("What did I read until the wedding?", "until", "the wedding", "What did I read"),
        ("Where did I eat on the day I moved?", "of", "I moved", "Where did I eat"),
        ("What did I cook on my Lisbon trip?", "during", "my Lisbon trip", "What did I cook"),
        (
            "Was habe ich während der Reise nach Madeira gemacht?",
            "during",
            "der Reise nach Madeira",
            "Was habe ich gemacht",
        ),
        ("Wen habe ich nach der Operation getroffen?", "after", "der Operation", "Wen habe ich getroffen"),
        ("Was ist passiert, nachdem ich umgezogen bin?", "after", "ich umgezogen bin", "Was ist passiert"),
        ("Was habe ich seit der Hochzeit gebacken?", "since", "der Hochzeit", "Was habe ich gebacken"),
    ],
)
def test_relation_event_and_rest(text: str, relation: str, event: str, rest: str) -> None:
    told = anchored(text)
    assert told is not None
    assert (told.relation, [each.text for each in told.events], told.rest) == (relation, [event], rest)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What happened two weeks before the move?", ("away", -1, 2, "week")),
        ("What happened a couple of months after the wedding?", ("away", 1, 2, "month")),
        ("What happened 10 days after the surgery?", ("away", 1, 10, "day")),
        ("What did I do in the two weeks before the move?", ("beside", -1, 2, "week")),
        ("What did I do the day after the wedding?", ("beside", 1, 1, "day")),
        ("What did I do shortly after the move?", ("beside", 1, 1, "week")),
        ("What did I do in the week of the move?", ("of", 0, 1, "week")),
        ("Was habe ich zwei Wochen vor dem Umzug gemacht?", ("away", -1, 2, "week")),
        ("Was war in der Woche nach der Operation?", ("beside", 1, 1, "week")),
        ("Was war am Tag der Hochzeit?", ("of", 0, 1, "day")),
    ],
)
def test_how_far_and_on_which_side(text: str, told: tuple[str, int, int, str]) -> None:
    found = anchored(text)
    assert found is not None
    assert (found.relation, found.side, found.count, found.unit) == told


def test_an_event_is_its_own_words_its_kind_and_whose_it_is() -> None:
    lisbon = anchored("What did I do during my trip to Lisbon?")
    assert lisbon is not None
    (trip,) = lisbon.events
    assert (trip.needs, trip.kinds, trip.own, trip.names) == (("lisbon",), (STAY,), True, ())
    berlin = anchored("What was Anna working on while she was in Berlin?")
    assert berlin is not None
    assert (berlin.events[0].own, berlin.events[0].names) == (False, ("anna",))
    back = anchored("What did Anna do after she came back from Berlin?")
    assert back is not None
    assert (back.events[0].needs, back.events[0].over) == (("berlin",), True)
    both = anchored("What happened between the wedding and my move?")
    assert both is not None
    assert [each.text for each in both.events] == ["the wedding", "my move"]


@pytest.mark.parametrize("text", [each for each in NOT_BY_EVENT if "Paris" not in each])
def test_what_names_no_event(text: str) -> None:
    assert anchored(text) is None


def test_what_only_reads_like_one() -> None:
    assert anchored("What do I do before the surgery?") is None, "of what is to come a calendar knows nothing"
    assert anchored("What did we see on our trip to Rome last year?") is None, "it tells its time itself"
    assert anchored("What did we talk about during our conversations?") is None
    assert anchored("Who looked after the dog?") is None
    assert anchored("What was the difference between the wedding and the move?") is None
    assert anchored("Between the old flat and the new house, which one was cheaper?") is None
    assert anchored("") is None
    assert anchored("What did I do before " + "the move and " * 30 + "the move?") is None, "too long"


def test_a_count_is_read_however_its_letters_are_written() -> None:
    six = anchored("What did I do \u017fix weeks before the move?")
    assert six is not None
    assert (six.relation, six.count) == ("away", 6)


def test_every_question_of_the_lives_names_its_event() -> None:
    assert [each.text for each in (*WRITTEN_FIRST, *WRITTEN_LATER) if anchored(each.text) is None] == []


def test_no_word_asks_for_two_kinds() -> None:
    listed = [word for kind in KINDS for word in kind.asks]
    assert sorted(set(listed)) == sorted(listed)


CUES = (
    "did",
    "i",
    "after",
    "while",
    "between",
    "and",
    "two",
    "weeks before",
    "the day of",
    "when",
    "on my trip",
    ",",
    "was",
    "vor der",
    "nach dem Umzug",
    "seit",
    "ich",
)


@given(st.text(max_size=320) | st.lists(st.sampled_from(CUES), max_size=60).map(" ".join))
def test_any_text_is_read_in_time(text: str) -> None:
    began = time.process_time()
    anchored(text)
    assert time.process_time() - began < 0.5
