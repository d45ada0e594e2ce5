"""The steps of a night that look at a census alone: each gives commands and figures, at the night's own instant.

What needs words, vectors or a model is a step of the second phase (memory.services.night_words).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.model.commands import ArrangedGroup, ArrangeGroups, CloseNight, Command, Crossing, MergeFacts
from memory.model.entities import STATES, TIERS
from memory.model.facts import NOTE_LIFETIME_DAYS
from memory.model.ids import command_id
from memory.model.timeline import DAY_S, Instant
from memory.rules.census import (
    ACTIVE,
    ARCHIVED,
    Census,
    Codes,
    Counts,
    Ids,
    entity_anchors,
    fact_anchors,
    group_anchors,
    source_anchors,
)
from memory.rules.decay import Column, Flags, strength_of
from memory.rules.grouping import group_stamp
from memory.rules.holding import HELD_BACK, held_back
from memory.rules.lifecycle import entity_states, fact_states, group_states, source_states, to_prune
from memory.rules.parameters import Life
from memory.rules.reflection import duplicates
from memory.rules.tiers import contradictions, tiers_of

MOST_ROWS = 500
"""Rows one commit of a night may change (decision 0061, 16)."""
MOST_CLUSTERS = 100
"""Clusters of duplicates one commit merges: with their evidence and links about as many rows."""
ACTOR = "night"


@dataclass(frozen=True, slots=True)
class NightName:
    """Whose night it is, and of which day (YYYY-MM-DD): every command of a night is known by them."""

    user_id: str
    date: str

    def identity(self, step: str, *place: object) -> str:
        """The id of a command of a step: the same step of the same night gives the same."""
        return command_id(ACTOR, self.user_id, self.date, step, *place)

    def closing(self, step: str, crossings: Sequence[Crossing]) -> tuple[CloseNight, ...]:
        """The commands that record crossings, `MOST_ROWS` at most each."""
        return tuple(
            CloseNight(
                command_id=self.identity(step, start),
                actor=ACTOR,
                night=self.date,
                step=step,
                crossings=tuple(crossings[start : start + MOST_ROWS]),
            )
            for start in range(0, len(crossings), MOST_ROWS)
        )

    def merging(self, step: str, clusters: Sequence[tuple[str, ...]]) -> tuple[MergeFacts, ...]:
        """The commands that merge duplicates, `MOST_CLUSTERS` at most each."""
        starts = range(0, len(clusters), MOST_CLUSTERS)
        return tuple(
            MergeFacts(
                command_id=self.identity(step, start),
                actor=ACTOR,
                clusters=tuple(clusters[start : start + MOST_CLUSTERS]),
            )
            for start in starts
        )

    def arranging(
        self, step: str, arranged: Sequence[ArrangedGroup], withdrawn: Sequence[tuple[str, str]]
    ) -> tuple[ArrangeGroups, ...]:
        """The commands that put groups and then withdraw others, of `MOST_ROWS` at most, a member counted as one.

        Each is known by what it holds: planned anew after something was forgotten, it is another.
        """
        commands: list[ArrangeGroups] = []
        some: list[ArrangedGroup] = []
        for each in (*arranged, None):
            if some and (each is None or sum(1 + len(one.group.members) for one in (*some, each)) > MOST_ROWS):
                parts = (part for one in some for part in (one.group.group_id, group_stamp(one.group)))
                named = self.identity(step, *parts)
                commands.append(ArrangeGroups(command_id=named, actor=ACTOR, arranged=tuple(some)))
                some = []
            some += [each] if each is not None else []
        for start in range(0, len(withdrawn), MOST_ROWS):
            gone = tuple(withdrawn[start : start + MOST_ROWS])
            named = self.identity(step, "withdrawn", *(part for pair in gone for part in pair))
            commands.append(ArrangeGroups(command_id=named, actor=ACTOR, withdrawn=gone))
        return tuple(commands)


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step gives: commands in their order, and figures for the report."""

    commands: tuple[Command, ...]
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class NightView:
    """A census at one instant, and what several steps need to know of it."""

    of: NightName
    census: Census
    now: Instant
    life: Life

    @cached_property
    def entities(self) -> Column:
        """Strength of every entity."""
        return strength_of("entity", entity_anchors(self.census.entities, self.now, self.life), self.now, self.life)

    @cached_property
    def facts(self) -> Column:
        """Strength of every fact."""
        return strength_of("fact", fact_anchors(self.census.facts, self.life), self.now, self.life)

    @cached_property
    def sources(self) -> Column:
        """Strength of every source."""
        return strength_of("source", source_anchors(self.census.sources, self.life), self.now, self.life)

    @cached_property
    def groups(self) -> Column:
        """Strength of every storyline and macro, each by the law that serves its noun."""
        rows, laws = self.census.groups, self.life.strength
        storylines = strength_of("storyline", group_anchors(rows, laws.storyline), self.now, self.life)
        macros = strength_of("macro", group_anchors(rows, laws.macro), self.now, self.life)
        return np.where(rows.macro, macros, storylines)

    @cached_property
    def held(self) -> Flags:
        """Which facts are believed to be so now."""
        held: Flags = self.census.facts.status == ACTIVE
        return held

    @cached_property
    def pruned(self) -> Flags:
        """Which facts have faded for good."""
        return to_prune(self.census.facts, self.facts, self.life.lifecycle)

    def left(
        self,
        step: str,
        noun: str,
        names: Sequence[str],
        ids: Ids,
        change: tuple[NDArray[Any], NDArray[Any]],
        stamp: Counts,
    ) -> tuple[NDArray[Any], list[list[Any]]]:
        """What rows become without what an earlier night took back and nothing has changed about; and what that is."""
        return held_back(self.census.held.get(step, {}), noun, names, ids, change, stamp)


