"""Captured commands: what was asked of a memory, kept word for word beside the journal, so that it can be rebuilt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.errors import Invalid
from memory.model import commands
from memory.model.changes import WORDS_ERASED, ChangeSet, Row, key_of
from memory.model.commands import Command
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.ids import digest
from memory.model.plain import plain, reader
from memory.model.timeline import Instant

COMMANDS: dict[str, type[Command]] = {
    name: each
    for name, each in vars(commands).items()
    if isinstance(each, type) and issubclass(each, Command) and each is not Command
}
"""Kind -> type, of every command there is."""
_READERS = {kind: reader(each) for kind, each in COMMANDS.items()}
_ENVELOPE = ("command_id", "actor")


@dataclass(frozen=True, slots=True)
class Captured:
    """One command as it was captured, after it was decided and before its turn was committed."""

    version: int
    """The version its turn was to make."""
    epoch: int
    at: Instant
    command_id: str
    kind: str
    actor: str
    command: Mapping[str, object]
    """The rest of the command in its plain form. Of an undo, `done` is the id of the command that is undone."""
    encoder: str | None = None
    """Whose vectors its statements came with; None if they came without."""
    decided: str = ""
    """The fingerprint of what was decided."""
    erases: bool = False
    """Words go for good with this turn: nothing captured before it may outlive it."""


def capture(command: Command, changes: ChangeSet, version: int, epoch: int, encoder: str | None) -> Captured:
    """A command that was just decided, to be captured."""
    whole = plain(command)
    return Captured(
        version=version,
        epoch=epoch,
        at=changes.at,
        command_id=command.command_id,
        kind=type(command).__name__,
        actor=command.actor,
        command={name: value for name, value in whole.items() if name not in _ENVELOPE},
        encoder=encoder,
        decided=fingerprint(changes),
        erases=bool(changes.erased) or any(change.reason == WORDS_ERASED for change in changes.changes),
    )


def command_of(captured: Captured) -> Command:
    """The command again; an undo without what it undoes. Raises Invalid if it is none that is known here."""
    if captured.kind not in _READERS:
        raise Invalid(f"There is no command {captured.kind} here: a later version of Memoray captured it.")
    envelope = {name: getattr(captured, name) for name in _ENVELOPE}
    command: Command = _READERS[captured.kind]({**captured.command, **envelope})
    return command


def statements_of(command: object) -> Iterator[str]:
    """The statements a plain command brings, whose vectors it is decided with."""
    if isinstance(command, Mapping):
        for name, value in command.items():
            if name == "statement" and isinstance(value, str):
                yield value
            else:
                yield from statements_of(value)
    elif isinstance(command, list):
        for value in command:
            yield from statements_of(value)


def fingerprint(changes: ChangeSet) -> str:
    """What was decided, in 64 bits that do not depend on the order of changes: rules that moved decide differently."""
    marks = sorted(repr((each.reason, each.noun, key_of(each.row), _gist(each.after))) for each in changes.changes)
    outcomes = [(each.fact_id, each.outcome, *sorted(each.rivals)) for each in changes.outcomes]
    return digest("decided", *marks, *outcomes).hex()


def empty(captured: Captured) -> ChangeSet:
    """The turn of a command that is refused today: its id stays taken, nothing changes."""
    return ChangeSet(captured.command_id, captured.kind, captured.actor, captured.at)


def _gist(row: Row | None) -> tuple[object, ...]:
    match row:
        case Fact():
            return (row.status, row.state, row.confidence, row.valid_from, row.valid_to, row.protected, row.object_id)
        case Entity():
            return (row.tier, row.state, row.is_owner, row.merged_into)
    return ()
