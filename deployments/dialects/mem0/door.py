"""mem0: what `MemoryClient(host=...)` asks of the platform it is made for. See docs/howto/use-mem0.md.

A memory is one message, a segment of ours; its id names owner, source and segment. The id of a fact is taken, too.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Literal

from fastapi import Request

from deployments.app_context import AppContext
from deployments.callers import Caller, Reader, Who, for_named
from deployments.commands import Here, Key
from deployments.dates import moments_of
from deployments.dialect import Dialect
from deployments.dialects.mem0 import platform, requests
from deployments.dialects.mem0.memories import Memory, fields_of, history_of, memory_of
from deployments.findings import checked
from deployments.problems import in_detail
from deployments.routers import json_router, routes_of
from deployments.sealing import sealed
from deployments.use_cases import heard, messages_told, named
from deployments.use_cases.provenance_filters import ANY, LABELS, written_filters
from deployments.use_cases.searching import MOST_RESULTS, ContextParameters, mark_of
from memory.errors import Invalid

router = json_router(described=False)
MOST_PAGE = 1_000
SUMMARIZED = 50
"""The latest memories that a summary is made of."""
_Kind = Literal["user", "agent", "app", "run"]
_STATUSES = {"raw": "PENDING", "processed": "RUNNING", "extracted": "SUCCEEDED", "failed": "FAILED"}


@router.get("/v1/ping/")
async def ping(who: Reader) -> Any:
    """Asked by a client that is made. It needs an organization and a project, of which there is one."""
    return {"status": "ok", "user_email": who.user_id, **platform.PLACE}


@router.post("/v3/memories/add/")
@router.post("/v1/memories/")
async def add(body: requests.Added, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Tell a conversation, which is read in the background; with `infer` false, each message by itself."""
    beside = body.provenance()
    who = await for_named(request, app, who, beside.get("user_id"))
    [at] = await moments_of(app, who, timestamp=body.timestamp)
    messages = messages_told.messages_of(body.messages)
    told = messages_told.MessagesTold(dialect="mem0", messages=messages, provenance=beside, at=at)
    if body.infer is False:
        shown = await heard.heard_at(app, who, await messages_told.tell_apart(app, who, key, told))
        return {"results": [{**memory_of(who, each), "event": "ADD"} for each in shown.values()]}
    again = key if "idempotency-key" in request.headers else None
    event_id = sealed([who.user_id, await messages_told.tell_together(app, who, again, told)])
    message = "Memory processing has been queued for background execution"
    return {"message": message, "status": "PENDING", "event_id": event_id}


@router.get("/v1/event/{event}/")
async def event(event: str, request: Request, who: Reader, app: Here) -> Any:
    """How far what was told has been read."""
    who, [source_id] = await requests.owned(request, app, who, event, requests.EVENT)
    source, said = await heard.source_heard(app, who, source_id)
    results = [memory_of(who, each) for each in said]
    return {"id": event, "event_type": "ADD", "status": _STATUSES[source.status], "results": results}


@router.post("/v3/memories/search/")
@router.post("/v2/memories/search/")
@router.post("/v1/memories/search/")
async def find(body: requests.Sought, request: Request, who: Reader, app: Here) -> Any:
    """What answers a question, the best first: the same segments in the same order as `/v1/context` gives."""
    who, origins = await requests.meant(request, app, who, body.meant())
    most = body.top_k or body.limit
    limit: dict[str, Any] = {"limit": min(most, MOST_RESULTS)} if most else {}
    question = ContextParameters(query=body.query, now=body.reference_date, **limit)
    found = await heard.search_heard(app, who, question, origins, expired=body.show_expired, least=body.threshold)
    shown = (
        {
            **memory_of(who, here),
            "memory": f"{hit.text}{mark_of(hit)}",
            "score": hit.relevance_score,
            "fact_ids": hit.fact_ids,
        }
        for hit, here in found
    )
    return {"results": fields_of(shown, body.fields)}


@router.post("/v3/memories/")
@router.post("/v2/memories/")
async def every(body: requests.Listed, request: Request, who: Reader, app: Here) -> Any:
    """Memories, the latest first, a page at a time."""
    return await _listed(_with_url(request, body.model_dump(exclude_unset=True)), request, app, who)


