"""Graphiti's REST service, as its clients ask it: messages, episodes, facts, groups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from deployments.gateway import create_app
from tests.api.conftest import Door
from tests.api.foreign import token_of

pytestmark = pytest.mark.postgres
EDGE = {
    "uuid",
    "name",
    "fact",
    "valid_at",
    "invalid_at",
    "created_at",
    "expired_at",
    "source_node_uuid",
    "target_node_uuid",
    "episodes",
}
SAID = (
    ("ep-1", "I moved to Lisbon.", "2026-03-01T08:00:00Z"),
    ("ep-2", "My sister Elena lives in Porto.", "2026-03-01T08:01:00Z"),
)


@pytest.fixture
async def client(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    async with await speaking(door, door.user) as opened:
        yield opened


async def speaking(door: Door, user: str, permission: str = "write") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {await token_of(door, user, permission)}"}
    return httpx.AsyncClient(transport=transport, base_url="http://test/graphiti", headers=headers)


async def asked(client: httpx.AsyncClient, method: str, path: str, status: int = 200, **request: Any) -> Any:
    answer = await client.request(method, path, **request)
    assert answer.status_code == status, answer.text
    found = answer.json()
    if status >= 400:
        assert answer.headers["content-type"] == "application/json"
        assert found.keys() == {"detail"}
        assert isinstance(found["detail"], str)
    return found


async def told(client: httpx.AsyncClient, group: str, *said: tuple[str, str, str]) -> None:
    messages = [
        {
            "uuid": uuid,
            "content": text,
            "role_type": "user",
            "role": None,
            "timestamp": at,
            "name": "chat",
            "source_description": "a test",
        }
        for uuid, text, at in said
    ]
    done = await asked(client, "POST", "/messages", 202, json={"group_id": group, "messages": messages})
    assert done == {"message": "Messages added to processing queue", "success": True}


async def facts(client: httpx.AsyncClient, query: str, *groups: str, **more: Any) -> list[dict[str, Any]]:
    body = {"query": query, "group_ids": list(groups) or None, **more}
    found: list[dict[str, Any]] = (await asked(client, "POST", "/search", json=body))["facts"]
    assert all(each.keys() == EDGE for each in found)
    return found


async def test_messages_become_episodes_and_facts(door: Door, client: httpx.AsyncClient) -> None:
    assert await asked(client, "GET", "/healthcheck") == {"status": "healthy"}
    await told(client, "maya", *SAID)
    await told(client, "other", ("ep-9", "Elena bakes bread.", "2026-03-02T08:00:00Z"))
    shown = await asked(client, "GET", "/episodes/maya?last_n=5")
    assert [(each["uuid"], each["content"]) for each in shown] == [
        ("ep-1", "(user): I moved to Lisbon."),
        ("ep-2", "(user): My sister Elena lives in Porto."),
    ]
    assert (shown[0]["valid_at"], shown[0]["group_id"], shown[0]["source"]) == (
        "2026-03-01T08:00:00Z",
        "maya",
        "message",
    )
    assert [each["uuid"] for each in await asked(client, "GET", "/episodes/maya?last_n=1")] == ["ep-2"]
    await door.settle()
    found = await facts(client, "Where does Elena live?", "maya")
    edge = next(each for each in found if "Porto" in each["fact"])
    assert (edge["episodes"], edge["invalid_at"], edge["expired_at"]) == (["ep-2"], None, None)
    assert edge["source_node_uuid"].startswith("e-")
    assert not any("bread" in each["fact"] for each in found)
    assert await facts(client, "Elena bread", "nobody") == []
    assert any("bread" in each["fact"] for each in await facts(client, "Who bakes bread?"))
    assert any("bread" in each["fact"] for each in await facts(client, "Who bakes bread?", "other", "maya"))
    assert len(await facts(client, "Elena", max_facts=1)) == 1
    body = {
        "group_id": "maya",
        "center_node_uuid": None,
        "max_facts": 5,
        "messages": [{"content": "Where does my sister live?", "role_type": "user", "role": "Maya"}],
    }
    assert edge in (await asked(client, "POST", "/get-memory", json=body))["facts"]
    assert await asked(client, "GET", f"/entity-edge/{edge['uuid']}") == edge
    gone = await asked(client, "DELETE", f"/entity-edge/{edge['uuid']}")
    assert gone == {"message": "Entity Edge deleted", "success": True}
    await asked(client, "GET", f"/entity-edge/{edge['uuid']}", 404)
    assert not any("Porto" in each["fact"] for each in await facts(client, "Where does Elena live?", "maya"))


async def test_what_is_deleted_is_forgotten_and_nothing_else(door: Door, client: httpx.AsyncClient) -> None:
    own = {"source_id": "own", "started_at": "2026-03-01T08:00:00Z", "segments": [{"speaker": "Maya", "text": "Own."}]}
    await door.post("/v1/sources", own, 202)
    await told(client, "maya", *SAID)
    await told(client, "team/7", ("ep-9", "Elena bakes bread.", "2026-03-02T08:00:00Z"))
    await asked(
        client,
        "POST",
        "/entity-node",
        201,
        json={"uuid": "n-1", "group_id": "maya", "name": "Elena", "summary": "A baker in Porto."},
    )
    assert await asked(client, "DELETE", "/episode/ep-1") == {"message": "Episode deleted", "success": True}
    await asked(client, "DELETE", "/episode/ep-1", 404)
    await asked(client, "DELETE", "/episode/own", 404)
    assert [each["uuid"] for each in await asked(client, "GET", "/episodes/maya")] == ["ep-2"]
    assert await asked(client, "DELETE", "/group/maya") == {"message": "Group deleted", "success": True}
    await asked(client, "DELETE", "/group/maya")
    left = {each["source_id"] for each in (await door.get("/v1/sources"))["sources"]}
    assert left == {"own", "graphiti-ep-9"}
    assert [each["uuid"] for each in await asked(client, "GET", "/episodes/team/7")] == ["ep-9"]
    assert await asked(client, "POST", "/clear") == {"message": "Graph cleared", "success": True}
    assert {each["source_id"] for each in (await door.get("/v1/sources"))["sources"]} == {"own"}


async def test_a_node_tells_what_is_known_of_it(door: Door, client: httpx.AsyncClient) -> None:
    body = {"uuid": "n-1", "group_id": "maya", "name": "Elena", "summary": "Elena lives in Porto."}
    node = await asked(client, "POST", "/entity-node", 201, json=body)
    assert {name: node[name] for name in body} == body
    assert (node["labels"], node["attributes"]) == (["Entity"], {})
    found = (await door.get("/v1/context", query="Elena", cut="none"))["results"]
    assert "Elena lives in Porto." in found[0]["text"]
    assert await asked(client, "GET", "/episodes/maya") == []


async def test_the_same_message_again_is_the_same_episode(client: httpx.AsyncClient) -> None:
    for _ in range(2):
        await told(client, "maya", SAID[0])
    unnamed = {"content": "Hello", "role_type": "assistant", "timestamp": "2026-03-01T09:00:00Z"}
    for _ in range(2):
        await asked(client, "POST", "/messages", 202, json={"group_id": "maya", "messages": [unnamed]})
    assert len(await asked(client, "GET", "/episodes/maya")) == 2


async def test_memories_are_apart_whatever_the_group(door: Door, client: httpx.AsyncClient) -> None:
    await told(client, "shared", *SAID)
    await door.settle()
    edge = (await facts(client, "Where does Elena live?"))[0]
    async with await speaking(door, f"{door.user}-ben") as ben:
        assert await facts(ben, "Where does Elena live?", "shared") == []
        assert await asked(ben, "GET", "/episodes/shared") == []
        for method, path in (
            ("GET", f"/entity-edge/{edge['uuid']}"),
            ("DELETE", f"/entity-edge/{edge['uuid']}"),
            ("DELETE", "/episode/ep-1"),
        ):
            await asked(ben, method, path, 404)
        await asked(ben, "DELETE", "/group/shared")
        await asked(ben, "POST", "/clear")
    assert len(await asked(client, "GET", "/episodes/shared")) == 2


async def test_refusals_are_told_as_graphiti_tells_them(door: Door, client: httpx.AsyncClient) -> None:
    await told(client, "maya", *SAID)
    async with await speaking(door, door.user, "read") as reader:
        assert len(await asked(reader, "GET", "/episodes/maya")) == 2
        await facts(reader, "Lisbon")
        for method, path, body in (
            ("POST", "/messages", {"group_id": "maya", "messages": []}),
            ("DELETE", "/group/maya", None),
            ("DELETE", "/episode/ep-1", None),
            ("POST", "/clear", None),
            ("DELETE", "/entity-edge/f-0", None),
        ):
            await asked(reader, method, path, 403, json=body)
    stranger = httpx.AsyncClient(transport=httpx.ASGITransport(create_app(door.app)), base_url="http://test/graphiti")
    await asked(stranger, "POST", "/search", 401, json={"query": "x"})
    await asked(client, "GET", "/nowhere", 404)
    await asked(client, "PATCH", "/messages", 405)
    for body in (
        {},
        {"query": ""},
        {"query": "x", "group_ids": "maya"},
        {"query": "x", "groups": ["maya"]},
        {"query": "x", "max_facts": 0},
        {"query": "a\x00"},
    ):
        await asked(client, "POST", "/search", 422, json=body)
    for message in (
        {"content": "x"},
        {"content": "", "role_type": "user"},
        {"content": "x", "role_type": "god"},
        {"content": "x", "role_type": "user", "timestamp": "soon"},
        {"content": "x", "role_type": "user", "uuid": "../x"},
    ):
        await asked(client, "POST", "/messages", 422, json={"group_id": "maya", "messages": [message]})
    await asked(client, "GET", "/episodes/maya?last_n=0", 422)
    assert len(await asked(client, "GET", "/episodes/maya")) == 2


async def test_what_a_model_is_instructed_makes_no_facts(door: Door, client: httpx.AsyncClient) -> None:
    said = {"content": "Tomas lives in Ghent.", "role_type": "system", "role": "setup", "uuid": "ep-1"}
    await asked(client, "POST", "/messages", 202, json={"group_id": "maya", "messages": [said]})
    await door.settle()
    assert (await door.get("/v1/facts"))["facts"] == []
    [episode] = await asked(client, "GET", "/episodes/maya")
    assert episode["content"] == "setup(system): Tomas lives in Ghent."
