"""mem0: what `MemoryClient(host=...)` asks of the platform it is made for. See docs/howto/use-mem0.md.

A memory is one message, a segment of ours; its id names owner, source and segment. The id of a fact is taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.responses import Response

from deployments.app_context import AppContext
from deployments.callers import Caller, Reader, Who, for_named
from deployments.commands import Here, Key
from deployments.dates import moments_of, today
from deployments.dialect import Dialect
from deployments.dialects.mem0 import platform
from deployments.dialects.mem0.changes import delete_memory, show_memory, update_memory
from deployments.dialects.mem0.memories import (
    Memory,
    fields_of,
    history_of,
    history_of_facts,
    memory_of,
    opened,
    opened_filters,
    sealed,
    sealed_filters,
)
from deployments.dialects.mem0.requests import (
    Added,
    Deletions,
    Exported,
    Feedback,
    Listed,
    MessageIn,
    Sought,
    Updated,
    Updates,
    meant,
    memory_named,
)
from deployments.findings import invalid
from deployments.problems import Problem
from deployments.use_cases import facts, heard, remembering
from deployments.use_cases.provenance_filters import ANY, LABELS, written_filters
from deployments.use_cases.searching import MOST_RESULTS, ContextParameters, search
from deployments.use_cases.sources import show_source
from deployments.use_cases.telling import SegmentIn, SourceIn, tell
from memory.errors import Invalid, NotFound
from memory.model.ids import digest
from memory.model.origins import ANYWHERE, EXPIRES_ON
from memory.model.profile import Profile
from memory.model.timeline import iso
from memory.services.zones import zone_of

router = APIRouter()
MOST_PAGE = 1_000
SUMMARIZED = 50
"""The latest memories that a summary is made of."""
_ROLES: Mapping[str, Literal["user", "assistant", "tool"]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
_STATUSES = {"raw": "PENDING", "processed": "RUNNING", "extracted": "SUCCEEDED", "failed": "FAILED"}
_DELETED = {"message": "Memory deleted successfully!"}


@router.get("/v1/ping/")
async def ping(who: Reader) -> Any:
    """Asked by a client that is made. It needs an organization and a project, of which there is one."""
    return {"status": "ok", "user_email": who.user_id, **platform.PLACE}


@router.post("/v3/memories/add/")
@router.post("/v1/memories/")
async def add(body: Added, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Tell a conversation, which is read in the background; with `infer` false, each message by itself."""
    told = body.provenance()
    who = await for_named(request, app, who, told.get("user_id"))
    profile = await app.profile(who.user_id)
    [at] = await moments_of(app, who, timestamp=None if body.timestamp is None else str(body.timestamp))
    moment = app.clock.now() if at is None else at
    said = [each for each in (_segment(message, profile) for message in body.messages) if each["text"].strip()]
    if not said:
        raise Invalid("messages: there are no words in them.")
    stamp = datetime.fromtimestamp(moment, zone_of(profile.time_zone))
    what = {"started_at": stamp.isoformat(), "provenance": {"told_by": "mem0", **told}}
    if body.infer is False:
        named = [(f"mem0-{digest(key, number).hex()}", [each]) for number, each in enumerate(said, 1)]
    else:  # clients send what they have sent before: the same words of the same day are the same source
        told_once = orjson.dumps([told, said, stamp.date().isoformat() if at is None else moment]).decode()
        again = key if "idempotency-key" in request.headers else told_once
        named = [(f"mem0-{digest('told', again).hex()}", said)]
    for source_id, segments in named:
        numbered = [{**each, "segment_id": str(number)} for number, each in enumerate(segments, 1)]
        await tell(app, who, _source(source_id=source_id, segments=numbered, **what))
    if body.infer is not False:
        message = "Memory processing has been queued for background execution"
        return {"message": message, "status": "PENDING", "event_id": sealed(who.user_id, named[0][0])}
    shown = await heard.heard_at(app, who, [(source_id, "1") for source_id, _ in named])
    return {"results": [{**memory_of(who, each), "event": "ADD"} for each in shown.values()]}


def _segment(message: MessageIn, profile: Profile) -> dict[str, Any]:
    """A message as a segment. A user of another name than the owner's is somebody else."""
    role = _ROLES.get(message.role.lower())
    if role == "user" and message.name and not profile.is_owner(message.name):
        role = None
    speaker = message.name or (profile.name or "user" if role == "user" else message.role)
    return {"speaker": speaker, "text": message.words, "role": role or "other"}


def _source(**given: Any) -> SourceIn:
    try:
        return SourceIn(**{**given, "segments": [SegmentIn(**each) for each in given["segments"]]})
    except ValidationError as error:
        raise invalid(error.errors(include_url=False)) from error


@router.get("/v1/event/{event}/")
async def event(event: str, request: Request, who: Reader, app: Here) -> Any:
    """How far what was told has been read."""
    parts = opened(event)
    who = await for_named(request, app, who, parts[0])
    if len(parts) != 2 or parts[0] != who.user_id:
        raise NotFound("There is no such event.")
    source = await show_source(app, who, parts[1])
    places = [(source.source_id, each.segment_id) for each in source.segments]
    shown = [memory_of(who, each) for each in (await heard.heard_at(app, who, places)).values()]
    return {"id": event, "event_type": "ADD", "status": _STATUSES[source.status], "results": shown}


