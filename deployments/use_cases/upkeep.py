"""Upkeep of facts: an owner merges, synthesizes, prunes, puts in place and protects; first, perhaps, only to see.

Each verb touches only facts in the caller's view. With `dry_run` it tells what it would do and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn, vectors_of
from deployments.kinds import Body
from deployments.looks import Look
from memory.model.changes import ChangeSet
from memory.model.commands import Command, ProtectFact
from memory.model.facts import Fact
from memory.ports import Vector
from memory.rules.decider import decide
from memory.rules.reflection import FactPair, Likeness
from memory.services.reflect import VisibleMemory

MOST_REPORTED = 200
"""Pairs at most that a merge tells of and leaves as they are."""


class Trying(Body):
    """Whether to do it, or only to tell what would be done."""

    dry_run: bool = False

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"dry_run": True}]}}


class Pruning(Trying):
    """How weak a fact must be; by default as the settings say (lifecycle.prune_below)."""

    below: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"below": 0.05, "dry_run": True}]}}


class NamedFact(BaseModel):
    """A fact by its words."""

    fact_id: str
    statement: str


class AlikeFacts(BaseModel):
    """Two facts of one subject and their calibrated similarity, in [0, 1]."""

    one: NamedFact
    other: NamedFact
    similarity: float


class ChangedFact(NamedFact):
    """A fact as a command has left it, or would leave it, and what it did to it."""

    reason: str
    status: str
    confidence: float
    subject_id: str


class CommandEffect(BaseModel):
    """What a command has changed; with `dry_run` what it would have, and then there is no command to undo."""

    command_id: str | None
    dry_run: bool
    changed: list[ChangedFact]
    reported: list[AlikeFacts] = []


class Protected(BaseModel):
    """A fact, and whether it is kept from fading."""

    fact_id: str
    protected: bool


async def merge(app: AppContext, who: Caller, key: str, body: Trying) -> CommandEffect:
    """Let duplicates be one fact; what is alike but disagrees is only reported. Raises Forbidden."""
    look = await outlook(app, writing(who))
    found = await asyncio.to_thread(lambda: look.duplicates)
    effect = await _carry_out(app, who, look, _Act(look.merging(key), body.dry_run))
    reported = [alike(look, pair) for pair in found.disagreeing[:MOST_REPORTED]]
    return effect.model_copy(update={"reported": reported})


async def synthesize(app: AppContext, who: Caller, key: str, body: Trying) -> CommandEffect:
    """Make meta facts of the largest themes. Raises Forbidden."""
    look = await outlook(app, writing(who))
    await asyncio.to_thread(lambda: look.themes)
    command = await look.synthesizing(key, app.model)
    vectors = await vectors_of(app, [each.statement for each in command.meta_facts])
    return await _carry_out(app, who, look, _Act(command, body.dry_run, vectors))


async def prune(app: AppContext, who: Caller, key: str, body: Pruning) -> CommandEffect:
    """Let go of facts that have faded. Raises Forbidden."""
    look = await outlook(app, writing(who))
    below = app.settings.lifecycle.prune_below if body.below is None else body.below
    return await _carry_out(app, who, look, _Act(look.pruning(key, below), body.dry_run))


async def backfill_subjects(app: AppContext, who: Caller, key: str, body: Trying) -> CommandEffect:
    """Give facts kept under a placeholder the entity they are about. Raises Forbidden."""
    look = await outlook(app, writing(who))
    return await _carry_out(app, who, look, _Act(look.backfilling(key), body.dry_run))


async def protect(app: AppContext, who: Caller, key: str, fact_id: str, *, protected: bool) -> Protected:
    """Keep a fact from fading, or let it fade again. Raises Forbidden, NotFound and Ambiguous."""
    view = writing(who).view
    fact = await app.stores.reads.facts.one(view, fact_id)
    await turn(app, who, ProtectFact(command_id=key, fact_id=fact.fact_id, protected=protected))
    return Protected(fact_id=fact.fact_id, protected=protected)


async def outlook(app: AppContext, who: Caller) -> VisibleMemory:
    """The memory as this caller may look at it."""
    stamp = await app.stores.reads.history.stamp(who.view, app.stores.encoder.name)
    if (held := app.looks.again(who.view, stamp, app.clock.now())) is not None:
        return held
    look = await _looked(app, who)
    if look.believed.version == stamp.version:  # else the shard has not yet believed what is committed
        app.looks.hold(Look(who.view, stamp, look))
    return look


async def _looked(app: AppContext, who: Caller) -> VisibleMemory:
    stores = app.stores
    believed, seen, kept = await asyncio.gather(
        app.actors.believed(who.user_id),
        stores.reads.history.facts_seen(who.view),
        stores.memory.journal.fact_vectors(who.user_id),
    )
    seen &= believed.facts.keys()
    vectors = {each: np.asarray(vector, np.float32) for each, vector in kept.items() if each in seen}
    likeness = Likeness(vectors, stores.encoder.calibrate)
    return VisibleMemory(believed, seen, likeness, app.clock.now(), app.rules)


@dataclass(frozen=True, slots=True)
class _Act:
    """What is to be done, or in a dry run only to be told, and the vectors of what it states."""

    command: Command
    dry_run: bool
    statements: Mapping[str, Vector] | None = None


async def _carry_out(app: AppContext, who: Caller, look: VisibleMemory, act: _Act) -> CommandEffect:
    """One turn, or in a dry run what it would decide on the memory as it was looked at."""
    if act.dry_run:
        changes = await asyncio.to_thread(decide, look.believed, act.command, look.now, look.rules)
    else:
        changes = await turn(app, who, act.command, act.statements)
    born = {each.row.fact_id for each in changes.changes if each.before is None and isinstance(each.row, Fact)}
    if born and not act.dry_run:  # the key may be that of a command that somebody gave who sees more
        born = {*await app.stores.reads.history.statements(who.view, born)}
    return CommandEffect(
        command_id=None if act.dry_run else changes.command_id,
        dry_run=act.dry_run,
        changed=_changed(changes, {*look.seen, *born}),
    )


def alike(look: VisibleMemory, pair: FactPair) -> AlikeFacts:
    """A pair with its words."""
    return AlikeFacts(one=named(look, pair.one), other=named(look, pair.other), similarity=round(pair.similarity, 4))


def named(look: VisibleMemory, fact_id: str) -> NamedFact:
    """A fact with its words."""
    return NamedFact(fact_id=fact_id, statement=look.believed.facts[fact_id].statement)


def _changed(changes: ChangeSet, seen: Set[str]) -> list[ChangedFact]:
    """Each changed fact that is seen once, as it was left; what was concluded of facts out of sight is so, too."""
    left: dict[str, ChangedFact] = {}
    for change in changes.changes:
        fact = change.after
        if isinstance(fact, Fact) and fact.fact_id in seen:
            left[fact.fact_id] = ChangedFact(
                fact_id=fact.fact_id,
                statement=fact.statement,
                reason=change.reason,
                status=fact.status,
                confidence=fact.confidence,
                subject_id=fact.subject_id,
            )
    return list(left.values())
