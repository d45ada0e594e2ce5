"""The gateway: the one HTTP front door, a FastAPI application on Ray Serve."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules

from fastapi import FastAPI

from config.settings import load
from deployments import problems, routes
from deployments.archives import MOST_ARCHIVE
from deployments.house import House, open_house
from deployments.limits import BodyLimit
from deployments.minds import RayMinds
from deployments.neighbours import Neighbours, RemoteEncoder, RemoteModel

DESCRIPTION = "A memory that lives: what was heard, what is believed, and why. Every `/v1` route needs a token."

neighbours = Neighbours()
"""The deployments beside this one, as deployments.app has bound them in this replica."""


def create_app(house: House | None = None, *, body_bytes: int = 5_000_000) -> FastAPI:
    """The application with every route. Without a house it builds its own when it starts."""
    app = FastAPI(
        title="Memoray",
        version=version("memoray"),
        description=DESCRIPTION,
        lifespan=None if house else _living,
        docs_url=None,  # these pages would load scripts from elsewhere; /openapi.json is all they show
        redoc_url=None,
    )
    app.state.house = house
    app.add_middleware(BodyLimit, most=body_bytes, larger={"/v1/import": MOST_ARCHIVE})
    problems.install(app)
    for module in iter_modules(routes.__path__):
        app.include_router(import_module(f"{routes.__name__}.{module.name}").router)
    return app


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """Build the house - stores, encoder, actors - when a replica starts, and leave it when it ends."""
    logging.getLogger("memoray").setLevel(logging.INFO)
    settings, near = load(), neighbours
    minds = RayMinds(settings, near.retrieval)
    encoder = RemoteEncoder(near.embedding) if near.embedding else None
    model = RemoteModel(near.language) if near.language else None
    house = await open_house(settings, minds, encoder, model)
    await house.encode("warm")
    app.state.house = house
    yield
    await house.stores.pool.close()
