"""Parts of years and runs of them: Q3 2022, the first half of last year, June '22, the late nineties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from memory.words.numerals import DIGIT, TEEN, TENS
from memory.words.time_atoms import (
    COUNT,
    MONTH_NAME,
    PART,
    PARTS,
    SEASON_NAME,
    STEP,
    YEAR,
    Builder,
    in_year,
    month_number,
    number_of,
)
from memory.words.time_spans import Calendar, Days, away, month, months, part, season, shifted, week, years

_RANKS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_DECADES = {
    "thirties": 1930,
    "forties": 1940,
    "fifties": 1950,
    "sixties": 1960,
    "seventies": 1970,
    "eighties": 1980,
    "nineties": 1990,
    "noughties": 2000,
}
_SPOKEN_YEAR = (
    r"(?P<century>nineteen|twenty) (?P<rest>ten|eleven|twelve|" + TEEN + "|" + TENS + ")"
    rf"(?![ -]\w+s\b)(?![ -](?:{DIGIT})\b)|two thousand(?: and)? (?P<unit>{DIGIT})"
)
_SHORT_YEAR_FROM = 40
"""'40 to '99 are of the last century."""
_OF_YEAR = rf"(?:(?: (?:of|in))?(?:,)? (?P<y>{YEAR})|(?: (?:of|in))? (?P<which>last|this|next) year)"
_OF_SOMEBODY = re.compile(r"\b(?:my|his|her|their|our|your|'s) $", re.IGNORECASE)
"""In her early thirties: an age."""
_PARTS_OF_DECADES = {"": (0, 10), "early": (0, 4), "mid": (4, 3), "late": (7, 3)}
"""From which year on, and how many of them."""


def _quarter(match: re.Match[str], calendar: Calendar) -> Days:
    """Q3 2022, the third quarter of last year, in Q3: the nearest in the preferred direction."""
    which = match.group("q").lower()
    number = int(which) if which.isdigit() else _RANKS[which]
    first = 3 * number - 2
    found = match.groupdict()
    bare = not (found.get("y") or found.get("which"))
    return months(in_year(calendar, first) if bare else _told_year(match, calendar), first, 3, "quarter")


def _told_year(match: re.Match[str], calendar: Calendar) -> int:
    said = match.group("y")
    if said:
        return int(said) if len(said) == 4 else _short_year(said)
    return calendar.today.year + STEP[match.group("which").lower()]


def _short_year(digits: str) -> int:
    return int(digits) + (1900 if int(digits) >= _SHORT_YEAR_FROM else 2000)


def _half(match: re.Match[str], calendar: Calendar) -> Days:
    second = match.group("half").lower() in ("second", "2")
    return months(_told_year(match, calendar), 7 if second else 1, 6, "month")


def _of_that_year(match: re.Match[str], calendar: Calendar) -> Days:
    """In March next year, the summer of last year, May this year."""
    year, found = _told_year(match, calendar), match.groupdict()
    whole = season(year, found["season"].lower()) if found.get("season") else month(year, month_number(found["month"]))
    return part(whole, PARTS[found["part"].lower()]) if found.get("part") else whole


def _short(match: re.Match[str], calendar: Calendar) -> Days:
    """June '22, the summer of '99, in '07."""
    year, found = _short_year(match.group("short")), match.groupdict()
    if found.get("season"):
        return season(year, found["season"].lower())
    return month(year, month_number(found["month"])) if found.get("month") else years(year)


def _year(match: re.Match[str], calendar: Calendar) -> Days:
    return years(int(match.group("y")))


def _spoken(match: re.Match[str], calendar: Calendar) -> Days:
    """Nineteen ninety-eight, twenty twenty-one, two thousand and four."""
    if match.group("unit"):
        return years(2000 + number_of(match.group("unit")))
    return years({"nineteen": 1900, "twenty": 2000}[match.group("century").lower()] + number_of(match.group("rest")))


def _decade_named(match: re.Match[str], calendar: Calendar) -> Days | None:
    if _OF_SOMEBODY.search(match.string[: match.start()]):
        return None
    name = match.group("decade").lower()
    first = _DECADES.get(name) or int(name if len(name) == 4 else f"19{name}")
    since, count = _PARTS_OF_DECADES[(match.group("part") or "").lower()]
    return replace(years(first + since, count), grain="decade" if count == 10 else "year", approximate=count < 10)


def _year_span(match: re.Match[str], calendar: Calendar) -> Days:
    first, last = int(match.group("y")), int(match.group("y2"))
    return replace(years(first, last - first + 1), grain="year")


