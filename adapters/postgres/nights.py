"""Which nights were, and which users they are due for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import date
from operator import attrgetter
from typing import Any

from psycopg.types.json import Jsonb

from adapters.postgres.census import Calibration, take_census
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.walls import everybody
from memory.errors import NotFound
from memory.model.commands import Crossing
from memory.model.timeline import Instant
from memory.rules.census import Census
from memory.rules.night_steps import STEPS
from memory.services.night import Plan

Q = queries("nights")
LONGEST_S = 600.0
"""Seconds after which a night that was begun is taken for dead: ten times what one over 300,000 facts may take."""
_CELLS = attrgetter(*(each.name for each in fields(Crossing)))


class PostgresNights:
    """Plans and reports of nights, and the census they are made on."""

    def __init__(self, pool: Pool, encoder: str, calibrate: Calibration) -> None:
        self._pool = pool
        self._encoder, self._calibrate = encoder, calibrate

    async def sleepers(self) -> list[dict[str, Any]]:
        """Every user, with the zone they live in and the instant since which nights are due."""
        with everybody("whose night is due"):
            return [dict(row) for row in await self._pool.rows(Q["sleepers"])]

    async def last(self, user_id: str) -> date | None:
        """The latest night that was."""
        row = await self._pool.row(Q["last"], user_id=user_id)
        return row["night"] if row else None

    async def since(self, user_id: str) -> Instant | None:
        """The instant since which nights of a user are due; None for a user nobody has heard of."""
        row = await self._pool.row(Q["since"], user_id=user_id)
        return row["since"] if row else None

    async def report(self, user_id: str, night: date) -> dict[str, Any] | None:
        """The report of a night, if it is over."""
        row = await self._pool.row(Q["report"], user_id=user_id, night=night)
        return row["report"] if row else None

    async def census(self, user_id: str) -> Census:
        """A memory as columns, at one consistent moment."""
        return await take_census(self._pool, user_id, self._encoder, self._calibrate)

    async def plan(self, user_id: str, night: date) -> Plan | None:
        """The plan of a night, if it was begun."""
        row = await self._pool.row(Q["plan"], user_id=user_id, night=night)
        return None if row is None else _plan(row)

    async def begin(self, user_id: str, night: date, at: Instant, plan: Plan) -> Plan:
        """Keep a plan; if there is one already, that one stands and is returned. Raises NotFound without a memory."""
        steps = {name: list(map(_CELLS, found)) for name, found in plan.crossings.items()}
        kept = {"report": Jsonb(dict(plan.report)), "plan": Jsonb(steps)}
        if await self._pool.rows(Q["begin"], user_id=user_id, night=night, at=at, **kept):
            return plan
        standing = await self.plan(user_id, night)
        if standing is None:
            raise NotFound("There is no such memory: nothing was told to it yet, or it was deleted.")
        return standing

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """Those of these commands that were committed."""
        rows = await self._pool.rows(Q["committed"], user_id=user_id, ids=list(command_ids))
        return {row["command_id"] for row in rows}

    async def under_way(self) -> list[str]:
        """Users of whom a night runs."""
        with everybody("whose night goes on"):
            return [row["user_id"] for row in await self._pool.rows(Q["under_way"], longest_s=LONGEST_S)]

    async def finish(self, user_id: str, night: date) -> None:
        """All of the plan has been committed: only its report is kept."""
        await self._pool.rows(Q["finish"], user_id=user_id, night=night)


def _plan(row: Mapping[str, Any]) -> Plan:
    steps = row["plan"] or {}
    crossings = {name: tuple(Crossing(*each) for each in steps.get(name, ())) for name in STEPS}
    return Plan(row["report"], crossings, done=row["plan"] is None)
