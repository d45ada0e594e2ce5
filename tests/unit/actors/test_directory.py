"""The directory asks where a memory lives, and once more where it has moved or was claimed by another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from ray.exceptions import RayActorError

from actors.directory import Directory
from actors.placement import line_of, living, put_in_force, shard_name, shard_of
from actors.shard_socket import ShardServer
from config.settings import Settings
from memory.errors import Fenced, NotFound, Unavailable

Answer = Callable[..., Awaitable[object]]


class Site:
    """A home with as many shards as are begun, each of which answers as it is told to."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.asked: list[str] = []
        self.exchanges: list[ShardServer] = []

    async def begin(self, number: int, answer: Answer | None = None) -> None:
        name = shard_name(number)

        async def told(method: str, *asked: object) -> object:
            self.asked.append(name)
            return name if answer is None else await answer(method, *asked)

        exchange = ShardServer(told, line_of(self.home, name))
        await exchange.open()
        self.exchanges.append(exchange)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    found = Site(tmp_path)
    yield found
    for each in found.exchanges:
        await each.close()


def living_in(shard: str, shards: int) -> str:
    return next(user for user in map(str, range(100)) if shard_of(user, shards) == shard)


async def test_each_user_is_asked_of_where_they_live_and_all_of_all(site: Site) -> None:
    put_in_force(site.home, 3)
    for number in range(3):
        await site.begin(number)
    directory = Directory(Settings(site.home))
    for number in range(3):
        user = living_in(shard_name(number), 3)
        assert directory.shard_of(user) == await directory.ask(user, "believed", user) == shard_name(number)
    site.asked.clear()
    await directory.ask_all("forget_user", "maya")
    assert sorted(site.asked) == ["shard-0", "shard-1", "shard-2"]


async def test_who_was_fenced_is_asked_once_more_and_no_third_time(site: Site) -> None:
    fenced = [True, False, True, True]

    async def claims(*_: object) -> object:
        if fenced.pop(0):
            raise Fenced(user_id="maya")
        return "done"

    await site.begin(0, claims)
    directory = Directory(Settings(site.home))
    assert await directory.ask("maya", "turn", "maya") == "done"
    with pytest.raises(Fenced):
        await directory.ask("maya", "turn", "maya")
    assert fenced == []


async def test_what_a_shard_that_ends_did_not_do_is_asked_of_the_next(site: Site) -> None:
    put_in_force(site.home, 2)
    user = living_in("shard-1", 2)

    async def ends(*_: object) -> object:
        put_in_force(site.home, 1)
        raise Unavailable()

    await site.begin(0)
    await site.begin(1, ends)
    assert await Directory(Settings(site.home)).ask(user, "turn", user) == "shard-0"
    assert site.asked == ["shard-1", "shard-0"]


async def test_what_is_refused_or_away_is_not_asked_again(site: Site) -> None:
    errors: list[Exception] = [NotFound("No such fact."), Unavailable()]

    async def refuses(*_: object) -> object:
        raise errors.pop(0)

    await site.begin(0, refuses)
    directory = Directory(Settings(site.home))
    with pytest.raises(NotFound):
        await directory.ask("maya", "turn", "maya")
    with pytest.raises(Unavailable):
        await directory.ask("maya", "turn", "maya")
    assert site.asked == ["shard-0", "shard-0"]


class Cluster:
    """A cluster in which actors are begun by name, and the one called `fails` cannot be."""

    def __init__(self, fails: str | None) -> None:
        self.fails, self.begun = fails, list[str]()

    def remote(self, _: type) -> Cluster:
        return self

    def options(self, *, name: str, **_: object) -> SimpleNamespace:
        def begin(*_: object) -> None:
            if name == self.fails:
                raise RayActorError
            self.begun.append(name)

        return SimpleNamespace(remote=begin)


@pytest.mark.parametrize("fails", ["shard-1", "worker"])
async def test_what_could_not_be_brought_to_life_is_begun_again_with_the_next_look(
    site: Site, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    put_in_force(site.home, 2)
    cluster = Cluster(fails)
    monkeypatch.setattr("actors.directory.ray", cluster)
    directory = Directory(Settings(site.home))
    with pytest.raises(RayActorError):
        directory.ensure()
    cluster.fails = None
    with pytest.raises(Unavailable):  # nobody of them can be called here
        await directory.look()
    assert {"shard-0", "shard-1", "worker"} <= set(cluster.begun)


async def test_lines_tell_which_process_answers(site: Site) -> None:
    put_in_force(site.home, 2)
    await site.begin(0)
    assert set(living(site.home)) == {"shard-0"}
    line_of(site.home, "shard-1").write_text("memoray-line-0-dead")
    assert set(living(site.home)) == {"shard-0"}, "no process has this number"
