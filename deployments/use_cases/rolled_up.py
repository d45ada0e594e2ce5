"""Answers a question with storylines or macros: those in which most of what would be found was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Annotated

from pydantic import Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import Text
from deployments.use_cases.contexts import still_told
from deployments.use_cases.provenance_filters import origins_on, written_filters
from deployments.use_cases.questions import Recalled, ask
from deployments.use_cases.searching import (
    SAID,
    ContextAnswer,
    ContextParameters,
    RolledUp,
    answer_of,
    question_of,
)
from deployments.use_cases.summaries import cited_lines, note_recalled
from memory.errors import Invalid
from memory.model.groups import MACRO, STORYLINE
from memory.model.origins import ProvenanceFilter
from memory.model.shown import ShownGroup, ShownSegment
from memory.model.timeline import iso
from memory.retrieval.packing import tokens
from memory.retrieval.query import Question
from memory.services.quoting import day_of
from memory.services.zones import zone_of
from memory.words.cleaning import called

KINDS = {2: STORYLINE, 3: MACRO}
"""Granularity -> what it answers with (seed 002)."""
LOOKED_AT = 50
"""Segments whose storylines are counted (chosen: as many as can be asked for)."""
BESIDE = 0.5
"""What a segment of a storyline that does not name its entity counts (chosen)."""
MOST_FILTERS = 2_000
"""Characters of filters, which stand in a URL."""
Cited = Sequence[tuple[str, Sequence[ShownSegment]]]


class FilteredParameters(ContextParameters):
    """The parameters of a question that may be answered with storylines, or from some sources alone."""

    filters: Annotated[
        Text | None,
        Field(max_length=MOST_FILTERS, description="JSON: only what such sources say (docs/howto/filter.md)."),
    ] = None


async def context(app: AppContext, who: Caller, asked: FilteredParameters) -> ContextAnswer:
    """What answers a question at the granularity asked for, or at the next finer one where nothing stands.

    Raises Invalid.
    """
    question = await question_of(app, who, asked.model_copy(update={"granularity": SAID}))
    origins = await _origins(app, who, asked.filters)
    if asked.granularity == SAID:
        return answer_of(asked.query, await ask(app, question, origins))
    if asked.as_of is not None or asked.known_as_of is not None:
        raise Invalid("granularity: storylines (2) and macros (3) tell of now; leave out as_of and known_as_of.")
    recalled = await ask(app, replace(question, considered=LOOKED_AT), origins)
    scores = await _scores(app, who, recalled)
    for granularity in range(asked.granularity, SAID, -1):
        best = scores if granularity == 2 else await _of_macros(app, who, scores)
        groups = await _ranked(app, who, KINDS[granularity], best, question.limit)
        cited = await cited_lines(app, who.view, groups)
        told = [each for each in groups if cited[each.group_id]]
        if told:
            home = zone_of((await app.profile(who.user_id)).time_zone)
            answer = _answer(question, recalled, granularity, told, cited, best, home)
            if asked.record_access:
                note_recalled(app, who.view, [each.id for each in answer.rolled_up or ()])
            return answer
    return answer_of(asked.query, recalled).model_copy(update={"granularity": SAID})


async def _origins(app: AppContext, who: Caller, filters: str | None) -> Sequence[ProvenanceFilter] | None:
    """What the parameter `filters` means where the user lives; None if it was not given. Raises Invalid."""
    if filters is None:
        return None
    zone = (await app.profile(who.user_id)).time_zone
    return origins_on(written_filters(filters), who.user_id, app.clock.now(), zone)


async def _scores(app: AppContext, who: Caller, recalled: Recalled) -> dict[str, float]:
    """Storyline id -> the relevance of what was found in it, added up."""
    found = [(each.source_id, each.segment_key) for each, _ in recalled.considered]
    scores: defaultdict[str, float] = defaultdict(float)
    for each in await app.stores.nights.groups.holding(who.view, found) if found else ():
        relevance = recalled.considered[each.place - 1][1]
        scores[each.group_id] += relevance * (1.0 if each.named else BESIDE)
    return dict(scores)


async def _of_macros(app: AppContext, who: Caller, scores: Mapping[str, float]) -> dict[str, float]:
    """Macro id -> the scores of its storylines, added up."""
    macros = await app.stores.nights.groups.macros_of(who.view, list(scores)) if scores else {}
    return {macro: sum(scores.get(each, 0.0) for each in members) for macro, members in macros.items()}


async def _ranked(app: AppContext, who: Caller, kind: str, scores: Mapping[str, float], limit: int) -> list[ShownGroup]:
    """The groups in sight of the highest scores, the best first; none that is archived."""
    if not scores:
        return []
    found = await app.stores.nights.groups.page(who.view, kind, len(scores), ids=list(scores))
    at_hand = [each for each in found.shown if each.state != "archived"]
    return sorted(at_hand, key=lambda each: (-scores[each.group_id], each.group_id))[:limit]


def _answer(
    question: Question,
    recalled: Recalled,
    granularity: int,
    groups: Sequence[ShownGroup],
    cited: Mapping[str, Cited],
    scores: Mapping[str, float],
    home: tzinfo,
) -> ContextAnswer:
    """The groups as lines of a context, and as results the segments that these lines cite by number."""
    shown: dict[int, tuple[ShownSegment, float]] = {}
    lines: list[str] = []
    told: list[RolledUp] = []
    most, budget = max(scores.values()) or 1.0, question.budget_tokens
    for group in groups:
        there = [each for _, some in cited[group.group_id] for each in some]
        relevance = scores[group.group_id] / most
        segments = {each.segment_key: (_tellable(question, each), relevance) for each in there}
        fresh = segments | shown
        results = [*shown, *(key for key in segments if key not in shown)]
        added = _lines(group, cited[group.group_id], results, home)
        if lines and budget is not None and tokens("\n".join((*lines, *added))) > budget:
            break
        shown = {key: fresh[key] for key in (*shown, *segments)}
        lines += added
        told.append(_rolled_up(group, granularity))
    answer = replace(
        recalled,
        shown=tuple(each for each, _ in shown.values()),
        scores=tuple(score for _, score in shown.values()),
        context="\n".join(lines),
    )
    return answer_of(question.text, answer).model_copy(update={"granularity": granularity, "rolled_up": told})


def _tellable(question: Question, shown: ShownSegment) -> ShownSegment:
    """A cited segment without the sentences of it that somebody wanted forgotten."""
    told = still_told(question, [(shown, 1.0)])
    return told[0][0] if told else replace(shown, text="")


def _lines(group: ShownGroup, cited: Cited, results: Sequence[int], home: tzinfo) -> list[str]:
    """A group as lines of a context, which cite these results, by key, by their numbers."""
    number = {key: place for place, key in enumerate(results, 1)}
    head = f"{called(group.anchor)}, {day_of(group.first_at, home)} to {day_of(group.last_at, home)}:"
    marks = ["".join(f"[{number[each.segment_key]}]" for each in segments) for _, segments in cited]
    return [head, *(f"- {text} {mark}" for (text, _), mark in zip(cited, marks, strict=True))]


def _rolled_up(group: ShownGroup, granularity: int) -> RolledUp:
    return RolledUp(
        kind=KINDS[granularity],
        id=group.group_id,
        entity=group.anchor,
        sources=group.sources,
        first_at=iso(group.first_at) or "",
        last_at=iso(group.last_at) or "",
    )
