"""From when events were to the time asked about: windows, their edges, and which moments are of one event."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.timeline import DAY_S, EARLIEST, LATEST, Interval
from memory.retrieval.calendar import APART_S, Dated, Happening, Window, fullest, latest, of_events, window
from memory.words.time_anchors import anchored

START = 1_740_000_000.0
TRIP = Happening(START, START + 7 * DAY_S, (1,))
MOVE = Happening(START + 60 * DAY_S, START + 61 * DAY_S, (2,))
JOB = Happening(START, np.inf, (3,))


def days(text: str, *events: Happening) -> tuple[float, float]:
    """The window in days from the beginning of the first event."""
    asked = anchored(text)
    assert asked is not None
    found = window(asked, events)
    return (found.start - START) / DAY_S, (found.end - START) / DAY_S


@pytest.mark.parametrize(
    ("text", "event", "expected"),
    [
        ("What did I do during my trip?", TRIP, (0, 7)),
        ("What did I do before my trip?", TRIP, (-np.inf, 0)),
        ("What did I do after my trip?", TRIP, (7, np.inf)),
        ("What did I do until my trip?", TRIP, (-np.inf, 0)),
        ("What did I do since my trip?", TRIP, (0, np.inf)),
        ("What did I do two weeks before my trip?", TRIP, (-17.5, -10.5)),
        ("What did I do two weeks after my trip?", TRIP, (17.5, 24.5)),
        ("What did I do three days before my trip?", TRIP, (-3.5, -2.5)),
        ("What did I do the week before my trip?", TRIP, (-7, 0)),
        ("What did I do in the two weeks after my trip?", TRIP, (7, 21)),
        ("What did I do on the day of the move?", TRIP, (0, 1)),
        ("What did I do in the week of the move?", TRIP, (-3, 4)),
        ("What did I do after I started at Acme?", JOB, (0, np.inf)),
    ],
)
def test_where_a_window_lies_from_its_event(text: str, event: Happening, expected: tuple[float, float]) -> None:
    assert days(text, event) == pytest.approx(expected)


def test_between_two_events_whichever_is_named_first() -> None:
    for events in ((TRIP, MOVE), (MOVE, TRIP)):
        assert days("What happened between the trip and the move?", *events) == (7, 60)
    assert days("What happened between the job and the move?", JOB, MOVE) == (60, 60), "it lasts beyond the other"


def test_an_edge_is_soft_and_what_is_open_fades_by_half() -> None:
    week = Window(START, START + 8 * DAY_S)
    at = START + DAY_S * np.array([-3, -1, 0, 4, 8, 9, 11])
    assert week.degree(at).tolist() == [0, 0.5, 1, 1, 1, 0.5, 0]
    after = Window(START, np.inf, START)
    assert after.degree(START + DAY_S * np.array([-1, 0, 30, 60, 9000])).tolist() == pytest.approx(
        [0.5 * (0.5 + 0.5 * 2 ** (-1 / 30)), 1, 0.75, 0.625, 0.5]
    )
    assert Window(-np.inf, START).degree(np.array([0.0])).tolist() == [1]


MOMENTS = st.lists(st.floats(0, 4e9, allow_nan=False), min_size=1, max_size=30).map(np.array)


@given(MOMENTS, st.floats(0, 4e9), st.floats(0, 4e8), st.booleans())
def test_a_degree_is_a_share_and_whole_within(at: np.ndarray, start: float, length: float, fades: bool) -> None:
    found = Window(start, start + length, start if fades else None)
    degree = found.degree(at)
    assert ((degree >= 0) & (degree <= 1)).all()
    inside = (at >= start) & (at <= start + length)
    assert (degree[inside] >= (0.5 if fades else 1)).all()


@given(MOMENTS)
def test_what_is_of_one_event_is_a_fortnight_apart_at_most(at: np.ndarray) -> None:
    for chosen in (at[latest(at)], at[fullest(at)]):
        assert (np.diff(np.sort(chosen)) <= APART_S).all()
        others = np.setdiff1d(at, chosen)
        assert all(abs(other - chosen).min() > APART_S for other in others)
    assert at[latest(at)].max() == at.max()


def test_just_a_fortnight_is_not_apart() -> None:
    for of_one_event in (latest, fullest):
        assert of_one_event(np.array([0.0, APART_S])).tolist() == [0, 1]
        assert of_one_event(np.array([0.0, APART_S + 1])).tolist() == [1]


def test_the_fullest_is_where_most_was_said() -> None:
    at = START + DAY_S * np.array([0.0, 100, 1, 2, 200])
    assert sorted(fullest(at).tolist()) == [0, 2, 3]
    assert fullest(START + DAY_S * np.array([0.0, 100])).tolist() == [1], "of two alike the later"


def test_a_time_that_events_tell_is_open_where_no_memory_reaches() -> None:
    event = Happening(DAY_S, 2 * DAY_S, ())
    assert of_events(Dated("since", Window(DAY_S, np.inf), (event,))) == Interval(DAY_S, None)
    assert of_events(Dated("until", Window(-np.inf, DAY_S), (event,))) == Interval(None, DAY_S)
    assert of_events(Dated("all", Window(EARLIEST, LATEST), (event,))) == Interval(EARLIEST, LATEST)
    assert of_events(Dated("monday", Window(DAY_S, 2 * DAY_S))) is None, "the calendar names it, and no event"
