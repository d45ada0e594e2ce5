"""Memories of mem0's clients, one by one: shown, changed and deleted, whether what was said or a fact."""

from __future__ import annotations

from fastapi import Request
from pydantic import ValidationError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import moments_of
from deployments.dialects.mem0.memories import Memory, memory_of, memory_of_fact
from deployments.dialects.mem0.requests import Updated, memory_named
from deployments.findings import invalid
from deployments.use_cases import facts, heard, remembering
from memory.errors import Invalid


async def show_memory(request: Request, app: AppContext, who: Caller, memory: str) -> Memory:
    """One memory; of a fact that was corrected, what took its place. Raises NotFound."""
    who, what = await memory_named(request, app, who, memory)
    if isinstance(what, str):
        return memory_of_fact(who, (await facts.versions(app, who, what))[-1])
    return memory_of(who, await heard.one_heard(app, who, what))


async def update_memory(request: Request, app: AppContext, who: Caller, key: str, memory: str, body: Updated) -> Memory:
    """Put a memory into other words, or keep something else beside it. Raises NotFound, Invalid."""
    beside = body.provenance()
    who, what = await memory_named(request, app, who, memory)
    if not isinstance(what, str):
        [at] = await moments_of(app, who, timestamp=None if body.timestamp is None else str(body.timestamp))
        said = memory_of(who, await heard.reword(app, who, what, heard.Rewording(body.text, None, None, beside, at)))
        return {**said, "text": said["memory"]}
    if body.text is None or beside or body.timestamp is not None:
        raise Invalid("Of a fact the text alone can be changed.")
    current = (await facts.versions(app, who, what))[-1]
    correction = _correction(body.text)
    fresh = (await remembering.correct(app, who, key, current.fact_id, correction)).fact_id
    said = memory_of_fact(who, await facts.one(app, who, fresh))
    return {**said, "text": said["memory"]}


def _correction(text: str) -> remembering.Correction:
    try:
        return remembering.Correction(statement=text)
    except ValidationError as error:
        raise invalid(error.errors(include_url=False)) from error


async def delete_memory(
    request: Request, app: AppContext, who: Caller, key: str, memory: str, *, linked: bool = False
) -> None:
    """Forget a message for good, or believe a fact no more; `linked` are those whose place that took."""
    who, what = await memory_named(request, app, who, memory)
    if not isinstance(what, str):
        await heard.forget_one_heard(app, who, key, what)
        return
    versions = await facts.versions(app, who, what)
    before = versions[-1].supersedes if linked else []
    for number, fact_id in enumerate([versions[-1].fact_id, *before]):
        await remembering.forget(app, who, f"{key}-{number}", fact_id)
