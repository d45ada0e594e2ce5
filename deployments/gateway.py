"""The gateway: the one process that serves HTTP, a FastAPI application."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from types import MappingProxyType

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from config.settings import Http, Limits
from deployments import problems, routes
from deployments.admission import Admission
from deployments.app_context import AppContext
from deployments.caller_isolation import CallerIsolation
from deployments.concurrency import ConcurrencyLimit
from deployments.described import with_token
from deployments.dialect import Dialect, every_dialect
from deployments.limits import BodyLimit
from deployments.observing import Observing
from deployments.routers import routes_of
from deployments.tickets import STREAM
from deployments.use_cases.archives import MOST_ARCHIVE

MOST_FORM = 10_000
"""Bytes of a form that holds a token: it is read before anybody is known."""
IMPORT = "/v1/import"
"""Its body is an archive, read in pieces while it is worked on."""
TRANSCRIBE = "/v1/transcribe"
"""Its body holds a sound, which goes to disk as it comes."""
LARGER = MappingProxyType({IMPORT: MOST_ARCHIVE, "/login": MOST_FORM})
"""Paths whose bodies have a bound of their own, in bytes."""
UNCOUNTED = ("/health", "/health/ready", "/metrics", IMPORT, STREAM)
"""Not kept waiting behind other requests: who is asked whether it lives must answer, and a stream takes nobody's place
by lasting."""
ASKING = ("/v1/ask", "/v1/chat", "/v1/tools/search_memory")
"""Questions that are posted."""
ASKED_WITH = [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-Internal-Token",
    "X-Request-Id",
    "X-User-Id",
]
"""Headers that a page of another origin may send, where the setting `http.cors` lets it ask at all."""
DESCRIPTION = "A memory that lives: what was heard, what is believed, and why. Every `/v1` route needs a token."


def create_app(
    context: AppContext | None = None,
    *,
    body_bytes: int = Limits().body_bytes,
    sound_bytes: int = Limits().sound_bytes,
    requests: int = Http().requests,
    cors: str = Http().cors,
) -> FastAPI:
    """The application with every route, over a context; without one it only describes itself.

    `cors` are origins of pages that may ask, as the setting has them.
    """
    app = FastAPI(
        title="Memoray",
        version=version("memoray"),
        description=DESCRIPTION,
        docs_url=None,  # FastAPI's pages would load scripts from elsewhere; ours are in routes/docs.py
        redoc_url=None,
    )
    dialects = every_dialect()
    app.state.context, app.state.dialects = context, dialects
    _bound(app, dialects, requests, body_bytes, sound_bytes)
    app.add_middleware(Admission, context=context, dialects=dialects)
    app.add_middleware(CallerIsolation)
    if cors:
        _let_pages_ask(app, cors)
    app.add_middleware(Observing, context=context)  # the last that is added is the first that is asked
    problems.install(app)
    for module in iter_modules(routes.__path__):
        app.router.routes.extend(routes_of(import_module(f"{routes.__name__}.{module.name}").router))
    for dialect in dialects:
        if dialect.router is not None:
            app.router.routes.extend(routes_of(dialect.router))
        for path, mounted in dialect.mounts:
            app.mount(path, mounted(context))
    app.openapi = with_token(app)  # type: ignore[method-assign]  # FastAPI's own way to add to it
    return app


def _bound(app: FastAPI, dialects: Sequence[Dialect], requests: int, body_bytes: int, sound_bytes: int) -> None:
    """Bound what comes in at once, and each body. A sound is not counted: its body would be held until its turn."""
    asking = (*ASKING, *(path for each in dialects for path in each.asking))
    sounds = (TRANSCRIBE, *(path for each in dialects for path in each.uploads))
    app.add_middleware(ConcurrencyLimit, most=requests, uncounted=(*UNCOUNTED, *sounds), asking=asking)
    app.add_middleware(BodyLimit, most=body_bytes, larger={**LARGER, **dict.fromkeys(sounds, sound_bytes)})


def _let_pages_ask(app: FastAPI, origins: str) -> None:
    """Let a browser show what is answered here to pages of these origins; who asks shows a token as everybody does."""
    app.add_middleware(
        CORSMiddleware,
        allow_origins=[each.strip() for each in origins.split(",")],
        allow_methods=["*"],
        allow_headers=ASKED_WITH,
        expose_headers=["Retry-After", "X-Request-Id"],
    )
