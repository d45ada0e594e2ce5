"""The night: run it now, or read what one has found."""

from __future__ import annotations

from datetime import date
from typing import Any

from deployments.callers import Whole
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import nights
from deployments.use_cases.nights import NightIn

router = json_router("/v1", ["night"])


@router.post("/night")
async def run(who: Whole, app: Here, body: NightIn | None = None) -> dict[str, Any]:
    """Run a night, after the missed ones before it, and return its report; one that was is only told again.

    `now` in a night is its scheduled hour where the user lives. A report counts everything in the memory, so it needs
    clearance sensitive, or an administrator's token. 422 for a night to come, 409 for one before the last that was.
    """
    return dict(await nights.run(app, who, body or NightIn()))


@router.get("/night/{night}")
async def read(night: date, who: Whole, app: Here) -> dict[str, Any]:
    """The report of a night that was. Example: `GET /v1/night/2026-03-02`"""
    return dict(await nights.report_of(app, who, night))
