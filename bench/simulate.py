"""Simulating a life: day by day it is told, asked about and slept over; then it is told what became of it.

Everything is decided by the life and the rules: the same life gives the same result, to the last id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from datetime import time as hour_of_day

import numpy as np

from bench.life import DatedQuestion, Invented, LifeSource
from bench.living import HOUR, USER, Living, Parts, scope, segment
from bench.story import TOLERANCE, Checkpoint
from bench.whole_life import (
    AfterLife,
    NearAtHand,
    ProvedNight,
    ToldGroup,
    near_at_hand,
    own_questions,
    proved,
    recall_of,
    told_groups,
)
from memory.model.commands import CloseNight, Command, ForgetFact, MergeFacts
from memory.model.entities import TIERS
from memory.model.facts import Fact
from memory.model.ids import command_id
from memory.model.profile import Profile
from memory.model.sources import Source
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.rules.census import Census, entity_anchors
from memory.rules.decay import strength_of
from memory.rules.night_steps import NightName
from memory.rules.tiers import contradictions
from memory.services.night import commands_of, instant_of, plan_night
from memory.services.zones import offset_s, zone_of
from memory.words.predicates import single_valued

Tell = Callable[[int, int], None]
"""Days done, and of how many."""
READ_AFTER_S = 60.0
"""Talk is read a minute after its last line, a question asked an hour later (chosen)."""
ASK_AFTER_S = 3600.0


@dataclass(frozen=True, slots=True)
class NightCounts:
    """What a night has counted; `archived` and `pruned` are those of this night."""

    day: int
    tiers: Mapping[str, int]
    contradicted: int
    low_salience: int
    facts: int
    archived: int
    pruned: int
    moved: tuple[str, ...]
    """Names of the entities that changed their tier."""


@dataclass(frozen=True, slots=True)
class SimulatedReply:
    """A question, its answer, where it was said (`source/segment`), and the expected words that are missing."""

    day: int
    question: str
    answer: str
    cited: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Against:
    """One fact that gave way to another or stands against it."""

    day: int
    kind: str
    later: str
    earlier: str


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """A checkpoint and what was found: tier, strength, episodes, contradicted; None if there is no such entity."""

    expected: Checkpoint
    found: tuple[str, float, int, bool] | None

    @property
    def holds(self) -> bool:
        """Whether all four are as they must be."""
        if self.found is None:
            return False
        tier, strength, episodes, contradicted = self.found
        wanted = self.expected
        same = (tier, episodes, contradicted) == (wanted.tier, wanted.episodes, wanted.contradicted)
        return same and abs(strength - wanted.strength) <= TOLERANCE


@dataclass(frozen=True, slots=True)
class SimulatedLife:
    """What became of a life."""

    days: tuple[NightCounts, ...]
    checkpoints: tuple[CheckpointResult, ...]
    contradictions: tuple[Against, ...]
    replies: tuple[SimulatedReply, ...]
    """Of the last day."""
    entities: int
    facts: int
    facts_of_chatter: tuple[str, ...]
    """Statements that rest on lines of which nothing may be believed."""
    flaws: tuple[str, ...]
    """Breaches of what must always hold; see `flaws_of`."""
    groups: tuple[ToldGroup, ...]
    """Storylines, macros, communities and patterns of the last night, with the words they rest on."""
    proofs: tuple[ProvedNight, ...]
    """Of the nights that changed something."""
    near_at_hand: NearAtHand
    after: AfterLife | None
    """The quiet nights that followed, if any were asked for."""
    night_moves: int
    """What a second run of each night would have changed; must be 0."""
    seconds: float
    believed: WorkingSet

    @property
    def archived(self) -> int:
        """Entities, facts and sources archived, in all nights."""
        return sum(day.archived for day in self.days)

    @property
    def pruned(self) -> int:
        """Facts pruned, in all nights."""
        return sum(day.pruned for day in self.days)

    @property
    def broken(self) -> bool:
        """Whether something is so that must never be, whatever the life and the settings."""
        return bool(self.flaws or self.night_moves or self.facts_of_chatter)

    @property
    def sound(self) -> bool:
        """Whether every number and every answer is as it must be."""
        answered = not any(reply.missing for reply in self.replies)
        return not self.broken and answered and all(each.holds for each in self.checkpoints)


def simulate(
    life: Invented, parts: Parts, checkpoints: Sequence[Checkpoint], tell: Tell = lambda *_: None, quiet: int = 0
) -> SimulatedLife:
    """Live a life from day 0 to its last day, the night after it and so many `quiet` nights included. Takes seconds."""
    return asyncio.run(_Course(life, parts, checkpoints, quiet).run(tell))


class _Course:
    """The course of one life."""

    def __init__(self, life: Invented, parts: Parts, checkpoints: Sequence[Checkpoint], quiet: int) -> None:
        self.life, self.parts, self.quiet = life, parts, quiet
        self.proofs: list[ProvedNight] = []
        self.checkpoints = [each for each in checkpoints if each.day <= life.days]
        self.living = Living(parts, self.at(0, 0))
        self.days: list[NightCounts] = []
        self.found: list[CheckpointResult] = []
        self.replies: list[SimulatedReply] = []
        self.moves = 0

    async def run(self, tell: Tell) -> SimulatedLife:
        began = time.perf_counter()
        await self.living.begin(Profile(self.life.owner, time_zone=self.life.zone))
        for day in range(self.life.days + 1):
            await self._talk(day)
            await self._forget(day)
            for asked in (each for each in self.life.asked if each.day == day):
                await self._ask(asked)
            self.days.append(await self._sleep(day))
            await self._look(day)
            tell(day + 1, self.life.days + 1)
        replies = [await self._ask(each) for each in self.life.closing]
        after = await self._rest(tell) if self.quiet else None
        return self._told(replies, after, time.perf_counter() - began)

    async def _rest(self, tell: Tell) -> AfterLife:
        """Nights in which nothing more is told; the same questions are asked before the first and after each."""
        questions = await own_questions(self.living)
        shares = [await recall_of(self.living, questions)]
        for ahead in range(1, self.quiet + 1):
            self.days.append(await self._sleep(self.life.days + ahead))
            shares.append(await recall_of(self.living, questions))
            tell(self.life.days + 1 + ahead, self.life.days + 1 + self.quiet)
        return AfterLife(len(questions), shares[0], min(shares), shares[-1], self.quiet)

    def at(self, day: int, hour: int) -> Instant:
        """An hour of a day, where the owner lives."""
        local = datetime.combine(self.life.start + timedelta(day), hour_of_day(hour), zone_of(self.life.zone))
        return local.astimezone(UTC).timestamp()

    async def _talk(self, day: int) -> None:
        for talk in (each for each in self.life.talks if each.day == day):
            source = self._source(talk)
            self.living.clock.at = source.time_of(source.segments[-1]) + READ_AFTER_S
            await self.living.hear(source)

    def _source(self, talk: LifeSource) -> Source:
        began = self.at(talk.day, talk.hour)
        return Source(
            talk.id,
            scope(),
            "conversation",
            began,
            offset_s=offset_s(self.life.zone, began),
            participants=tuple(sorted({who for who, _ in talk.lines})),
            ttl_policy=talk.ttl_policy,
            segments=tuple(segment(number, who, text) for number, (who, text) in enumerate(talk.lines)),
        )

    async def _forget(self, day: int) -> None:
        for words in (words for on, words in self.life.forgotten if on == day):
            chosen = [each for each in self.living.believed.facts.values() if words in each.statement]
            for fact in (each for each in chosen if each.status == "active"):
                identity = command_id("forget", fact.fact_id)
                await self.living.turn(
                    self.living.believed.user_id, ForgetFact(command_id=identity, fact_id=fact.fact_id), {}
                )

    async def _ask(self, asked: DatedQuestion) -> SimulatedReply:
        self.living.clock.at += ASK_AFTER_S
        given = await self.living.ask(asked.text)
        missing = tuple(word for word in asked.expects if word.casefold() not in given.text.casefold())
        cited = tuple(f"{each.source_id}/{each.segment_id}" for each in given.citations)
        return SimulatedReply(asked.day, asked.text, given.text, cited, missing)

    async def _sleep(self, day: int) -> NightCounts:
        night = self.life.start + timedelta(day + 1)
        self.living.clock.at = instant_of(night, self.life.zone, HOUR)
        report = await self.living.sleep(night)
        if (proof := proved(day, report)) is not None:
            self.proofs.append(proof)
        again = plan_night(
            NightName(USER, str(night)), await self.living.census(), report["now"], self.parts.rules.life
        )
        undone = report.get("proof", {}).get("undone", ())  # what was taken back is found again
        kept = replace(again, commands={name: some for name, some in again.commands.items() if name not in undone})
        self.moves += sum(map(_rows_of, commands_of(kept)))
        entities = self.living.believed.entities
        moved = [*report["tiers"]["promoted"], *report["tiers"]["demoted"]]
        return NightCounts(
            day,
            report["tiers"]["after"],
            report["tiers"]["contradicted"],
            report["decay"]["low_salience"],
            report["decay"]["facts"],
            report["states"]["archived"],
            len(report["pruning"]["pruned"]),
            tuple(f"{entities[each].name} {entities[each].tier}" for each in moved),
        )

    async def _look(self, day: int) -> None:
        """What checkpoints find: tiers after the night, strengths as of that day's noon."""
        due = [each for each in self.checkpoints if each.day == day]
        if not due:
            return
        census, noon = await self.living.census(), self.at(day, 12)
        life = self.parts.rules.life
        strengths = strength_of("entity", entity_anchors(census.entities, noon, life), noon, life)
        denied = contradictions(census.entities, census.facts)
        for wanted in due:
            self.found.append(CheckpointResult(wanted, self._entity(wanted, census, strengths, denied)))

    def _entity(
        self, wanted: Checkpoint, census: Census, strengths: np.ndarray, denied: np.ndarray
    ) -> tuple[str, float, int, bool] | None:
        known, rows = self.living.believed.entities, census.entities
        for row, identity in enumerate(rows.ids):
            if (known[identity].type, known[identity].name) == (wanted.type, wanted.name):
                tier = TIERS[int(rows.tier[row])]
                return tier, round(float(strengths[row]), 4), int(rows.sessions[row]), bool(denied[row])
        return None

    def _told(self, replies: Sequence[SimulatedReply], after: AfterLife | None, seconds: float) -> SimulatedLife:
        believed = self.living.believed
        return SimulatedLife(
            days=tuple(self.days),
            checkpoints=tuple(self.found),
            contradictions=tuple(_contradictions(believed, self.at(0, 0))),
            replies=tuple(replies),
            entities=sum(each.merged_into is None for each in believed.entities.values()),
            facts=len(believed.facts),
            facts_of_chatter=tuple(self._of_chatter()),
            flaws=tuple(flaws_of(believed, replies, set(self._places()), slots=self._by_meaning())),
            groups=tuple(told_groups(self.living)),
            proofs=tuple(self.proofs),
            near_at_hand=near_at_hand(self.living),
            after=after,
            night_moves=self.moves,
            seconds=round(seconds, 2),
            believed=believed,
        )

    def _of_chatter(self) -> Iterator[str]:
        empty = {key for key, (_, segment) in self.living.sources.segments.items() if segment.text in self.life.chatter}
        for fact_id, grounds in self.living.believed.evidence.items():
            if any(each.segment_key in empty for each in grounds):
                yield self.living.believed.facts[fact_id].statement

    def _by_meaning(self) -> bool:
        """Whether the rules know slots; by likeness alone (seed 003) they do not."""
        return self.parts.rules.revision.manner == "meaning"

    def _places(self) -> Iterator[str]:
        for source, said in self.living.sources.segments.values():
            yield f"{source.source_id}/{said.segment_id}"


