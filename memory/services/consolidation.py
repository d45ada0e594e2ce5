"""The step of a night that gathers sources into consolidations: what it gives as commands, and what it tells.

A consolidation is summed up as a storyline is. Its insights are facts that several of its sources support: they are
named, not made, so nothing that is read from them can raise the confidence of what they rest on. What is gathered is
archived in the same night.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from memory.model.commands import ArrangedGroup, Command, Crossing
from memory.model.entities import STATES
from memory.model.groups import CONSOLIDATION, Group
from memory.model.ids import consolidation_id
from memory.model.scopes import Sensitivity
from memory.model.storylines import Storyline
from memory.model.timeline import Instant
from memory.rules.census import ARCHIVED, SourceColumns
from memory.rules.consolidation import Gathered, plan_consolidations
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import Life
from memory.services.reflect import EXTRACTIVE
from memory.services.storylines import TOLD_AT_ONCE, StorylineReads, SummaryWriter
from memory.services.summing_up import Summary, telling_lines

STEP = "consolidations"


class ConsolidationReads(Protocol):
    """What consolidation reads of a memory, beside what storylines do."""

    async def sources(self, user_id: str) -> SourceColumns:
        """Every source of the user's own scope."""

    async def standing(self, user_id: str) -> Sequence[Group]:
        """Every consolidation that stands, of every level."""

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> Sequence[tuple[str, ...]]:
        """For each of these the ids of its insights (memory.rules.consolidation.is_insight), `most` at most.

        Those that most sources support come first, then the most important. Facts made of other facts are none.
        """


@dataclass(frozen=True)
class Gathering:
    """Whose night it is, when, and what is gathered with."""

    of: NightName
    now: Instant
    life: Life
    reads: ConsolidationReads
    storylines: StorylineReads
    writer: SummaryWriter


async def consolidations(night: Gathering) -> StepResult:
    """Gather sources, sum them up, name their insights, and archive them (seed 002)."""
    user_id, by = night.of.user_id, EXTRACTIVE if night.writer.model is None else night.writer.model.name
    had_model = night.writer.model
    sources = await night.reads.sources(user_id)
    told = await night.storylines.appearances(user_id, night.life.consolidations.least)
    known = {each.group_id: each for each in await night.reads.standing(user_id)}
    plans = plan_consolidations(told, sources, list(known.values()), night.now, night.life)
    begun = dict(zip(sources.ids.tolist(), sources.started_at.tolist(), strict=True))
    planned = [row for level, some in plans.items() for row in _rows(night, level, some, begun)]
    planned += _unwritten(known, planned, night.life.consolidations.written)
    written = await _written(night, planned)
    arranged = [
        ArrangedGroup(each, group_stamp(known[each.group_id]) if each.group_id in known else None) for each in written
    ]
    stands = {each.group_id for each in written}
    silent = sorted(each.group_id for each in planned if each.group_id in known and each.group_id not in stands)
    withdrawn = [(each, group_stamp(known[each])) for each in silent]
    crossings = _archiving(written, sources, known)
    commands: tuple[Command, ...] = night.of.arranging(STEP, arranged, withdrawn)
    figures: dict[str, Any] = {
        "standing": len(known.keys() | stands) - len(silent),
        "opened": [each.group_id for each in written if each.group_id not in known],
        "gathered": sum(len(each.members) for each in written)
        - sum(len(known[e].members) for e in stands & known.keys()),
        "archived": len(crossings),
        "withdrawn": silent,
        "summed_up": len(written),
        "insights": sum(len(each.facts) for each in written),
        "by": by,
        "model_failed": night.writer.model is not had_model,
    }
    return StepResult((*commands, *night.of.closing(STEP, crossings)), figures)


def _rows(
    night: Gathering, level: Sensitivity, gathered: Sequence[Gathered], begun: Mapping[str, Instant]
) -> Iterator[Group]:
    """The rows of what is gathered at one level, to be summed up."""
    for each in gathered:
        known = each.known or Group(
            consolidation_id(night.of.user_id, level, each.anchor_id, each.sources),
            CONSOLIDATION,
            night.now,
            anchor_id=each.anchor_id,
            sensitivity=level,
        )
        there = {*known.members, *each.sources}
        members = sorted((source for source in there if source in begun), key=lambda source: (begun[source], source))
        times = begun[members[0]], begun[members[-1]]
        yield replace(known, members=tuple(members), sources=len(members), first_at=times[0], last_at=times[1])


def _unwritten(known: Mapping[str, Group], planned: Sequence[Group], most: int) -> list[Group]:
    """Those that stand without a summary, or with one that does not tell of what they hold now."""
    joined = {each.group_id for each in planned}
    return [each for _, each in sorted(known.items()) if each.dirty and each.group_id not in joined][:most]


async def _written(night: Gathering, rows: Sequence[Group]) -> list[Group]:
    """These rows with summaries and insights; where nothing can be told there is nothing to gather."""
    user_id, rules = night.of.user_id, night.life.consolidations
    summaries: list[Summary] = []
    for start in range(0, len(rows), TOLD_AT_ONCE):
        lines = [_line(each) for each in rows[start : start + TOLD_AT_ONCE]]
        names = await night.storylines.names(user_id, [each.anchor_id for each in lines])
        for line, told in zip(lines, await night.storylines.told(user_id, lines), strict=True):
            name = names.get(line.anchor_id, "")
            summaries.append(await night.writer.write(name, telling_lines(told), rules.sentences))
    insights = await night.reads.insights(user_id, rows, rules.insights) if rows else ()
    return [
        replace(row, summary=summary.text(), quotes=summary.quotes, dirty=False, facts=facts)
        for row, summary, facts in zip(rows, summaries, insights, strict=True)
        if summary.lines
    ]


def _line(group: Group) -> Storyline:
    """What is read of a consolidation, as of a storyline of its sources."""
    first, last = group.first_at or group.opened_at, group.last_at or group.opened_at
    return Storyline(
        group.group_id, group.anchor_id or "", group.sensitivity, group.opened_at, group.members, first, last
    )


def _archiving(written: Sequence[Group], sources: SourceColumns, known: Mapping[str, Group]) -> list[Crossing]:
    """What archives the sources that were gathered this night, and that are not archived yet."""
    state = dict(zip(sources.ids.tolist(), sources.state.tolist(), strict=True))
    had = {each: set(group.members) for each, group in known.items()}
    fresh = sorted({source for each in written for source in each.members if source not in had.get(each.group_id, ())})
    return [
        Crossing("source", each, "state", STATES[state[each]], STATES[ARCHIVED])
        for each in fresh
        if state[each] != ARCHIVED
    ]
