"""Files of invented casual lives (`.life`): read strictly, so that a slip of the pen is told with its line.

A life is a header, sessions of turns, commands between them, and then questions, the claims that a good memory keeps
and what a careless reader would believe. `tests/quality/README.md` describes the format with an example.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bench.life_model import (
    CORRECTION,
    QUESTION_KINDS,
    SESSION_KINDS,
    TRAPS,
    UNANSWERABLE,
    ExpectedClaim,
    LifeCommand,
    LifeQuestion,
    LifeScript,
    LifeTurn,
    Session,
    Trap,
)
from bench.told_memories import FIRST_WORDS, told_memory
from memory.errors import DomainError, Invalid
from memory.services.zones import zone_of

MOST_CHARS = 1_000_000
"""Of a file: thirty times a life of half a year."""
_WHEN = "%Y-%m-%d %H:%M"
_TURN_ID = re.compile(r"[1-9]\d*\.[1-9]\d*", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_ASIDE = re.compile(r"\([^()]*\)")


def read_life(path: Path) -> LifeScript:
    """The life of a file, or a small world told as one (`bench.told_memories`).

    Raises Invalid with the line that is wrong, OSError if the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{path.name}: it is not UTF-8.") from error
    if len(text) > MOST_CHARS:
        raise Invalid(f"{path.name}: it has more than {MOST_CHARS} characters.")
    return told_memory(path.stem, text) if text.startswith(FIRST_WORDS) else parse_life(text, path.name)


def parse_life(text: str, name: str) -> LifeScript:
    """The life that a text tells; `name` stands before the line in an error. Raises Invalid."""
    draft = _Draft()
    for number, line in enumerate(text.split("\n"), 1):
        try:
            draft.take(number, line.rstrip())
        except DomainError as error:
            raise Invalid(f"{name}, line {number}: {error.detail}") from error
    try:
        return draft.finished()
    except _Late as error:
        raise Invalid(f"{name}, line {error.line}: {error.detail}") from error
    except DomainError as error:
        raise Invalid(f"{name}: {error.detail}") from error


