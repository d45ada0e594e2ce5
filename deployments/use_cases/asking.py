"""Answers a question in sentences, with citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.answers import CONSIDERED, findings
from deployments.use_cases.questions import ask
from deployments.use_cases.searching import ContextParameters, Hit, answer_of, question_of
from memory.retrieval.verdicts import JUDGED
from memory.services import answer as answering
from memory.services.hits import SegmentHit as SaidHit


class AskIn(ContextParameters):
    """A question with the parameters of /v1/context."""

    model_config = ContextParameters.model_config | {
        "json_schema_extra": {"examples": [{"query": "Where does Maya live?", "limit": 5}]}
    }


class Citation(BaseModel):
    """A source of the answer; `number` is the number in brackets in a generated answer."""

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


async def answer(app: AppContext, who: Caller, body: AskIn) -> Answer:
    """Answer a question from memory. Without a language model the answer is composed of quoted evidence."""
    question = replace(await question_of(app, who, body), considered=CONSIDERED, judged=JUDGED)
    # an answer shows no context: only a budget that was given leaves results out
    recalled = await ask(app, question if question.trimmed else replace(question, budget_tokens=None))
    found = await findings(app, who, question, recalled)
    told = await answering.answer(found, app.model)
    shown = answer_of(body.query, recalled)
    return Answer(
        answer=told.text,
        generated=told.generated,
        citations=citations_of(told, found.cited),
        results=shown.results,
        degraded=shown.degraded,
        explain=shown.explain,
        plan=shown.plan,
    )


def citations_of(found: answering.ComposedAnswer, hits: Sequence[SaidHit]) -> list[Citation]:
    """What an answer cites of these hits, in its order."""
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
