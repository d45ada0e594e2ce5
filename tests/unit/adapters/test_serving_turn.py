"""Whose turn it is to serve: one gateway at a time, and the next one as soon as that one ends, however it ends."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from adapters import temporary
from adapters.listening_socket import ListeningSocket
from adapters.serving_turn import ServingTurn, serving
from cli.ports import free_port
from config.settings import Http, project_root
from deployments.accepting import Acceptor
from deployments.connections import Connections
from deployments.listening import HAND_OVER_S, Listener, listen

WHOLE = b"GET /who HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
HOLDER = "import sys, time; from pathlib import Path; from adapters.serving_turn import ServingTurn; "
HOLDER += "turn = ServingTurn(Path(sys.argv[1]), int(sys.argv[2])); print(turn.came(), flush=True); time.sleep(600)"


def named(name: str) -> FastAPI:
    app = FastAPI()

    @app.get("/who")
    async def who() -> dict[str, str]:
        return {"who": name}

    return app


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Path, Http]]:
    """A home with a door that somebody holds."""
    http = Http(port=free_port(0), connections=8, connections_per_address=8)
    with temporary.occupy(tmp_path):
        door = ListeningSocket(tmp_path, http.host, http.port)
        yield tmp_path, http
        door.close()
    temporary.vacate(tmp_path)


async def answer(http: Http) -> str:
    async with httpx.AsyncClient(trust_env=False) as client:
        told = await client.get(f"http://127.0.0.1:{http.port}/who", timeout=60)
    return str(told.json()["who"])


async def test_one_serves_and_the_other_stands_by_until_that_one_ends(place: tuple[Path, Http]) -> None:
    home, http = place
    first, second = await listen(named("first"), home, http), await listen(named("second"), home, http)
    assert second.listening, "who stands by is well"
    assert {await answer(http) for _ in range(20)} == {"first"}
    await first.close()
    assert await answer(http) == "second"
    await second.close()


async def test_what_is_done_when_its_turn_comes_is_not_done_before(place: tuple[Path, Http]) -> None:
    home, http = place
    begun: list[str] = []

    async def began() -> None:
        begun.append("second")

    first = await listen(named("first"), home, http)
    second: Listener = await listen(named("second"), home, http, begun=began)
    await answer(http)
    assert not begun
    await first.close()
    await answer(http)
    assert begun == ["second"]
    await second.close()


async def test_who_is_killed_gives_its_turn_to_the_next(place: tuple[Path, Http]) -> None:
    home, http = place
    command = [sys.executable, "-c", HOLDER, str(home), str(http.port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=project_root(), text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert serving(home, http.port) == holder.pid
        late = ServingTurn(home, http.port)
        assert not late.came()
        late.pass_on()
        after = await listen(named("after"), home, http)
        waiting = asyncio.create_task(answer(http))
        holder.kill()
    assert await asyncio.wait_for(waiting, 60) == "after"
    assert serving(home, http.port) == os.getpid()
    await after.close()


async def test_an_orphan_answers_what_it_was_asked_and_hands_over_to_one_that_is_none(place: tuple[Path, Http]) -> None:
    home, http = place
    orphaned, asked, go_on = False, asyncio.Event(), asyncio.Event()
    app = named("orphan")

    @app.get("/slowly")
    async def slowly() -> str:
        asked.set()
        await go_on.wait()
        return "answered"

    orphan = await listen(app, home, http, orphaned=lambda: orphaned)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{http.port}", trust_env=False, timeout=60) as client:
        kept = (await client.get("/who")).json()
        slow = asyncio.create_task(client.get("/slowly"))
        await asked.wait()
        orphaned = True
        await asyncio.sleep(2 * HAND_OVER_S)
        assert (await client.get("/who")).json() == kept, "it serves until another can"
        successor = await listen(named("successor"), home, http)
        assert await asyncio.wait_for(until_answered_by("successor", http), 60)
        assert orphan_keeps_the_door(orphan), "what it was asked is not answered yet"
        go_on.set()
        assert (await slow).json() == "answered"
        while (await client.get("/who")).json() == kept:  # over its connection, until that is closed
            await asyncio.sleep(0.01)
    await orphan.close()
    assert not orphan_keeps_the_door(orphan)
    await successor.close()


async def test_an_orphan_that_stands_by_lets_go_of_the_door_where_another_is_next(place: tuple[Path, Http]) -> None:
    home, http = place
    first = await listen(named("first"), home, http)
    orphan = await listen(named("orphan"), home, http, orphaned=lambda: True)
    await asyncio.sleep(2 * HAND_OVER_S)
    assert orphan.listening
    following = await listen(named("following"), home, http)
    while orphan_keeps_the_door(orphan):
        await asyncio.sleep(0.01)
    await first.close()
    assert await answer(http) == "following"
    await following.close()


async def test_the_spare_one_serves_between_others_and_ends_when_it_has_handed_over(place: tuple[Path, Http]) -> None:
    home, http = place
    first = await listen(named("first"), home, http)
    spare = await listen(named("spare"), home, http, orphaned=lambda: True, patient=True)
    following = await listen(named("following"), home, http)
    await asyncio.sleep(2 * HAND_OVER_S)
    assert spare.listening, "it stands by, whoever else does"
    await first.close()
    assert await answer(http) == "following"
    await following.close()
    assert await answer(http) == "spare"
    last = await listen(named("last"), home, http)
    await asyncio.wait_for(spare.leaving(), 60)
    again = await listen(named("again"), home, http, orphaned=lambda: True, patient=True)
    await asyncio.wait_for(spare.close(), 60)
    assert await answer(http) == "last"
    await last.close()
    assert await answer(http) == "again", "the same process stands by once more"
    await again.close()


async def test_an_orphan_that_is_to_end_answers_until_another_can(place: tuple[Path, Http]) -> None:
    """Serve ends what its controller does not know any more, whether or not there is another by then."""
    home, http = place
    orphan = await listen(named("orphan"), home, http, orphaned=lambda: True)
    assert await answer(http) == "orphan"
    ending = asyncio.create_task(orphan.retire())
    await asyncio.sleep(2 * HAND_OVER_S)
    assert await answer(http) == "orphan"
    successor = await listen(named("successor"), home, http)
    await asyncio.wait_for(ending, 60)
    assert await answer(http) == "successor"
    await successor.close()


async def test_who_is_no_orphan_ends_at_once(place: tuple[Path, Http]) -> None:
    home, http = place
    gateway = await listen(named("gateway"), home, http)
    await asyncio.wait_for(gateway.retire(), 60)
    assert not gateway.listening


async def until_answered_by(name: str, http: Http) -> bool:
    while await answer(http) != name:
        await asyncio.sleep(0.01)
    return True


def orphan_keeps_the_door(orphan: Listener) -> bool:
    return orphan._acceptor._door.fileno() >= 0


def test_an_orphan_is_never_the_next_and_serves_only_if_nobody_is(place: tuple[Path, Http]) -> None:
    home, http = place
    first, orphan, following = (ServingTurn(home, http.port) for _ in range(3))
    assert first.came()
    assert not orphan.came(orphaned=True)
    assert not first.wanted
    assert not following.came()
    assert first.wanted
    first.pass_on()
    assert not orphan.came(orphaned=True)
    assert following.came()
    following.pass_on()
    assert orphan.came(orphaned=True)
    orphan.pass_on()
    orphan.pass_on()


def test_where_nobody_hands_out_a_door_nobody_waits(tmp_path: Path) -> None:
    assert ServingTurn(tmp_path, 8000).came()
    assert ServingTurn(tmp_path, 8000).came()
    assert serving(tmp_path, 8000) is None


async def test_whoever_waited_while_nobody_served_is_answered_though_they_are_more_than_may_be_open(
    place: tuple[Path, Http],
) -> None:
    """Ten times the room is in the kernel's queue, each with its whole request, when a gateway comes back."""
    home, http = place
    waiting = [socket.create_connection(("127.0.0.1", http.port)) for _ in range(80)]
    for each in waiting:
        each.sendall(WHOLE)
        each.settimeout(60)
    listener = await listen(named("back"), home, http)
    answers = [await asyncio.to_thread(each.recv, 65_536) for each in waiting]
    for each in waiting:
        each.close()
    assert [told[:15] for told in answers] == [b"HTTP/1.1 200 OK"] * 80
    await listener.close()