async def _listed(body: requests.Listed, request: Request, app: AppContext, who: Caller) -> Any:
    """A page, with how many memories there are in all and where the pages beside it are."""
    shown, total = await _page(body, request, app, who, body.page_size)
    size = min(body.page_size, MOST_PAGE)
    beside = partial(request.url.include_query_params, page_size=size)
    return {
        "count": total,
        "next": str(beside(page=body.page + 1)) if body.page * size < total else None,
        "previous": str(beside(page=body.page - 1)) if body.page > 1 else None,
        "results": fields_of(shown, body.fields),
    }


async def _page(body: requests.Listed, request: Request, app: AppContext, who: Caller, otherwise: int) -> Any:
    """The memories of the page that is asked for, which is of `otherwise` unless it says its size; and of how many."""
    who, origins = await requests.meant(request, app, who, body.meant())
    size = min(body.page_size if "page_size" in body.model_fields_set else otherwise, MOST_PAGE)
    stretch = heard.HeardStretch(size, (body.page - 1) * size)
    page = await heard.list_heard(app, who, origins, stretch, expired=body.show_expired)
    return [memory_of(who, each) for each in page.segments], page.total


@router.get("/v1/memories/")
async def every_by_url(request: Request, who: Reader, app: Here) -> Any:
    """The same, as clients before version 3 ask for it: a list of memories, unless they ask for a page."""
    body = _with_url(request, {})
    paged = body.model_fields_set & {"page", "page_size"}
    return await _listed(body, request, app, who) if paged else (await _page(body, request, app, who, MOST_PAGE))[0]


def _with_url(request: Request, said: dict[str, Any]) -> requests.Listed:
    """What a body says and, over it, the parameters of the URL.

    Raises Invalid: one that is not known, or told twice, must not be left out.
    """
    given = request.query_params.multi_items()
    told: dict[str, Any] = dict(given)
    if len(told) != len(given):
        raise Invalid("A parameter was given twice.")
    if "filters" in told:
        told["filters"] = written_filters(told["filters"])
    return checked(requests.Listed.model_validate, said | told)


@router.delete("/v1/memories/")
async def delete_every(request: Request, who: Who, app: Here, key: Key) -> Any:
    """Forget for good what the filters mean, with the sources of it. Without any, nothing is forgotten."""
    asked = _with_url(request, {})
    if not asked.meant() or asked.model_fields_set - {*LABELS, "filters", "metadata"}:
        raise Invalid("One of user_id, agent_id, app_id, run_id or filters is required, and nothing else.")
    who, origins = await requests.meant(request, app, who, asked.meant())
    await heard.forget_heard(app, who, key, origins)
    return {"message": "Memories deleted successfully!"}


@router.get("/v1/memories/{memory:path}/history/")
async def history(memory: str, request: Request, who: Reader, app: Here) -> Any:
    """What a memory said before, the oldest first."""
    who, what = await requests.memory_named(request, app, who, memory)
    return history_of(who, await named.one_named(app, who, what))


@router.get("/v1/memories/{memory:path}/")
async def get(memory: str, request: Request, who: Reader, app: Here) -> Any:
    """One memory; of a fact that was corrected, what took its place."""
    who, what = await requests.memory_named(request, app, who, memory)
    return memory_of(who, await named.one_named(app, who, what))


