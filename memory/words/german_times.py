"""German time expressions, put into English for the one grammar of times: bis Freitag is by Friday."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory.model.timeline import Clock, Instant
from memory.words.calendar_names import MONTHS
from memory.words.time_expressions import resolve

_I = re.IGNORECASE
GERMAN_DAYS = {
    "montag": "Monday",
    "dienstag": "Tuesday",
    "mittwoch": "Wednesday",
    "donnerstag": "Thursday",
    "freitag": "Friday",
    "samstag": "Saturday",
    "sonnabend": "Saturday",
    "sonntag": "Sunday",
}
GERMAN_MONTHS = {
    "januar": "January",
    "februar": "February",
    "märz": "March",
    "april": "April",
    "mai": "May",
    "juni": "June",
    "juli": "July",
    "august": "August",
    "september": "September",
    "oktober": "October",
    "november": "November",
    "dezember": "December",
    "jänner": "January",
    "feber": "February",
}
_COUNTS = {
    "einem": "one",
    "einer": "one",
    "zwei": "two",
    "drei": "three",
    "vier": "four",
    "fünf": "five",
    "sechs": "six",
}
_UNITS = {"tag": "day", "woche": "week", "monat": "month", "jahr": "year"}
_DAY = "|".join(GERMAN_DAYS)
_MONTH = "|".join(GERMAN_MONTHS)
_EXPRESSIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\b(?:(?:bis|vor) )?übermorgen\b", lambda _: "the day after tomorrow"),
    (r"\bheute(?: abend| nachmittag| nacht)?\b", lambda _: "today"),
    (r"(?<!guten )(?<!am )\bmorgen(?: früh| abend| mittag| nachmittag)?\b", lambda _: "tomorrow"),
    (r"\bgestern(?: abend)?\b", lambda _: "yesterday"),
    (
        rf"\b(?:(?:am|bis|bis zum|diesen|kommenden) )(?P<day>{_DAY})\b",
        lambda found: f"on {GERMAN_DAYS[found['day'].lower()]}",
    ),
    (
        rf"\b(?P<on>\d{{1,2}})\. (?P<month>{_MONTH})\b",
        lambda found: f"{found['on']} {GERMAN_MONTHS[found['month'].lower()]}",
    ),
    (
        r"\bin (?P<n>\d+|einem|einer|zwei|drei|vier|fünf|sechs) (?P<unit>tag|woche|monat|jahr)(?:en|e|n)?\b",
        lambda found: f"in {_COUNTS.get(found['n'].lower(), found['n'])} {_UNITS[found['unit'].lower()]}s",
    ),
    (r"\b(?:nächste|kommende)[rn]? woche\b", lambda _: "next week"),
    (r"\b(?:nächsten|kommenden) monat\b", lambda _: "next month"),
    (r"\b(?:am|übers|dieses|nächstes) wochenende\b", lambda _: "this weekend"),
)
_TABLE = tuple((re.compile(pattern, _I), said) for pattern, said in _EXPRESSIONS)

NUMBERS = {
    "ein": 1,
    "einem": 1,
    "einer": 1,
    "einen": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "elf": 11,
    "zwölf": 12,
}
_MANY = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)}|(?:ein )?paar|einigen)"
_SPAN = r"(?P<unit>tag|woche|monat|jahr)(?:e|en|n|s)?"
_TIMES_OF_DAY = r"(?: ?(?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht))?"
_LAST, _THIS = r"(?:letzte|vorige|vergangene)[nrms]?", r"(?:diese[nrms]?)"
_SEASONS = {"frühling": "spring", "frühjahr": "spring", "sommer": "summer", "herbst": "autumn", "winter": "winter"}
_FEASTS = {
    "heiligabend": "Christmas Eve",
    "weihnachten": "Christmas",
    "silvester": "New Year's Eve",
    "neujahr": "New Year's Day",
    "ostern": "Easter",
    "halloween": "Halloween",
    "valentinstag": "Valentine's Day",
}
_SEASON, _FEAST = "|".join(_SEASONS), "|".join(_FEASTS)
_YEAR = r"(?:19|20)\d\d"
_WHEN = {"": "on ", "am": "on ", "im": "in ", "seit": "since ", "bis": "until "}
_SIDES = {"seit": "since ", "bis": "until ", "vor": "before ", "nach": "after ", "zwischen": "between ", "und": "and "}
_BESIDE = f"an|zu|am|über|um|{'|'.join(_SIDES)}"
"""What stands before a feast, and on which side of it a time lies."""
_PARTS = {"anfang": "early", "mitte": "mid", "ende": "late"}


def _count(words: str) -> str:
    last = words.lower().split()[-1]
    return "a few" if last in ("paar", "einigen") else str(NUMBERS.get(last, last))


def _unit(found: re.Match[str]) -> str:
    return {**_UNITS, "wochenende": "weekend", "quartal": "quarter"}[found["unit"].lower()]


def _date(found: re.Match[str]) -> str:
    return f"{found['on']} {MONTHS[int(found['month']) - 1]} {found['year'] or ''}"


_ASKED: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (rf"\bvorgestern{_TIMES_OF_DAY}\b", lambda _: "the day before yesterday"),
    (rf"\bgestern{_TIMES_OF_DAY}\b", lambda _: "yesterday"),
    (rf"\bheute{_TIMES_OF_DAY}\b", lambda _: "today"),
    (r"\bheuer\b", lambda _: "this year"),
    (
        rf"\b(?:von|zwischen) (?P<a>{_DAY}) (?:bis|und) (?P<b>{_DAY})\b",
        lambda found: f"from {GERMAN_DAYS[found['a'].lower()]} to {GERMAN_DAYS[found['b'].lower()]}",
    ),
    (
        rf"\b(?:am )?(?P<day>{_DAY}){_TIMES_OF_DAY},? (?:in )?(?:de[rs] )?(?:{_LAST} woche|vor einer woche)\b",
        lambda found: f"{GERMAN_DAYS[found['day'].lower()]} last week",
    ),
    (rf"\b{_LAST} woche (?:am )?(?P<day>{_DAY})\b", lambda found: f"{GERMAN_DAYS[found['day'].lower()]} last week"),
    (
        rf"\b(?P<on>(?:am|seit|bis) )?(?P<which>{_LAST} )?(?P<day>{_DAY}){_TIMES_OF_DAY}\b",
        lambda found: (
            _WHEN[(found["on"] or "").strip().lower()]
            + ("last " if found["which"] else "")
            + GERMAN_DAYS[found["day"].lower()]
        ),
    ),
    (
        rf"\b(?:vom|zwischen dem) (?P<on>\d{{1,2}})\.(?: (?P<first>{_MONTH}))? (?:bis|und)(?: zum| dem)? "
        rf"(?P<to>\d{{1,2}})\. (?P<month>{_MONTH})\b",
        lambda found: (
            f"from {found['on']} {GERMAN_MONTHS[(found['first'] or found['month']).lower()]} "
            f"to {found['to']} {GERMAN_MONTHS[found['month'].lower()]}"
        ),
    ),
    (
        rf"\b(?P<on>\d{{1,2}})\. ?(?P<month>{_MONTH})(?: (?P<year>{_YEAR}))?\b",
        lambda found: f"{found['on']} {GERMAN_MONTHS[found['month'].lower()]} {found['year'] or ''}",
    ),
    (rf"\b(?P<on>[12]?\d|3[01])\. ?(?P<month>1[0-2]|0?[1-9])\.(?: ?(?P<year>{_YEAR}))?(?!\d)", _date),
    (
        rf"\b(?P<part>anfang|mitte|ende) (?P<month>{_MONTH})(?: (?P<year>{_YEAR}))?\b",
        lambda found: f"{_PARTS[found['part'].lower()]} {GERMAN_MONTHS[found['month'].lower()]} {found['year'] or ''}",
    ),
    (
        rf"\b(?P<on>im|seit|bis) (?P<which>{_LAST}n )?(?P<month>{_MONTH})(?: (?P<year>{_YEAR}))?\b",
        lambda found: (
            f"{_WHEN[found['on'].lower()].replace('on ', 'in ')}{'last ' if found['which'] else ''}"
            f"{GERMAN_MONTHS[found['month'].lower()]} {found['year'] or ''}"
        ),
    ),
    (
        rf"\b(?:im )?(?P<which>{_LAST} )?(?P<season>{_SEASON})(?: (?P<year>{_YEAR}))?\b",
        lambda found: (
            f"{'last' if found['which'] else 'the'} {_SEASONS[found['season'].lower()]}"
            + (f" of {found['year']}" if found["year"] else "")
        ),
    ),
    (
        rf"\b(?P<on>{_BESIDE}) (?P<which>{_LAST} )?(?P<feast>{_FEAST})\b",
        lambda found: (
            f"{_SIDES.get(found['on'].lower(), '')}{'last ' if found['which'] else ''}{_FEASTS[found['feast'].lower()]}"
        ),
    ),
    (rf"\b(?:vor )(?P<n>{_MANY}) {_SPAN}\b", lambda found: f"{_count(found['n'])} {_unit(found)}s ago"),
    (
        rf"\bin den (?:{_LAST}) (?P<n>{_MANY} )?{_SPAN}\b",
        lambda found: f"the last {_count(found['n'] or 'paar').removeprefix('a ')} {_unit(found)}s",
    ),
    (r"\bvorletzte[nrms]? (?P<unit>woche|wochenende|monat|jahr)\b", lambda found: f"the {_unit(found)} before last"),
    (
        rf"\b(?:(?:in|an) der |i[nm] |am )?{_LAST} (?P<unit>wochenende|woche|monat|quartal|jahr)\b",
        lambda found: f"last {_unit(found)}",
    ),
    (
        rf"\b(?:(?:in|an) der |i[nm] |am )?{_THIS} (?P<unit>wochenende|woche|monat|quartal|jahr)\b",
        lambda found: f"this {_unit(found)}",
    ),
    (r"\bam wochenende\b", lambda _: "at the weekend"),
    (r"\b(?:mein|unser)e? (?P<unit>woche|wochenende|monat|jahr)\b", lambda found: f"this {_unit(found)}"),
    (
        rf"\b(?P<verb>war(?:en)?|habe?n?|hat|ist|sind|bin) (?P<year>{_YEAR})\b",
        lambda found: f"{found['verb']} in {found['year']}",
    ),
    (
        rf"\b(?:im jahr|in|seit) (?P<year>{_YEAR})\b",
        lambda found: f"{'since' if found.group().lower().startswith('seit') else 'in'} {found['year']}",
    ),
)
"""What is asked about lies behind: am Freitag is the last one."""
_ASKED_TABLE = tuple((re.compile(pattern, _I), said) for pattern, said in _ASKED)
_GERMAN = re.compile(
    rf"{_DAY}|{_MONTH}|{_SEASON}|{_FEAST}|heute|heuer|gestern|woche|monat|quartal|jahr|\btagen?\b|\d\. ?\d|{_YEAR}",
    _I,
)
"""Tested before anything else: most questions hold none of these."""


_SINCE = re.compile(rf"\bseit (?:(?P<n>{_MANY}) {_SPAN}\b|(?=\w))", _I)


def since(clause: str, at: Instant, clock: Clock = 0) -> Instant | None:
    """Since when a clause says it has been so - seit 2019, seit drei Jahren - as UTC epoch seconds; None if not said.

    `at` is the moment it was said, `clock` the speaker's.
    """
    found = _SINCE.search(clause)
    if found is None:
        return None
    told = f"{_count(found['n'])} {_unit(found)}s ago" if found["n"] else in_english(clause[found.start() :])
    begun = [span.start for span in resolve(told, at, clock) if span.start is not None and span.start < at]
    return begun[0] if begun else None


def english_times(text: str) -> str:
    """The time expressions of a German text in English, in the order of the table, a line each; nothing else of it."""
    return "\n".join(said(found) for pattern, said in _TABLE for found in pattern.finditer(text))


def in_english(question: str) -> str:
    """A question with its German time expressions, which look back, in English, and all else as it was."""
    if _GERMAN.search(question):
        for pattern, said in _ASKED_TABLE:
            question = pattern.sub(said, question)
    return question
