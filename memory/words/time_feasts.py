"""Feasts: days with a name of their own, and the year in which somebody means them."""

from __future__ import annotations

import re
from datetime import date, timedelta

from memory.words.time_atoms import STEP, YEAR, in_year
from memory.words.time_spans import Calendar, Days, day, weekend

_FIXED = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "new years": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "bonfire night": (11, 5),
    "may day": (5, 1),
    "valentine's": (2, 14),
    "independence day": (7, 4),
    "fourth of july": (7, 4),
    "st. patrick's day": (3, 17),
    "st patrick's day": (3, 17),
    "all saints' day": (11, 1),
    "thanksgiving": (11, 25),
}
_FROM_EASTER = {
    "pancake day": -47,
    "shrove tuesday": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "easter sunday": 0,
    "easter monday": 1,
    "easter": 0,
    "whitsun": 49,
    "pentecost": 49,
    "whit monday": 50,
}
"""Days after Easter Sunday."""
FEAST_NAMES = tuple(map(re.escape, (*sorted(_FROM_EASTER, key=len, reverse=True), *_FIXED)))
"""Patterns, a longer name before what it contains."""
_WHICH = r"(?P<which>this past|this coming|last|past|this|next|coming)"
FEAST = (
    rf"(?:{_WHICH} )?(?P<holiday>{'|'.join(FEAST_NAMES)})(?: (?:of )?(?P<y>{YEAR}))?"
    r"(?: (?P<of>last|this|next) year)?(?!\w)"
)
"""A feast by name, with the year if it is told."""


def feast(match: re.Match[str], calendar: Calendar) -> Days:
    """The day of a feast."""
    name = match.group("holiday").lower()
    which = (match.group("which") or "").lower()
    if match.group("y"):
        return day(_in(name, int(match.group("y"))))
    if match.group("of"):
        return day(_in(name, calendar.today.year + STEP[match.group("of").lower()]))
    near = _in(name, calendar.today.year)
    return day(_in(name, in_year(calendar, near.month, near.day, which)))


def beside_feast(match: re.Match[str], calendar: Calendar) -> Days:
    """The day after Christmas, the weekend before Easter: seven days make a week, and a weekend is the nearest."""
    there, unit = feast(match, calendar).first, match.group("unit").lower()
    after = match.group("side").lower() == "after"
    if unit == "week":
        return day(there + timedelta(days=1 if after else -7), 7, "week")
    if unit == "weekend":
        return weekend(
            there + timedelta(days=(5 - there.weekday()) % 7 or 7)
            if after
            else there - timedelta(days=there.weekday() + 2)
        )
    return day(there + timedelta(days=1 if after else -1))


def feast_before_last(match: re.Match[str], calendar: Calendar) -> Days:
    """The Christmas before last."""
    name = match.group("holiday").lower()
    near = _in(name, calendar.today.year)
    return day(_in(name, in_year(calendar, near.month, near.day, "last") - 1))


def between_the_years(match: re.Match[str], calendar: Calendar) -> Days:
    """Between Christmas and New Year: the days from the one to the other, both with it."""
    first = date(in_year(calendar, 12, 25), 12, 25)
    return day(first, 8)


def new_year(match: re.Match[str], calendar: Calendar) -> Days:
    """At New Year: the day that is nearest in the preferred direction."""
    return day(date(in_year(calendar, 1, 1), 1, 1))


def _in(name: str, year: int) -> date:
    if name == "thanksgiving":
        first = date(year, 11, 1)
        return first + timedelta(days=(3 - first.weekday()) % 7 + 21)
    if name in _FROM_EASTER:
        return _easter(year) + timedelta(days=_FROM_EASTER[name])
    return date(year, *_FIXED[name])


def _easter(year: int) -> date:
    """Gregorian Easter Sunday (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    return date(year, (h + k - 7 * m + 114) // 31, (h + k - 7 * m + 114) % 31 + 1)
