"""Questions: encode, ask the shard - or the stores, if it does not answer - and show what came to mind."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Future
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from time import monotonic

import numpy as np
from ray.exceptions import RayError

from actors.understanding import QuestionEncoding, understand
from deployments.app_context import AppContext
from deployments.use_cases.contexts import context_for, still_told
from deployments.use_cases.overviews import overview
from memory.errors import DomainError, Unavailable
from memory.model.events import COMPLETE
from memory.model.origins import ProvenanceFilter
from memory.model.shown import ShownSegment
from memory.model.timeline import Interval
from memory.ports import Keys
from memory.retrieval.query import Question
from memory.services.overview import Overview
from memory.services.recall import RecallContext, Recollection, at_hand, recall
from memory.services.tuning import tuned
from memory.services.zones import zone_of
from memory.words.overview_questions import asks_overview

SPARE = 3
"""Results looked at beyond those that are shown, in whose place they come if words were forgotten or refuted."""
log = logging.getLogger("memoray.gateway")


@dataclass(frozen=True)
class Recalled:
    """A recollection and how its segments are shown, in the same order."""

    recollection: Recollection
    shown: tuple[ShownSegment, ...]
    scores: tuple[float, ...]
    pending: Mapping[str, int]
    context: str
    considered: tuple[tuple[ShownSegment, float], ...] = ()
    """As many of the best as the question considers, shown or not, with their scores; then what was judged besides."""
    seen: Overview | None = None
    """The overview that its context tells, if it tells one."""


async def ask(app: AppContext, question: Question, origins: Sequence[ProvenanceFilter] | None = None) -> Recalled:
    """Answer a question, if `origins` are given from words of theirs alone. A part that is away costs its leg and is
    named in `degraded`; it never fails the question.
    """
    begun = monotonic()
    looked_at = replace(question, considered=max(question.considered, question.limit + SPARE))
    recollection = await _recollect(app, looked_at, await _only(app, question, origins))
    keys, beyond = [int(key) for key in recollection.keys], [int(key) for key in recollection.beyond]
    spare = recollection.spare
    there, pending = await app.stores.questions.segments.dressed(question.view, [*keys, *beyond, *spare])
    scores = [*map(float, recollection.scores), *repeat(float(min(recollection.scores, default=0)), len(beyond))]
    found = [(there[key], score) for key, score in zip((*keys, *beyond), scores, strict=True) if key in there]
    told = still_told(question, found)
    best = told[: question.limit]
    seen = await _overview(app, question, recollection.dated) if origins is None else None
    context, kept = await context_for(app, question, [each for each, _ in best], seen)
    best = best[:kept]
    _tell(app, question, recollection, len(best), monotonic() - begun)
    return Recalled(
        recollection=replace(recollection, abstained=seen is None and (recollection.abstained or not told)),
        shown=tuple(each for each, _ in best),
        scores=tuple(score for _, score in best),
        pending=pending,
        context=context,
        considered=(
            *told[: question.considered],
            *still_told(question, [(there[key], 0.0) for key in spare if key in there]),
        ),
        seen=seen,
    )


async def told_again(app: AppContext, question: Question, keys: Sequence[int]) -> str:
    """The context of segments that were found before, as they may be told now: what was forgotten is not among them."""
    there, _ = await app.stores.questions.segments.dressed(question.view, list(keys))
    told = still_told(question, [(there[key], 0.0) for key in keys if key in there])
    context, _ = await context_for(app, question, [each for each, _ in told])
    return context


async def _overview(app: AppContext, question: Question, dated: Interval | None) -> Overview | None:
    """What a context within a budget tells of a question for all of somebody or of a time; None without a budget."""
    if question.budget_tokens is None or not asks_overview(question.text):
        return None
    return await overview(app, question, await app.profile(question.view.user_id), dated)


def _tell(app: AppContext, question: Question, found: Recollection, results: int, seconds: float) -> None:
    """Count a question, and tell who watches; nothing of one that is to leave no trace."""
    app.metrics.asked(degraded=bool(found.degraded))
    if question.record_access:
        app.stores.events.tell(
            question.view.user_id,
            "bm25-search",
            COMPLETE,
            sensitivity=question.view.clearance,
            duration_ms=round(seconds * 1000),
            results=results,
            degraded=len(found.degraded),
        )


async def _only(app: AppContext, question: Question, origins: Sequence[ProvenanceFilter] | None) -> Keys | None:
    """The segments a filter by entity or by origin leaves, or None without such a filter."""
    kept = None
    if question.type is not None or question.entity is not None:
        mentioning = await app.stores.questions.segments.mentioning(question.view, question.type, question.entity)
        kept = np.array(mentioning, np.int64)
    if origins is None:
        return kept
    told = np.array(await app.stores.reads.heard.keys(question.view, origins), np.int64)
    return told if kept is None else np.intersect1d(told, kept)


async def _recollect(app: AppContext, question: Question, only: Keys | None) -> Recollection:
    """The shard's answer; if the shard is silent or away, its answer or that of PostgreSQL's own search, whichever
    comes first.
    """
    understood = await _understood(app, question) if app.encodes else None
    asking = asyncio.ensure_future(app.actors.recall(question, only, understood))
    try:
        await _while_it_answers(app, app.actors.shard_of(question.view.user_id), asking)
        found = _told(asking) if asking.done() else None
        return found or await _whichever(app, question, only, understood, asking)
    finally:
        asking.cancel()


async def _while_it_answers(app: AppContext, shard: str, asking: Future[Recollection]) -> None:
    """Wait for the shard until it has been silent too long, to this question and to others: behind many of them each
    would be late, and the searches in its place would make it later still.
    """
    loop = asyncio.get_running_loop()
    begun, silence_s = loop.time(), app.settings.recall.shard_timeout_ms / 1000
    while not asking.done():
        silent_since = min(max(begun, app.heard.get(shard, begun)), begun + app.settings.http.patience_s)
        if (left := silent_since + silence_s - loop.time()) <= 0:
            return
        await asyncio.wait((asking,), timeout=left)
    if asking.exception() is None:
        app.heard[shard] = loop.time()


async def _whichever(
    app: AppContext,
    question: Question,
    only: Keys | None,
    understood: QuestionEncoding | None,
    asking: Future[Recollection],
) -> Recollection:
    searching = asyncio.ensure_future(_searched(app, question, only, understood))
    try:
        waited = (searching,) if asking.done() else (searching, asking)
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        found = None if searching.done() else _told(asking)
        return found or await searching
    finally:
        searching.cancel()


def _told(asking: Future[Recollection]) -> Recollection | None:
    """What the shard has answered; None if it was late or is away. Raises what it has refused the question with."""
    try:
        return asking.result()
    except (Unavailable, RayError) as error:
        cause = getattr(error, "cause", error)
        if isinstance(cause, DomainError) and not isinstance(cause, Unavailable):
            raise cause from error
        log.warning("the shard did not answer: %s", type(cause).__name__)
        return None


async def _searched(
    app: AppContext, question: Question, only: Keys | None, understood: QuestionEncoding | None
) -> Recollection:
    """What PostgreSQL's own search finds, a few at a time: it costs ten times what the shard does, which is late the
    longer the more of them are under way.
    """
    async with app.searching:
        return await _fallback(app, question, only, understood or await _understood(app, question))


async def _understood(app: AppContext, question: Question) -> QuestionEncoding:
    return await understand(app.ask(question.text), app.stores.encoder.name)


async def _fallback(
    app: AppContext, question: Question, only: Keys | None, understood: QuestionEncoding
) -> Recollection:
    profile = await app.profile(question.view.user_id)
    settings = tuned(app.settings.recall, app.settings.decay)
    legs, traits_of = app.fallback_search()
    verdicts = app.verdict_weights(understood.encoder)
    slower = replace(settings, leg_timeout_s=settings.leg_timeout_s * 8, verdicts=verdicts)
    context = RecallContext(profile.languages, zone_of(profile.time_zone), only)
    found = await recall(question, legs, traits_of, at_hand(understood.asked), slower, context)
    found = replace(found, degraded={**found.degraded, "shard": "PostgreSQL answered in its place"})
    return understood.told(found)
