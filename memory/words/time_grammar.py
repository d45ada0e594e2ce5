"""The grammar of time expressions: one table of patterns, each with the rule that puts it on a calendar.

Conventions that fit the measured dialogues: last <weekday> is the latest strictly before today; last week the previous
calendar week; last weekend the last Saturday and Sunday that are over; N weeks ago +-3 days; N months or years ago that
month or year; a bare month or day looks back in the past tense and forward otherwise; a few is 3, a couple 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from memory.words.calendar_names import BARE_MONTH, MONTHS, WEEKDAY, WEEKDAYS
from memory.words.time_spans import (
    Calendar,
    Days,
    TimeSpan,
    away,
    day,
    month,
    months,
    part,
    season,
    shifted,
    week,
    weekend,
    years,
)

_MONTH_NAMES = [name[:3].lower() for name in MONTHS]
_DAY_NAMES = [name[:3].lower() for name in WEEKDAYS]
_WRITTEN = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: place + 1 for place, word in enumerate(_WRITTEN.split())} | {
    "a": 1, "an": 1, "couple": 2, "few": 3, "several": 4, "fifteen": 15, "twenty": 20, "thirty": 30,
}  # fmt: skip

MONTH_NAME = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?"
)
DAY_NAME = r"mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thur?s?(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
SEASON_NAME = r"spring|summer|autumn|fall|winter"
_YEAR = r"(?:19|20)\d\d"
_COUNT = (
    r"(?:(?:a|the) )?(?:couple(?: of)?|few)|several|\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|fifteen|twenty|thirty"
)
_ABOUT = r"(?:(?P<about>about|around|almost|nearly|roughly|over|more than|like) )?"
_UNIT = r"day|weekend|week|month|year|decade"
_PART = r"(?:(?:the )?(?P<part>early|mid|middle|late|beginning|start|end)(?: of| in)?(?: the)?[ -])"
_DAYTIME = r"(?: (?:morning|afternoon|evening|night))?"
_PARTS = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "late",
}
_FIXED = {
    "christmas eve": (12, 24), "christmas": (12, 25), "xmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new year's": (1, 1), "new years": (1, 1),
    "halloween": (10, 31), "valentine's day": (2, 14),
    "valentine's": (2, 14), "independence day": (7, 4), "fourth of july": (7, 4), "st. patrick's day": (3, 17),
    "thanksgiving": (11, 25), "easter": (4, 10),
}  # fmt: skip

Builder = Callable[[re.Match[str], Calendar], "Days | TimeSpan | None"]


def _number(words: str) -> int:
    if words.lower().startswith("half"):
        return 0
    last = words.lower().removesuffix(" of").split()[-1]
    return int(last) if last.isdigit() else _NUMBERS[last]


def _vague(match: re.Match[str]) -> bool:
    found = match.groupdict()
    return bool(found.get("about")) or bool(re.search(r"few|couple|several", found.get("n") or ""))


def _month_number(name: str) -> int:
    return _MONTH_NAMES.index(name.lower()[:3]) + 1


def _in_year(calendar: Calendar, number: int, on: int | None = None, which: str | None = None) -> int:
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
    if which == "this":
        return today.year
    if calendar.prefer == "future":
        return today.year + (1 if behind else 0)
    return today.year - (1 if ahead else 0)


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
    gap = (_DAY_NAMES.index(match.group("day").lower()[:3]) - calendar.today.weekday()) % 7
    due = match.group().lower().startswith(("by ", "until ", "till ", "before "))
    if which in ("last", "past", "this past") or (not which and not due and calendar.prefer == "past"):
        return day(calendar.today + timedelta(days=gap - 7))
    ahead = gap or (7 if which in ("next", "coming", "this coming") else 0)
    return day(calendar.today + timedelta(days=ahead))


def _weekday_of_week(match: re.Match[str], calendar: Calendar) -> Days:
    """Tuesday last week; Friday of next week."""
    monday = week(calendar.today + timedelta(days=7 * _STEP[match.group("which").lower()])).first
    return day(monday + timedelta(days=_DAY_NAMES.index(match.group("day").lower()[:3])))


def _weekdays_ago(match: re.Match[str], calendar: Calendar) -> Days:
    back = (calendar.today.weekday() - _DAY_NAMES.index(match.group("day").lower()[:3])) % 7 or 7
    return day(calendar.today - timedelta(days=back + 7 * (_number(match.group("n")) - 1)))


_STEP = {"last": -1, "past": -1, "this past": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "coming": 1,
         "this coming": 1, "following": 1}  # fmt: skip


def _unit(match: re.Match[str], calendar: Calendar) -> Days:
    """Last week, this month, next year: calendar units."""
    step, unit, today = _STEP[match.group("which").lower()], match.group("unit").lower(), calendar.today
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
    return day(monday + timedelta(days=_DAY_NAMES.index(match.group("day").lower()[:3])))


def _weekend(step: int, calendar: Calendar) -> Days:
    today = calendar.today
    if step < 0:
        return weekend(today - timedelta(days=7))
    return weekend(today + timedelta(days=7 * step))


def _bare_weekend(match: re.Match[str], calendar: Calendar) -> Days:
    return _weekend(-1 if calendar.prefer == "past" and calendar.today.weekday() < 5 else 0, calendar)


def _part_of_unit(match: re.Match[str], calendar: Calendar) -> Days:
    return part(_unit(match, calendar), _PARTS[match.group("part").lower()])


def _within_unit(match: re.Match[str], calendar: Calendar) -> Days:
    """Earlier this month, later this year: the side of it that today has not reached or has passed."""
    whole = _unit(match, calendar)
    after = calendar.today + timedelta(days=1)
    if match.group("side").lower() == "earlier":
        return replace(whole, after=after, approximate=True)
    return replace(whole, first=min(after, whole.after - timedelta(days=1)), approximate=True)


def _ago(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, -_number(match.group("n")), match.group("unit").lower(), approximate=_vague(match))


def _ahead(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, _number(match.group("n")), match.group("unit").lower(), approximate=_vague(match))


def _half_year_ago(match: re.Match[str], calendar: Calendar) -> Days:
    return shifted(calendar.today, -6, "month", approximate=True)


def _clock_ago(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    seconds = {"minute": 60, "hour": 3600}[match.group("unit").lower()]
    sign = -1 if match.group("ago") else 1
    moment = calendar.anchor + sign * seconds * (_number(match.group("n")) or 0.5)
    return TimeSpan(
        moment, moment + seconds, match.group("unit").lower(), "point", _vague(match), match.group(), match.start()
    )


def _last_units(match: re.Match[str], calendar: Calendar) -> Days:
    """The past few weeks, over the last two years, in the next few months."""
    today, count, unit = calendar.today, _number(match.group("n") or "one"), match.group("unit").lower()
    if match.group("which").lower() == "next":
        return Days(today, away(today, count, unit) + timedelta(days=1), unit, "interval", approximate=True)
    return Days(away(today, -count, unit), today + timedelta(days=1), unit, "interval", approximate=True)


def _duration(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    unit = match.group("unit").lower()
    start = calendar.instant(away(calendar.today, -_number(match.group("n")), unit))
    return TimeSpan(start, None, unit, "duration", True, match.group(), match.start())


def _recurrence(match: re.Match[str], calendar: Calendar) -> TimeSpan:
    return TimeSpan(None, None, "day", "recurrence", False, match.group(), match.start())


def _iso_date(match: re.Match[str], calendar: Calendar) -> Days:
    return day(date(int(match.group("y")), int(match.group("m")), int(match.group("d"))))


def _slashed_date(match: re.Match[str], calendar: Calendar) -> Days:
    first, second, said = int(match["a"]), int(match["b"]), match.groupdict().get("y")
    number, on = (second, first) if first > 12 else (first, second)
    year = int(said) if said else _in_year(calendar, number, on)
    return day(date(year + (2000 if year < 100 else 0), number, on))


def _month_day(match: re.Match[str], calendar: Calendar) -> Days:
    number, on = _month_number(match.group("month")), int(match.group("d"))
    year = int(match.group("y")) if match.group("y") else _in_year(calendar, number, on)
    last = match.groupdict().get("d2")
    return day(date(year, number, on), (int(last) - on + 1) if last and int(last) > on else 1)


def _day_of_month(match: re.Match[str], calendar: Calendar) -> Days:
    """The 8th: of this month, or of the one before or after."""
    today, on = calendar.today, int(match.group("d"))
    step = (on < today.day) if calendar.prefer == "future" else -(on > today.day)
    return day(month(today.year, today.month + step).first.replace(day=on))


def _named_month(match: re.Match[str], calendar: Calendar) -> Days:
    found = match.groupdict()
    number = _month_number(match.group("month"))
    year = int(found["y"]) if found.get("y") else _in_year(calendar, number, which=(found.get("which") or "").lower())
    whole = month(year, number)
    return part(whole, _PARTS[found["part"].lower()]) if found.get("part") else whole


def _season(match: re.Match[str], calendar: Calendar) -> Days:
    found, name = match.groupdict(), match.group("season").lower()
    number = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]
    which = (found.get("which") or "").lower()
    if found.get("y"):
        return season(int(found["y"]), name)
    if which in ("last", "past", "this past"):
        ended = season(calendar.today.year, name).after <= calendar.today
        return season(calendar.today.year - (0 if ended else 1), name)
    return season(_in_year(calendar, number, which=which.removeprefix("the").strip()), name)


def _year(match: re.Match[str], calendar: Calendar) -> Days:
    whole = years(int(match.group("y")))
    wanted = match.groupdict().get("part")
    return part(whole, _PARTS[wanted.lower()]) if wanted else whole


def _decade(match: re.Match[str], calendar: Calendar) -> Days:
    digits = match.group("y")
    first = int(digits) if len(digits) == 4 else int(digits) + (1900 if int(digits) >= 30 else 2000)
    return years(first, 10)


def _holiday(match: re.Match[str], calendar: Calendar) -> Days:
    name = match.group("holiday").lower()
    number, on = _FIXED[name]
    year = _in_year(calendar, number, on, (match.group("which") or "").lower())
    if match.group("y"):
        year = int(match.group("y"))
    elif match.group("of"):
        year = calendar.today.year + _STEP[match.group("of").lower()]
    moving = _MOVING.get(name)
    return day(moving(year) if moving else date(year, number, on))


def _thanksgiving(year: int) -> date:
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def _easter(year: int) -> date:
    """Gregorian Easter Sunday (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    return date(year, (h + k - 7 * m + 114) // 31, (h + k - 7 * m + 114) % 31 + 1)


_MOVING = {"thanksgiving": _thanksgiving, "easter": _easter}

_WHICH = r"(?P<which>this past|this coming|last|past|this|next|coming)"
GRAMMAR: tuple[tuple[str, Builder], ...] = (
    (r"(?:every|each) (?:other |single |second )?(?:day|morning|evening|night|afternoon|week|weekend|month|year|"
     r"weekday|"
     rf"{DAY_NAME}|{SEASON_NAME}|{MONTH_NAME}|couple of \w+|few \w+|\d+ \w+)\b(?: (?:morning|evening|night|"
     rf"afternoon)s?)?", _recurrence),
    (r"(?:once|twice|three times|a few times|\w+ times|\d+ (?:times|hours|days)|\w+ (?:nights|days)) (?:an?|per|"
     r"each|every) "
     r"(?:day|week|month|year)", _recurrence),
    (rf"(?:on )?(?:{WEEKDAY})s(?! ago)|on (?:weekends|weekdays)|most (?:days|mornings|nights|weekends)|daily|weekly|"
     rf"monthly|annually",
     _recurrence),
    (rf"(?:{_WHICH} )?(?P<holiday>{'|'.join(map(re.escape, _FIXED))})(?: (?:of )?(?P<y>{_YEAR}))?"
     r"(?: (?P<of>last|this|next) year)?(?!\w)", _holiday),
    (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])", _iso_date),
    (r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d\d)(?!\d)", _slashed_date),
    (r"(?:(?<=on )|(?<=by )|(?<=since )|(?<=until )|(?<=before )|(?<=after ))(?P<a>\d{1,2})/(?P<b>\d{1,2})"
     r"(?![\d/%])(?! (?:of|cups?)\b)", _slashed_date),
    (rf"(?P<month>{MONTH_NAME})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|"
     rf"th)?(?:\s?[-–]\s?(?P<d2>\d{{1,2}}))?(?:st|nd|rd|th)?(?!\d)"
     rf"(?:,? (?P<y>{_YEAR}))?", _month_day),
    (rf"(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH_NAME})\b\.?(?:,? (?P<y>{_YEAR}))?",
     _month_day),
    (rf"{_PART}?(?P<month>{MONTH_NAME})\.?,?(?: of)? (?P<y>{_YEAR})", _named_month),
    (rf"(?P<day>{DAY_NAME}){_DAYTIME},? (?:of )?(?P<which>last|this|next) week", _weekday_of_week),
    (rf"(?P<which>last|this|next) week(?: on)? (?P<day>{WEEKDAY})", _weekday_of_week),
    (rf"(?P<n>{_COUNT}) (?P<day>{DAY_NAME})s ago", _weekdays_ago),
    (rf"(?:on )?{_WHICH} (?P<day>{DAY_NAME})\b{_DAYTIME}", _weekday),
    (rf"{_WHICH} (?P<month>{MONTH_NAME})\b", _named_month),
    (rf"{_PART}?(?:{_WHICH}|the) (?P<season>{SEASON_NAME})\b(?: of (?P<y>{_YEAR}))?", _season),
    (rf"(?P<season>{SEASON_NAME})(?: of|,)? (?P<y>{_YEAR})", _season),
    (r"(?:the )?(?P<beyond>day (?:after|before)) (?P<word>tomorrow|yesterday)", _relative_day),
    (r"(?P<beyond>)(?P<word>today|tonight|yesterday|tomorrow|last night|this (?:morning|afternoon|evening)|"
     rf"(?:earlier|later) today){_DAYTIME}", _relative_day),
    (r"the other (?:day|night|week)|a (?:few|couple of) nights ago", _other_day),
    (rf"{_ABOUT}(?P<n>{_COUNT}|half an?) (?P<unit>minute|hour)s? (?:(?P<ago>ago|earlier)|from now)", _clock_ago),
    (rf"(?P<ago>)in {_ABOUT}(?P<n>{_COUNT}|half an?) (?P<unit>minute|hour)s?", _clock_ago),
    (r"half a year ago|a half year ago", _half_year_ago),
    (rf"{_ABOUT}(?P<n>{_COUNT}) (?P<unit>{_UNIT})s? (?:ago|back|earlier)", _ago),
    (rf"(?:in|within) {_ABOUT}(?P<n>{_COUNT}) (?P<unit>{_UNIT})s?(?:' time)?(?! of\b)", _ahead),
    (rf"(?P<n>{_COUNT}) (?P<unit>{_UNIT})s? from (?:now|today)", _ahead),
    (rf"(?:(?:in|over|for|during|within) )?(?:the )?(?P<which>past|last|next) (?P<n>(?!an? )(?:{_COUNT})) "
     rf"(?P<unit>{_UNIT})s?", _last_units),
    (r"(?:in|over|during|for) the (?P<which>past) (?P<n>)(?P<unit>week|month|year)", _last_units),
    (rf"(?:for|past) {_ABOUT}(?P<n>{_COUNT}) (?:whole |full |long )?(?P<unit>{_UNIT})s?(?: now)?(?! ago)", _duration),
    (rf"{_ABOUT}(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten) (?P<unit>{_UNIT})s now", _duration),
    (r"(?P<side>earlier|later) (?P<which>this) (?P<unit>week|month|year|quarter)", _within_unit),
    (rf"(?P<day>{DAY_NAME}) (?:of )?the week before last", _weekday_before_last),
    (r"the (?P<unit>weekend|week|month|year) before last", _before_last),
    (rf"{_PART}(?P<which>last|this|next|the) (?P<unit>week|month|year|quarter)", _part_of_unit),
    (r"(?P<part>end|beginning|start|middle) of (?P<which>the) (?P<unit>week|month|year|quarter)", _part_of_unit),
    (r"(?P<which>this past|this coming|last|past|previous|this|next|coming|following) (?P<unit>weekend|week|"
     r"month|quarter(?! of\b)|year|decade)(?!s)",
     _unit),
    (r"(?:over|on|at|during) the (?:whole )?weekend|the weekend", _bare_weekend),
    (rf"{_PART}(?P<month>{MONTH_NAME})\b(?! \d)", _named_month),
    (rf"(?:in|since|during|by|until|till|through|of|from|around) (?P<month>{MONTH_NAME})\b(?! \d)", _named_month),
    (rf"(?P<month>{BARE_MONTH})\b", _named_month),
    (rf"(?:on|by|until|till|since|before|from) (?P<day>{DAY_NAME})\b{_DAYTIME}", _weekday),
    (rf"(?P<day>{WEEKDAY}|tues|fri)\b{_DAYTIME}", _weekday),
    (r"(?:on|by|until|till|before|since) the (?P<d>[12]?\d|3[01])(?:st|nd|rd|th)(?! \w*(?:floor|time|grade|"
     r"century|birthday))", _day_of_month),
    (rf"(?:the )?(?:early |mid-?|late )?(?P<y>\d{{2}}|{_YEAR[:-4]}\d0)'?s(?![\w'])(?<!'s)", _decade),
    (rf"{_PART}(?P<y>{_YEAR})(?![\d%-])", _year),
    (rf"(?:(?<=between )|(?<=and )|(?<=to )|(?<=[-–]))(?P<y>{_YEAR})(?![\d%-])", _year),
    (rf"(?:in|since|of|by|until|from|during|around|back in|before|after|for) (?P<y>{_YEAR})(?![\d%-])", _year),
)  # fmt: skip
"""First rule first: a longer expression stands above what it contains."""
