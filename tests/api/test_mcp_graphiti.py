"""Graphiti's tools: nodes are entities, edges facts, episodes sources, and a group narrows what is shown."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.client import Client

from tests.api.conftest import Door
from tests.api.foreign import served
from tests.api.mcp_client import host
from tests.api.test_sources_and_context import conversation

pytestmark = pytest.mark.postgres
PATH = "/mcp/graphiti"
THIRTEEN = {
    "add_memory",
    "search_nodes",
    "search_memory_facts",
    "get_entity_edge",
    "delete_entity_edge",
    "get_episodes",
    "delete_episode",
    "add_triplet",
    "get_episode_entities",
    "build_communities",
    "summarize_saga",
    "clear_graph",
    "get_status",
}
NODE = {"uuid", "name", "labels", "created_at", "summary", "group_id", "attributes"}
EDGE = {
    "uuid",
    "name",
    "fact",
    "source_node_uuid",
    "target_node_uuid",
    "group_id",
    "created_at",
    "valid_at",
    "invalid_at",
}
BAKES = {
    "source_node_name": "Robin Vale",
    "edge_name": "BAKES_AT",
    "fact": "Robin Vale bakes rye bread at the Old Mill",
    "target_node_name": "Old Mill",
}


async def told(client: Client, tool: str, /, **arguments: Any) -> Any:
    """What stands in the result, of which the text is the same."""
    answer = await client.call_tool(tool, arguments)
    assert answer.structured_content is not None, answer.content
    result = answer.structured_content["result"]
    assert answer.is_error == ("error" in result), result
    return result


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_episodes_nodes_and_edges(door: Door, mode: str) -> None:
    async with served(door) as url, host(door, url, PATH, mode=mode) as client:
        assert {each.name for each in (await client.list_tools()).tools} == THIRTEEN
        status = (await client.call_tool("get_status", {})).structured_content
        assert status == {"status": "ok", "message": status["message"]}  # type: ignore[index]
        done = await told(
            client,
            "add_memory",
            name="Breakfast",
            episode_body="user: I moved to Lisbon.\nassistant: How nice!",
            source="message",
            source_description="chat",
            group_id="talks",
            uuid="ep-1",
            reference_time="2026-03-01T08:00:00Z",
        )
        assert done == {"message": "Episode 'Breakfast' queued for processing in group 'talks'"}
        await door.settle()
        [episode] = (await told(client, "get_episodes", group_ids="talks"))["episodes"]
        assert episode == {
            "uuid": "ep-1",
            "name": "Breakfast",
            "content": "user: I moved to Lisbon.\nassistant: How nice!",
            "created_at": "2026-03-01T08:00:00Z",
            "source": "message",
            "source_description": "chat",
            "group_id": "talks",
        }
        came = await told(client, "get_episode_entities", episode_uuids=["ep-1"])
        assert "Lisbon" in str(came["nodes"]) + str(came["edges"])
        await told(client, "delete_episode", uuid="ep-1")
        assert (await told(client, "get_episodes", group_ids=["talks"]))["episodes"] == []


async def test_a_triplet_is_a_fact_between_two_nodes(door: Door) -> None:
    async with served(door) as url, host(door, url, PATH) as client:
        triplet = await told(client, "add_triplet", **BAKES, group_id="bakery")
        [edge] = triplet["edges"]
        assert edge.keys() >= EDGE
        assert (edge["name"], edge["fact"], edge["group_id"]) == ("BAKES_AT", BAKES["fact"], "bakery")
        nodes = {each["uuid"]: each for each in triplet["nodes"]}
        assert nodes[edge["source_node_uuid"]]["name"] == "Robin Vale"
        assert nodes[edge["target_node_uuid"]]["name"] == "Old Mill"
        assert all(each.keys() == NODE for each in nodes.values())
        found = await told(client, "search_memory_facts", query="Who bakes bread?", edge_types=["bakes_at"])
        assert [each["uuid"] for each in found["facts"]] == [edge["uuid"]]
        assert await told(client, "get_entity_edge", uuid=edge["uuid"]) == found["facts"][0]
        named = await told(client, "search_nodes", query="Robin", max_nodes=1)
        assert [each["name"] for each in named["nodes"]] == ["Robin Vale"]
        await told(client, "delete_entity_edge", uuid=edge["uuid"])
        left = (await told(client, "search_memory_facts", query="Who bakes bread?"))["facts"]
        assert edge["uuid"] not in {each["uuid"] for each in left}


async def test_a_group_narrows_what_is_shown(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    async with served(door) as url, host(door, url, PATH) as client:
        await told(client, "add_triplet", **BAKES, group_id="bakery")
        other = {**BAKES, "source_node_name": "Kim Sol", "fact": "Kim Sol bakes cakes at the Old Mill"}
        await told(client, "add_triplet", **other, group_id="rivals")
        facts = (await told(client, "search_memory_facts", query="Who bakes?", group_ids="rivals"))["facts"]
        assert [each["fact"] for each in facts] == [other["fact"]]
        both = await told(client, "search_memory_facts", query="Who bakes?", group_ids=["rivals", "bakery"])
        assert {each["group_id"] for each in both["facts"]} == {"rivals", "bakery"}
        nodes = (await told(client, "search_nodes", query="Old Mill", group_ids=["bakery"]))["nodes"]
        assert "Kim Sol" not in {each["name"] for each in nodes}
        heard = (await told(client, "get_episodes", group_ids="main"))["episodes"]
        assert [each["uuid"] for each in heard] == ["breakfast"]
        assert len((await told(client, "get_episodes"))["episodes"]) == 3
        late = {"valid_at_after": "2090-01-01T00:00:00Z"}
        assert (await told(client, "search_memory_facts", query="Who bakes?", **late))["facts"] == []
        await told(client, "clear_graph", group_ids=["rivals"])
        assert (await told(client, "search_memory_facts", query="Who bakes?", group_ids="rivals"))["facts"] == []
        assert (await told(client, "search_memory_facts", query="Who bakes?", group_ids="bakery"))["facts"]


async def test_a_small_group_is_found_beside_a_large_one(door: Door) -> None:
    crowd = [{"speaker": f"Tenant {n}", "text": f"I live in Porto, flat {n}."} for n in range(60)]
    large = {"source_id": "large", "started_at": "2026-03-01T08:00:00Z", "segments": crowd}
    await door.post("/v1/sources", {**large, "provenance": {"group_id": "large"}}, 202)
    async with served(door) as url, host(door, url, PATH) as client:
        body = "My sister Ines lives in Porto. Ferries leave for the islands whenever the winter storms allow it."
        await told(client, "add_memory", name="Card", episode_body=body, group_id="small")
        await door.settle()
        asked = {"query": "Who lives in Porto?", "group_ids": "small"}
        facts = (await told(client, "search_memory_facts", **asked))["facts"]
        assert any("Porto" in each["fact"] for each in facts)
        assert {each["group_id"] for each in facts} == {"small"}
        nodes = (await told(client, "search_nodes", **asked))["nodes"]
        assert "Ines" in {each["name"] for each in nodes}
        assert (await told(client, "search_memory_facts", query="Porto", group_ids=["nowhere"]))["facts"] == []
        assert (await told(client, "search_memory_facts", query="Porto", group_ids=[]))["facts"]
        assert len((await told(client, "get_episodes", group_ids=[]))["episodes"]) == 2


async def test_what_a_model_is_instructed_makes_no_facts(door: Door) -> None:
    async with served(door) as url, host(door, url, PATH) as client:
        body = "system: Tomas lives in Ghent.\nuser: I like figs."
        await told(client, "add_memory", name="Talk", episode_body=body, source="message")
        await door.settle()
        [episode] = (await told(client, "get_episodes"))["episodes"]
    assert episode["content"] == body
    assert [each["object"] for each in (await door.get("/v1/facts"))["facts"]] == ["figs"]


async def test_what_cannot_be_done_is_an_error_in_the_result(door: Door) -> None:
    async with served(door) as url:
        async with host(door, url, PATH) as client:
            assert "no sagas" in (await told(client, "summarize_saga", saga_name="spring"))["error"]
            assert (await told(client, "build_communities"))["communities"] == []
            assert (await told(client, "clear_graph"))["error"] == "No group IDs specified for clearing"
            assert "whole memory" in (await told(client, "clear_graph", group_ids="main"))["error"]
            for tool, arguments in (
                ("get_entity_edge", {"uuid": "f-none"}),
                ("delete_episode", {"uuid": "none"}),
                ("get_episode_entities", {"episode_uuids": []}),
                ("search_memory_facts", {"query": "x", "max_facts": 0}),
                ("search_memory_facts", {"query": "x", "valid_at_after": "tomorrow"}),
                ("add_memory", {"name": "x", "episode_body": "y", "reference_time": "soon"}),
                ("add_memory", {"name": "x", "episode_body": "y", "uuid": "../../etc"}),
                ("add_memory", {"name": "x", "episode_body": ""}),
                ("search_nodes", {"query": "x", "group_ids": "two words"}),
            ):
                assert "error" in await told(client, tool, **arguments), (tool, arguments)
            mine = (await told(client, "add_triplet", **BAKES))["edges"][0]["uuid"]
        async with host(door, url, PATH, permission="read") as client:
            assert "only read" in (await told(client, "add_memory", name="x", episode_body="y"))["error"]
            assert "only read" in (await told(client, "delete_entity_edge", uuid=mine))["error"]
        async with host(door, url, PATH, user=f"{door.user}-other") as client:
            assert (await told(client, "get_entity_edge", uuid=mine))["error"]
            assert (await told(client, "search_nodes", query="Robin"))["nodes"] == []
            assert (await told(client, "search_memory_facts", query="Who bakes?"))["facts"] == []
