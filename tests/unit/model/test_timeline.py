"""Instants and intervals: quantised once, half-open, open where nothing is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model.timeline import (
    DAY_S,
    EARLIEST,
    LATEST,
    Interval,
    days_between,
    from_datetime,
    instant,
    iso,
    to_datetime,
)

SPAN = range(8)
bounds = st.none() | st.integers(0, len(SPAN) - 1).map(float)
intervals = st.builds(Interval, bounds, bounds).filter(
    lambda each: each.start is None or each.end is None or each.start < each.end
)
moments = st.floats(EARLIEST, LATEST)


def held(interval: Interval) -> set[int]:
    """The whole moments of a span within an interval, by hand; where it is open, those beyond the span as well."""
    start = -1 if interval.start is None else int(interval.start)
    end = len(SPAN) + 1 if interval.end is None else int(interval.end)
    return set(range(start, end))


@given(intervals, intervals)
def test_two_overlap_where_they_share_a_moment(one: Interval, other: Interval) -> None:
    assert one.overlaps(other) == other.overlaps(one) == bool(held(one) & held(other))


@given(intervals, st.sampled_from(SPAN))
def test_it_holds_its_beginning_and_not_its_end(interval: Interval, moment: int) -> None:
    assert interval.holds(float(moment)) == (moment in held(interval))


@given(moments)
def test_an_instant_is_whole_milliseconds_and_quantised_once(seconds: float) -> None:
    assert abs(instant(seconds) - seconds) <= 0.0005 + 1e-6
    assert instant(instant(seconds)) == instant(seconds)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), EARLIEST - 1, LATEST + 1])
def test_what_no_memory_can_hold_is_refused(seconds: float) -> None:
    with pytest.raises(Invalid):
        instant(seconds)


@given(moments.map(lambda seconds: float(int(seconds))), st.integers(-12 * 3600, 14 * 3600))
def test_a_moment_is_the_same_at_any_offset(seconds: float, offset_s: int) -> None:
    there = to_datetime(seconds, offset_s)
    assert there.utcoffset() == timedelta(seconds=offset_s)
    assert from_datetime(there) == seconds


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(Invalid, match="zone"):
        from_datetime(datetime(2026, 1, 1))
    at_noon = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert from_datetime(at_noon) == datetime(2026, 1, 1, 10, tzinfo=UTC).timestamp()
    assert iso(from_datetime(at_noon)) == "2026-01-01T10:00:00Z"
    assert iso(None) is None


def test_days_never_run_backwards() -> None:
    assert days_between(0.0, 1.5 * DAY_S) == 1.5
    assert days_between(DAY_S, 0.0) == 0.0
