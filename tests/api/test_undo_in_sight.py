"""Nobody takes back what is out of their sight: a command that they cannot know of is as one that there never was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from memory.model.claims import Claim
from memory.model.commands import MergeEntities, Remember, RenameEntity, WriteNote
from memory.model.scopes import Sensitivity
from memory.rules.night_steps import ACTOR
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk
from tests.api.test_operators import snapshot

pytestmark = pytest.mark.postgres
NOTHING = (409, "There is no such command, or nothing of it is left to undo.")


@pytest.fixture
async def low(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    """Another token of the same user, that sees what is open and may write."""
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as client:
        yield client


@pytest.fixture
async def high(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    """A token of that user that sees everything."""
    async with await door.client_of(door.user, clearance=Sensitivity.SENSITIVE) as client:
        yield client


async def secret(door: Door, statement: str = "Maya sees a therapist", subject: str = "Maya") -> str:
    """The id of a sensitive fact."""
    claim = Claim(subject, statement, 0, statement)
    command = Remember(command_id=f"tell {statement}", claims=(claim,), sensitivity=Sensitivity.SENSITIVE)
    return (await door.actors.turn(door.user, command, {})).outcomes[0].fact_id


async def undo(client: httpx.AsyncClient, **named: Any) -> tuple[int, Any]:
    answer = await client.post("/v1/undo", json=named)
    told = answer.json()
    return answer.status_code, told["detail"] if answer.status_code != 200 else told["command_id"]


@pytest.mark.parametrize("verb", ["forget", "correct", "confirm", "note"])
async def test_what_was_done_to_a_fact_out_of_sight_is_not_undone(
    door: Door, low: httpx.AsyncClient, high: httpx.AsyncClient, verb: str
) -> None:
    fact_id = await secret(door)
    if verb == "note":
        await door.actors.turn(door.user, WriteNote(command_id="hidden", about_id=fact_id, text="on Fridays"), {})
    else:
        body = {"statement": "Maya sees a dentist"} if verb == "correct" else None
        done = await high.post(f"/v1/facts/{fact_id}/{verb}", json=body, headers={"Idempotency-Key": "hidden"})
        assert done.status_code == 200, done.text
    before = await snapshot(door)
    assert await undo(low) == (409, "There is no command left to undo.")
    assert await undo(low, command_id="hidden") == NOTHING
    assert await snapshot(door) == before
    await door.post("/v1/undo", {"command_id": "hidden"})
    assert await undo(low) == (409, "There is no command left to undo."), "nor is its undoing"


async def test_a_step_of_a_night_is_undone_by_who_sees_all(door: Door, low: httpx.AsyncClient) -> None:
    await secret(door)
    claim = Claim("Maya", "Maya paints", 0, "Maya paints")
    await door.actors.turn(door.user, Remember(command_id="by night", actor=ACTOR, claims=(claim,)), {})
    logged = (await low.get("/v1/changes")).json()["changes"]
    assert {each["command_id"] for each in logged} == {"by night"}
    assert await undo(low, command_id="by night") == NOTHING
    await door.post("/v1/undo", {"command_id": "by night"})


async def test_a_command_that_touches_both_is_undone_by_who_sees_both(
    door: Door, low: httpx.AsyncClient, high: httpx.AsyncClient
) -> None:
    fact_id = await secret(door)
    await low.post("/v1/facts", json={"statement": "Maya paints", "subject": "Maya"})
    await high.post("/v1/facts/prune", json={"below": 1})
    pruned = (await low.get("/v1/changes")).json()["changes"][-1]
    assert pruned["what"] == "pruned"
    assert await undo(low, command_id=pruned["command_id"]) == NOTHING
    assert (await door.actors.believed(door.user)).facts[fact_id].status == "pruned"


async def test_who_may_not_see_all_takes_back_their_own_commands(door: Door, low: httpx.AsyncClient) -> None:
    answer = await low.post("/v1/facts", json={"statement": "Maya paints", "subject": "Maya"})
    fact_id = answer.json()["fact_id"]
    await low.put("/v1/profile", json={"name": "Maya"})
    maya = (await door.actors.believed(door.user)).facts[fact_id].subject_id
    assert (await low.post(f"/v1/entities/{maya}/notes", json={"text": "in oil"})).status_code == 201
    await low.post(f"/v1/facts/{fact_id}/forget")
    for _ in range(4):
        code, told = await undo(low)
        assert code == 200, told
    assert (await undo(low))[0] == 409


async def test_a_secret_that_a_command_came_upon_does_not_show_when_it_is_undone(
    door: Door, low: httpx.AsyncClient
) -> None:
    """A name that only more sensitive words have used is had in the same breath; that is not to be found out."""
    for name in ("Zoe", "Zora"):
        await door.post("/v1/sources", talk(f"a{name}", "2026-03-01", ("Maya", "Elena likes figs.")), 202)
    await door.post(
        "/v1/sources", talk("vault", "2026-03-02", ("Maya", "Zoe likes tea."), sensitivity="sensitive"), 202
    )
    await door.settle()
    await secret(door, "Zoe sees a therapist", "Zoe")
    (elena,) = (await low.get("/v1/entities", params={"name": "Elena"})).json()["entities"]
    for number, name in enumerate(("Zoe", "Zora")):
        done = await door.actors.turn(
            door.user, RenameEntity(command_id=f"name {number}", entity_id=elena["entity_id"], name=name), {}
        )
        levels = {getattr(each.row, "sensitivity", Sensitivity.OPEN) for each in done.changes}
        assert (max(levels) > Sensitivity.OPEN) == (name == "Zoe"), "what follows from it is out of sight"
        assert (await undo(low))[0] == 200, name


async def test_two_of_which_one_is_out_of_sight_stay_one(door: Door, low: httpx.AsyncClient) -> None:
    await door.post("/v1/sources", talk("day", "2026-03-01", ("Maya", "Elena likes figs.")), 202)
    await door.post(
        "/v1/sources", talk("vault", "2026-03-02", ("Maya", "Zoe likes tea."), sensitivity="sensitive"), 202
    )
    await door.settle()
    believed = (await door.actors.believed(door.user)).entities.values()
    one, other = (next(each.entity_id for each in believed if each.name == name) for name in ("Elena", "Zoe"))
    await door.actors.turn(door.user, MergeEntities(command_id="one", winner_id=one, loser_id=other), {})
    assert await undo(low, command_id="one") == NOTHING
    await door.post("/v1/undo", {"command_id": "one"})
