"""The grammar of time expressions: one table of patterns, each with the rule that puts it on a calendar.

Conventions that fit the measured dialogues: last <weekday> is the latest strictly before today; last week the previous
calendar week; last weekend the last Saturday and Sunday that are over; N weeks ago +-3 days; N months or years ago that
month or year; a bare month or day looks back in the past tense and forward otherwise; a few is 3, a couple 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from memory.words.calendar_names import BARE_MONTH, WEEKDAY
from memory.words.time_atoms import (
    COUNT,
    DAY_NAME,
    MONTH_NAME,
    PART,
    PARTS,
    SEASON_NAME,
    STEP,
    YEAR,
    Builder,
    number_of,
    weekday_number,
)
from memory.words.time_dates import (
    day_of_month,
    iso_date,
    month_day,
    named_decade,
    named_month,
    named_season,
    named_year,
    slashed_date,
)
from memory.words.time_feasts import FEAST, feast
from memory.words.time_spans import (
    Calendar,
    Days,
    TimeSpan,
    away,
    day,
    months,
    part,
    shifted,
    week,
    weekend,
    years,
)

_ABOUT = r"(?:(?P<about>about|around|almost|nearly|roughly|over|more than|like) )?"
_UNIT = r"day|weekend|week|fortnight|month|year|decade"
_DAYTIME = r"(?: (?:morning|afternoon|evening|night))?"


def _vague(match: re.Match[str]) -> bool:
    found = match.groupdict()
    return bool(found.get("about")) or bool(re.search(r"few|couple|several", found.get("n") or ""))


def _relative_day(match: re.Match[str], calendar: Calendar) -> Days:
    word = match.group("word").lower()
    days = {"today": 0, "tonight": 0, "this": 0, "earlier": 0, "later": 0, "yesterday": -1, "last": -1, "tomorrow": 1}
    beyond = 2 if match.group("beyond") else 1
    return day(calendar.today + timedelta(days=days[word.split()[0]] * beyond))


def _other_day(match: re.Match[str], calendar: Calendar) -> Days:
    first = calendar.today - timedelta(days=5)
    return Days(first, calendar.today, "day", "interval", approximate=True)


def _weekday(match: re.Match[str], calendar: Calendar) -> Days:
    which = (match.groupdict().get("which") or "").lower()
    gap = (weekday_number(match.group("day")) - calendar.today.weekday()) % 7
    due = match.group().lower().startswith(("by ", "until ", "till ", "before "))
    if which in ("last", "past", "this past") or (not which and not due and calendar.prefer == "past"):
        return day(calendar.today + timedelta(days=gap - 7))
    ahead = gap or (7 if which in ("next", "coming", "this coming") else 0)
    return day(calendar.today + timedelta(days=ahead))


def _weekday_of_week(match: re.Match[str], calendar: Calendar) -> Days:
    """Tuesday last week; Friday of next week."""
    monday = week(calendar.today + timedelta(days=7 * STEP[match.group("which").lower()])).first
    return day(monday + timedelta(days=weekday_number(match.group("day"))))


def _weekdays_ago(match: re.Match[str], calendar: Calendar) -> Days:
    back = (calendar.today.weekday() - weekday_number(match.group("day"))) % 7 or 7
    return day(calendar.today - timedelta(days=back + 7 * (number_of(match.group("n")) - 1)))


def _unit(match: re.Match[str], calendar: Calendar) -> Days:
    """Last week, this month, next year: calendar units."""
    step, unit, today = STEP[match.group("which").lower()], match.group("unit").lower(), calendar.today
    if unit == "weekend":
        return _weekend(step, calendar)
    if unit == "quarter":
        return months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * step, 3, "quarter")
    if unit == "week":
        return week(today + timedelta(days=7 * step))
    if unit == "decade":
        return years((today.year // 10 + step) * 10, 10)
    return shifted(today, step, unit)


def _before_last(match: re.Match[str], calendar: Calendar) -> Days:
    """The week before last: a calendar week, where two weeks ago is so many days."""
    then, unit = calendar.today - timedelta(days=14), match.group("unit").lower()
    if unit == "week":
        return week(then)
    return weekend(then) if unit == "weekend" else shifted(calendar.today, -2, unit)


def _weekday_before_last(match: re.Match[str], calendar: Calendar) -> Days:
    monday = week(calendar.today - timedelta(days=14)).first
    return day(monday + timedelta(days=weekday_number(match.group("day"))))


def _weekend(step: int, calendar: Calendar) -> Days:
    today = calendar.today
    if step < 0:
        return weekend(today - timedelta(days=7))
    return weekend(today + timedelta(days=7 * step))


def _bare_weekend(match: re.Match[str], calendar: Calendar) -> Days:
    return _weekend(-1 if calendar.prefer == "past" and calendar.today.weekday() < 5 else 0, calendar)


def _part_of_unit(match: re.Match[str], calendar: Calendar) -> Days:
    return part(_unit(match, calendar), PARTS[match.group("part").lower()])


def _within_unit(match: re.Match[str], calendar: Calendar) -> Days:
    """Earlier this month, later this year: the side of it that today has not reached or has passed."""
    whole = _unit(match, calendar)
    after = calendar.today + timedelta(days=1)
    if match.group("side").lower() == "earlier":
        return replace(whole, after=after, approximate=True)
    return replace(whole, first=min(after, whole.after - timedelta(days=1)), approximate=True)


def _ago(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, -number_of(match.group("n")), match.group("unit").lower(), approximate=_vague(match))


def _ahead(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, number_of(match.group("n")), match.group("unit").lower(), approximate=_vague(match))


def _half_year_ago(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, -6, "month", approximate=True)


def _clock_ago(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    seconds = {"minute": 60, "hour": 3600}[match.group("unit").lower()]
    sign = -1 if match.group("ago") else 1
    moment = calendar.anchor + sign * seconds * (number_of(match.group("n")) or 0.5)
    return TimeSpan(
        moment, moment + seconds, match.group("unit").lower(), "point", _vague(match), match.group(), match.start()
    )


def _last_units(match: re.Match[str], calendar: Calendar) -> Days:
    """The past few weeks, over the last two years, in the next few months."""
    today, count, unit = calendar.today, number_of(match.group("n") or "one"), match.group("unit").lower()
    if match.group("which").lower() == "next":
        return Days(today, away(today, count, unit) + timedelta(days=1), _grain(unit), "interval", approximate=True)
    return Days(away(today, -count, unit), today + timedelta(days=1), _grain(unit), "interval", approximate=True)


def _grain(unit: str) -> str:
    return "week" if unit == "fortnight" else unit


def _duration(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    unit = match.group("unit").lower()
    start = calendar.instant(away(calendar.today, -number_of(match.group("n")), unit))
    return TimeSpan(start, None, _grain(unit), "duration", True, match.group(), match.start())


def _recurrence(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    return TimeSpan(None, None, "day", "recurrence", False, match.group(), match.start())


_WHICH = r"(?P<which>this past|this coming|last|past|this|next|coming)"
GRAMMAR: tuple[tuple[str, Builder], ...] = (
    (
        r"(?:every|each) (?:other |single |second )?(?:day|morning|evening|night|afternoon|week|weekend|month|year|"
        r"weekday|"
        rf"{DAY_NAME}|{SEASON_NAME}|{MONTH_NAME}|couple of \w+|few \w+|\d+ \w+)\b(?: (?:morning|evening|night|"
        rf"afternoon)s?)?",
        _recurrence,
    ),
    (
        r"(?:once|twice|three times|a few times|\w+ times|\d+ (?:times|hours|days)|\w+ (?:nights|days)) (?:an?|per|"
        r"each|every) "
        r"(?:day|week|month|year)",
        _recurrence,
    ),
    (
        rf"(?:on )?(?:{WEEKDAY}) (?:mornings|afternoons|evenings|nights)|(?:on )?(?:{WEEKDAY})s(?! ago)|"
        r"on (?:weekends|weekdays)|most (?:days|mornings|nights|weekends)|daily|weekly|"
        rf"monthly|annually",
        _recurrence,
    ),
    (FEAST, feast),
    (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])", iso_date),
    (r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d\d)(?!\d)", slashed_date),
    (
        r"(?:(?<=on )|(?<=by )|(?<=since )|(?<=until )|(?<=before )|(?<=after ))(?P<a>\d{1,2})/(?P<b>\d{1,2})"
        r"(?![\d/%])(?! (?:of|cups?)\b)",
        slashed_date,
    ),
    (
        rf"(?P<month>{MONTH_NAME})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|"
        rf"th)?(?:\s?[-–]\s?(?P<d2>\d{{1,2}}))?(?:st|nd|rd|th)?(?!\d)"
        rf"(?:,? (?P<y>{YEAR}))?",
        month_day,
    ),
    (
        rf"(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH_NAME})\b\.?(?:,? (?P<y>{YEAR}))?",
        month_day,
    ),
    (rf"{PART}?(?P<month>{MONTH_NAME})\.?,?(?: of)? (?P<y>{YEAR})", named_month),
    (rf"(?P<day>{DAY_NAME}){_DAYTIME},? (?:of )?(?P<which>last|this|next) week", _weekday_of_week),
    (rf"(?P<which>last|this|next) week(?: on)? (?P<day>{WEEKDAY})", _weekday_of_week),
    (rf"(?P<n>{COUNT}) (?P<day>{DAY_NAME})s ago", _weekdays_ago),
    (rf"(?:on )?{_WHICH} (?P<day>{DAY_NAME})\b{_DAYTIME}", _weekday),
    (rf"{_WHICH} (?P<month>{MONTH_NAME})\b", named_month),
    (rf"{PART}?(?:{_WHICH}|the) (?P<season>{SEASON_NAME})\b(?: of (?P<y>{YEAR}))?", named_season),
    (rf"(?P<season>{SEASON_NAME})(?: of|,)? (?P<y>{YEAR})", named_season),
    (r"(?:the )?(?P<beyond>day (?:after|before)) (?P<word>tomorrow|yesterday)", _relative_day),
    (
        r"(?P<beyond>)(?P<word>today|tonight|yesterday|tomorrow|last night|this (?:morning|afternoon|evening)|"
        rf"(?:earlier|later) today){_DAYTIME}",
        _relative_day,
    ),
    (r"the other (?:day|night|week)|a (?:few|couple of) nights ago", _other_day),
    (rf"{_ABOUT}(?P<n>{COUNT}|half an?) (?P<unit>minute|hour)s? (?:(?P<ago>ago|earlier)|from now)", _clock_ago),
    (rf"(?P<ago>)in {_ABOUT}(?P<n>{COUNT}|half an?) (?P<unit>minute|hour)s?", _clock_ago),
    (r"half a year ago|a half year ago", _half_year_ago),
    (rf"{_ABOUT}(?P<n>{COUNT}) (?P<unit>{_UNIT})s? (?:ago|back|earlier)", _ago),
    (rf"(?:in|within) {_ABOUT}(?P<n>{COUNT}) (?P<unit>{_UNIT})s?(?:' time)?(?! of\b)", _ahead),
    (rf"(?P<n>{COUNT}) (?P<unit>{_UNIT})s? from (?:now|today)", _ahead),
    (
        rf"(?:(?:in|over|for|during|within) )?(?:the )?(?P<which>past|last|next) (?P<n>(?!an? )(?:{COUNT})) "
        rf"(?P<unit>{_UNIT})s?",
        _last_units,
    ),
    (r"(?:in|over|during|for) the (?P<which>past) (?P<n>)(?P<unit>week|month|year)", _last_units),
    (rf"(?:for|past) {_ABOUT}(?P<n>{COUNT}) (?:whole |full |long )?(?P<unit>{_UNIT})s?(?: now)?(?! ago)", _duration),
    (rf"{_ABOUT}(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten) (?P<unit>{_UNIT})s now", _duration),
    (r"(?P<side>earlier|later) (?P<which>this) (?P<unit>week|month|year|quarter)", _within_unit),
    (rf"(?P<day>{DAY_NAME}) (?:of )?the week before last", _weekday_before_last),
    (r"the (?P<unit>weekend|week|month|year) before last", _before_last),
    (rf"{PART}(?P<which>last|this|next|the) (?P<unit>week|month|year|quarter)", _part_of_unit),
    (r"(?P<part>end|beginning|start|middle) of (?P<which>the) (?P<unit>week|month|year|quarter)", _part_of_unit),
    (
        r"(?P<which>this past|this coming|last|past|previous|this|next|coming|following) (?P<unit>weekend|week|"
        r"month|quarter(?! of\b)|year|decade)(?!s)",
        _unit,
    ),
    (r"(?:over|on|at|during) the (?:whole )?weekend|the weekend", _bare_weekend),
    (rf"{PART}(?P<month>{MONTH_NAME})\b(?! \d)", named_month),
    (
        rf"(?:in|since|during|by|until|till|through|of|from|around|between) (?P<month>{MONTH_NAME})\b(?! \d)",
        named_month,
    ),
    (rf"(?P<month>{BARE_MONTH})\b", named_month),
    (rf"(?:on|by|until|till|since|before|from) (?P<day>{DAY_NAME})\b{_DAYTIME}", _weekday),
    (rf"(?P<day>{WEEKDAY}|tues|fri)\b{_DAYTIME}", _weekday),
    (
        r"(?:on|by|until|till|before|since) the (?P<d>[12]?\d|3[01])(?:st|nd|rd|th)(?! \w*(?:floor|time|grade|"
        r"century|birthday))",
        day_of_month,
    ),
    (rf"(?:the )?(?:early |mid-?|late )?(?P<y>\d{{2}}|{YEAR[:-4]}\d0)'?s(?![\w'])(?<!'s)", named_decade),
    (rf"{PART}(?P<y>{YEAR})(?![\d%-])", named_year),
    (rf"(?:(?<=between )|(?<=and )|(?<=to )|(?<=through )|(?<=[-–]))(?P<y>{YEAR})(?![\d%-])", named_year),
    (rf"(?:in|since|of|by|until|from|during|around|back in|before|after|for) (?P<y>{YEAR})(?![\d%-])", named_year),
)
"""First rule first: a longer expression stands above what it contains."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SIDES = ("last", "this", "past", "previous", "next", "coming", "following")
GRAMMAR_NEEDS: Mapping[Builder, tuple[str, ...]] = {
    month_day: _MONTHS,
    named_month: _MONTHS,
    _weekday: _DAYS,
    _weekday_of_week: _DAYS,
    _weekdays_ago: ("s ago",),
    _weekday_before_last: ("before last",),
    named_season: tuple(SEASON_NAME.split("|")),
    iso_date: ("#",),
    slashed_date: ("/",),
    _clock_ago: ("minute", "hour"),
    _half_year_ago: ("half",),
    _ago: ("ago", "back", "earlier"),
    _ahead: ("in ", "from "),
    _last_units: ("past", "last", "next"),
    _duration: ("for ", "past ", " now"),
    _within_unit: ("earlier", "later"),
    _before_last: ("before last",),
    _unit: _SIDES,
    _bare_weekend: ("weekend",),
    _part_of_unit: ("early", "mid", "late", "beginning", "start", "end"),
    day_of_month: ("#",),
    named_decade: ("#",),
    feast: (
        "day",
        "mas",
        "year",
        "east",
        "halloween",
        "valentine",
        "july",
        "giving",
        "bonfire",
        "pentecost",
        "whitsun",
    ),
    _recurrence: (
        "every",
        "each",
        "times",
        "once",
        "twice",
        "days",
        "nights",
        "mornings",
        "noons",
        "evenings",
        "hours",
        "ends",
        "daily",
        "weekly",
        "monthly",
        "annually",
        "most ",
    ),
    named_year: ("#",),
    _other_day: ("other ", "nights ago"),
}
"""As in `memory.words.time_composed`."""
