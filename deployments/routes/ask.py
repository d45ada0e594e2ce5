"""POST /v1/ask: a question answered in sentences, with citations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from deployments.callers import Reader
from deployments.commands import Here
from deployments.contexts import hit_of
from deployments.house import House
from deployments.questions import Shown, ask
from deployments.routes.context import Asked, ContextAnswer, Hit, answer_of, question_of
from memory.model.scopes import View
from memory.model.timeline import Instant
from memory.retrieval.query import Question
from memory.services import answer as answering
from memory.services.known import STEPS, KnownFact
from memory.services.leading import InMind, leading, leading_each, who_asked
from memory.services.listing import Listing, listing, namesakes, told_each
from memory.words.list_questions import ListQuestion, list_question

router = APIRouter(prefix="/v1", tags=["context"])
Rows = Mapping[str, Mapping[str, Any]]
CONSIDERED = 10
"""The best hits, one of whose facts may lead, however many are shown (chosen: twice what is shown by default)."""


class AskIn(Asked):
    """A question with the parameters of /v1/context."""

    model_config = Asked.model_config | {
        "json_schema_extra": {"examples": [{"query": "Where does Maya live?", "limit": 5}]}
    }


class Citation(BaseModel):
    """Where something in the answer was said; `number` is what stands in brackets in a generated one."""

    number: int
    source_id: str
    segment_id: str
    speaker: str
    timestamp: float
    text: str


class Answer(BaseModel):
    """The answer, what it rests on, and whether a language model wrote it or it is made of quotations."""

    answer: str
    generated: bool
    citations: list[Citation]
    results: list[Hit]
    degraded: list[str]
    explain: list[dict[str, Any]] | None = None
    plan: dict[str, Any] | None = None


@router.post("/ask", response_model=Answer, response_model_exclude_none=True)
async def answer(body: AskIn, who: Reader, house: Here) -> Any:
    """Answer a question from memory. Without a language model the answer is composed of quoted evidence."""
    question = replace(await question_of(body, who, house), considered=CONSIDERED)
    # an answer shows no context: only a budget that was given leaves results out
    recalled = await ask(house, question if question.trimmed else replace(question, budget_tokens=None))
    profile = await house.profile(who.user_id)
    language, now = profile.languages[0], question.now
    listable = question.known_as_of is None
    asked = list_question(body.query, now, house.offset(profile, now), profile.name) if listable else None
    shown, carried = _carried(recalled.shown), _carried(recalled.considered)
    told = {} if asked is None else await _told(house, who.view, asked)
    about = {*shown, *carried, *told} if question.known_as_of is None else set[str]()
    facts = await _facts(house, who.view, about, question.as_of)
    known = [_known(row, facts, told) for row in facts.values()]
    listed = _listed(question, asked, [each for each in known if each.fact_id in told], known, language)
    mind = InMind(carried, known, language, question.as_of, profile.name)
    lead = leading(body.query, mind)
    if lead is None and listed is None:
        listed = told_each(leading_each(body.query, mind))
    leads = listed.facts[: answering.TOLD] if listed is not None else [lead] if lead is not None else []
    evidence = await _evidence(house, who.view, shown, [each.fact_id for each in leads], facts)
    hits = [hit_of(row) for row in (*evidence, *recalled.shown)]
    found = await answering.answer(
        body.query,
        hits,
        known,
        house.model,
        as_of=question.as_of,
        abstained=recalled.recollection.abstained and not leads,
        language=language,
        lead=lead,
        listed=listed,
    )
    return _sent(found, hits, answer_of(body.query, recalled))


def _sent(found: answering.Answer, hits: Sequence[answering.Hit], recalled: ContextAnswer) -> Answer:
    """An answer as it is sent, with what was recalled for it."""
    return Answer(
        answer=found.text,
        generated=found.generated,
        citations=_citations(found, hits),
        results=recalled.results,
        degraded=recalled.degraded,
        explain=recalled.explain,
        plan=recalled.plan,
    )


def _listed(
    question: Question, asked: ListQuestion | None, told: Sequence[KnownFact], known: Sequence[KnownFact], language: str
) -> Listing | None:
    """What a question lists, or everybody of the first name it asks about."""
    listed = None if asked is None else listing(asked, told, question.as_of)
    who_is = who_asked(question.text, known, language) if listed is None else None
    return listed if who_is is None else namesakes(who_is, known, question.as_of)


def _citations(found: answering.Answer, hits: Sequence[answering.Hit]) -> list[Citation]:
    said = {(hit.source_id, hit.segment_id): hit for hit in hits}
    return [
        Citation(
            number=cited.number,
            source_id=cited.source_id,
            segment_id=cited.segment_id,
            speaker=said[cited.source_id, cited.segment_id].speaker,
            timestamp=said[cited.source_id, cited.segment_id].at,
            text=said[cited.source_id, cited.segment_id].text,
        )
        for cited in found.citations
    ]


async def _told(house: House, view: View, asked: ListQuestion) -> Mapping[str, bool]:
    """The facts that may belong on the list, and whether each is disputed: one statement."""
    members = asked.test.members if asked.test is not None else frozenset[str]()
    return await house.stores.facts.told_of(view, asked.who, asked.predicates, members)


async def _facts(house: House, view: View, ids: set[str], as_of: Instant | None) -> Rows:
    """These facts, whose place they took, and what took theirs, however often, as it is told on a day; by id.

    Believed now, whenever that was asked.
    """
    facts = {row["fact_id"]: row for row in await _current(house, view, ids, as_of)}
    wanted, asked = {each for row in facts.values() for each in row["supersedes"]}, set(facts)
    for _ in range(STEPS):
        wanted |= {each for row in facts.values() for each in row["superseded_by"]}
        facts |= {row["fact_id"]: row for row in await _current(house, view, wanted - asked, as_of)}
        asked |= wanted
    return facts


async def _evidence(
    house: House, view: View, carried: Collection[str], leads: Sequence[str], facts: Rows
) -> list[Mapping[str, Any]]:
    """What the leading facts and those before them rest on, the latest first, if no hit carries it: one statement."""
    rows = [facts[each] for each in leads if each in facts]
    told = [*rows, *(facts[each] for row in rows for each in row["supersedes"] if each in facts)]
    missing = [row for row in told if row["fact_id"] not in carried]
    keys = [
        each["segment_key"] for row in missing for each in row["sources"][-answering.QUOTES :] if each["segment_key"]
    ]
    found = await house.stores.reads.hydrate(view, keys) if keys else {}
    return sorted(found.values(), key=lambda row: float(row["at"]), reverse=True)


def _carried(hits: Sequence[Shown]) -> list[str]:
    return [fact_id for row in hits for fact_id in row["fact_ids"]]


async def _current(house: House, view: View, ids: set[str], as_of: Instant | None) -> Sequence[Mapping[str, Any]]:
    return await house.stores.facts.current(view, sorted(ids), as_of) if ids else ()


def _known(row: Mapping[str, Any], known: Rows, disputed: Mapping[str, bool]) -> KnownFact:
    later = [known[each] for each in row["superseded_by"] if each in known]
    successor = min(later, key=lambda each: each["predicate"] != row["predicate"], default=None)
    return KnownFact(
        fact_id=row["fact_id"],
        statement=row["shown_statement"] or "",
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        status=row["status"],
        predicate=row["predicate"],
        superseded_by=successor["shown_statement"] if successor else None,
        object=row["shown_object"],
        polarity=row["polarity"],
        confidence=row["confidence"],
        source_id=row["sources"][-1]["source_id"] if row["sources"] else "",
        disputed=disputed.get(row["fact_id"], False),
        subject=row["subject"] or "",
    )
