"""States: candidate, active, core, archived (seed 002). All but archiving follows from recalls alone.

A state is a function of what is so at `now`, not of the state before: nights may be missed or repeated. Archived hides
from lists, and from what recall holds at hand; words are always found, and bring back what rests on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memory.model.entities import STATES
from memory.model.timeline import DAY_S, Instant
from memory.rules.census import (
    ACTIVE,
    ARCHIVED,
    AT_HAND,
    CANDIDATE,
    CORE,
    DECAY,
    EPHEMERAL,
    KEEP_FOREVER,
    Codes,
    EntityRows,
    FactRows,
    GroupColumns,
    Recalls,
    SourceColumns,
)
from memory.rules.decay import Column, Flags
from memory.rules.parameters import Life, Lifecycle


@dataclass(frozen=True, slots=True, eq=False)
class ArchivalColumns:
    """What decides over archiving: columns of n rows."""

    strength: Column
    count: Column
    accessed_at: Column
    born_at: Column
    ttl: Codes
    """Places in TTL_POLICIES."""


def states_of(rows: ArchivalColumns, life_days: float, now: Instant, rules: Lifecycle) -> Codes:
    """[n] the state of each row at `now`, as places in STATES.

    Kept forever beats an ephemeral life of `life_days`, and that beats strength. What was recalled lately is not
    archived for its strength, but for the end of its life it is.
    """
    faded = (rows.strength < rules.archive_below) & ~recalled_lately(rows, now, rules)
    over = (rows.ttl == EPHEMERAL) & (now - rows.born_at >= life_days * DAY_S)
    gone = (faded | over) & (rows.ttl != KEEP_FOREVER)
    by_recalls = np.where(
        rows.count >= rules.core_at, CORE, np.where(rows.count >= rules.active_at, AT_HAND, CANDIDATE)
    )
    states: Codes = np.where(gone, ARCHIVED, by_recalls).astype(np.int8)
    return states


def entity_states(entities: EntityRows, strength: Column, now: Instant, rules: Lifecycle) -> Codes:
    """[n] states of entities. The owner is always core (seed 002)."""
    standing = ArchivalColumns(strength, entities.count, entities.accessed_at, entities.first_seen, entities.ttl)
    states = states_of(standing, rules.ephemeral_days, now, rules)
    states[entities.owner] = CORE
    return states


def fact_states(facts: FactRows, strength: Column, now: Instant, life: Life) -> Codes:
    """[n] states of facts. What only ephemeral sources told is ephemeral, unless somebody has confirmed it.

    What consolidations have taken in is archived as early as its sources are (seed 002, decision 0114), where strength
    archives anything at all. Whatever keeps a floor stays.
    """
    rules, ttl = life.lifecycle, np.where(facts.passing & ~facts.protected, EPHEMERAL, DECAY).astype(np.int8)
    standing = ArchivalColumns(strength, facts.count, facts.accessed_at, facts.since, ttl)
    states = states_of(standing, rules.ephemeral_days, now, rules)
    faded = facts.gathered & (strength < life.consolidations.faded_below) & ~recalled_lately(facts, now, rules)
    states[faded & (rules.archive_below > 0)] = ARCHIVED
    return states


def source_states(sources: SourceColumns, strength: Column, now: Instant, rules: Lifecycle) -> Codes:
    """[n] states of sources. The gathered is archived while nobody recalls it, unless it is kept forever (seed 002)."""
    standing = ArchivalColumns(strength, sources.count, sources.accessed_at, sources.started_at, sources.ttl)
    states = states_of(standing, rules.ephemeral_source_days, now, rules)
    gathered = sources.consolidated & ~recalled_lately(sources, now, rules) & (sources.ttl != KEEP_FOREVER)
    states[gathered] = ARCHIVED
    return states


def recalled_lately(rows: Recalls | ArchivalColumns, now: Instant, rules: Lifecycle) -> Flags:
    """[n] what was recalled within `grace_days`: it is not archived for its strength."""
    lately: Flags = (rows.count > 0) & (now - rows.accessed_at < rules.grace_days * DAY_S)
    return lately


def group_states(groups: GroupColumns, strength: Column, now: Instant, silent_days: float, rules: Lifecycle) -> Codes:
    """[n] states of storylines and macros. They begin as active (decision 0061, 2).

    What was told of within `silent_days` is going on, and is not archived.
    """
    by_decay = np.full(len(strength), DECAY, np.int8)
    standing = ArchivalColumns(strength, groups.count, groups.accessed_at, groups.opened_at, by_decay)
    states = np.maximum(states_of(standing, np.inf, now, rules), AT_HAND).astype(np.int8)
    going_on = (states == ARCHIVED) & (now - groups.last_at < silent_days * DAY_S)
    states[going_on] = np.where(groups.count[going_on] >= rules.core_at, CORE, AT_HAND)
    return states


def recalled_state(state: str, count: int, rules: Lifecycle) -> str:
    """The state of something right after its `count`th recall: the archived comes back as active (seed 002)."""
    if state == STATES[ARCHIVED] or rules.active_at <= count < rules.core_at:
        return STATES[AT_HAND]
    return STATES[CORE] if count >= rules.core_at else state


def to_prune(facts: FactRows, strength: Column, rules: Lifecycle) -> Flags:
    """[n] which active facts have faded for good, if this preset prunes (seeds 003 and 004)."""
    faded: Flags = (facts.status == ACTIVE) & (strength < rules.prune_below) & ~facts.protected
    return faded & rules.prunes
