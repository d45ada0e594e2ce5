"""Judges contradictions outside the turn, so that no turn waits for a model.

A command is submitted. If its claims meet rivals that nobody has judged, the turn answers Unjudged with the pairs. They
are judged, and the command is submitted again with the verdicts. Other commands may be committed in between, so this
may take several rounds. After the last one the rules decide what is left.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from memory.errors import ModelFailed, Unavailable, Unjudged
from memory.model.commands import AcceptReading, MeetRivals, Remember
from memory.model.timeline import Instant
from memory.model.verdicts import Judgement, Judging, PendingJudgement, Verdict
from memory.ports import Judge

log = logging.getLogger("memoray.judging")
Judgeable = TypeVar("Judgeable", AcceptReading, Remember, MeetRivals)
Done = TypeVar("Done")


async def submit_judged(
    command: Judgeable, submit: Callable[[Judgeable], Awaitable[Done]], judge: Judge | None, rounds: int
) -> Done:
    """Submit a command, and judge the pairs that its turn asks for. Without a judge the rules alone decide.

    A judge that fails keeps nobody waiting: it is logged, the rules decide, and the facts say so in `judged_by`, so
    that it can be asked again.
    """
    if judge is None:
        return await submit(command)
    done, verdicts = await _rounds(command, submit, judge, rounds)
    if done is not None:
        return done
    return await submit(replace(command, judging=Judging(judge.name, verdicts, judge.asked_above, closed=True)))


async def ask_again(
    command: MeetRivals, submit: Callable[[MeetRivals], Awaitable[object]], judge: Judge, rounds: int
) -> None:
    """Ask the judge about pairs that the rules decided while it was away. If it fails again, nothing changes."""
    await _rounds(command, submit, judge, rounds)


async def _rounds(
    command: Judgeable, submit: Callable[[Judgeable], Awaitable[Done]], judge: Judge, rounds: int
) -> tuple[Done | None, tuple[Judgement, ...]]:
    """Submit and judge alternately. Returns the result of the turn, or None, and the verdicts so far."""
    verdicts: tuple[Judgement, ...] = ()
    for _ in range(rounds):
        try:
            return await submit(replace(command, judging=Judging(judge.name, verdicts, judge.asked_above))), verdicts
        except Unjudged as unjudged:
            questions = cast(tuple[PendingJudgement, ...], unjudged.questions)
        try:
            verdicts += _judgements(questions, await judge.judge([each.pair for each in questions]), judge.name)
        except Unavailable as error:
            log.warning("the judge %s failed on %d pairs, the rules decide: %s", judge.name, len(questions), error)
            break
    return None, verdicts


@dataclass
class RetrySchedule:
    """When something is tried again: `base_s * 2^n`, at most `cap_s` seconds after it was tried for the n-th time.

    Without end: what is asked may be away for days.
    """

    base_s: float
    cap_s: float
    _tried: dict[str, tuple[int, Instant]] = field(default_factory=dict)
    """id -> how often it was tried, and when it is due again."""

    def due(self, ids: Iterable[str], now: Instant) -> list[str]:
        """Those of these ids that may be tried now."""
        return [each for each in ids if self._tried.get(each, (0, now))[1] <= now]

    def resting(self, now: Instant) -> list[str]:
        """The ids that may not be tried yet."""
        return [each for each, (_, due) in self._tried.items() if due > now]

    def tried(self, ids: Iterable[str], now: Instant) -> None:
        """Count another attempt for these."""
        for each in ids:
            times, _ = self._tried.get(each, (0, now))
            self._tried[each] = times + 1, now + min(self.cap_s, self.base_s * 2.0**times)

    def over(self, one: str) -> None:
        """Forget the attempts of one that has succeeded."""
        self._tried.pop(one, None)


def _judgements(
    questions: Sequence[PendingJudgement], verdicts: Sequence[Verdict], judge: str
) -> tuple[Judgement, ...]:
    if len(verdicts) != len(questions):
        raise ModelFailed("The judge did not answer every question.", pairs=len(questions), judged=len(verdicts))
    return tuple(
        Judgement(question.fact_id, question.rival_id, verdict, judge)
        for question, verdict in zip(questions, verdicts, strict=True)
    )
