"""Contradictions and updates: `memoray bench contradictions --data FILE --judge rules|local|openai`.

FILE holds conversations with questions of the categories `contradiction_resolution` and `knowledge_update` (BEAM,
Tavakoli et al. 2025), whose gold names the turns of both sides. Every turn is read by the rules, every claim meets its
rivals as in a real memory, in this process and without a database. A pair counts as linked when a `disputes` or
`supersedes` link joins facts of its two sides: of the turns the data name (`listed`), or also of other turns that state
the same (`read`; found by reading, in labels/contradiction_turns.jsonl, ids only).

False links: labels/contradiction_links.jsonl holds links judged by hand, right or wrong, by the ids of their turns and
never their words. The share of wrong ones, times the links, is the estimate of false links per 1,000 facts; the links
that are the structure's own (slots, events) are counted like all others.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.extraction.rules import RuleExtractor
from bench.conversations import PHOTO, Conversation, GoldQuestion
from memory.model.claims import Utterance
from memory.model.commands import AcceptReading, ReadSegment, SetProfile
from memory.model.facts import Evidence
from memory.model.ids import command_id
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet
from memory.ports import Embedder, Judge, Vector
from memory.rules.decider import Rules, carry_out
from memory.rules.rivals import FactVectors, Resemblance
from memory.services.extract import encode
from memory.services.judging import submit_judged
from memory.services.remember import fresh_vectors

CATEGORIES = ("contradiction_resolution", "knowledge_update")
LABELS = Path(__file__).parent / "labels"
BATCH = 16
"""Turns read at a time, as the worker does."""
KINDS = ("supersedes", "disputes")
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, order=True)
class LinkedTurns:
    """A link between facts of two turns. `key` names the two statements without saying them."""

    conversation: str
    earlier: str
    later: str
    kind: str
    key: str


@dataclass
class Believing:
    """One conversation's memory, filled turn by turn."""

    conversation: Conversation
    embedder: Embedder
    judge: Judge | None
    rules: Rules = field(default_factory=Rules)
    believed: WorkingSet = field(default_factory=lambda: WorkingSet("bench"))
    vectors: FactVectors = field(default_factory=FactVectors)
    turns: dict[int, str] = field(default_factory=dict)
    asked: int = 0
    now: float = 0.0

    async def fill(self) -> None:
        """Read every turn in the order it was said."""
        extractor = RuleExtractor()
        self._decide(SetProfile(command_id="profile", profile=Profile(name="User", speaker_labels=("user",))), {})
        key = 0
        for body in self.conversation.bodies:
            heard = []
            for place, turn in enumerate(body["segments"]):
                key += 1
                self.turns[key] = str(turn["segment_id"])
                at, text = body["started_at"] + 30.0 * place, turn["text"].partition(PHOTO)[0]
                heard.append(
                    Utterance(
                        body["source_id"],
                        self.turns[key],
                        key,
                        1,
                        turn["speaker"],
                        text,
                        at,
                        role=turn["role"],
                    )
                )
            for start in range(0, len(heard), BATCH):
                await self._read(extractor, heard[start : start + BATCH])

    async def _read(self, extractor: RuleExtractor, heard: Sequence[Utterance]) -> None:
        reading = await extractor.read(heard)
        vectors = await encode(self.embedder, [claim.statement for claim in reading.claims])
        read = tuple(
            ReadSegment("user:bench", u.source_id, u.segment_key, 1, u.at, u.speaker, u.role, 0) for u in heard
        )
        command = AcceptReading(
            command_id=command_id(self.conversation.id, heard[0].segment_key),
            actor="extraction",
            read=read,
            sightings=reading.sightings,
            claims=reading.claims,
        )

        async def submit(judged: AcceptReading) -> None:
            self.asked += len(judged.judging.verdicts) if judged.judging else 0
            self._decide(judged, vectors)

        await submit_judged(command, submit, self.judge, self.rules.revision.rounds)

    def _decide(self, command: AcceptReading | SetProfile, vectors: Mapping[str, Vector]) -> None:
        self.now += 1.0
        resemblance = Resemblance(self.vectors, vectors, self.embedder.calibrate)
        changes, self.believed = carry_out(self.believed, command, 2e9 + self.now, self.rules, resemblance)
        self.vectors.put(fresh_vectors(changes, vectors))

    def links(self) -> list[LinkedTurns]:
        """Every pair of turns joined by a link, once a pair of facts."""
        found: dict[frozenset[str], LinkedTurns] = {}
        for link in sorted(
            self.believed.links,
            key=lambda each: (KINDS.index(each.kind) if each.kind in KINDS else 9, each.from_id, each.to_id),
        ):
            both = frozenset((link.from_id, link.to_id))
            if link.kind not in KINDS or both in found:
                continue
            found[both] = self._joined(link.kind, *both)
        return sorted(found.values())

    def _joined(self, kind: str, one: str, other: str) -> LinkedTurns:
        first, second = sorted((one, other), key=lambda each: (self._born(each).segment_key or 0, each))
        words = [self.believed.facts[each].statement for each in (first, second)]
        earlier, later = (self.turns[self._born(each).segment_key or 0] for each in (first, second))
        return LinkedTurns(
            self.conversation.id, earlier, later, kind, hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]
        )

    def _born(self, fact_id: str) -> Evidence:
        return min(self.believed.evidence[fact_id], key=lambda each: (each.at, each.segment_key or 0))

    def joined_turns(self) -> set[frozenset[str]]:
        """Pairs of turns that vouch for facts which a link joins; a single turn where both stand in it."""
        pairs = ((link.from_id, link.to_id) for link in self.believed.links if link.kind in KINDS)
        return {frozenset((a, b)) for one, other in pairs for a in self._turns(one) for b in self._turns(other)}

    def _turns(self, fact_id: str) -> Iterator[str]:
        return (self.turns[each.segment_key or 0] for each in self.believed.evidence.get(fact_id, ()))


