"""Diff: what changed in belief between two times, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import moment_of
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.changes import LOGGED, beyond, place_of
from deployments.use_cases.explaining import LinkedFact, StepOut, lines_of, shown_steps
from memory.errors import Invalid
from memory.model.timeline import iso
from memory.words.cleaning import sentence

MOST_HELD = 200
"""Facts gained, and facts lost, that are listed."""


class DiffParameters(PageParameters):
    """The parameters of a difference."""

    since: Annotated[
        ShortText | None, Field(alias="from", description="A date, last_week or last_month; default: the beginning.")
    ] = None
    until: Annotated[ShortText | None, Field(alias="to", description="The same; default: now.")] = None
    subject: Annotated[ShortText | None, Field(description="Only what concerns this entity, by name or id.")] = None


class Difference(BaseModel):
    """What is believed at the end and was not at the beginning, what is no longer, and every change in between.

    `changes` are in order and come in parts (`counts` are those of this part); `gained` and `lost` compare the two ends
    and list at most 200 each. `text` says it all in lines.
    """

    since: str | None = Field(serialization_alias="from")
    until: str | None = Field(serialization_alias="to")
    gained: list[LinkedFact]
    lost: list[LinkedFact]
    counts: dict[str, int]
    changes: list[StepOut]
    cursor: str | None
    text: str


async def difference(app: AppContext, who: Caller, asked: DiffParameters) -> Difference:
    """What changed in belief after `since`, up to `until`, by what had been committed: command, actor and words."""
    now, zone = app.clock.now(), (await app.profile(who.user_id)).time_zone
    since, until = moment_of("from", asked.since, now, zone), moment_of("to", asked.until, now, zone)
    if since is not None and until is not None and since >= until:
        raise Invalid("from must be earlier than to.")
    history = app.stores.reads.history
    about = None if asked.subject is None else await app.stores.reads.figures.named(who.view, asked.subject)
    ids = None if about is None else await history.concerning(who.view, about)
    steps, more = await history.steps(
        who.view,
        ids=ids,
        after=since,
        until=until,
        nouns=LOGGED,
        limit=asked.limit,
        beyond=beyond(asked),
    )
    gained, lost = [
        [LinkedFact(**asdict(each)) for each in await history.held(who.view, which, since, until, about, MOST_HELD)]
        for which in ("gained", "lost")
    ]
    lines = [*_balance(gained, lost), *await lines_of(app, who, steps)]
    return Difference(
        since=iso(since),
        until=iso(until),
        gained=gained,
        lost=lost,
        counts=dict(Counter(step.what for step in steps)),
        changes=shown_steps(steps),
        cursor=cursor_of(place_of(steps[-1])) if more else None,
        text="\n".join(lines) or "Nothing changed.",
    )


def _balance(gained: Sequence[LinkedFact], lost: Sequence[LinkedFact]) -> Iterator[str]:
    for sign, facts in (("+", gained), ("-", lost)):
        for fact in facts:
            yield f"{sign} {sentence(fact.statement)} ({fact.fact_id}, {fact.status})"
