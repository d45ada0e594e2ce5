"""Times composed of others: Q3 2022, the first Monday in June, two and a half years ago, the day after Christmas.

Each says more than the grammar's own rows find in it, so they are looked for before those. What is told of a part or
of a span between two counts is told about (`approximate`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

from memory.words.calendar_names import WEEKDAY
from memory.words.time_atoms import (
    COUNT,
    DAY_NAME,
    MONTH_NAME,
    STEP,
    YEAR,
    Builder,
    coming_weekday,
    in_year,
    month_number,
    number_of,
    weekday_number,
)
from memory.words.time_feasts import FEAST, beside_feast, between_the_years, feast_before_last, new_year
from memory.words.time_parts import PARTS_NEED, PARTS_OF_YEARS, after_any
from memory.words.time_spans import (
    Calendar,
    Days,
    TimeSpan,
    away,
    day,
    month,
    shifted,
    week,
    weekend,
)

_RANKS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_TO_NINTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TO_TWENTIETH = (
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
)
_ORDINALS = (
    {word: place for place, word in enumerate((*_TO_NINTH, *_TO_TWENTIETH), 1)}
    | {f"twenty-{word}": 20 + place for place, word in enumerate(_TO_NINTH, 1)}
    | {"thirtieth": 30, "thirty-first": 31}
)


def _nth_weekday(match: re.Match[str], calendar: Calendar) -> Days:
    """The first Monday in June; the last Friday of next month."""
    whole, rank = _month_of(match, calendar), _RANKS[match.group("rank").lower()]
    number = weekday_number(match.group("day"))
    if rank < 0:
        last = whole.after - timedelta(days=1)
        return day(last - timedelta(days=(last.weekday() - number) % 7))
    first = whole.first + timedelta(days=(number - whole.first.weekday()) % 7)
    found = first + timedelta(days=7 * (rank - 1))
    if found >= whole.after:
        raise ValueError(f"No such {match.group('day')}")
    return day(found)


def _nth_week(match: re.Match[str], calendar: Calendar) -> Days:
    """The first week of May: its first seven days. The second weekend: of its Saturdays the second."""
    whole, rank = _month_of(match, calendar), _RANKS[match.group("rank").lower()]
    if match.group("unit").lower() == "weekend":
        first = whole.first + timedelta(days=(5 - whole.first.weekday()) % 7)
        last = whole.after - timedelta(days=1)
        final = last - timedelta(days=(last.weekday() - 5) % 7)
        return weekend(first + timedelta(days=7 * (rank - 1)) if rank > 0 else final)
    begun = whole.first + timedelta(days=7 * (rank - 1)) if rank > 0 else whole.after - timedelta(days=7)
    return replace(day(begun, 7, "week"), approximate=True)


def _month_of(match: re.Match[str], calendar: Calendar) -> Days:
    found = match.groupdict()
    if found.get("unit_of"):
        return shifted(calendar.today, STEP[found["of"].lower()], "month")
    number = month_number(found["month"])
    return month(int(found["y"]) if found.get("y") else in_year(calendar, number), number)


def _day_of_that_month(match: re.Match[str], calendar: Calendar) -> Days:
    """The 5th of next month."""
    whole = shifted(calendar.today, STEP[match.group("of").lower()], "month")
    return day(whole.first.replace(day=int(match.group("d"))))


def _ordinal_day(match: re.Match[str], calendar: Calendar) -> Days:
    """The first of June, the twenty-third of May."""
    number, on = month_number(match.group("month")), _ORDINALS[match.group("nth").lower().replace(" ", "-")]
    year = int(match.group("y")) if match.group("y") else in_year(calendar, number, on)
    return day(date(year, number, on))


def _days_of_month(match: re.Match[str], calendar: Calendar) -> Days:
    """3-7 May, from the 3rd to the 7th of May."""
    number, on, last = month_number(match.group("month")), int(match.group("d")), int(match.group("d2"))
    year = int(match.group("y")) if match.group("y") else in_year(calendar, number, on)
    return day(date(year, number, on), (date(year, number, last) - date(year, number, on)).days + 1)


def _dotted_date(match: re.Match[str], calendar: Calendar) -> Days:
    return day(date(int(match.group("y")), int(match.group("m")), int(match.group("d"))))


def _week_of(match: re.Match[str], calendar: Calendar) -> Days:
    """The week of 3 May."""
    number, on = month_number(match.group("month")), int(match.group("d"))
    year = int(match.group("y")) if match.group("y") else in_year(calendar, number, on)
    return week(date(year, number, on))


def _weekday_before_last(match: re.Match[str], calendar: Calendar) -> Days:
    """The Friday before last: the one before the latest that is over."""
    gap = (weekday_number(match.group("day")) - calendar.today.weekday()) % 7
    return day(calendar.today + timedelta(days=gap - 14))


def _night_before_last(match: re.Match[str], calendar: Calendar) -> Days:
    return day(calendar.today - timedelta(days=2))


def _after_next(match: re.Match[str], calendar: Calendar) -> Days:
    """The week after next, the Friday after next."""
    said = match.group("unit").lower()
    if said in ("week", "weekend"):
        ahead = calendar.today + timedelta(days=14)
        return week(ahead) if said == "week" else weekend(ahead)
    if said in ("month", "year"):
        return shifted(calendar.today, 2, said)
    return day(coming_weekday(said, calendar).first + timedelta(days=7))


def _week_on(match: re.Match[str], calendar: Calendar) -> Days | None:
    """A week on Friday, Friday week, tomorrow week; two weeks today, unless it is told of the past."""
    found = match.groupdict()
    said, unit = (found.get("from") or found["day"]).lower(), (found.get("unit") or "week").lower()
    weeks = number_of(found.get("n") or "one") * (2 if unit == "fortnight" else 1)
    near = {"today": 0, "tomorrow": 1}.get(said)
    if said == "today" and calendar.prefer == "past":
        return None  # I have been here a week today
    first = calendar.today + timedelta(days=near) if near is not None else coming_weekday(said, calendar).first
    return day(first + timedelta(days=7 * weeks))


def _week_last(match: re.Match[str], calendar: Calendar) -> Days:
    """A week last Tuesday, two weeks ago today: so many before it."""
    found = match.groupdict()
    weeks = number_of(found.get("n") or "one") * (2 if (found.get("unit") or "").lower() == "fortnight" else 1)
    if not found.get("day"):
        return day(calendar.today - timedelta(days=7 * weeks))
    gap = (weekday_number(found["day"]) - calendar.today.weekday()) % 7
    return day(calendar.today + timedelta(days=gap - 7 - 7 * weeks))


def _and_a_half(match: re.Match[str], calendar: Calendar) -> Days | TimeSpan:
    """Two and a half years ago, for a year and a half, in a week and a half."""
    count, unit = number_of(match.group("n")), match.group("unit").lower()
    whole, half = {"year": (12, 6), "month": (30, 15), "week": (7, 4), "day": (1, 1)}[unit]
    steps, small = count * whole + half, "month" if unit == "year" else "day"
    led = (match.group("led") or "").lower()
    if led == "for":
        start = calendar.instant(away(calendar.today, -steps, small))
        return TimeSpan(start, None, unit, "duration", True, match.group(), match.start())
    if led != "in" and not match.group("ago"):
        raise ValueError("A length alone names no time")
    return replace(shifted(calendar.today, steps if led == "in" else -steps, small), approximate=True)


def _one_or_two(match: re.Match[str], calendar: Calendar) -> Days:
    """Three or four years ago, a day or two ago, two to three weeks ago: from the one to the other."""
    unit, low = match.group("unit").lower(), number_of(match.group("n"))
    high = number_of(match.group("n2"))
    sign = -1 if match.group("ago") else 1
    ends = [shifted(calendar.today, sign * count, unit) for count in (low, high)]
    first, after = min(each.first for each in ends), max(each.after for each in ends)
    return Days(first, after, ends[0].grain, "interval", approximate=True)


def _or_so(match: re.Match[str], calendar: Calendar) -> Days:
    return replace(shifted(calendar.today, -number_of(match.group("n")), match.group("unit").lower()), approximate=True)


def _recurrence(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    return TimeSpan(None, None, "day", "recurrence", False, match.group(), match.start())


_RANK = r"(?P<rank>first|second|third|fourth|fifth|last)"
_MONTH = rf"(?P<month>{MONTH_NAME})\b"
_IN_YEAR = rf"(?:,? (?P<y>{YEAR}))?"
_OF_MONTH = rf"(?:of|in) (?:{_MONTH}{_IN_YEAR}|(?P<of>last|this|next|the) (?P<unit_of>month))"
_NTH = "|".join(sorted((word.replace("-", "[- ]") for word in _ORDINALS), key=len, reverse=True))
_TH = r"(?:st|nd|rd|th)"
_DAY = rf"(?:the )?(?P<d>\d{{1,2}}){_TH}?"
_OTHER_DAY = rf"(?:the )?(?P<d2>\d{{1,2}}){_TH}?"
_TO = r"\s?(?:-|–|to|until|till|through)\s?"
_WEEKS = r"(?P<n>a|one|two|three) (?P<unit>week|fortnight)s?"
_UNITS = r"(?P<unit>day|week|fortnight|month|year)"
_AGO = r" (?P<ago>ago|back|earlier)"
_ABOUT = "(?:about |around |nearly |almost |roughly |over )?"


_DAYS: tuple[tuple[str, Builder], ...] = (
    (rf"(?:the )?(?P<unit>day|night|morning|evening|week|weekend) (?P<side>before|after) {FEAST}", beside_feast),
    (rf"(?:the )?{FEAST} before last", feast_before_last),
    (
        r"(?:between|from) (?:christmas|xmas) (?:and|to|until) (?:the )?new year(?:'s(?: (?:eve|day))?)?",
        between_the_years,
    ),
    (
        after_any("at", "over", "around", "by", "since", "until", "before", "after") + r"(?:the )?new year(?!')",
        new_year,
    ),
    (rf"the {_RANK} (?P<day>{DAY_NAME}) {_OF_MONTH}", _nth_weekday),
    (rf"the {_RANK} (?P<unit>week|weekend) {_OF_MONTH}", _nth_week),
    (rf"(?:on )?the (?P<d>\d{{1,2}}){_TH} of (?P<of>last|this|next|the) month", _day_of_that_month),
    (rf"(?P<of>last|this|next) month,? on the (?P<d>\d{{1,2}}){_TH}", _day_of_that_month),
    (rf"(?:the )?(?P<nth>{_NTH}) of {_MONTH}{_IN_YEAR}", _ordinal_day),
    (
        rf"(?=(?-i:[A-Z])){_MONTH} (?:the )?(?P<nth>{_NTH}){_IN_YEAR}(?! (?:\w+s|thing|time|place|half|week)\b)",
        _ordinal_day,
    ),
    (rf"(?:from )?{_DAY}{_TO}{_OTHER_DAY}(?: of)? {_MONTH}{_IN_YEAR}", _days_of_month),
    (rf"between {_DAY} and {_OTHER_DAY}(?: of)? {_MONTH}{_IN_YEAR}", _days_of_month),
    (rf"(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>{YEAR})(?!\d)", _dotted_date),
    (rf"the week of {_DAY}(?: of)? {_MONTH}{_IN_YEAR}", _week_of),
    (rf"the week of {_MONTH} (?P<d>\d{{1,2}}){_TH}?{_IN_YEAR}", _week_of),
    (rf"(?:the )?(?P<day>{WEEKDAY}) before last", _weekday_before_last),
    (r"the night before last", _night_before_last),
    (rf"the (?P<unit>week|weekend|month|year|{WEEKDAY}) after next", _after_next),
    (rf"{_WEEKS} (?:(?:on|from|this) (?P<day>{WEEKDAY})|(?:from )?(?P<from>today|tomorrow))", _week_on),
    (rf"(?P<day>{WEEKDAY}|tomorrow) week(?!\w)", _week_on),
    (rf"{_WEEKS} (?:ago (?:on|last) |last )(?P<day>{WEEKDAY})", _week_last),
    (rf"{_WEEKS} ago today", _week_last),
)
_COUNTED: tuple[tuple[str, Builder], ...] = (
    (r"(?:once|\w+ times|twice) (?:a|per|every) fortnight|fortnightly|(?:every|each) fortnight", _recurrence),
    (
        rf"(?:(?P<led>for|in) )?{_ABOUT}(?P<n>{COUNT}) and a half (?P<unit>year|month|week|day)s?(?:{_AGO})?",
        _and_a_half,
    ),
    (rf"(?:(?P<led>for|in) )?{_ABOUT}(?P<n>an?|one) (?P<unit>year|month|week|day) and a half(?:{_AGO})?", _and_a_half),
    (rf"{_ABOUT}(?P<n>{COUNT})(?: or | to |(?<=\d)[-–](?=\d))(?P<n2>{COUNT}) {_UNITS}s?{_AGO}", _one_or_two),
    (rf"{_ABOUT}(?P<n>an?|one) {_UNITS} or (?P<n2>two|three){_AGO}", _one_or_two),
    (rf"in (?P<n>{COUNT})(?: or | to |(?<=\d)[-–](?=\d))(?P<n2>{COUNT}) {_UNITS}s?(?P<ago>)(?:' time)?", _one_or_two),
    (rf"in (?P<n>an?|one) {_UNITS} or (?P<n2>two|three)(?P<ago>)", _one_or_two),
    (rf"(?P<n>{COUNT}) {_UNITS}s? or so{_AGO}", _or_so),
)
COMPOSED = (*_COUNTED, *_DAYS, *PARTS_OF_YEARS)
"""First rule first, and all of them before those of the grammar."""
_ORDERED = ("first", "second", "third", "fourth", "fifth", "last ")
COMPOSED_NEEDS: Mapping[Builder, tuple[str, ...]] = {
    _recurrence: ("fortnight",),
    _and_a_half: ("and a half",),
    _one_or_two: (" or ", " to ", "-", "–"),
    _or_so: ("or so",),
    beside_feast: (" before ", " after "),
    feast_before_last: ("before last",),
    between_the_years: ("mas and ", "mas to ", "mas until "),
    new_year: ("new year",),
    _nth_weekday: _ORDERED,
    _nth_week: _ORDERED,
    _day_of_that_month: (" month",),
    _ordinal_day: (*_ORDERED, "th"),
    _days_of_month: ("#",),
    _dotted_date: ("#",),
    _week_of: ("week of",),
    _weekday_before_last: ("before last",),
    _night_before_last: ("before last",),
    _after_next: ("after next",),
    _week_on: ("week", "fortnight"),
    _week_last: ("week", "fortnight"),
    **PARTS_NEED,
}
"""Of which words, in small letters, one is in whatever a rule finds; # is any digit. Most sentences need few rules."""