async def test_many_are_taken_in_one_turn_and_never_more_than_there_is_room_for() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    class Silent(asyncio.Protocol):
        origin, trusted, answering, used_at = "127.0.0.1", False, True, 0.0

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            others.join(self)

        def hang_up(self) -> None:
            raise AssertionError("nobody is ended who is being answered")

    for room, taken in ((100, 40), (20, 20)):
        others = Connections(room, room)
        with socket.create_server(("127.0.0.1", 0)) as door:
            callers = [socket.create_connection(door.getsockname()) for _ in range(40)]
            acceptor = Acceptor(door, others, Silent, never)
            with suppress(TimeoutError):
                await asyncio.wait_for(acceptor._take_some(), 0.5 if room < 40 else 30)
            assert len(others) == taken
            await acceptor.stop()
            for each in callers:
                each.close()


async def test_half_sent_requests_in_the_queue_hold_nobody_up(place: tuple[Path, Http]) -> None:
    """They are ended, unheard, for those behind them: nobody waits until their own time is over."""
    home, http = place
    crowd = [socket.create_connection(("127.0.0.1", http.port)) for _ in range(80)]
    for each in crowd:
        each.sendall(WHOLE[:20])
        each.settimeout(60)
    listener = await listen(named("back"), home, http)
    assert await asyncio.wait_for(answer(http), 60) == "back"

    def left(each: socket.socket) -> bytes:
        try:
            return each.recv(65_536)
        except ConnectionResetError:
            return b""

    assert [await asyncio.to_thread(left, each) for each in crowd[:60]] == [b""] * 60, "none was told it was late"
    for each in crowd:
        each.close()
    await listener.close()


FILLED = "import resource, signal, sys; from pathlib import Path; from adapters.serving_turn import ServingTurn; "
FILLED += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
FILLED += "turn = ServingTurn(Path(sys.argv[1]), int(sys.argv[2])); print(turn.came(), flush=True)"


def test_who_may_write_nothing_serves_all_the_same(place: tuple[Path, Http]) -> None:
    home, http = place
    command = [sys.executable, "-c", FILLED, str(home), str(http.port)]
    done = subprocess.run(command, capture_output=True, cwd=project_root(), text=True, check=False)
    assert done.stdout == "True\n", done.stderr


def test_the_word_of_the_next_one_is_written_over_that_of_the_last(
    place: tuple[Path, Http], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, http = place
    for pid in (4_194_303, 7):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        turn = ServingTurn(home, http.port)
        assert turn.came()
        assert serving(home, http.port) == pid
        turn.pass_on()
