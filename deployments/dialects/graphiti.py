"""Graphiti's REST service, below /graphiti: messages go in as episodes, facts come out. See docs/howto/use-graphiti.md.

An episode is one message, a source of its own; a group is a label in the provenance of the source. An entity edge is a
fact of ours. Whose memory it is, the token says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, status
from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller, Reader, Who
from deployments.commands import Here, Key
from deployments.dates import moments_of
from deployments.dialect import Dialect
from deployments.kinds import MOST_QUERY, Id, ShortText, Text, Words
from deployments.problems import in_detail
from deployments.routers import json_router
from deployments.use_cases import facts, heard, remembering
from deployments.use_cases.facts import FactWithEnds
from deployments.use_cases.forgetting import forget_source
from deployments.use_cases.heard import HeardSegment
from deployments.use_cases.messages_told import MessagesTold, message_of, source_of_messages
from deployments.use_cases.searching import MOST_RESULTS, ContextParameters
from deployments.use_cases.telling import RoleMessageIn, SourceIn, tell
from memory.errors import NotFound
from memory.model.ids import digest
from memory.model.origins import ProvenanceFilter
from memory.model.profile import Profile
from memory.model.timeline import Instant, iso

router = json_router("/graphiti", described=False)
GROUP = "group_id"
"""The name in a provenance that says to which group a source belongs."""
EPISODE = "graphiti-"
"""How ids of sources begin that were told as messages; what follows is the id of the episode."""
MOST_MESSAGES = 1_000
MOST_EPISODES = 1_000
MOST_GROUPS = 100
EpisodeId = Annotated[Id, Field(max_length=180)]


class EpisodeIn(BaseModel, extra="ignore"):
    """A message. `role` is the name of who says it, `role_type` what kind of speaker that is."""

    content: Words
    uuid: EpisodeId | None = None
    name: ShortText = ""
    role_type: Literal["user", "assistant", "system"]
    role: ShortText | None = None
    timestamp: ShortText | None = None
    source_description: ShortText = ""


class EpisodesIn(BaseModel, extra="ignore"):
    """Messages of a group."""

    group_id: Id
    messages: Annotated[list[EpisodeIn], Field(max_length=MOST_MESSAGES)]


class NodeIn(BaseModel, extra="ignore"):
    """Somebody or something, and what is known of it."""

    uuid: EpisodeId
    group_id: Id
    name: Annotated[ShortText, Field(min_length=1)]
    summary: Text = ""


class FactsSought(BaseModel, extra="forbid"):
    """A search. Without groups it goes over the whole memory."""

    group_ids: Annotated[list[Id], Field(max_length=MOST_GROUPS)] | None = None
    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    max_facts: Annotated[int, Field(ge=1, le=1_000)] = 10


class MemorySought(BaseModel, extra="ignore"):
    """What bears on the latest messages of a conversation."""

    group_id: Id
    max_facts: Annotated[int, Field(ge=1, le=1_000)] = 10
    messages: Annotated[list[EpisodeIn], Field(min_length=1, max_length=MOST_MESSAGES)]


def _done(message: str) -> dict[str, Any]:
    return {"message": message, "success": True}


@router.get("/healthcheck")
async def healthcheck(who: Reader) -> Any:
    """Whether it is there."""
    return {"status": "healthy"}


@router.post("/messages", status_code=status.HTTP_202_ACCEPTED)
async def add_messages(body: EpisodesIn, who: Who, app: Here, key: Key) -> Any:
    """Tell messages. They are found at once, and read in the background."""
    profile = await app.profile(who.user_id)
    said = [
        await _episode(app, who, body.group_id, each, profile, f"{key}-{number}")
        for number, each in enumerate(body.messages)
    ]
    for each in said:
        await tell(app, who, each)
    return _done("Messages added to processing queue")


async def _episode(app: AppContext, who: Caller, group: str, said: EpisodeIn, profile: Profile, key: str) -> SourceIn:
    """A message as a source. Without an id of its own it is known by when it was said, and else by its request."""
    message = message_of(said.role_type, said.content, said.role)
    [at] = await moments_of(app, who, timestamp=said.timestamp)
    speaker = message.segment(profile).speaker
    beside = {"name": said.name, "source_description": said.source_description, "role_type": said.role_type}
    source_id = f"{EPISODE}{said.uuid or _made(group, said.timestamp or key, speaker, said.content)}"
    told = _told_here(message, {GROUP: group, "role": said.role or "", **beside}, at)
    return source_of_messages(source_id, told, profile, app.clock.now())


def _told_here(message: RoleMessageIn, provenance: Mapping[str, str], at: Instant | None) -> MessagesTold:
    return MessagesTold(dialect="graphiti", messages=[message], provenance=provenance, at=at)


def _made(*parts: str) -> UUID:
    return UUID(bytes=digest("episode", *parts) + digest("graphiti", *parts))


@router.post("/entity-node", status_code=status.HTTP_201_CREATED)
async def add_node(body: NodeIn, who: Who, app: Here) -> Any:
    """Tell of somebody or something; what is said of it is read in the background, as anything else."""
    words, now = f"{body.name}: {body.summary}" if body.summary.strip() else body.name, app.clock.now()
    told = _told_here(message_of("user", words), {"node": body.name, GROUP: body.group_id}, now)
    source = source_of_messages(f"{EPISODE}{body.uuid}", told, await app.profile(who.user_id), now)
    await tell(app, who, source.model_copy(update={"kind": "note"}))
    shown = {"uuid": body.uuid, "name": body.name, "group_id": body.group_id, "summary": body.summary}
    return {**shown, "labels": ["Entity"], "created_at": iso(now), "name_embedding": None, "attributes": {}}


@router.post("/search")
async def find(body: FactsSought, who: Reader, app: Here) -> Any:
    """The facts that were read from what answers a question, in its order."""
    return {"facts": await _found(app, who, body.query, body.group_ids, body.max_facts)}


@router.post("/get-memory")
async def remembered(body: MemorySought, who: Reader, app: Here) -> Any:
    """The facts that bear on messages."""
    query = "\n".join(f"{each.role or ''}({each.role_type}): {each.content}" for each in body.messages)
    return {"facts": await _found(app, who, query[-MOST_QUERY:], [body.group_id], body.max_facts)}


async def _found(app: AppContext, who: Caller, query: str, groups: Sequence[str] | None, most: int) -> list[Any]:
    asked = ContextParameters(query=query, limit=MOST_RESULTS, cut="none")
    found = await facts.found(app, who, asked, _of(groups) if groups else None)
    return [_edge(each) for each in found[:most]]


def _of(groups: Sequence[str]) -> list[ProvenanceFilter]:
    return [ProvenanceFilter(says={GROUP: group}) for group in groups]


def _edge(fact: FactWithEnds) -> dict[str, Any]:
    """A fact as an entity edge."""
    over = fact.status not in ("active", "superseded")
    return {
        "uuid": fact.fact_id,
        "name": (fact.predicate or "relates_to").upper(),
        "fact": fact.statement,
        "valid_at": fact.valid_from,
        "invalid_at": fact.valid_to,
        "created_at": fact.system_from,
        "expired_at": fact.system_to or (fact.system_from if over else None),
        "source_node_uuid": fact.subject_id,
        "target_node_uuid": fact.object_id,
        "episodes": [each.removeprefix(EPISODE) for each in fact.source_ids],
    }


@router.get("/entity-edge/{edge}")
async def edge(edge: Id, who: Reader, app: Here) -> Any:
    """One fact, whatever became of it. Raises NotFound if it was forgotten."""
    found = [each for each in await facts.named(app, who, [edge]) if each.status not in ("forgotten", "pruned")]
    if not found:
        raise NotFound("There is no such entity edge.")
    return _edge(found[0])


@router.delete("/entity-edge/{edge}")
async def delete_edge(edge: Id, who: Who, app: Here, key: Key) -> Any:
    """Believe a fact no more. Raises NotFound."""
    if not await facts.named(app, who, [edge]):
        raise NotFound("There is no such entity edge.")
    await remembering.forget(app, who, key, edge)
    return _done("Entity Edge deleted")


@router.get("/episodes/{group:path}")
async def episodes(group: Id, who: Reader, app: Here, last_n: Annotated[int, Query(ge=1, le=1_000_000)] = 10) -> Any:
    """The latest messages of a group, the latest last."""
    origins = [ProvenanceFilter(says={GROUP: group}, names=("role_type",))]
    found = await heard.list_heard(app, who, origins, heard.HeardStretch(min(last_n, MOST_EPISODES)))
    return [_shown(each) for each in reversed(found.segments)]


def _shown(said: HeardSegment) -> dict[str, Any]:
    """A message as an episode; its content tells who speaks, as Graphiti writes it."""
    told = said.provenance
    return {
        "uuid": said.source_id.removeprefix(EPISODE),
        "name": told.get("name", ""),
        "group_id": told[GROUP],
        "labels": [],
        "created_at": iso(said.changed_at),
        "source": "message",
        "source_description": told.get("source_description", ""),
        "content": f"{told.get('role', '')}({told['role_type']}): {said.text}",
        "valid_at": iso(said.at),
        "entity_edges": [],
        "episode_metadata": None,
    }


@router.delete("/episode/{episode:path}")
async def delete_episode(episode: EpisodeId, who: Who, app: Here, key: Key) -> Any:
    """Forget a message for good. Raises NotFound."""
    await forget_source(app, who, key, f"{EPISODE}{episode}")
    return _done("Episode deleted")


@router.delete("/group/{group:path}")
async def delete_group(group: Id, who: Who, app: Here, key: Key) -> Any:
    """Forget for good what was told of a group."""
    await heard.forget_heard(app, who, key, _of([group]))
    return _done("Group deleted")


@router.post("/clear")
async def clear(who: Who, app: Here, key: Key) -> Any:
    """Forget for good what was told of any group. What was told otherwise stays."""
    await heard.forget_heard(app, who, key, [ProvenanceFilter(names=(GROUP,))])
    return _done("Graph cleared")


DIALECT = Dialect(
    name="graphiti",
    spoken=re.compile(r"/graphiti(?:/.*)?", re.DOTALL),
    told=in_detail,
    router=router,
    asking=("/graphiti/search", "/graphiti/get-memory"),
)
