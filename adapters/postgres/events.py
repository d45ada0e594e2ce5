"""Events in PostgreSQL: written in batches, kept for days, read page by page or as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.pool import Pool
from adapters.postgres.reads import typed
from adapters.postgres.sql import queries
from adapters.row_scope import as_named, everybody
from memory.model.events import BY_PROCESS, Event, SystemWork
from memory.model.scopes import Sensitivity, View
from memory.model.shown import Page
from memory.model.timeline import Instant

Q = queries("events")
Placed = tuple[int, Event]
"""An event and its position among all that were written."""


class PostgresEvents:
    """Events of all users, over a pool of their own: a storm of them takes no connection from anybody else."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    async def write(
        self, events: Sequence[Event], part: str = "", drops: Mapping[str, tuple[int, Instant]] | None = None
    ) -> None:
        """Add events, each once; none of what was forgotten after it happened.

        `drops` are how many of each user's a part has dropped since it last told, and when it took in the last of them.
        """
        with everybody("events of all users are written together"):
            async with self.pool.transaction() as connection:
                if events or drops:
                    await connection.execute(Q["lock"])
                if events:
                    told = Jsonb([_written(*each) for each in enumerate(events)])
                    await connection.execute(Q["write"], {"events": told})
                if drops:
                    counted = [{"user_id": user, "dropped": n, "noted_at": at} for user, (n, at) in drops.items()]
                    await connection.execute(Q["count_drops"], {"part": part, "drops": Jsonb(counted)})

    async def dropped(self, user_id: str) -> int:
        """How many events of a user were dropped, by whatever part, as far as it has told."""
        row = await self.pool.row(Q["drops_of"], user_id=user_id)
        return int(row["dropped"]) if row else 0

    async def page(self, view: View, limit: int, **asked: Any) -> Page[Event]:
        """The latest events of a memory that this view may see; `total` counts these alone.

        `asked` are process, event_type, session_id, start and end, and mark and key of the last one shown.
        """
        unsaid = dict.fromkeys(("process", "event_type", "session_id", "start", "end", "mark", "key"))
        told = {**unsaid, **asked, "clearance": int(view.clearance), "limit": limit + 1}
        rows = await self.pool.rows(Q["page"], user_id=view.user_id, **told)
        shown = rows[:limit]
        last = (shown[-1]["mark"], shown[-1]["key"]) if len(rows) > limit else None
        return Page([_event(row, view.user_id) for row in shown], len(shown), last)

    async def tail(self, user_id: str, limit: int) -> list[Placed]:
        """The latest events of a user, in the order they were written, whoever asks: rings are read anew for all."""
        with as_named():
            rows = await self.pool.rows(Q["tail"], user_id=user_id, limit=limit)
        return [_placed(row) for row in reversed(rows)]

    async def after(self, position: int, watched: Sequence[str], limit: int) -> list[Placed]:
        """What was written after a position about any of these users, in that order."""
        with everybody("what is new of all who are watched"):
            rows = await self.pool.rows(Q["after"], position=position, watched=list(watched), limit=limit)
        return [_placed(row) for row in rows]

    async def latest(self) -> int:
        """The last position."""
        with everybody("where all events have come to"):
            row = await self.pool.row(Q["latest"])
        return int(row["position"]) if row else 0

    async def trim(self, before: Instant, most: int) -> None:
        """Drop what is older, and of each user all but the latest so many."""
        with everybody("events that are kept no longer"):
            await self.pool.rows(Q["trim_old"], before=before)
            await self.pool.rows(Q["trim_many"], most=most)

    async def waiting(self) -> SystemWork:
        """What waits in the whole system, and what it has been through."""
        with everybody("figures of the whole system"):
            row = await self.pool.row(Q["waiting"])
        assert row is not None
        return typed(SystemWork, row)


def _written(place: int, event: Event) -> dict[str, Any]:
    return {
        "place": place,
        "user_id": event.user_id,
        "event_id": event.event_id,
        "at": event.at,
        "noted_at": event.noted_at,
        "process": event.told_by.process,
        "event_type": event.event_type,
        "session_id": event.session_id,
        "data": dict(event.figures),
        "reasoning": event.reasoning,
        "sensitivity": int(event.sensitivity),
    }


def _placed(row: DictRow) -> Placed:
    return int(row["position"]), _event(row, row["user_id"])


def _event(row: DictRow, user_id: str) -> Event:
    return Event(
        event_id=row["event_id"],
        user_id=user_id,
        at=row["at"],
        noted_at=row["at"],
        told_by=BY_PROCESS[row["process"]],
        event_type=row["event_type"],
        session_id=row["session_id"],
        figures=row["data"],
        reasoning=row["reasoning"],
        sensitivity=Sensitivity(row["sensitivity"]),
    )
