"""The context of an answer: every hit on a line, or what fits a budget of tokens, assembled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from deployments.app_context import AppContext
from memory.model.ids import fold
from memory.model.scopes import View
from memory.model.shown import ShownSegment
from memory.model.shown_times import FactAround, Then, TurnAround
from memory.model.timeline import Instant
from memory.retrieval.batches import local_date
from memory.retrieval.packing import PackedLine, pack
from memory.retrieval.query import Question
from memory.services.answer import QUOTED
from memory.services.context import SurroundingFact, context_of
from memory.services.hits import SegmentHit, marked, retraction, standing_first, told_with_marks
from memory.services.known import KnownFact, is_ahead
from memory.services.overview import Overview
from memory.services.zones import zone_of


async def context_for(
    app: AppContext, question: Question, shown: Sequence[ShownSegment], seen: Overview | None = None
) -> tuple[str, int]:
    """The text for these hits, best first, and how many of them are kept. Only a budget costs statements, at once.

    Within a budget an overview that answers the question is told before profiles of whom the hits speak of.
    """
    if question.budget_tokens is None:
        return pack([_line(each) for each in shown]), len(shown)
    if not shown:
        return context_of((), (), (), question.budget_tokens, overview=seen).text, 0
    keys = [each.segment_key for each in shown]
    fact_ids = list(dict.fromkeys(fact_id for each in shown for fact_id in each.fact_ids))
    then = Then(question.as_of, question.known_as_of)
    around, profile = await asyncio.gather(
        app.stores.questions.surroundings.around(question.view, keys, fact_ids, then),
        app.profile(question.view.user_id),
    )
    if question.known_as_of is not None:
        shown = _as_known(shown, around.facts)
    facts = {each.fact_id: each for each in around.facts}
    notes = [_noted(each, facts, question.now) for each in facts.values()]
    turns = [_beside(each) for each in _nearest(around.turns, shown)]
    hits = [hit_of(each) for each in shown]
    found = context_of(hits, notes, turns, question.budget_tokens, question.as_of, seen, zone_of(profile.time_zone))
    return found.text, max(found.cites, default=0) if question.trimmed else len(shown)


def hit_of(shown: ShownSegment, relevance: float = 1.0, verdict: float | None = None) -> SegmentHit:
    """A segment as it was read from the stores, how likely it is evidence, and what was judged of it."""
    return SegmentHit(
        text=shown.text,
        speaker=shown.speaker,
        at=shown.at,
        offset_s=shown.offset_s,
        source_id=shown.source_id,
        segment_id=shown.segment_id,
        fact_ids=tuple(shown.fact_ids),
        role=shown.role,
        refuted=tuple(shown.refuted),
        taken_back=retraction(shown.next_words),
        relevance=relevance,
        verdict=verdict,
    )


def still_told(question: Question, best: Sequence[tuple[ShownSegment, float]]) -> list[tuple[ShownSegment, float]]:
    """Of segments with their relevance, best first, those that may be told, the refuted last; relevance still falls.

    Who asked the same before has answered nothing, and comes behind what may. What was known at some earlier time is
    told as it was known.
    """
    best = [each for each in best if each[0].segment_id not in question.besides and each[0].text != QUOTED]
    best = sorted(best, key=lambda each: asks_again(question.text, each[0].text))
    if question.known_as_of is not None:  # what is refuted since was not then
        return [(replace(shown, refuted=()), score) for shown, score in best]
    told = standing_first([hit_of(shown) for shown, _ in best])
    standing = [replace(best[place][0], text=hit.text, refuted=hit.refuted) for place, hit in told]
    least = accumulate((best[place][1] for place, _ in told), min)
    return list(zip(standing, least, strict=True))


async def marks_of(app: AppContext, view: View, keys: Sequence[int]) -> dict[int, str]:
    """Segment key -> the mark that follows its words, of those that are refuted or were taken back."""
    there = await app.stores.questions.segments.hydrate(view, keys) if keys else {}
    return {key: told for key, shown in there.items() if (told := marked(hit_of(shown)))}


def asks_again(question: str, said: str) -> bool:
    """Whether words are a question and that one."""
    return said.rstrip().endswith("?") and fold(said) == fold(question)


def _line(shown: ShownSegment) -> PackedLine:
    hit = hit_of(shown)
    return PackedLine(local_date(hit.at, hit.offset_s), hit.speaker, told_with_marks(hit))


def _as_known(shown: Sequence[ShownSegment], facts: Sequence[FactAround]) -> list[ShownSegment]:
    """The hits with the facts that they carried then, instead of those that they carry now."""
    carried: dict[int, list[str]] = {}
    for fact in sorted(facts, key=lambda each: each.fact_id):
        for key in fact.grounds:
            carried.setdefault(key, []).append(fact.fact_id)
    return [replace(each, fact_ids=carried.get(each.segment_key, [])) for each in shown]


def _nearest(turns: Sequence[TurnAround], shown: Sequence[ShownSegment]) -> list[TurnAround]:
    """Each turn once, those around the best hits first."""
    rank = {each.segment_key: place for place, each in enumerate(shown)}
    unique: dict[int, TurnAround] = {}
    for turn in sorted(turns, key=lambda turn: (rank[turn.near], turn.at)):
        unique.setdefault(turn.segment_key, turn)
    return list(unique.values())


def _beside(turn: TurnAround) -> SegmentHit:
    return SegmentHit(turn.text, turn.speaker, turn.at, turn.offset_s, turn.source_id, turn.segment_id)


def _noted(around: FactAround, facts: Mapping[str, FactAround], now: Instant) -> SurroundingFact:
    later = [facts[each] for each in around.superseded_by if each in facts]
    successor = min(later, key=lambda each: each.predicate != around.predicate, default=None)
    fact = KnownFact(
        fact_id=around.fact_id,
        statement=around.statement,
        valid_from=around.valid_from,
        valid_to=around.valid_to,
        status=around.status,
        predicate=around.predicate,
        superseded_by=successor.statement if successor else None,
        ahead=is_ahead(around.valid_to, now),
    )
    return SurroundingFact(fact, around.subject, around.subject_type, tuple(around.disputes))
