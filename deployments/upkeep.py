"""Upkeep of facts: what a caller may look at, and a command carried out or only tried."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import BaseModel

from adapters import build
from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.commands import turn
from deployments.looks import Look
from memory.model.changes import ChangeSet
from memory.model.commands import Command
from memory.model.facts import Fact
from memory.ports import Vector
from memory.rules.decider import decide
from memory.rules.reflection import FactPair, Likeness
from memory.services.reflect import VisibleMemory


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


async def outlook(app: AppContext, who: Caller) -> VisibleMemory:
    """The memory as this caller may look at it."""
    stamp = await app.stores.history.stamp(who.view, app.stores.encoder.name)
    if (held := app.looks.again(who.view, stamp, app.clock.now())) is not None:
        return held
    look = await _looked(app, who)
    if look.believed.version == stamp["version"]:  # else the shard has not yet believed what is committed
        app.looks.hold(Look(who.view, stamp, look))
    return look


async def _looked(app: AppContext, who: Caller) -> VisibleMemory:
    stores = app.stores
    believed, seen, kept = await asyncio.gather(
        app.actors.believed(who.user_id),
        stores.history.facts_seen(who.view),
        stores.journal.fact_vectors(who.user_id),
    )
    seen &= believed.facts.keys()
    vectors = {each: np.asarray(vector, np.float32) for each, vector in kept.items() if each in seen}
    likeness = Likeness(vectors, stores.encoder.calibrate)
    return VisibleMemory(believed, seen, likeness, app.clock.now(), build.rules(app.settings))


async def carry_out(
    app: AppContext,
    who: Caller,
    look: VisibleMemory,
    command: Command,
    *,
    dry_run: bool,
    statements: Mapping[str, Vector] | None = None,
    reported: Sequence[FactPair] = (),
) -> CommandEffect:
    """One turn, or in a dry run what it would decide on the memory as it was looked at."""
    if dry_run:
        changes = await asyncio.to_thread(decide, look.believed, command, look.now, look.rules)
    else:
        changes = await turn(app, who, command, statements)
    return CommandEffect(
        command_id=None if dry_run else changes.command_id,
        dry_run=dry_run,
        changed=_changed(changes, look),
        reported=[alike(look, pair) for pair in reported],
    )


def alike(look: VisibleMemory, pair: FactPair) -> AlikeFacts:
    """A pair with its words."""
    return AlikeFacts(one=named(look, pair.one), other=named(look, pair.other), similarity=round(pair.similarity, 4))


def named(look: VisibleMemory, fact_id: str) -> NamedFact:
    """A fact with its words."""
    return NamedFact(fact_id=fact_id, statement=look.believed.facts[fact_id].statement)


def _changed(changes: ChangeSet, look: VisibleMemory) -> list[ChangedFact]:
    """Each changed fact once, as it was left; what was concluded of facts out of sight is out of sight, too."""
    left: dict[str, ChangedFact] = {}
    born: set[str] = set()
    for change in changes.changes:
        fact = change.after
        if not isinstance(fact, Fact):
            continue
        if change.before is None:
            born.add(fact.fact_id)
        if fact.fact_id in look.seen or fact.fact_id in born:
            left[fact.fact_id] = ChangedFact(
                fact_id=fact.fact_id,
                statement=fact.statement,
                reason=change.reason,
                status=fact.status,
                confidence=fact.confidence,
                subject_id=fact.subject_id,
            )
    return list(left.values())
