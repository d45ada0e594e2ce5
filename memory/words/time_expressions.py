"""Time expressions of English talk, resolved against the moment and the clock of who said them, never against now.

`resolve(text, anchor, clock)` is the whole door. Right on 38 of 40 collected expressions, where the best library was
right on 28; the conventions stand with the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from memory.errors import Invalid
from memory.model.timeline import DAY_S, Clock, Instant, to_datetime
from memory.model.voices import NUMBERED
from memory.words.time_atoms import DAY_NAME, MONTH_NAME, SEASON_NAME, Builder
from memory.words.time_composed import COMPOSED, COMPOSED_NEEDS
from memory.words.time_grammar import GRAMMAR, GRAMMAR_NEEDS
from memory.words.time_spans import Calendar, Days, TimeSpan

_NEEDS = {**GRAMMAR_NEEDS, **COMPOSED_NEEDS}
_RULES = tuple(
    (re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE), build, _NEEDS.get(build, ("",)))
    for pattern, build in (*COMPOSED, *GRAMMAR)
)
_DIGIT = re.compile(r"\d")
_HINT = re.compile(
    r"\d|day|night|morrow|week|month|quarter|year|ago|every|each|"
    + SEASON_NAME
    + r"|decade|morning|evening|afternoon|hour|minute|"
    r"christmas|xmas|easter|thanksgiving|halloween|valentine|new year|patrick|dail|annual|times|most|"
    r"pentecost|whitsun|ties\b|nineteen|twenty|thousand|" + MONTH_NAME + "|" + DAY_NAME,
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\w:.$])(?:at |around |by |@ ?)?(?:(?P<h>1[0-2]|0?[1-9])(?:[:.](?P<m>[0-5]\d))? ?(?P<half>[ap])\.?m\b\.?|"
    r"(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?! ?[ap]m)|(?P<word>noon|midnight)\b)",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:ever )?since (?:about |around |the |early |late )*$", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:to|until|till|through|and|-|–|—)\s*(?:the )?", re.IGNORECASE)
_CLOCK_REACH = 16
_CLOCKS = 100
"""Clock times of one text that are looked at (chosen: nobody says more; each is held against every day)."""
_LENGTHS = {"minute": 60.0, "hour": 3600.0}
_NOON_S = 43_200.0
_SMALL_HOURS_S = 5 * 3600.0
_LATE = re.compile(r"night|evening|afternoon", re.IGNORECASE)
_STOP = re.compile(r"[.!?;]")
_LOOK_BACK = 40
"""Characters before an expression that tell whether it begins something: "between", "ever since about the"."""
_WEEK_S = 7 * DAY_S
_YEAR = re.compile(r"\d{4}|year")
_BARE_MONTH = re.compile(rf"\b(?:{MONTH_NAME})\b", re.IGNORECASE)
_DAY_NAME = re.compile(rf"(?:on )?(?:{DAY_NAME})\b", re.IGNORECASE)


def resolve(
    text: str, anchor: Instant, clock: Clock = 0, prefer: str = "past", *, nearest: bool = False
) -> list[TimeSpan]:
    """Every time expression in the text, in order of appearance, none overlapping.

    `anchor` is the moment it was said (UTC epoch seconds), `clock` the speaker's: by that of a zone a day ends at its
    own midnight, on whichever side of a change of clocks it lies. `prefer` ("past" or "future") is where a bare weekday
    or month lies; after "since" it is past in every tense. With `nearest` a month or a date without a year that is at
    most `NEAR_MONTHS` away is meant, whatever is preferred. Dates that do not exist are passed over, and so are those
    in the labels of strangers' voices.
    """
    text = NUMBERED.sub(lambda label: "_" * len(label[0]), text)
    if not _HINT.search(text) and not _CLOCK.search(text):
        return []
    calendar, before = Calendar(anchor, clock, prefer, nearest), Calendar(anchor, clock, "past")
    spans: list[TimeSpan] = []
    covered = bytearray(len(text))
    said = text.lower() + ("#" if _DIGIT.search(text) else "")
    for pattern, build, needs in _RULES:
        if not any(word in said for word in needs):
            continue
        for match in pattern.finditer(text):
            if match.group() and not any(covered[match.start() : match.end()]):
                meant = before if _begins(text, match.start(), match.group()) else calendar
                spans.extend(_cover(covered, _built(build, match, meant)))
    spans = _with_clock(text, sorted(spans, key=lambda span: span.at), calendar)
    return _opened(text, _joined(text, spans, calendar))


def _cover(covered: bytearray, spans: Sequence[TimeSpan]) -> Sequence[TimeSpan]:
    """The spans, whose characters no other expression may take."""
    for span in spans:
        covered[span.at : span.at + len(span.text)] = b"\1" * len(span.text)
    return spans


def _taken(match: re.Match[str], spans: Iterable[TimeSpan]) -> bool:
    return any(match.start() < span.at + len(span.text) and span.at < match.end() for span in spans)


def _built(build: Builder, match: re.Match[str], calendar: Calendar) -> list[TimeSpan]:
    try:
        built = build(match, calendar)
    except (ValueError, OverflowError, Invalid):
        return []  # 31 June, the year 0: words that look like a date and are none
    if built is None:
        return []
    if isinstance(built, Days) and calendar.instant(built.first) >= calendar.instant(built.after):
        return []  # beyond what a memory can hold
    span = calendar.span(built, match.group(), match.start()) if isinstance(built, Days) else built
    return [replace(span, approximate=True)] if match.groupdict().get("about") else [span]


def _with_clock(text: str, spans: list[TimeSpan], calendar: Calendar) -> list[TimeSpan]:
    """Clock times put on the day that stands nearest, else on the anchor's day or, to come, on the next."""
    for match in islice(_CLOCK.finditer(text), _CLOCKS):
        if not _taken(match, spans):
            near = _near(text, spans, match)
            spans = [*(s for s in spans if s is not near), _clocked(text, match, near, calendar)]
    return sorted(spans, key=lambda span: span.at)


