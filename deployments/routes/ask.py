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
from memory.services.known import KnownFact, leading

router = APIRouter(prefix="/v1", tags=["context"])
Rows = Mapping[str, Mapping[str, Any]]


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


@router.post("/ask", response_model=Answer)
async def answer(body: AskIn, who: Reader, house: Here) -> Any:
    """Answer a question from memory. Without a language model the answer is composed of quoted evidence."""
    recalled = await ask(house, await question_of(body, who, house))
    language = (await house.profile(who.user_id)).languages[0]
    facts = {} if body.known_as_of is not None else await _facts(house, who.view, recalled)
    known = [_known(row, facts) for row in facts.values()]
    lead = leading(body.query, _carried(recalled), known, body.as_of, language)
    evidence = await _evidence(house, who.view, recalled, lead.fact_id, facts) if lead is not None else []
    hits = [_hit(row) for row in (*evidence, *recalled.shown)]
    found = await answering.answer(
        body.query,
        hits,
        known,
        house.model,
        as_of=body.as_of,
        abstained=recalled.recollection.abstained,
        language=language,
    )
    told = answer_of(body.query, recalled)
    return Answer(
        answer=found.text,
        generated=found.generated,
        citations=_citations(found, hits),
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


async def _facts(house: House, view: View, recalled: Recalled) -> Rows:
    """The facts the hits carry, what took their place and whose place they took, by id.

    Believed now, whenever that was asked.
    """
    carried = await _current(house, view, set(_carried(recalled)))
    others = {each for row in carried for each in (*row["superseded_by"], *row["supersedes"])}
    return {row["fact_id"]: row for row in (*carried, *await _current(house, view, others))}


async def _evidence(
    house: House, view: View, recalled: Recalled, lead_id: str, facts: Rows
) -> list[Mapping[str, Any]]:  # fmt: skip
    """What the leading fact and the one before it rest on, the latest first, where no hit carries it: one statement."""
    lead, carried = facts.get(lead_id), set(_carried(recalled))
    told = [lead, *(facts[each] for each in lead["supersedes"] if each in facts)] if lead is not None else []
    missing = [row for row in told if row["fact_id"] not in carried]
    keys = [
        each["segment_key"] for row in missing for each in row["sources"][-answering.QUOTES :] if each["segment_key"]
    ]
    rows = await house.stores.reads.hydrate(view, keys) if keys else {}
    return sorted(rows.values(), key=lambda row: float(row["at"]), reverse=True)


def _carried(recalled: Recalled) -> list[str]:
    return [fact_id for row in recalled.shown for fact_id in row["fact_ids"]]


async def _current(house: House, view: View, ids: set[str]) -> Sequence[Mapping[str, Any]]:
    return await house.stores.facts.current(view, sorted(ids)) if ids else ()


def _known(row: Mapping[str, Any], known: Rows) -> KnownFact:
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
    )
