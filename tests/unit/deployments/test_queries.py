"""The parameters of a question are checked at once, and told and refused as FastAPI does it, one by one."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Query
from fastapi.testclient import TestClient

from deployments.app_context import app_context_of
from deployments.callers import caller
from deployments.queries import described, query_of
from deployments.routes.context import router
from deployments.use_cases.searching import ContextParameters
from memory.errors import Unauthenticated


def _both() -> TestClient:
    app = FastAPI()

    @app.get("/at-once", openapi_extra=described(ContextParameters))
    async def at_once(asked: Annotated[ContextParameters, Depends(query_of(ContextParameters))]) -> Any:
        return asked.model_dump()

    @app.get("/one-by-one")
    async def one_by_one(asked: Annotated[ContextParameters, Query()]) -> Any:
        return asked.model_dump()

    return TestClient(app)


def test_they_are_described_alike() -> None:
    paths = _both().app.openapi()["paths"]  # type: ignore[attr-defined]
    assert paths["/at-once"]["get"]["parameters"] == paths["/one-by-one"]["get"]["parameters"]


@pytest.mark.parametrize(
    "asked",
    [
        "query=tea",
        "query=tea&limit=7&cut=none&record_access=false&explain=1&hours_back=1.5&budget_tokens=auto",
        "query=tea&query=coffee",
        "query=tea&now=1700000000",
        "query=gr%C3%BCner+Tee&entity=e-1&budget_tokens=300",
        "",
        "query=",
        "query=tea&limit=0",
        "query=tea&limit=many",
        "query=tea&cut=some&granularity=9",
        "query=tea&granularity=1",
        "query=tea&granularity=2",
        "query=tea&unknown=1",
        "query=tea&entity=",
        "query=tea&budget_tokens=none",
        "query=%00",
        "query=tea&now=true",
    ],
)
def test_they_are_taken_and_refused_alike(asked: str) -> None:
    both = _both()
    at_once, one_by_one = both.get(f"/at-once?{asked}"), both.get(f"/one-by-one?{asked}")
    assert (at_once.status_code, at_once.json()) == (one_by_one.status_code, one_by_one.json())


@pytest.mark.parametrize("asked", ["query=tea", "limit=0", ""])
def test_who_is_not_known_is_told_nothing_about_them(asked: str) -> None:
    def nobody() -> None:
        raise Unauthenticated()

    app = FastAPI()
    app.include_router(router)
    app.dependency_overrides = {caller: nobody, app_context_of: lambda: None}
    with pytest.raises(Unauthenticated):
        TestClient(app).get(f"/v1/context?{asked}")
