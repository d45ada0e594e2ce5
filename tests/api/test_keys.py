"""An Idempotency-Key is one command: again it changes nothing, and for something else it is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memory.errors import Unavailable
from tests.api.conftest import Door

KEY = {"Idempotency-Key": "once"}


async def _facts(door: Door) -> tuple[str, str]:
    told = [await door.post("/v1/facts", {"text": text}, 201) for text in ("I like tea.", "I live in Oslo.")]
    return told[0]["fact_id"], told[1]["fact_id"]


async def _people(door: Door) -> tuple[str, str]:
    for name in ("Elena", "Marc"):
        await door.post("/v1/facts", {"statement": f"{name} keeps bees", "subject": name}, 201)
    found = {each["name"]: each["entity_id"] for each in (await door.get("/v1/entities"))["entities"]}
    return found["Elena"], found["Marc"]


async def _send(door: Door, path: str, body: Any = None) -> httpx.Response:
    return await door.client.post(path, json=body, headers=KEY)


@pytest.mark.parametrize("verb", ["confirm", "forget", "protect"])
async def test_a_key_of_one_fact_does_nothing_to_another(door: Door, verb: str) -> None:
    tea, oslo = await _facts(door)
    first = await _send(door, f"/v1/facts/{tea}/{verb}")
    before = await door.get(f"/v1/facts/{oslo}")
    refused = await _send(door, f"/v1/facts/{oslo}/{verb}")
    assert (first.status_code, refused.status_code) == (200, 409)
    assert refused.json()["command_id"] == "once"
    again = await _send(door, f"/v1/facts/{tea}/{verb}")
    assert (again.status_code, again.json()) == (200, first.json())
    after = await door.get(f"/v1/facts/{oslo}")
    assert {**after, "strength": 0} == {**before, "strength": 0}


async def test_a_key_of_one_correction_corrects_no_other_fact(door: Door) -> None:
    tea, oslo = await _facts(door)
    body = {"statement": "I like coffee."}
    first = await _send(door, f"/v1/facts/{tea}/correct", body)
    assert (await _send(door, f"/v1/facts/{tea}/correct", body)).json() == first.json()
    assert (await _send(door, f"/v1/facts/{oslo}/correct", {"statement": "I live in Bergen."})).status_code == 409
    assert (await door.get(f"/v1/facts/{oslo}"))["status"] == "active"


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("rename", {"name": "Elli"}),
        ("alias", {"alias": "Elli"}),
        ("retype", {"type": "organization"}),
        ("notes", {"text": "Likes cake."}),
    ],
)
async def test_a_key_of_one_entity_does_nothing_to_another(door: Door, verb: str, body: dict[str, str]) -> None:
    elena, marc = await _people(door)
    first = await _send(door, f"/v1/entities/{elena}/{verb}", body)
    assert first.status_code in (200, 201)
    assert (await _send(door, f"/v1/entities/{marc}/{verb}", body)).status_code == 409
    assert (await _send(door, f"/v1/entities/{elena}/{verb}", body)).json() == first.json()
    page = await door.get(f"/v1/entities/{marc}")
    assert (page["name"], page["aliases"], page["entity_type"], page["notes"]) == ("Marc", [], "person", [])


async def test_a_key_of_one_name_gives_no_other(door: Door) -> None:
    elena, _ = await _people(door)
    assert (await _send(door, f"/v1/entities/{elena}/rename", {"name": "Elli"})).status_code == 200
    assert (await _send(door, f"/v1/entities/{elena}/rename", {"name": "Nelli"})).status_code == 409
    assert (await door.get(f"/v1/entities/{elena}"))["name"] == "Elli"


async def test_a_command_that_is_sent_again_late_is_one_fact(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are kept before its turn, and whoever read them meanwhile would find another subject in them."""
    told = {"statement": "Nora Nordgren-345 lives in Porto", "subject": "Nora Nordgren-345"}
    told |= {"predicate": "lives_in", "object": "Porto"}
    with monkeypatch.context() as away:
        away.setattr(door.actors, "turn", _away)
        assert (await door.client.post("/v1/facts", json=told, headers=KEY)).status_code == 503
        await door.settle()
    assert (await door.get("/v1/context", query="Where does Nora live?"))["results"], "the words are found at once"
    assert (await door.get("/v1/stats"))["pending"] == {"embedding": 0, "extraction": 0, "graph": 0}
    assert (await door.client.post("/v1/facts", json=told, headers=KEY)).status_code == 201
    await door.settle()
    [fact] = (await door.get("/v1/facts"))["facts"]
    assert fact["subject"] == told["subject"]


async def _away(*_: object) -> Any:
    raise Unavailable


async def test_an_undo_that_is_sent_again_is_answered_as_it_was(door: Door) -> None:
    tea, _ = await _facts(door)
    await door.client.post(f"/v1/facts/{tea}/forget", headers={"Idempotency-Key": "forgotten"})
    first = await _send(door, "/v1/undo", {"command_id": "forgotten"})
    again = await _send(door, "/v1/undo", {"command_id": "forgotten"})
    assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
    await door.post("/v1/undo", {"command_id": "forgotten"}, 409)
