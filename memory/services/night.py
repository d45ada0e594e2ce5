"""The night: what is due, what it finds, and how it is told. It plans on a census and commits its steps in order.

Then come the steps that need words, vectors or a model. `now` is the scheduled instant, three o'clock where the user
lives, also when a night is caught up late: running it twice, or a week late, changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, groupby
from typing import Any, Protocol

from memory.errors import DomainError, is_away
from memory.model.commands import Command
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.rules.census import Census
from memory.rules.night_steps import STEPS, NightName, NightView, StepResult
from memory.rules.parameters import Life
from memory.services.consolidation import ConsolidationReads
from memory.services.night_causes import CausalReads
from memory.services.night_communities import Clustering
from memory.services.night_sources import SourceReads
from memory.services.night_voices import VoiceReads
from memory.services.night_words import NightWords, WordSight, WordStep
from memory.services.proving import STEP as PROOF
from memory.services.proving import NightProof, Proving
from memory.services.storylines import StorylineReads
from memory.services.told import reason_of
from memory.services.word_steps import WORD_STEPS
from memory.services.zones import zone_of

log = logging.getLogger("memoray.night")
AHEAD = 2
"""Turns of a night under way at once: one is written while the next is decided. A third would only wait."""
CATCH_UP_DAYS = 30
"""Nights made good after a long absence; what is older left no trace that a later night would not find."""

NightReport = Mapping[str, Any]
"""Results by step, figures and what failed: JSON that is kept and told as it is."""


@dataclass(frozen=True)
class NightPlan:
    """What a night found: each step's commands are fixed before any of them is committed.

    A night that is killed goes on where it was. A step of the second phase is added when its turn comes.
    """

    report: NightReport
    """Nothing that is still to be done is read from here."""
    commands: Mapping[str, tuple[Command, ...]]
    """Step -> what it commits, in order; of a night that is over, nothing."""
    done: bool = False
    """Whether all of it has been committed."""


class Nights(Protocol):
    """Where memories are counted, and where plans and reports are kept."""

    async def census(self, user_id: str) -> Census:
        """A memory as columns, at one consistent moment."""

    async def plan(self, user_id: str, night: date) -> NightPlan | None:
        """The plan of a night, if it was begun."""

    async def begin(self, user_id: str, night: date, at: Instant, plan: NightPlan) -> NightPlan:
        """Keep a plan, unless there is one; the one that stands."""

    async def keep(self, user_id: str, night: date, step: str, found: StepResult) -> NightPlan:
        """Add a step to a plan, unless it has that step; the plan that stands."""

    async def tell(self, user_id: str, night: date, step: str, figures: Mapping[str, Any]) -> None:
        """Put other figures of a step into the report of a night that is not over."""

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """Those of these commands that were committed."""

    async def finish(self, user_id: str, night: date) -> NightPlan:
        """All of the plan has been committed: only its report is kept, and the ids of what it committed."""


class TurnRunner(Protocol):
    """Who lets a memory commit, in the order in which it is told to; a turn may be told before the last one is over."""

    async def carry_out(self, user_id: str, command: Command) -> object:
        """One turn of a user's memory, whose changes nobody asks for."""


@dataclass(frozen=True)
class NightParts:
    """What a night is run with: its hour and its numbers, what it reads and keeps, and who commits."""

    life: Life
    nights: Nights
    runner: TurnRunner
    words: NightWords
    model: LanguageModel | None = None
    """Who puts into words what is written; without one it is quoted."""
    hour: int = 3
    """Local hour of a night (seeds 000 to 004)."""
    word_steps: Mapping[str, WordStep] = field(default_factory=lambda: WORD_STEPS)
    """The steps of the second phase, in order."""
    storylines: StorylineReads | None = None
    """What storylines are found in; without it there are none."""
    clustering: Clustering | None = None
    """What communities are found in, and with what; without it there are none."""
    sources: SourceReads | None = None
    """What summing up sources reads; without it none is summed up."""
    causes: CausalReads | None = None
    """What causal links are read off; without it there are none."""
    proving: Proving | None = None
    """With what a night is proved; without it nothing is taken back."""
    consolidations: ConsolidationReads | None = None
    """What sources are gathered from; without it none are."""
    voices: VoiceReads | None = None
    """What voices are compared in; without it none are."""


def instant_of(night: date, zone: str, hour: int) -> Instant:
    """The scheduled instant of a night: that hour of that day, where the user lives."""
    return datetime.combine(night, time(hour), zone_of(zone)).astimezone(UTC).timestamp()


def due(since: Instant, now: Instant, zone: str, hour: int, last: date | None = None) -> Iterator[date]:
    """The nights scheduled after `since` and not after `now`, in order, and after the night that was `last`.

    Who travels west, or sets a later hour, comes to the hour of a night that was once more: it is not due again.
    """
    first = datetime.fromtimestamp(max(since, now - CATCH_UP_DAYS * 86_400.0), zone_of(zone)).date()
    latest = datetime.fromtimestamp(now, zone_of(zone)).date()
    for number in range((latest - first).days + 1):
        night = first + timedelta(days=number)
        if since < instant_of(night, zone, hour) <= now and (last is None or night > last):
            yield night


