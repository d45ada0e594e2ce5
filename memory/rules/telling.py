"""Telling: the journal as a person reads it. What each change did, on what words, by whom; nothing out of sight.

A turn tells of a fact only to whom some of the words it was then read from are in sight (or who sees the fact, if no
words were read), and of an entity only to whom some of the turn's words are: one reading is of one source. A command or
a night reads no words, and is told to whoever sees what it changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory.model.changes import Change, Row
from memory.model.entities import Entity
from memory.model.facts import Evidence, Fact, Link
from memory.model.shown import SegmentWords
from memory.model.shown_changes import ChangeStep, JournalEntry, Visibility
from memory.model.timeline import iso
from memory.words.cleaning import called, harmless, in_quotes, reference

FACT_FIELDS = ("status", "state", "confidence", "importance", "valid_from", "valid_to", "protected")
ENTITY_FIELDS = ("name", "type", "tier", "state", "merged_into", "is_owner")
_INSTANTS = ("valid_from", "valid_to")
_ENTITY_WORDS = {"merged_into": "merged", "name": "renamed", "type": "retyped", "is_owner": "named the owner"}
"""Field of an entity -> what its change is called; tier and state are called by their values."""


def steps(entries: Iterable[JournalEntry], sight: Visibility) -> Iterator[ChangeStep]:
    """The changes of facts, of their evidence and of entities that are in sight, in the order they were made."""
    for entry in entries:
        links = [change.row for change in entry.changes if isinstance(change.row, Link)]
        told = (change for change in entry.changes if _in_sight(entry, change.row, sight))
        for place, change in enumerate(told):
            yield _step(entry, place, change, links, sight)


def _in_sight(entry: JournalEntry, row: Row, sight: Visibility) -> bool:
    match row:
        case Fact():
            read = _words_of(entry, row.fact_id)
            heard = not read or any(_heard(each, sight) for each in read)
            return row.fact_id in sight.facts and int(row.sensitivity) <= sight.clearance and heard
        case Evidence():
            return row.fact_id in sight.facts and _heard(row, sight)
        case Entity():
            heard = not entry.heard or bool(entry.heard & sight.segments.keys())
            return row.entity_id in sight.entities and int(row.sensitivity) <= sight.clearance and heard
        case _:
            return False


def _words_of(entry: JournalEntry, fact_id: str) -> list[Evidence]:
    rows = [change.row for change in entry.changes]
    return [row for row in rows if isinstance(row, Evidence) and row.fact_id == fact_id]


def _heard(evidence: Evidence, sight: Visibility) -> bool:
    return evidence.segment_key is None or evidence.segment_key in sight.segments


def _step(entry: JournalEntry, place: int, change: Change, links: list[Link], sight: Visibility) -> ChangeStep:
    against = _against(change.row, links, sight)
    return ChangeStep(
        place=place,
        at=entry.at,
        actor=entry.actor,
        command=entry.command,
        command_id=entry.command_id,
        undoes=entry.undoes,
        noun=change.noun,
        id=change.row.entity_id if isinstance(change.row, Entity) else change.row.fact_id,  # type: ignore[union-attr]
        what=_what(change, bool(against)),
        reason=change.reason,
        words=_called(change.row),
        changed=_changed(change),
        because=against,
        cited=_cited(entry, change.row, sight),
        heard=entry.heard,
    )


def _what(change: Change, disputed: bool) -> str:
    before, after = change.before, change.after
    if isinstance(change.row, Evidence):
        return change.reason
    if before is None or after is None:
        return "created" if before is None else "removed"
    if isinstance(before, Fact) and isinstance(after, Fact):
        return _what_of_fact(before, after, disputed) or change.reason
    assert isinstance(before, Entity)
    assert isinstance(after, Entity)
    return _what_of_entity(before, after) or "learnt"


def _what_of_fact(before: Fact, after: Fact, disputed: bool) -> str | None:
    if before.status != after.status:
        return "restored" if after.status == "active" else after.status
    if before.protected != after.protected:
        return "confirmed" if after.protected else "released"
    if before.confidence != after.confidence:
        fell = "disputed" if disputed else "weakened"
        return "reinforced" if after.confidence > before.confidence else fell
    if (before.subject_id, before.object_id) != (after.subject_id, after.object_id):
        return "moved"
    if before.state != after.state:
        return f"{before.state} to {after.state}"
    return "dated" if before.valid != after.valid else None


def _what_of_entity(before: Entity, after: Entity) -> str | None:
    for field, word in _ENTITY_WORDS.items():
        if getattr(before, field) != getattr(after, field):
            return "parted" if field == "merged_into" and after.merged_into is None else word
    for field in ("tier", "state"):
        if getattr(before, field) != getattr(after, field):
            return f"{getattr(before, field)} to {getattr(after, field)}"
    return None


def _called(row: Row) -> str:
    match row:
        case Fact():
            return row.statement
        case Entity():
            return row.name
        case Evidence():
            return row.quote
        case _:
            raise AssertionError("only facts, evidence and entities are told of")


def _changed(change: Change) -> dict[str, tuple[Any, Any]]:
    """field -> before, after; what a row came with stands beside None."""
    fields = {"fact": FACT_FIELDS, "entity": ENTITY_FIELDS}.get(change.noun, ()) if change.after is not None else ()
    sides = ((field, _value(change.before, field), _value(change.after, field)) for field in fields)
    return {field: (old, new) for field, old, new in sides if old != new}


def _value(row: Row | None, field: str) -> Any:
    value = getattr(row, field, None)
    return iso(value) if field in _INSTANTS else value


def _against(row: Row, links: list[Link], sight: Visibility) -> tuple[str, ...]:
    """The facts that this turn put in the place of a fact, or into dispute with it."""
    if not isinstance(row, Fact):
        return ()
    found = [link.from_id for link in links if link.to_id == row.fact_id and link.kind in ("supersedes", "disputes")]
    return tuple(dict.fromkeys(each for each in found if each in sight.facts))


def _cited(entry: JournalEntry, row: Row, sight: Visibility) -> tuple[SegmentWords, ...]:
    """The segments that support a fact from this turn on; what took its place cites its own."""
    if not isinstance(row, Fact):
        return ()
    keys = [each.segment_key for each in _words_of(entry, row.fact_id)]
    return tuple(sight.segments[key] for key in keys if key is not None and key in sight.segments)


def line_of(step: ChangeStep, statements: Mapping[str, str]) -> str:
    """A step in one line; `statements` are those of the facts it may name."""
    told = step.changed.items() if step.what != "created" else ()
    changed = ", ".join(f"{field} {_said(old)} → {_said(new)}" for field, (old, new) in told)
    because = "".join(f" because of {in_quotes(statements.get(each, each))}" for each in step.because)
    cited = "".join(
        f" {called(each.speaker)} in {reference(each.source_id)}: {in_quotes(each.text)}" for each in step.cited
    )
    undone = f", undoing {step.undoes}" if step.undoes else ""
    head = f"{iso(step.at)} {step.what}: {in_quotes(step.words)}" + (f" ({changed})" if changed else "")
    return f"{head}{because}, by {step.actor} ({step.command}: {step.reason}{undone}).{cited}"


def _said(value: Any) -> str:
    if value is None:
        return "open"
    return f"{value:.2f}" if isinstance(value, float) else harmless(str(value))
