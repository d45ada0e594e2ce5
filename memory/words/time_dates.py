"""Dates, months, seasons, years and decades that are called by their names or numbers."""

from __future__ import annotations

import re
from datetime import date

from memory.words.stems import STOP_WORDS
from memory.words.time_atoms import PARTS, in_year, month_number
from memory.words.time_spans import Calendar, Days, day, month, part, season, years

_OF_SOMEBODY = re.compile(r"\b(?:my|his|her|their|our|your|'s) $", re.IGNORECASE)
"""In her 30s: an age."""


_NEXT_WORD = re.compile(r" (?P<word>[a-z]+)\b")


def iso_date(match: re.Match[str], calendar: Calendar) -> Days:
    """2023-05-08."""
    return day(date(int(match.group("y")), int(match.group("m")), int(match.group("d"))))


def slashed_date(match: re.Match[str], calendar: Calendar) -> Days:
    """5/8/2023; 13/5, where the first number is no month."""
    first, second, said = int(match["a"]), int(match["b"]), match.groupdict().get("y")
    number, on = (second, first) if first > 12 else (first, second)
    year = int(said) if said else in_year(calendar, number, on)
    return day(date(year + (2000 if year < 100 else 0), number, on))


def month_day(match: re.Match[str], calendar: Calendar) -> Days:
    """May 8th, the 8th of May 2023, May 8-10."""
    number, on = month_number(match.group("month")), int(match.group("d"))
    year = int(match.group("y")) if match.group("y") else in_year(calendar, number, on)
    last = match.groupdict().get("d2")
    return day(date(year, number, on), (int(last) - on + 1) if last and int(last) > on else 1)


def day_of_month(match: re.Match[str], calendar: Calendar) -> Days:
    """The 8th: of this month, or of the one before or after."""
    today, on = calendar.today, int(match.group("d"))
    step = (on < today.day) if calendar.prefer == "future" else -(on > today.day)
    return day(month(today.year, today.month + step).first.replace(day=on))


def named_month(match: re.Match[str], calendar: Calendar) -> Days:
    """May 2023, last May, early May."""
    found = match.groupdict()
    number = month_number(match.group("month"))
    year = int(found["y"]) if found.get("y") else in_year(calendar, number, which=(found.get("which") or "").lower())
    whole = month(year, number)
    return part(whole, PARTS[found["part"].lower()]) if found.get("part") else whole


def named_season(match: re.Match[str], calendar: Calendar) -> Days | None:
    """Summer 2023, last summer, late summer; none in the summer reading report."""
    found, name = match.groupdict(), match.group("season").lower()
    thing = _NEXT_WORD.match(match.string, match.end())
    if not (found.get("which") or found.get("y")) and thing and thing["word"].lower() not in STOP_WORDS["en"]:
        return None
    number = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]
    which = (found.get("which") or "").lower()
    if found.get("y"):
        whole = season(int(found["y"]), name)
    elif which in ("last", "past", "this past"):
        ended = season(calendar.today.year, name).after <= calendar.today
        whole = season(calendar.today.year - (0 if ended else 1), name)
    else:
        whole = season(in_year(calendar, number, which=which.removeprefix("the").strip()), name)
    return part(whole, PARTS[found["part"].lower()]) if found.get("part") else whole


def named_year(match: re.Match[str], calendar: Calendar) -> Days:
    """2023, early 2023."""
    whole = years(int(match.group("y")))
    wanted = match.groupdict().get("part")
    return part(whole, PARTS[wanted.lower()]) if wanted else whole


def named_decade(match: re.Match[str], calendar: Calendar) -> Days | None:
    """The 1990s, the '90s; none in somebody's 30s."""
    digits = match.group("y")
    if _OF_SOMEBODY.search(match.string[: match.start()]):
        return None
    first = int(digits) if len(digits) == 4 else int(digits) + (1900 if int(digits) >= 30 else 2000)
    return years(first, 10)
