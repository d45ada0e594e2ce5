"""Tools: what an agent may do with this memory, described for function calling (seed 004).

Every tool is a route under another name: arguments in one JSON object, the route's own answer back.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from deployments.callers import Reader
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases.tools import TOOLS, Described, call_tool, described

router = json_router("/v1/tools", ["tools"])


@router.get("")
async def describe(who: Reader) -> list[Described]:
    """The tools, as a language model's function calling wants them.

    Example: `GET /v1/tools`
    """
    return described()


@router.post("/{name}")
async def call(
    name: Annotated[Id, Path(description=f"One of {', '.join(TOOLS)}.")],
    who: Reader,
    app: Here,
    key: Key,
    arguments: dict[str, Any] | None = None,
) -> Any:
    """Call a tool with its arguments; the answer is that of the route it stands for. A reading tool needs no more.

    Example: `POST /v1/tools/search_memory` with `{"query": "What coffee does Maya like?"}`
    """
    return await call_tool(app, who, key, name, arguments or {})
