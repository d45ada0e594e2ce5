"""Undoing: every row of an earlier command is put back as it was, last change first.

Only what that command changed is put back; what others have done to the row since stays. If they have changed the very
same thing, the undo is refused: the later command is to be undone first. What holds again holds up to what has spoken
against it since: who lived in Bern, then Basel, then Chur has one home, whichever is taken back. A command of a night
changes rows that have nothing to do with each other; undone partly, those that have changed since stay, and are named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from memory.errors import NothingToUndo
from memory.model.accesses import SOURCE, Access
from memory.model.changes import Change, ChangeSet, Outcome, Row, key_of
from memory.model.commands import ArrangeGroups, Undo, Withdraw
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.model.sources import SourceState
from memory.model.working_set import Draft
from memory.rules.across import settle_slots
from memory.rules.ending import end, end_by_event
from memory.rules.reopening import reopen
from memory.rules.slots import slot_of
from memory.rules.turn import TurnState
from memory.rules.versions import revise
from memory.rules.withdrawal import hide_above, spoken_of

Versioned = TypeVar("Versioned", Entity, Fact)
SKIPPED = "skipped"
"""The outcome of an undo for what has changed since the command, and is left as it is."""
_OF_THE_VERSION = frozenset({"version", "system_from", "system_to", "updated_at"})
"""What every version of a fact has anew."""


def undo(turn: TurnState, command: Undo) -> list[Outcome]:
    """Reverse the command that was done. Raises NothingToUndo if that cannot be, and then nothing changes."""
    if command.done is None:
        raise NothingToUndo()
    erasing = command.done.kind == Withdraw.__name__
    if erasing or any(change.reason == "erased" for change in command.done.changes):
        raise NothingToUndo("What was erased is gone for good.", command_id=command.done.command_id)
    outcomes, mark = list[Outcome](), len(turn.draft.changes)
    if command.partly:
        outcomes = _undo_partly(turn, command.done.changes)
    else:
        _undo_whole(turn, command.done)
    _settle(turn, turn.draft.changes[mark:])
    return outcomes


def _undo_whole(turn: TurnState, done: ChangeSet) -> None:
    arranged = done.kind == ArrangeGroups.__name__
    groups = [] if arranged else [each for each in done.changes if isinstance(each.row, Group)]
    for change in reversed(groups):
        _put_group_back(turn.draft, change)
    others = [each for each in done.changes if arranged or not isinstance(each.row, Group)]
    _undo_all(turn, others, _Made.by(done.changes))


def _settle(turn: TurnState, undone: Sequence[Change]) -> None:
    """Settle the facts that an undo moved with what was told since the command that it takes back.

    A fact that holds again ends where a later one ends it. A later one that had ended where a fact began that is taken
    back holds on.
    """
    draft = turn.draft
    facts = [draft.facts[each] for each in dict.fromkeys(_moved(undone))]
    for fact in facts:
        if fact.status == "active" and slot_of(fact) is None:
            end_by_event(turn, fact)
    for each in undone:
        if isinstance(each.row, Link) and each.row.kind == "supersedes" and each.after is None:
            _follow(turn, each.row)
    opened = [old for fact in facts if fact.status == "forgotten" for old in reopen(turn, fact)]
    settle_slots(turn, [*facts, *opened])


def _moved(undone: Sequence[Change]) -> Iterator[str]:
    """Ids of the facts whose status, subject or time was changed. A night mostly changes how near a fact is, which
    moves no other.
    """
    for each in undone:
        before, after = each.before, each.after
        if isinstance(before, Fact) and isinstance(after, Fact):
            was, now = ((one.status, one.subject_id, one.valid) for one in (before, after))
            if was != now:
                yield after.fact_id


def _follow(turn: TurnState, gone: Link) -> None:
    """End a fact that holds again by the earliest one that had replaced its replacement, which is taken back.

    `gone` is the link by which that replacement had taken its place.
    """
    draft = turn.draft
    old, taken = draft.facts.get(gone.to_id), draft.facts.get(gone.from_id)
    if old is None or old.status != "active" or slot_of(old) is not None or taken is None or taken.believed:
        return
    ids = (each.from_id for each in draft.links_of(gone.from_id) if each.kind == "supersedes")
    later = [each for each in map(draft.facts.get, ids) if each is not None and each.believed]
    later = [each for each in later if each.sensitivity == old.sensitivity and each.fact_id != old.fact_id]
    if later:
        end(turn, old, min(later, key=lambda each: (each.valid_from, each.fact_id)))


def _undo_partly(turn: TurnState, changes: Sequence[Change]) -> list[Outcome]:
    """Put back what still stands as the command left it: changes that share a row, all of them or none.

    What was changed first is put back last: an entity that the command made goes only when nothing speaks of it.
    """
    outcomes, made = [], _Made.by(changes)
    for together in reversed(list(_tied(changes))):
        mark = len(turn.draft.changes)
        try:
            _undo_all(turn, together, made)
        except NothingToUndo:
            turn.draft.rewind(mark)
            ids = (str(key_of(each.row)[0]) for each in together if isinstance(each.row, Entity | Fact | Note | Group))
            outcomes += [Outcome(each, SKIPPED) for each in dict.fromkeys(ids)]
    return outcomes


def _tied(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """The changes of a command by what they are tied to: two that name the same fact or entity belong together."""
    leaders: dict[str, str] = {}

    def leader(identity: str) -> str:
        while leaders.setdefault(identity, identity) != identity:
            identity = leaders[identity]
        return identity

    for change in changes:
        first, *others = _named(change.row)
        for each in others:
            leaders[leader(each)] = leader(first)
    groups: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        groups[leader(_named(change.row)[0])].append(change)
    yield from groups.values()


def _named(row: Row) -> tuple[str, ...]:
    """The ids by which a change of this row is tied to others."""
    match row:
        case Link():
            return (row.from_id, row.to_id)
        case SourceState():
            return (f"{SOURCE}{row.source_id}",)
        case Profile():
            return ("profile",)
    return (str(key_of(row)[0]),)


@dataclass(frozen=True)
class _Made:
    """What a command made: the ids of its facts, and its entities, each as it first was."""

    facts: frozenset[str]
    entities: Mapping[str, Entity]

    @classmethod
    def by(cls, changes: Sequence[Change]) -> _Made:
        rows = [change.row for change in changes if change.before is None]
        facts = frozenset(row.fact_id for row in rows if isinstance(row, Fact))
        return cls(facts, {row.entity_id: row for row in rows if isinstance(row, Entity)})


def _undo_all(turn: TurnState, changes: Sequence[Change], made: _Made) -> None:
    for change in reversed(changes):
        # a fact that was created stays as a forgotten one (decision 0009), and so does what it was read from
        if not (isinstance(change.row, Evidence) and change.row.fact_id in made.facts):
            _put_back(turn, change, made)


def _put_back(turn: TurnState, change: Change, made: _Made) -> None:
    row = change.row
    if isinstance(row, Fact):
        _put_fact_back(turn, row.fact_id, change)
    elif isinstance(row, Entity) and change.after is None:
        _put_taken_over_back(turn.draft, row, made)
    elif isinstance(row, Entity):
        _put_entity_back(turn.draft, row.entity_id, change)
    elif isinstance(row, Access) and change.after is None:
        return  # recalls are no part of the history: those of more sensitive words, or of a group, do not come back
    else:
        if _standing(turn.draft, row) != change.after:
            raise NothingToUndo("Something of that command has changed since; undo the later command first.")
        if change.before is not None and not _has_ends(turn.draft, change.before):
            raise NothingToUndo("What something of that command was about has been erased since.")
        turn.draft.put("undone", change.after, change.before)


def _put_fact_back(turn: TurnState, fact_id: str, change: Change) -> None:
    """A created fact is not deleted: it was believed for a while, and then was not (decision 0009)."""
    current = turn.draft.facts.get(fact_id)
    if current is None:
        raise NothingToUndo("A fact of that command has been erased since.", fact_id=fact_id)
    if change.before is None:
        revise(turn.draft, current, "undone", turn.now, status="forgotten")
        return
    assert isinstance(change.before, Fact)
    assert isinstance(change.after, Fact)
    since = change.before.since if current.since == change.after.since else current.since
    changed = _restored(change.before, change.after, current, "fact", fact_id)
    begins, ends = changed.get("valid_from", current.valid_from), changed.get("valid_to", current.valid_to)
    if ends is not None and ends < begins:
        raise NothingToUndo("A fact of that command has ended since; undo the later command first.", fact_id=fact_id)
    version = replace(current, version=current.version + 1, system_from=turn.now, updated_at=since, **changed)
    turn.draft.put("undone", current, version)


def _put_entity_back(draft: Draft, entity_id: str, change: Change) -> None:
    current = draft.entities.get(entity_id)
    if current is None:
        raise NothingToUndo("An entity of that command has been erased since.", entity_id=entity_id)
    if change.before is None:
        spoken = spoken_of(draft, {entity_id})
        if entity_id in spoken:  # by facts, though they are no longer believed, or in more sensitive words
            hide_above(draft, current, spoken[entity_id])
        else:
            draft.put("undone", current, None)
        return
    assert isinstance(change.before, Entity)
    assert isinstance(change.after, Entity)
    changed = _restored(change.before, change.after, current, "entity", entity_id)
    draft.put("undone", current, replace(current, **changed))


def _put_taken_over_back(draft: Draft, before: Entity, made: _Made) -> None:
    """Put an entity back that had left its row to less sensitive words, unless those or others still need it.

    What the command itself has said of it, and has now taken back, does not.
    """
    current = draft.entities.get(before.entity_id)
    if current is None or current.sensitivity >= before.sensitivity:
        draft.put("undone", current, before)
    elif current == made.entities.get(before.entity_id):
        taken_back = {each for each in made.facts & draft.facts.keys() if draft.facts[each].status == "forgotten"}
        spoken = spoken_of(draft, {before.entity_id}, but=taken_back).get(before.entity_id, before.sensitivity)
        if spoken >= before.sensitivity:
            draft.put("undone", current, None)
            draft.put("undone", None, before)


def _put_group_back(draft: Draft, change: Change) -> None:
    """Put back what a command took from a group, or whom it made it be about.

    What a night has made of it since stays as far as it can: no night is to keep somebody from undoing their command.
    """
    current, before, after = draft.groups.get(change.row.group_id), change.before, change.after  # type: ignore[union-attr]
    if current == after:
        draft.put("undone", current, before)
    elif (
        current is not None
        and isinstance(before, Group)
        and isinstance(after, Group)
        and current.anchor_id == after.anchor_id != before.anchor_id
    ):
        draft.put("undone", current, replace(current, anchor_id=before.anchor_id, dirty=True))


def _restored(before: Versioned, after: Versioned, current: Versioned, noun: str, identity: str) -> dict[str, Any]:
    """The fields that change made, as they were before it."""
    restored: dict[str, Any] = {}
    for name in (each.name for each in fields(before) if each.name not in _OF_THE_VERSION):
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if getattr(current, name) != new:
            raise NothingToUndo(
                f"That {noun} has changed since; undo the later command first.", **{f"{noun}_id": identity}
            )
        restored[name] = old
    return restored


def _has_ends(draft: Draft, row: Row) -> bool:
    """Whether what a note or a link is about still is there."""
    ends = (row.about_id,) if isinstance(row, Note) else (row.from_id, row.to_id) if isinstance(row, Link) else ()
    return all(each in draft.facts or each in draft.entities for each in ends)


def _standing(draft: Draft, row: Row) -> Row | None:
    """The row of that key as it stands now."""
    return _STANDING[type(row)](draft, row)


def _evidence(draft: Draft, row: Evidence) -> Evidence | None:
    known = draft.evidence.get(row.fact_id, ())
    return next((each for each in known if key_of(each) == key_of(row)), None)


def _link(draft: Draft, row: Link) -> Link | None:
    return row if row in draft.links else None


_STANDING: Mapping[type, Callable[[Draft, Any], Row | None]] = {
    Mention: lambda draft, row: draft.mentions.get(row.entity_id, {}).get(row.segment_key),
    Evidence: _evidence,
    Link: _link,
    Note: lambda draft, row: draft.notes.get(row.note_id),
    Group: lambda draft, row: draft.groups.get(row.group_id),
    Access: lambda draft, row: draft.accesses.get(row.id),
    SourceState: lambda draft, row: row,  # it is checked where sources are kept
    Profile: lambda draft, row: draft.profile,
}
