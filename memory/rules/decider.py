"""Decide: a working set, a command, what resembles what, and now give a change set. Nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from memory.errors import Invalid, NotFound, Unjudged
from memory.model import commands as c
from memory.model.accesses import SOURCE
from memory.model.changes import SEGMENT, Change, ChangeSet, Outcome, key_of
from memory.model.facts import NOTE_LIFETIME_DAYS, Link, Note
from memory.model.groups import Group
from memory.model.ids import note_id, summary_id
from memory.model.timeline import Instant
from memory.model.verdicts import Judging
from memory.model.working_set import Draft, WorkingSet
from memory.rules import naming, readings, splitting, statements, undoing, upkeep
from memory.rules.causes import link_causes, withdraw_causes
from memory.rules.crossings import close_night
from memory.rules.describing import describe, withdraw_descriptions
from memory.rules.fulfilment import FulfilmentWeights
from memory.rules.grouping import arrange, settle_groups
from memory.rules.meeting import meet_rivals
from memory.rules.parameters import Gates, Life, Reflection, Revision
from memory.rules.parting import part_speaker
from memory.rules.reinforcement import record_access
from memory.rules.rivals import Resemblance
from memory.rules.speakers import name_speaker
from memory.rules.support import withdraw_unsupported
from memory.rules.turn import TurnState
from memory.rules.withdrawal import withdraw


@dataclass(frozen=True, slots=True)
class Rules:
    """The parameters deciding needs."""

    gates: Gates = field(default_factory=Gates)
    revision: Revision = field(default_factory=Revision)
    reflection: Reflection = field(default_factory=Reflection)
    life: Life = field(default_factory=Life)
    fulfilment: FulfilmentWeights | None = None
    """What was taught of words that tell of a promise kept; None: the rules alone tell it."""


def decide(
    working_set: WorkingSet, command: c.Command, now: Instant, rules: Rules, resemblance: Resemblance | None = None
) -> ChangeSet:
    """What this command changes. Raises a DomainError if it cannot be carried out; then nothing changes."""
    return carry_out(working_set, command, now, rules, resemblance)[0]


def carry_out(
    working_set: WorkingSet, command: c.Command, now: Instant, rules: Rules, resemblance: Resemblance | None = None
) -> tuple[ChangeSet, WorkingSet]:
    """What this command changes, and what is believed then: the draft it was decided on, which is what `evolve` gives.

    A large memory is copied once a turn, not twice. Raises as `decide` does.
    """
    turn = TurnState(Draft(working_set), now, rules.revision, resemblance or Resemblance(), _judging(command))
    outcomes = _DECIDE[type(command)](turn, command, rules)
    naming.settle_names(turn)
    withdraw_unsupported(turn)
    withdraw_descriptions(turn)
    withdraw_causes(turn)
    settle_groups(turn, command, rules.life.communities.least_members)
    if turn.asked and turn.judging and not turn.judging.closed:
        raise Unjudged(questions=tuple(turn.asked))
    read = _read(command)
    undone = command.done.command_id if isinstance(command, c.Undo) and command.done else None
    changes = tuple(turn.draft.changes)
    decided = ChangeSet(
        command_id=command.command_id,
        kind=type(command).__name__,
        actor=command.actor,
        at=now,
        changes=changes,
        outcomes=tuple(outcomes),
        read=tuple((each.segment_key, each.revision) for each in read),
        unread=command.withdrawn if isinstance(command, c.AcceptReading) else (),
        quoted=_quoted(command, changes) if isinstance(command, c.ArrangeGroups) else (),
        erased=_erased(working_set.user_id, command, changes),
        undoes=undone,
    )
    return decided, turn.draft.finish(working_set.version + 1)


def _judging(command: c.Command) -> Judging | None:
    """What was judged outside for the claims of a command."""
    return command.judging if isinstance(command, c.AcceptReading | c.Remember | c.MeetRivals) else None


def _read(command: c.Command) -> tuple[c.ReadSegment, ...]:
    """The segment revisions whose reading is done by this command."""
    if isinstance(command, c.Remember | c.CorrectFact):
        return (command.heard,) if command.heard else ()
    return command.read if isinstance(command, c.AcceptReading) else ()


def _quoted(command: c.ArrangeGroups, changes: tuple[Change, ...]) -> tuple[tuple[int, int], ...]:
    """What was read for those summaries that are put."""
    put = {each.after.group_id for each in changes if isinstance(each.after, Group)}
    return tuple(dict.fromkeys(pair for each in command.arranged if each.group.group_id in put for pair in each.read))


def _erased(user_id: str, command: c.Command, changes: tuple[Change, ...]) -> tuple[str, ...]:
    """What goes for good: what was erased, and the segments and the source that were forgotten. A link has no id.

    With a source go all summaries that it ever had, also where none stands.
    """
    rows = (each.row for each in changes if each.reason == "erased" and each.after is None)
    gone = [str(key_of(row)[0]) for row in rows if not isinstance(row, Link)]
    if isinstance(command, c.Withdraw) and command.erase:
        gone += [f"{SEGMENT}{key}" for key in command.segment_keys]
        source_id = command.source_id
        gone += [] if source_id is None else [f"{SOURCE}{source_id}", summary_id(user_id, source_id)]
    return tuple(dict.fromkeys(gone))


def _withdraw(turn: TurnState, command: c.Withdraw) -> list[Outcome]:
    withdraw(turn, command)
    return []


def _write_note(turn: TurnState, command: c.WriteNote) -> list[Outcome]:
    draft = turn.draft
    about = draft.entities.get(command.about_id) or draft.facts.get(command.about_id)
    if about is None:
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
        sensitivity=about.sensitivity,
    )
    draft.put("noted", None, note)
    return []


def _edit_note(turn: TurnState, command: c.EditNote) -> list[Outcome]:
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


def _close_night(turn: TurnState, command: c.CloseNight) -> list[Outcome]:
    close_night(turn.draft, command, turn.now)
    return []


def _describe(turn: TurnState, command: c.DescribeEntities) -> list[Outcome]:
    describe(turn, command)
    return []


def _link_causes(turn: TurnState, command: c.LinkCauses) -> list[Outcome]:
    link_causes(turn, command)
    return []


def _arrange(turn: TurnState, command: c.ArrangeGroups) -> list[Outcome]:
    arrange(turn, command)
    return []


def _record_access(turn: TurnState, command: c.RecordAccess, life: Life) -> list[Outcome]:
    record_access(turn.draft, command, turn.now, life)
    return []


_DECIDE: dict[type, Callable[[TurnState, Any, Rules], list[Outcome]]] = {
    c.SetProfile: lambda turn, command, _: naming.set_profile(turn, command),
    c.AcceptReading: lambda turn, command, rules: readings.accept_reading(turn, command, rules.gates, rules.fulfilment),
    c.Withdraw: lambda turn, command, _: _withdraw(turn, command),
    c.Remember: lambda turn, command, _: statements.remember(turn, command),
    c.MeetRivals: lambda turn, command, _: meet_rivals(turn, command),
    c.CorrectFact: lambda turn, command, _: statements.correct(turn, command),
    c.ConfirmFact: lambda turn, command, _: statements.confirm(turn, command),
    c.ForgetFact: lambda turn, command, _: statements.forget(turn, command),
    c.ProtectFact: lambda turn, command, _: upkeep.protect(turn, command),
    c.MergeFacts: lambda turn, command, _: upkeep.merge_facts(turn, command),
    c.Synthesize: lambda turn, command, rules: upkeep.synthesize(turn, command, rules.reflection),
    c.PruneFacts: lambda turn, command, _: upkeep.prune(turn, command),
    c.BackfillSubjects: lambda turn, command, _: upkeep.backfill_subjects(turn, command),
    c.RenameEntity: lambda turn, command, _: naming.rename(turn, command),
    c.AddAlias: lambda turn, command, _: naming.add_alias(turn, command),
    c.NameSpeaker: lambda turn, command, _: name_speaker(turn, command),
    c.PartSpeaker: lambda turn, command, _: part_speaker(turn, command),
    c.MergeEntities: lambda turn, command, _: naming.merge(turn, command),
    c.SplitEntity: lambda turn, command, _: splitting.split(turn, command),
    c.RetypeEntity: lambda turn, command, _: splitting.retype(turn, command),
    c.ForgetEntity: lambda turn, command, _: naming.forget_entity(turn, command),
    c.WriteNote: lambda turn, command, _: _write_note(turn, command),
    c.EditNote: lambda turn, command, _: _edit_note(turn, command),
    c.RecordAccess: lambda turn, command, rules: _record_access(turn, command, rules.life),
    c.CloseNight: lambda turn, command, _: _close_night(turn, command),
    c.DescribeEntities: lambda turn, command, _: _describe(turn, command),
    c.ArrangeGroups: lambda turn, command, _: _arrange(turn, command),
    c.LinkCauses: lambda turn, command, _: _link_causes(turn, command),
    c.Undo: lambda turn, command, _: undoing.undo(turn, command),
}
