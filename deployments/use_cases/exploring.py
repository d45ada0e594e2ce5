"""Exploring: what is known of an entity, and who and what can be reached from it by relations."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import MOST_ID, Body, ShortText
from deployments.use_cases import graph
from deployments.use_cases.storylines import (
    MacroFilter,
    MacroOut,
    StorylineFilter,
    StorylineOut,
    macros,
    storylines,
)
from memory.errors import NotFound

_NODE = {
    "entity_id": "e-0a1b2c3d4e5f6a7b",
    "entity_type": "person",
    "name": "Tom",
    "facts": [{"fact_id": "f-0a1b2c3d4e5f6a7b", "statement": "Tom lives in Ghent"}],
}
_EDGE = {"fact_id": "f-0a1b2c3d4e5f6a7b", "from": "Tom", "predicate": "lives_in", "to": "Ghent"}


class StartParameters(Body):
    """Where to look around."""

    name: Annotated[ShortText, Field(min_length=1, max_length=MOST_ID, description="An entity's name or alias.")]


class ExploreParameters(StartParameters):
    """Where to look around, and how coarsely."""

    granularity: Annotated[
        int,
        Field(
            ge=1,
            le=3,
            description="2 adds the storylines around it, 3 its macro; where there is none, its storylines.",
        ),
    ] = 1


class TraverseParameters(StartParameters):
    """Where to set out, and how far to go."""

    depth: Annotated[int, Field(ge=1, le=graph.MOST_DEPTH, description="Relations between the first and the last.")] = 2
    limit: Annotated[int, Field(ge=1, le=graph.MOST_MET, description="Entities to meet at most.")] = 30


class NodeFact(BaseModel):
    """What is known of an entity; `GET /v1/facts/{id}` leads on to the words."""

    fact_id: str
    statement: str


class NodeOut(BaseModel):
    """An entity, and what is known of it."""

    entity_id: str
    entity_type: str
    name: str
    facts: list[NodeFact]


class RelationOut(BaseModel, populate_by_name=True):
    """A fact between two entities."""

    fact_id: str
    from_: str = Field(alias="from")
    predicate: str
    to: str


class GraphOut(BaseModel, json_schema_extra={"examples": [{"entities": [_NODE], "relations": [_EDGE]}]}):
    """Entities, the nearest first, and how they relate."""

    entities: list[NodeOut]
    relations: list[RelationOut]


class Explored(GraphOut):
    """What is known of an entity, and what has been going on around it, as coarsely as it was asked for."""

    storylines: list[StorylineOut]
    macros: list[MacroOut]


async def explore(app: AppContext, who: Caller, asked: ExploreParameters) -> Explored:
    """What is known of an entity, and to whom and what it is related. Raises NotFound."""
    found = await graph.open_nodes(app, who, [asked.name])
    if not found.nodes:
        raise NotFound("There is no entity of that name in this memory.")
    entity_id = found.nodes[0].entity.entity_id
    coarse = (await macros(app, who, MacroFilter(entity=entity_id))).macros if asked.granularity == 3 else []
    wanted = asked.granularity > 1 and not coarse
    lines = (await storylines(app, who, StorylineFilter(entity=entity_id))).storylines if wanted else []
    return Explored(**_drawn(found).model_dump(), storylines=lines, macros=coarse)


async def traverse(app: AppContext, who: Caller, asked: TraverseParameters) -> GraphOut:
    """Who and what can be reached from an entity, the nearest first. Raises NotFound."""
    return _drawn(await graph.walk(app, who, asked.name, asked.depth, asked.limit))


def _drawn(found: graph.KnowledgeGraph) -> GraphOut:
    return GraphOut(
        entities=[
            NodeOut(
                entity_id=each.entity.entity_id,
                entity_type=each.entity.type,
                name=each.entity.name,
                facts=[NodeFact(fact_id=one.fact_id, statement=one.text) for one in each.observed],
            )
            for each in found.nodes
        ],
        relations=[
            RelationOut(fact_id=each.fact_id, from_=each.from_name, predicate=each.kind, to=each.to_name)
            for each in found.relations
        ],
    )
