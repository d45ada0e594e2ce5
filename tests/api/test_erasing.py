"""Erasing depends on nobody: not on a reader whose memory cannot be written, not on the process that was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from deployments.use_cases import erasing
from memory.errors import Unavailable
from memory.model.erasing import ErasureTask
from tests.api import test_forgetting
from tests.api.conftest import Door
from tests.api.test_forgetting import captured, delete, traces
from tests.api.test_sources_and_context import conversation

ASKED = (
    "/v1/facts?status=all",
    "/v1/entities",
    "/v1/context?query=Where+does+Maya+live%3F&cut=none",
    "/v1/timeline",
    "/v1/context?query=Who+visits+on+Friday%3F&budget_tokens=800",
    "/v1/promises",
    "/v1/daily?date=2026-03-01",
    "/v1/sources",
    "/v1/diff?from=2026-01-01",
    "/v1/stats",
)
"""What shows words."""
SECRET = "Quagadir"
"""A word of these tests alone: they share a database with others, and look through all of it."""
QUESTIONS = ("Where does Maya live?", "Who visits on Friday?", "What did I promise?", "Which places does Maya like?")


def secret(**rest: Any) -> dict[str, Any]:
    """As the tests of forgetting tell it, with a word and an id of its own."""
    body = test_forgetting.secret("elopement", **rest)
    said = [{**each, "text": each["text"].replace(test_forgetting.SECRET, SECRET)} for each in body["segments"]]
    return {**body, "segments": said}


@dataclass
class Stuck:
    """Lets withdrawals from some memories fail, or never end."""

    door: Door
    failing: set[str] = field(default_factory=set)
    hanging: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._erase = self.door.actors.erase
        self.door.actors.erase = self.erase  # type: ignore[method-assign]

    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        if task.task == "withdraw" and task.user_id in self.hanging:
            await asyncio.Event().wait()
        if task.task == "withdraw" and task.user_id in self.failing:
            raise Unavailable("The disk of this one is full.")
        return await self._erase(task)


@dataclass
class Team:
    """Three who read what a team hears, and the clients of each."""

    name: str
    users: tuple[str, ...]
    clients: dict[str, httpx.AsyncClient]


@pytest.fixture
async def team(door: Door) -> AsyncIterator[Team]:
    name, users = f"t-{door.user}", tuple(f"{letter}-{door.user}" for letter in "abc")
    clients = {user: await door.client_of(user, (name,)) for user in users}
    for client in clients.values():  # all are readers before anything is told
        await client.get("/v1/facts")
    assert (await clients[users[0]].post("/v1/sources", json=secret(team_id=name))).status_code == 202
    await door.settle()
    yield Team(name, users, clients)
    for client in clients.values():
        await client.aclose()


async def due_now(door: Door) -> None:
    """Let every lease and back-off be over, as when time has passed."""
    await door.rows("UPDATE erasing SET next_attempt = now() WHERE done_at IS NULL")


async def told(client: httpx.AsyncClient, receipt: Any) -> dict[str, Any]:
    """Place -> when it was erased, by the receipt as it stands."""
    again = (await client.get(f"/v1/receipts/{receipt['receipt_id']}")).json()
    return {place["place"]: place["erased_at"] for place in again["places"]}


@pytest.mark.parametrize("how", ["failing", "hanging"])
async def test_a_reader_who_cannot_commit_delays_nobody_and_is_shown_nothing(door: Door, team: Team, how: str) -> None:
    mine, stuck, other = team.users
    held = Stuck(door, **{how: {stuck}})
    receipt = (await team.clients[mine].delete("/v1/sources/elopement")).json()
    assert receipt["segments"] == 4
    assert receipt["facts"] > 1
    places = await told(team.clients[mine], receipt)
    assert (bool(places["words"]), bool(places["beliefs"]), places["beliefs_of_others"]) == (True, True, None)
    assert not (await door.actors.believed(mine)).facts
    assert not (await door.actors.believed(other)).facts
    assert (await door.actors.believed(stuck)).facts, "it cannot be written"
    for path in ASKED:
        shown = await team.clients[stuck].get(path)
        assert shown.status_code == 200, f"{path}: {shown.text}"
        assert SECRET not in shown.text, path
    for question in QUESTIONS:
        shown = await team.clients[stuck].post("/v1/ask", json={"query": question})
        assert shown.status_code == 200, shown.text
        assert SECRET not in shown.text, question
    quoted = "SELECT owner FROM content WHERE words ILIKE %(word)s AND owner LIKE 'segment:%%'"
    assert await door.rows(quoted, word=f"%{SECRET}%") == [], "no quotation is left of the words"

    held.failing.clear()
    held.hanging.clear()
    await due_now(door)
    await door.settle()
    assert not (await door.actors.believed(stuck)).facts
    assert await traces(door, SECRET) == []
    assert await traces(door, "elopement") == []
    assert (await told(team.clients[mine], receipt))["beliefs_of_others"]


async def test_what_a_killed_process_has_begun_is_finished_by_another(door: Door, team: Team) -> None:
    mine = team.users[0]
    Stuck(door, hanging=set(team.users))
    asked = asyncio.ensure_future(team.clients[mine].delete("/v1/sources/elopement"))
    while not await door.rows("SELECT 1 FROM erasing WHERE user_id = %(user)s", user=mine):
        await asyncio.sleep(0.01)
    for each in (asked, *door.app.underway):  # as kill -9 does: nothing after the transaction happens
        each.cancel()
    for shard in door.actors.shards:
        shard._users.clear()
    del door.actors.erase  # type: ignore[method-assign]
    await due_now(door)
    await door.settle()
    assert await traces(door, SECRET) == []
    assert await traces(door, "elopement") == []
    for user in team.users:
        assert not (await door.actors.believed(user)).facts


async def test_a_memory_that_wakes_when_the_words_are_gone_unlearns_what_they_taught(door: Door) -> None:
    first = conversation()
    first["segments"] = [{**first["segments"][2], "text": "My sister Elena visits on Friday."}]
    await door.post("/v1/sources", first, 202)
    second = secret()
    second["segments"] = [{**second["segments"][0], "text": "My dentist Elena lives in Porto."}]
    await door.post("/v1/sources", second, 202)
    await door.settle()
    assert "content.words" in await traces(door, "dentist")
    held = Stuck(door, failing={door.user})
    receipt = await delete(door, "/v1/sources/elopement")
    assert not (await told(door.client, receipt))["beliefs"]
    door.shard._users.clear()
    held.failing.clear()
    await due_now(door)
    await door.settle()
    assert await traces(door, "dentist") == []
    assert await door.app.stores.memory.journal.load(door.user) == await door.actors.believed(door.user)


async def test_no_id_that_was_made_of_words_stays_in_the_history(door: Door) -> None:
    key = {"Idempotency-Key": "elopement-key"}
    await door.post("/v1/sources", secret(), 202)
    await door.settle()
    about = {"statement": "It is on my mind", "subject": "Maya", "source_id": "elopement"}
    assert (await door.client.post("/v1/facts", json=about, headers=key)).status_code == 201
    gone = [fact["fact_id"] for fact in (await door.get("/v1/facts"))["facts"]]
    assert {"journal.changes", "row_versions.row"} <= set(await traces(door, "elopement"))
    receipt = (await door.client.delete("/v1/sources/elopement", headers={"Idempotency-Key": "elopement-gone"})).json()
    await door.settle()
    assert receipt["id"] == "elopement"
    assert await traces(door, "elopement") == []
    assert captured(door, "elopement") == []
    for fact_id in gone:
        assert await traces(door, fact_id) == []
    again = await door.client.delete("/v1/sources/elopement", headers={"Idempotency-Key": "elopement-gone"})
    assert again.json()["segments"] == receipt["segments"], "the same key is the same deletion"
    other = await door.client.delete("/v1/sources/another", headers={"Idempotency-Key": "elopement-gone"})
    assert other.status_code == 409


async def test_a_key_that_was_hashed_is_still_the_same_key(door: Door) -> None:
    for name in ("Xanthippe", "Elena"):
        await door.post("/v1/facts", {"statement": f"{name} plays the harp", "subject": name}, 201)
    ids = {each["name"]: each["entity_id"] for each in (await door.get("/v1/entities"))["entities"]}
    named = {"other_id": ids["Xanthippe"]}
    merged = await door.client.post(
        f"/v1/entities/{ids['Elena']}/merge", json=named, headers={"Idempotency-Key": "Xanthippe is her"}
    )
    assert merged.status_code == 200
    await delete(door, f"/v1/entities/{ids['Elena']}")
    assert await traces(door, "Xanthippe") == []
    version = (await door.app.stores.memory.journal.ownership(door.user)).version
    known = await door.app.stores.memory.journal.committed(door.user, "Xanthippe is her")
    assert known is not None
    assert (await door.app.stores.memory.journal.ownership(door.user)).version == version


async def test_a_key_works_after_the_memory_was_deleted(door: Door) -> None:
    key, body = {"Idempotency-Key": "once"}, {"text": "I play the cello."}
    corrected = {"statement": "I play the viola."}
    for _ in range(3):
        told = await door.client.post("/v1/facts", json=body, headers=key)
        assert told.status_code == 201, told.text
        again = await door.client.post("/v1/facts", json=body, headers=key)
        assert again.json() == told.json()
        fact = told.json()["fact_id"]
        right = {"Idempotency-Key": "twice"}
        answer = await door.client.post(f"/v1/facts/{fact}/correct", json=corrected, headers=right)
        assert answer.status_code == 200, answer.text
        await delete(door, "/v1/memory")


async def test_a_memory_is_deleted_beside_turns(door: Door) -> None:
    async def tell(number: int) -> int:
        for _ in range(5):  # a turn that the deletion fences is told to try again
            told = await door.client.post("/v1/facts", json={"text": f"I like tea number {number}."})
            if told.status_code != 503:
                break
        return told.status_code

    for _ in range(5):
        turns = [asyncio.ensure_future(tell(number)) for number in range(6)]
        deleted = await door.client.delete("/v1/memory")
        assert deleted.status_code == 200, deleted.text
        assert {await each for each in turns} <= {201, 409}
    await delete(door, "/v1/memory")
    await door.post("/v1/facts", {"text": "I like coffee."}, 201)
    stands = await door.app.stores.memory.journal.ownership(door.user)
    assert (await door.app.stores.memory.commands.story(door.user)).version == stands.version


async def test_an_entity_whose_memory_is_away_is_forgotten_later(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    await door.post("/v1/facts", {"statement": "Xanthippe plays the harp", "subject": "Xanthippe"}, 201)
    identity = (await door.get("/v1/entities", name="Xanthippe"))["entities"][0]["entity_id"]
    erase = door.actors.erase

    async def away(*_: object) -> Mapping[str, int]:
        raise Unavailable

    monkeypatch.setattr(door.actors, "erase", away)
    receipt = await delete(door, f"/v1/entities/{identity}")
    assert not (await told(door.client, receipt))["words"]
    monkeypatch.setattr(door.actors, "erase", erase)
    await due_now(door)
    await door.settle()
    assert (await told(door.client, receipt))["words"]
    assert await traces(door, "Xanthippe") == []


async def test_words_told_of_a_forgotten_entity_go_although_they_name_another(door: Door) -> None:
    for statement, subject, object_ in (
        ("Xanthippe plays the harp with Elena", "Xanthippe", "Elena"),
        ("Elena has taught Xanthippe", "Elena", "Xanthippe"),
        ("Elena lives in Bonn", "Elena", "Bonn"),
    ):
        await door.post("/v1/facts", {"statement": statement, "subject": subject, "object": object_}, 201)
    identity = (await door.get("/v1/entities", name="Xanthippe"))["entities"][0]["entity_id"]
    await delete(door, f"/v1/entities/{identity}")
    await door.settle()
    assert await traces(door, "Xanthippe") == []
    assert captured(door, "Xanthippe") == []
    assert [each["statement"] for each in (await door.get("/v1/facts"))["facts"]] == ["Elena lives in Bonn"]


async def test_a_receipt_is_its_owners_alone(door: Door) -> None:
    await door.post("/v1/sources", secret(), 202)
    receipt = await delete(door, "/v1/sources/elopement")
    async with await door.client_of(f"other-{door.user}") as stranger:
        assert (await stranger.get(f"/v1/receipts/{receipt['receipt_id']}")).status_code == 404
    assert erasing.OTHERS_S < erasing.OWN_S
