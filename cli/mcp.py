"""Memoray for hosts of MCP: Claude Desktop, Cursor, VS Code, and any other that starts its servers itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.bridge import StdioBridge
from cli.client import address
from cli.console import HomeOption, JsonOption, UserOption, err, out, places_of, print_json
from cli.mcp_hosts import HOSTS, NAME, HostName, entry_of, file_of, merged, write
from config.settings import load
from memory.errors import Invalid


class ToolSet(StrEnum):
    """Whose tools are offered."""

    MEMORAY = "memoray"
    MEMORY = "memory"
    GRAPHITI = "graphiti"


PATHS = {ToolSet.MEMORAY: "/mcp", ToolSet.MEMORY: "/mcp/memory", ToolSet.GRAPHITI: "/mcp/graphiti"}
TOKEN = "MEMORY_TOKEN"
BLOCK = 1 << 16
"""Bytes that are read at once."""
UrlOption = Annotated[
    str | None, typer.Option("--url", help="Where Memoray answers. Default: that of the home that runs here.")
]
TokenOption = Annotated[
    str | None,
    typer.Option("--token", envvar=TOKEN, help="A token, best made for this host alone. Default: the home's own."),
]
ToolsOption = Annotated[
    ToolSet, typer.Option("--tools", help="Memoray's own, those of the official memory server, or Graphiti's.")
]


def bridge(
    context: typer.Context,
    url: UrlOption = None,
    token: TokenOption = None,
    tools: ToolsOption = ToolSet.MEMORAY,
    user: UserOption = None,
    home: HomeOption = None,
) -> None:
    """Speak MCP over standard input and output, for a host that starts this command. MEMORY_TOKEN holds its token.

    Example: memoray mcp --url http://127.0.0.1:8000
    """
    if context.invoked_subcommand is not None:
        return
    at, known = _reached(url, token, home)
    asyncio.run(_bridge(at + PATHS[tools], known, user))


async def _bridge(url: str, token: str, user: str | None) -> None:
    wire = sys.stdout.buffer

    def send(line: bytes) -> None:
        wire.write(line)
        wire.flush()

    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        rest = b""
        while block := os.read(sys.stdin.fileno(), BLOCK):
            *whole, rest = (rest + block).split(b"\n")
            for each in whole:
                loop.call_soon_threadsafe(lines.put_nowait, each + b"\n")
        for each in (rest, b""):
            loop.call_soon_threadsafe(lines.put_nowait, each)

    # a thread that nobody waits for: one that is asked to end must not wait for the host's next line
    threading.Thread(target=read, daemon=True).start()
    await StdioBridge(url, token, user, send).serve(lines.get)


def install(
    host: Annotated[HostName, typer.Argument(help="The program that is to use Memoray.")],
    url: UrlOption = None,
    token: TokenOption = None,
    tools: ToolsOption = ToolSet.MEMORAY,
    user: UserOption = None,
    home: HomeOption = None,
    into: Annotated[bool, typer.Option("--write", help="Write it into the host's file, beside what is there.")] = False,
    file: Annotated[Path | None, typer.Option(help="That file, if it is not where hosts keep it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print what a host needs to start Memoray as an MCP server, or write it into the host's own file.

    With neither --url nor --token nothing secret is in it: the server reads the home's own token, which may do all.

    Example: memoray mcp install claude --write
    """
    named = [] if tools is ToolSet.MEMORAY else ["--tools", tools.value]
    named += ["--user", user] if user else []
    named = (["--home", str(places_of(home).home)] if url is None else ["--url", _checked(url)]) + named
    environment = {TOKEN: _given(token)} if url is not None or token else {}
    known = HOSTS[host]
    entry = entry_of(known, _command(), ["mcp", *named], environment)
    name = NAME if tools is ToolSet.MEMORAY else f"{NAME}-{tools.value}"
    path = file or file_of(known)
    kept = write(path, merged(known, path, name, entry)) if into else None
    if as_json:
        print_json({"name": name, "entry": entry, "file": path, "written": into, "kept": kept})
    elif not into:
        print_json({known.key: {name: entry}})
    else:
        out.print(f"{known.title} will find it in {path} as {name}, once it is started again.", markup=False)
        if kept is not None:
            err.print(f"What was there before is in {kept}.", markup=False)


def _reached(url: str | None, token: str | None, home: Path | None) -> tuple[str, str]:
    """Where to ask, and with which token. Raises Invalid, or NotRunning where no URL is given and nothing runs."""
    if url is None:
        at, own = address(home)
        return at, token or own
    path = load(places_of(home).home).token_path
    return _checked(url), _given(path.read_text().strip() if not token and path.is_file() else token)


def _checked(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise Invalid("--url: begins with http:// or https://, such as http://127.0.0.1:8000.")
    return url.rstrip("/")


def _given(token: str | None) -> str:
    if not token or not (token.isascii() and token.isprintable()):
        raise Invalid(f"A token is needed for a URL: --token, or the variable {TOKEN}.")
    return token


def _command() -> str:
    """The command as a host finds it, which does not know our environment."""
    own = Path(sys.executable).with_name("memoray")
    return str(own) if own.exists() else shutil.which("memoray") or "memoray"


COMMANDS = (("mcp", bridge), ("mcp install", install))