@router.put("/v1/memories/{memory:path}/")
async def update(memory: str, body: requests.Updated, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Put a memory into other words, or keep something else beside it. A fact is corrected."""
    who, what, new = await _change(memory, body, request, who, app)
    said = memory_of(who, await named.put_otherwise(app, who, key, what, new))
    return {**said, "text": said["memory"]}


async def _change(memory: str, body: requests.Updated, request: Request, who: Caller, app: AppContext) -> Any:
    """Who changes which memory, and how. Raises NotFound and Invalid."""
    if not body.model_fields_set & requests.Updated.model_fields.keys():
        raise Invalid("text, metadata, timestamp or expiration_date: one of them is required.")
    who, what = await requests.memory_named(request, app, who, memory)
    [at] = await moments_of(app, who, timestamp=body.timestamp)
    return who, what, heard.Rewording(body.text, provenance=body.provenance(), at=at)


@router.delete("/v1/memories/{memory:path}/")
async def delete(memory: str, request: Request, who: Who, app: Here, key: Key, delete_linked: bool = False) -> Any:
    """Forget one memory: a message for good, a fact so that it is believed no more."""
    who, what = await requests.memory_named(request, app, who, memory)
    await named.forget_named(app, who, key, what, before=delete_linked)
    return {"message": "Memory deleted successfully!"}


@router.put("/v1/batch/")
async def update_batch(memories: requests.Updates, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Put many memories into other words. One that cannot be, or that there is not, refuses them all."""
    for each in memories:
        await named.can_be_put(app, *await _change(each.memory_id, each, request, who, app))
    for number, each in enumerate(memories):
        await update(each.memory_id, each, request, who, app, f"{key}-{number}")
    return {"message": f"Successfully updated {len(memories)} memories"}


@router.delete("/v1/batch/")
async def delete_batch(memories: requests.Deletions, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Forget many memories. One that there is not refuses them all."""
    for each in memories:
        await get(each.memory_id, request, who, app)
    for number, memory in enumerate(dict.fromkeys(each.memory_id for each in memories)):
        await delete(memory, request, who, app, f"{key}-{number}")
    return {"message": f"Successfully deleted {len(memories)} memories"}


@router.get("/v1/entities/")
async def entities(who: Reader, app: Here) -> Any:
    """The users, agents, apps and runs of which there are memories; to administrators, users they told things for."""
    results: list[Memory] = [
        {
            "id": sealed([who.user_id, each.name, each.label]),
            "type": each.name.removesuffix("_id"),
            "name": each.label,
            "total_memories": each.segments,
            "created_at": each.first_at,
            "updated_at": each.last_at,
            "metadata": {},
        }
        for each in await heard.labels(app, who, LABELS)
    ]
    return {"count": len(results), "next": None, "previous": None, "results": results}


@router.delete("/v2/entities/{kind}/{name:path}/")
async def delete_entity(kind: _Kind, name: str, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Forget for good what was told of a user, an agent, an app or a run."""
    if name == ANY:
        raise Invalid("One of them at a time.")
    who, origins = await requests.meant(request, app, who, {f"{kind}_id": name})
    await heard.forget_heard(app, who, key, origins)
    return {"message": "Entity deleted successfully!"}


@router.post("/v1/feedback/")
async def feedback(body: requests.Feedback, request: Request, who: Who, app: Here, key: Key) -> Any:
    """Praise of a fact confirms it. Of a message there is nothing to confirm."""
    who, what = await requests.memory_named(request, app, who, body.memory_id)
    if body.feedback == "POSITIVE":
        await named.confirm_named(app, who, key, what)
    else:
        await named.one_named(app, who, what)
    return {"id": body.memory_id, "feedback": body.feedback, "feedback_reason": body.feedback_reason}


@router.post("/v1/summary/")
async def summary(body: requests.Listed, request: Request, who: Reader, app: Here) -> Any:
    """The latest memories as lines."""
    shown, _ = await _page(body, request, app, who, SUMMARIZED)
    return {"status": "SUCCEEDED", "summary": "\n".join(each["memory"] for each in shown)}


@router.post("/v1/exports/")
async def export(body: requests.Exported, request: Request, who: Reader, app: Here) -> Any:
    """Begin an export, which is made when it is fetched: its id says of what."""
    await requests.meant(request, app, who, body.meant())
    return {"message": "Memory export request received.", "id": sealed(body.meant())}


@router.post("/v1/exports/get/")
async def exported(body: requests.Exported, request: Request, who: Reader, app: Here) -> Any:
    """The memories of an export, or of filters."""
    shown, total = await _page(body, request, app, who, MOST_PAGE)
    return {"count": total, "results": shown}


router.routes.extend(routes_of(platform.router))
DIALECT = Dialect(
    name="mem0",
    spoken=re.compile(
        r"(?s)/v1/ping/?|/v[123]/memories(?:/.*)?|/v1/(?:entities|batch|feedback|summary)/|/v1/e(?:xports|vent)/.*"
        r"|/v2/(?:entities|profiles)/.*|/api/v1/(?:orgs|webhooks)/.*"
    ),
    told=partial(in_detail, challenge="Token"),
    router=router,
    asking=("/v3/memories/search/", "/v2/memories/search/", "/v1/memories/search/"),
)
