"""The change log: every change of belief in order, with its author and the words behind it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import moment_of
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.explaining import StepOut, lines_of, shown_steps
from memory.errors import Invalid
from memory.model.shown_changes import ChangeStep

LOGGED = ("fact", "entity")
"""Evidence is told by the change it made; evidence that made none changed no belief."""
_MOST_PLACES = 2**31


class Since(PageParameters):
    """The period of the log."""

    since: Annotated[ShortText | None, Field(description="A date, last_week or last_month; default: all.")] = None
    until: Annotated[ShortText | None, Field(description="The same; default: now.")] = None


class ChangeLog(BaseModel):
    """A part of the log, oldest first; `text` has one line for each change."""

    changes: list[StepOut]
    cursor: str | None
    text: str


async def change_log(app: AppContext, who: Caller, asked: Since) -> ChangeLog:
    """Every change of the facts and entities in sight, oldest first."""
    now, zone = app.clock.now(), (await app.profile(who.user_id)).time_zone
    steps, more = await app.stores.reads.history.steps(
        who.view,
        after=moment_of("since", asked.since, now, zone),
        until=moment_of("until", asked.until, now, zone),
        beyond=beyond(asked),
        nouns=LOGGED,
        limit=asked.limit,
    )
    lines = await lines_of(app, who, steps)
    cursor = cursor_of(place_of(steps[-1])) if more else None
    return ChangeLog(changes=shown_steps(steps), cursor=cursor, text="\n".join(lines))


def place_of(step: ChangeStep) -> tuple[float, str]:
    """The place of a change in the log, for a cursor."""
    return step.at, str(step.place)


def beyond(part: PageParameters) -> tuple[float, int] | None:
    """The time, and the place in its turn, of the last change of the part before. Raises Invalid."""
    place = part.place()
    if not place:
        return None
    within = str(place["key"])
    if not (within.isdecimal() and int(within) < _MOST_PLACES):
        raise Invalid("cursor: give it back as a list gave it.")
    return float(place["mark"]), int(within)
