"""Explain: why a fact is believed, how an entity came to be known, what rests on a recalled segment - to the words."""

from __future__ import annotations

from deployments.callers import Who
from deployments.commands import Here
from deployments.kinds import Id
from deployments.queries import TeamId
from deployments.routers import json_router
from deployments.use_cases import explaining
from deployments.use_cases.explaining import Explained, ExplainedEntity, ExplainedSegment

router = json_router("/v1", ["explain"])


@router.get("/facts/{fact_id}/explain")
async def explain(fact_id: Id, who: Who, app: Here) -> Explained:
    """Why a fact is believed, down to the words, and every change it has been through; `text` says it in lines."""
    return await explaining.explain(app, who, fact_id)


@router.get("/entities/{entity_id}/explain")
async def explain_entity(entity_id: Id, who: Who, app: Here) -> ExplainedEntity:
    """How an entity came to be known: words, facts, merges, and every change of its name, tier and state.

    Example: `GET /v1/entities/e-0a1b2c/explain`
    """
    return await explaining.explain_entity(app, who, entity_id)


@router.get("/segments/{source_id:path}/{segment_id}/explain")
async def explain_segment(
    source_id: Id, segment_id: Id, who: Who, app: Here, team_id: TeamId = None
) -> ExplainedSegment:
    """What rests on a segment that was recalled, its revisions, and what replaced it; ids or the beginnings of them.

    Example: `GET /v1/segments/breakfast/1/explain`
    """
    return await explaining.explain_segment(app, who, source_id, segment_id, team_id)