def _season_before_last(match: re.Match[str], calendar: Calendar) -> Days:
    """The summer before last: a year before the last that is over."""
    name = match.group("season").lower()
    ended = season(calendar.today.year, name).after <= calendar.today
    return season(calendar.today.year - (1 if ended else 2), name)


def _seasons_ago(match: re.Match[str], calendar: Calendar) -> Days:
    """Two summers ago: the one before the last that is over."""
    name, count = match.group("season").lower(), number_of(match.group("n"))
    ended = season(calendar.today.year, name).after <= calendar.today
    return replace(season(calendar.today.year - (0 if ended else 1) - (count - 1), name), approximate=count > 2)


def _fortnight(match: re.Match[str], calendar: Calendar) -> Days:
    """The past fortnight."""
    return Days(
        away(calendar.today, -2, "week"), calendar.today + timedelta(days=1), "week", "interval", approximate=True
    )


def _side_of_the_unit(match: re.Match[str], calendar: Calendar) -> Days:
    """Earlier in the week, later in the year."""
    unit = match.group("unit").lower()
    whole = week(calendar.today) if unit == "week" else shifted(calendar.today, 0, unit)
    after = calendar.today + timedelta(days=1)
    if match.group("side").lower() in ("earlier", "early"):
        return replace(whole, after=after, approximate=True)
    return replace(whole, first=min(after, whole.after - timedelta(days=1)), approximate=True)


_TO = r"\s?(?:-|–|to|until|till|through)\s?"
_MONTH = rf"(?P<month>{MONTH_NAME})\b"
_NAMED_SEASON = rf"(?:the )?(?P<season>{SEASON_NAME})"


def after_any(*words: str) -> str:
    """A pattern for the place after one of these words."""
    return "(?:" + "|".join(f"(?<={word} )" for word in words) + ")"


PARTS_OF_YEARS: tuple[tuple[str, Builder], ...] = (
    (rf"Q(?P<q>[1-4]){_OF_YEAR}", _quarter),
    (r"Q(?P<q>[1-4])[ /-]?'(?P<y>\d\d)", _quarter),
    (rf"(?:the )?(?P<q>first|second|third|fourth|last) quarter{_OF_YEAR}", _quarter),
    (after_any("in", "by", "since", "until", "from", "during", "of", "before", "after") + r"Q(?P<q>[1-4])", _quarter),
    (rf"(?:the )?(?P<half>first|second) half of (?:(?P<y>{YEAR})|(?P<which>last|this|next|the) year)", _half),
    (rf"H(?P<half>[12]) (?P<y>{YEAR})", _half),
    (rf"{PART}?(?:{_MONTH}|{_NAMED_SEASON})(?: of)? (?P<y>)(?P<which>last|this|next) year", _of_that_year),
    (rf"(?:{_MONTH}|{_NAMED_SEASON})(?: of)? '(?P<short>\d\d)", _short),
    (after_any("in", "since", "of", "until", "from", "around") + r"'(?P<short>\d\d)(?!')", _short),
    (rf"(?:in|since|of|until|from|during|around|by|before|after) (?:the year )?(?:{_SPOKEN_YEAR})", _spoken),
    (rf"the year (?P<y>{YEAR})(?![\d%-])", _year),
    (rf"the (?:(?P<part>early|mid|late)[ -])?(?P<decade>{'|'.join(_DECADES)})", _decade_named),
    (r"(?:the )?(?P<part>early|mid|late)[ -]'?(?P<decade>19\d0|20\d0|[3-9]0)'?s", _decade_named),
    (rf"(?:from )?(?P<y>{YEAR}){_TO}(?P<y2>{YEAR})(?![\d%-])", _year_span),
    (rf"(?:the )?(?P<season>{SEASON_NAME}) before last", _season_before_last),
    (rf"(?P<n>{COUNT}) (?P<season>{SEASON_NAME})s ago", _seasons_ago),
    (r"(?P<side>earlier|later) (?:on )?in the (?P<unit>week|month|year)", _side_of_the_unit),
    (r"(?:(?:in|over|during|for|within) )?the (?:past|last) fortnight", _fortnight),
)
"""First rule first."""
PARTS_NEED: Mapping[Builder, tuple[str, ...]] = {
    _quarter: ("q", "quarter"),
    _half: ("half", "h1", "h2"),
    _of_that_year: (" year",),
    _short: ("'",),
    _spoken: ("nineteen", "twenty", "thousand"),
    _year: ("the year",),
    _decade_named: ("ties", "0s", "0's"),
    _year_span: ("#",),
    _season_before_last: ("before last",),
    _seasons_ago: ("s ago",),
    _side_of_the_unit: ("in the ",),
    _fortnight: ("fortnight",),
}
"""As in `memory.words.time_composed`."""
