"""Omi's chat tools, and that neither other wearers nor the log learn what is told."""

from __future__ import annotations

import json
import logging
from typing import Any

import httpx
import pytest

from tests.api.conftest import Door
from tests.api.foreign import served, token_of
from tests.api.test_omi import UID, Omi, mine, omi, segment  # noqa: F401  (one is a fixture)

pytestmark = pytest.mark.postgres


async def test_the_tools_of_the_chat(omi: Omi) -> None:  # noqa: F811
    manifest = (await omi.http.get(f"/omi/{omi.secret}/.well-known/omi-tools.json")).json()
    tools = {each["name"]: each for each in manifest["tools"]}
    assert tools["search_memory"]["endpoint"] == f"/omi/{omi.secret}/tools/search_memory"
    for tool in tools.values():
        assert set(tool) == {
            "name",
            "description",
            "endpoint",
            "method",
            "parameters",
            "auth_required",
            "status_message",
        }
        kinds = {each["type"] for each in tool["parameters"]["properties"].values()}
        assert kinds <= {"string", "integer"}
        assert set(tool["parameters"]["required"]) <= set(tool["parameters"]["properties"])

    async def use(tool: str, /, **arguments: Any) -> Any:
        called = {"uid": UID, "app_id": "01K", "tool_name": tool, "geolocation": {"latitude": 1.0}, **arguments}
        answer = await omi.http.post(tools[tool]["endpoint"], json=called)
        assert answer.status_code == 200, answer.text
        return answer.json()

    told = (await use("remember_fact", text="I play the viola."))["result"]
    assert told.startswith("Done: created (fact f-")
    fact_id = told.split()[-1].rstrip(").")
    assert "viola" in (await use("search_memory", query="Which instrument do I play?", entity_name=None))["result"]
    assert "viola" in (await use("explain_fact", fact_id=fact_id))["result"]
    assert fact_id in (await use("weak_facts", limit=5))["result"]
    assert "Done" in (await use("correct_fact", fact_id=fact_id, statement="I play the cello."))["result"]
    assert "utterances" in (await use("memory_stats"))["result"]
    await omi.door.post("/v1/facts", {"statement": "Nina plays chess", "subject": "Nina"}, 201)
    assert "Nina plays chess" in (await use("get_entity_info", name="Nina"))["result"]
    assert (await use("get_entity_info", name="Nobody")) == {"error": "There is no entity of that name in this memory."}
    assert "query" in (await use("search_memory"))["error"]
    assert "confirm" not in (await use("confirm_fact", fact_id="f-0000000000000000")).get("result", "")
    assert set(await omi.send("tools/delete_everything", {}, 404)) == {"error"}


async def test_the_chat_is_told_when_something_was_said_where_its_wearer_lives(omi: Omi) -> None:  # noqa: F811
    await omi.door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Pacific/Auckland"})
    await omi.heard(mine("s1", "The spare key lies under the blue pot.", 0.0, 0.0))
    found = await omi.send("tools/search_memory", {"query": "Where is the spare key?"})
    assert found["result"] == "2026-03-02 01:00, Maya: The spare key lies under the blue pot."


async def test_the_tools_with_a_token_in_a_header(omi: Omi) -> None:  # noqa: F811
    headers = {"Authorization": f"Bearer {omi.secret}"}
    assert (await omi.http.get("/.well-known/omi-tools.json")).status_code == 401
    manifest = (await omi.http.get("/.well-known/omi-tools.json", headers=headers)).json()
    endpoint = manifest["tools"][0]["endpoint"]
    assert (await omi.http.post(endpoint, json={"query": "hello"}, headers=headers)).json().keys() == {"result"}
    assert (await omi.http.post(endpoint, json={"query": "hello"})).status_code == 401


async def test_nobody_hears_what_others_wear(omi: Omi, door: Door) -> None:  # noqa: F811
    await omi.heard(mine("s1", "The spare key lies under the blue pot.", 0, 1))
    omi.secret = await token_of(door, f"{door.user}-other")
    assert "blue pot" not in json.dumps(await omi.send("tools/search_memory", {"query": "Where is the spare key?"}))


async def test_the_secret_is_told_nobody(
    omi: Omi,  # noqa: F811
    door: Door,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no words")

    told = []
    async with served(door) as url, httpx.AsyncClient(base_url=url) as http:
        base = f"/omi/{omi.secret}"
        for path in ("transcript", "conversation", "day-summary", "audio", "nowhere", "tools/nothing"):
            told.append(await http.post(f"{base}/{path}?uid=1", content=b"{"))
        told.append(await http.delete(f"{base}/transcript"))
        told.append(await http.get(f"{base}/%00"))
        told.append(await http.post("/omi/not-the-secret-at-all/transcript", content=b"{}"))
        monkeypatch.setattr(door.app.stores.intake.capture, "store", broken)
        told.append(await http.post(f"{base}/transcript", json=[segment("s1", "Hello.", 0, 1)]))
    assert [each.status_code for each in told] == [200, 200, 200, 200, 404, 404, 405, 404, 401, 500]
    await door.app.trail.flush()
    trail = await door.rows("SELECT * FROM audit WHERE user_id = %(user)s", user=door.user)
    assert {row["route"] for row in trail} >= {"POST /omi/{secret}/transcript"}
    # the client and uvicorn's own log, which Memoray leaves off, name every address
    ours = [each for each in caplog.records if not each.name.startswith(("http", "uvicorn.access"))]
    logged = " ".join(logging.Formatter().format(each) for each in ours)
    everything = " ".join([logged, repr(trail), *(each.text for each in told), *(repr(e.headers) for e in told)])
    assert omi.secret not in everything
    assert "not-the-secret-at-all" not in everything
