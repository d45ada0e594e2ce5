"""Summaries of roll-ups, as far as what they rest on is in sight; whoever tells one notes that it was recalled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from deployments.app_context import AppContext
from deployments.use_cases.contexts import hit_of
from memory.model.groups import STORYLINE
from memory.model.scopes import View
from memory.model.shown import ShownGroup, ShownSegment
from memory.services.hits import SegmentHit, standing_first
from memory.services.overview import StorylineLine, ToldStoryline
from memory.services.summing_up import Summary, read_summary

LOOKED_AT = 20
"""Storylines, those told of last, that are looked at for an overview (chosen: as many as a person names at once)."""


async def cited_lines(
    app: AppContext, view: View, groups: Sequence[ShownGroup]
) -> dict[str, list[tuple[str, list[ShownSegment]]]]:
    """Group id -> the lines of its summary of which every segment is in sight, each with these."""
    summaries = {each.group_id: summed_up(each) for each in groups}
    keys = list(dict.fromkeys(key for each in summaries.values() for key in each.quotes))
    there = (await app.stores.questions.segments.dressed(view, keys))[0] if keys else {}
    return {
        identity: [
            (line.text, [there[key] for key in line.segments])
            for line in each.lines
            if all(key in there for key in line.segments)
        ]
        for identity, each in summaries.items()
    }


def summed_up(group: ShownGroup) -> Summary:
    """The summary of a group, as it was read."""
    return read_summary(group.text, group.quotes)


def note_recalled(app: AppContext, view: View, group_ids: Sequence[str]) -> None:
    """Have these storylines or macros counted as recalled, once the caller has been answered."""
    task = asyncio.ensure_future(app.actors.note_groups(view.user_id, group_ids))
    app.underway.add(task)
    task.add_done_callback(app.underway.discard)


async def storylines_told(app: AppContext, view: View, **asked: Any) -> list[ToldStoryline]:
    """Storylines in sight, those told of last first, with the lines that may be told; filters as for `groups.page`."""
    groups = (await app.stores.nights.groups.page(view, STORYLINE, LOOKED_AT, **asked)).shown
    lines = await cited_lines(app, view, groups) if groups else {}
    return [_told(each, lines[each.group_id]) for each in groups]


def _told(group: ShownGroup, lines: Sequence[tuple[str, list[ShownSegment]]]) -> ToldStoryline:
    rests = ((text, [_as_said(each) for each in segments]) for text, segments in lines)
    told = ((text, tuple(hit for hit in said if hit is not None), len(said)) for text, said in rests)
    return ToldStoryline(
        storyline_id=group.group_id,
        around=group.anchor,
        first_at=group.first_at,
        last_at=group.last_at,
        closed_at=group.closed_at,
        generated=summed_up(group).generated,
        lines=tuple(StorylineLine(text, said) for text, said, count in told if said and len(said) == count),
    )


def _as_said(shown: ShownSegment) -> SegmentHit | None:
    """A segment that still stands as it was said; None if any of it was forgotten, refuted or taken back since."""
    hit = next((each for _, each in standing_first([hit_of(shown)])), None)
    standing = hit is not None and hit.text == shown.text and not (hit.is_refuted or hit.taken_back)
    return hit if standing else None
