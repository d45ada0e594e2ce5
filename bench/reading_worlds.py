"""Worlds as readers are judged by them: utterances, what a good memory keeps of a turn, and what it must not believe.

The files are those of `bench.unseen_worlds`, whose head shows the format. Worlds are split by author, never by turn.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.unseen_worlds import LEFT_OUT, UnseenWorld, author_of, turns_of, world
from memory.errors import Invalid
from memory.model.claims import Utterance

SEALED = LEFT_OUT
"""Authors whose worlds nobody who improves a reader looks at: a fifth of all, judged three times at most."""
CHOSEN_ON = ("h", "l", "o", "v", "y", "ff", "nn")
"""Authors on whose worlds a reader's cuts are chosen: 30 worlds of every kind, six in German. Never taught either."""
TURN_S = 20.0
"""Seconds from the beginning of a turn to that of the next (chosen; the files tell none)."""
_HEAD = re.compile(r"# world:.*\| kind: (?P<kind>\w+) .*\| language: (?P<language>[\w,]+) \| people: (?P<people>.+)")
_OWNER = re.compile(r"(?P<name>[^,|]+?) \([^)]*\bowner\b[^)]*\)")
_SPAN = re.compile(r"(?P<how>since|until|on|from) (?P<first>[\d-]+)(?: to (?P<last>[\d-]+))?")


@dataclass(frozen=True, slots=True)
class GoldTime:
    """When a claim holds; each side is the interval of the day, month or year that it names, or None."""

    begins: tuple[float, float] | None = None
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """What a good memory keeps of a turn; `kind` is one of `training.check.CLAIMS`."""

    turn: str
    subject: str
    predicate: str
    object: str
    time: GoldTime
    kind: str


@dataclass(frozen=True, slots=True)
class GoldTrap:
    """What a careless reader believes of a turn; `kind` is one of `training.check.TRAPS`."""

    turn: str
    statement: str
    kind: str


@dataclass(frozen=True, slots=True)
class ReadingWorld:
    """A world to be read, session by session."""

    name: str
    kind: str
    languages: tuple[str, ...]
    owner: str
    sessions: tuple[tuple[Utterance, ...], ...]
    claims: tuple[GoldClaim, ...]
    traps: tuple[GoldTrap, ...]

    @property
    def author(self) -> str:
        """Whose world it is."""
        return author_of(self.name)

    @property
    def turns(self) -> dict[str, Utterance]:
        """Every turn by its id, `session.turn`."""
        return {each.segment_id: each for session in self.sessions for each in session}


def reading_worlds(folder: Path, authors: Sequence[str] | None = None) -> Iterator[ReadingWorld]:
    """The worlds of a folder, by name; of these authors alone. Raises Invalid, with file and line."""
    for path in sorted(folder.glob("*.txt")):
        if authors is None or author_of(path.stem) in authors:
            yield reading_world(path.stem, path.read_text(encoding="utf-8").splitlines())


def reading_world(name: str, lines: Sequence[str]) -> ReadingWorld:
    """One world. Raises Invalid."""
    told = world(name, lines)
    head = _HEAD.match(lines[0])
    owner = head and _OWNER.search(head["people"])
    if head is None or owner is None:
        raise Invalid(f"{name}, line 1: it tells no language.")
    languages, called = tuple(head["language"].split(",")), owner["name"].strip()
    sessions = tuple(_sessions(told, languages))
    known = {each.segment_id for session in sessions for each in session}
    claims: list[GoldClaim] = []
    traps: list[GoldTrap] = []
    for number, line in enumerate(lines, 1):
        mark, _, rest = line.partition(" ")
        fields = [each.strip() for each in rest.split("|")]
        try:
            if mark == "!":
                claims.extend(each for each in _claims(fields) if each.turn in known)
            elif mark == "x":
                turns, statement, kind = fields
                traps.extend(GoldTrap(turn, statement, kind) for turn in turns_of(turns) if turn in known)
        except ValueError as error:
            raise Invalid(f"{name}, line {number}: no claim and no trap.") from error
    return ReadingWorld(name, head["kind"], languages, called, sessions, tuple(claims), tuple(traps))


def _claims(fields: Sequence[str]) -> Iterator[GoldClaim]:
    turns, subject, predicate, object_, time, kind = fields
    for turn in turns_of(turns):
        yield GoldClaim(turn, subject, predicate, object_, gold_time(time), kind.partition(" ")[0])


def _sessions(told: UnseenWorld, languages: Sequence[str]) -> Iterator[tuple[Utterance, ...]]:
    key = 0
    for body in told.conversation.bodies:
        session: list[Utterance] = []
        people = tuple(dict.fromkeys(turn["speaker"] for turn in body["segments"] if turn["role"] != "assistant"))
        for place, turn in enumerate(body["segments"]):
            key += 1
            listeners = tuple(name for name in people if name != turn["speaker"])
            session.append(
                Utterance(
                    body["source_id"],
                    turn["segment_id"],
                    key,
                    1,
                    turn["speaker"],
                    turn["text"],
                    body["started_at"] + TURN_S * place,
                    role=turn["role"],
                    listeners=listeners,
                    language=languages[0] if len(languages) == 1 else None,
                )
            )
        yield tuple(session)


def gold_time(words: str) -> GoldTime:
    """`since D`, `until D`, `on D`, `from D to D`, or `-`; what is none of these tells no time."""
    found = _SPAN.fullmatch(words.strip())
    if found is None:
        return GoldTime()
    first, last = _interval(found["first"]), _interval(found["last"]) if found["last"] else None
    sides: Mapping[str, GoldTime] = {
        "since": GoldTime(begins=first),
        "until": GoldTime(ends=first),
        "on": GoldTime(begins=first),
        "from": GoldTime(begins=first, ends=last),
    }
    return sides[found["how"]]


def _interval(day: str) -> tuple[float, float] | None:
    """The whole of a day, a month or a year; None for what is no date of the calendar."""
    numbers = [int(part) for part in day.split("-") if part]
    try:
        year, month, date = (*numbers, 0, 0)[:3]
        first = datetime(year, month or 1, date or 1, tzinfo=UTC)
        last_month = month or 12
        last_day = date or calendar.monthrange(year, last_month)[1]
        last = datetime(year, last_month, last_day, 23, 59, 59, tzinfo=UTC)
    except (ValueError, calendar.IllegalMonthError):
        return None
    return first.timestamp(), last.timestamp()
