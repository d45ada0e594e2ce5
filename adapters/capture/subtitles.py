"""SubRip (.srt) and WebVTT (.vtt): cues with exact times, spoken by whom a voice tag or a `Name:` says."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from adapters.capture.bodies import UNKNOWN, Body, SourceStart, SpokenTurn, body_of_turns
from adapters.capture.dates import date_of_file
from adapters.capture.text import TextFile

JOIN_GAP_S = 2.0
JOIN_CHARS = 300
"""Cues cut sentences apart every few seconds: while one is unfinished, its speaker's next cue within this gap joins."""

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMING = re.compile(rf"{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_BEGUN = re.compile(r"\s*\d[\d:.,]*\s*-->")
"""A timing, however it goes on; an arrow between words is what is said."""
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>\s][^<>]*)>")
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>]*>|\{\\[^{}]*\}")
_WORD_TIME = re.compile(r"<(?:\d{1,3}:)?\d{1,2}:\d{2}\.\d{3}>")
_CAPITALISED = r"[^\W\d_a-z][^\s:<>\[\]()]{0,39}"
_NAMED = re.compile(rf"(?:-\s*)?({_CAPITALISED}(?: (?:{_CAPITALISED}|\d+)){{0,3}}):\s+(.+)")
_FINISHED = re.compile(r"[.!?…][\"'”’)]*$")


@dataclass(frozen=True, slots=True)
class _Cue:
    start: float
    end: float
    lines: tuple[str, ...]


def sniff_vtt(file: TextFile) -> bool:
    """Begun by WEBVTT."""
    return bool(file.sample) and file.sample[0].startswith("WEBVTT")


def sniff_srt(file: TextFile) -> bool:
    """A cue's timing in the first or second line."""
    return any(_TIMING.fullmatch(line) for line in file.sample[:2])


def read_vtt(file: TextFile) -> Iterator[Body]:
    """A WebVTT file as one source."""
    return _read(file, "vtt")


def read_srt(file: TextFile) -> Iterator[Body]:
    """A SubRip file as one source."""
    return _read(file, "srt")


def _read(file: TextFile, form: str) -> Iterator[Body]:
    turns = list(_sentences(_turns(_unrolled(_cues(file)))))
    if turns:
        yield body_of_turns(file, form, "meeting", SourceStart(*date_of_file(file)), turns)


def _cues(file: TextFile) -> Iterator[_Cue]:
    """Blocks with a timing; headers, notes and styles have none."""
    timing: tuple[float, float] | None = None
    lines: list[str] = []
    for number, line in file.lines():
        if _BEGUN.match(line):
            timing, lines = _timing(file, number, line), []
        elif line.strip():
            lines.append(line.strip())
        elif line and not lines:
            continue  # an empty first line, upon which captions roll up
        else:
            if timing is not None:
                yield _Cue(*timing, tuple(lines))
            timing, lines = None, []
    if timing is not None:
        yield _Cue(*timing, tuple(lines))


def _unrolled(cues: Iterable[_Cue]) -> Iterator[_Cue]:
    """Cues without the lines that stand on from the one before, once words have times of their own: such captions roll
    up, and show each line again below the words that come.
    """
    rolls, shown = False, list[str]()
    for cue in cues:
        rolls = rolls or any(map(_WORD_TIME.search, cue.lines))
        words = [_spoken(line)[1] for line in cue.lines]
        most = min(len(words), len(shown)) if rolls else 0
        again = next((count for count in range(most, 0, -1) if words[:count] == shown[-count:]), 0)
        shown = words or shown
        yield replace(cue, lines=cue.lines[again:])


def _timing(file: TextFile, number: int, line: str) -> tuple[float, float]:
    found = _TIMING.fullmatch(line.strip())
    if not found:
        file.refuse(number, "not a cue's timing (00:00:01,000 --> 00:00:04,000)")
    start, end = _seconds(found.groups()[:4]), _seconds(found.groups()[4:])
    if end < start:
        file.refuse(number, "the cue ends before it starts")
    return start, end


def _seconds(fields: Iterable[str | None]) -> float:
    hours, minutes, seconds, fraction = (field or "0" for field in fields)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _turns(cues: Iterable[_Cue]) -> Iterator[SpokenTurn]:
    """One turn a speaker and cue; who has been named speaks until somebody else is."""
    speaker = UNKNOWN
    for cue in cues:
        words: list[str] = []
        for line in cue.lines:
            named, text = _spoken(line)
            if named and named != speaker:
                yield from _turn(cue, speaker, words)
                speaker, words = named, []
            words.append(text)
        yield from _turn(cue, speaker, words)


def _spoken(line: str) -> tuple[str | None, str]:
    """(who, if named; the words without markup)."""
    voice = _VOICE.search(line)
    text = html.unescape(_TAG.sub("", line)).strip()
    if voice:
        return html.unescape(voice.group(1)).strip(), text
    named = _NAMED.fullmatch(text)
    return (named.group(1).strip(), named.group(2)) if named else (None, text)


def _turn(cue: _Cue, speaker: str, words: list[str]) -> Iterator[SpokenTurn]:
    if text := " ".join(filter(None, words)):
        yield SpokenTurn(speaker, text, cue.start, cue.end)


def _sentences(turns: Iterable[SpokenTurn]) -> Iterator[SpokenTurn]:
    held: SpokenTurn | None = None
    for turn in turns:
        if held is not None and _continues(held, turn):
            held = replace(held, text=f"{held.text} {turn.text}", end=max(held.end, turn.end))
            continue
        if held is not None:
            yield held
        held = turn
    if held is not None:
        yield held


def _continues(held: SpokenTurn, turn: SpokenTurn) -> bool:
    near = held.start <= turn.start <= held.end + JOIN_GAP_S
    return near and held.speaker == turn.speaker and len(held.text) < JOIN_CHARS and not _FINISHED.search(held.text)
