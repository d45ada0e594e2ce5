"""Transcripts of `Speaker: text`, with or without times, under any number of date headings.

A turn may look like `Ana: hi`, `**Ana:** hi`, `[10:32] Ana: hi`, `(00:01:02) Ana: hi`, `10:32 Ana: hi`,
`[2024-05-01 10:32] Ana: hi`, `2024-05-01 10:32 Ana: hi`, `Ana [10:32]: hi`, or `Ana 0:45` above what she says. Lines
without a speaker continue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from adapters.capture.bodies import Body, SourceStart, SpokenTurn, body_of_turns, spoken_s
from adapters.capture.dates import clock_hour, date_of_file, place, read_moment
from adapters.capture.text import TextFile

RECORDING_BEGINS_S = 300.0
"""A file whose first time is earlier than this counts from the start of a recording; else its times are clocks."""
HALF_DAY_S = 43_200.0
"""A clock that falls back further than this has passed midnight."""

_TIME = r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s*[AaPp]\.?[Mm]\.?)?"
_DAY = r"(?:\d{4}-\d\d-\d\d[T ])"
_IN_WORD = r"[^\s:\[\]()<>{}\"/\\*|]"
_NAME = rf"[^\W\d_]{_IN_WORD}*(?: (?:[^\W_a-z]{_IN_WORD}*|de|da|van|von|der|la|le|bin|al)){{0,4}}"
"""One word, or several if all but small particles are capitalised: "and he said:" names nobody."""
_TURN = re.compile(
    rf"(?:[\[(](?P<before>[^\[\]()]{{4,40}})[\])]\s*|(?P<bare>{_DAY}?{_TIME})\s+(?:-\s+)?)?"
    rf"(?:\*\*|__)?(?P<name>{_NAME})(?:\s*[\[(](?P<after>{_TIME})[\])])?(?:\*\*|__)?:(?:\*\*|__)?(?:\s+(?P<text>.*))?"
)
_ABOVE = re.compile(rf"(?P<name>{_NAME})\s+[\[(]?(?P<after>{_TIME})[\])]?")
_CLOCK = re.compile(r"(\d{1,3}):(\d\d)(?::(\d\d))?(?:[.,]\d+)?\s*([AaPp])?.*")
_HEADING = re.compile(r"^(?:#+|[-=*_]{2,}|date:)?\s*(.*?)\s*[-=*_#]*$", re.IGNORECASE)
_SHORT_WORDS = 3
_FEW_TURNS = 8
"""In so few turns everybody may speak once."""
_RETURNING = 0.1
"""In more turns, at least this share is of somebody who speaks again; else the names are labels of a note."""
_NAME_CHARS = 40
_HEADING_CHARS = 80


@dataclass(frozen=True, slots=True)
class _Time:
    """`1:02` or `1:02:03` as written, and the date beside it if there is one."""

    first: int
    second: int
    third: int | None
    half: str | None = None
    day: date | None = None

    def clock_s(self) -> float:
        """Seconds from midnight."""
        return clock_hour(self.first, self.half) * 3600.0 + self.second * 60 + (self.third or 0)

    def offset_s(self) -> float:
        """Seconds from the start of a recording, where two numbers are minutes and seconds."""
        if self.third is None:
            return self.first * 60.0 + self.second
        return self.first * 3600.0 + self.second * 60 + self.third


@dataclass(slots=True)
class _Said:
    speaker: str
    time: _Time | None
    words: list[str]


@dataclass(slots=True)
class _Sitting:
    """What was said under one date heading, or under none."""

    heading: date | datetime | None
    said: list[_Said]


def sniff(file: TextFile) -> bool:
    """At least half of the lines belong to turns, and someone speaks twice or every turn is more than a word or two.

    Speakers come back: where hardly any name does, the names are labels.
    """
    lines = [line for line in file.sample if read_heading(line) is None]
    begun: list[_Said] = []
    covered = 0
    for line in lines:
        turn = _turn(line)
        if turn is not None:
            begun.append(turn)
        elif begun and not begun[-1].words:
            begun[-1].words.append(line)
        else:
            continue
        covered += 1
    spoken = [turn for turn in begun if turn.words]
    if len(spoken) < 2 or covered * 2 < len(lines):
        return False
    turns = Counter(turn.speaker for turn in spoken).values()
    returning = sum(count for count in turns if count > 1)
    if len(spoken) > _FEW_TURNS and returning < _RETURNING * len(spoken):
        return False
    return returning > 0 or (
        covered == len(lines) and all(len(" ".join(t.words).split()) >= _SHORT_WORDS for t in spoken)
    )


def read(file: TextFile) -> Iterator[Body]:
    """One source a date heading. A time without a date belongs to the heading, the file's name, or its last change."""
    clocks = _are_clocks(file)
    for sitting in _sittings(file):
        started_at, dated_by = date_of_file(file)
        if sitting.heading is not None:
            started_at, dated_by = place(sitting.heading, file.zone), "text"
        if clocks:
            started_at, turns = _by_clock(sitting, started_at)
        else:
            turns = _laid_out(sitting, [said.time.offset_s() if said.time else None for said in sitting.said])
        if turns:
            yield body_of_turns(file, "transcript", "conversation", SourceStart(started_at, dated_by), turns)


