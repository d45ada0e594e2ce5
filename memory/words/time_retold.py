"""How a stretch of time is called by who tells of it later: yesterday, on Wednesday, last week, in May."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.model.timeline import DAY_S, Clock, Interval, to_datetime
from memory.words.calendar_names import MONTHS, WEEKDAYS
from memory.words.german_times import GERMAN_DAYS, GERMAN_MONTHS

_YEAR = 365
"""Days."""


@dataclass(frozen=True, slots=True)
class Retelling:
    """Words, all of which are said, that mean a stretch of time if they are said in [after, before)."""

    words: tuple[str, ...]
    after: float
    before: float


def retellings(stretch: Interval, clock: Clock = 0) -> tuple[Retelling, ...]:
    """The names of a day, a weekend, a week or a month by a clock.

    Whether a Wednesday is the last or the next one, the words alone do not say.
    """
    if stretch.start is None or stretch.end is None:
        return ()
    days, first = round((stretch.end - stretch.start) / DAY_S), to_datetime(stretch.start, clock)
    called = next((names for fits, names in _NAMES if fits(days, first)), None)
    return () if called is None else tuple(called(to_datetime(stretch.end, clock), first))


def of_feast(said: str, stretch: Interval) -> tuple[Retelling, ...]:
    """The names of the feast by which a day was told: Christmas is called so until the next one is near."""
    if stretch.start is None or stretch.end is None:
        return ()
    called = next((names for feast, names in _FEASTS.items() if feast in said.lower()), ())
    return tuple(Retelling(words, stretch.end, stretch.end + (_YEAR - 31) * DAY_S) for words in called)


def _day(end: datetime, first: datetime) -> Iterator[Retelling]:
    weekday, month = WEEKDAYS[first.weekday()], MONTHS[first.month - 1]
    for word in ("yesterday", "gestern"):
        yield _within((word,), end, 1)
    for word in (weekday, *_german(GERMAN_DAYS, weekday)):
        yield _within((word,), end, 6)
    for word in (month, *_german(GERMAN_MONTHS, month)):
        yield _within((word, str(first.day)), end, _YEAR)


def _weekend(end: datetime, first: datetime) -> Iterator[Retelling]:
    for word in ("weekend", "wochenende"):
        yield _within((word,), end, 5)


def _week(end: datetime, first: datetime) -> Iterator[Retelling]:
    for words in (("last", "week"), ("letzte", "woche")):
        yield _within(words, end, 7)


def _month(end: datetime, first: datetime) -> Iterator[Retelling]:
    month = MONTHS[first.month - 1]
    for word in (month, *_german(GERMAN_MONTHS, month)):
        yield _within((word,), end, _YEAR - 31)


def _within(words: tuple[str, ...], end: datetime, days: int) -> Retelling:
    """Words that are said within so many days of an end, each of them from midnight to midnight."""
    return Retelling(words, end.timestamp(), (end + timedelta(days=days)).timestamp())


def _german(names: dict[str, str], name: str) -> list[str]:
    """In German, where that is another word."""
    return [german for german, english in names.items() if english == name and german != name.lower()]


_FEASTS = {
    "christmas": (("christmas",), ("weihnachten",)),
    "new year": (("year", "eve"), ("silvester",), ("neujahr",)),
    "easter": (("easter",), ("ostern",)),
    "halloween": (("halloween",),),
    "thanksgiving": (("thanksgiving",),),
    "valentine": (("valentine",), ("valentinstag",)),
}
_NAMES: tuple[tuple[Callable[[int, datetime], bool], Callable[[datetime, datetime], Iterator[Retelling]]], ...] = (
    (lambda days, first: days == 1, _day),
    (lambda days, first: days == 2 and first.weekday() == 5, _weekend),
    (lambda days, first: days == 7 and first.weekday() == 0, _week),
    (lambda days, first: 28 <= days <= 31 and first.day == 1, _month),
)
