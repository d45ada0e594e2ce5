"""A memory as Graphiti's clients see it: nodes, edges and episodes, each in a group, and the shapes of its answers.

The names are Graphiti's. What they stand for is told by deployments/use_cases/episodes.py and graph.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import GenericAlias
from typing import Any

from pydantic import create_model

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases import episodes
from deployments.use_cases.episodes import UNGROUPED, Episode
from deployments.use_cases.facts import FactWithEnds
from deployments.use_cases.graph import GraphNode
from memory.model.timeline import iso


def shape(name: str, /, **fields: Any) -> Any:
    """What an answer consists of; its name is Graphiti's, which a client may show."""
    shaped: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, **shaped)


def _list(of: Any) -> Any:
    return GenericAlias(list, (of,))


ERROR = shape("ErrorResponse", error=str)
SUCCESS = shape("SuccessResponse", message=str)
STATUS = shape("StatusResponse", status=str, message=str)
NODE = shape(
    "NodeResult",
    uuid=str,
    name=str,
    labels=list[str],
    created_at=str | None,
    summary=str | None,
    group_id=str,
    attributes=dict[str, Any],
)
EDGE = shape(
    "EdgeResult",
    uuid=str,
    name=str,
    fact=str,
    source_node_uuid=str,
    target_node_uuid=str,
    group_id=str,
    created_at=str | None,
    valid_at=str | None,
    invalid_at=str | None,
)
NODES = shape("NodeSearchResponse", message=str, nodes=_list(NODE))
FACTS = shape("FactSearchResponse", message=str, facts=list[dict[str, Any]])
EPISODES = shape("EpisodeSearchResponse", message=str, episodes=list[dict[str, Any]])
TRIPLET = shape("TripletResponse", message=str, nodes=_list(NODE), edges=_list(EDGE))
PROVENANCE = shape("EpisodeEntitiesResponse", message=str, nodes=_list(NODE), edges=_list(EDGE))
COMMUNITY = shape("CommunityResult", uuid=str, name=str, group_id=str, summary=str | None)
COMMUNITIES = shape(
    "BuildCommunitiesResponse", message=str, community_count=int, edge_count=int, communities=_list(COMMUNITY)
)
SAGA = shape("SagaSummaryResponse", message=str, uuid=str, name=str, summary=str)


async def nodes_in(
    app: AppContext, who: Caller, nodes: Sequence[GraphNode], groups: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Entities, of these groups if any are named; of several the first that something is told of it in."""
    told = {source for each in nodes for one in each.observed for source in one.sources}
    known, shown = await episodes.groups_of(app, who, told), []
    for each in nodes:
        of = {known.get(source, UNGROUPED) for one in each.observed for source in one.sources} or {UNGROUPED}
        if (group := _one_of(of, groups)) is None:
            continue
        shown.append(
            {
                "uuid": each.entity.entity_id,
                "name": each.entity.name,
                "labels": labels_of(each),
                "created_at": iso(each.entity.created_at),
                "summary": " ".join(one.text for one in each.observed),
                "group_id": group,
                "attributes": dict(each.entity.properties),
            }
        )
    return shown


async def edges_in(
    app: AppContext, who: Caller, facts: Sequence[FactWithEnds], groups: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Facts, of these groups if any are named."""
    known = await episodes.groups_of(app, who, {each for fact in facts for each in fact.source_ids})
    shown: list[dict[str, Any]] = []
    for fact in facts:
        of = {known.get(source, UNGROUPED) for source in fact.source_ids} or {UNGROUPED}
        if (group := _one_of(of, groups)) is None:
            continue
        shown.append(
            {
                "uuid": fact.fact_id,
                "name": fact.predicate or "RELATES_TO",
                "fact": fact.statement,
                "source_node_uuid": fact.subject_id,
                "target_node_uuid": fact.object_id or fact.subject_id,
                "group_id": group,
                "created_at": fact.system_from,
                "valid_at": fact.valid_from,
                "invalid_at": fact.valid_to,
                "expired_at": fact.system_to,
                "episodes": fact.source_ids,
                "attributes": {},
            }
        )
    return shown


def _one_of(of: Collection[str], groups: Sequence[str] | None) -> str | None:
    """The group to show something in; None if it is in none of those that were asked for."""
    fitting = sorted(of if groups is None else {*of} & {*groups})
    return fitting[0] if fitting else None


def labels_of(node: GraphNode) -> list[str]:
    """What kinds of thing a node is, in our word and in that of whoever told it."""
    return list(dict.fromkeys(("Entity", node.entity.type.title(), node.kind)))


def episode(told: Episode) -> dict[str, Any]:
    """An episode as it is listed."""
    return {
        "uuid": told.source_id,
        "name": told.name,
        "content": told.content,
        "created_at": told.created_at,
        "source": told.source,
        "source_description": told.description,
        "group_id": told.group,
    }