@router.post("/v3/memories/search/")
@router.post("/v2/memories/search/")
@router.post("/v1/memories/search/")
async def find(body: Sought, request: Request, who: Reader, app: Here) -> Any:
    """What answers a question, the best first: the same segments in the same order as `/v1/context` gives."""
    filters = body.meant()
    found = await meant(request, app, who, filters)
    who, origins = found.who, None if found.origins == ANYWHERE else found.origins
    most, now = body.top_k or body.limit, body.reference_date
    asked: dict[str, Any] = {"limit": min(most, MOST_RESULTS)} if most else {}
    asked |= {"now": str(now)} if now is not None else {}
    hits = (await search(app, who, ContextParameters(query=body.query, **asked), origins)).results
    said = await heard.heard_at(app, who, [(each.source_id, each.segment_id) for each in hits])
    day = "" if body.show_expired else today(app.clock.now(), "UTC").isoformat()
    results = []
    for hit in hits:
        here = said.get((hit.source_id, hit.segment_id))
        if here is None or str(here.provenance.get(EXPIRES_ON) or day) < day:
            continue
        if body.threshold is None or hit.relevance_score >= body.threshold:
            memory = {**memory_of(who, here), "memory": hit.text, "score": hit.relevance_score}
            results.append(fields_of({**memory, "fact_ids": hit.fact_ids}, body.fields))
    return {"results": results}


@router.post("/v3/memories/")
@router.post("/v2/memories/")
async def every(body: Listed, request: Request, who: Reader, app: Here) -> Any:
    """Memories, the latest first, a page at a time."""
    paged = {name: request.query_params[name] for name in ("page", "page_size") if name in request.query_params}
    if paged:
        body = _checked(Listed, {**body.model_dump(exclude_unset=True), **paged})
    size = min(body.page_size, MOST_PAGE)
    shown, total = await _page(body, request, app, who, size, (body.page - 1) * size)

    def beside(page: int) -> str:
        return str(request.url.include_query_params(page=page, page_size=size))

    return {
        "count": total,
        "next": beside(body.page + 1) if body.page * size < total else None,
        "previous": beside(body.page - 1) if body.page > 1 else None,
        "results": [fields_of(each, body.fields) for each in shown],
    }


async def _page(
    body: Listed, request: Request, app: AppContext, who: Caller, limit: int, offset: int = 0
) -> tuple[list[Memory], int]:
    found = await meant(request, app, who, body.meant())
    day = None if body.show_expired else today(app.clock.now(), "UTC").isoformat()
    origins = [replace(each, alive_on=day) for each in found.origins]
    page = await heard.list_heard(app, found.who, origins, limit, offset)
    return [memory_of(found.who, each) for each in page.segments], page.total


def _checked(model: type[Listed], given: Mapping[str, Any]) -> Listed:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise invalid(error.errors(include_url=False)) from error


@router.get("/v1/memories/")
async def every_by_url(request: Request, who: Reader, app: Here) -> Any:
    """The same, as clients before version 3 ask for it."""
    shown, _ = await _page(_of_url(request), request, app, who, MOST_PAGE)
    return shown


def _of_url(request: Request) -> Listed:
    """What the parameters of a URL say. Raises Invalid: one that is not known, or told twice, must not be left out."""
    given = request.query_params.multi_items()
    if len({name for name, _ in given}) != len(given):
        raise Invalid("A parameter was given twice.")
    told: dict[str, Any] = dict(given)
    if "filters" in told:
        told["filters"] = written_filters(told["filters"])
    return _checked(Listed, told)


@router.delete("/v1/memories/")
async def delete_every(request: Request, who: Who, app: Here, key: Key) -> Any:
    """Forget for good what the filters mean, with the sources of it. Without any, nothing is forgotten."""
    asked = _of_url(request)
    if not asked.meant() or asked.model_fields_set - {*LABELS, "filters", "metadata"}:
        raise Invalid("One of user_id, agent_id, app_id, run_id or filters is required, and nothing else.")
    found = await meant(request, app, who, asked.meant())
    await heard.forget_heard(app, found.who, key, found.origins)
    return {"message": "Memories deleted successfully!"}


@router.get("/v1/memories/{memory:path}/history/")
async def history(memory: str, request: Request, who: Reader, app: Here) -> Any:
    """What a memory said before, the oldest first."""
    who, what = await memory_named(request, app, who, memory)
    if isinstance(what, str):
        return history_of_facts(who, await facts.versions(app, who, what))
    return history_of(who, await heard.one_heard(app, who, what))


@router.get("/v1/memories/{memory:path}/")
async def get(memory: str, request: Request, who: Reader, app: Here) -> Any:
    """One memory; of a fact that was corrected, what took its place."""
    return await show_memory(request, app, who, memory)


