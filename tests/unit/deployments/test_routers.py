"""Routers whose routes stand in the application as they are."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient

from deployments.routers import json_router, routes_of

HIDING = "a\u200bb"
"""Two letters, and between them a space without width."""


async def _told() -> dict[str, str]:
    return {"told": HIDING}


async def _plainly() -> str:
    return HIDING


def test_what_a_route_answers_hides_nothing_and_needs_no_router_around_it() -> None:
    router, app = json_router("/v1", ["facts"]), FastAPI()
    router.get("/told")(_told)
    app.router.routes.extend(routes_of(router))
    assert TestClient(app).get("/v1/told").json() == {"told": "ab"}
    assert app.openapi()["paths"]["/v1/told"]["get"]["responses"].keys() == {"200", "4XX", "5XX"}


def test_a_route_that_would_answer_by_another_json_is_refused_before_anything_is_served() -> None:
    router = APIRouter()
    router.get("/told")(_told)
    with pytest.raises(TypeError, match="/told has no response class"):
        routes_of(router)


def test_a_router_may_say_itself_how_its_routes_answer() -> None:
    router = APIRouter(default_response_class=PlainTextResponse)
    router.get("/plain")(_plainly)
    assert len(routes_of(router)) == 1


def test_a_router_that_is_described_elsewhere_is_not_described_here() -> None:
    router, app = json_router(described=False), FastAPI()
    router.get("/told")(_told)
    app.router.routes.extend(routes_of(router))
    assert TestClient(app).get("/told").status_code == 200
    assert not app.openapi()["paths"]
