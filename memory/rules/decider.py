"""Decide: a working set, a command, what resembles what, and now give a change set. Nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from memory.errors import Invalid, NotFound, NothingToUndo
from memory.model import commands as c
from memory.model.changes import Change, ChangeSet, Outcome, key_of
from memory.model.entities import Entity
from memory.model.facts import NOTE_LIFETIME_DAYS, Fact, Note
from memory.model.ids import note_id
from memory.model.timeline import Instant
from memory.model.working_set import Draft, WorkingSet
from memory.rules import naming, readings, statements
from memory.rules.parameters import Gates, Revision
from memory.rules.revision import Turn
from memory.rules.rivals import Resemblance
from memory.rules.versions import revise
from memory.rules.withdrawal import withdraw


@dataclass(frozen=True, slots=True)
class Rules:
    """The parameters deciding needs."""

    gates: Gates = field(default_factory=Gates)
    revision: Revision = field(default_factory=Revision)


def decide(
    working_set: WorkingSet, command: c.Command, now: Instant, rules: Rules, resemblance: Resemblance | None = None
) -> ChangeSet:
    """What this command changes. Raises a DomainError if it cannot be carried out; then nothing changes."""
    turn = Turn(Draft(working_set), now, rules.revision, resemblance or Resemblance())
    outcomes = _DECIDE[type(command)](turn, command, rules)
    read = _read(command)
    undone = command.done.command_id if isinstance(command, c.Undo) and command.done else None
    changes = tuple(turn.draft.changes)
    return ChangeSet(
        command_id=command.command_id,
        kind=type(command).__name__,
        actor=command.actor,
        at=now,
        changes=changes,
        outcomes=tuple(outcomes),
        read=tuple((each.segment_key, each.revision) for each in read),
        unread=command.withdrawn if isinstance(command, c.AcceptReading) else (),
        erased=_erased(command, changes),
        accessed=command.accessed if isinstance(command, c.RecordAccess) else (),
        undoes=undone,
    )


def _read(command: c.Command) -> tuple[c.ReadSegment, ...]:
    """The segment revisions whose reading is done by this command."""
    if isinstance(command, c.Remember):
        return (command.heard,) if command.heard else ()
    return command.read if isinstance(command, c.AcceptReading) else ()


def _erased(command: c.Command, changes: tuple[Change, ...]) -> tuple[str, ...]:
    """Owners whose words go for good: what was erased, and the segments that were forgotten."""
    gone = [str(key_of(each.row)[0]) for each in changes if each.reason == "erased" and each.after is None]
    keys = command.segment_keys if isinstance(command, c.Withdraw) and command.erase else ()
    return tuple(dict.fromkeys([*gone, *(f"segment:{key}" for key in keys)]))


def _withdraw(turn: Turn, command: c.Withdraw) -> list[Outcome]:
    withdraw(turn, command)
    return []


def _write_note(turn: Turn, command: c.WriteNote) -> list[Outcome]:
    draft = turn.draft
    if command.about_id not in draft.entities and command.about_id not in draft.facts:
        raise NotFound("There is no such entity or fact.", about_id=command.about_id)
    if not command.text.strip():
        raise Invalid("A note needs words.")
    note = Note(
        note_id=note_id(draft.user_id, command.command_id),
        about_id=command.about_id,
        text=command.text.strip(),
        author=command.author,
        created_at=turn.now,
        lifetime=_lifetime(command.lifetime),
        source_id=command.source_id,
    )
    draft.put("noted", None, note)
    return []


def _edit_note(turn: Turn, command: c.EditNote) -> list[Outcome]:
    note = turn.draft.notes.get(command.note_id)
    if note is None:
        raise NotFound("There is no such note.", note_id=command.note_id)
    if not command.text.strip():
        turn.draft.put("note removed", note, None)
        return []
    lifetime = note.lifetime if command.lifetime is None else _lifetime(command.lifetime)
    turn.draft.put("note edited", note, replace(note, text=command.text.strip(), lifetime=lifetime))
    return []


def _lifetime(name: str) -> str:
    if name not in NOTE_LIFETIME_DAYS:
        raise Invalid(f"A note lives for one of: {', '.join(NOTE_LIFETIME_DAYS)}.")
    return name


def _close_night(turn: Turn, command: c.CloseNight) -> list[Outcome]:
    """Record crossings; what has changed since the plan was made is left for the next night."""
    draft = turn.draft
    for crossing in command.crossings:
        if crossing.noun == "entity":
            entity = draft.entities.get(crossing.id)
            if entity is not None and getattr(entity, crossing.axis) == crossing.before:
                changed: Any = {crossing.axis: crossing.after}
                draft.put(f"{crossing.before} to {crossing.after}", entity, replace(entity, **changed))
    return []


def _undo(turn: Turn, command: c.Undo) -> list[Outcome]:
    """Put every row back as it was, last change first. Rows that have changed since refuse the undo."""
    if command.done is None:
        raise NothingToUndo()
    erasing = command.done.kind == c.Withdraw.__name__
    if erasing or any(change.reason == "erased" for change in command.done.changes):
        raise NothingToUndo("What was erased is gone for good.", command_id=command.done.command_id)
    for change in reversed(command.done.changes):
        _put_back(turn, change)
    return []


def _put_back(turn: Turn, change: Change) -> None:
    draft, row = turn.draft, change.row
    if isinstance(row, Fact):
        current = draft.facts.get(row.fact_id)
        if current is None:
            raise NothingToUndo("A fact of that command has been erased since.", fact_id=row.fact_id)
        if change.before is None:
            revise(draft, current, "undone", turn.now, status="forgotten")
        else:
            old = change.before
            assert isinstance(old, Fact)
            version = replace(old, version=current.version + 1, system_from=turn.now, system_to=None)
            draft.put("undone", current, version)
        return
    if isinstance(row, Entity):
        _put_entity_back(draft, row.entity_id, change)
        return
    draft.put("undone", change.after, change.before)


def _put_entity_back(draft: Draft, entity_id: str, change: Change) -> None:
    """Undo what a change did to an entity and leave what others have done to it since."""
    current = draft.entities.get(entity_id)
    if current is None:
        raise NothingToUndo("An entity of that command has been erased since.", entity_id=entity_id)
    if change.before is None:
        spoken_of = any(entity_id in (fact.subject_id, fact.object_id) for fact in draft.facts.values())
        if not spoken_of and entity_id not in draft.mentions:
            draft.put("undone", current, None)
        return  # facts still speak of it, though they are no longer believed
    assert isinstance(change.before, Entity)
    restored: dict[str, Any] = {}
    for name in (each.name for each in fields(Entity)):
        old, new = getattr(change.before, name), getattr(change.after, name)
        if old != new:
            if getattr(current, name) != new:
                raise NothingToUndo("That entity has changed since; undo the later command first.", entity_id=entity_id)
            restored[name] = old
    draft.put("undone", current, replace(current, **restored))


_DECIDE: dict[type, Callable[[Turn, Any, Rules], list[Outcome]]] = {
    c.SetProfile: lambda turn, command, _: naming.set_profile(turn, command),
    c.AcceptReading: lambda turn, command, rules: readings.accept_reading(turn, command, rules.gates),
    c.Withdraw: lambda turn, command, _: _withdraw(turn, command),
    c.Remember: lambda turn, command, _: statements.remember(turn, command),
    c.CorrectFact: lambda turn, command, _: statements.correct(turn, command),
    c.ConfirmFact: lambda turn, command, _: statements.confirm(turn, command),
    c.ForgetFact: lambda turn, command, _: statements.forget(turn, command),
    c.RenameEntity: lambda turn, command, _: naming.rename(turn, command),
    c.AddAlias: lambda turn, command, _: naming.add_alias(turn, command),
    c.MergeEntities: lambda turn, command, _: naming.merge(turn, command),
    c.ForgetEntity: lambda turn, command, _: naming.forget_entity(turn, command),
    c.WriteNote: lambda turn, command, _: _write_note(turn, command),
    c.EditNote: lambda turn, command, _: _edit_note(turn, command),
    c.RecordAccess: lambda turn, command, _: [],
    c.CloseNight: lambda turn, command, _: _close_night(turn, command),
    c.Undo: lambda turn, command, _: _undo(turn, command),
}
