"""The step of a night that finds storylines and, on Sundays, macros: what it gives as commands, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from memory.model.commands import ArrangedGroup
from memory.model.groups import Group
from memory.model.storylines import Macro, Storyline
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import StepResult
from memory.services.night_words import WordSight
from memory.services.reflect import EXTRACTIVE
from memory.services.storylines import (
    StorylineNight,
    StorylinesFound,
    SummaryWriter,
    find_storylines,
    group_of,
    standing_of,
)

STEP = "storylines"
SUNDAY = 6


async def storylines(sight: WordSight) -> StepResult:
    """Open, continue, close and sum up storylines (seed 002); where nothing can be read of them, nothing is done."""
    if sight.storylines is None:
        return StepResult((), {})
    writer = SummaryWriter(sight.model)
    known = {each.group_id: each for each in await sight.storylines.standing(sight.of.user_id)}
    sunday = date.fromisoformat(sight.of.date).weekday() == SUNDAY
    night = StorylineNight(sight.of.user_id, sight.now, sunday, sight.storylines, writer, sight.life.storylines)
    found = await find_storylines(night, standing_of(list(known.values())))
    arranged = [each for level in found for each in _arranged(level, known)]
    gone = sorted(each for level in found for each in (*level.storylines.withdrawn, *level.macros.withdrawn))
    withdrawn = [(each, group_stamp(known[each])) for each in gone if each in known]
    figures = {
        **_figures(found, known),
        "by": EXTRACTIVE if sight.model is None else sight.model.name,
        "model_failed": sight.model is not writer.model,
        **writer.told(),
    }
    return StepResult(sight.of.arranging(STEP, arranged, withdrawn), figures)


def _arranged(found: StorylinesFound, known: Mapping[str, Group]) -> Iterator[ArrangedGroup]:
    """The rows of one level that are to be written: storylines first, for a macro holds those that stand."""
    lines = [found.as_written(each) for each in found.storylines.standing]
    macros = [found.macro_as_written(each) for each in found.macros.standing]
    named: list[tuple[str, Storyline | Macro]] = [(each.storyline_id, each) for each in lines]
    named += [(each.macro_id, each) for each in macros]
    for identity, each in named:
        old = known.get(identity)
        summary = found.summaries.get(identity)
        row = group_of(each, old, summary)
        if row != old:
            yield ArrangedGroup(row, None if old is None else group_stamp(old), summary.read if summary else ())


def _figures(found: Sequence[StorylinesFound], known: Mapping[str, Group]) -> dict[str, Any]:
    """What is told of a night, counted over all levels."""
    changed = [each for level in found for each in level.storylines.changed]
    was_closed = {each.storyline_id: known[each.storyline_id].closed_at is not None for each in changed}
    standing = [each for level in found for each in level.storylines.standing]
    joined = (set(each.sources) - set(known[each.storyline_id].members) for each in changed)
    return {
        "standing": len(standing),
        "open": sum(each.closed_at is None for each in standing),
        "opened": [each.storyline_id for level in found for each in level.storylines.opened],
        "attached": sum(map(len, joined)),
        "closed": [each.storyline_id for each in changed if each.closed_at and not was_closed[each.storyline_id]],
        "reopened": [each.storyline_id for each in changed if not each.closed_at and was_closed[each.storyline_id]],
        "withdrawn": [each for level in found for each in level.storylines.withdrawn],
        "summed_up": sum(len(level.summaries) for level in found),
        "macros": sum(len(level.macros.standing) for level in found),
        "macros_opened": [each.macro_id for level in found for each in level.macros.opened],
    }
