"""Contrary: which of its rivals a claim contradicts or takes the place of, by the words or by a judge outside.

A judge outside sees what the words show and the rivals of seed 003's grey zone; its verdict then stands. Where it has
not judged, the words decide.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memory.model.facts import Fact
from memory.model.verdicts import ComparedStatement, PendingJudgement, StatementPair, Verdict
from memory.model.working_set import Draft
from memory.rules.contradiction import LEAST_ALIKE, judge
from memory.rules.rivals import Rival
from memory.rules.turn import Meeting, TurnState

_STANDS_AGAINST = frozenset({"contradicts", "updates"})
"""Verdicts by which a claim stands against a rival."""


@dataclass(frozen=True, slots=True)
class Contrary:
    """A rival a claim stands against, and why."""

    rival_id: str
    verdict: Verdict
    similarity: float


def contraries(turn: TurnState, met: Meeting, rivals: list[Rival], weighed: Collection[str] = ()) -> list[Contrary]:
    """Rivals the claim contradicts or updates, the surest first, at most `disputed` of a kind.

    A value that was known before the rival's, and is told again, takes nobody's place. What it was `weighed` against
    before is not asked about again.
    """
    found = [
        Contrary(rival.fact_id, verdict, rival.similarity)
        for place, rival in enumerate(rivals)
        if rival.fact_id not in weighed and (verdict := _verdict(turn, met, rival, place)).relation != "unrelated"
    ]
    known_since = min((_since(turn, each) for each in found if each.verdict.relation == "same"), default=None)
    found.sort(key=lambda each: (-each.verdict.score, -each.similarity, each.rival_id))
    chosen: list[Contrary] = []
    for relation in sorted(_STANDS_AGAINST):
        of_kind = (each for each in found if each.verdict.relation == relation)
        news = [each for each in of_kind if known_since is None or _since(turn, each) < known_since]
        chosen += news[: turn.rules.disputed]
    return sorted(chosen, key=lambda each: (-each.similarity, each.rival_id))


def _since(turn: TurnState, contrary: Contrary) -> float:
    return turn.draft.facts[contrary.rival_id].valid_from


def _verdict(turn: TurnState, met: Meeting, rival: Rival, place: int) -> Verdict:
    """The judge's verdict, or what the words show; a pair the judge ought to see is noted as asked."""
    rules = turn.rules
    judging = turn.judging
    above = rules.contradict_above if judging is None or judging.asked_above is None else judging.asked_above
    grey = place < rules.rivals and above <= rival.similarity
    if rules.manner == "likeness" and not (grey and rival.similarity <= rules.reinforce_above):
        return Verdict()
    if rival.similarity < LEAST_ALIKE:
        return Verdict()
    pair = _pair(turn.draft, met, rival)
    words = judge(pair)
    if judging is None or not (grey or words.relation in _STANDS_AGAINST):
        return words
    for known in judging.verdicts:
        if (known.fact_id, known.rival_id) == (met.fact_id, rival.fact_id):
            return known.verdict
    turn.asked.append(PendingJudgement(met.fact_id, rival.fact_id, pair))
    return words


def _pair(draft: Draft, met: Meeting, rival: Rival) -> StatementPair:
    fact = draft.facts[rival.fact_id]
    ours = ComparedStatement(met.claim.statement, met.since, met.claim.quote)
    theirs = ComparedStatement(fact.statement, fact.valid_from, next(_quotes(draft, fact), ""))
    newer = (fact.valid_from, fact.fact_id) > (met.since, met.fact_id)
    return StatementPair(ours, theirs, rival.similarity) if newer else StatementPair(theirs, ours, rival.similarity)


def _quotes(draft: Draft, fact: Fact) -> Iterator[str]:
    return (each.quote for each in draft.evidence.get(fact.fact_id, ()))
