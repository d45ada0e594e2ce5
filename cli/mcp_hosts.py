"""Hosts of MCP on this machine: where each keeps its list of servers, and how Memoray is written into it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from memory.errors import Invalid

NAME = "memoray"


class HostName(StrEnum):
    """A program whose model can use MCP servers."""

    CLAUDE = "claude"
    CURSOR = "cursor"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class McpHost:
    """A program: its file below the folder of its kind, the key under which servers stand, and what an entry adds."""

    title: str
    file: str
    key: str
    below_home: bool = False
    adds: tuple[tuple[str, str], ...] = ()


HOSTS: Mapping[HostName, McpHost] = {
    HostName.CLAUDE: McpHost("Claude Desktop", "Claude/claude_desktop_config.json", "mcpServers"),
    HostName.CURSOR: McpHost("Cursor", ".cursor/mcp.json", "mcpServers", below_home=True),
    HostName.VSCODE: McpHost("VS Code", "Code/User/mcp.json", "servers", adds=(("type", "stdio"),)),
}


def file_of(host: McpHost) -> Path:
    """Where a host keeps its servers for this account."""
    home = Path.home()
    if host.below_home:
        return home / host.file
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / host.file
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / host.file


def entry_of(host: McpHost, command: str, arguments: list[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """The server as this host lists it: started by a command, spoken to over its input and output."""
    started = {"command": command, "args": arguments} | ({"env": dict(environment)} if environment else {})
    return {**dict(host.adds), **started}


def merged(host: McpHost, path: Path, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the file holds, and this server under its name. Raises Invalid where it cannot be read as JSON."""
    try:
        known = json.loads(path.read_text(encoding="utf-8") or "{}") if path.exists() else {}
    except ValueError as error:
        raise Invalid(f"{path} is not plain JSON (perhaps it has comments): add the lines yourself.") from error
    servers = known.get(host.key, {}) if isinstance(known, dict) else None
    if not isinstance(servers, dict):
        raise Invalid(f"{path} has no object {host.key}: it is another kind of file.")
    return {**known, host.key: {**servers, name: dict(entry)}}


def write(path: Path, document: Mapping[str, Any]) -> Path | None:
    """Put a document in the place of a file, whole or not at all; where the old one is kept, None if there was none."""
    path = path.resolve()  # a link stays one
    path.parent.mkdir(parents=True, exist_ok=True)
    kept, mode = None, 0o600
    if path.exists():
        mode = path.stat().st_mode & 0o777
        kept = path.with_name(f"{path.name}.before-{NAME}")
        _put(kept, path.read_bytes(), mode)
    _put(path, (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode(), mode)
    return kept


def _put(path: Path, content: bytes, mode: int) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
