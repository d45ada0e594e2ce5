"""German time expressions, put into English for the one grammar of times: bis Freitag is by Friday."""

from __future__ import annotations

import re
from collections.abc import Callable

_I = re.IGNORECASE
_DAYS = {
    "montag": "Monday", "dienstag": "Tuesday", "mittwoch": "Wednesday", "donnerstag": "Thursday", "freitag": "Friday",
    "samstag": "Saturday", "sonnabend": "Saturday", "sonntag": "Sunday",
}  # fmt: skip
_MONTHS = {
    "januar": "January", "februar": "February", "märz": "March", "april": "April", "mai": "May", "juni": "June",
    "juli": "July", "august": "August", "september": "September", "oktober": "October", "november": "November",
    "dezember": "December",
}  # fmt: skip
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
_DAY = "|".join(_DAYS)
_MONTH = "|".join(_MONTHS)
_EXPRESSIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\b(?:(?:bis|vor) )?übermorgen\b", lambda _: "the day after tomorrow"),
    (r"\bheute(?: abend| nachmittag| nacht)?\b", lambda _: "today"),
    (r"(?<!guten )(?<!am )\bmorgen(?: früh| abend| mittag| nachmittag)?\b", lambda _: "tomorrow"),
    (r"\bgestern(?: abend)?\b", lambda _: "yesterday"),
    (
        rf"\b(?:(?:am|bis|bis zum|diesen|kommenden) )(?P<day>{_DAY})\b",
        lambda found: f"on {_DAYS[found['day'].lower()]}",
    ),
    (rf"\b(?P<on>\d{{1,2}})\. (?P<month>{_MONTH})\b", lambda found: f"{found['on']} {_MONTHS[found['month'].lower()]}"),
    (
        r"\bin (?P<n>\d+|einem|einer|zwei|drei|vier|fünf|sechs) (?P<unit>tag|woche|monat|jahr)(?:en|e|n)?\b",
        lambda found: f"in {_COUNTS.get(found['n'].lower(), found['n'])} {_UNITS[found['unit'].lower()]}s",
    ),
    (r"\b(?:nächste|kommende)[rn]? woche\b", lambda _: "next week"),
    (r"\b(?:nächsten|kommenden) monat\b", lambda _: "next month"),
    (r"\b(?:am|übers|dieses|nächstes) wochenende\b", lambda _: "this weekend"),
)
_TABLE = tuple((re.compile(pattern, _I), said) for pattern, said in _EXPRESSIONS)


def english_times(text: str) -> str:
    """The time expressions of a German text in English, in the order of the table, a line each; nothing else of it."""
    return "\n".join(said(found) for pattern, said in _TABLE for found in pattern.finditer(text))