def flaws_of(
    believed: WorkingSet, replies: Sequence[SimulatedReply], places: set[str], *, slots: bool = True
) -> Iterator[str]:
    """What must never be: two values in one slot, a fact without evidence, an answer that does not cite its words."""
    held: dict[tuple[str, str | None, str | None], Fact] = {}
    for fact in (each for each in believed.facts.values() if each.status == "active" and each.valid_to is None):
        if not believed.evidence.get(fact.fact_id):
            yield f"no evidence: {fact.statement}"
        slot = (fact.subject_id, fact.predicate, fact.slot)
        if slots and fact.polarity and single_valued(fact.predicate, fact.slot):
            other = held.setdefault(slot, fact)
            if other.object != fact.object:
                yield f"two values: {other.statement} / {fact.statement}"
    for reply in replies:
        if not reply.cited or not set(reply.cited) <= places:
            yield f"not cited: {reply.question}"


def _rows_of(command: Command) -> int:
    """What a command of a night's first phase would move: crossings, or clusters that are merged."""
    match command:
        case CloseNight():
            return len(command.crossings)
        case MergeFacts():
            return len(command.clusters)
    return 0


def _contradictions(believed: WorkingSet, began: Instant) -> Iterator[Against]:
    """Every pair of facts that a link sets against each other, once, by day."""
    told: dict[frozenset[str], Against] = {}
    for link in sorted(believed.links, key=lambda each: (each.kind != "supersedes", each.from_id, each.to_id)):
        if link.kind in ("supersedes", "disputes"):
            both = sorted((believed.facts[link.from_id], believed.facts[link.to_id]), key=lambda each: each.valid_from)
            earlier, later = both
            day = int((later.valid_from - began) // 86_400)
            told.setdefault(
                frozenset((link.from_id, link.to_id)), Against(day, link.kind, later.statement, earlier.statement)
            )
    yield from sorted(told.values(), key=lambda each: (each.day, each.later, each.earlier))
