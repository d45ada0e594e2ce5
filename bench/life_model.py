"""An invented casual life: sessions of talk, commands between them, and what is asked and judged when all is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

SESSION_KINDS: Mapping[str, str] = {
    "chat": "conversation",
    "group": "conversation",
    "call": "conversation",
    "conversation": "conversation",
    "memo": "voice_memo",
    "dictation": "voice_memo",
    "voice_memo": "voice_memo",
    "meeting": "meeting",
    "standup": "meeting",
    "note": "note",
    "mail": "email",
    "email": "email",
}
"""What a session is called in a file -> the kind of source it is."""
QUESTION_KINDS = (
    "fact",
    "when",
    "list",
    "count",
    "yesno",
    "promise",
    "change",
    "correction",
    "unanswerable",
)
UNANSWERABLE, CORRECTION, WHEN = "unanswerable", "correction", "when"
TRAPS = ("idiom", "joke", "hypothetical", "question", "hearsay", "denied", "retracted", "plan_dropped")


@dataclass(frozen=True, slots=True)
class LifeTurn:
    """One line of talk; `id` is `session.turn`, both counted from 1."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """A talk; `at` is the local time it began at, with its zone; `kind` a source's."""

    number: int
    at: datetime
    kind: str
    turns: tuple[LifeTurn, ...]


@dataclass(frozen=True, slots=True)
class LifeCommand:
    """What the owner asks of the memory: remember `text`, correct `old` to `text`, forget `old`, or undo.

    `at` is when, for what is remembered; the others follow at once on what stands before them.
    """

    verb: str
    line: int
    text: str = ""
    old: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """A question with what its answer must say, each part by one of its alternatives, and what makes it wrong.

    Where `turns` are given, the answer is right if what it cites first is one of them, whatever its words.
    """

    text: str
    kind: str
    must: tuple[tuple[str, ...], ...] = ()
    mustnot: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedClaim:
    """A claim that a good memory keeps, and the turn that makes it."""

    turn: str
    subject: str
    predicate: str
    object: str
    time: str
    important: bool


@dataclass(frozen=True, slots=True)
class Trap:
    """What a careless reader would believe of a turn, and why it is not so."""

    turn: str
    statement: str
    kind: str


@dataclass(frozen=True, slots=True)
class LifeScript:
    """A life: `told` are sessions and commands in their order, `now` is when the questions are asked."""

    name: str
    owner: str
    zone: ZoneInfo
    languages: tuple[str, ...]
    people: tuple[str, ...]
    told: tuple[Session | LifeCommand, ...]
    now: datetime
    questions: tuple[LifeQuestion, ...]
    claims: tuple[ExpectedClaim, ...]
    traps: tuple[Trap, ...]

    def turns(self) -> dict[str, LifeTurn]:
        """Every turn by its id."""
        return {turn.id: turn for one in self.told if isinstance(one, Session) for turn in one.turns}
