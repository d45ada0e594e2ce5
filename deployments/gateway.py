"""The gateway: the one HTTP front door, a FastAPI application."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules

from fastapi import FastAPI

from config.settings import Http, Limits
from deployments import problems, routes
from deployments.admission import Admission
from deployments.concurrency import ConcurrencyLimit
from deployments.described import with_token
from deployments.dialect import every_dialect
from deployments.house import House
from deployments.limits import BodyLimit
from deployments.nobody_yet import NobodyYet
from deployments.showing import VisibleJson
from deployments.use_cases.archives import MOST_ARCHIVE

MOST_FORM = 10_000
"""Bytes of a form that holds a token: it is read before anybody is known."""
IMPORT = "/v1/import"
"""Its body is an archive, read in pieces while it is worked on."""
UNCOUNTED = ("/health", "/health/ready", IMPORT)
"""Not kept waiting behind other requests: who is asked whether it lives must answer."""
ASKING = ("/v1/ask", "/v1/chat", "/v1/tools/search_memory")
"""Questions that are posted."""
DESCRIPTION = "A memory that lives: what was heard, what is believed, and why. Every `/v1` route needs a token."


def create_app(
    house: House | None = None, *, body_bytes: int = Limits().body_bytes, requests: int = Http().requests
) -> FastAPI:
    """The application with every route, over a house; without one it only describes itself."""
    app = FastAPI(
        title="Memoray",
        version=version("memoray"),
        description=DESCRIPTION,
        docs_url=None,  # FastAPI's pages would load scripts from elsewhere; ours are in routes/docs.py
        redoc_url=None,
        responses=problems.RESPONSES,
        default_response_class=VisibleJson,
    )
    dialects = every_dialect()
    app.state.house, app.state.dialects = house, dialects
    asking = (*ASKING, *(path for each in dialects for path in each.asking))
    app.add_middleware(ConcurrencyLimit, most=requests, uncounted=UNCOUNTED, asking=asking)
    app.add_middleware(BodyLimit, most=body_bytes, larger={IMPORT: MOST_ARCHIVE, "/login": MOST_FORM})
    app.add_middleware(Admission, house=house, dialects=dialects)
    app.add_middleware(NobodyYet)  # the last that is added is the first that is asked
    problems.install(app)
    for module in iter_modules(routes.__path__):
        app.include_router(import_module(f"{routes.__name__}.{module.name}").router)
    for dialect in dialects:
        if dialect.router is not None:
            app.include_router(dialect.router, include_in_schema=False)  # its makers describe it
        for path, mounted in dialect.mounts:
            app.mount(path, mounted(house))
    app.openapi = with_token(app)  # type: ignore[method-assign]  # FastAPI's own way to add to it
    return app
