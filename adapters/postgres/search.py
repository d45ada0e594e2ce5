"""PostgreSQL's own search as a projection of the journal that lies beside it.

Its rows are the journal's: words are indexed, facts and vectors stored in the transactions that commit them, so it is
never behind. What a batch tells is there already; to drop a scope is to keep quiet about it until a run takes it up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from adapters.postgres.indexes import PostgresCalendar, PostgresGraph, PostgresText, PostgresVectors
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.scopes import owner_of
from memory.ports import Index
from memory.retrieval.projected import ORIGIN, Position, ProjectionBatch

Q = queries("search")
INDEXES = (PostgresText, PostgresVectors, PostgresGraph, PostgresCalendar)


class PostgresSearch:
    """Full text, exact cosines, graph and calendar; a generation is an encoder's."""

    name = "postgres"

    def __init__(self, pool: Pool, encoder: str) -> None:
        self._pool = pool
        self.generation = encoder
        self.serves: tuple[Index, ...] = tuple(index(pool, encoder, self._dropped) for index in INDEXES)

    @property
    def _called(self) -> str:
        return f"{self.name}/{self.generation}"

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        """As far as the journal, but for what was dropped."""
        rows = await self._pool.rows(Q["held"], scopes=list(scopes), projection=self._called)
        heard = {row["scope"]: Position(row["position"], row["vector_position"]) for row in rows}
        dropped = {row["scope"] for row in rows if row["dropped"]}
        held = {scope: heard.get(scope, ORIGIN)._replace(believed=await self._turns(scope)) for scope in scopes}
        return {scope: at for scope, at in held.items() if at != ORIGIN and scope not in dropped}

    async def apply(self, batch: ProjectionBatch) -> None:
        """Take up a scope that was dropped, with the end of the run; its rows are there already."""
        held = (await self.positions([batch.scope])).get(batch.scope, ORIGIN)
        if batch.is_next(held) and batch.until != batch.since:
            await self._pool.rows(Q["take_up"], scope=batch.scope, projection=self._called)

    async def drop(self, scope: str) -> None:
        """Find nothing of a scope from now on. What is believed and was said stays: it is the journal."""
        await self._pool.rows(Q["drop"], scope=scope, projection=self._called)

    async def _turns(self, scope: str) -> int:
        owner = owner_of(scope)
        row = None if owner is None else await self._pool.row(Q["turns"], user_id=owner)
        return int(row["version"]) if row else 0

    async def _dropped(self, scopes: Sequence[str]) -> Collection[str]:
        rows = await self._pool.rows(Q["dropped"], scopes=list(scopes), projection=self._called)
        return {row["scope"] for row in rows}
