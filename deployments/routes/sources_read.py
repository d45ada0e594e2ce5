"""Sources, read: what was heard, and how far it has been understood; tried again, or taken in again from its file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Query, status

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.commands import Key
from deployments.kinds import Id
from deployments.queries import TeamId
from deployments.routers import json_router
from deployments.use_cases import sources as use_cases
from deployments.use_cases.sources import (
    Ingested,
    Phase,
    SessionId,
    SourceList,
    SourceOut,
    SourcePage,
    SourceParameters,
)

router = json_router("/v1", ["sources"])


@router.get("/sources")
async def sources(
    asked: Annotated[SourceParameters, Query()], who: Who, app: Annotated[AppContext, Depends(app_context_of)]
) -> SourceList:
    """What was heard, and how far each is.

    Example: `GET /v1/sources?status=failed`
    """
    return await use_cases.list_sources(app, who, asked)


@router.get("/sources/{source_id:path}")
async def source(
    source_id: Id, who: Who, app: Annotated[AppContext, Depends(app_context_of)], team_id: TeamId = None
) -> SourcePage:
    """One source with its segments, by its id or the beginning of it."""
    return await use_cases.show_source(app, who, source_id, team_id)


@router.post("/sources/{source_id:path}/retry", status_code=status.HTTP_202_ACCEPTED)
async def retry(
    source_id: Id,
    who: Who,
    app: Annotated[AppContext, Depends(app_context_of)],
    key: Key,
    team_id: TeamId = None,
    phase: Annotated[Phase | None, Query(description="Run this phase once more, whether it was over or not.")] = None,
) -> SourceOut:
    """Try at once what is still to be done with a source, however often it failed; or run one phase of it once more.

    `embed` makes its vectors anew; until then they serve. `read` has its facts read anew: those that are not in its
    words are taken back, and what a person has corrected, confirmed or forgotten stays so. Its summary goes, and the
    next night writes it again; `summary` writes it at once. To ask twice is to ask once. 422 for the words of a command
    (`POST /v1/facts`), which nobody reads.

    Example: `POST /v1/sources/breakfast/retry?phase=read`
    """
    return await use_cases.retry_source(app, who, key, source_id, team_id, phase)


@router.post("/ingest/{session_id}", response_model=Ingested, response_model_exclude_none=True)
async def ingest_session(
    session_id: Annotated[SessionId, Path()], who: Who, app: Annotated[AppContext, Depends(app_context_of)]
) -> Any:
    """Take in a session file of the transcripts folder from its beginning; a forgotten session is told again.

    Malformed lines are set aside and told. 422 if there is nothing else in the file.

    Example: `POST /v1/ingest/c9cf6c7f`
    """
    return await use_cases.ingest_session(app, who, session_id)
