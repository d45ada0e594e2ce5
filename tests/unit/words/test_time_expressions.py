"""Said on Thursday 25 May 2023, 13:14 UTC, if nothing else is said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.timeline import DAY_S
from memory.words.time_expressions import resolve
from memory.words.time_spans import label

THURSDAY = datetime(2023, 5, 25, 13, 14, tzinfo=UTC).timestamp()


def days(text: str, prefer: str = "past", anchor: float = THURSDAY, offset_s: int = 0) -> tuple[date, date, str]:
    """First and last local day of the only expression, and its grain."""
    (span,) = resolve(text, anchor, offset_s, prefer)
    assert span.start is not None
    assert span.end is not None
    first, last = (datetime.fromtimestamp(at + offset_s, UTC).date() for at in (span.start, span.end - 1))
    return first, last, span.grain


def d(month: int, day: int, year: int = 2023) -> date:
    return date(year, month, day)


PAST = [
    ("I went yesterday", d(5, 24), d(5, 24), "day"),
    ("this morning", d(5, 25), d(5, 25), "day"),
    ("last night", d(5, 24), d(5, 24), "day"),
    ("the day before yesterday", d(5, 23), d(5, 23), "day"),
    ("the other day", d(5, 20), d(5, 24), "day"),
    ("last Saturday", d(5, 20), d(5, 20), "day"),
    ("last Thursday", d(5, 18), d(5, 18), "day"),
    ("last Fri", d(5, 19), d(5, 19), "day"),
    ("on Monday", d(5, 22), d(5, 22), "day"),
    ("Tuesday last week", d(5, 16), d(5, 16), "day"),
    ("two Fridays ago", d(5, 12), d(5, 12), "day"),
    ("last week", d(5, 15), d(5, 21), "week"),
    ("this week", d(5, 22), d(5, 28), "week"),
    ("last weekend", d(5, 20), d(5, 21), "weekend"),
    ("over the weekend", d(5, 20), d(5, 21), "weekend"),
    ("two weekends ago", d(5, 13), d(5, 14), "weekend"),
    ("last month", d(4, 1), d(4, 30), "month"),
    ("last year", d(1, 1, 2022), d(12, 31, 2022), "year"),
    ("three days ago", d(5, 22), d(5, 22), "day"),
    ("a few days ago", d(5, 22), d(5, 22), "day"),
    ("two weeks ago", d(5, 8), d(5, 14), "week"),
    ("about three months ago", d(2, 1), d(2, 28), "month"),
    ("4 years ago", d(1, 1, 2019), d(12, 31, 2019), "year"),
    ("a few years ago", d(1, 1, 2020), d(12, 31, 2020), "year"),
    ("half a year ago", d(11, 1, 2022), d(11, 30, 2022), "month"),
    ("over the past few weeks", d(5, 4), d(5, 25), "week"),
    ("in June", d(6, 1, 2022), d(6, 30, 2022), "month"),
    ("in April", d(4, 1), d(4, 30), "month"),
    ("early May", d(5, 1), d(5, 10), "month"),
    ("last May", d(5, 1, 2022), d(5, 31, 2022), "month"),
    ("May 8th", d(5, 8), d(5, 8), "day"),
    ("8 May 2022", d(5, 8, 2022), d(5, 8, 2022), "day"),
    ("on the 8th", d(5, 8), d(5, 8), "day"),
    ("on the 28th", d(4, 28), d(4, 28), "day"),
    ("2023-04-05", d(4, 5), d(4, 5), "day"),
    ("4/7/23", d(4, 7), d(4, 7), "day"),
    ("from May 3 to May 10", d(5, 3), d(5, 10), "day"),
    ("between 2015 and 2018", d(1, 1, 2015), d(12, 31, 2018), "year"),
    ("in 2019", d(1, 1, 2019), d(12, 31, 2019), "year"),
    ("the 90s", d(1, 1, 1990), d(12, 31, 1999), "decade"),
    ("we met in the summer when it rained", d(6, 1, 2022), d(8, 31, 2022), "season"),
    ("last summer", d(6, 1, 2022), d(8, 31, 2022), "season"),
    ("in the summer of 2021", d(6, 1, 2021), d(8, 31, 2021), "season"),
    ("at Christmas", d(12, 25, 2022), d(12, 25, 2022), "day"),
    ("Thanksgiving last year", d(11, 24, 2022), d(11, 24, 2022), "day"),
    ("Easter 2023", d(4, 9), d(4, 9), "day"),
    ("earlier this year", d(1, 1), d(5, 25), "year"),
]

FUTURE = [
    ("tomorrow", d(5, 26), d(5, 26), "day"),
    ("next Friday", d(5, 26), d(5, 26), "day"),
    ("by Friday", d(5, 26), d(5, 26), "day"),
    ("on Monday", d(5, 29), d(5, 29), "day"),
    ("this weekend", d(5, 27), d(5, 28), "weekend"),
    ("next week", d(5, 29), d(6, 4), "week"),
    ("next month", d(6, 1), d(6, 30), "month"),
    ("in two weeks", d(6, 5), d(6, 11), "week"),
    ("in the next few months", d(5, 25), d(8, 25), "month"),
    ("by the end of the month", d(5, 22), d(5, 31), "month"),
    ("in April", d(4, 1, 2024), d(4, 30, 2024), "month"),
    ("this summer", d(6, 1), d(8, 31), "season"),
    ("on the 8th", d(6, 8), d(6, 8), "day"),
    ("Halloween", d(10, 31), d(10, 31), "day"),
]


@pytest.mark.parametrize(("text", "first", "last", "grain"), PAST)
def test_looking_back(text: str, first: date, last: date, grain: str) -> None:
    assert days(text) == (first, last, grain)


@pytest.mark.parametrize(("text", "first", "last", "grain"), FUTURE)
def test_looking_ahead(text: str, first: date, last: date, grain: str) -> None:
    assert days(text, "future") == (first, last, grain)


@pytest.mark.parametrize(
    "text",
    ["every Tuesday", "twice a week", "each summer", "on Mondays", "three days a week", "daily", "every other day"],
)
def test_a_recurrence_is_no_date(text: str) -> None:
    (span,) = resolve(text, THURSDAY)
    assert (span.kind, span.start, span.end) == ("recurrence", None, None)


@pytest.mark.parametrize(
    ("text", "start"),
    [("for 4 years now", d(5, 25, 2019)), ("for two weeks", d(5, 11)), ("for 10 years", d(5, 25, 2013))],
)
def test_a_duration_has_a_start_and_no_end(text: str, start: date) -> None:
    (span,) = resolve(text, THURSDAY)
    assert (span.kind, span.end, span.approximate) == ("duration", None, True)
    assert span.start == datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp()


def test_since_is_open() -> None:
    (span,) = resolve("since 2016", THURSDAY)
    assert (span.start, span.end) == (datetime(2016, 1, 1, tzinfo=UTC).timestamp(), None)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I only drink tea since Monday", d(5, 22)),
        ("I am vegan since June", d(6, 1, 2022)),
        ("since 3 July", d(7, 3, 2022)),
    ],
)
def test_since_looks_back_in_every_tense(text: str, first: date) -> None:
    for prefer in ("past", "future"):
        (span,) = resolve(text, THURSDAY, 0, prefer)
        assert span.start == datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "moment", "grain"),
    [
        ("tomorrow at 5 pm", datetime(2023, 5, 26, 17, tzinfo=UTC), "hour"),
        ("at 17:45", datetime(2023, 5, 25, 17, 45, tzinfo=UTC), "minute"),
        ("last night at 8:30", datetime(2023, 5, 24, 20, 30, tzinfo=UTC), "minute"),
        ("half an hour ago", datetime(2023, 5, 25, 12, 44, tzinfo=UTC), "hour"),
        ("in 10 minutes", datetime(2023, 5, 25, 13, 24, tzinfo=UTC), "minute"),
        ("tomorrow at noon", datetime(2023, 5, 26, 12, tzinfo=UTC), "hour"),
    ],
)
def test_clock_times(text: str, moment: datetime, grain: str) -> None:
    (span,) = resolve(text, THURSDAY, prefer="future")
    assert (span.start, span.grain) == (moment.timestamp(), grain)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("last night at 2 am", datetime(2023, 5, 25, 2, tzinfo=UTC)),
        ("last night at 2:30", datetime(2023, 5, 25, 2, 30, tzinfo=UTC)),
        ("last night at 12:30", datetime(2023, 5, 25, 0, 30, tzinfo=UTC)),
        ("last night at midnight", datetime(2023, 5, 25, tzinfo=UTC)),
        ("last night at 11 pm", datetime(2023, 5, 24, 23, tzinfo=UTC)),
        ("tonight at midnight", datetime(2023, 5, 26, tzinfo=UTC)),
        ("tomorrow night at 12:30 am", datetime(2023, 5, 27, 0, 30, tzinfo=UTC)),
        ("this afternoon at 12:15", datetime(2023, 5, 25, 12, 15, tzinfo=UTC)),
        ("tomorrow evening at 7:30", datetime(2023, 5, 26, 19, 30, tzinfo=UTC)),
        ("today or tomorrow at 5 pm", datetime(2023, 5, 26, 17, tzinfo=UTC)),
    ],
)
def test_a_clock_time_lies_in_the_night_that_was_said(text: str, moment: datetime) -> None:
    assert resolve(text, THURSDAY)[-1].start == moment.timestamp()


@pytest.mark.parametrize(
    ("text", "prefer", "hour", "first"),
    [
        ("at 7 am", "future", 21, datetime(2023, 5, 26, 7, tzinfo=UTC)),
        ("at 7 am", "past", 21, datetime(2023, 5, 25, 7, tzinfo=UTC)),
        ("at 7 am", "future", 6, datetime(2023, 5, 25, 7, tzinfo=UTC)),
        ("by midnight", "future", 20, datetime(2023, 5, 26, tzinfo=UTC)),
        ("since 7 am", "future", 21, datetime(2023, 5, 25, 7, tzinfo=UTC)),
        ("from 9 am to 5 pm", "future", 21, datetime(2023, 5, 26, 9, tzinfo=UTC)),
        ("from 9 am to 5 pm", "future", 12, datetime(2023, 5, 25, 9, tzinfo=UTC)),
        ("from 10 pm to 6 am", "past", 12, datetime(2023, 5, 24, 22, tzinfo=UTC)),
    ],
)
def test_a_clock_time_to_come_is_the_next_one(text: str, prefer: str, hour: int, first: datetime) -> None:
    (span,) = resolve(text, datetime(2023, 5, 25, hour, tzinfo=UTC).timestamp(), prefer=prefer)
    assert span.start == first.timestamp()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I go every Friday at 8 pm", "every Friday at 8 pm"),
        ("I get up at 6 am every day", "at 6 am every day"),
        ("It runs every Friday from 8 pm to 9 pm", "every Friday from 8 pm to 9 pm"),
    ],
)
def test_the_clock_time_of_a_recurrence_is_a_part_of_it(text: str, words: str) -> None:
    (span,) = resolve(text, THURSDAY, prefer="future")
    assert (span.text, span.kind, span.start, label(span)) == (words, "recurrence", None, "")


def test_a_clock_time_of_another_sentence_is_no_part_of_a_recurrence() -> None:
    spans = resolve("I jog every day. At 8 pm I read.", THURSDAY)
    assert [each.kind for each in spans] == ["recurrence", "point"]


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "we march on",
        "the sun sat low",
        "a second one",
        "31 6 2020",
        "99/99/2020",
        "my 2016 car",
        "in 400 years",
        "",
        "May",
        "the summer reading report is ready",
        "I posted the winter coat",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert resolve(text, THURSDAY) == []


def test_several_expressions_come_in_order_and_apart() -> None:
    text = "Yesterday I planned it, last week I dreamt it, and next month I go every day."
    spans = resolve(text, THURSDAY)
    assert [span.text for span in spans] == ["Yesterday", "last week", "next month", "every day"]
    assert all(text[span.at : span.at + len(span.text)] == span.text for span in spans)


def test_the_day_is_the_speakers_own() -> None:
    late = datetime(2023, 5, 25, 23, 30, tzinfo=UTC).timestamp()
    (span,) = resolve("today", late, 2 * 3600)
    assert span.start == datetime(2023, 5, 25, 22, tzinfo=UTC).timestamp()
    assert days("today", anchor=late, offset_s=2 * 3600)[0] == d(5, 26)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("yesterday", "24 May 2023"),
        ("last week", "the week of 15 May 2023"),
        ("last month", "April 2023"),
        ("last year", "2022"),
        ("last summer", "summer 2022"),
        ("for 4 years", "since 2019"),
        ("every day", ""),
        ("the 90s", "the 1990s"),
        ("from May 3 to May 10", "3 May 2023 to 10 May 2023"),
    ],
)
def test_label(text: str, words: str) -> None:
    assert label(resolve(text, THURSDAY)[0]) == words


DAY_GRAIN = ["yesterday", "today", "tomorrow", "three days ago", "in five days", "the day before yesterday"]


@given(st.sampled_from(DAY_GRAIN), st.integers(-20_000, 20_000))
def test_shifting_the_anchor_shifts_days(text: str, k: int) -> None:
    (here,), (there,) = resolve(text, THURSDAY), resolve(text, THURSDAY + k * DAY_S)
    assert here.start is not None
    assert there.start == here.start + k * DAY_S


@given(st.sampled_from([text for text, *_ in PAST + FUTURE]), st.integers(-2_000, 2_000))
def test_shifting_by_whole_weeks_keeps_weekdays(text: str, weeks: int) -> None:
    for span in resolve(text, THURSDAY + weeks * 7 * DAY_S):
        assert span.start is not None
        assert span.end is None or span.start < span.end


@given(st.sampled_from([text for text, *_ in PAST + FUTURE]), st.integers(-12, 14).map(lambda h: h * 3600))
def test_spans_of_days_begin_at_local_midnight(text: str, offset_s: int) -> None:
    (span,) = resolve(text, THURSDAY, offset_s)
    assert span.start is not None
    assert (span.start + offset_s) % DAY_S == 0


@given(st.text(max_size=200), st.sampled_from(["past", "future"]))
def test_any_text_resolves_to_ordered_disjoint_spans(text: str, prefer: str) -> None:
    spans = resolve(text, THURSDAY, 0, prefer)
    ends = [span.at + len(span.text) for span in spans]
    assert all(end <= after.at for end, after in zip(ends, spans[1:], strict=False))


def test_a_year_ago_stays_the_same_when_imported_later() -> None:
    assert resolve("last year", THURSDAY) == resolve("last year", THURSDAY)
    assert timedelta(days=365) == timedelta(seconds=365 * DAY_S)


@pytest.mark.parametrize("text", ["it is 2/3 full", "they scored 11/17", "on 1/2 of the days", "open 24/7", "on 45/46"])
def test_a_fraction_is_no_date(text: str) -> None:
    assert resolve(text, THURSDAY) == []


NEAR = [
    ("on 14 June", "past", d(6, 14)),
    ("on 14 April", "future", d(4, 14)),
    ("in August", "past", d(8, 1)),
    ("in February", "future", d(2, 1)),
    ("in November", "past", d(11, 1, 2022)),
    ("on 3 December", "past", d(12, 3, 2022)),
    ("in January", "future", d(1, 1)),
    ("last August", "past", d(8, 1, 2022)),
    ("next April", "future", d(4, 1, 2024)),
]


@pytest.mark.parametrize(("text", "prefer", "first"), NEAR)
def test_what_is_said_names_a_month_that_is_near(text: str, prefer: str, first: date) -> None:
    (span,) = resolve(text, THURSDAY, 0, prefer, nearest=True)
    assert span.start is not None
    assert datetime.fromtimestamp(span.start, UTC).date() == first


def test_near_is_over_the_turn_of_a_year_too() -> None:
    december = datetime(2023, 12, 9, tzinfo=UTC).timestamp()
    (span,) = resolve("on 2 February", december, 0, "past", nearest=True)
    assert label(span) == "2 February 2024"
    january = datetime(2024, 1, 9, tzinfo=UTC).timestamp()
    (span,) = resolve("on 2 November", january, 0, "future", nearest=True)
    assert label(span) == "2 November 2023"
    (span,) = resolve("since 2 February", january, 0, "future", nearest=True)
    assert label(span) == "since 2 February 2023"
