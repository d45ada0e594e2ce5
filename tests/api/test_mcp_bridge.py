"""The command for hosts that start their servers themselves, as a process, and what it writes into their files."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from typer.testing import CliRunner

from cli.main import command_line, rooms
from cli.mcp_hosts import HOSTS, HostName, file_of
from tests.api.conftest import Door
from tests.api.foreign import served, token_of

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).resolve().parents[2]
START = "from cli.main import main; main()"


def started(url: str, token: str, home: Path, *more: str) -> StdioServerParameters:
    environment = {**os.environ, "MEMORY_TOKEN": token, "MEMORAY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    arguments = ["-c", START, "mcp", "--url", url, *more]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=ROOT)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_host_speaks_through_the_command(door: Door, tmp_path: Path, mode: str) -> None:
    async with served(door) as url:
        token = await token_of(door, door.user)
        async with Client(stdio_client(started(url, token, tmp_path)), mode=mode) as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            made = await client.call_tool("remember_fact", {"statement": "Zoë plays the viola", "subject": "Zoë"})
            assert not made.is_error
            found = await asyncio.gather(*(client.call_tool("explore", {"name": "Zoë"}) for _ in range(5)))
            assert all("Zoë plays the viola" in str(each.structured_content) for each in found)
            assert (await client.read_resource("memoray://today")).contents
        if mode == "auto":
            async with Client(stdio_client(started(url, token, tmp_path, "--tools", "memory"))) as client:
                assert len((await client.list_tools()).tools) == 9


async def test_what_goes_wrong_on_the_way_is_an_answer(door: Door, tmp_path: Path) -> None:
    ask = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    lines = [b"nonsense", b"[1]", b"", json.dumps(ask).encode()]
    async with served(door) as url:
        wrong = await _said(started(url, "wrong", tmp_path), lines)
    assert [each["id"] for each in wrong] == [None, None, 7]
    assert [each["error"]["code"] for each in wrong[:2]] == [-32700, -32600]
    assert "token" in wrong[2]["error"]["message"]
    [away] = await _said(started(url, "wrong", tmp_path), lines[3:])
    assert (away["id"], away["error"]["message"]) == (7, f"{url}/mcp does not answer; see `memoray status`.")


async def _said(server: StdioServerParameters, lines: list[bytes]) -> list[Any]:
    process = await asyncio.create_subprocess_exec(
        server.command,
        *server.args,
        env=server.env,
        cwd=server.cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await asyncio.wait_for(process.communicate(b"\n".join(lines) + b"\n"), 60)
    assert process.returncode == 0
    return [json.loads(each) for each in out.splitlines()]


def _install(*arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(command_line(rooms("mcp")), ["mcp", "install", *arguments], env=environment)


@pytest.mark.parametrize("host", list(HostName))
def test_a_host_is_told_of_us_beside_what_it_knows(host: HostName, tmp_path: Path) -> None:
    key = HOSTS[host].key
    printed = json.loads(_install(host.value, "--home", str(tmp_path)).stdout)
    entry = printed[key]["memoray"]
    assert entry["args"] == ["mcp", "--home", str(tmp_path)]
    assert "env" not in entry
    file = tmp_path / "deep" / "hosts.json"
    file.parent.mkdir()
    before = json.dumps({"theme": "dark", key: {"other": {"command": "x"}}})
    file.write_text(before)
    file.chmod(0o640)
    done = _install(host.value, "--home", str(tmp_path), "--write", "--file", str(file))
    assert done.exit_code == 0, done.output
    assert json.loads(file.read_text()) == {"theme": "dark", key: {"other": {"command": "x"}, "memoray": entry}}
    assert (file.stat().st_mode & 0o777, file.with_name("hosts.json.before-memoray").read_text()) == (0o640, before)
    told = json.loads(_install(host.value, "--home", str(tmp_path), "--json").stdout)
    assert (told["entry"], told["written"], told["kept"]) == (entry, False, None)
    assert sorted(each.name for each in file.parent.iterdir()) == ["hosts.json", "hosts.json.before-memoray"]


def test_what_cannot_be_merged_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    for content in ('{"servers": {} // mine\n}', "[]", '{"servers": []}'):
        file.write_text(content)
        done = _install("vscode", "--home", str(tmp_path), "--write", "--file", str(file))
        assert done.exit_code != 0
        assert file.read_text() == content
    assert _install("cursor", "--url", "http://127.0.0.1:8000", MEMORY_TOKEN="").exit_code != 0
    shown = json.loads(_install("cursor", "--url", "http://127.0.0.1:8000/", "--token", "abc").stdout)
    assert shown["mcpServers"]["memoray"]["env"] == {"MEMORY_TOKEN": "abc"}
    assert shown["mcpServers"]["memoray"]["args"] == ["mcp", "--url", "http://127.0.0.1:8000"]
    assert file_of(HOSTS[HostName.CURSOR]).parts[-2:] == (".cursor", "mcp.json")
