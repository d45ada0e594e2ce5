"""The step of a night that gathers sources into consolidations: what it gives as commands, and what it tells.

A consolidation is summed up as a storyline is. Its insights are facts that several of its sources support: they are
named, not made, so nothing that is read from them can raise the confidence of what they rest on. A language model may
add others (memory.services.insights). What is gathered is archived in the same night.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from memory.model.commands import ArrangedGroup, Command, Crossing, MetaFact, Synthesize
from memory.model.entities import STATES
from memory.model.groups import CONSOLIDATION, Group
from memory.model.ids import consolidation_id, meta_id
from memory.model.scopes import Sensitivity
from memory.model.storylines import Storyline
from memory.model.timeline import Instant
from memory.rules.census import ACTIVE, ARCHIVED, FactRows, SourceColumns, fact_anchors
from memory.rules.consolidation import Gathered, KnownInsights, plan_consolidations, tells_nothing
from memory.rules.decay import strength_of
from memory.rules.episodes import with_state
from memory.rules.grouping import group_stamp
from memory.rules.holding import GATHERING, HELD_BACK, HeldRow, held_back
from memory.rules.lifecycle import fact_states
from memory.rules.night_steps import ACTOR, NightName, StepResult
from memory.rules.parameters import Life
from memory.services.insights import PROMPT, Grounds, insights_of
from memory.services.proposing import Proposer
from memory.services.reflect import EXTRACTIVE
from memory.services.storylines import TOLD_AT_ONCE, StorylineReads, SummaryWriter
from memory.services.summing_up import Summary, SummaryLine, telling_lines

STEP = GATHERING
MOST_LOOKED_AT = 500
"""Segments of which it is remembered that nothing could be told (chosen: as many rows as a commit changes)."""
MOST_BELIEVED = 50
"""Insights of a model that one commit believes: with their links at most 500 rows (decision 0061, 16)."""


class ConsolidationReads(Protocol):
    """What consolidation reads of a memory, beside what storylines do."""

    async def sources(self, user_id: str) -> SourceColumns:
        """Every source of the user's own scope."""

    async def standing(self, user_id: str) -> Sequence[Group]:
        """Every consolidation that stands, of every level."""

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> Sequence[KnownInsights]:
        """For each of these the ids of its insights (memory.rules.consolidation.is_insight), `most` said ones at most.

        Facts made of other facts are none, but for those that it names and that still stand.
        """

    async def facts(self, user_id: str, groups: Sequence[Group], sources: Sequence[str]) -> FactRows:
        """What was told in these sources, as it is once these groups stand; whether it is believed or not."""

    async def held(self, user_id: str) -> Mapping[HeldRow, int]:
        """What the last night took back of this step, or left because an earlier one had (memory.rules.holding)."""

    async def grounds(self, user_id: str, keys: Sequence[int], level: Sensitivity) -> Grounds:
        """The facts that are believed, of exactly this level, and were read from these segments, by segment.

        The most important come first. Facts made of other facts are none.
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


@dataclass(frozen=True)
class _Standing:
    """What stands before a night."""

    known: Mapping[str, Group]
    """Id -> a consolidation."""
    tried: Mapping[str, Group]
    """Id -> one that only remembers that nothing could be told."""


async def consolidations(night: Gathering) -> StepResult:
    """Gather sources, sum them up, name their insights, and archive them (seed 002)."""
    had_model, proposer = night.writer.model, Proposer(night.writer.model, PROMPT)
    sources = await night.reads.sources(night.of.user_id)
    standing = await night.reads.standing(night.of.user_id)
    tried = {each.group_id: each for each in standing if tells_nothing(each)}
    before = _Standing({each.group_id: each for each in standing if each.group_id not in tried}, tried)
    planned = await _planned(night, sources, before)
    found, untold, metas = await _written(night, planned, before.known, proposer)
    written = [each.group for each in found]
    stands = {each.group_id for each in written}
    silent = sorted({each.group_id for each in planned} & before.known.keys() - stands)
    arranged = await _at_hand(night, found, [each for name, each in before.known.items() if name not in silent])
    fresh = [each for each in untold if each.group_id not in before.known]
    gone = [*(before.known[each] for each in silent), *_outdated(tried.values(), (*written, *fresh))]
    crossings = _archiving(written, sources, before.known)
    withdrawn = [replace(before.known[each], members=(), facts=()) for each in silent]
    faded, held = await _faded(night, written, withdrawn, before.known)
    commands: tuple[Command, ...] = (
        *_believing(night.of, metas),  # before the groups that name them
        *night.of.arranging(
            STEP, (*arranged, *map(ArrangedGroup, fresh)), [(each.group_id, group_stamp(each)) for each in gone]
        ),
        *night.of.closing(STEP, [*crossings, *faded]),
    )
    figures: dict[str, Any] = {
        "standing": len(before.known.keys() | stands) - len(silent),
        **_counted(written, before.known),
        "archived": len(crossings),
        "facts": sum(each.after == STATES[ARCHIVED] for each in faded),
        "withdrawn": silent,
        "nothing_told": len(fresh),
        "by": EXTRACTIVE if had_model is None else had_model.name,
        "model_failed": night.writer.model is not had_model,
    }
    figures |= {**({HELD_BACK: held} if held else {}), **night.writer.told(), **proposer.told()}
    return StepResult(commands, figures)


async def _planned(night: Gathering, sources: SourceColumns, before: _Standing) -> list[Group]:
    """The rows to be summed up: what is gathered, and what stands without a summary that tells of it."""
    user_id, rules = night.of.user_id, night.life.consolidations

    def tried(level: Sensitivity, each: Gathered) -> bool:
        return consolidation_id(user_id, level, each.anchor_id, each.sources) in before.tried

    told = await night.storylines.appearances(user_id, rules.least)
    plans = plan_consolidations(told, sources, list(before.known.values()), night.now, night.life, tried)
    begun = dict(zip(sources.ids.tolist(), sources.started_at.tolist(), strict=True))
    planned = [row for level, some in plans.items() for row in _rows(night, level, some, begun)]
    return [*planned, *_unwritten(before.known, planned, rules.written)]


def _counted(written: Sequence[Group], known: Mapping[str, Group]) -> dict[str, Any]:
    """What was written, in figures."""
    had = sum(len(known[each.group_id].members) for each in written if each.group_id in known)
    return {
        "opened": [each.group_id for each in written if each.group_id not in known],
        "gathered": sum(len(each.members) for each in written) - had,
        "summed_up": len(written),
        "insights": sum(len(each.facts) for each in written),
    }


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


def _outdated(tried: Iterable[Group], planned: Sequence[Group]) -> Iterator[Group]:
    """Of what was tried, what other sources of the same anchor, level and time take the place of."""
    for each in tried:
        if any(each.group_id != other.group_id and _overlap(each, other) for other in planned):
            yield each


def _overlap(one: Group, other: Group) -> bool:
    if (one.anchor_id, one.sensitivity) != (other.anchor_id, other.sensitivity):
        return False
    first, last = max(one.first_at or 0.0, other.first_at or 0.0), min(one.last_at or 0.0, other.last_at or 0.0)
    return first <= last


def _unwritten(known: Mapping[str, Group], planned: Sequence[Group], most: int) -> list[Group]:
    """Those that stand without a summary, or with one that does not tell of what they hold now."""
    joined = {each.group_id for each in planned}
    return [each for _, each in sorted(known.items()) if each.dirty and each.group_id not in joined][:most]


async def _written(
    night: Gathering, rows: Sequence[Group], standing: Mapping[str, Group], proposer: Proposer
) -> tuple[list[ArrangedGroup], list[Group], list[MetaFact]]:
    """These rows with summaries and insights, those of which nothing can be told, and what a model adds to them.

    Where nothing can be told there is nothing to gather: such a row holds no sources, only that it was tried.
    """
    user_id, rules = night.of.user_id, night.life.consolidations
    told = [each async for each in _told(night, rows)]
    insights = await night.reads.insights(user_id, rows, rules.insights) if rows else ()
    written, untold, metas, left = list[ArrangedGroup](), list[Group](), list[MetaFact](), rules.asked
    for row, (name, lines, summary, keys), known in zip(rows, told, insights, strict=True):
        if not summary.lines:
            untold.append(replace(row, members=(), sources=0, quotes=keys[:MOST_LOOKED_AT]))
            continue
        fresh = await _proposed(night, row, (name, lines), proposer) if left > 0 else []
        left -= 1
        metas += fresh
        generated = tuple(meta_id(user_id, each.support) for each in fresh) or known.generated[: rules.generated]
        facts = tuple(dict.fromkeys((*known.said, *generated)))
        group = replace(row, summary=summary.text(), quotes=summary.quotes, dirty=False, facts=facts)
        was = standing.get(row.group_id)
        written.append(ArrangedGroup(group, None if was is None else group_stamp(was), summary.read))
    return written, untold, metas


_Told = tuple[str, Sequence[SummaryLine], Summary, tuple[int, ...]]
"""The name of an anchor, what its sources say of it, that summed up, and the keys of all segments looked at."""


async def _told(night: Gathering, rows: Sequence[Group]) -> AsyncIterator[_Told]:
    """What is told in each of these."""
    for start in range(0, len(rows), TOLD_AT_ONCE):
        some = [_line(each) for each in rows[start : start + TOLD_AT_ONCE]]
        names = await night.storylines.names(night.of.user_id, [each.anchor_id for each in some])
        for line, told in zip(some, await night.storylines.told(night.of.user_id, some), strict=True):
            name, lines = names.get(line.anchor_id, ""), telling_lines(told)
            summary = await night.writer.write(name, lines, night.life.consolidations.sentences)
            yield name, lines, summary, tuple(each.segment_key for each in told)


async def _proposed(
    night: Gathering, row: Group, told: tuple[str, Sequence[SummaryLine]], proposer: Proposer
) -> list[MetaFact]:
    """What a model sees in the sources of one of them; without a model nothing is read."""
    name, lines = told
    if night.writer.model is None:
        return []
    keys = list(dict.fromkeys(key for line in lines for key in line.segments))
    grounds = await night.reads.grounds(night.of.user_id, keys, row.sensitivity)
    return await insights_of(proposer, name, lines, grounds, night.life.consolidations.generated)


def _believing(of: NightName, metas: Sequence[MetaFact]) -> Iterator[Command]:
    """The commands that believe what a model has put into words; known by what it rests on and by its words."""
    for start in range(0, len(metas), MOST_BELIEVED):
        some = tuple(metas[start : start + MOST_BELIEVED])
        named = of.identity(STEP, "insights", *(part for each in some for part in (*each.support, each.statement)))
        yield Synthesize(command_id=named, actor=ACTOR, meta_facts=some)


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


async def _at_hand(
    night: Gathering, written: Sequence[ArrangedGroup], standing: Sequence[Group]
) -> list[ArrangedGroup]:
    """These, and those that stand, with the states that storylines give them; of the others those that change."""
    lines = await night.storylines.standing(night.of.user_id) if written or standing else ()
    of_anchor: defaultdict[str | None, list[Group]] = defaultdict(list)
    for each in lines:
        of_anchor[each.anchor_id].append(each)
    told = {each.group.group_id for each in written}
    rest = [each for each in standing if each.group_id not in told]
    stated = [(each, with_state(each, of_anchor[each.anchor_id])) for each in rest]
    return [
        *(replace(each, group=with_state(each.group, of_anchor[each.group.anchor_id])) for each in written),
        *(ArrangedGroup(now, group_stamp(was)) for was, now in stated if now.state != was.state),
    ]


async def _faded(
    night: Gathering, written: Sequence[Group], withdrawn: Sequence[Group], known: Mapping[str, Group]
) -> tuple[list[Crossing], list[list[Any]]]:
    """What archives the facts that went with sources that were gathered this night, or brings back what is an insight.

    `withdrawn` are groups that gather nothing any more. The same night counted again finds each where it is. Of what
    was gathered before, the step of states has decided. With it comes what is left because a night took it back.
    """
    had = {source for each in known.values() for source in each.members}
    fresh = sorted({source for each in written for source in each.members} - had)
    if not fresh:
        return [], []
    rows = await night.reads.facts(night.of.user_id, (*written, *withdrawn), fresh)
    strength = strength_of("fact", fact_anchors(rows, night.life), night.now, night.life)
    held = await night.reads.held(night.of.user_id)
    change = rows.state, fact_states(rows, strength, night.now, night.life)
    states, left = held_back(held, "fact", STATES, rows.ids, change, rows.stamp)
    moved = (rows.status == ACTIVE) & ((states == ARCHIVED) != (rows.state == ARCHIVED))
    return [
        Crossing("fact", rows.ids[row], "state", STATES[rows.state[row]], STATES[states[row]], int(rows.stamp[row]))
        for row in np.flatnonzero(moved)
    ], left
