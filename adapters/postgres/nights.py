"""Which nights were, which users they are due for, and what they have done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from datetime import date
from operator import attrgetter
from typing import Any

from psycopg.types.json import Jsonb

from adapters.postgres.census import Calibration, take_census
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.errors import Conflict, NotFound
from memory.model.captured import COMMANDS
from memory.model.commands import CloseNight, Command, Crossing
from memory.model.plain import plain, reader
from memory.model.scopes import user_scope
from memory.model.timeline import Instant
from memory.rules.census import Census
from memory.rules.night_steps import STEPS, NightName, StepResult
from memory.services.night import NightPlan, commands_of
from memory.services.night_communities import LEFT
from memory.services.night_communities import STEP as COMMUNITIES
from memory.services.sleeping import Sleeper
from memory.services.undoing_nights import NightCommands, NightReversal

Q = queries("nights")
LONGEST_S = 600.0
"""Seconds after which a night that was begun is taken for dead: ten times what one over 300,000 facts may take."""
_CELLS = attrgetter(*(each.name for each in fields(Crossing)))
_KIND = "kind"
_READERS = {kind: reader(each) for kind, each in COMMANDS.items()}


class PostgresNights:
    """Plans and reports of nights, and the census they are made on."""

    def __init__(self, pool: Pool, encoder: str, calibrate: Calibration) -> None:
        self._pool = pool
        self._encoder, self._calibrate = encoder, calibrate

    async def sleepers(self) -> list[Sleeper]:
        """Every user, with the zone they live in, the instant since which nights are due, and the last that was."""
        with everybody("whose night is due"):
            return [Sleeper(**row) for row in await self._pool.rows(Q["sleepers"])]

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

    async def plan(self, user_id: str, night: date) -> NightPlan | None:
        """The plan of a night, if it was begun."""
        row = await self._pool.row(Q["plan"], user_id=user_id, night=night)
        return None if row is None else _plan(NightName(user_id, night.isoformat()), row)

    async def begin(self, user_id: str, night: date, at: Instant, plan: NightPlan) -> NightPlan:
        """Keep a plan; if there is one already, that one stands and is returned. Raises NotFound without a memory."""
        crossings = {step: _cells(commands) for step, commands in plan.commands.items()}
        others = {step: _others(commands) for step, commands in plan.commands.items()}
        written = {"report": Jsonb(dict(plan.report)), "plan": Jsonb(crossings), "kept": Jsonb(others)}
        ids = [each.command_id for each in commands_of(plan)]
        if await self._pool.rows(Q["begin"], user_id=user_id, night=night, at=at, ids=ids, **written):
            return plan
        standing = await self.plan(user_id, night)
        if standing is None:
            raise NotFound("There is no such memory: nothing was told to it yet, or it was deleted.")
        return standing

    async def keep(self, user_id: str, night: date, step: str, found: StepResult) -> NightPlan:
        """Add a step to a plan, unless it has that step; the plan that stands. Raises NotFound without a plan.

        What later steps give is kept command by command, in their order: they cross little.
        """
        given = {"commands": Jsonb(_whole(found.commands)), "figures": Jsonb(dict(found.figures))}
        ids = [each.command_id for each in found.commands]
        if row := await self._pool.row(Q["keep"], user_id=user_id, night=night, step=step, ids=ids, **given):
            return _plan(NightName(user_id, night.isoformat()), row)
        if (standing := await self.plan(user_id, night)) is None:
            raise NotFound("There is no such memory: it was deleted while its night went on.")
        return standing

    async def tell(self, user_id: str, night: date, step: str, figures: Mapping[str, Any]) -> None:
        """Put other figures of a step into the report of a night that is not over."""
        await self._pool.rows(Q["tell"], user_id=user_id, night=night, step=step, figures=Jsonb(dict(figures)))

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """Those of these commands that were committed."""
        rows = await self._pool.rows(Q["committed"], user_id=user_id, ids=list(command_ids))
        return {row["command_id"] for row in rows}

    async def under_way(self) -> list[str]:
        """Users of whom a night runs."""
        with everybody("whose night goes on"):
            return [row["user_id"] for row in await self._pool.rows(Q["under_way"], longest_s=LONGEST_S)]

    async def left_to_a_job(self) -> list[tuple[str, date]]:
        """Users whose latest night has left their communities to a job, each with that night."""
        with everybody("whose communities wait for a job"):
            rows = await self._pool.rows(Q["left_to_a_job"], step=COMMUNITIES, left=LEFT)
            return [(row["user_id"], row["night"]) for row in rows]

    async def finish(self, user_id: str, night: date) -> NightPlan:
        """All of the plan has been committed: only its report is kept, and the ids of what it committed.

        Raises NotFound if the memory was deleted meanwhile.
        """
        plan = await self.plan(user_id, night)
        ids = [] if plan is None else [each.command_id for each in commands_of(plan)]
        row = await self._pool.row(Q["finish"], user_id=user_id, night=night, ids=ids)
        if row is None:
            raise NotFound("There is no such memory: it was deleted while its night went on.")
        return _plan(NightName(user_id, night.isoformat()), row)

    async def commands(self, user_id: str, night: date) -> NightCommands:
        """What a night has committed. Raises NotFound if it was not run, Conflict if it is not over."""
        row = await self._pool.row(Q["done"], user_id=user_id, night=night, scope=user_scope(user_id))
        if row is None:
            raise NotFound("That night was not run.", night=str(night))
        if not row["over"]:
            raise Conflict("That night is not over.", night=str(night))
        reversals = [NightReversal(**{**each, "skipped": tuple(each["skipped"])}) for each in row["reversals"]]
        return NightCommands(row["known"], tuple(row["standing"]), tuple(row["moved_sources"]), tuple(reversals))

    async def undone(self, user_id: str, night: date) -> None:
        """Tell in its report that a night was undone."""
        await self._pool.rows(Q["undone"], user_id=user_id, night=night)


def _cells(commands: Iterable[Command]) -> list[tuple[Any, ...]]:
    """The crossings of these commands, a short list each: there may be hundreds of thousands."""
    return [_CELLS(each) for command in commands if isinstance(command, CloseNight) for each in command.crossings]


def _others(commands: Iterable[Command]) -> list[dict[str, Any]]:
    """The commands that cross nothing, whole."""
    return _whole(each for each in commands if not isinstance(each, CloseNight))


def _whole(commands: Iterable[Command]) -> list[dict[str, Any]]:
    """These commands, whole."""
    return [{_KIND: type(each).__name__, **plain(each)} for each in commands]


def _plan(of: NightName, row: Mapping[str, Any]) -> NightPlan:
    """A plan as it was kept. One of an earlier version, or of an archive, keeps what it merges in the report alone."""
    crossings, kept = row["plan"] or {}, row["kept"]
    if kept is None and row["plan"] is not None:
        merged = row["report"].get("duplicates", {}).get("merged", ())
        kept = {"duplicates": [*_others(of.merging("duplicates", [tuple(each) for each in merged]))]}
    steps = dict.fromkeys((*STEPS, *crossings, *(kept or {})))
    commands = {
        step: (*of.closing(step, [Crossing(*each) for each in crossings.get(step, ())]), *_read(kept, step))
        for step in steps
    }
    return NightPlan(row["report"], commands, done=row["plan"] is None)


def _read(kept: Mapping[str, Any] | None, step: str) -> list[Command]:
    """The commands that were kept whole of a step."""
    some = (kept or {}).get(step, ())
    return [_READERS[each[_KIND]]({name: value for name, value in each.items() if name != _KIND}) for each in some]