def _near(text: str, spans: Sequence[TimeSpan], match: re.Match[str]) -> TimeSpan | None:
    """The day or, in the same sentence, the recurrence that a clock time is a part of."""
    within = [s for s in spans if _gap(s, match) <= _CLOCK_REACH]
    days = (s for s in within if s.grain == "day" and s.kind == "point")
    often = (s for s in within if s.kind == "recurrence" and not _STOP.search(_between(text, s, match)))
    return min([*days, *often], key=lambda span: _gap(span, match), default=None)


def _clocked(text: str, match: re.Match[str], near: TimeSpan | None, calendar: Calendar) -> TimeSpan:
    """A clock time on its day; every Friday at 8 pm is no moment, and stays a recurrence."""
    seconds, grain = _time_of_day(match)
    first, last = match.span()
    if near is not None:
        first, last = min(near.at, first), max(near.at + len(near.text), last)
        if near.start is None:
            return replace(near, text=text[first:last], at=first)
        start = calendar.later(near.start, _after_dusk(near.text, match, seconds))
    else:
        start = calendar.later(calendar.instant(calendar.today), seconds)
        if calendar.prefer == "future" and start <= calendar.anchor and not _begins(text, first, match.group()):
            start = calendar.later(start, DAY_S)  # I'll pick you up at 7 am, said in the evening
    return TimeSpan(start, start + _LENGTHS[grain], grain, "point", False, text[first:last], first)


def _after_dusk(day: str, match: re.Match[str], seconds: float) -> float:
    """Seconds from the start of a day to a clock time in its night: to 20:30 at 8:30, and beyond its end at 2 am."""
    late = _LATE.search(day)
    if late is None:
        return seconds
    dark, told = late.group().lower() != "afternoon", match.group("h24") is None
    if dark and seconds < (_NOON_S if told else _SMALL_HOURS_S):
        return seconds + DAY_S
    fits = told or seconds >= (_NOON_S + 3600 if dark else _NOON_S)
    return seconds if fits else seconds + _NOON_S


def _between(text: str, span: TimeSpan, match: re.Match[str]) -> str:
    return text[min(span.at + len(span.text), match.end()) : max(span.at, match.start())]


def _gap(span: TimeSpan, match: re.Match[str]) -> int:
    return max(match.start() - span.at - len(span.text), span.at - match.end())


def _time_of_day(match: re.Match[str]) -> tuple[float, str]:
    if match.group("word"):
        return (43_200.0 if match.group("word").lower() == "noon" else 0.0), "hour"
    if match.group("h24"):
        return int(match.group("h24")) * 3600.0 + int(match.group("m24")) * 60.0, "minute"
    hour = int(match.group("h")) % 12 + (12 if match.group("half").lower() == "p" else 0)
    minute = int(match.group("m") or 0)
    return hour * 3600.0 + minute * 60.0, "minute" if minute else "hour"


def _joined(text: str, spans: list[TimeSpan], calendar: Calendar) -> list[TimeSpan]:
    """From A to B, between A and B: one interval."""
    joined: list[TimeSpan] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and last.start is not None and span.end is not None and span.start is not None:
            between = text[last.at + len(last.text) : span.at]
            opened = re.search(
                r"\b(?:from|between)\s+$", _before(text, last.at) + re.split(r"\w+$", last.text)[0], re.IGNORECASE
            )
            dashed = between.strip() in ("-", "–", "to", "until", "till")
            start = _first(last, last.start, span, calendar)
            if _RANGE.fullmatch(between) and (opened or dashed) and start < span.end:
                whole = text[last.at : span.at + len(span.text)]
                joined[-1] = replace(last, start=start, end=span.end, kind="interval", text=whole)
                continue
        joined.append(span)
    return joined


def _first(first: TimeSpan, start: Instant, last: TimeSpan, calendar: Calendar) -> Instant:
    """Between Monday and Friday is said on a Tuesday of last week, though its last Monday was yesterday.

    From March to May 2021 is all of 2021, and from November to February begins in the year before. From 10 pm to 6 am
    begins on the day before.
    """
    over = last.end is not None and last.end <= start
    if over and first.grain in _LENGTHS:
        return calendar.later(start, -DAY_S)
    if over and _DAY_NAME.match(last.text):
        return calendar.later(start, -_WEEK_S)
    return _years_earlier(start, last, calendar.clock) if over and _is_bare_month(first) else start


def _is_bare_month(span: TimeSpan) -> bool:
    return span.grain == "month" and _YEAR.search(span.text) is None and _BARE_MONTH.search(span.text) is not None


def _years_earlier(start: Instant, last: TimeSpan, clock: Clock) -> Instant:
    """The same day of the latest year in which it lies before the end of `last`."""
    first, end = to_datetime(start, clock), to_datetime(last.end or start, clock)
    day = first.replace(year=end.year)
    return (day if day < end else day.replace(year=end.year - 1)).timestamp()


def _opened(text: str, spans: list[TimeSpan]) -> list[TimeSpan]:
    """Since A: from its start, still open."""
    return [
        replace(span, end=None, kind="interval")
        if span.kind != "recurrence" and _begins(text, span.at, span.text)
        else span
        for span in spans
    ]


def _begins(text: str, at: int, words: str) -> bool:
    """Whether these words at this place tell since when."""
    return words.lower().startswith("since ") or _SINCE.search(_before(text, at)) is not None


def _before(text: str, at: int) -> str:
    return text[max(0, at - _LOOK_BACK) : at]
