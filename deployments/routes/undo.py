"""Undo: what was asked of the memory, or done in a night, is reversed as far as it can be."""

from __future__ import annotations

from typing import Any

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.routers import json_router
from deployments.use_cases import undoing
from deployments.use_cases.undoing import Undoing, Undone

router = json_router("/v1", ["undo"])


@router.post("/undo", response_model=Undone)
async def undo(who: Who, app: Here, key: Key, body: Undoing | None = None) -> Any:
    """Reverse a command, or a whole night. 409 if there is none, if it was undone before, or if words were erased.

    Of a night what it created is forgotten and what it changed returns, but for what has changed since: `skipped` names
    that. A night needs clearance sensitive, or an administrator's token; 404 if it was not run.

    Example: `POST /v1/undo` with `{"command_id": "c-0a1b2c3d4e5f6071"}`, or with `{"night": "2026-03-02"}`
    """
    return await undoing.undo(app, who, key, body or Undoing())
