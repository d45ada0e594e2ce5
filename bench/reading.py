"""`memoray bench read`: worlds are read turn by turn, and what is believed is judged by their claims and traps.

Each world becomes a memory of its own, in process: its sessions are read one after the other, what was read is decided
with vectors of the settings' encoder, and what is believed at the end is judged, fact by fact (`bench.reading_match`).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.reading_match import JudgedFact, about, falls_for, finds, shared, verdict
from bench.reading_worlds import GoldClaim, ReadingWorld
from memory.model.claims import Reading, Utterance
from memory.model.commands import AcceptReading, ReadSegment, SetProfile
from memory.model.facts import Fact
from memory.model.profile import Profile
from memory.model.timeline import DAY_S
from memory.model.working_set import WorkingSet
from memory.ports import Embedder, Extractor, Judge, Vector
from memory.rules.decider import Rules, carry_out
from memory.rules.rivals import FactVectors, Resemblance
from memory.services.extract import encode
from memory.services.judging import submit_judged
from memory.services.remember import fresh_vectors

READ_AFTER_S = 3600.0
"""From the last turn of a session until it is decided (chosen)."""
BATCH, LEAD = 16, 4
"""Turns read at once and turns before them that are read as context: those of the background reading."""
_SAID_LATER_S = 60.0
"""A fact that begins within a minute of its words has no date of its own."""


@dataclass(frozen=True, slots=True)
class WorldReading:
    """What became of a world."""

    world: ReadingWorld
    facts: tuple[JudgedFact, ...]
    promises: frozenset[tuple[str, str]]
    """(turn, by whom) of the promises that are listed."""
    cpu_s: float


@dataclass(slots=True)
class ReadingFigures:
    """Counts over some worlds."""

    turns: int = 0
    claims: int = 0
    found: int = 0
    facts: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    """Found claims that are over by the end."""
    closed: int = 0
    lasting: int = 0
    """Found states that are not over."""
    closed_wrongly: int = 0
    promises: int = 0
    listed: int = 0
    traps: int = 0
    believed: int = 0
    cpu_s: float = 0.0
    missed: Counter[str] = field(default_factory=Counter)
    """Why a claim was not found -> how often."""

    def add(self, read: WorldReading) -> None:
        """Count a world."""
        language = read.world.languages[0]
        claims, traps = read.world.claims, read.world.traps
        by_turn = _by_turn(read.facts)
        self.turns += len(read.world.turns)
        self.cpu_s += read.cpu_s
        self.facts += len(read.facts)
        for fact in read.facts:
            self.verdicts[verdict(fact, claims, traps, language)] += 1
        for claim in claims:
            near = by_turn.get(claim.turn, ())
            met = [fact for fact in near if finds(fact, claim, language)]
            self.claims, self.found = self.claims + 1, self.found + bool(met)
            if claim.kind == "promise":
                self.promises += 1
                self.listed += any(turn == claim.turn for turn, _ in read.promises)
            if met:
                self._count_end(claim, met, read.world)
            else:
                self.missed[_why(near, claim, language)] += 1
        self.traps += len(traps)
        self.believed += sum(
            any(
                falls_for(fact, trap, language) and not _is_claimed(fact, claims, language)
                for fact in by_turn.get(trap.turn, ())
            )
            for trap in traps
        )

    def _count_end(self, claim: GoldClaim, met: Sequence[JudgedFact], world: ReadingWorld) -> None:
        last = world.sessions[-1][-1].at
        if claim.kind not in ("state", "change"):
            return
        if claim.time.ends is not None and claim.time.ends[0] < last - DAY_S:
            self.ended += 1
            self.closed += all(fact.closed for fact in met)
        elif claim.time.ends is None:
            self.lasting += 1
            self.closed_wrongly += all(fact.closed for fact in met)

    @property
    def wrong(self) -> int:
        """Facts that are wrong for any cause."""
        return sum(count for cause, count in self.verdicts.items() if cause not in ("useful", "beside"))

    def cells(self) -> dict[str, str]:
        """A row of the table, shares in percent."""
        return {
            "turns": str(self.turns),
            "claims": str(self.claims),
            "found": _share(self.found, self.claims),
            "facts": str(self.facts),
            "useful": _share(self.verdicts["useful"], self.facts),
            "beside": _share(self.verdicts["beside"], self.facts),
            "wrong": _share(self.wrong, self.facts),
            "ended closed": _share(self.closed, self.ended),
            "lasting closed": _share(self.closed_wrongly, self.lasting),
            "promises": _share(self.listed, self.promises),
            "traps": _share(self.believed, self.traps),
            "turns/CPU-s": f"{self.turns / self.cpu_s:.0f}" if self.cpu_s else "-",
        }

    def causes(self) -> Iterator[dict[str, str]]:
        """Why facts are wrong, and why claims are missed."""
        for cause, count in self.verdicts.most_common():
            if cause not in ("useful", "beside"):
                yield {"cause": f"wrong: {cause}", "count": str(count), "share": _share(count, self.facts)}
        for cause, count in self.missed.most_common():
            yield {"cause": f"missed: {cause}", "count": str(count), "share": _share(count, self.claims)}


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _by_turn(facts: Iterable[JudgedFact]) -> Mapping[str, list[JudgedFact]]:
    found: dict[str, list[JudgedFact]] = {}
    for fact in facts:
        for turn in fact.turns:
            found.setdefault(turn, []).append(fact)
    return found


def _is_claimed(fact: JudgedFact, claims: Iterable[GoldClaim], language: str) -> bool:
    return any(finds(fact, claim, language) for claim in claims)


def _why(near: Sequence[JudgedFact], claim: GoldClaim, language: str) -> str:
    if not near:
        return "nothing read of the turn"
    best = max(near, key=lambda fact: shared(fact, claim, language)[0])
    share = shared(best, claim, language)[0]
    if share >= 0.5 and not about(best, claim):
        return "another subject"
    return "cut" if share > 0 else "another sentence of the turn"


@dataclass(frozen=True, slots=True)
class ReadingModels:
    """What a world is read and decided with; without a judge the rules alone say what contradicts what."""

    extractor: Extractor
    embedder: Embedder
    judge: Judge | None = None


def measure_reading(
    worlds: Sequence[ReadingWorld], models: ReadingModels, tell: Callable[[str, int, int], None] = lambda *_: None
) -> list[WorldReading]:
    """Every world read and decided. Raises what the models raise."""
    read = []
    for done, world in enumerate(worlds, 1):
        read.append(asyncio.run(WorldMemory(world, models).lived()))
        tell(world.name, done, len(worlds))
    return read


def figures_by_kind(read: Iterable[WorldReading]) -> dict[str, ReadingFigures]:
    """Kind of world -> figures; `German` counts again what is told in German, `all` everything."""
    found: dict[str, ReadingFigures] = {}
    for each in read:
        german = ("German",) if each.world.languages[0] == "de" else ()
        for name in (each.world.kind, *german, "all"):
            found.setdefault(name, ReadingFigures()).add(each)
    found["all"] = found.pop("all", ReadingFigures())
    return found


@dataclass
class WorldMemory:
    """The memory that a world becomes."""

    world: ReadingWorld
    models: ReadingModels
    believed: WorkingSet = field(init=False)
    vectors: FactVectors = field(default_factory=FactVectors)
    cpu_s: float = 0.0
    """Of reading alone."""

    def __post_init__(self) -> None:
        world, empty = self.world, WorkingSet(f"read-{self.world.name}")
        profile = Profile(name=world.owner, languages=("en", "de") if "de" in world.languages else ("en",))
        self.believed = carry_out(empty, SetProfile(command_id="profile", profile=profile), 0.0, Rules())[1]

    async def lived(self) -> WorldReading:
        """Read session by session; what was read of one is decided before the next is read."""
        for session in self.world.sessions:
            for number, batch in enumerate(batches(session)):
                began = time.process_time()
                reading = await self.models.extractor.read(batch)
                self.cpu_s += time.process_time() - began
                command = _command(f"{self.world.name}-{session[0].segment_id}-{number}", batch, reading)
                await self._decide(command, session[-1].at + READ_AFTER_S)
        facts = tuple(_judged(self.believed, self.world))
        return WorldReading(self.world, facts, frozenset(_promises(self.believed, self.world)), self.cpu_s)

    async def _decide(self, command: AcceptReading, now: float) -> None:
        vectors: Mapping[str, Vector] = await encode(
            self.models.embedder, [claim.statement for claim in command.claims]
        )

        async def submit(judged: AcceptReading) -> None:
            resemblance = Resemblance(self.vectors, vectors, self.models.embedder.calibrate)
            changes, self.believed = carry_out(self.believed, judged, now, Rules(), resemblance)
            self.vectors.put(fresh_vectors(changes, vectors))

        await submit_judged(command, submit, self.models.judge, Rules().revision.rounds)


def batches(session: Sequence[Utterance]) -> Iterator[tuple[Utterance, ...]]:
    """A session as the background reads it: BATCH turns at once, led by LEAD that were read before."""
    for start in range(0, len(session), BATCH):
        lead = (replace(each, context_only=True) for each in session[max(0, start - LEAD) : start])
        yield (*lead, *session[start : start + BATCH])


def _command(identity: str, batch: Sequence[Utterance], reading: Reading) -> AcceptReading:
    read = tuple(
        ReadSegment("user:u", u.source_id, u.segment_key, u.revision, u.at, u.speaker, u.role, 0)
        for u in batch
        if not u.context_only
    )
    return AcceptReading(
        command_id=identity,
        actor="extraction",
        read=read,
        sightings=reading.sightings,
        claims=reading.claims,
        extractor=reading.extractor,
    )


def _judged(memory: WorkingSet, world: ReadingWorld) -> Iterator[JudgedFact]:
    said = {each.segment_key: each for each in world.turns.values()}
    for fact in memory.facts.values():
        heard = [e for e in memory.evidence.get(fact.fact_id, ()) if e.segment_key in said]
        if fact.believed and heard:
            turns = [said[e.segment_key] for e in heard if e.segment_key is not None]
            yield _as_judged(fact, memory.entities[fact.subject_id].name, turns, said)


def _as_judged(fact: Fact, subject: str, turns: Sequence[Utterance], said: Mapping[int, Utterance]) -> JudgedFact:
    last = max(each.at for each in said.values())
    return JudgedFact(
        frozenset(each.segment_id for each in turns),
        subject,
        fact.statement,
        fact.object or "",
        fact.polarity,
        fact.valid_from,
        fact.valid_to,
        min(abs(fact.valid_from - each.at) for each in turns) > _SAID_LATER_S,
        fact.status == "superseded" or (fact.valid_to is not None and fact.valid_to <= last + READ_AFTER_S),
    )


def _promises(memory: WorkingSet, world: ReadingWorld) -> Iterator[tuple[str, str]]:
    said = {each.segment_key: each.segment_id for each in world.turns.values()}
    for entity in memory.entities.values():
        if entity.type == "promise":
            for key in memory.mentions.get(entity.entity_id, {}):
                yield said[key], str(entity.properties.get("by", ""))
