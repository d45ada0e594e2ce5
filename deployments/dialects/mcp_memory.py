"""The nine tools of MCP's official memory server, at /mcp/memory: its graph is this memory's.

Names, arguments, answers and messages are that server's. Entities, observations and relations are ordinary facts here
(deployments/use_cases/graph.py); deleting forgets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from operator import itemgetter
from typing import Annotated, Any

import orjson
from pydantic import Field

from deployments.kinds import MOST_ID, Body, ShortText, Text, Words
from deployments.mcp.mount import mcp_dialect
from deployments.mcp.offer import Calling, McpOffer, McpResource, McpTool
from deployments.use_cases import graph
from deployments.use_cases.forgetting import forget_entity
from deployments.use_cases.graph import GraphNode, KnowledgeGraph
from deployments.use_cases.remembering import forget
from memory.errors import NotFound

MOST = 1_000
"""Entities, relations or observations of one call."""
MOST_OBSERVATION = 20_000
"""Characters of one observation."""
MOST_SEARCH = 2_048
"""Characters of a query, as the official server has it."""
Run = Callable[[Calling, Any], Awaitable[dict[str, Any]]]
Name = Annotated[ShortText, Field(min_length=1, max_length=MOST_ID, pattern=r"\S")]
Observation = Annotated[Words, Field(max_length=MOST_OBSERVATION, pattern=r"\S")]


class EntityTold(Body):
    """An entity with what is observed of it."""

    name: Annotated[Name, Field(description="The name of the entity")]
    entityType: Annotated[Name, Field(description="The type of the entity")]
    observations: list[Observation] = Field(
        max_length=MOST, description="An array of observation contents associated with the entity"
    )


class RelationTold(Body):
    """A relation between two entities, in active voice."""

    source: Annotated[Name, Field(alias="from", description="The name of the entity where the relation starts")]
    to: Annotated[Name, Field(description="The name of the entity where the relation ends")]
    relationType: Annotated[Name, Field(description="The type of the relation")]


class ObservationsTold(Body):
    """What is to be observed of an entity."""

    entityName: Annotated[Name, Field(description="The name of the entity to add the observations to")]
    contents: list[Observation] = Field(max_length=MOST, description="An array of observation contents to add")


class Deletion(Body):
    """What is no longer to be observed of an entity."""

    entityName: Annotated[Name, Field(description="The name of the entity containing the observations")]
    observations: list[Observation] = Field(max_length=MOST, description="An array of observations to delete")


class CreateEntities(Body):
    """Entities that are new."""

    entities: list[EntityTold] = Field(max_length=MOST)


class CreateRelations(Body):
    """Relations that are new."""

    relations: list[RelationTold] = Field(max_length=MOST)


class AddObservations(Body):
    """Observations of entities there are."""

    observations: list[ObservationsTold] = Field(max_length=MOST)


class DeleteEntities(Body):
    """Entities to forget."""

    entityNames: list[Name] = Field(max_length=MOST, description="An array of entity names to delete")


class DeleteObservations(Body):
    """Observations to forget."""

    deletions: list[Deletion] = Field(max_length=MOST)


class DeleteRelations(Body):
    """Relations to forget."""

    relations: list[RelationTold] = Field(max_length=MOST, description="An array of relations to delete")


class ReadGraph(Body):
    """Nothing: the graph is read whole."""


class SearchGraph(Body):
    """What is looked for."""

    query: Annotated[
        Text,
        Field(
            max_length=MOST_SEARCH,
            description="The search query to match against entity names, types, and observation content",
        ),
    ]


class OpenNodes(Body):
    """Whom to show."""

    names: list[Name] = Field(max_length=MOST, description="An array of entity names to retrieve")


async def _create_entities(calling: Calling, told: CreateEntities) -> dict[str, Any]:
    """Entities that are there already are not made again; of them what is new is observed."""
    made = []
    for number, each in enumerate(told.entities):
        node = await _node(calling, each.name)
        fresh = graph.fresh(node, each.observations)
        if node is not None and not fresh:
            continue
        kind = each.entityType if node is None else None
        await graph.observe(calling.app, calling.who, f"{calling.key}-{number}", each.name, fresh, kind)
        shown = each.entityType if node is None else node.kind
        made.append({"name": each.name, "entityType": shown, "observations": fresh})
    return {"entities": made}


async def _create_relations(calling: Calling, told: CreateRelations) -> dict[str, Any]:
    names = dict.fromkeys(name for each in told.relations for name in (each.source, each.to))
    nodes = {name: await _found(calling, name) for name in names}
    made: list[dict[str, str]] = []
    for number, each in enumerate(told.relations):
        ends, key = (nodes[each.source].entity, nodes[each.to].entity), f"{calling.key}-{number}"
        if not await graph.relations_between(calling.app, calling.who, ends, each.relationType):
            await graph.relate(calling.app, calling.who, key, (ends[0].name, ends[1].name), each.relationType)
            made.append(each.model_dump(by_alias=True))
    return {"relations": made}


async def _add_observations(calling: Calling, told: AddObservations) -> dict[str, Any]:
    nodes = [await _found(calling, each.entityName) for each in told.observations]
    results = []
    for number, (node, each) in enumerate(zip(nodes, told.observations, strict=True)):
        fresh = graph.fresh(node, each.contents)
        if fresh:
            await graph.observe(calling.app, calling.who, f"{calling.key}-{number}", node.entity.name, fresh)
        results.append({"entityName": each.entityName, "addedObservations": fresh})
    return {"results": results}


async def _delete_entities(calling: Calling, told: DeleteEntities) -> dict[str, Any]:
    missing, names = [], list(dict.fromkeys(told.entityNames))
    for number, name in enumerate(names):
        node = await _node(calling, name)
        if node is None:
            missing.append(name)
        else:
            await forget_entity(calling.app, calling.who, f"{calling.key}-{number}", node.entity.entity_id)
    done = f"Deleted {len(names) - len(missing)} of {len(names)} entities. Not found: {', '.join(missing)}"
    return _done(done if missing else "Entities deleted successfully")


async def _delete_observations(calling: Calling, told: DeleteObservations) -> dict[str, Any]:
    gone: dict[str, None] = {}
    missing, asked, found = [], 0, 0
    for each in told.deletions:
        asked += len(each.observations)
        node = await _node(calling, each.entityName)
        if node is None:
            missing.append(each.entityName)
            continue
        facts = graph.named(node, each.observations)
        found += len(facts)
        gone |= dict.fromkeys(facts)
    await _forget(calling, gone)
    unknown = f" Entities not found: {', '.join(missing)}" if missing else ""
    return _done(
        "Observations deleted successfully" if found == asked else f"Deleted {found} of {asked} observations.{unknown}"
    )


async def _delete_relations(calling: Calling, told: DeleteRelations) -> dict[str, Any]:
    gone: dict[str, None] = {}
    count = 0
    for each in told.relations:
        source, target = await _node(calling, each.source), await _node(calling, each.to)
        if source is not None and target is not None:
            ends = source.entity, target.entity
            facts = await graph.relations_between(calling.app, calling.who, ends, each.relationType)
            count += bool(facts)
            gone |= dict.fromkeys(facts)
    await _forget(calling, gone)
    rest = f"Deleted {count} of {len(told.relations)} relations. The rest matched nothing."
    return _done("Relations deleted successfully" if count == len(told.relations) else rest)


async def _read_graph(calling: Calling, _: Body) -> dict[str, Any]:
    return _shown(await graph.read_graph(calling.app, calling.who))


async def _search_nodes(calling: Calling, asked: SearchGraph) -> dict[str, Any]:
    return _shown(await graph.search_nodes(calling.app, calling.who, asked.query))


async def _open_nodes(calling: Calling, asked: OpenNodes) -> dict[str, Any]:
    return _shown(await graph.open_nodes(calling.app, calling.who, asked.names))


async def _graph_as_text(calling: Calling) -> str:
    return orjson.dumps(await _read_graph(calling, ReadGraph()), option=orjson.OPT_INDENT_2).decode()


async def _node(calling: Calling, name: str) -> GraphNode | None:
    return await graph.find_node(calling.app, calling.who, name)


async def _found(calling: Calling, name: str) -> GraphNode:
    node = await _node(calling, name)
    if node is None:
        raise NotFound(f"Entity with name {name} not found")
    return node


async def _forget(calling: Calling, facts: Mapping[str, None]) -> None:
    for number, fact_id in enumerate(facts):
        await forget(calling.app, calling.who, f"{calling.key}-{number}", fact_id)


def _done(message: str) -> dict[str, Any]:
    return {"success": True, "message": message}


def _shown(drawn: KnowledgeGraph) -> dict[str, Any]:
    return {
        "entities": [
            {"name": each.entity.name, "entityType": each.kind, "observations": [one.text for one in each.observed]}
            for each in drawn.nodes
        ],
        "relations": [
            {"from": each.from_name, "to": each.to_name, "relationType": each.kind} for each in drawn.relations
        ],
    }


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(of)}


def _text(description: str = "") -> dict[str, str]:
    return {"type": "string"} | ({"description": description} if description else {})


_OBSERVATIONS = _list(_text()) | {"description": "An array of observation contents associated with the entity"}
_ENTITIES = _list(
    _object(
        name=_text("The name of the entity"), entityType=_text("The type of the entity"), observations=_OBSERVATIONS
    )
)
_RELATIONS = _list(
    _object(
        **{
            "from": _text("The name of the entity where the relation starts"),
            "to": _text("The name of the entity where the relation ends"),
            "relationType": _text("The type of the relation"),
        }
    )
)
_GRAPH = _object(entities=_ENTITIES, relations=_RELATIONS)
_DONE = _object(success={"type": "boolean"}, message=_text())
_RESULTS = _object(results=_list(_object(entityName=_text(), addedObservations=_list(_text()))))


_ROWS: tuple[tuple[str, str, type[Body], Run, Mapping[str, Any]], ...] = (
    (
        "create_entities",
        "Create multiple new entities in the knowledge graph",
        CreateEntities,
        _create_entities,
        _object(entities=_ENTITIES),
    ),
    (
        "create_relations",
        "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
        CreateRelations,
        _create_relations,
        _object(relations=_RELATIONS),
    ),
    (
        "add_observations",
        "Add new observations to existing entities in the knowledge graph",
        AddObservations,
        _add_observations,
        _RESULTS,
    ),
    (
        "delete_entities",
        "Delete multiple entities and their associated relations from the knowledge graph",
        DeleteEntities,
        _delete_entities,
        _DONE,
    ),
    (
        "delete_observations",
        "Delete specific observations from entities in the knowledge graph",
        DeleteObservations,
        _delete_observations,
        _DONE,
    ),
    (
        "delete_relations",
        "Delete multiple relations from the knowledge graph",
        DeleteRelations,
        _delete_relations,
        _DONE,
    ),
    ("read_graph", "Read the entire knowledge graph", ReadGraph, _read_graph, _GRAPH),
    ("search_nodes", "Search for nodes in the knowledge graph based on a query", SearchGraph, _search_nodes, _GRAPH),
    ("open_nodes", "Open specific nodes in the knowledge graph by their names", OpenNodes, _open_nodes, _GRAPH),
)
"""Name, purpose, arguments, what it does, and the schema of its answer."""


def _says(answers: Mapping[str, Any]) -> Callable[[dict[str, Any]], Any] | None:
    """What the text tells of an answer: the message, what was made, or the whole graph."""
    if answers is _GRAPH:
        return None
    return itemgetter("message" if answers is _DONE else next(iter(answers["properties"])))


TOOLS = tuple(
    McpTool(
        name=name,
        title=name.replace("_", " ").title(),
        purpose=purpose,
        takes=takes,
        run=run,
        writes=answers is not _GRAPH,
        erases=answers is _DONE,
        answers=answers,
        says=_says(answers),
    )
    for name, purpose, takes, run, answers in _ROWS
)
PATH = "/mcp/memory"
_OFFER = McpOffer(
    name="memory-server",
    title="Memoray as a knowledge graph",
    instructions="A knowledge graph of what its owner has said and heard. Observations and relations that are added "
    "here are facts of the same memory, with a source; what was heard elsewhere is in it, too.",
    tools=TOOLS,
    resources=[
        McpResource(
            uri="memory://knowledge-graph",
            name="knowledge-graph",
            title="Knowledge Graph",
            purpose="The full knowledge graph with all entities and relations",
            media_type="application/json",
            read=_graph_as_text,
        )
    ],
)
DIALECT = mcp_dialect("mcp-memory", PATH, _OFFER)
