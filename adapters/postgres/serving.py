"""Which encoder serves: the one place that says with whose vectors questions are compared, and when that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.waiting import WaitingFact

Q = queries("serving")


@dataclass(frozen=True, slots=True)
class Served:
    """An encoder as the database names it, and the settings it is built from."""

    encoder: str
    dimensions: int
    settings: Mapping[str, Any]

    def row(self) -> dict[str, Any]:
        """As parameters."""
        return {"encoder": self.encoder, "dimensions": self.dimensions, "settings": Jsonb(dict(self.settings))}


class PostgresServing:
    """The serving encoder, and how far its successor has come."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(self, configured: Served) -> Served:
        """The serving encoder: the configured one, if none has served yet."""
        await self._rows("begin", **configured.row())
        return Served(**await self._one("serving"))

    async def name(self) -> str:
        """The name of the serving encoder."""
        return str((await self._one("serving"))["encoder"])

    async def behind(self, encoder: str, limit: int) -> list[tuple[str, str]]:
        """Sources, as (scope, source_id), of which some words have no vector by an encoder."""
        rows = await self._rows("behind", encoder=encoder, limit=limit)
        return [(row["scope"], row["source_id"]) for row in rows]

    async def facts_behind(self, serving: str, encoder: str, limit: int) -> list[WaitingFact]:
        """Facts with a vector by the serving encoder and none by its successor."""
        rows = await self._rows("facts_behind", serving=serving, encoder=encoder, limit=limit)
        return [WaitingFact(**row) for row in rows]

    async def progress(self, encoder: str) -> Mapping[str, int]:
        """How many segments there are, and how many have a vector by an encoder: `{segments, encoded}`."""
        return await self._one("progress", encoder=encoder)

    async def swap(self, serving: str, successor: Served) -> bool:
        """Let another encoder serve. False if something with a vector by the serving one has none by it."""
        return bool(await self._rows("swap", serving=serving, **successor.row()))

    async def left_over(self, kept: Sequence[str]) -> bool:
        """Whether there are vectors by other encoders than these."""
        return bool((await self._one("leftovers", kept=list(kept)))["left_over"])

    async def drop_others(self, kept: Sequence[str]) -> None:
        """Drop the vectors by all other encoders than these."""
        await self._rows("drop_segment_vectors", kept=list(kept))
        await self._rows("drop_fact_vectors", kept=list(kept))

    async def _one(self, query: str, **parameters: Any) -> DictRow:
        [row] = await self._rows(query, **parameters)
        return row

    async def _rows(self, query: str, **parameters: Any) -> list[DictRow]:
        with everybody("the change of encoders"):
            return await self._pool.rows(Q[query], **parameters)
