"""The door stays open while gateways come and go: who knocks waits, and the next one answers."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from adapters import listening_socket as doors
from adapters.listening_socket import ListeningSocket, handed_over
from adapters.temporary import occupy, private_folder, vacate
from cli.ports import free_port
from config.settings import Http, project_root
from deployments.listening import listen
from memory.errors import Unavailable

GATEWAY = """
import asyncio, sys
from pathlib import Path
from fastapi import FastAPI
from config.settings import Http
from deployments.listening import listen

app = FastAPI()

@app.get("/health")
async def health(): return {"gateway": int(sys.argv[2])}

async def serve():
    await listen(app, Path(sys.argv[3]), Http(port=int(sys.argv[1])))
    print("open", flush=True)
    await asyncio.sleep(60)

asyncio.run(serve())
"""
app = FastAPI()
HOME = Path(f"/nowhere/{os.getpid()}")
"""Of this process alone: tests that run beside it remove the folders of their own homes."""


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@pytest.fixture(autouse=True)
def no_folder_is_left() -> Iterator[None]:
    """The home has one in /tmp, as every home has."""
    yield
    vacate(HOME)


@pytest.fixture
def port() -> Iterator[int]:
    number = free_port(0)
    with occupy(HOME), closing(ListeningSocket(HOME, "127.0.0.1", number)):  # else whoever sweeps removes the folder
        yield number


def gateway(port: int, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", GATEWAY, str(port), str(number), str(HOME)],
        cwd=project_root(),
        stdout=subprocess.PIPE,
        text=True,
    )


def ask(port: int) -> dict[str, int]:
    answer: dict[str, int] = httpx.get(f"http://127.0.0.1:{port}/health", timeout=30, trust_env=False).json()
    return answer


def test_who_knocks_while_a_gateway_is_replaced_waits_and_is_answered_by_the_next(port: int) -> None:
    first = gateway(port, 1)
    assert first.stdout is not None
    assert first.stdout.readline() == "open\n"
    assert ask(port) == {"gateway": 1}
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    second = gateway(port, 2)
    try:
        assert ask(port) == {"gateway": 2}, "it had no process to answer it when it was asked"
    finally:
        second.kill()
        second.wait()
        first.stdout.close()
        second.stdout.close()  # type: ignore[union-attr]


async def test_two_gateways_share_a_door_and_the_last_to_go_leaves_it_open(port: int) -> None:
    before, after = await listen(app, HOME, Http(port=port)), await listen(app, HOME, Http(port=port))
    await before.close()
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200
    await after.close()
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()


def test_a_closed_door_is_refused_and_may_be_opened_again() -> None:
    number = free_port(0)
    for _ in range(2):
        door = ListeningSocket(HOME, "127.0.0.1", number)
        held = handed_over(HOME, number)
        assert held is not None
        held.close()
        door.close()
        assert handed_over(HOME, number) is None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", number))


def test_nobody_but_its_own_user_is_given_the_door(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert handed_over(HOME, port) is None


async def test_another_home_is_not_let_through_the_door(port: int) -> None:
    assert handed_over(Path("/elsewhere"), port) is None
    with pytest.raises(Unavailable, match="Address already in use"):
        await listen(app, Path("/elsewhere"), Http(port=port), patience_s=0.1)


def test_a_place_that_a_killed_holder_has_left_is_taken_again() -> None:
    number = free_port(0)
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(private_folder(HOME) / doors._name(number)))
    assert handed_over(HOME, number) is None
    with closing(ListeningSocket(HOME, "127.0.0.1", number)):
        held = handed_over(HOME, number)
        assert held is not None
        held.close()
    assert private_folder(HOME).stat().st_mode & 0o077 == 0, "no other account asks, or takes the place before us"


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Unavailable, match="cannot be had: Address already in use"):
            ListeningSocket(HOME, "127.0.0.1", taken.getsockname()[1])


def test_a_holder_that_says_nothing_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "_ASK_S", 0.1)
    number, began = free_port(0), time.monotonic()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(private_folder(HOME) / doors._name(number)))
        silent.listen()
        assert handed_over(HOME, number) is None
    assert time.monotonic() - began < 5


def test_who_has_the_door_is_known_however_busily_it_opens_and_closes_other_things() -> None:
    """A descriptor that is closed while it is looked at once made a serving gateway look as if it had no door."""
    door, other = (ListeningSocket(HOME, "127.0.0.1", free_port(0)) for _ in range(2))
    busy = "import os, socket, sys\nfrom pathlib import Path\nfrom adapters.listening_socket import handed_over\n"
    busy += "door = handed_over(Path(sys.argv[1]), int(sys.argv[2])); print(door is not None, flush=True)\n"
    busy += "while True:\n    others = [os.dup(0) for _ in range(200)]\n    [os.close(each) for each in others]"
    command = [sys.executable, "-c", busy, str(HOME), str(door._door.getsockname()[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=project_root()) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        looked = [door.is_held_by(holder.pid) for _ in range(200)]
        assert not other.is_held_by(holder.pid)
        holder.kill()
    door.close()
    other.close()
    assert all(looked)
