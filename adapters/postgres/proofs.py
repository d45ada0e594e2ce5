"""What questions that prove a night are made of, read from the tables: at most as many facts as there are questions."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.scopes import user_scope
from memory.rules.proof import ProofFact

Q = queries("proofs")


class PostgresProofReads:
    """See memory.services.proving.ProofReads."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def sample(self, user_id: str, most: int, seed: str) -> Sequence[ProofFact]:
        """At most `most` active facts with a predicate and a segment as evidence, spread over their ages."""
        if most <= 0:
            return []
        rows = await self._pool.rows(Q["sample"], user_id=user_id, most=most, seed=seed)
        return await self.facts(user_id, [row["fact_id"] for row in rows])

    async def facts(self, user_id: str, fact_ids: Sequence[str]) -> Sequence[ProofFact]:
        """These facts, in this order; what was forgotten is left out."""
        rows = await self._pool.rows(Q["facts"], user_id=user_id, scope=user_scope(user_id), ids=list(fact_ids))
        return [ProofFact(**{**row, "evidence": frozenset(row["evidence"])}) for row in rows]
