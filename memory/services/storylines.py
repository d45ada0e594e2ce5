"""The use case of storylines: from what sources tell of whom to the storylines and macros of a night, summed up.

Nothing is kept here: a night gives what is found to the memory as commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from memory.errors import ModelFailed
from memory.model.entities import STATES
from memory.model.groups import MACRO, STORYLINE, Group
from memory.model.scopes import Sensitivity
from memory.model.storylines import Macro, Storyline
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.rules.appearances import Appearances
from memory.rules.census import ARCHIVED, AT_HAND
from memory.rules.macros import MacroPlan, macros_refreshed, plan_macros
from memory.rules.parameters import Storylines
from memory.rules.reflection import Likeness
from memory.rules.storylines import StorylinePlan, contested, plan_storylines, refreshed
from memory.services.reviewing import SentenceCount
from memory.services.summing_up import (
    Summary,
    SummaryLine,
    ToldSegment,
    extracted,
    generated,
    read_summary,
    telling_lines,
)

MOST_FAILURES = 3
"""Failures in a row after which a night asks its model no more: whoever is away would be waited for each time."""
TOLD_AT_ONCE = 50
"""Storylines whose segments are read at once (chosen: some thousand segments)."""


class StorylineReads(Protocol):
    """What finding storylines reads of a memory."""

    async def appearances(self, user_id: str, least: int) -> Appearances:
        """In which sources entities are told of, of those that as many sources at least tell of."""

    async def likeness(self, user_id: str, sources: Sequence[str]) -> Likeness:
        """The directions of these sources, of those that have one."""

    async def told(self, user_id: str, lines: Sequence[Storyline]) -> Sequence[Sequence[ToldSegment]]:
        """What people said of the anchor of each of these in its sources, up to its level, in order."""

    async def standing(self, user_id: str) -> Sequence[Group]:
        """Every storyline and macro that stands, of every level."""

    async def names(self, user_id: str, ids: Sequence[str]) -> Mapping[str, str]:
        """Entity id -> its name, of those that are there."""


@dataclass(frozen=True)
class StorylinesFound:
    """What a night makes of the storylines and macros of one level."""

    level: Sensitivity
    storylines: StorylinePlan
    macros: MacroPlan
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    """Id of a storyline or a macro -> its new summary, where one was written this night."""

    def as_written(self, each: Storyline) -> Storyline:
        """A storyline as it stands when its summary is written."""
        found = self.summaries.get(each.storyline_id)
        return each if found is None else replace(each, dirty=False, quotes=found.quotes)

    def macro_as_written(self, each: Macro) -> Macro:
        """A macro as it stands when its summary is written."""
        found = self.summaries.get(each.macro_id)
        return each if found is None else replace(each, dirty=False, quotes=found.quotes)


class SummaryWriter:
    """Sums up: by a model as long as it answers, else in quotations. It counts what its model says."""

    def __init__(self, model: LanguageModel | None) -> None:
        self.model = self._given = model
        self._failures, self._count = 0, SentenceCount()

    async def write(self, name: str, lines: Sequence[SummaryLine], most: int) -> Summary:
        """These lines in `most` of them at most."""
        if self.model is not None and lines:
            try:
                written = await generated(name, lines, most, self.model, self._count)
            except ModelFailed:
                self._failures += 1
                if self._failures == MOST_FAILURES:
                    self.model = None
            else:
                self._failures = 0
                return written
        return extracted(lines, most)

    def told(self) -> dict[str, Any]:
        """What a report tells of the sentences of a model, and of how many their lines support.

        Nothing without a model.
        """
        return {} if self._given is None else {"support": self._count.figures()}


@dataclass(frozen=True)
class Standing:
    """What stands before a night, of every level, and the summaries that are kept of storylines."""

    storylines: Sequence[Storyline] = ()
    macros: Sequence[Macro] = ()
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    """Storyline id -> its summary."""


@dataclass(frozen=True)
class StorylineNight:
    """Whose night it is, when, and what its storylines are found with."""

    user_id: str
    now: Instant
    sunday: bool
    reads: StorylineReads
    writer: SummaryWriter
    rules: Storylines


def standing_of(groups: Sequence[Group]) -> Standing:
    """What stands, of the rows it is kept in."""
    lines = [
        Storyline(
            each.group_id,
            each.anchor_id,
            each.sensitivity,
            each.opened_at,
            each.members,
            each.first_at,
            each.last_at,
            each.closed_at,
            each.dirty,
            each.quotes,
        )
        for each in groups
        if each.kind == STORYLINE and each.anchor_id and each.first_at is not None and each.last_at is not None
    ]
    macros = [
        Macro(
            each.group_id,
            each.anchor_id,
            each.sensitivity,
            each.opened_at,
            each.members,
            each.sources,
            each.first_at,
            each.last_at,
            each.dirty,
            each.quotes,
        )
        for each in groups
        if each.kind == MACRO and each.anchor_id and each.first_at is not None and each.last_at is not None
    ]
    told = {each.group_id: read_summary(each.summary, each.quotes) for each in groups if each.summary}
    return Standing(lines, macros, told)


def group_of(each: Storyline | Macro, known: Group | None, summary: Summary | None) -> Group:
    """The row of a storyline or a macro; one without a new summary keeps that of the row that is `known`."""
    text = known.summary if summary is None and known is not None else summary.text() if summary is not None else ""
    storyline = isinstance(each, Storyline)
    return Group(
        group_id=each.storyline_id if isinstance(each, Storyline) else each.macro_id,
        kind=STORYLINE if storyline else MACRO,
        opened_at=each.opened_at,
        anchor_id=each.anchor_id,
        summary=text or None,
        members=each.sources if isinstance(each, Storyline) else each.storylines,
        quotes=each.quotes,
        dirty=each.dirty,
        sources=len(each.sources) if isinstance(each, Storyline) else each.sources,
        first_at=each.first_at,
        last_at=each.last_at,
        state=_state_of(each, known),
        closed_at=each.closed_at if isinstance(each, Storyline) else None,
        sensitivity=each.level,
    )


def _state_of(each: Storyline | Macro, known: Group | None) -> str:
    """The state that it had; a storyline that goes on again is not archived any more, and what is new is active."""
    if known is None or (isinstance(each, Storyline) and each.closed_at is None and known.state == STATES[ARCHIVED]):
        return STATES[AT_HAND]
    return known.state


async def find_storylines(night: StorylineNight, standing: Standing) -> tuple[StorylinesFound, ...]:
    """One night's storylines, and of a Sunday the macros: a plan for each sensitivity, with summaries.

    Limits of what is written anew are those of each level. The same night again finds everything kept.
    """
    told = await night.reads.appearances(night.user_id, night.rules.sources)
    levels = {*told.levels(), *(each.level for each in standing.storylines), *(each.level for each in standing.macros)}
    return tuple([await _found(night, told, standing, level) for level in sorted(levels)])


async def _found(night: StorylineNight, told: Appearances, standing: Standing, level: Sensitivity) -> StorylinesFound:
    user_id, now, rules = night.user_id, night.now, night.rules
    own = [each for each in standing.storylines if each.level == level]
    macros = [each for each in standing.macros if each.level == level]
    likeness = await night.reads.likeness(user_id, contested(told, own, level))
    lines = plan_storylines(user_id, told, own, level, now, rules, likeness)
    fresh = await _summed_up(night, refreshed(lines.standing, now, rules))
    if not night.sunday:
        return StorylinesFound(level, lines, MacroPlan(tuple(macros)), fresh)
    plan = plan_macros(user_id, lines.standing, macros, level, now, rules)
    fresh |= await _macros_summed_up(night, macros_refreshed(plan.standing, rules), {**standing.summaries, **fresh})
    return StorylinesFound(level, lines, plan, fresh)


async def _summed_up(night: StorylineNight, lines: Sequence[Storyline]) -> dict[str, Summary]:
    """The summaries of these storylines, each of its latest sources."""
    found: dict[str, Summary] = {}
    for start in range(0, len(lines), TOLD_AT_ONCE):
        some = lines[start : start + TOLD_AT_ONCE]
        latest = [replace(each, sources=each.sources[-night.rules.summed_up :]) for each in some]
        names = await night.reads.names(night.user_id, [each.anchor_id for each in some])
        for line, told in zip(some, await night.reads.told(night.user_id, latest), strict=True):
            lines_told = telling_lines(told)
            name = names.get(line.anchor_id, "")
            found[line.storyline_id] = await night.writer.write(name, lines_told, night.rules.sentences)
    return found


async def _macros_summed_up(
    night: StorylineNight, macros: Sequence[Macro], summaries: Mapping[str, Summary]
) -> dict[str, Summary]:
    """The summaries of macros: of each of the latest storylines how it stood last."""
    most = night.rules.macro_sentences
    names = await night.reads.names(night.user_id, [each.anchor_id for each in macros]) if macros else {}
    found = {}
    for macro in macros:
        known = [summaries[each] for each in macro.storylines if each in summaries and summaries[each].lines]
        last = [each.lines[-1] for each in known[-most:]]
        found[macro.macro_id] = await night.writer.write(names.get(macro.anchor_id, ""), last, most)
    return found
