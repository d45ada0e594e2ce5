"""GET /v1/context: what is remembered about a question."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.queries import described, query_of
from deployments.routers import json_router
from deployments.showing import as_it_is
from deployments.use_cases import rolled_up
from deployments.use_cases.rolled_up import FilteredParameters
from deployments.use_cases.searching import ContextAnswer

router = json_router("/v1", ["context"])


@router.get(
    "/context",
    response_model=ContextAnswer,
    response_model_exclude_none=True,
    openapi_extra=described(FilteredParameters),
)
async def context(
    who: Who,
    app: Annotated[AppContext, Depends(app_context_of)],
    asked: Annotated[FilteredParameters, Depends(query_of(FilteredParameters))],
) -> Any:
    """The segments that answer a question, each with speaker, time and source.

    With `granularity=2` or `3` the storylines or macros in which most of them are: their lines are the `context`, and
    the results are the segments that these cite. Where there are none, the next finer granularity answers.

    `filters` leaves only what sources of a provenance say, and what was said at a time.

    Example: `GET /v1/context?query=What+coffee+does+Maya+like%3F&limit=3`
    """
    return as_it_is(await rolled_up.context(app, who, asked))