def plan_night(of: NightName, census: Census, now: Instant, life: Life) -> NightPlan:
    """Every step of the first phase, in order, on one census."""
    sight = NightView(of, census, now, life)
    report: dict[str, Any] = {"now": now, "version": census.version}
    commands = {}
    for name, step in STEPS.items():
        found = step(sight)
        commands[name], report[name] = found.commands, dict(found.figures)
    return NightPlan(report, commands)


def commands_of(plan: NightPlan) -> Iterator[Command]:
    """What a plan commits, in order."""
    return chain.from_iterable(plan.commands.values())


async def run_night(user_id: str, night: date, zone: str, parts: NightParts) -> dict[str, Any]:
    """One night of one user, planned here and committed by the turn runner; only told again if it was already.

    Killed at any moment and run again it ends as if it had not been: the plan stands, and a command counts once.
    Raises what the first phase raises, and Unavailable; any other failure of a later step is told in its report.
    """
    of, nights = NightName(user_id, night.isoformat()), parts.nights
    plan = await nights.plan(user_id, night)
    if plan is None:
        now, census = instant_of(night, zone, parts.hour), await nights.census(user_id)
        fresh = await asyncio.to_thread(plan_night, of, census, now, parts.life)
        told = {"user_id": user_id, "night": night.isoformat(), **fresh.report}
        plan = await nights.begin(user_id, night, now, replace(fresh, report=told))
    if not plan.done:
        now = float(plan.report["now"])
        sight = WordSight(
            of,
            now,
            parts.life,
            parts.words,
            parts.model,
            parts.storylines,
            parts.clustering,
            parts.sources,
            parts.causes,
            parts.consolidations,
            parts.voices,
        )
        proof = NightProof(user_id, (night, now), parts.proving, nights, plan.report.get(PROOF))
        for name in STEPS:
            await _first_phase(name, user_id, plan.commands.get(name, ()), proof, parts)
        if await _second_phases(sight, plan, proof, parts):
            await proof.end()
        plan = await nights.finish(user_id, night)
    return dict(plan.report)


async def _first_phase(
    name: str, user_id: str, commands: Sequence[Command], proof: NightProof, parts: NightParts
) -> None:
    """Commit what a step of the first phase gave, and have it judged."""
    await proof.begin(commands)
    await _commit(user_id, commands, parts)
    await proof.judge(name, commands)


async def _second_phases(sight: WordSight, plan: NightPlan, proof: NightProof, parts: NightParts) -> bool:
    """The steps that need words, in order; False if somebody else has ended the night meanwhile."""
    for name, step in parts.word_steps.items():
        commands = await _second_phase(name, step, sight, plan, proof, parts)
        if commands is None:
            return False
        await proof.judge(name, commands)
    return True


async def _second_phase(
    name: str, step: WordStep, sight: WordSight, plan: NightPlan, proof: NightProof, parts: NightParts
) -> Sequence[Command] | None:
    """One step: keep what it gives, then commit it. What fails is told as its failure, and the night goes on.

    Returns what was to be committed; None if the night is over: it was asked for while a job ran it.
    """
    user_id, night = sight.of.user_id, date.fromisoformat(sight.of.date)
    if name not in plan.commands:
        plan = await parts.nights.keep(user_id, night, name, await _attempted(name, step, sight))
    if plan.done:
        return None
    await proof.begin(plan.commands[name])
    try:
        await _commit(user_id, plan.commands[name], parts)
    except DomainError as error:
        if is_away(error):
            raise
        log.warning("the step %s of the night of %s failed: %s", name, user_id, reason_of(error))
        await parts.nights.tell(user_id, night, name, {"failed": reason_of(error)})
    return plan.commands[name]


async def _attempted(name: str, step: WordStep, sight: WordSight) -> StepResult:
    """What a step gives; of one that fails, why."""
    try:
        return await step(sight)
    except Exception as error:
        if is_away(error):
            raise
        log.exception("the step %s of the night of %s failed", name, sight.of.user_id)
        return StepResult((), {"failed": reason_of(error)})


async def _commit(user_id: str, commands: Iterable[Command], parts: NightParts) -> None:
    """Let the turn runner commit what was not committed yet; commands of one kind are told ahead, the kinds in order.

    What is merged has changed, and would cross no more this night: crossings come first, and are waited for.
    """
    wanted = list(commands)
    if not wanted:
        return
    done = await parts.nights.committed(user_id, [each.command_id for each in wanted])
    # to carry one out again would be to load the whole memory anew
    left = (each for each in wanted if each.command_id not in done)
    for _, alike in groupby(left, type):
        await _commit_ahead(user_id, alike, parts.runner)


async def _commit_ahead(user_id: str, commands: Iterable[Command], runner: TurnRunner) -> None:
    """Commit these in order; the next is sent while the last is under way.

    Raises what the first raises. What is under way then is waited for: nothing is committed once this has raised.
    """
    under_way: deque[asyncio.Future[object]] = deque()
    try:
        for command in commands:
            if len(under_way) == AHEAD:
                await under_way.popleft()
            under_way.append(asyncio.ensure_future(runner.carry_out(user_id, command)))
        while under_way:
            await under_way.popleft()
    finally:
        await asyncio.gather(*under_way, return_exceptions=True)
