"""Storylines and macros: what has been going on around somebody or something, down to what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.contexts import hit_of
from deployments.use_cases.summaries import cited_lines, note_recalled, summed_up
from memory.model.groups import MACRO, STORYLINE
from memory.model.shown import ShownGroup, ShownSegment
from memory.model.timeline import iso
from memory.services.hits import standing_first

MOST_SEGMENTS = 3
"""Segments of a source that are shown; GET /v1/sources/{id} has all of them."""
_LINE = {
    "text": 'Maya: "Tom has found a boat."',
    "segments": [{"source_id": "lunch", "segment_id": "3", "speaker": "Maya", "at": "2026-03-01T12:00:04Z"}],
}
_STORYLINE = {
    "storyline_id": "s-0a1b2c3d4e5f6071",
    "entity_id": "e-0a1b2c3d4e5f6071",
    "entity": "Tom",
    "entity_type": "person",
    "extractive": True,
    "summary": [_LINE],
    "sources": 5,
    "first_at": "2026-02-01T12:00:00Z",
    "last_at": "2026-03-01T12:00:00Z",
    "state": "active",
    "open": True,
}
_MACRO = {
    **{name: value for name, value in _STORYLINE.items() if name not in ("storyline_id", "open")},
    "macro_id": "m-0a1b2c3d4e5f6071",
    "storylines": ["s-0a1b2c3d4e5f6071", "s-1a1b2c3d4e5f6071"],
}


class QuotedSegment(BaseModel):
    """A segment that a line rests on."""

    source_id: str
    segment_id: str
    speaker: str
    at: str


class CitedLine(BaseModel):
    """A line of a summary. If not all that it rests on is in sight, it is not there."""

    text: str
    segments: list[QuotedSegment]


class RollUp(BaseModel):
    """What all roll-ups have in common. `extractive`: the summary quotes, no language model wrote it.

    `state` is active, core (opened or told ten times) or archived: long silent, and looked at by nobody. A
    consolidation is always active.
    """

    entity_id: str
    entity: str
    entity_type: str
    extractive: bool
    summary: list[CitedLine]
    sources: int
    first_at: str
    last_at: str
    state: str


class StorylineOut(RollUp, json_schema_extra={"examples": [_STORYLINE]}):
    """Sources that tell of one entity again and again. It is open until 90 days were silent."""

    storyline_id: str
    open: bool


class MacroOut(RollUp, json_schema_extra={"examples": [_MACRO]}):
    """All storylines of one entity, the earliest first."""

    macro_id: str
    storylines: list[str]


class ToldIn(BaseModel):
    """A source of a storyline, and some of the segments in it that name the entity."""

    source_id: str
    kind: str
    at: str
    segments: list[dict[str, str]]


class StorylineList(BaseModel):
    """Storylines, those told of last first; `cursor` leads to the next part."""

    storylines: list[StorylineOut]
    total: int
    cursor: str | None


class MacroList(BaseModel):
    """Macros, those told of last first; `cursor` leads to the next part."""

    macros: list[MacroOut]
    total: int
    cursor: str | None


class StorylinePage(StorylineOut):
    """A storyline with its sources, the latest first; `cursor` leads to the next part of them."""

    told_in: list[ToldIn]
    cursor: str | None


class MacroPage(MacroOut):
    """A macro with its storylines and, the latest first, its sources; `cursor` leads to the next part of these."""

    parts: list[StorylineOut]
    told_in: list[ToldIn]
    cursor: str | None


class RollUpFilter(PageParameters):
    """The parameters of any list of roll-ups."""

    entity: Annotated[ShortText | None, Field(description="Only those around this entity, by name or id.")] = None


class MacroFilter(RollUpFilter):
    """The parameters of a list of macros."""

    state: Annotated[
        Literal["active", "core", "archived"] | None,
        Field(description="Archived ones are only listed when asked for."),
    ] = None


class StorylineFilter(MacroFilter):
    """The parameters of a list of storylines."""

    open: Annotated[bool | None, Field(description="Only those that are open, or only those that are not.")] = None


class RollUpParameters(PageParameters):
    """The parameters of one storyline or macro."""

    record_access: Annotated[
        bool, Field(description="Whether to open it counts as a recall, which lets it last and brings it back.")
    ] = True


async def storylines(app: AppContext, who: Caller, asked: StorylineFilter) -> StorylineList:
    """The storylines in sight. Raises Invalid."""
    found = await app.stores.nights.groups.page(
        who.view, STORYLINE, asked.limit, entity=asked.entity, state=asked.state, open=asked.open, **asked.place()
    )
    return StorylineList(
        storylines=await shown_storylines(app, who, found.shown), total=found.total, cursor=cursor_of(found.last)
    )


async def macros(app: AppContext, who: Caller, asked: MacroFilter) -> MacroList:
    """The macros in sight. Raises Invalid."""
    found = await app.stores.nights.groups.page(
        who.view, MACRO, asked.limit, entity=asked.entity, state=asked.state, **asked.place()
    )
    return MacroList(macros=await shown_macros(app, who, found.shown), total=found.total, cursor=cursor_of(found.last))


async def storyline(app: AppContext, who: Caller, beginning: str, asked: RollUpParameters) -> StorylinePage:
    """One storyline, by its id or the beginning of it. Raises NotFound, Ambiguous, Invalid."""
    group = await app.stores.nights.groups.one(who.view, STORYLINE, beginning)
    [shown] = await shown_storylines(app, who, [group])
    if asked.record_access:
        note_recalled(app, who.view, [group.group_id])
    told, cursor = await told_sources(app, who, group, asked)
    return StorylinePage(**shown.model_dump(), told_in=told, cursor=cursor)


async def macro(app: AppContext, who: Caller, beginning: str, asked: RollUpParameters) -> MacroPage:
    """One macro, by its id or the beginning of it. Raises NotFound, Ambiguous, Invalid."""
    group = await app.stores.nights.groups.one(who.view, MACRO, beginning)
    [shown] = await shown_macros(app, who, [group])
    if asked.record_access:
        note_recalled(app, who.view, [group.group_id])
    parts = await app.stores.nights.groups.page(who.view, STORYLINE, len(group.members), ids=list(group.members))
    told, cursor = await told_sources(app, who, group, asked)
    lines = await shown_storylines(app, who, list(reversed(parts.shown)))
    return MacroPage(**shown.model_dump(), parts=lines, told_in=told, cursor=cursor)


async def shown_storylines(app: AppContext, who: Caller, groups: Sequence[ShownGroup]) -> list[StorylineOut]:
    """Storylines as they are sent."""
    lines = await cited_lines(app, who.view, groups)
    return [
        StorylineOut(storyline_id=each.group_id, open=each.closed_at is None, **common(each, lines[each.group_id]))
        for each in groups
    ]


async def shown_macros(app: AppContext, who: Caller, groups: Sequence[ShownGroup]) -> list[MacroOut]:
    """Macros as they are sent."""
    lines = await cited_lines(app, who.view, groups)
    return [
        MacroOut(macro_id=each.group_id, storylines=list(each.members), **common(each, lines[each.group_id]))
        for each in groups
    ]


def common(group: ShownGroup, lines: Sequence[tuple[str, list[ShownSegment]]]) -> dict[str, Any]:
    """What is sent of every roll-up: the fields of RollUp."""
    return {
        "entity_id": group.anchor_id,
        "entity": group.anchor,
        "entity_type": group.anchor_type,
        "extractive": not summed_up(group).generated,
        "summary": [CitedLine(text=text, segments=[cited(each) for each in segments]) for text, segments in lines],
        "sources": group.sources,
        "first_at": iso(group.first_at),
        "last_at": iso(group.last_at),
        "state": group.state,
    }


def cited(shown: ShownSegment) -> QuotedSegment:
    """A segment as a line names it."""
    return QuotedSegment(
        source_id=shown.source_id, segment_id=shown.segment_id, speaker=shown.speaker, at=iso(shown.at) or ""
    )


async def told_sources(
    app: AppContext, who: Caller, group: ShownGroup, asked: PageParameters
) -> tuple[list[ToldIn], str | None]:
    """A part of the sources of a group, and where the next one begins."""
    found = await app.stores.nights.groups.sources(who.view, group, asked.limit, **asked.place())
    keys = [key for each in found.shown for key in each.keys[:MOST_SEGMENTS]]
    there: Mapping[int, ShownSegment] = (await app.stores.questions.segments.dressed(who.view, keys))[0] if keys else {}
    told = [
        ToldIn(
            source_id=each.source_id,
            kind=each.kind,
            at=iso(each.at) or "",
            segments=_segments([there[key] for key in each.keys[:MOST_SEGMENTS] if key in there]),
        )
        for each in found.shown
    ]
    return told, cursor_of(found.last)


def _segments(some: Sequence[ShownSegment]) -> list[dict[str, str]]:
    """Segments as they may be told: without what somebody wanted forgotten, in order."""
    told = sorted(standing_first([hit_of(each) for each in some]))
    return [
        {"segment_id": hit.segment_id, "speaker": hit.speaker, "at": iso(hit.at) or "", "text": hit.text}
        for _, hit in told
    ]
