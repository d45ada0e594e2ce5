"""The step of a night that links facts with their causes, where words tell a reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from memory.model.commands import LinkCauses
from memory.model.timeline import DAY_S, Instant
from memory.rules.causes import MOST_PAIRS, CausalSegment, causes_in
from memory.rules.night_steps import ACTOR, NightName, StepResult

STEP = "causes"
LOOKS_BACK_S = 1.5 * DAY_S
"""Seconds before a night from which its facts were first heard: the day, and what came while the last night ran."""


class CausalReads(Protocol):
    """What causal links are read off."""

    async def told(self, user_id: str, since: Instant) -> Sequence[CausalSegment]:
        """What persons said that may tell a reason, of facts first believed then or later; the latest first."""


async def link_causes(of: NightName, now: Instant, reads: CausalReads | None) -> StepResult:
    """Link each cause with its effect (seed 004); without reads nothing is done."""
    if reads is None:
        return StepResult((), {})
    told = await reads.told(of.user_id, now - LOOKS_BACK_S)
    found = dict.fromkeys(pair for segment in told for pair in causes_in(segment))
    pairs = tuple(islice(found, MOST_PAIRS))
    figures = {"linked": len(pairs), "more": len(found) > MOST_PAIRS}
    if not pairs:
        return StepResult((), figures)
    named = of.identity(STEP, *(each for pair in pairs for each in pair))
    return StepResult((LinkCauses(command_id=named, actor=ACTOR, pairs=pairs),), figures)
