"""Health: without a token, and without telling anything of anybody."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from adapters import build
from adapters.disk import is_full
from deployments.app_context import AppContext, app_context_of
from memory.errors import DiskFull

router = APIRouter(tags=["health"])


class LeaseUserOut(BaseModel):
    """A kind of work that holds a lease, or waits for one: `sweep`, `live`, `embedding` or `extraction`."""

    user: str
    declared: float
    since_s: float


class LeaseOut(BaseModel):
    """Who holds what all models share. `budget` and `declared` are gigabytes on a GPU, processors on a CPU."""

    device: str
    budget: float
    declared: float
    held: list[LeaseUserOut]
    waiting: list[LeaseUserOut]


_LEASE = {
    "device": "gpu",
    "budget": 102.4,
    "declared": 9.6,
    "held": [{"user": "sweep", "declared": 9.6, "since_s": 4.2}],
    "waiting": [{"user": "live", "declared": 8.8, "since_s": 0.3}],
}


class Health(BaseModel, json_schema_extra={"examples": [{"status": "ok", "lease": _LEASE}]}):
    """`lease` is null while nobody can say."""

    status: Literal["ok"] = "ok"
    lease: LeaseOut | None = None


@router.get("/health")
async def health(request: Request) -> Health:
    """Whether the front door is open, and what kinds of work have the GPU, or the processors, now.

    Example: `GET /health`
    """
    app: AppContext = request.app.state.context  # it is asked every second, and nothing is to be looked up for that
    told = await app.leases.state()
    return Health(lease=None if told is None else LeaseOut.model_validate(told))


@router.get("/health/ready")
async def ready(app: Annotated[AppContext, Depends(app_context_of)]) -> dict[str, str]:
    """Whether a question could be answered and a word kept now: the database and the encoder are there, and the disk
    has room. 503 otherwise, and 507 with the type `urn:memoray:disk-full` where the disk is full.

    Example: `GET /health/ready`
    """
    if is_full(build.folders(app.settings)):
        raise DiskFull
    await app.stores.tokens.all()
    await app.ask("ready")
    return {"status": "ready"}
