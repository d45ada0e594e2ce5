"""Judging outside the turn: a model is asked while no turn waits for it, and the turn checks that nothing was missed.

A command is submitted; if its claims meet rivals nobody has judged, the turn answers Unjudged with the pairs. They are
judged, and the command is submitted again with the verdicts. Something may have come between, so this may take several
rounds; after the last the rules decide what is left.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from memory.errors import ModelFailed, Unavailable, Unjudged
from memory.model.commands import AcceptReading, MeetRivals, Remember
from memory.model.verdicts import Judgement, Judging, Question, Verdict
from memory.ports import Judge

log = logging.getLogger("memoray.judging")
Judgeable = TypeVar("Judgeable", AcceptReading, Remember, MeetRivals)
Done = TypeVar("Done")


async def submit_judged(
    command: Judgeable, submit: Callable[[Judgeable], Awaitable[Done]], judge: Judge | None, rounds: int
) -> Done:
    """Submit a command, judging outside whatever its turn asks for; without a judge the rules alone decide.

    A judge that fails keeps nobody waiting: it is logged, the rules decide, and the facts say so in `judged_by`.
    """
    if judge is None:
        return await submit(command)
    verdicts: tuple[Judgement, ...] = ()
    for _ in range(rounds):
        try:
            return await submit(replace(command, judging=Judging(judge.name, verdicts)))
        except Unjudged as unjudged:
            questions = cast(tuple[Question, ...], unjudged.questions)
        try:
            verdicts += _judgements(questions, await judge.judge([each.pair for each in questions]), judge.name)
        except Unavailable as error:
            log.warning("the judge %s failed on %d pairs, the rules decide: %s", judge.name, len(questions), error)
            break
    return await submit(replace(command, judging=Judging(judge.name, verdicts, closed=True)))


def _judgements(questions: Sequence[Question], verdicts: Sequence[Verdict], judge: str) -> tuple[Judgement, ...]:
    if len(verdicts) != len(questions):
        raise ModelFailed("The judge did not answer every question.", pairs=len(questions), judged=len(verdicts))
    return tuple(
        Judgement(question.fact_id, question.rival_id, verdict, judge)
        for question, verdict in zip(questions, verdicts, strict=True)
    )
