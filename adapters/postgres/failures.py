"""Failures: what is done for each user in turn and could not be done for one, with its reason, until it can."""

from __future__ import annotations

from adapters.postgres.pool import Pool
from adapters.postgres.reads import typed
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.failures import StepFailure

Q = queries("failures")
BASE_S, CAP_S = 60.0, 21_600.0
"""Seconds before a step is tried again for a user, doubling with each failure (chosen: a night has six hours)."""


class PostgresFailures:
    """One row a user and step."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note(self, user_id: str, step: str, reason: str) -> None:
        """A step has failed for a user, once more perhaps. A reason is a kind of error, and no words."""
        await self._pool.rows(Q["note"], user_id=user_id, step=step, reason=reason[:500])

    async def over(self, user_id: str, step: str) -> None:
        """A step can be done again."""
        await self._pool.rows(Q["over"], user_id=user_id, step=step)

    async def resting(self, step: str) -> list[str]:
        """Users for whom a step has failed so lately that it is not tried yet."""
        with everybody("for whom something cannot be done"):
            rows = await self._pool.rows(Q["resting"], step=step, base_s=BASE_S, cap_s=CAP_S)
        return [row["user_id"] for row in rows]

    async def of(self, user_id: str) -> list[StepFailure]:
        """What cannot be done for a user."""
        return [typed(StepFailure, row) for row in await self._pool.rows(Q["of"], user_id=user_id)]
