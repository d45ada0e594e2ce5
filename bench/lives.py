"""`memoray bench lives`: an invented casual life is told to a memory of its own, turn by turn, and asked about.

Every life becomes the memory of a user `bench-life-<name>`, through the front door alone: sources, what is told on
purpose, corrections, questions. A command waits until what stands before it has been read, as a person would who sees
what is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from bench.life_model import LifeCommand, LifeScript, Session
from bench.life_scores import JudgedReply, score
from bench.measure import ApiClient, Refused, Site, await_done, memories

PAUSE_S = 8.0
"""Seconds from the beginning of a turn to that of the next, and `TURN_S` those that it lasts (chosen)."""
TURN_S = 6.0
HEARD_AFTER = timedelta(minutes=15)
"""From the beginning of a session until it is sent (chosen; a hundred turns take less)."""
ACTS_AFTER = timedelta(minutes=1)
"""From what stands before a command to a command without a time of its own (chosen)."""
PAGE = 200
"""Rows asked for at once: the most the front door gives."""
TOLD = "told"
"""The place of what was told by a command: no turn of a file."""
Settle = Callable[[datetime], None]
"""Tells a clock that can be set what time it is in the life."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command: how many believed facts held its words, and why it could not be carried out, if so."""

    line: int
    words: str
    matches: int
    failed: str = ""


@dataclass(frozen=True, slots=True)
class LifeFact:
    """A believed fact: what it says, when it is true (ISO 8601), and the turns that it rests on."""

    statement: str
    subject: str
    predicate: str | None
    object: str | None
    confidence: float
    valid_from: str
    valid_to: str | None
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LifeResult:
    """What became of a life."""

    life: LifeScript
    commands: tuple[CommandResult, ...]
    replies: tuple[JudgedReply, ...]
    facts: tuple[LifeFact, ...]
    """All that are active, by the turn they rest on."""
    promises: tuple[Mapping[str, Any], ...]
    """As the front door lists them."""


def measure_life(life: LifeScript, site: Site, *, keep: bool = False, at: Settle = lambda _: None) -> LifeResult:
    """Tell a life, ask its questions, look at what is believed, and remove the memory unless it is kept.

    Raises Unavailable if nobody answers or the reading does not get on; a command that is refused is reported.
    """
    user = f"bench-life-{life.name.lower()}"
    with memories(site, [user], keep=keep) as doors:
        told = _Telling(life, site, doors[user], at)
        told.begin()
        commands = tuple(told.tell())
        told.wait()
        at(life.now)
        return LifeResult(
            life,
            commands,
            tuple(_replies(life, doors[user], site)),
            tuple(_facts(life, doors[user])),
            tuple(_rows(doors[user], "promises")),
        )


@dataclass(frozen=True, slots=True)
class _Telling:
    """A life on its way into a memory."""

    life: LifeScript
    site: Site
    door: ApiClient
    at: Settle

    def begin(self) -> None:
        """Say who the owner is."""
        life = self.life
        profile = {"name": life.owner, "time_zone": life.zone.key, "languages": list(life.languages)}
        self.door.put("/v1/profile", profile)

    def tell(self) -> Iterator[CommandResult]:
        """Sessions and commands in their order; what became of each command."""
        moment = self.life.told[0].at or self.life.now
        for done, one in enumerate(self.life.told, 1):
            if isinstance(one, Session):
                moment = max(moment, one.at) + HEARD_AFTER
                self.at(moment)
                self.door.post("/v1/sources", body_of(self.life, one))
            else:
                moment = max(moment + ACTS_AFTER, one.at or moment)
                self.at(moment)
                self.wait()
                yield self._carried_out(one)
            self.site.tell(f"Telling {self.life.name}", done, len(self.life.told))

    def wait(self) -> None:
        """Until all that was told has been read."""
        await_done(self.site, {"": self.door}, ("embedding", "extraction"))

    def _carried_out(self, command: LifeCommand) -> CommandResult:
        words = " ".join(part for part in (command.verb, command.old, command.text) if part)
        matching = [] if not command.old else _holding(self.door, command.old)
        done = CommandResult(command.line, words, len(matching))
        if command.old and not matching:
            return replace(done, failed="nothing believed holds these words")
        try:
            _CARRY_OUT[command.verb](self.door, command, matching[0]["fact_id"] if matching else "")
        except Refused as error:
            return replace(done, failed=error.detail)
        return done


