"""The step of a night that finds communities and patterns: what it gives as commands, and what it tells."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from memory.errors import EngineFailed
from memory.model.commands import ArrangedGroup
from memory.model.communities import Community, Pattern
from memory.model.groups import COMMUNITY, PATTERN, Group
from memory.model.timeline import Instant
from memory.ports import GraphEngine
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import Communities
from memory.rules.ties import Ties, graph_of
from memory.services.communities import LevelFound, find_communities

STEP = "communities"
LEFT = "left_to_a_job"
"""The figure of a night that has found no communities because the graph is too large for it."""


class CommunityReads(Protocol):
    """What finding communities reads of a memory."""

    async def ties(self, user_id: str) -> Ties:
        """What ties its entities."""

    async def standing(self, user_id: str) -> Sequence[Group]:
        """Every community and pattern that stands, of every level."""


@dataclass(frozen=True)
class Clustering:
    """What communities are found in, and with what."""

    reads: CommunityReads
    engine: GraphEngine
    most_ties: int | None = None
    """Ties of a graph that is left to a job of its own; None = none is."""


async def communities(of: NightName, now: Instant, clustering: Clustering | None, rules: Communities) -> StepResult:
    """Find, change and close communities, and the patterns they show (seed 000).

    Without an engine nothing is done. Where it fails, or the graph is left to a job (jobs/communities.py), everything
    stands as it was, which the figures tell.
    """
    if clustering is None:
        return StepResult((), {})
    ties = await clustering.reads.ties(of.user_id)
    if clustering.most_ties is not None:
        count = len((await asyncio.to_thread(graph_of, ties, rules)).weight)
        if count > clustering.most_ties:
            return StepResult((), {LEFT: True, "ties": count})
    known = {each.group_id: each for each in await clustering.reads.standing(of.user_id)}
    standing = standing_of(known.values())
    try:
        found = await asyncio.to_thread(
            find_communities, of.user_id, ties, *standing, of.date, clustering.engine, rules
        )
    except EngineFailed as error:
        return StepResult((), {"failed": error.kind})
    arranged = [*_arranged(found, known, now)]
    gone = sorted(each for level in found for each in (*level.communities.closed, *level.patterns.withdrawn))
    withdrawn = [(each, group_stamp(known[each])) for each in gone]
    return StepResult(of.arranging(STEP, arranged, withdrawn), _figures(found))


def standing_of(groups: Iterable[Group]) -> tuple[list[Community], list[Pattern]]:
    """The communities and patterns of the rows they are kept in."""
    communities: list[Community] = []
    patterns: list[Pattern] = []
    for each in sorted(groups, key=lambda each: each.group_id):
        if each.kind == COMMUNITY:
            communities.append(Community(each.group_id, each.sensitivity, each.members, each.core, each.named_by))
        elif each.kind == PATTERN:
            [community] = each.members
            patterns.append(Pattern(each.group_id, community, each.sensitivity, each.named_by, each.facts, each.quotes))
    return communities, patterns


def _arranged(found: Sequence[LevelFound], known: Mapping[str, Group], now: Instant) -> Iterator[ArrangedGroup]:
    """The rows that are to be written: communities first, for a pattern needs its own."""
    rows = [
        *(_community(each, now) for level in found for each in level.communities.standing),
        *(_pattern(each, now) for level in found for each in (*level.patterns.kept, *level.patterns.made)),
    ]
    for row in rows:
        old = known.get(row.group_id)
        if old is None:
            yield ArrangedGroup(row)
        elif (same := replace(row, opened_at=old.opened_at)) != old:
            yield ArrangedGroup(same, group_stamp(old))


def _community(each: Community, now: Instant) -> Group:
    return Group(
        each.community_id,
        COMMUNITY,
        now,
        members=each.members,
        core=each.core,
        named_by=each.named_by,
        sensitivity=each.level,
    )


def _pattern(each: Pattern, now: Instant) -> Group:
    return Group(
        each.pattern_id,
        PATTERN,
        now,
        members=(each.community_id,),
        named_by=each.about,
        facts=each.facts,
        quotes=each.segments,
        sensitivity=each.level,
    )


def _figures(found: Sequence[LevelFound]) -> dict[str, Any]:
    """What is told of a night, over all levels."""
    plans, patterns = [each.communities for each in found], [each.patterns for each in found]
    return {
        "standing": sum(len(plan.standing) for plan in plans),
        "opened": [each.community_id for plan in plans for each in plan.opened],
        "changed": [each.community_id for plan in plans for each in plan.changed],
        "closed": [each for plan in plans for each in plan.closed],
        "patterns": sum(len(plan.kept) + len(plan.made) for plan in patterns),
        "patterns_made": [each.pattern_id for plan in patterns for each in plan.made],
        "patterns_withdrawn": [each for plan in patterns for each in plan.withdrawn],
        "ties": sum(each.edges for each in found),
    }
