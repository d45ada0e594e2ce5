"""Reads of the front door: rows as they are shown, through the view of the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.pool import PLANNED_ONCE, Pool
from adapters.postgres.sql import queries
from memory.errors import Ambiguous, NotFound
from memory.model.scopes import View
from memory.model.shown import Page, RecallFigures, RefutedFact, SegmentWords, Shown, ShownSegment
from memory.model.shown_times import Then

Q = queries("reads")
_DRESSED = (
    f"{PLANNED_ONCE}.\n"
    f"WITH waiting AS ({Q['pending']}) SELECT * FROM waiting LEFT JOIN ({Q['hydrate']}) AS shown ON true"
)


def page_of(rows: Sequence[Mapping[str, Any]], limit: int, shown: Sequence[Shown]) -> Page[Shown]:
    """The page of a statement that was asked for one row more than `limit`; the rows carry mark, key and total."""
    more = len(rows) > limit
    last = (rows[limit - 1]["mark"], rows[limit - 1]["key"]) if more else None
    return Page(shown[:limit], rows[0]["total"] if rows else 0, last)


def seen_by(view: View) -> dict[str, Any]:
    """The parameters every read takes."""
    return {"user_id": view.user_id, "scopes": list(view.scopes), "clearance": int(view.clearance)}


def at(then: Then) -> dict[str, Any]:
    """The parameters every read of the past takes."""
    return {"as_of": then.as_of, "known": then.known}


def meant(rows: Sequence[Mapping[str, Any]], given: str, what: str) -> Mapping[str, Any]:
    """The row that an id or its beginning means, of a `resolve` statement's two. Raises NotFound, Ambiguous."""
    if not rows:
        raise NotFound(f"There is no such {what} in this memory.", id=given)
    exact = rows[0].get("given", rows[0]["id"]) == given
    if not exact and len({row["id"] for row in rows}) > 1:
        raise Ambiguous(f"More than one {what} has an id that begins like this; give more of it.", id=given)
    return rows[0]


def typed(kind: type[Shown], row: Mapping[str, Any], **made: Any) -> Shown:
    """A row as a value of this dataclass: fields that are not `made` here are columns of the same names."""
    read = {each.name: row[each.name] for each in fields(kind) if each.name not in made}  # type: ignore[arg-type]
    return kind(**read, **made)


def recalled(row: Mapping[str, Any]) -> RecallFigures:
    """The columns that tell of recalls."""
    return typed(RecallFigures, row)


def cited(row: Mapping[str, Any]) -> SegmentWords:
    """The segment of a row that is cited; words that are erased are empty."""
    return typed(SegmentWords, row, text=row["text"] or "")


def _shown(row: DictRow) -> ShownSegment:
    refuted = [RefutedFact(**each) for each in row["refuted"]]
    return typed(ShownSegment, row, text=row["text"] or "", refuted=refuted)


class PostgresReads:
    """Segments, hydrated."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def hydrate(self, view: View, keys: Sequence[int]) -> dict[int, ShownSegment]:
        """segment key -> how it is shown; what is out of sight is absent."""
        rows = await self._pool.rows(Q["hydrate"], **seen_by(view), keys=list(keys))
        return {row["segment_key"]: _shown(row) for row in rows}

    async def dressed(self, view: View, keys: Sequence[int]) -> tuple[dict[int, ShownSegment], dict[str, int]]:
        """What `hydrate` and `pending` tell, in one statement: a question asks for both."""
        rows = await self._pool.rows(_DRESSED, **seen_by(view), keys=list(keys))
        pending = {name: rows[0][name] for name in ("embedding", "extraction")}
        return {row["segment_key"]: _shown(row) for row in rows if row["segment_key"] is not None}, pending

    async def mentioning(self, view: View, type_: str | None, entity: str | None) -> list[int]:
        """Keys of segments that mention an entity of this type, and this entity (by id, name or alias)."""
        rows = await self._pool.rows(Q["mentioning"], **seen_by(view), type=type_, entity=entity)
        return [row["segment_key"] for row in rows]

    async def pending(self, view: View) -> dict[str, int]:
        """Pieces of work still open: `{embedding, extraction}`."""
        row = await self._pool.row(Q["pending"], **seen_by(view))
        return dict(row or {})
