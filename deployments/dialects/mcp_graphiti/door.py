"""The thirteen tools of Graphiti's MCP server, at /mcp/graphiti: nodes are entities, edges facts, episodes sources.

Names, arguments and answers are that server's: each answers with what was asked for or `{"error": ...}`, in `result`. A
group narrows what is shown of the caller's own memory (deployments/use_cases/episodes.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC
from typing import Annotated, Any

from pydantic import Field, create_model

from deployments.dates import written_moment
from deployments.dialects.mcp_graphiti import shapes as graphiti
from deployments.kinds import MOST_ID, MOST_QUERY, Body, Id, ShortText, Words
from deployments.mcp.mount import mcp_dialect
from deployments.mcp.offer import Calling, McpOffer, McpTool
from deployments.use_cases import episodes, facts, graph, searching
from deployments.use_cases.entities import name_of
from deployments.use_cases.episodes import UNGROUPED
from deployments.use_cases.facts import FactWithEnds
from deployments.use_cases.forgetting import forget_source
from deployments.use_cases.readiness import reachable
from deployments.use_cases.remembering import forget
from memory.errors import Invalid, NotFound
from memory.model.ids import fold

PATH = "/mcp/graphiti"
MOST = 50
"""Nodes, facts or episodes of one answer."""
Name = Annotated[ShortText, Field(min_length=1, max_length=MOST_ID, pattern=r"\S")]
Group = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,200}$", description="A name for what belongs together.")]
Groups = Annotated[list[Group], Field(max_length=100)] | Group | None
Query = Annotated[Words, Field(max_length=MOST_QUERY)]
Answer = dict[str, Any]


class AddMemory(Body):
    """An episode to take in."""

    name: Name
    episode_body: Words
    group_id: Group | None = None
    source: ShortText = "text"
    source_description: ShortText = ""
    uuid: Id | None = None
    reference_time: ShortText | None = None
    excluded_entity_types: list[ShortText] | None = Field(default=None, max_length=100)
    custom_extraction_instructions: ShortText | None = None
    previous_episode_uuids: list[Id] | None = Field(default=None, max_length=100)
    update_communities: bool = False
    saga: ShortText | None = None
    saga_previous_episode_uuid: Id | None = None


class SearchNodes(Body):
    """Which nodes to look for."""

    query: Query
    group_ids: Groups = None
    max_nodes: Annotated[int, Field(ge=1, le=MOST)] = 10
    entity_types: list[ShortText] | None = Field(default=None, max_length=100)
    center_node_uuid: Id | None = None


class SearchFacts(Body):
    """Which facts to look for."""

    query: Query
    group_ids: Groups = None
    max_facts: Annotated[int, Field(ge=1, le=MOST)] = 10
    center_node_uuid: Id | None = None
    edge_types: list[ShortText] | None = Field(default=None, max_length=100)
    valid_at_after: ShortText | None = None
    valid_at_before: ShortText | None = None
    invalid_at_after: ShortText | None = None
    invalid_at_before: ShortText | None = None


class OneUuid(Body):
    """Which one."""

    uuid: Id


class GetEpisodes(Body):
    """Of which groups, and how many."""

    group_ids: Groups = None
    max_episodes: Annotated[int, Field(ge=1, le=MOST)] = 10


class EpisodeUuids(Body):
    """Which episodes."""

    episode_uuids: list[Id] = Field(min_length=1, max_length=MOST)


class AddTriplet(Body):
    """A fact between two nodes."""

    source_node_name: Name
    edge_name: Name
    fact: Annotated[Words, Field(pattern=r"\S")]
    target_node_name: Name
    group_id: Group | None = None
    source_node_uuid: Id | None = None
    target_node_uuid: Id | None = None


class Saga(Body):
    """Which saga."""

    saga_name: ShortText
    group_id: Group | None = None


class OfGroups(Body):
    """Of which groups."""

    group_ids: Groups = None


class GraphitiStatus(Body):
    """Nothing."""


async def _add_memory(calling: Calling, body: AddMemory) -> Answer:
    at = calling.app.clock.now() if body.reference_time is None else _moment("reference_time", body.reference_time)
    group, source = body.group_id or UNGROUPED, body.source.lower()
    told = episodes.EpisodeTold(
        name=body.name,
        body=body.episode_body,
        group=group,
        description=body.source_description,
        at=at,
        source=source if source in ("message", "json") else "text",
    )
    await episodes.tell_episode(calling.app, calling.who, body.uuid or f"episode-{calling.key}", told)
    return {"message": f"Episode '{body.name}' queued for processing in group '{group}'"}


async def _search_nodes(calling: Calling, body: SearchNodes) -> Answer:
    """By their words first, then by what is recalled."""
    app, who = calling.app, calling.who
    asked = searching.ContextParameters(query=body.query, limit=MOST, record_access=False)
    found = await searching.search(app, who, asked, episodes.origins_in(_groups(body.group_ids)))
    near = dict.fromkeys(typed.partition(":")[2] for hit in found.results for typed in hit.entities)
    named = (await graph.search_nodes(app, who, body.query)).nodes
    opened = (await graph.open_nodes(app, who, list(near)[: max(body.max_nodes, 10)])).nodes
    nodes = {each.entity.entity_id: each for each in (*named, *opened)}
    types = None if body.entity_types is None else {fold(each) for each in body.entity_types}
    kept = [each for each in nodes.values() if types is None or types & {*map(fold, graphiti.labels_of(each))}]
    kept.sort(key=lambda each: each.entity.entity_id != body.center_node_uuid)
    shown = (await graphiti.nodes_in(calling.app, calling.who, kept, _groups(body.group_ids)))[: body.max_nodes]
    return {"message": "Nodes retrieved successfully" if shown else "No relevant nodes found", "nodes": shown}


async def _search_facts(calling: Calling, body: SearchFacts) -> Answer:
    asked, fits = searching.ContextParameters(query=body.query, limit=MOST, record_access=False), _fitting(body)
    found = await facts.found(calling.app, calling.who, asked, episodes.origins_in(_groups(body.group_ids)))
    kept = sorted(
        filter(fits, found), key=lambda one: body.center_node_uuid not in (None, one.subject_id, one.object_id)
    )
    shown = (await graphiti.edges_in(calling.app, calling.who, kept, _groups(body.group_ids)))[: body.max_facts]
    return {"message": "Facts retrieved successfully" if shown else "No relevant facts found", "facts": shown}


async def _get_edge(calling: Calling, body: OneUuid) -> Answer:
    fact_id = (await facts.one(calling.app, calling.who, body.uuid)).fact_id
    told = await facts.named(calling.app, calling.who, [fact_id])
    if not told:  # erased since
        raise NotFound("There is no such fact in this memory.")
    return (await graphiti.edges_in(calling.app, calling.who, told))[0]


async def _delete_edge(calling: Calling, body: OneUuid) -> Answer:
    await forget(calling.app, calling.who, calling.key, body.uuid)
    return {"message": f"Entity edge with UUID {body.uuid} deleted successfully"}


async def _get_episodes(calling: Calling, body: GetEpisodes) -> Answer:
    groups = _groups(body.group_ids)
    found = await episodes.list_episodes(calling.app, calling.who, groups, body.max_episodes)
    listed = [graphiti.episode(each) for each in found]
    return {"message": "Episodes retrieved successfully" if listed else "No episodes found", "episodes": listed}


async def _delete_episode(calling: Calling, body: OneUuid) -> Answer:
    await forget_source(calling.app, calling.who, calling.key, body.uuid)
    return {"message": f"Episode with UUID {body.uuid} deleted successfully"}


async def _episode_entities(calling: Calling, body: EpisodeUuids) -> Answer:
    told, entities = await episodes.resting_on(calling.app, calling.who, body.episode_uuids)
    shown = await _nodes_and_edges(calling, told, entities)
    return {"message": f"Retrieved provenance for {len(body.episode_uuids)} episode(s)", **shown}


async def _add_triplet(calling: Calling, body: AddTriplet) -> Answer:
    app, who, group = calling.app, calling.who, body.group_id or UNGROUPED
    source = await _named(calling, body.source_node_uuid, body.source_node_name)
    target = await _named(calling, body.target_node_uuid, body.target_node_name)
    told = await graph.relate(
        app,
        who,
        calling.key,
        (source, target),
        body.edge_name,
        words=body.fact,
        group="" if group == UNGROUPED else group,
    )
    shown = await _nodes_and_edges(calling, [each.fact_id for each in told], [])
    added = f"Triplet '{body.source_node_name} -[{body.edge_name}]-> {body.target_node_name}' added"
    return {"message": added, **shown}


async def _build_communities(calling: Calling, body: OfGroups) -> Answer:
    none = "This memory has no communities yet: entities are not clustered. search_nodes shows who is near."
    return {"message": none, "community_count": 0, "edge_count": 0, "communities": []}


async def _summarize_saga(calling: Calling, body: Saga) -> Answer:
    raise NotFound("This memory has no sagas yet: episodes are told, listed and searched, and not put into chains.")


async def _clear_graph(calling: Calling, body: OfGroups) -> Answer:
    groups = _groups(body.group_ids)
    if not groups:
        raise Invalid("No group IDs specified for clearing")
    left = await episodes.forget_groups(calling.app, calling.who, calling.key, groups)
    named = ", ".join(groups)
    if left:
        return {"message": f"{left} episodes are left in group IDs: {named}. Clear them again."}
    return {"message": f"Graph data cleared successfully for group IDs: {named}"}


async def _get_status(calling: Calling, _: Body) -> Answer:
    await reachable(calling.app, calling.who)
    return {"status": "ok", "message": "Memoray is running and connected to its PostgreSQL database"}


async def _named(calling: Calling, entity_id: str | None, name: str) -> str:
    """The name of a node that was given by its id, else the one that was given."""
    if entity_id is None:
        return name
    return await name_of(calling.app, calling.who, entity_id)


async def _nodes_and_edges(calling: Calling, fact_ids: Sequence[str], entities: Iterable[str]) -> dict[str, Any]:
    told = await facts.named(calling.app, calling.who, fact_ids)
    ends = {end for each in told for end in (each.subject_id, each.object_id) if end is not None}
    nodes = await graph.nodes_of(calling.app, calling.who, list(dict.fromkeys((*sorted(ends), *entities))))
    return {
        "nodes": await graphiti.nodes_in(calling.app, calling.who, nodes, None),
        "edges": await graphiti.edges_in(calling.app, calling.who, told, None),
    }


def _fitting(asked: SearchFacts) -> Callable[[FactWithEnds], bool]:
    """Whether a fact is of the kinds, and of the times, that were asked for. Raises Invalid."""
    kinds = None if asked.edge_types is None else {fold(each) for each in asked.edge_types}
    fields = {"valid_at": "valid_from", "invalid_at": "valid_to"}
    given = {f"{name}_{side}": (field, side) for name, field in fields.items() for side in ("after", "before")}
    bounds = [(*where, _moment(name, text)) for name, where in given.items() if (text := getattr(asked, name))]

    def fits(fact: FactWithEnds) -> bool:
        if kinds is not None and fold(fact.predicate or "") not in kinds:
            return False
        told = [(getattr(fact, field), side, bound) for field, side, bound in bounds]
        return all(
            at is not None and (_moment("", at) >= bound if side == "after" else _moment("", at) <= bound)
            for at, side, bound in told
        )

    return fits


def _moment(name: str, text: str) -> float:
    """A time as Graphiti reads it: without a zone it is in UTC. Raises Invalid."""
    return written_moment(name, text, UTC)[0]


def _groups(given: Groups) -> list[str] | None:
    return [given] if isinstance(given, str) else given or None


_ROWS: tuple[tuple[str, str, type[Body], Callable[[Calling, Any], Awaitable[Answer]], Any, str], ...] = (
    (
        "add_memory",
        "Add an episode to memory: text, the lines of a talk (source='message', 'user: ...'), or JSON. It is found by "
        "its words at once; entities and facts follow in the background. reference_time is when it was said.",
        AddMemory,
        _add_memory,
        graphiti.SUCCESS,
        "writes",
    ),
    (
        "search_nodes",
        "Search for nodes (entities): people, places, organizations and what else the memory knows of. entity_types "
        "keeps those of these labels; center_node_uuid comes first.",
        SearchNodes,
        _search_nodes,
        graphiti.NODES,
        "",
    ),
    (
        "search_memory_facts",
        "Search for facts (edges), each with the time for which it holds. edge_types keeps those of these names; "
        "valid_at_* and invalid_at_* those that begin and end between these times.",
        SearchFacts,
        _search_facts,
        graphiti.FACTS,
        "",
    ),
    ("get_entity_edge", "Get a fact (edge) by its UUID.", OneUuid, _get_edge, dict[str, Any], ""),
    ("delete_entity_edge", "Forget a fact (edge) by its UUID.", OneUuid, _delete_edge, graphiti.SUCCESS, "erases"),
    ("get_episodes", "Get the latest episodes, with their words.", GetEpisodes, _get_episodes, graphiti.EPISODES, ""),
    (
        "delete_episode",
        "Forget an episode for good, with the entities and facts that rest on it alone.",
        OneUuid,
        _delete_episode,
        graphiti.SUCCESS,
        "erases",
    ),
    (
        "add_triplet",
        "Add one fact between two nodes, in a sentence of its own; nodes that are not known yet are made.",
        AddTriplet,
        _add_triplet,
        graphiti.TRIPLET,
        "writes",
    ),
    (
        "get_episode_entities",
        "Get the nodes and facts that rest on episodes, by the UUIDs of these.",
        EpisodeUuids,
        _episode_entities,
        graphiti.PROVENANCE,
        "",
    ),
    ("build_communities", "There are no communities yet.", OfGroups, _build_communities, graphiti.COMMUNITIES, ""),
    ("summarize_saga", "There are no sagas yet.", Saga, _summarize_saga, graphiti.SAGA, ""),
    ("clear_graph", "Forget all episodes of groups, for good.", OfGroups, _clear_graph, graphiti.SUCCESS, "erases"),
)
"""Name, purpose, arguments, what it does, the shape of its answer, and whether it writes or erases."""
TOOLS = (
    *(
        McpTool(
            name=name,
            purpose=purpose,
            takes=takes,
            run=run,
            wraps=True,
            writes=bool(does),
            erases=does == "erases",
            answers=create_model(f"{name}Output", result=(shape | graphiti.ERROR, ...)).model_json_schema(),
        )
        for name, purpose, takes, run, shape, does in _ROWS
    ),
    McpTool(
        name="get_status",
        purpose="How the server is.",
        takes=GraphitiStatus,
        run=_get_status,
        answers=graphiti.STATUS.model_json_schema(),
    ),
)
_OFFER = McpOffer(
    name="Graphiti Agent Memory",
    title="Memoray as a temporal knowledge graph",
    instructions="Episodes, entities and facts of one person's memory, spoken to as Graphiti is. A group_id narrows "
    "what is shown of it.",
    tools=TOOLS,
    failed=lambda why: {"result": {"error": why}},
)
DIALECT = mcp_dialect("mcp-graphiti", PATH, _OFFER)
