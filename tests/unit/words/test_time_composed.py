"""Times composed of others, said on Thursday 25 May 2023, 13:14 UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.timeline import DAY_S
from memory.words.time_expressions import resolve
from memory.words.time_spans import label

THURSDAY = datetime(2023, 5, 25, 13, 14, tzinfo=UTC).timestamp()


def days(text: str, prefer: str) -> tuple[date, date]:
    """First and last day of the only expression."""
    (span,) = resolve(text, THURSDAY, 0, prefer)
    assert span.start is not None
    assert span.end is not None
    first, last = (datetime.fromtimestamp(at, UTC).date() for at in (span.start, span.end - 1))
    return first, last


def d(year: int, month: int, day: int) -> date:
    return date(year, month, day)


PAST = [
    ("I joined in Q3 2022", d(2022, 7, 1), d(2022, 9, 30)),
    ("we shipped it in Q1", d(2023, 1, 1), d(2023, 3, 31)),
    ("in the third quarter of 2022", d(2022, 7, 1), d(2022, 9, 30)),
    ("Q4 last year", d(2022, 10, 1), d(2022, 12, 31)),
    ("the last quarter of 2021", d(2021, 10, 1), d(2021, 12, 31)),
    ("in the second half of 2021", d(2021, 7, 1), d(2021, 12, 31)),
    ("in June last year", d(2022, 6, 1), d(2022, 6, 30)),
    ("May this year", d(2023, 5, 1), d(2023, 5, 31)),
    ("the summer of last year", d(2022, 6, 1), d(2022, 8, 31)),
    ("in June '22", d(2022, 6, 1), d(2022, 6, 30)),
    ("in the summer of '99", d(1999, 6, 1), d(1999, 8, 31)),
    ("back in '07", d(2007, 1, 1), d(2007, 12, 31)),
    ("in nineteen ninety-eight", d(1998, 1, 1), d(1998, 12, 31)),
    ("since then, in twenty twenty-one", d(2021, 1, 1), d(2021, 12, 31)),
    ("in two thousand and four", d(2004, 1, 1), d(2004, 12, 31)),
    ("in the year 2004", d(2004, 1, 1), d(2004, 12, 31)),
    ("in the nineties", d(1990, 1, 1), d(1999, 12, 31)),
    ("in the late eighties", d(1987, 1, 1), d(1989, 12, 31)),
    ("in the early 90s", d(1990, 1, 1), d(1993, 12, 31)),
    ("between Christmas and New Year", d(2022, 12, 25), d(2023, 1, 1)),
    ("at New Year", d(2023, 1, 1), d(2023, 1, 1)),
    ("the day after Christmas", d(2022, 12, 26), d(2022, 12, 26)),
    ("the weekend before Easter", d(2023, 4, 1), d(2023, 4, 2)),
    ("the weekend after Christmas", d(2022, 12, 31), d(2023, 1, 1)),
    ("on Good Friday", d(2023, 4, 7), d(2023, 4, 7)),
    ("on Easter Monday", d(2023, 4, 10), d(2023, 4, 10)),
    ("at Pentecost", d(2022, 6, 5), d(2022, 6, 5)),
    ("the summer before last", d(2021, 6, 1), d(2021, 8, 31)),
    ("the Christmas before last", d(2021, 12, 25), d(2021, 12, 25)),
    ("the Friday before last", d(2023, 5, 12), d(2023, 5, 12)),
    ("the night before last", d(2023, 5, 23), d(2023, 5, 23)),
    ("a fortnight ago", d(2023, 5, 8), d(2023, 5, 14)),
    ("over the past fortnight", d(2023, 5, 11), d(2023, 5, 25)),
    ("a year and a half ago", d(2021, 11, 1), d(2021, 11, 30)),
    ("two and a half years ago", d(2020, 11, 1), d(2020, 11, 30)),
    ("three or four years ago", d(2019, 1, 1), d(2020, 12, 31)),
    ("a day or two ago", d(2023, 5, 23), d(2023, 5, 24)),
    ("a week or so ago", d(2023, 5, 15), d(2023, 5, 21)),
    ("eighteen months ago", d(2021, 11, 1), d(2021, 11, 30)),
    ("twenty-five years ago", d(1998, 1, 1), d(1998, 12, 31)),
    ("two summers ago", d(2021, 6, 1), d(2021, 8, 31)),
    ("the first Monday in June", d(2022, 6, 6), d(2022, 6, 6)),
    ("the last Friday of April", d(2023, 4, 28), d(2023, 4, 28)),
    ("the first week of May", d(2023, 5, 1), d(2023, 5, 7)),
    ("the second weekend in June", d(2022, 6, 11), d(2022, 6, 12)),
    ("the last weekend of April", d(2023, 4, 29), d(2023, 4, 30)),
    ("on the first of June", d(2022, 6, 1), d(2022, 6, 1)),
    ("on May the fourth", d(2023, 5, 4), d(2023, 5, 4)),
    ("on the twenty-third of April", d(2023, 4, 23), d(2023, 4, 23)),
    ("the 5th of last month", d(2023, 4, 5), d(2023, 4, 5)),
    ("on 3.6.2022", d(2022, 6, 3), d(2022, 6, 3)),
    ("from the 3rd to the 7th of May", d(2023, 5, 3), d(2023, 5, 7)),
    ("3-7 May", d(2023, 5, 3), d(2023, 5, 7)),
    ("between 3 and 7 May", d(2023, 5, 3), d(2023, 5, 7)),
    ("the week of 3 May", d(2023, 5, 1), d(2023, 5, 7)),
    ("from 2012 through 2016", d(2012, 1, 1), d(2016, 12, 31)),
    ("from March to May 2021", d(2021, 3, 1), d(2021, 5, 31)),
    ("from mid-May to mid-June", d(2022, 5, 11), d(2022, 6, 20)),
    ("between May and July", d(2022, 5, 1), d(2022, 7, 31)),
    ("from November to February", d(2022, 11, 1), d(2023, 2, 28)),
    ("earlier in the week", d(2023, 5, 22), d(2023, 5, 25)),
    ("a week last Tuesday", d(2023, 5, 16), d(2023, 5, 16)),
    ("two weeks ago today", d(2023, 5, 11), d(2023, 5, 11)),
    ("late last summer", d(2022, 8, 2), d(2022, 8, 31)),
]
FUTURE = [
    ("in Q1", d(2024, 1, 1), d(2024, 3, 31)),
    ("March next year", d(2024, 3, 1), d(2024, 3, 31)),
    ("in a fortnight", d(2023, 6, 5), d(2023, 6, 11)),
    ("a week on Friday", d(2023, 6, 2), d(2023, 6, 2)),
    ("Friday week", d(2023, 6, 2), d(2023, 6, 2)),
    ("two weeks today", d(2023, 6, 8), d(2023, 6, 8)),
    ("the week after next", d(2023, 6, 5), d(2023, 6, 11)),
    ("the Friday after next", d(2023, 6, 2), d(2023, 6, 2)),
    ("the first of June", d(2023, 6, 1), d(2023, 6, 1)),
    ("on the 5th of next month", d(2023, 6, 5), d(2023, 6, 5)),
    ("in a month or two", d(2023, 6, 1), d(2023, 7, 31)),
    ("in a year and a half", d(2024, 11, 1), d(2024, 11, 30)),
    ("the last Friday of next month", d(2023, 6, 30), d(2023, 6, 30)),
    ("between Christmas and New Year", d(2023, 12, 25), d(2024, 1, 1)),
    ("from November to February", d(2023, 11, 1), d(2024, 2, 29)),
]


@pytest.mark.parametrize(("text", "first", "last"), PAST)
def test_looking_back(text: str, first: date, last: date) -> None:
    assert days(text, "past") == (first, last)


@pytest.mark.parametrize(("text", "first", "last"), FUTURE)
def test_looking_ahead(text: str, first: date, last: date) -> None:
    assert days(text, "future") == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "in her early thirties",
        "she is in her 30s",
        "you may second that",
        "in Q5",
        "question Q1",
        "he came first",
        "two and a half years",
        "in twenty twenty minutes",
        "the 31st quarter",
    ],
)
def test_what_names_no_time_of_its_own(text: str) -> None:
    assert resolve(text, THURSDAY) == []


@pytest.mark.parametrize("text", ["fortnightly", "once a fortnight", "every fortnight"])
def test_a_recurrence_is_no_date(text: str) -> None:
    (span,) = resolve(text, THURSDAY)
    assert (span.kind, span.start, span.end) == ("recurrence", None, None)


@pytest.mark.parametrize(
    ("text", "since"), [("for a year and a half", d(2021, 11, 25)), ("for a fortnight", d(2023, 5, 11))]
)
def test_a_length_is_counted_back(text: str, since: date) -> None:
    (span,) = resolve(text, THURSDAY)
    assert (span.kind, span.end) == ("duration", None)
    assert span.start == datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Q3 2022", "the quarter from July 2022"),
        ("the first half of 2020", "January 2020 to 30 June 2020"),
        ("in the late 1990s", "1997 to 31 December 1999"),
        ("the summer before last", "summer 2021"),
        ("in '98", "1998"),
    ],
)
def test_label(text: str, words: str) -> None:
    assert label(resolve(text, THURSDAY)[0]) == words


@given(st.sampled_from([text for text, *_ in PAST + FUTURE]), st.integers(-2_000, 2_000))
def test_at_any_time_a_span_begins_before_it_ends(text: str, weeks: int) -> None:
    for span in resolve(text, THURSDAY + weeks * 7 * DAY_S):
        assert span.start is not None
        assert span.end is None or span.start < span.end
