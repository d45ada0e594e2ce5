"""Memories move between shards: nothing is lost, doubled or told as it was, whoever still asks where they lived."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import httpx
import pytest

from actors.memory_shard import MemoryShard
from actors.placement import shard_of
from memory.errors import Fenced
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.commands import Remember
from memory.model.scopes import Sensitivity, View
from memory.retrieval.query import Question
from tests.api.conftest import Door

NOW = 1_780_000_000.0


def moving(door: Door, how_many: int = 3) -> list[str]:
    """Users who live in the third of three shards, and in another while there are two."""
    named = (f"{door.user}-{number}" for number in range(1_000))
    return [user for user in named if shard_of(user, 3) == "shard-2"][:how_many]


def remember(statement: str) -> Remember:
    return Remember(command_id=f"c-{statement}", claims=(Claim("Maya", statement, 0, statement),))


async def statements(shard: MemoryShard, user: str) -> set[str]:
    return {fact.statement for fact in (await shard.believed(user)).facts.values()}


async def two(door: Door, user: str) -> tuple[MemoryShard, MemoryShard]:
    """Where a user lives of two shards, and where of three."""
    door.actors.place(2)
    before = door.actors.of(user)
    door.actors.place(3)
    return before, door.actors.of(user)


async def test_a_shard_in_which_a_memory_lived_tells_nothing_that_is_over(door: Door) -> None:
    [user] = moving(door, 1)
    before, after = await two(door, user)
    await before.turn(user, remember("Maya lives in Porto"))
    await after.turn(user, remember("Maya lives in Lisbon"))
    both = {"Maya lives in Porto", "Maya lives in Lisbon"}
    assert await statements(before, user) == both
    asked = Question("Where does Maya live?", View(user), NOW, record_access=False)
    for shard in (before, after):
        await shard.recall(asked)
        beliefs = (await shard._fan()).beliefs.outlook(View(user))
        assert beliefs is not None
        assert len(beliefs.facts.table.ids) == 2, "what questions are answered from"
    await before.turn(user, remember("Maya lives in Bonn"))
    assert await statements(after, user) == both | {"Maya lives in Bonn"}


async def test_one_memory_is_fenced_and_the_others_of_its_shard_are_not(door: Door) -> None:
    moved, stays = moving(door, 2)
    before, after = await two(door, moved)
    for user in (moved, stays):
        await before.turn(user, remember("Maya sings"))
    held = before._users[stays]
    await after.turn(moved, remember("Maya swims"))
    with pytest.raises(Fenced):
        await before.turn(moved, remember("Maya skis"))
    assert moved not in before._users
    assert before._users[stays] is held
    await before.turn(stays, remember("Maya skis"))
    assert await statements(after, moved) == {"Maya sings", "Maya swims"}


async def test_a_memory_is_forgotten_wherever_it_was_held(door: Door) -> None:
    [user] = moving(door, 1)
    before, after = await two(door, user)
    async with await door.client_of(user, clearance=Sensitivity.SENSITIVE) as client:
        await before.turn(user, remember("Maya sings"))
        await after.turn(user, remember("Maya swims"))
        await statements(before, user)
        assert user in before._users
        assert user in after._users
        assert (await client.delete("/v1/memory")).status_code == 200
        assert user not in before._users
        assert user not in after._users
        assert await door.rows("SELECT 1 FROM owners WHERE user_id = %(user)s", user=user) == []
        with pytest.raises(Fenced):  # whoever was about to write what was forgotten
            await door.app.stores.memory.journal.commit(
                1, await after.believed(user), ChangeSet("c-late", "Remember", "user", NOW), {}
            )
        told = await client.post("/v1/facts", json={"text": "I like coffee."})
        assert told.status_code == 201, told.text


async def test_a_shard_lets_go_of_who_has_moved_and_loses_no_count(door: Door) -> None:
    [user] = moving(door, 1)
    before, after = await two(door, user)
    others = (f"{door.user}-other-{number}" for number in range(99))
    stays = next(each for each in others if shard_of(each, 3) == before.name)
    for each in (user, stays):
        await before.turn(each, remember("Maya sings"))
    await before.release_moved(3)
    assert set(before._users) & {user, stays} == {stays}
    await before.believed(user)  # asked by somebody who has not learnt of the third
    assert set(before._users) & {user, stays} == {user, stays}
    await before.release_moved(3)
    assert set(before._users) & {user, stays} == {stays}
    assert await statements(after, user) == {"Maya sings"}


async def test_nothing_is_lost_or_doubled_while_two_shards_become_three(door: Door) -> None:
    """Several write all the time; each of them learns of the third shard by itself, and at another moment."""
    users = [*moving(door, 3), *(f"{door.user}-stays-{number}" for number in range(3))]
    door.actors.place(2)
    clients = {user: await door.client_of(user) for user in users}
    acknowledged: dict[str, list[str]] = {user: [] for user in users}
    over = asyncio.Event()

    async def write(user: str) -> None:
        number = 0
        while not over.is_set() or number < 12:
            number += 1
            said = f"{user} keeps the number {number}"
            await _surely(clients[user], said)
            acknowledged[user].append(said)

    async def ask(user: str) -> None:
        while not over.is_set():
            known = len(acknowledged[user])
            found = await clients[user].get("/v1/facts", params={"limit": 200})
            assert found.status_code == 200, found.text
            told = {each["statement"] for each in found.json()["facts"]}
            assert set(acknowledged[user][:known]) <= told

    async def place() -> None:
        """Back and forth, with some turns still on their way to where a memory lived."""
        for number in (3, 2, 3, 2, 3):
            await asyncio.sleep(0.5)
            door.actors.place(number)
        over.set()

    await asyncio.gather(place(), *map(write, users), *map(ask, users))
    for user in users:
        await _once(door, user, acknowledged[user])
        await clients[user].aclose()


async def _once(door: Door, user: str, acknowledged: Sequence[str]) -> None:
    """Each acknowledged write is there once: believed, in the journal and among what was captured."""
    rows = await door.rows("SELECT version FROM journal WHERE user_id = %(user)s ORDER BY version", user=user)
    assert [row["version"] for row in rows] == list(range(1, len(rows) + 1))
    believed = await door.app.stores.memory.journal.load(user)
    assert Counter(fact.statement for fact in believed.facts.values()) == Counter(acknowledged)
    assert (await door.app.stores.memory.commands.story(user)).version == believed.version
    assert await door.actors.believed(user) == believed


async def _surely(client: httpx.AsyncClient, said: str) -> None:
    """As a careful client does: the same key again until it is acknowledged."""
    body = {"statement": said, "subject": "Maya", "predicate": "keeps", "object": said}
    for _ in range(20):
        told = await client.post("/v1/facts", json=body, headers={"Idempotency-Key": said})
        if told.status_code == 201:
            return
        assert told.status_code in (409, 503), told.text
        await asyncio.sleep(0.05)
    raise AssertionError(f"never acknowledged: {told.text}")
