"""What time expressions are made of: names, counts and parts as patterns, and the rules that read each alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from memory.words.calendar_names import MONTHS, WEEKDAYS
from memory.words.numerals import TEEN, TENS, TO_TWELVE, VALUES
from memory.words.time_spans import Calendar, Days, TimeSpan, day

Builder = Callable[[re.Match[str], Calendar], "Days | TimeSpan | None"]
"""Puts a match on a calendar; None, or a ValueError, for words that only look like a time."""

_MONTH_NAMES = [name[:3].lower() for name in MONTHS]
_DAY_NAMES = [name[:3].lower() for name in WEEKDAYS]
_NUMBERS = VALUES | {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}

MONTH_NAME = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?"
)
DAY_NAME = r"mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thur?s?(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
SEASON_NAME = r"spring|summer|autumn|fall|winter"
YEAR = r"(?:19|20)\d\d"
COUNT = rf"(?:(?:a|the) )?(?:couple(?: of)?|few)|several|\d{{1,3}}|an?|{TENS}|{TEEN}|{TO_TWELVE}"
PART = r"(?:(?:the )?(?P<part>early|mid|middle|late|beginning|start|end)(?: of| in)?(?: the)?[ -])"
PARTS = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "late",
}
STEP = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "previous": -1,
    "this": 0,
    "the": 0,
    "next": 1,
    "coming": 1,
    "this coming": 1,
    "following": 1,
}
"""How many units on from the present one a word looks."""
NEAR_MONTHS = 4
"""Months within which a date without a year is meant whatever the tense says. So, and by what the rules of English add,
964 of 1,001 dates and months in invented worlds get their year, by tense alone 794 (docs/decisions/0124)."""
_DAYS = 31
"""Days of a month, at most."""


def number_of(words: str) -> int:
    """A few 3, a couple of 2, half 0, twenty-five 25."""
    if words.lower().startswith("half"):
        return 0
    *_, tens, last = ["", *words.lower().removesuffix(" of").replace("-", " ").split()]
    return int(last) if last.isdigit() else VALUES.get(tens, 0) + _NUMBERS[last]


def month_number(name: str) -> int:
    """1 to 12, of a name or its beginning."""
    return _MONTH_NAMES.index(name.lower()[:3]) + 1


def weekday_number(name: str) -> int:
    """Monday is 0, of a name or its beginning."""
    return _DAY_NAMES.index(name.lower()[:3])


def coming_weekday(name: str, calendar: Calendar) -> Days:
    """The next day of that name after today."""
    return day(calendar.today + timedelta(days=(weekday_number(name) - calendar.today.weekday()) % 7 or 7))


def in_year(calendar: Calendar, number: int, on: int | None = None, which: str | None = None) -> int:
    """The year a bare month (and day) means: this/last/next said so, else the nearest in the preferred direction."""
    today = calendar.today
    key = (number, on if on is not None else today.day)
    now = (today.month, today.day)
    ahead = key > now if on is not None else number > today.month
    behind = key < now if on is not None else number < today.month
    if which in ("last", "past", "this past"):
        return today.year - (0 if behind else 1)
    if which == "next":
        return today.year + (0 if ahead else 1)
    if which == "this" or _is_near(calendar, number, on):
        return today.year
    other = 1 if behind else -1 if ahead else 0
    if _is_near(calendar, number + 12 * other, on):
        return today.year + other
    if calendar.prefer == "future":
        return today.year + (1 if behind else 0)
    return today.year - (1 if ahead else 0)


def _is_near(calendar: Calendar, number: int, on: int | None) -> bool:
    """Whether a month (13 is January of next year), or a day of it, is so near that no tense says otherwise."""
    today = calendar.today
    off = number - today.month + (0 if on is None else (on - today.day) / _DAYS)
    return calendar.nearest and abs(off) <= NEAR_MONTHS
