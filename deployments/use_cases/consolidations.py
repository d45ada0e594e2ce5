"""Consolidations: sources that a night has gathered into one and archived, down to what was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.storylines import QuotedSegment, RollUp, RollUpFilter, ToldIn, cited, common, told_sources
from deployments.use_cases.summaries import cited_lines
from memory.model.groups import CONSOLIDATION
from memory.model.shown import ShownGroup

_CONSOLIDATION = {
    "consolidation_id": "k-0a1b2c3d4e5f6071",
    "entity_id": "e-0a1b2c3d4e5f6071",
    "entity": "Tom",
    "entity_type": "person",
    "state": "active",
    "extractive": True,
    "summary": [],
    "sources": 2,
    "first_at": "2026-02-01T12:00:00Z",
    "last_at": "2026-03-01T12:00:00Z",
    "insights": [{"fact_id": "f-0a1b2c3d4e5f6071", "statement": "Tom likes boats", "generated": False, "segments": []}],
}


class Insight(BaseModel):
    """A fact that several of the sources support, and the segments of these in sight that do.

    One that is `generated` was put into words by a language model, and rests on facts of these segments.
    """

    fact_id: str
    statement: str
    generated: bool = False
    segments: list[QuotedSegment]


class ConsolidationOut(RollUp, json_schema_extra={"examples": [_CONSOLIDATION]}):
    """Sources around one entity that a night has gathered and archived, because they had faded or told of the same."""

    consolidation_id: str
    insights: list[Insight]


class ConsolidationList(BaseModel):
    """Consolidations, those told of last first; `cursor` leads to the next part."""

    consolidations: list[ConsolidationOut]
    total: int
    cursor: str | None


class ConsolidationPage(ConsolidationOut):
    """A consolidation with its sources, the latest first; `cursor` leads to the next part of them."""

    told_in: list[ToldIn]
    cursor: str | None


async def consolidations(app: AppContext, who: Caller, asked: RollUpFilter) -> ConsolidationList:
    """The consolidations in sight. Raises Invalid."""
    groups = app.stores.nights.groups
    found = await groups.page(who.view, CONSOLIDATION, asked.limit, entity=asked.entity, **asked.place())
    shown = await _shown(app, who, found.shown)
    return ConsolidationList(consolidations=shown, total=found.total, cursor=cursor_of(found.last))


async def consolidation(app: AppContext, who: Caller, beginning: str, asked: PageParameters) -> ConsolidationPage:
    """One consolidation, by its id or the beginning of it. Raises NotFound, Ambiguous, Invalid."""
    group = await app.stores.nights.groups.one(who.view, CONSOLIDATION, beginning)
    [shown] = await _shown(app, who, [group])
    told, cursor = await told_sources(app, who, group, asked)
    return ConsolidationPage(**shown.model_dump(), told_in=told, cursor=cursor)


async def _shown(app: AppContext, who: Caller, groups: Sequence[ShownGroup]) -> list[ConsolidationOut]:
    """Consolidations as they are sent."""
    lines, insights = await cited_lines(app, who.view, groups), await _insights(app, who, groups)
    return [
        ConsolidationOut(
            consolidation_id=each.group_id, insights=insights[each.group_id], **common(each, lines[each.group_id])
        )
        for each in groups
    ]


async def _insights(app: AppContext, who: Caller, groups: Sequence[ShownGroup]) -> dict[str, list[Insight]]:
    """Group id -> its insights."""
    known = await app.stores.nights.groups.insights(who.view, [each.group_id for each in groups]) if groups else []
    keys = list(dict.fromkeys(key for each in known for key in each.keys))
    there = (await app.stores.questions.segments.dressed(who.view, keys))[0] if keys else {}
    found: defaultdict[str, list[Insight]] = defaultdict(list)
    for each in known:
        segments = [cited(there[key]) for key in dict.fromkeys(each.keys) if key in there]
        found[each.group_id].append(
            Insight(fact_id=each.fact_id, statement=each.statement, generated=each.generated, segments=segments)
        )
    return found