def read_heading(line: str) -> date | datetime | None:
    """The date of a line that holds nothing else, be it marked as a heading or not."""
    if len(line) > _HEADING_CHARS or not any(map(str.isdigit, line)):
        return None
    found = _HEADING.match(line.strip())
    return read_moment(found.group(1)) if found else None


def _sittings(file: TextFile) -> Iterator[_Sitting]:
    sitting = _Sitting(None, [])
    for _, line in file.lines():
        heading, turn = read_heading(line), _turn(line.strip())
        day = heading or (turn.time.day if turn and turn.time else None)
        if day is not None and (heading is not None or _date(day) != _date(sitting.heading)):
            if sitting.said:
                yield sitting
            sitting = _Sitting(day, [])
        if turn is not None:
            sitting.said.append(turn)
        elif heading is None and line.strip():
            _continue(file, sitting, line.strip())
    if sitting.said:
        yield sitting


def _continue(file: TextFile, sitting: _Sitting, words: str) -> None:
    """Words without a speaker: of who spoke last, or, before anybody has, the owner's."""
    if not sitting.said:
        sitting.said.append(_Said(file.owner, None, []))
    sitting.said[-1].words.append(words)


def _turn(line: str) -> _Said | None:
    found = _TURN.fullmatch(line) or _ABOVE.fullmatch(line)
    if found is None or len(found["name"]) > _NAME_CHARS:
        return None
    parts = found.groupdict()
    written = parts.get("before") or parts.get("bare") or parts["after"]
    when = _time(written) if written else None
    if written and when is None:
        return None
    text = (parts.get("text") or "").strip()
    return _Said(found["name"], when, [text] if text else [])


def _time(written: str) -> _Time | None:
    if found := _CLOCK.fullmatch(written) if re.fullmatch(_TIME, written) else None:
        first, second, third, half = found.groups()
        return _Time(int(first), int(second), int(third) if third else None, half)
    moment = read_moment(written)
    if not isinstance(moment, datetime):
        return None
    return _Time(moment.hour, moment.minute, moment.second, None, moment.date())


def _are_clocks(file: TextFile) -> bool:
    """Whether the times of a file are times of day."""
    first: _Time | None = None
    for _, line in file.lines():
        turn = _turn(line.strip())
        if turn is None or turn.time is None:
            continue
        first = first or turn.time
        if turn.time.half or turn.time.day:
            return True
        if turn.time.first > 23:
            return False
    return first is not None and first.offset_s() >= RECORDING_BEGINS_S


def _by_clock(sitting: _Sitting, started_at: datetime) -> tuple[datetime, list[SpokenTurn]]:
    """Turns by the clock of the sitting's day; it starts with its first turn."""
    times: list[float | None] = []
    days_s, last = 0.0, 0.0
    for said in sitting.said:
        clock = said.time.clock_s() if said.time else None
        if clock is not None:
            days_s += 2 * HALF_DAY_S if clock < last - HALF_DAY_S else 0.0
            last = clock
        times.append(None if clock is None else clock + days_s)
    known = next((moment for moment in times if moment is not None), None)
    if known is None:
        return started_at, _laid_out(sitting, times)
    midnight = datetime.combine(started_at.date(), time(), tzinfo=started_at.tzinfo)
    since = [None if moment is None else moment - known for moment in times]
    return midnight + timedelta(seconds=known), _laid_out(sitting, since)


def _laid_out(sitting: _Sitting, times: list[float | None]) -> list[SpokenTurn]:
    """Turns one after the other: where it says so, else as soon as the one before has been spoken."""
    turns: list[SpokenTurn] = []
    now = 0.0
    for said, written in zip(sitting.said, times, strict=True):
        start = max(turns[-1].start if turns else 0.0, now if written is None else written)
        text = " ".join(said.words)
        now = start + spoken_s(text)
        if text:
            turns.append(SpokenTurn(said.speaker, text, start, now))
    return turns


def _date(moment: date | datetime | None) -> date | None:
    return moment.date() if isinstance(moment, datetime) else moment
