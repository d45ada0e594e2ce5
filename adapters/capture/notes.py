"""Markdown and plain notes: paragraphs as segments, under the date that the note itself, or its name, gives.

Of Markdown the words are told that a reader sees; ids are made of the paragraph as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from itertools import islice
from typing import Any

import yaml

from adapters.capture import markdown
from adapters.capture.bodies import STEP_S, Body, SourceStart, SpokenTurn, body_of_turns
from adapters.capture.dates import date_of_file, place, read_moment
from adapters.capture.text import TextFile
from adapters.capture.transcripts import read_heading

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".text", ""})
FRONT_MATTER_LINES = 100
"""Longest front matter looked for."""
MOST_PARAGRAPHS = 20_000
"""Of one source, as many as it may have segments; a longer note becomes several."""
PARAGRAPH_LINES = 20_000
"""A paragraph is cut after as many."""

_DATE_KEYS = ("date", "created", "created_at", "datetime", "day")
_NOT_YAML = (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError)
"""What its parser ends in, also for a tag whose value is none of its kind: `!!bool ja`."""
_TITLE = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_FENCE = ("```", "~~~")


def sniff(file: TextFile) -> bool:
    """Any text under the suffix of a note."""
    return file.suffix in SUFFIXES and bool(file.sample)


def read(file: TextFile) -> Iterator[Body]:
    """A note as one source, or, where headings are dates, as one source a date."""
    front, skipped = _front_matter(file)
    speaker = front.get("author") if isinstance(front.get("author"), str) else file.owner
    origin = _origin(file, front)
    turns: list[SpokenTurn] = []
    for part in _paragraphs(file, skipped):
        if not isinstance(part, str) or len(turns) >= MOST_PARAGRAPHS:
            if turns:
                yield body_of_turns(file, "note", "note", origin, turns)
            turns = []
        if not isinstance(part, str):
            origin = SourceStart(place(part, file.zone))
        elif text := _plain(file, part):
            at = round(len(turns) * STEP_S, 3)
            as_it_was = part if text != part else None
            turns.append(SpokenTurn(str(speaker), text, at, at, raw=as_it_was, written=as_it_was))
    if turns:
        yield body_of_turns(file, "note", "note", origin, turns)


def _plain(file: TextFile, part: str) -> str:
    """A paragraph as it is read; the boxes of tasks are a habit of plain notes as well."""
    if file.suffix in markdown.SUFFIXES:
        return markdown.plain(part)
    return "\n".join(map(markdown.tasks_plain, part.split("\n")))


def _origin(file: TextFile, front: Mapping[str, Any]) -> SourceStart:
    for key in _DATE_KEYS:
        written = front.get(key)
        moment = read_moment(written) if isinstance(written, str) else written
        if isinstance(moment, date):
            return SourceStart(place(moment, file.zone))
    return SourceStart(*date_of_file(file))


def _front_matter(file: TextFile) -> tuple[Mapping[str, Any], int]:
    """The YAML between two lines of dashes at the very top, and the lines it takes."""
    head = [line.rstrip() for _, line in islice(file.lines(), FRONT_MATTER_LINES)]
    if not head or head[0] != "---" or "---" not in head[1:]:
        return {}, 0
    end = head.index("---", 1)
    try:
        front = yaml.safe_load("\n".join(head[1:end]))
    except _NOT_YAML:
        file.refuse(end, "the front matter above is not YAML")
    return (front, end + 1) if isinstance(front, dict) else ({}, 0)


def _paragraphs(file: TextFile, skipped: int) -> Iterator[str | date | datetime]:
    """Paragraphs, each headed by the titles right above it; a heading that is a date, as that date."""
    held: list[str] = []
    fenced = titled = False
    for number, line in file.lines():
        if number <= skipped:
            continue
        fenced ^= line.lstrip().startswith(_FENCE)
        title = None if fenced else _TITLE.fullmatch(line.strip())
        day = None if fenced else read_heading(line)
        blank = not line.strip() and not fenced
        full = len(held) >= PARAGRAPH_LINES
        if held and (day or full or (title and not titled) or (blank and not titled)):
            yield "\n".join(held)
            held = []
        if day:
            yield day
        elif not blank:
            held.append(title.group(1) if title else line.rstrip())
        titled = bool(held) and (bool(title) or (titled and blank))
    if held:
        yield "\n".join(held).strip()
