"""Finds the segments that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import moments_of, span_of
from deployments.kinds import MOST_QUERY, Id, ShortText, Text, When
from deployments.use_cases.questions import Recalled, ask
from memory.errors import Invalid
from memory.model.entities import ENTITY_TYPES
from memory.model.origins import ProvenanceFilter
from memory.model.timeline import Interval
from memory.retrieval.effort import SIMPLE, effort_of
from memory.retrieval.packing import tokens
from memory.retrieval.query import Question
from memory.retrieval.verdicts import JUDGED
from memory.services.hits import mark, retraction

Tokens = Annotated[int, Field(ge=1, le=1_000_000)]
MOST_RESULTS = 50
SAID = 1
"""The granularity that answers with what was said; 2 answers with storylines and 3 with macros (decision 0061, 18)."""
LEAST_RELEVANCE = 1e-6
"""Relevance is sent with six digits and is never 0: what is less is sent as this."""


class Refutation(BaseModel):
    """A fact from a segment that is no longer believed, and the statement that replaced it."""

    fact_id: str
    instead: str | None = None


class Hit(BaseModel):
    """One result. Refuted segments come last, and `text` leaves out sentences of forgotten facts.

    `taken_back` is what the speaker said next, if it takes these words back.
    """

    segment_id: str
    source_id: str
    source_session: str
    source_kind: str
    text: str
    speaker: str
    timestamp: float
    relevance_score: float
    entities: list[str]
    fact_ids: list[str]
    refuted: list[Refutation] | None = None
    taken_back: str | None = None


def mark_of(hit: Hit) -> str:
    """What follows the words of a hit that is refuted or was taken back; empty for any other."""
    return mark([each.instead for each in hit.refuted or ()], bool(hit.fact_ids), hit.taken_back or "")


class RolledUp(BaseModel):
    """A storyline or a macro whose lines stand in `context`."""

    kind: str
    id: str
    entity: str
    sources: int
    first_at: str
    last_at: str


class ContextAnswer(BaseModel):
    """The results, best first. With storylines or macros: `rolled_up`, and as results the segments their lines cite.

    `granularity` is the one that was answered with, where another than 1 was asked for.
    """

    results: list[Hit]
    query: str
    total: int
    intent: str
    degraded: list[str]
    pending: dict[str, int]
    abstained: bool
    context: str
    explain: list[dict[str, Any]] | None = None
    plan: dict[str, Any] | None = None
    granularity: int | None = None
    rolled_up: list[RolledUp] | None = None


class ContextParameters(BaseModel, extra="forbid"):
    """The parameters of a question."""

    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = SIMPLE.results
    hours_back: Annotated[float | None, Field(gt=0, le=2_000_000, description="Only this many hours back.")] = None
    now: Annotated[When | None, Field(description="Anchors relative words and recency; default: the clock.")] = None
    as_of: Annotated[When | None, Field(description="What was valid then: a date, ISO 8601...")] = None
    known_as_of: Annotated[When | None, Field(description="What had been committed by then.")] = None
    granularity: Annotated[
        int,
        Field(ge=1, le=3, description="1: what was said. 2: storylines. 3: macros. Or the next finer that there is."),
    ] = SAID
    type: Annotated[str | None, Field(description="Only segments that mention an entity of this type.")] = None
    entity: Annotated[Id | None, Field(description="Only segments that mention this entity, by name or id.")] = None
    after: Annotated[ShortText | None, Field(description="A date, or last_week, or last_month.")] = None
    before: Annotated[ShortText | None, Field(description="A date, or last_week, or last_month.")] = None
    budget_tokens: Annotated[
        Tokens | Literal["auto"] | None,
        Field(description="Assemble `context` within so many tokens; auto: 1000, or 3000 and 20 results if complex."),
    ] = None
    cut: Literal["auto", "none"] = "auto"
    record_access: bool = True
    explain: bool = False
    effort: Annotated[
        Literal["normal", "careful"],
        Field(description="careful: the best ten are judged, told in the order in which they answer; 2 ms more."),
    ] = "normal"


async def search(
    app: AppContext, who: Caller, asked: ContextParameters, origins: Sequence[ProvenanceFilter] | None = None
) -> ContextAnswer:
    """The segments that answer a question, each with speaker, time and source; `origins` limits their sources.

    Raises Invalid.
    """
    return answer_of(asked.query, await ask(app, await question_of(app, who, asked), origins))


async def question_of(app: AppContext, who: Caller, asked: ContextParameters) -> Question:
    """The parameters as a question; words for dates are resolved where the user lives. Raises Invalid."""
    if asked.granularity != SAID:
        raise Invalid("granularity: storylines (2) and macros (3) are told by GET /v1/context alone; leave it out.")
    [given] = await moments_of(app, who, now=asked.now)
    now = app.clock.now() if given is None else given
    as_of, known_as_of = await moments_of(app, who, now, as_of=asked.as_of, known_as_of=asked.known_as_of)
    if asked.type is not None and asked.type not in ENTITY_TYPES:
        raise Invalid(f"type: must be one of {', '.join(ENTITY_TYPES)}.")
    span = Interval()
    if asked.after is not None or asked.before is not None:
        span = span_of(asked.after, asked.before, now, (await app.profile(who.user_id)).time_zone)
    hours_back = asked.hours_back if asked.hours_back is not None else app.settings.recall.hours_back
    adaptive = asked.budget_tokens == "auto" or app.settings.recall.adaptive
    effort = effort_of(asked.query) if adaptive else SIMPLE
    budget = effort.tokens if adaptive and asked.budget_tokens in (None, "auto") else asked.budget_tokens
    return Question(
        text=asked.query,
        view=who.view,
        now=now,
        limit=asked.limit if "limit" in asked.model_fields_set or not adaptive else effort.results,
        depth=effort.depth,
        hours_back=hours_back,
        as_of=as_of,
        known_as_of=known_as_of,
        type=asked.type,
        entity=asked.entity,
        after=span.start,
        before=span.end,
        budget_tokens=cast(int | None, budget),
        trimmed=isinstance(asked.budget_tokens, int),
        cut=asked.cut,
        record_access=asked.record_access,
        explain=asked.explain,
        judged=JUDGED if asked.effort == "careful" else 0,
        careful=asked.effort == "careful",
    )


def answer_of(query: str, recalled: Recalled) -> ContextAnswer:
    """The answer to send for a recollection."""
    hits = [
        Hit(
            segment_id=each.segment_id,
            source_id=each.source_id,
            source_session=each.session_id,
            source_kind=each.kind,
            text=each.text,
            speaker=each.speaker,
            timestamp=each.at,
            relevance_score=max(round(score, 6), LEAST_RELEVANCE),
            entities=list(each.entities),
            fact_ids=list(each.fact_ids),
            refuted=[Refutation(fact_id=fact.fact_id, instead=fact.instead) for fact in each.refuted] or None,
            taken_back=retraction(each.next_words) or None,
        )
        for each, score in zip(recalled.shown, recalled.scores, strict=True)
    ]
    found = recalled.recollection
    places = {each.segment_key: {"source_id": each.source_id, "segment_id": each.segment_id} for each in recalled.shown}
    return ContextAnswer(
        results=hits,
        query=query,
        total=len(hits),
        intent=found.intent,
        degraded=sorted(found.degraded),
        pending=dict(recalled.pending),
        abstained=found.abstained,
        context=recalled.context,
        explain=[places[each.key] | asdict(each) for each in found.explained if each.key in places] or None,
        plan=_plan(recalled),
    )


def _plan(recalled: Recalled) -> dict[str, Any] | None:
    """What was decided and done about the question, where that was asked for."""
    told = recalled.recollection.told
    if told is None:
        return None
    packed = f"pack: {len(recalled.shown)} results, a context of {tokens(recalled.context)} tokens"
    return {**asdict(told), "steps": [*told.steps, packed]}
