"""Other people's clients as their users run them: unmodified, in an environment of their own, over a real socket."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn

from deployments.gateway import create_app
from memory.model.scopes import Sensitivity
from memory.model.tokens import Token
from tests.api.conftest import Door

PYTHON = Path(sys.prefix) / "clients" / "bin" / "python"
"""Of the environment that `make test` makes from requirements/clients.txt."""
PATIENCE_S = 120.0
_QUIET = {"MEM0_TELEMETRY": "False", "LANGCHAIN_TRACING_V2": "false", "NO_PROXY": "127.0.0.1"}


@asynccontextmanager
async def served(door: Door) -> AsyncIterator[str]:
    """The address of the front door on loopback, for as long as the block lasts."""
    config = uvicorn.Config(create_app(door.app), port=0, log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    serving = asyncio.ensure_future(server.serve())
    try:
        while not server.started:
            if serving.done():
                serving.result()
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving


async def token_of(door: Door, user: str, permission: str = "write") -> str:
    """A token of this user's."""
    token = uuid.uuid4().hex + uuid.uuid4().hex
    await door.app.tokens.put(token, Token(f"{user}-{token[:6]}", user, (), permission, Sensitivity.PRIVATE))
    return token


async def run_client(script: str, home: Path, **given: str) -> Any:
    """What a script of the clients' environment prints last, as JSON. `given` are its environment variables.

    Clients write configuration into HOME and report to their makers: this one has a HOME of its own and reports none.
    """
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "MEM0_DIR": str(home / "mem0"), **_QUIET, **given}
    running = await asyncio.create_subprocess_exec(
        str(PYTHON), "-c", script, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(running.communicate(), PATIENCE_S)
    assert running.returncode == 0, err.decode()[-2000:]
    return json.loads(out.decode().strip().splitlines()[-1])
