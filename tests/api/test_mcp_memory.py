"""The tools of MCP's official memory server: its graph is this memory's."""

from __future__ import annotations

import json

import pytest

from tests.api.conftest import Door
from tests.api.foreign import served
from tests.api.mcp_client import host, refused, told
from tests.api.test_sources_and_context import conversation

pytestmark = pytest.mark.postgres
PATH = "/mcp/memory"
ROBIN = {"name": "Robin_Vale", "entityType": "person", "observations": ["Speaks fluent Welsh", "Keeps three hens"]}
MILL = {"name": "Old Mill", "entityType": "Bakery", "observations": []}
WORKS = {"from": "Robin_Vale", "to": "Old Mill", "relationType": "bakes_at"}
NINE = [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_graph_through_its_life(door: Door, mode: str) -> None:
    async with served(door) as url, host(door, url, PATH, mode=mode) as client:
        assert await told(client, "create_entities", entities=[ROBIN, MILL]) == {"entities": [ROBIN, MILL]}
        assert await told(client, "create_entities", entities=[ROBIN, MILL]) == {"entities": []}
        assert await told(client, "create_relations", relations=[WORKS, WORKS]) == {"relations": [WORKS]}
        added = [{"entityName": "Robin_Vale", "contents": ["Keeps three hens", "Sings bass"]}]
        fresh = {"results": [{"entityName": "Robin_Vale", "addedObservations": ["Sings bass"]}]}
        assert await told(client, "add_observations", observations=added) == fresh
        graph = await told(client, "read_graph")
        assert graph["entities"] == [{**ROBIN, "observations": [*ROBIN["observations"], "Sings bass"]}, MILL]
        assert graph["relations"] == [WORKS]
        found = await told(client, "search_nodes", query="welsh")
        assert [each["name"] for each in found["entities"]] == ["Robin_Vale"]
        assert found["relations"] == [WORKS]
        assert (await told(client, "search_nodes", query="bakery"))["entities"] == [MILL]
        assert (await told(client, "search_nodes", query="submarine")) == {"entities": [], "relations": []}
        assert (await told(client, "open_nodes", names=["Old Mill", "nobody"]))["entities"] == [MILL]

        gone = [{"entityName": "Robin_Vale", "observations": ["Sings bass", "never said"]}]
        done = await told(client, "delete_observations", deletions=gone)
        assert done == {"success": True, "message": "Deleted 1 of 2 observations."}
        done = await told(client, "delete_relations", relations=[WORKS])
        assert done == {"success": True, "message": "Relations deleted successfully"}
        graph = await told(client, "read_graph")
        assert graph["relations"] == []
        assert "Sings bass" not in json.dumps(graph)
        done = await told(client, "delete_entities", entityNames=["Robin_Vale"])
        assert done == {"success": True, "message": "Entities deleted successfully"}
        assert (await told(client, "read_graph"))["entities"] == [MILL]
        assert (await door.get("/v1/facts", subject="Robin_Vale"))["facts"] == []
        assert "Welsh" not in json.dumps((await door.get("/v1/context", query="Who speaks Welsh?"))["results"])


async def test_what_is_told_is_facts_and_what_was_heard_is_in_the_graph(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    heard = (await door.get("/v1/facts"))["facts"]
    assert heard
    async with served(door) as url, host(door, url, PATH) as client:
        graph = await told(client, "read_graph")
        everything = json.dumps(graph, ensure_ascii=False)
        assert all(each["subject"] in everything and each["statement"] in everything for each in heard)
        named = next(each["name"] for each in graph["entities"] if each["observations"])
        assert (await told(client, "search_nodes", query=named))["entities"]
        await told(client, "create_entities", entities=[ROBIN, MILL])
        await told(client, "create_relations", relations=[WORKS])
    facts = {each["statement"]: each for each in (await door.get("/v1/facts", subject="Robin_Vale"))["facts"]}
    assert set(facts) >= {"Robin_Vale: Speaks fluent Welsh", "Robin_Vale bakes at Old Mill"}
    spoken = facts["Robin_Vale: Speaks fluent Welsh"]
    assert spoken["sources"][0]["quote"] == "Speaks fluent Welsh"
    assert (spoken["status"], facts["Robin_Vale bakes at Old Mill"]["predicate"]) == ("active", "bakes_at")
    page = await door.get(f"/v1/sources/{spoken['sources'][0]['source_id']}")
    assert "Speaks fluent Welsh" in page["segments"][0]["text"]
    found = await door.get("/v1/context", query="Who speaks Welsh?")
    assert "Welsh" in found["results"][0]["text"]


async def test_what_is_wrong_is_told_and_nothing_is_done(door: Door) -> None:
    async with served(door) as url:
        async with host(door, url, PATH) as client:
            listed = (await client.list_tools()).tools
            assert [each.name for each in listed] == NINE
            assert all(each.output_schema and each.output_schema["type"] == "object" for each in listed)
            why = await refused(client, "create_relations", relations=[WORKS])
            assert why == "Entity with name Robin_Vale not found"
            assert "entityType" in await refused(client, "create_entities", entities=[{"name": "x"}])
            assert "secret words" not in await refused(client, "search_nodes", query=1, more="secret words")
            blank = {**MILL, "observations": [" "]}
            assert "observations" in await refused(client, "create_entities", entities=[blank])
            done = await told(client, "delete_entities", entityNames=["nobody"])
            assert done["message"] == "Deleted 0 of 1 entities. Not found: nobody"
            assert (await told(client, "read_graph"))["entities"] == []
            await told(client, "create_entities", entities=[MILL])
            resource = await client.read_resource("memory://knowledge-graph")
            assert json.loads(resource.contents[0].text)["entities"] == [MILL]  # type: ignore[union-attr]
        async with host(door, url, PATH, permission="read") as client:
            assert "only read" in await refused(client, "create_entities", entities=[ROBIN])
            assert (await told(client, "read_graph"))["entities"] == [MILL]
        async with host(door, url, PATH, user=f"{door.user}-other") as client:
            assert (await told(client, "read_graph")) == {"entities": [], "relations": []}


@pytest.mark.parametrize("name", ["", "Maya"])
async def test_whoever_is_called_user_or_me_is_the_owner(door: Door, name: str) -> None:
    await door.client.put("/v1/profile", json={"name": name, "time_zone": "Europe/Lisbon"})
    own = {"name": "User", "entityType": "person", "observations": ["Likes figs"]}
    again = {**own, "name": "me", "observations": ["Likes figs", "Runs at dawn"]}
    async with served(door) as url, host(door, url, PATH) as client:
        assert await told(client, "create_entities", entities=[own, MILL]) == {"entities": [own, MILL]}
        assert await told(client, "create_entities", entities=[own, MILL]) == {"entities": []}
        fresh = {**again, "observations": ["Runs at dawn"]}
        assert await told(client, "create_entities", entities=[again]) == {"entities": [fresh]}
        added = [{"entityName": "user", "contents": ["Plays chess"]}]
        await told(client, "add_observations", observations=added)
        relation = {"from": "User", "to": "Old Mill", "relationType": "buys_at"}
        assert await told(client, "create_relations", relations=[relation]) == {"relations": [relation]}
        [node] = (await told(client, "open_nodes", names=["User", "me"]))["entities"]
        assert node["name"] == (name or "owner")
        assert node["observations"] == ["Likes figs", "Runs at dawn", "Plays chess"]
        found = await told(client, "search_nodes", query="user")
        assert (found["entities"], found["relations"]) == ([node], [{**relation, "from": node["name"]}])
        gone = [{"entityName": "User", "observations": ["likes figs"]}]
        done = await told(client, "delete_observations", deletions=gone)
        assert done["message"] == "Observations deleted successfully"
        [node] = (await told(client, "open_nodes", names=["User"]))["entities"]
        assert node["observations"] == ["Runs at dawn", "Plays chess"]


async def test_a_name_in_other_letters_is_the_same_and_is_left_out_of_what_is_observed(door: Door) -> None:
    async with served(door) as url, host(door, url, PATH) as client:
        await told(client, "create_entities", entities=[ROBIN])
        await told(client, "create_entities", entities=[{**ROBIN, "name": "robin_vale", "observations": ["Rows"]}])
        [node] = (await told(client, "read_graph"))["entities"]
    assert node == {**ROBIN, "observations": [*ROBIN["observations"], "Rows"]}


async def test_what_something_is_stands_in_the_graph_as_a_relation_too(door: Door) -> None:
    dog = {"name": "Dog", "entityType": "species", "observations": []}
    rex = {"name": "Rex", "entityType": "pet", "observations": []}
    is_a = {"from": "Rex", "to": "Dog", "relationType": "is_a"}
    async with served(door) as url, host(door, url, PATH) as client:
        await told(client, "create_entities", entities=[rex, dog])
        assert await told(client, "create_relations", relations=[is_a]) == {"relations": [is_a]}
        assert await told(client, "read_graph") == {"entities": [rex, dog], "relations": [is_a]}
        await told(client, "delete_relations", relations=[is_a])
        assert await told(client, "read_graph") == {"entities": [rex, dog], "relations": []}


async def test_a_search_for_nothing_finds_everything(door: Door) -> None:
    async with served(door) as url, host(door, url, PATH) as client:
        await told(client, "create_entities", entities=[MILL])
        assert (await told(client, "search_nodes", query=""))["entities"] == [MILL]
