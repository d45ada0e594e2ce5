"""Invented worlds: talk with questions, written by hand, as conversations to be asked about.

A world is a file of plain text (training/worlds has 258 of them, training/memories 1,530 small ones):

    # world: NAME | kind: assistant | language: en | people: Ana (she, owner), Assistant (it)
    ## 1 | 2024-03-02 19:10 | chat
    Ana: a turn, on one line
    ...
    ?? questions
    ? What does Ana call her bike? | 1.3 2.1-2.4 | Rocinante | fact
    !! claims
    ! 1.3 | Ana | owns | a bike called Rocinante | since 2024-02 | state
    !! corrections
    ~ 2.4 | 2.1 | changes

Sessions and turns are numbered from 1: `1.3` is the third turn of the first. A question of the kind `unanswerable` has
`-` for its turns. Of the claims those of the kind `preference` are read: turns in which somebody says what they want. A
later turn corrects an earlier one that was wrong, or changes what was so; small worlds say which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.conversations import TURN_S, Conversation
from bench.conversations import GoldQuestion as Question
from memory.errors import Invalid

ASSISTANT = "assistant"
"""The kind of a world in which the owner talks with one, who is called so too."""
FOLLOWED = "preference_following"
"""The category of questions to an assistant whose answers heed what the owner wants, as BEAM calls it."""
LEFT_OUT = ("i", "j", "k", "s", "z", "aa", "hh", "mm")
"""Authors whose worlds are never taught: a fifth of all worlds, of every kind, and some in German. What is fitted is
fitted to these alone, for the encoder finds more in what it was taught."""
_HEAD = re.compile(r"# world:.*\| kind: (?P<kind>\w+) .*\| people: (?P<people>.+)")
_OWNER = re.compile(r"(?P<name>[^,|]+?) \([^)]*\bowner\b[^)]*\)")
_TURN = re.compile(r"(?P<speaker>[^:]{1,40}): *(?P<text>.+)")
_SPAN = re.compile(r"(\d+)\.(\d+)(?:-(?:\d+\.)?(\d+))?")
_UNANSWERABLE, _WANTED = "unanswerable", "preference"


@dataclass(frozen=True, slots=True)
class UnseenWorld:
    """A conversation, and what there is to ask about it."""

    kind: str
    conversation: Conversation
    """Its questions are those with an answer."""
    asked: tuple[Question, ...]
    """All questions; those without an answer have no gold, and the category `abstention`; for wishes see FOLLOWED."""
    wished: frozenset[str]
    """Turns in which the owner says what they want."""


@dataclass(slots=True)
class _Read:
    """What the lines of a file have told so far."""

    sessions: list[dict[str, Any]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    wished: set[str] = field(default_factory=set)
    wanted: str = _WANTED
    """The category of questions about what somebody wants: of an assistant it is a request that heeds it."""


def worlds(folder: Path) -> Iterator[UnseenWorld]:
    """The worlds of a folder, by name. Raises Invalid, with file and line, where one is not of that shape."""
    for path in sorted(folder.glob("*.txt")):
        yield world(path.stem, path.read_text(encoding="utf-8").splitlines())


def worlds_left_out(folder: Path) -> list[UnseenWorld]:
    """Those of the authors who are never taught."""
    return [each for each in worlds(folder) if author_of(each.conversation.id) in LEFT_OUT]


def author_of(conversation: str) -> str:
    """Whose world it is: the part of its name before the first hyphen (`world-i-kettle` is by i)."""
    return conversation.removeprefix("world-").partition("-")[0]


def world(name: str, lines: Sequence[str]) -> UnseenWorld:
    """One world. Raises Invalid."""
    head = _HEAD.match(lines[0]) if lines else None
    owner = head and _OWNER.search(head["people"])
    if head is None or owner is None:
        raise Invalid(f"{name}, line 1: not the head of a world with an owner.")
    told, talking = _Read(wanted=FOLLOWED if head["kind"] == ASSISTANT else _WANTED), True
    for number, line in enumerate(lines[1:], start=2):
        talking = talking and not line.startswith("??")
        try:
            _take(told, line.strip(), owner["name"].strip(), talking)
        except (ValueError, LookupError) as error:
            raise Invalid(f"{name}, line {number}: no session, turn, question or claim.") from error
    if not told.sessions:
        raise Invalid(f"{name}: no session.")
    dated = max(body["started_at"] + TURN_S * len(body["segments"]) for body in told.sessions)
    asked = tuple(Question(each.text, each.category, each.gold, {}, dated, each.answer) for each in told.questions)
    answered = tuple(each for each in asked if each.gold)
    found = Conversation(f"world-{name}", "worlds", tuple(told.sessions), answered)
    return UnseenWorld(head["kind"], found, asked, frozenset(told.wished))


def _take(told: _Read, line: str, owner: str, talking: bool) -> None:
    if line.startswith("## "):
        number, at, *_ = (part.strip() for part in line[3:].split("|"))
        started = datetime.strptime(at, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()
        told.sessions.append({"source_id": number, "started_at": started, "segments": []})
    elif line.startswith("? "):
        text, turns, *answer, kind = (part.strip() for part in line[2:].split("|"))
        category = {_UNANSWERABLE: "abstention", _WANTED: told.wanted}.get(kind, kind)
        told.questions.append(Question(text, category, tuple(turns_of(turns)), {}, 0.0, " | ".join(answer)))
    elif line.startswith("! "):
        turn, who, *_, kind = (part.strip() for part in line[2:].split("|"))
        if (who, kind) == (owner, _WANTED):
            told.wished.add(turn)
    elif talking and line:
        said = _TURN.fullmatch(line)
        if said is None:
            raise ValueError
        told.sessions[-1]["segments"].append(_turn(told.sessions[-1], said, owner))


def _turn(body: Mapping[str, Any], said: re.Match[str], owner: str) -> dict[str, Any]:
    place, speaker = len(body["segments"]), said["speaker"].strip()
    role = "user" if speaker == owner else ASSISTANT if speaker.lower() == ASSISTANT else "other"
    identity, at = f"{body['source_id']}.{place + 1}", TURN_S * place
    return {"segment_id": identity, "speaker": speaker, "text": said["text"], "start": at, "end": at, "role": role}


def turns_of(listed: str) -> Iterator[str]:
    """`1.3 2.1-2.3` -> 1.3, 2.1, 2.2, 2.3; nothing for `-`."""
    for session, first, last in _SPAN.findall(listed):
        yield from (f"{session}.{turn}" for turn in range(int(first), int(last or first) + 1))
