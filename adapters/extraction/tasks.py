"""Tasks: what a person has put on a list with an empty box before it is a promise to themselves.

The box is a format, not language: `- [ ] call Ben`, or `☐ call Ben` as an import of Markdown writes it. When it is due
is told by the marks that task lists use, else by the words as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from adapters.extraction.rules_dating import due_of
from adapters.extraction.rules_promises import Promise, sighting_of
from memory.model.claims import Sighting, Utterance
from memory.model.timeline import Instant
from memory.words.time_expressions import resolve
from memory.words.time_spans import Calendar

_TASK = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \]|☐)[ \t]+(?P<text>\S[^\n]*)", re.MULTILINE)
_LISTED = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX-]\]|[☐☑☒])[ \t][^\n]*", re.MULTILINE)
_DUE = re.compile(r"(?:📅\ufe0f?|[\[(]?\bdue:{1,2}|@due\()\s*(?P<day>\d{4}-\d\d-\d\d)[\])]?")
"""Obsidian's Tasks and Dataview, todo.txt, TaskPaper."""
_MARKS = re.compile(
    r"(?:[⏳🛫➕✅❌]\ufe0f?\s*\d{4}-\d\d-\d\d|🔁[^📅⏳🛫➕✅❌]{0,60}|[🔺⏫🔼🔽⏬]\ufe0f?|\^[\w-]+$)\s*"
)
CONFIDENCE = 0.9
"""As a vow: it was written down to be done."""
TASK_CHARS = 500
"""Longest task; what is longer is a paragraph with a box before it (chosen)."""
MOST_TASKS = 200
"""Of one segment: each becomes an entity (chosen)."""


def tasks_of(utterance: Utterance) -> Iterator[Sighting]:
    """A promise for every open box; it is made to nobody."""
    for number, found in enumerate(_TASK.finditer(utterance.text)):
        if number == MOST_TASKS:
            return
        if len(found["text"]) > TASK_CHARS:
            continue
        text = " ".join(_MARKS.sub("", _DUE.sub("", found["text"])).split()).rstrip(".")
        if text and utterance.speaker:
            due = _day(found["text"], utterance) or _by_words(text, utterance)
            promise = Promise(utterance.speaker, None, text, due, CONFIDENCE)
            yield sighting_of(promise, found.group().strip(), utterance.segment_key)


def without_tasks(text: str) -> str:
    """A text with the lines of tasks empty, open and done: who lists what is to be done asserts nothing by it."""
    return _LISTED.sub("", text) if "☐" in text or "☑" in text or "☒" in text or "[" in text else text


def _day(text: str, utterance: Utterance) -> Instant | None:
    """The end of the day that a mark names, where it was written."""
    found = _DUE.search(text)
    try:
        after = date.fromisoformat(found["day"]) + timedelta(days=1) if found else None
    except (ValueError, OverflowError):
        return None
    return None if after is None else Calendar(utterance.at, utterance.clock).instant(after) - 1


def _by_words(text: str, utterance: Utterance) -> Instant | None:
    spans = resolve(text, utterance.at, utterance.clock, "future")
    return next((due for span in spans if (due := due_of(span)) is not None and due > utterance.at), None)
