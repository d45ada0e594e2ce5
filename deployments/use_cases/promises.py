"""Lists promises: who owes what to whom, and by when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Annotated

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from memory.model.ids import fold
from memory.model.shown import MadePromise, ShownEntity
from memory.model.timeline import Instant, iso
from memory.rules.keeping import KEPT_ON
from memory.rules.promises import MOST_PROMISES, State, due_of, promise_state

MOST_NAMESAKES = 50
"""Entities one name may mean here; whoever has more is asked for by another name."""
Names = frozenset[str] | None
_PROMISE = {
    "entity_id": "e-0a1b2c3d4e5f6071",
    "text": "I'll send you the photos on Friday",
    "by": "Maya",
    "to": "Ravi",
    "due": "2026-03-06T00:00:00Z",
    "kept_on": None,
    "state": "open",
    "at": "2026-03-01T08:00:04Z",
    "quote": "I'll send you the photos on Friday.",
    "source": {"source_id": "breakfast", "segment_id": "3"},
}


class SaidIn(BaseModel):
    """Where it was said."""

    source_id: str
    segment_id: str


class PromiseOut(BaseModel, json_schema_extra={"examples": [_PROMISE]}):
    """A promise; it has expired when its day passed and nobody said that it was kept or broken."""

    entity_id: str
    text: str
    by: str | None
    to: str | None
    due: str | None
    kept_on: str | None = None
    state: State
    at: str
    quote: str
    source: SaidIn | None


class PromiseList(BaseModel):
    """Promises, the latest first; `total` counts them all, `cursor` leads to the next part."""

    promises: list[PromiseOut]
    total: int
    cursor: str | None


class PromiseParameters(PageParameters):
    """The parameters of a list of promises."""

    state: State | None = None
    by: Annotated[ShortText | None, Field(description="Who made it, by name.")] = None
    to: Annotated[ShortText | None, Field(description="To whom it was made, by name.")] = None


async def list_promises(app: AppContext, who: Caller, asked: PromiseParameters) -> PromiseList:
    """What was promised, by whom and to whom it was asked for. Raises Invalid."""
    now = app.clock.now()
    found = await app.stores.reads.entities.page(who.view, MOST_PROMISES, type="promise")
    people = {"by": await _called(app, who, asked.by), "to": await _called(app, who, asked.to)}
    kept = [seen for seen in found.shown if _wanted(seen, people, asked.state, now)]
    after = asked.place()
    rest = [seen for seen in kept if not after or _place(seen) < (after["mark"], after["key"])]
    cursor = _place(rest[asked.limit - 1]) if len(rest) > asked.limit else None
    shown = await shown_promises(app, who, rest[: asked.limit], now)
    return PromiseList(promises=shown, total=len(kept), cursor=cursor_of(cursor))


async def promises_by_day(app: AppContext, who: Caller, most: int) -> tuple[list[PromiseOut], list[PromiseOut]]:
    """Promises whose day has passed, the latest first, and those that are open, the next one first."""
    now = app.clock.now()
    made = (await app.stores.reads.entities.page(who.view, MOST_PROMISES, type="promise")).shown
    late = sorted(_in_state(made, "expired", now), key=_due, reverse=True)[:most]
    ahead = sorted(_in_state(made, "open", now), key=_due)[:most]
    return await shown_promises(app, who, late, now), await shown_promises(app, who, ahead, now)


def _in_state(made: Sequence[ShownEntity], state: State, now: Instant) -> list[ShownEntity]:
    return [each for each in made if promise_state(each.entity.properties, now) == state]


def _due(made: ShownEntity) -> float:
    """When it is due; what has no day comes last."""
    due = due_of(made.entity.properties)
    return inf if due is None else due


async def shown_promises(app: AppContext, who: Caller, seen: list[ShownEntity], now: Instant) -> list[PromiseOut]:
    """Promises as they are sent, each with where it was first made."""
    made = await app.stores.reads.entities.promised(who.view, [each.entity.entity_id for each in seen])
    return [_shown(each, made.get(each.entity.entity_id), now) for each in seen]


def _shown(seen: ShownEntity, made: MadePromise | None, now: Instant) -> PromiseOut:
    said = seen.entity.properties
    return PromiseOut(
        entity_id=seen.entity.entity_id,
        text=_text(said.get("text")) or seen.entity.name,
        by=_text(said.get("by")),
        to=_text(said.get("to")),
        due=iso(due_of(seen.entity.properties)),
        kept_on=_text(said.get(KEPT_ON)),
        state=promise_state(seen.entity.properties, now),
        at=iso(seen.first_seen) or "",
        quote=(made and made.quote) or "",
        source=SaidIn(source_id=made.source_id, segment_id=made.segment_id) if made else None,
    )


async def _called(app: AppContext, who: Caller, name: str | None) -> Names:
    """Every name of those a name means: a promise keeps the one with which it was made. None if nobody is asked for."""
    if name is None:
        return None
    named = (await app.stores.reads.entities.page(who.view, MOST_NAMESAKES, name=name)).shown
    return frozenset(map(fold, (name, *(one for seen in named for one in (seen.entity.name, *seen.entity.aliases)))))


def _wanted(seen: ShownEntity, people: Mapping[str, Names], state: State | None, now: Instant) -> bool:
    made = seen.entity.properties
    meant = all(names is None or fold(str(made.get(role) or "")) in names for role, names in people.items())
    return meant and state in (None, promise_state(made, now))


def _place(seen: ShownEntity) -> tuple[Instant, str]:
    return seen.last_seen, seen.entity.entity_id


def _text(value: object) -> str | None:
    return None if value is None else str(value)
