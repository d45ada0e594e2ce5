"""Routers whose routes stand in the application as they are.

FastAPI's own way to include a router reads the parameters of its routes anew for every application, at its first
request (0.16 s for all of ours), and looks for a route twice a request. So a router has at once what `include_router`
would add, and the application takes its routes.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from fastapi import APIRouter
from fastapi.datastructures import DefaultPlaceholder
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from deployments.problems import RESPONSES
from deployments.showing import VisibleJson


def json_router(prefix: str = "", tags: Sequence[str | Enum] = (), *, described: bool = True) -> APIRouter:
    """A router whose routes answer JSON in which nothing is hidden; OpenAPI tells of them if they are `described`."""
    return APIRouter(
        prefix=prefix,
        tags=list(tags),
        default_response_class=VisibleJson,
        responses=RESPONSES,
        include_in_schema=described,
    )


def routes_of(router: APIRouter) -> Sequence[BaseRoute]:
    """Its routes. Raises TypeError for one that would answer by FastAPI's own JSON, in which characters may hide."""
    for route in router.routes:
        if isinstance(route, APIRoute) and isinstance(route.response_class, DefaultPlaceholder):
            raise TypeError(f"{route.path} has no response class. Make its router with `json_router`.")
    return router.routes
