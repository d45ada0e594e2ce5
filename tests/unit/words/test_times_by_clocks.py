"""Times told on one side of a change of clocks that lie on the other: in Berlin on 29 March and 25 October 2026."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.words.german_times import since
from memory.words.overview_questions import overview_question
from memory.words.time_expressions import resolve
from memory.words.time_named import named_times
from memory.words.time_spans import label

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


@pytest.mark.parametrize(
    ("said", "text", "prefer", "start", "end"),
    [
        ("2026-10-20T12:00", "by 31 October", "future", "2026-10-31", "2026-11-01"),
        ("2026-03-20T12:00", "by 31 March", "future", "2026-03-31", "2026-04-01"),
        ("2026-11-02T12:00", "on 20 October", "past", "2026-10-20", "2026-10-21"),
        ("2026-04-02T12:00", "on 20 March", "past", "2026-03-20", "2026-03-21"),
        ("2026-11-02T12:00", "from March to May 2026", "past", "2026-03-01", "2026-06-01"),
        ("2026-10-26T12:00", "yesterday", "past", "2026-10-25", "2026-10-26"),
        ("2026-10-24T12:00", "next week", "future", "2026-10-26", "2026-11-02"),
        ("2026-11-02T12:00", "for two weeks", "past", "2026-10-19", None),
    ],
)
def test_a_day_is_from_midnight_to_midnight_of_its_own_clock(
    said: str, text: str, prefer: str, start: str, end: str | None
) -> None:
    (span,) = resolve(text, at(said), BERLIN, prefer)
    assert (span.start, span.end) == (at(start), None if end is None else at(end))


@pytest.mark.parametrize(
    ("said", "text", "start"),
    [
        ("2026-10-20T12:00", "at 8 pm on 31 October", "2026-10-31T20:00"),
        ("2026-03-20T12:00", "at 8 pm on 31 March", "2026-03-31T20:00"),
        ("2026-10-24T12:00", "tomorrow at 7 am", "2026-10-25T07:00"),
        ("2026-03-28T21:00", "at 7 am", "2026-03-29T07:00"),
        ("2026-10-24T21:00", "at 7 am", "2026-10-25T07:00"),
        ("2026-10-24T21:00", "tomorrow night at 2 am", "2026-10-26T02:00"),
    ],
)
def test_a_clock_time_is_that_of_the_clock_of_its_day(said: str, text: str, start: str) -> None:
    (span,) = resolve(text, at(said), BERLIN, "future")
    assert span.start == at(start)


def test_hours_from_now_are_hours() -> None:
    said = at("2026-10-24T23:30")
    (span,) = resolve("in 6 hours", said, BERLIN, "future")
    assert span.start == said + 6 * 3600


def test_a_night_that_began_before_the_clocks_were_changed_began_by_the_clock_of_then() -> None:
    (span,) = resolve("from 10 pm to 6 am", at("2026-10-25T12:00"), BERLIN)
    assert (span.start, span.end) == (at("2026-10-24T22:00"), at("2026-10-25T07:00"))


def test_what_is_labelled_is_read_off_the_clock_of_its_day() -> None:
    (span,) = resolve("by 31 March", at("2026-03-20T12:00"), BERLIN, "future")
    assert label(span, BERLIN) == "31 March 2026"
    (span,) = resolve("from 1 to 3 April", at("2026-03-20T12:00"), BERLIN, "future")
    assert label(span, BERLIN) == "1 April 2026 to 3 April 2026"


def test_since_when_it_has_been_so_in_german() -> None:
    assert since("Ich wohne seit März 2026 in Halle", at("2026-05-20T12:00"), BERLIN) == at("2026-03-01")


def test_a_question_asks_for_the_whole_of_a_day_on_the_other_side() -> None:
    (stretch,) = named_times("What did I eat on 20 October?", at("2026-11-02T12:00"), BERLIN).stretches
    assert (stretch.extent.start, stretch.extent.end) == (at("2026-10-20"), at("2026-10-21"))
    asked = overview_question("What happened on 20 October?", at("2026-11-02T12:00"), BERLIN)
    assert asked is not None
    assert asked.happened == stretch.extent


@pytest.mark.parametrize(
    ("now", "asked", "before"),
    [("2026-11-02T12:00", "24 October", "2026-10-26"), ("2026-04-02T12:00", "28 March", "2026-03-30")],
)
def test_yesterday_is_said_until_the_next_midnight(now: str, asked: str, before: str) -> None:
    (stretch,) = named_times(f"What did I eat on {asked}?", at(now), BERLIN).stretches
    assert [each.before for each in stretch.retold if each.words == ("yesterday",)] == [at(before)]


def test_a_day_beyond_what_a_memory_holds_is_none() -> None:
    assert resolve("in 300 years", at("2026-03-20T12:00"), BERLIN, "future") == []


def test_without_a_zone_the_offset_that_was_told_stays() -> None:
    (span,) = resolve("by 31 October", at("2026-10-20T12:00"), 7200, "future")
    assert span.end == datetime(2026, 10, 31, 22, tzinfo=UTC).timestamp()
    assert label(span, 7200) == "31 October 2026"
    assert span.start == span.end - timedelta(days=1).total_seconds()