def _held(rows: Sequence[list[Any]]) -> dict[str, Any]:
    """What a step has left as it is, for the report; nothing is told where it is nothing."""
    return {HELD_BACK: list(rows)} if rows else {}


def _pending(sight: NightView) -> StepResult:
    return StepResult((), dict(sight.census.pending or {}))


def _decay(sight: NightView) -> StepResult:
    """Strength is derived, never stored: the night only tells how it stands."""
    figures = {
        "entities": len(sight.entities),
        "mean_strength": _mean(sight.entities),
        "low_salience": int((sight.entities < sight.life.decay.low_salience).sum()),
        "facts": int(sight.held.sum()),
        "mean_fact_strength": _mean(sight.facts[sight.held]),
        "sources": len(sight.sources),
        "mean_source_strength": _mean(sight.sources),
    }
    return StepResult((), figures)


def _tiers(sight: NightView) -> StepResult:
    rows = sight.census.entities
    denied = contradictions(rows, sight.census.facts)
    wanted = tiers_of(rows, denied, sight.now, sight.life.tiers)
    after, held = sight.left("tiers", "entity", TIERS, rows.ids, (rows.tier, wanted), rows.stamp)
    found = _crossed("entity", "tier", TIERS, rows.ids, rows.tier, after, rows.stamp)
    figures = {
        "contradicted": int(denied.sum()),
        "before": _tally(TIERS, rows.tier),
        "after": _tally(TIERS, after),
        "promoted": [each.id for each in found if each.after > each.before],
        "demoted": [each.id for each in found if each.after < each.before],
        **_held(held),
    }
    return StepResult(sight.of.closing("tiers", found), figures)


