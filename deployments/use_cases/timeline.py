"""The timeline: segments and facts in the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import span_of, then_of
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.contexts import marks_of
from deployments.use_cases.facts import AsOf, KnownAsOf
from memory.model.shown_times import TimelineEntry
from memory.model.timeline import iso

_ENTRY = {
    "kind": "segment",
    "at": "2026-03-01T08:00:00Z",
    "text": "I moved to Lisbon last month.",
    "speaker": "Maya",
    "source_id": "breakfast",
    "segment_id": "1",
    "fact_id": None,
    "subject": None,
    "until": None,
}


class Entry(BaseModel, json_schema_extra={"examples": [_ENTRY]}):
    """A segment when it was said, or a fact when it began to be true (`until`: when it ceased)."""

    kind: Literal["segment", "fact"]
    at: str
    text: str
    speaker: str | None
    source_id: str | None
    segment_id: str | None
    fact_id: str | None
    subject: str | None
    until: str | None


class Timeline(BaseModel):
    """Entries, the earliest first; `cursor` leads to the next part."""

    entries: list[Entry]
    cursor: str | None


class TimelineParameters(PageParameters):
    """The parameters of a timeline."""

    after: Annotated[ShortText | None, Field(description="A date, or last_week, or last_month.")] = None
    before: Annotated[ShortText | None, Field(description="A date, or last_week, or last_month.")] = None
    entity: Annotated[ShortText | None, Field(description="Only what concerns this entity, by name or id.")] = None
    as_of: AsOf = None
    known_as_of: KnownAsOf = None


async def list_entries(app: AppContext, who: Caller, asked: TimelineParameters) -> Timeline:
    """What was said and what became true, in order of time; with `known_as_of` as far as it was known then.

    With `as_of` what had been said by then, and the facts that were true then. Refuted words are marked, unless it is
    asked what was known earlier. Raises Invalid.
    """
    zone = (await app.profile(who.user_id)).time_zone
    span = span_of(asked.after, asked.before, app.clock.now(), zone)
    figures = app.stores.reads.figures
    then = await then_of(app, who, asked.as_of, asked.known_as_of)
    entities = None if asked.entity is None else await figures.named(who.view, asked.entity, then)
    place = {"mark": None, "key": None, **asked.place()}
    found = await figures.timeline(
        who.view, asked.limit + 1, then, after=span.start, before=span.end, entities=entities, **place
    )
    shown = found[: asked.limit]
    last = (shown[-1].at, shown[-1].key) if len(found) > asked.limit else None
    heard = [int(each.key) for each in shown if each.kind == "segment"] if asked.known_as_of is None else []
    marks = await marks_of(app, who.view, heard)
    return Timeline(entries=[_entry(each, marks) for each in shown], cursor=cursor_of(last))


def _entry(entry: TimelineEntry, marks: Mapping[int, str]) -> Entry:
    mark = marks.get(int(entry.key), "") if entry.kind == "segment" else ""
    told = {"text": f"{entry.text}{mark}", "at": iso(entry.at), "until": iso(entry.until)}
    return Entry(**{**asdict(entry), **told})