@dataclass(frozen=True, slots=True)
class Row:
    """What one judge made of a file."""

    judge: str
    facts: int
    listed: Mapping[str, tuple[int, int]]
    """Category -> (linked, of) by the turns the data name."""
    read: Mapping[str, tuple[int, int]]
    links: tuple[LinkedTurns, ...]
    right: int
    wrong: int
    pairs_asked: int

    @property
    def false_per_1000(self) -> float | None:
        """Wrong links per 1,000 facts, estimated from those judged by hand; None if none was judged."""
        judged = self.right + self.wrong
        if not self.links:
            return 0.0
        return 1000 * len(self.links) * self.wrong / judged / self.facts if judged else None

    def cells(self) -> dict[str, str]:
        """The row for docs/benchmarks.md."""
        told = "?" if self.false_per_1000 is None else f"{self.false_per_1000:.1f}"
        return {
            "judge": self.judge,
            "facts": str(self.facts),
            **{f"{name.split('_')[0]} (listed)": _share(*counts) for name, counts in self.listed.items()},
            **{f"{name.split('_')[0]} (read)": _share(*counts) for name, counts in self.read.items()},
            "links": str(len(self.links)),
            "judged right, wrong": f"{self.right}, {self.wrong}",
            "false per 1,000": told,
            "pairs asked": str(self.pairs_asked),
        }


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if of == 0:
        return 0.0, 1.0
    z, share = 1.96, hits / of
    centre = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (centre - spread) / (1 + z * z / of), (centre + spread) / (1 + z * z / of)


def measure_contradictions(
    conversations: Sequence[Conversation], embedder: Embedder, judge: Judge | None, tell: Tell
) -> Row:
    """Fill a memory a conversation and count the links."""
    others, verdicts = _other_turns(), _judged()
    facts, asked = 0, 0
    links: list[LinkedTurns] = []
    listed = {name: [0, 0] for name in CATEGORIES}
    read = {name: [0, 0] for name in CATEGORIES}
    for done, conversation in enumerate(conversations, start=1):
        memory = Believing(conversation, embedder, judge)
        asyncio.run(memory.fill())
        tell("Reading conversations", done, len(conversations))
        facts, asked = facts + len(memory.believed.facts), asked + memory.asked
        links += memory.links()
        joined = memory.joined_turns()
        for number, question in numbered(conversation):
            one, other = (set(ids) for ids in question.roles.values())
            listed[question.category][0] += _is_joined(one, other, joined)
            listed[question.category][1] += 1
            more = others.get((conversation.id, number), (set(), set()))
            read[question.category][0] += _is_joined(one | more[0], other | more[1], joined)
            read[question.category][1] += 1
    known = [verdicts[each.key] for each in links if each.key in verdicts]
    return Row(
        judge.name if judge else "rules",
        facts,
        _counted(listed),
        _counted(read),
        tuple(links),
        sum(known),
        len(known) - sum(known),
        asked,
    )


def numbered(conversation: Conversation) -> Iterator[tuple[str, GoldQuestion]]:
    """The questions about two sides, by category and their place in it."""
    counts: dict[str, int] = {}
    for question in conversation.questions:
        if question.category in CATEGORIES and len(question.roles) == 2:
            number = counts.get(question.category, 0)
            counts[question.category] = number + 1
            yield f"{question.category}{number}", question


def _is_joined(one: Iterable[str], other: Iterable[str], joined: set[frozenset[str]]) -> bool:
    return any(frozenset((a, b)) in joined for a in one for b in other)


def _counted(counts: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, int]]:
    return {name: (hits, of) for name, (hits, of) in counts.items() if of}


def _share(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    return f"{hits}/{of} ({100 * low:.0f}-{100 * high:.0f} %)"


def _other_turns() -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    rows = _lines(LABELS / "contradiction_turns.jsonl")
    return {(row["conversation"], row["question"]): (set(row["first"]), set(row["second"])) for row in rows}


def _judged() -> dict[str, bool]:
    return {row["key"]: row["right"] for row in _lines(LABELS / "contradiction_links.jsonl")}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def sample(links: Sequence[LinkedTurns], count: int, seed: int) -> list[LinkedTurns]:
    """Some of the links to be judged by hand, others for every seed."""
    return sorted(random.Random(seed).sample(list(links), min(count, len(links))))
