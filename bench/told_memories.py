"""Small worlds of everyday talk (`training/memories`) as lives: told a session at a time, asked as their owner asks.

They say of each question which turns answer it, not in which words. Those of authors whom nothing is taught (`UNTAUGHT`
of `training/talk.py`) tell what answers are worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bench.conversations import GoldQuestion
from bench.life_model import QUESTION_KINDS, SESSION_KINDS, UNANSWERABLE, LifeQuestion, LifeScript, LifeTurn, Session
from bench.unseen_worlds import world
from memory.errors import Invalid

FIRST_WORDS = "# world:"
"""What a file of this kind begins with."""
ASKED_AFTER = timedelta(days=40)
"""From the last session until all is asked (chosen): nobody asks in the moment of telling."""
_LANGUAGE = re.compile(r"\| language: (?P<languages>[a-z]{2}(?:, [a-z]{2})*) \|")
_SESSION = re.compile(r"## \d+ \| [^|]+ \| (?P<kind>\w+)")


def told_memory(name: str, text: str) -> LifeScript:
    """The life of a file that begins with `FIRST_WORDS`. Raises Invalid, with its name and the line that is wrong."""
    lines = text.splitlines()
    found = world(name, lines)
    language = _LANGUAGE.search(lines[0])
    if language is None:
        raise Invalid(f"{name}, line 1: the head does not tell the language, such as `language: en`.")
    bodies = found.conversation.bodies
    turns = [turn for body in bodies for turn in body["segments"]]
    owner = next((turn["speaker"] for turn in turns if turn["role"] == "user"), None)
    if owner is None:
        raise Invalid(f"{name}: its owner says nothing.")
    sessions = tuple(_session(body, kind) for body, kind in zip(bodies, _kinds(name, lines), strict=True))
    return LifeScript(
        name=name,
        owner=owner,
        zone=ZoneInfo("UTC"),
        languages=tuple(language["languages"].split(", ")),
        people=tuple(dict.fromkeys(turn["speaker"] for turn in turns if turn["speaker"] != owner)),
        told=sessions,
        now=max(each.at for each in sessions) + ASKED_AFTER,
        questions=tuple(map(_question, found.asked)),
        claims=(),
        traps=(),
    )


def _kinds(name: str, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            session = _SESSION.match(line)
            if session is None or session["kind"] not in SESSION_KINDS:
                raise Invalid(f"{name}, line {number}: a session is one of {', '.join(SESSION_KINDS)}.")
            yield SESSION_KINDS[session["kind"]]


def _session(body: Mapping[str, Any], kind: str) -> Session:
    turns = tuple(LifeTurn(turn["segment_id"], turn["speaker"], turn["text"]) for turn in body["segments"])
    return Session(int(body["source_id"]), datetime.fromtimestamp(body["started_at"], UTC), kind, turns)


def _question(asked: GoldQuestion) -> LifeQuestion:
    if not asked.gold:
        return LifeQuestion(asked.text, UNANSWERABLE)
    kind = asked.category if asked.category in QUESTION_KINDS else "fact"
    return LifeQuestion(asked.text, kind, must=((asked.answer,),), turns=asked.gold)
