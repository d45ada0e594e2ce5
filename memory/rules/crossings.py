"""Crossings: what a night found, brought into a memory that may have moved on since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memory.model.commands import CloseNight, Crossing
from memory.model.sources import SourceState
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.census import entity_stamp, fact_stamp, recalls_of
from memory.rules.versions import revise


def close_night(draft: Draft, command: CloseNight, now: Instant) -> None:
    """Record crossings; a row that has changed since it was counted is left for the next night."""
    for crossing in command.crossings:
        _CROSS[crossing.noun](draft, crossing, now)


def _entity(draft: Draft, crossing: Crossing, now: Instant) -> None:
    entity = draft.entities.get(crossing.id)
    if entity is None or crossing.stamp not in (None, entity_stamp(draft, crossing.id)):
        return
    if getattr(entity, crossing.axis) == crossing.before:
        changed: Any = {crossing.axis: crossing.after}
        draft.put(_told(crossing), entity, replace(entity, **changed))


def _fact(draft: Draft, crossing: Crossing, now: Instant) -> None:
    fact = draft.facts.get(crossing.id)
    if fact is None or fact.status != "active" or crossing.stamp not in (None, fact_stamp(draft, fact)):
        return
    if getattr(fact, crossing.axis) == crossing.before:
        revise(draft, fact, _told(crossing), now, **{crossing.axis: crossing.after})


def _source(draft: Draft, crossing: Crossing, now: Instant) -> None:
    """Where sources are kept it is checked that the state before still is what it was."""
    draft.put(_told(crossing), SourceState(crossing.id, crossing.before), SourceState(crossing.id, crossing.after))


def _note(draft: Draft, crossing: Crossing, now: Instant) -> None:
    note = draft.notes.get(crossing.id)
    if note is not None and note.lifetime == crossing.before:
        draft.put("expired", note, None)


def _group(draft: Draft, crossing: Crossing, now: Instant) -> None:
    group = draft.groups.get(crossing.id)
    if group is None or crossing.stamp not in (None, recalls_of(draft, crossing.id)):
        return
    if group.state == crossing.before:
        draft.put(_told(crossing), group, replace(group, state=crossing.after))


def _told(crossing: Crossing) -> str:
    return f"{crossing.before} to {crossing.after}"


_CROSS: Mapping[str, Callable[[Draft, Crossing, Instant], None]] = {
    "entity": _entity,
    "fact": _fact,
    "source": _source,
    "note": _note,
    "group": _group,
}
