"""The step of a night that links facts with their causes, where words tell a reason, or a language model sees one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Protocol

from memory.model.commands import LinkCauses
from memory.model.timeline import DAY_S, Instant
from memory.ports import LanguageModel
from memory.rules.causes import MOST_PAIRS, CausalSegment, QuotedFact, causes_in
from memory.rules.night_steps import ACTOR, NightName, StepResult
from memory.rules.parameters import CausalLinks
from memory.services.proposing import Proposal, Proposer
from memory.words.cleaning import called, in_quotes

STEP = "causes"
PROMPT = "causes"
LOOKS_BACK_S = 1.5 * DAY_S
"""Seconds before a night from which its facts were first heard: the day, and what came while the last night ran."""
ABOUT = "what was said"
_Pair = tuple[str, str]


class CausalReads(Protocol):
    """What causal links are read off."""

    async def told(self, user_id: str, since: Instant) -> Sequence[CausalSegment]:
        """What persons said that may tell a reason, of facts first believed then or later; the latest first."""

    async def related(self, user_id: str, since: Instant, rules: CausalLinks) -> Sequence[Sequence[QuotedFact]]:
        """The facts of sources from which one was first believed then or later: two or more of each, in their order.

        The sources told last come first. What only an assistant or a tool said is not among it.
        """


async def link_causes(
    of: NightName,
    now: Instant,
    reads: CausalReads | None,
    model: LanguageModel | None = None,
    rules: CausalLinks | None = None,
) -> StepResult:
    """Link each cause with its effect (seed 004); without reads nothing is done.

    What words tell comes first. A model may add what it sees between facts of one source.
    """
    if reads is None:
        return StepResult((), {})
    told = await reads.told(of.user_id, now - LOOKS_BACK_S)
    found = dict.fromkeys(pair for segment in told for pair in causes_in(segment))
    pairs = tuple(islice(found, MOST_PAIRS))
    commands = [*_linking(of, pairs)]
    figures = {"linked": len(pairs), "more": len(found) > MOST_PAIRS}
    proposer = Proposer(model, PROMPT)
    if model is not None:
        asked = await reads.related(of.user_id, now - LOOKS_BACK_S, rules or CausalLinks())
        proposed = await _proposed(proposer, asked)
        fresh = tuple(islice((each for each in proposed if each not in found), MOST_PAIRS - len(pairs)))
        commands += _linking(of, fresh, proposer.name)
        figures["generated"] = len(fresh)
    return StepResult(tuple(commands), {**figures, **proposer.told()})


def _linking(of: NightName, pairs: Sequence[_Pair], by: str | None = None) -> Iterable[LinkCauses]:
    """The command that links these; known by what it links and by who says so."""
    if not pairs:
        return
    place = [each for pair in pairs for each in pair]
    if by is None:
        yield LinkCauses(command_id=of.identity(STEP, *place), actor=ACTOR, pairs=tuple(pairs))
    else:
        named = of.identity(STEP, "generated", *place)
        yield LinkCauses(command_id=named, actor=ACTOR, pairs=tuple(pairs), judged_by=by)


async def _proposed(proposer: Proposer, asked: Sequence[Sequence[QuotedFact]]) -> dict[_Pair, None]:
    """What a model sees as cause and effect, source by source."""
    found: dict[_Pair, None] = {}
    for facts in asked:
        for proposal in await proposer.propose(ABOUT, [_line(each) for each in facts]):
            pairs = [*_read(proposal, facts)]
            found |= dict.fromkeys(pairs)
            proposer.used(bool(pairs))
    return found


def _read(proposal: Proposal, facts: Sequence[QuotedFact]) -> Iterable[_Pair]:
    """The pairs that a sentence links: both facts stand in it as they were stated, and it names both."""
    named = tuple(facts[place].stated for place in proposal.lines)
    yield from dict.fromkeys(causes_in(CausalSegment(proposal.text, named)))


def _line(fact: QuotedFact) -> str:
    return f"{fact.stated.statement} ({called(fact.speaker)}: {in_quotes(fact.quote)})"