def _states(sight: NightView) -> StepResult:
    census, rules = sight.census, sight.life.lifecycle
    entities, facts, sources, groups = census.entities, census.facts, census.sources, census.groups
    of_entities = entity_states(entities, sight.entities, sight.now, rules)
    of_facts = np.where(sight.held & ~sight.pruned, fact_states(facts, sight.facts, sight.now, sight.life), facts.state)
    of_sources = source_states(sources, sight.sources, sight.now, rules)
    of_groups = group_states(groups, sight.groups, sight.now, sight.life.storylines.silent_days, rules)
    unmoved, recalled = np.zeros(len(sources.ids), int), groups.count.astype(int)
    of_entities, kept = sight.left(
        "states", "entity", STATES, entities.ids, (entities.state, of_entities), entities.stamp
    )
    of_facts, more = sight.left("states", "fact", STATES, facts.ids, (facts.state, of_facts), facts.stamp)
    of_groups, others = sight.left("states", "group", STATES, groups.ids, (groups.state, of_groups), recalled)
    found = [
        *_crossed("entity", "state", STATES, entities.ids, entities.state, of_entities, entities.stamp),
        *_crossed("fact", "state", STATES, facts.ids, facts.state, of_facts, facts.stamp),
        *_crossed("source", "state", STATES, sources.ids, sources.state, of_sources, unmoved),
        *_crossed("group", "state", STATES, groups.ids, groups.state, of_groups, recalled),
    ]
    figures = {
        "entities": _tally(STATES, of_entities),
        "facts": _tally(STATES, of_facts[sight.held]),
        "sources": _tally(STATES, of_sources),
        "storylines": _tally(STATES, of_groups[~groups.macro]),
        "macros": _tally(STATES, of_groups[groups.macro]),
        "crossed": len(found),
        "archived": sum(each.after == STATES[ARCHIVED] for each in found),
        "returned": sum(each.before == STATES[ARCHIVED] for each in found),
        **_held([*kept, *more, *others]),
    }
    return StepResult(sight.of.closing("states", found), figures)


def _pruning(sight: NightView) -> StepResult:
    facts, wanted = sight.census.facts, sight.pruned.astype(int)
    gone, held = sight.left(
        "pruning", "fact", ("active", "pruned"), facts.ids, (np.zeros_like(wanted), wanted), facts.stamp
    )
    chosen = zip(facts.ids[gone > 0], facts.stamp[gone > 0].tolist(), strict=True)
    found = [Crossing("fact", identity, "status", "active", "pruned", stamp) for identity, stamp in chosen]
    return StepResult(sight.of.closing("pruning", found), {"pruned": [each.id for each in found], **_held(held)})


def _notes(sight: NightView) -> StepResult:
    found = []
    for note in sight.census.notes:
        days = NOTE_LIFETIME_DAYS[note.lifetime]
        if days is not None and sight.now >= note.created_at + days * DAY_S:
            found.append(Crossing("note", note.note_id, "lifetime", note.lifetime, "expired"))
    return StepResult(sight.of.closing("notes", found), {"expired": len(found)})


def _duplicates(sight: NightView) -> StepResult:
    """Only what is new has to be looked at; likenesses that differ in what matters are reported, never merged."""
    fresh, facts = sight.census.fresh, sight.census.facts
    if fresh is None:
        return StepResult((), {"merged": [], "disagreeing": []})
    rows = np.flatnonzero(np.isin(facts.ids, list(fresh.believed.facts)))
    strength = dict(zip(facts.ids[rows], sight.facts[rows].tolist(), strict=True))
    found = duplicates(fresh.believed, list(fresh.believed.facts), fresh.likeness, strength, sight.life.reflection)
    figures = {
        "merged": [list(each) for each in found.clusters],
        "disagreeing": [[each.one, each.other] for each in found.disagreeing],
    }
    return StepResult(sight.of.merging("duplicates", found.clusters), figures)


STEPS: Mapping[str, Callable[[NightView], StepResult]] = {
    "pending": _pending,
    "decay": _decay,
    "tiers": _tiers,
    "states": _states,
    "pruning": _pruning,
    "notes": _notes,
    "duplicates": _duplicates,
}
"""The steps in their order (decision 0061, 16)."""


def _crossed(
    noun: str, axis: str, names: Sequence[str], ids: Ids, before: Codes, after: NDArray[Any], stamp: Counts
) -> list[Crossing]:
    rows = np.flatnonzero(before != after)
    columns = (ids[rows], before[rows].tolist(), after[rows].tolist(), stamp[rows].tolist())
    return [
        Crossing(noun, identity, axis, names[old], names[new], mark)
        for identity, old, new, mark in zip(*columns, strict=True)
    ]


def _tally(names: Sequence[str], codes: NDArray[Any]) -> dict[str, int]:
    return dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))


def _mean(strength: Column) -> float | None:
    return round(float(strength.mean()), 4) if len(strength) else None