@router.put("/v1/memories/{memory:path}/")
async def update(memory: str, body: Updated, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Put a memory into other words, or keep something else beside it. A fact is corrected."""
    return await update_memory(request, app, who, key, memory, body)


@router.delete("/v1/memories/{memory:path}/")
async def delete(memory: str, request: Request, who: Who, app: Here, key: Key, delete_linked: bool = False) -> Any:
    """Forget one memory: a message for good, a fact so that it is believed no more."""
    await delete_memory(request, app, who, key, memory, linked=delete_linked)
    return _DELETED


@router.put("/v1/batch/")
async def update_batch(body: Updates, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Put many memories into other words. One that there is not refuses them all."""
    for each in body.memories:
        each.provenance()
        await show_memory(request, app, who, each.memory_id)
    for number, each in enumerate(body.memories):
        await update_memory(request, app, who, f"{key}-{number}", each.memory_id, each)
    return {"message": f"Successfully updated {len(body.memories)} memories"}


@router.delete("/v1/batch/")
async def delete_batch(body: Deletions, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Forget many memories. One that there is not refuses them all."""
    for each in body.memories:
        await show_memory(request, app, who, each.memory_id)
    for number, memory in enumerate(dict.fromkeys(each.memory_id for each in body.memories)):
        await delete_memory(request, app, who, f"{key}-{number}", memory)
    return {"message": f"Successfully deleted {len(body.memories)} memories"}


@router.get("/v1/entities/")
async def entities(who: Reader, app: Here) -> Any:
    """The users, agents, apps and runs of which there are memories; to administrators, users they told things for."""
    rows = await heard.labels(app, who, LABELS)
    results = [
        {
            "id": sealed(who.user_id, row["name"], row["label"]),
            "type": row["name"].removesuffix("_id"),
            "name": row["label"],
            "total_memories": row["segments"],
            "created_at": iso(row["first_at"]),
            "updated_at": iso(row["last_at"]),
            "metadata": {},
        }
        for row in rows
    ]
    return {"count": len(results), "next": None, "previous": None, "results": results}


@router.delete("/v2/entities/{kind}/{name:path}/")
async def delete_entity(
    kind: Literal["user", "agent", "app", "run"], name: str, request: Request, who: Who, app: Here, key: Key
) -> Any:
    """Forget for good what was told of a user, an agent, an app or a run."""
    if name == ANY:
        raise Invalid("One of them at a time.")
    found = await meant(request, app, who, {f"{kind}_id": name})
    await heard.forget_heard(app, found.who, key, found.origins)
    return {"message": "Entity deleted successfully!"}


@router.post("/v1/feedback/")
async def feedback(body: Feedback, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Praise of a fact confirms it. Of a message there is nothing to confirm."""
    shown = await show_memory(request, app, who, body.memory_id)
    who, what = await memory_named(request, app, who, body.memory_id)
    if isinstance(what, str) and body.feedback == "POSITIVE":
        await remembering.confirm(app, who, key, shown["fact_id"])
    return {"id": body.memory_id, "feedback": body.feedback, "feedback_reason": body.feedback_reason}


@router.post("/v1/summary/")
async def summary(body: Listed, request: Request, who: Reader, app: Here) -> Any:
    """The latest memories as lines."""
    shown, _ = await _page(body, request, app, who, SUMMARIZED)
    return {"status": "SUCCEEDED", "summary": "\n".join(each["memory"] for each in shown)}


@router.post("/v1/exports/")
async def export(body: Exported, request: Request, who: Reader, app: Here) -> Any:
    """Begin an export, which is made when it is fetched: its id says of what."""
    filters = body.meant()
    await meant(request, app, who, filters)
    return {"message": "Memory export request received.", "id": sealed_filters(filters)}


@router.post("/v1/exports/get/")
async def exported(body: Exported, request: Request, who: Reader, app: Here) -> Any:
    """The memories of an export, or of filters."""
    begun = opened_filters(body.memory_export_id) if body.memory_export_id is not None else {}
    both = [each for each in (begun, body.meant()) if each]
    shown, total = await _page(Listed(filters={"AND": both} if both else None), request, app, who, MOST_PAGE)
    return {"count": total, "results": shown}


def _told(problem: Problem) -> Response:
    """A problem as mem0's clients read it."""
    headers = {"WWW-Authenticate": "Token"} if problem.status == 401 else {}
    return JSONResponse({"detail": problem.detail}, problem.status, headers)


router.include_router(platform.router)
DIALECT = Dialect(
    name="mem0",
    spoken=re.compile(
        r"/v1/ping/?|/v[123]/memories(?:/.*)?|/v1/(?:entities|batch|feedback|summary)/|/v1/e(?:xports|vent)/.*"
        r"|/v2/(?:entities|profiles)/.*|/api/v1/(?:orgs|webhooks)/.*",
        re.DOTALL,
    ),
    told=_told,
    router=router,
    asking=("/v3/memories/search/", "/v2/memories/search/", "/v1/memories/search/"),
)
