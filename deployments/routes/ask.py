"""POST /v1/ask: a question answered in sentences, with citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from deployments.callers import Reader
from deployments.commands import Here
from deployments.house import House
from deployments.questions import Recalled, ask
from deployments.routes.context import Asked, Hit, answer_of, question_of
from memory.model.scopes import View
from memory.services import answer as answering

router = APIRouter(prefix="/v1", tags=["context"])


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


class Answer(BaseModel):
    """The answer, what it rests on, and whether a language model wrote it or it is made of quotations."""

    answer: str
    generated: bool
    citations: list[Citation]
    results: list[Hit]
    degraded: list[str]


@router.post("/ask", response_model=Answer)
async def answer(body: AskIn, who: Reader, house: Here) -> Any:
    """Answer a question from memory. Without a language model the answer is composed of quoted evidence."""
    recalled = await ask(house, await question_of(body, who, house))
    hits = [_hit(row) for row in recalled.shown]
    facts = await _facts(house, who.view, recalled)
    language = (await house.profile(who.user_id)).languages[0]
    found = await answering.answer(
        body.query, hits, facts, house.model, abstained=recalled.recollection.abstained, language=language
    )
    told = answer_of(body.query, recalled)
    return Answer(
        answer=found.text,
        generated=found.generated,
        citations=[Citation(number=c.number, source_id=c.source_id, segment_id=c.segment_id) for c in found.citations],
        results=told.results,
        degraded=told.degraded,
    )


def _hit(row: Mapping[str, Any]) -> answering.Hit:
    return answering.Hit(
        text=row["text"],
        speaker=row["speaker"],
        at=row["at"],
        offset_s=row["offset_s"],
        source_id=row["source_id"],
        segment_id=row["segment_id"],
        fact_ids=tuple(row["fact_ids"]),
    )


async def _facts(house: House, view: View, recalled: Recalled) -> list[answering.KnownFact]:
    """The facts the hits carry, and those that have taken their place."""
    carried = await _current(house, view, {fact_id for row in recalled.shown for fact_id in row["fact_ids"]})
    later = {successor for row in carried for successor in row["superseded_by"]}
    known = {row["fact_id"]: row for row in (*carried, *await _current(house, view, later))}
    return [_known(row, known) for row in known.values()]


async def _current(house: House, view: View, ids: set[str]) -> Sequence[Mapping[str, Any]]:
    return await house.stores.facts.current(view, sorted(ids)) if ids else ()


def _known(row: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> answering.KnownFact:
    successor = next((known[each] for each in row["superseded_by"] if each in known), None)
    return answering.KnownFact(
        fact_id=row["fact_id"],
        statement=row["shown_statement"] or "",
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        status=row["status"],
        superseded_by=successor["shown_statement"] if successor else None,
    )
