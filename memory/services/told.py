"""Told: what turns, nights and erasures tell those who watch. Ids and figures, and as private as what they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from time import monotonic
from typing import Any

from memory.errors import DomainError
from memory.model.changes import ChangeSet
from memory.model.events import COMPLETE, ERROR, START
from memory.model.scopes import Sensitivity
from memory.ports import EventSink

NIGHT = "daily-reflection"
DATABASE = "postgresql"


def tell_of_turn(events: EventSink, user_id: str, changes: ChangeSet, seconds: float) -> None:
    """The event that a turn was committed: how many rows it changed, and what became of how many claims."""
    if not changes.changes:
        return
    outcomes: dict[str, Any] = dict(Counter(each.outcome for each in changes.outcomes))
    levels = [level for each in changes.changes if (level := getattr(each.row, "sensitivity", None)) is not None]
    events.tell(
        user_id,
        DATABASE,
        COMPLETE,
        # rows that have none may be of anything
        sensitivity=Sensitivity(max(levels, default=Sensitivity.SENSITIVE)),
        work="turn",
        command=changes.kind,
        changes=len(changes.changes),
        duration_ms=round(seconds * 1000),
        **outcomes,
    )


@asynccontextmanager
async def telling_of_night(events: EventSink, user_id: str, night: date) -> AsyncIterator[None]:
    """The events that a night has begun and ended, or failed. Its counts are of everything, so they are not told."""
    begun = monotonic()
    events.tell(user_id, NIGHT, START, night=night.isoformat())
    try:
        yield
    except Exception as error:
        events.tell(user_id, NIGHT, ERROR, night=night.isoformat(), error=kind_of(error))
        raise
    events.tell(user_id, NIGHT, COMPLETE, night=night.isoformat(), duration_ms=round((monotonic() - begun) * 1000))


def kind_of(error: Exception) -> str:
    """An error by its kind: its text may hold words."""
    return error.kind if isinstance(error, DomainError) else type(error).__name__


def reason_of(error: Exception) -> str:
    """Why something failed, as it may be kept and shown: an error of ours in full, any other by its kind."""
    return f"{error.kind}: {error.detail}" if isinstance(error, DomainError) else type(error).__name__