_CARRY_OUT: Mapping[str, Callable[[ApiClient, LifeCommand, str], object]] = {
    "remember": lambda door, command, _: door.post("/v1/facts", {"text": command.text}),
    "correct": lambda door, command, fact: door.post(f"/v1/facts/{fact}/correct", {"statement": command.text}),
    "forget": lambda door, _, fact: door.post(f"/v1/facts/{fact}/forget"),
    "undo": lambda door, _, __: door.post("/v1/undo"),
}


def body_of(life: LifeScript, session: Session) -> dict[str, Any]:
    """A session as POST /v1/sources takes it; its local time with the offset of that day."""
    turns = session.turns
    speakers = list(dict.fromkeys(turn.speaker for turn in turns))
    return {
        "source_id": _source_id(life, session.number),
        "kind": session.kind,
        "started_at": session.at.isoformat(),
        "participants": speakers,
        "segments": [
            {
                "segment_id": turn.id.partition(".")[2],
                "speaker": turn.speaker,
                "text": turn.text,
                "start": PAUSE_S * place,
                "end": PAUSE_S * place + TURN_S,
            }
            for place, turn in enumerate(turns)
        ],
    }


def _source_id(life: LifeScript, number: int) -> str:
    return f"{life.name}-{number}"


def _holding(door: ApiClient, words: str) -> list[Mapping[str, Any]]:
    """Active facts whose statements hold these words, in any case, the latest first."""
    return [each for each in _rows(door, "facts") if words.casefold() in each["statement"].casefold()]


def _rows(door: ApiClient, kind: str) -> Iterator[Mapping[str, Any]]:
    """All rows of a list of the front door."""
    cursor = None
    while True:
        page = door.get(f"/v1/{kind}", limit=PAGE, cursor=cursor)
        yield from page[kind]
        cursor = page["cursor"]
        if cursor is None:
            return


def _replies(life: LifeScript, door: ApiClient, site: Site) -> Iterator[JudgedReply]:
    """Every question, answered at the moment when the life is asked; no answer changes what the next one finds."""
    for done, question in enumerate(life.questions, 1):
        asked = {"query": question.text, "now": life.now.isoformat(), "record_access": False}
        yield score(question, door.post("/v1/ask", asked)["answer"])
        site.tell(f"Asking {life.name}", done, len(life.questions))


def _facts(life: LifeScript, door: ApiClient) -> list[LifeFact]:
    sources = {_source_id(life, one.number): one.number for one in life.told if isinstance(one, Session)}
    facts = [
        LifeFact(
            row["statement"],
            row["subject"],
            row["predicate"],
            row["object"],
            row["confidence"],
            row["valid_from"],
            row["valid_to"],
            tuple(dict.fromkeys(_place(sources, each) for each in row["sources"])),
        )
        for row in _rows(door, "facts")
    ]
    return sorted(facts, key=lambda fact: (_order(fact.turns), fact.statement))


def _place(sources: Mapping[str, int], cited: Mapping[str, Any]) -> str:
    number = sources.get(cited["source_id"])
    return TOLD if number is None else f"{number}.{cited['segment_id']}"


def _order(turns: tuple[str, ...]) -> tuple[int, ...]:
    """By session and turn; what was told by a command comes first."""
    first = turns[0] if turns else TOLD
    return () if first == TOLD else tuple(int(part) for part in first.split("."))
