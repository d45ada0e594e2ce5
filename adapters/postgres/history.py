"""How belief changed, read back from the journal through the view of a caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from psycopg.rows import DictRow

from adapters.postgres import codec
from adapters.postgres.journal import content_ids
from adapters.postgres.pool import Pool
from adapters.postgres.reads import cited, meant, seen_by, typed
from adapters.postgres.sql import queries
from memory.model.changes import Row
from memory.model.entities import Entity
from memory.model.facts import Evidence, Fact, Link
from memory.model.scopes import View
from memory.model.shown_changes import (
    ChangeStep,
    EntityInRole,
    HeldFact,
    JournalEntry,
    MemoryStamp,
    SegmentBearing,
    SegmentRecord,
    SupportedFact,
    Visibility,
)
from memory.model.timeline import EARLIEST, Instant
from memory.rules.telling import steps

Q = queries("history")
TURNS, FIRST = 100, 5
"""Turns read at a time, and at first where a part is asked for: one that reads words changes hundreds of rows."""
Place = tuple[Instant, int]
"""The time of a turn, and the place of a change among those of it that are in sight."""


class PostgresHistory:
    """Changes of belief, what was gained and lost between two times, and what rests on a segment."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def steps(
        self,
        view: View,
        *,
        ids: Sequence[str] | None = None,
        after: Instant | None = None,
        until: Instant | None = None,
        beyond: Place | None = None,
        nouns: Sequence[str] = ("fact", "evidence", "entity"),
        limit: int | None = None,
    ) -> tuple[list[ChangeStep], bool]:
        """The changes in sight, in order, and whether there are more: of these facts and entities (default: of all),
        committed after `after` and not after `until`, beyond a place that was shown."""
        seen = {"ids": None if ids is None else list(ids), "after": after, "until": until}
        seen["beyond"] = beyond[0] if beyond else None
        turn, found, turns = 0, list[ChangeStep](), TURNS if limit is None else FIRST
        while True:
            rows = await self._pool.rows(Q["entries"], user_id=view.user_id, turn=turn, limit=turns, **seen)
            entries = await self._entries(view, rows)
            told = (step for step in steps(entries, await self._sight(view, entries)) if step.noun in nouns)
            found += [step for step in told if beyond is None or (step.at, step.place) > beyond]
            if limit is not None and len(found) > limit:
                return found[:limit], True
            if len(rows) < turns:
                return found, False
            turn, turns = rows[-1]["turn"] + 1, min(2 * turns, TURNS)

    async def _entries(self, view: View, rows: Sequence[DictRow]) -> list[JournalEntry]:
        ids = [each for row in rows for each in content_ids(row["changes"])]
        words = await self._pool.rows(Q["content"], user_id=view.user_id, ids=ids)
        content = {row["content_id"]: row["words"] for row in words}
        return [
            JournalEntry(
                **{
                    **{name: value for name, value in row.items() if name != "turn"},
                    "changes": tuple(codec.decode_change(sides, content) for sides in row["changes"]),
                    "heard": frozenset(row["heard"]),
                }
            )
            for row in rows
        ]

    async def _sight(self, view: View, entries: Sequence[JournalEntry]) -> Visibility:
        rows = [change.row for entry in entries for change in entry.changes]
        facts, entities = {*_facts_in(rows)}, {row.entity_id for row in rows if isinstance(row, Entity)}
        keys = {key for entry in entries for key in entry.heard}
        segments = await self._pool.rows(Q["segments_in_sight"], **seen_by(view), keys=list(keys))
        return Visibility(
            clearance=int(view.clearance),
            facts=await self.statements(view, facts),
            entities=await self.names(view, entities),
            segments={row["segment_key"]: cited(row) for row in segments},
        )

    async def facts_seen(self, view: View) -> frozenset[str]:
        """Ids of all facts in sight as they stand."""
        return frozenset(row["fact_id"] for row in await self._pool.rows(Q["facts_seen"], **seen_by(view)))

    async def stamp(self, view: View, encoder: str) -> MemoryStamp:
        """What differs as soon as a memory has moved on, or what is in sight of it."""
        row = await self._pool.row(Q["stamp"], user_id=view.user_id, scopes=list(view.scopes), encoder=encoder)
        assert row is not None
        return typed(MemoryStamp, row)

    async def statements(self, view: View, ids: Iterable[str]) -> dict[str, str]:
        """fact id -> its statement, of those in sight."""
        rows = await self._pool.rows(Q["facts_in_sight"], **seen_by(view), ids=list(ids))
        return {row["fact_id"]: row["statement"] for row in rows}

    async def names(self, view: View, ids: Iterable[str]) -> dict[str, str]:
        """entity id -> its name, of those in sight; one that was merged is in sight with what it became."""
        rows = await self._pool.rows(Q["entities_in_sight"], **seen_by(view), ids=list(ids))
        return {row["entity_id"]: row["name"] for row in rows}

    async def merged_into(self, view: View, entity_id: str) -> list[str]:
        """Ids of the entities that became this one."""
        rows = await self._pool.rows(Q["merged_into"], **seen_by(view), id=entity_id)
        return [row["entity_id"] for row in rows]

    async def concerning(self, view: View, entities: Sequence[str]) -> list[str]:
        """Ids of these entities, of those merged into them, and of the facts in sight about or of them, at any time."""
        return [row["id"] for row in await self._pool.rows(Q["concerning"], **seen_by(view), ids=list(entities))]

    async def held(
        self,
        view: View,
        which: Literal["gained", "lost"],
        after: Instant | None,
        until: Instant | None,
        about: Sequence[str] | None,
        limit: int,
    ) -> list[HeldFact]:
        """Facts believed at `until` (default: now) and not at `after` (default: the beginning), or the other way."""
        since = EARLIEST if after is None else after
        known, other = (until, since) if which == "gained" else (since, until)
        times = {"known": known, "other": other, "after": since, "until": until}
        ids = None if about is None else list(about)
        rows = await self._pool.rows(Q["gained"], **seen_by(view), **times, about=ids, limit=limit)
        return [typed(HeldFact, row) for row in rows]

    async def segment(self, view: View, scope: str, source_id: str, given: str) -> SegmentRecord:
        """A segment of a source in sight, by its id or the beginning of it. Raises NotFound, Ambiguous."""
        where = {"user_id": view.user_id, "scope": scope, "source_id": source_id, "id": given}
        row = meant(await self._pool.rows(Q["segment"], **where), given, "segment")
        return typed(SegmentRecord, row, text=row["text"] or "")

    async def resting_on(self, view: View, key: int) -> SegmentBearing:
        """What rests on a segment."""
        ids = [row["id"] for row in await self._pool.rows(Q["rests_on"], user_id=view.user_id, key=key)]
        facts = await self._pool.rows(Q["facts_of"], **seen_by(view), key=key, ids=ids)
        entities = await self._pool.rows(Q["entities_of"], **seen_by(view), key=key)
        return SegmentBearing(
            [typed(SupportedFact, row) for row in facts], [typed(EntityInRole, row) for row in entities], ids
        )


def _facts_in(rows: Iterable[Row]) -> Iterator[str]:
    """Ids of the facts that changes are about, or that their links name."""
    for row in rows:
        match row:
            case Fact() | Evidence():
                yield row.fact_id
            case Link():
                yield from (row.from_id, row.to_id)