class _Late(Invalid):
    """A line turned out to be wrong when all the others were known."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(words)
        self.line = line


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    owner: str
    zone: ZoneInfo
    languages: tuple[str, ...]
    people: tuple[str, ...]


class _Draft:
    """A life while its lines come in."""

    def __init__(self) -> None:
        self._header: _Header | None = None
        self._told: list[Session | LifeCommand] = []
        self._open: tuple[int, datetime, str, list[LifeTurn]] | None = None
        self._now: tuple[int, datetime] | None = None
        self._last: datetime | None = None
        self._sessions = 0
        self._questions: list[LifeQuestion] = []
        self._claims: list[ExpectedClaim] = []
        self._traps: list[Trap] = []
        self._meant: list[tuple[int, str]] = []
        """Lines, and the turns that they speak of."""

    def take(self, number: int, line: str) -> None:
        """One line; raises Invalid if it is none of a life."""
        if not line:
            return
        if self._header is None:
            self._header = _header(line)
            return
        mark, _, rest = line.partition(" ")
        if mark in _MARKS:
            _MARKS[mark](self, number, rest.strip())
        else:
            self._turn(line)

    def finished(self) -> LifeScript:
        """The life, once every line is in. Raises Invalid."""
        self._close()
        if self._header is None or not self._sessions:
            raise Invalid("there is no life in it: a header and at least one session are needed.")
        if self._now is None:
            raise Invalid("the line `@ YYYY-MM-DD HH:MM`, when the questions are asked, is missing.")
        line, now = self._now
        if self._last is not None and now < self._last:
            raise _Late(line, "questions are asked before something is told.")
        head = self._header
        life = LifeScript(
            head.name,
            head.owner,
            head.zone,
            head.languages,
            head.people,
            tuple(self._told),
            now,
            tuple(self._questions),
            tuple(self._claims),
            tuple(self._traps),
        )
        known = life.turns()
        for line, turn in self._meant:
            if turn not in known:
                raise _Late(line, f"there is no turn {turn}.")
        return life

    def comment(self, _: int, __: str) -> None:
        """A line that says something to who reads the file."""

    def session(self, _: int, rest: str) -> None:
        """`## number | when | kind`."""
        self._close()
        number, when, kind = _fields(rest, 3, 3)
        if number != str(self._sessions + 1):
            raise Invalid(f"session {self._sessions + 1} should come here.")
        if kind not in SESSION_KINDS:
            raise Invalid(f"a session is one of {', '.join(SESSION_KINDS)}.")
        self._open = (self._sessions + 1, self._moment(when), SESSION_KINDS[kind], [])

    def command(self, number: int, rest: str) -> None:
        """`= verb | ...`."""
        self._close()
        verb, *given = _fields(rest, 1, 3)
        if verb not in _COMMANDS:
            raise Invalid(f"a command is one of {', '.join(_COMMANDS)}.")
        names = _COMMANDS[verb]
        if len(given) != len(names):
            raise Invalid(f"it is written `= {' | '.join((verb, *names))}`.")
        told = dict(zip(names, given, strict=True))
        at = self._moment(told["when"]) if "when" in told else None
        self._told.append(LifeCommand(verb, number, told.get("text", ""), told.get("old", ""), at))

    def asked_at(self, number: int, rest: str) -> None:
        """`@ when`."""
        if self._now is not None:
            raise Invalid("when the questions are asked is said twice.")
        self._now = (number, _moment(rest, self._zone))

    def question(self, _: int, rest: str) -> None:
        """`? words | must: ... | mustnot: ... | kind: ...`."""
        self._close()
        words, *named = _fields(rest, 2, 4)
        self._questions.append(_question(words, _named(named)))

    def kept(self, number: int, rest: str) -> None:
        """`! turn | subject | predicate | object | time`."""
        self._claim(number, rest, important=False)

    def important(self, number: int, rest: str) -> None:
        """`!! turn | subject | predicate | object | time`."""
        self._claim(number, rest, important=True)

    def trap(self, number: int, rest: str) -> None:
        """`x turn | statement | kind`."""
        self._close()
        turn, statement, kind = _fields(rest, 3, 3)
        if kind not in TRAPS:
            raise Invalid(f"the reason is one of {', '.join(TRAPS)}.")
        self._traps.append(Trap(self._of(number, turn), statement, kind))

    def _claim(self, number: int, rest: str, *, important: bool) -> None:
        self._close()
        turn, subject, predicate, value, *time = _fields(rest, 4, 5, may_be_empty=True)
        if not (subject and predicate):
            raise Invalid("a claim has a turn, a subject, a predicate and, if need be, an object.")
        when = time[0] if time else ""
        self._claims.append(ExpectedClaim(self._of(number, turn), subject, predicate, value, when, important))

    def _of(self, number: int, turn: str) -> str:
        """A turn that a line speaks of; raises Invalid."""
        if not _TURN_ID.fullmatch(turn):
            raise Invalid("a turn is named by its session and its number in it, such as 1.3.")
        self._meant.append((number, turn))
        return turn

    def _turn(self, line: str) -> None:
        if self._open is None:
            raise Invalid("a turn stands in a session, and any other line begins with one of # ## = @ ? ! !! x.")
        speaker, colon, text = line.partition(":")
        head = self._header
        assert head is not None
        if not colon or speaker not in (head.owner, *head.people):
            raise Invalid(f"a turn begins with {head.owner} or another name of the header, and a colon.")
        if not text.strip():
            raise Invalid("there are no words in the turn.")
        number, _, _, turns = self._open
        turns.append(LifeTurn(f"{number}.{len(turns) + 1}", speaker, text.strip()))

    def _close(self) -> None:
        if self._open is None:
            return
        number, at, kind, turns = self._open
        if not turns:
            raise Invalid(f"session {number} has no turns.")
        self._told.append(Session(number, at, kind, tuple(turns)))
        self._open, self._sessions = None, number

    def _moment(self, when: str) -> datetime:
        """A time of something told; raises Invalid if what stands before it is later."""
        at = _moment(when, self._zone)
        if self._last is not None and at < self._last:
            raise Invalid("it is earlier than what stands before it.")
        self._last = at
        return at

    @property
    def _zone(self) -> ZoneInfo:
        assert self._header is not None
        return self._header.zone


_MARKS: Mapping[str, Callable[[_Draft, int, str], None]] = {
    "#": _Draft.comment,
    "##": _Draft.session,
    "=": _Draft.command,
    "@": _Draft.asked_at,
    "?": _Draft.question,
    "!": _Draft.kept,
    "!!": _Draft.important,
    "x": _Draft.trap,
}
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "remember": ("when", "text"),
    "correct": ("old", "text"),
    "forget": ("old",),
    "undo": (),
}
_HEADER = ("life", "owner", "zone", "language", "people")


def _header(line: str) -> _Header:
    mark, _, rest = line.partition(" ")
    told = _named(_fields(rest, len(_HEADER), len(_HEADER), may_be_empty=True)) if mark == "#" else {}
    if tuple(told) != _HEADER:
        raise Invalid(
            "the first line is `# life: NAME | owner: NAME | zone: ZONE | language: en | people: NAME (who)`."
        )
    if not _NAME.fullmatch(told["life"]):
        raise Invalid("a life is named in letters, digits and hyphens, 64 at most.")
    if not told["owner"] or not told["language"]:
        raise Invalid("a life has an owner and a language.")
    return _Header(
        told["life"],
        told["owner"],
        zone_of(told["zone"]),
        tuple(_parts(told["language"], ",")),
        tuple(_parts(_ASIDE.sub("", told["people"]), ",")),
    )


def _question(words: str, told: Mapping[str, str]) -> LifeQuestion:
    if unknown := set(told) - {"must", "mustnot", "kind"}:
        raise Invalid(f"{min(unknown)} is no part of a question: must, mustnot and kind are.")
    kind = told.get("kind", "")
    if kind not in QUESTION_KINDS:
        raise Invalid(f"kind is one of {', '.join(QUESTION_KINDS)}.")
    must = tuple(tuple(_parts(part, "/")) for part in _parts(told.get("must", ""), " & "))
    mustnot = tuple(_parts(told.get("mustnot", ""), ","))
    if kind == UNANSWERABLE and must:
        raise Invalid("what cannot be answered has no must.")
    if kind != UNANSWERABLE and not (must or (mustnot and kind == CORRECTION)):
        raise Invalid("must is missing: only a correction may have a mustnot alone, where something was forgotten.")
    return LifeQuestion(words, kind, must, mustnot)


def _fields(rest: str, least: int, most: int, *, may_be_empty: bool = False) -> list[str]:
    """What stands between bars. Raises Invalid if it is too little, too much, or nothing."""
    fields = [each.strip() for each in rest.split("|")]
    if not least <= len(fields) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise Invalid(f"{wanted} parts with bars between are needed, and there are {len(fields)}.")
    if not may_be_empty and not all(fields):
        raise Invalid("a part between the bars is empty.")
    return fields


def _named(fields: list[str]) -> dict[str, str]:
    """`name: words` of each field. Raises Invalid if a name is missing or comes twice."""
    told: dict[str, str] = {}
    for each in fields:
        name, colon, words = each.partition(":")
        if not colon or name in told:
            raise Invalid("each part is `name: words`, every name once.")
        told[name] = words.strip()
    return told


def _parts(words: str, between: str) -> Iterator[str]:
    return (part.strip() for part in words.split(between) if part.strip())


def _moment(when: str, zone: ZoneInfo) -> datetime:
    try:
        return datetime.strptime(when, _WHEN).replace(tzinfo=zone)
    except ValueError as error:
        raise Invalid("a time is written YYYY-MM-DD HH:MM.") from error
