"""`memoray bench peers`: other memories beside Memoray, in one run: the same turns, questions and vectors for all.

A peer runs in a process of its own, by the Python of its own environment (`bench/peer_driver.py`), and is given what
Memoray's encoder made of each turn and question; it is spared HTTP. Every conversation is a store of its own. Memoray
is the one that runs, asked through its front door. No language model takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from time import perf_counter, process_time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bench.conversations import UNDATED, Conversation, GoldQuestion
from bench.measure import ApiClient, Site, Spread, Tell, await_done, post_all, timed
from bench.metrics import SEPARATE, percentages, scores
from memory.retrieval.batches import dense_text, local_date

DEPTH = 50
"""Results asked for where the order is judged: the most that Memoray's front door gives."""
AT_ONCE = 20
"""Results asked for as an assistant would, each system cutting as it does by itself. mem0's own default is 20."""
SESSIONS = 5
"""Distinct sessions, in the order of the ranking, among which one with gold should be; told of longer conversations."""
HEADLINES = ("recall@5", "recall@10", "recall@20", "mrr", "ndcg@10", "any@10", "session any@5", "both_sides@10")

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit vectors, [texts, dimensions]."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a system has taken up to now."""

    cpu_s: float
    """CPU-seconds of all its processes."""
    pss_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class IndexTimes:
    """Seconds until the words of all turns could be found, and until they could be found by meaning."""

    words_s: float
    meaning_s: float


class MemorySystem(Protocol):
    """A memory under measurement. Raises DomainError when it refuses, fails or does not answer."""

    encodes: bool
    """It encodes turns and questions itself: its times hold that already."""
    degraded: int
    """Answers up to now that lacked a part of the search, for it failed or was late."""

    def keep(self, conversation: Conversation, vectors: NDArray[np.float32]) -> IndexTimes:
        """Remember the turns, whose vectors are given, in a store of their own that is asked from now on."""

    def find(self, question: GoldQuestion, vector: NDArray[np.float32], limit: int, *, whole: bool) -> tuple[str, ...]:
        """Ids of turns, best first: all of `limit` if `whole`, else as many as the system by itself would give."""

    def spent(self) -> Spent:
        """What it has taken up to now."""


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What one question brought."""

    question: GoldQuestion
    ranked: tuple[str, ...]
    sources: tuple[str, ...]
    """The distinct sessions of `ranked`, in its order."""
    gold_sources: frozenset[str]
    sessions: int
    """How many the conversation has."""
    given: tuple[str, ...]
    """What the system gave when it could choose how many."""
    took_ms: float
    encoder_ms: float

    def scores(self) -> dict[str, float]:
        """Every metric, as shares of 1."""
        gold = set(self.question.gold)
        hits = len(gold.intersection(self.given))
        found = {
            **scores(self.ranked, self.question.gold, self.question.roles),
            "given": float(len(self.given)),
            "precision": hits / max(1, len(self.given)),
            "recall": hits / len(gold),
        }
        if self.sessions > SESSIONS:
            found["session any@5"] = float(not self.gold_sources.isdisjoint(self.sources[:SESSIONS]))
        return found


@dataclass(frozen=True, slots=True)
class PeerRow:
    """The result of one system. Scores are in percent, over all questions but those of the categories in SEPARATE."""

    system: str
    dataset: str
    questions: int
    overall: Mapping[str, float]
    given: float
    """Results returned on average, when the system chooses how many of at most AT_ONCE."""
    precision: float
    """The share of these that is gold, in percent, averaged over the questions; none of nothing."""
    recall: float
    """The share of the gold that is among these, in percent."""
    degraded: int
    """Answers that lacked a part of the search; their scores count."""
    whole: Spread
    """A question with its encoding."""
    bare: Spread
    """A question without: its own encoding, measured right before in the same run, is taken off."""
    turns_per_s: float
    """Until all turns can be found by meaning, encoding included."""
    kept_per_s: float
    """A peer: with the vectors given. Memoray: until the words of all turns can be found."""
    pss_mb: float
    disk_bytes: float
    """On disk, a turn."""
    cpu_s: float
    """CPU-seconds a thousand questions, encoding included."""

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "system": self.system,
            "set": self.dataset,
            "questions": str(self.questions),
            **{name: f"{self.overall[name]:.1f}" if name in self.overall else "-" for name in HEADLINES},
            "returned": f"{self.given:.1f}",
            "precision, recall at the cut": f"{self.precision:.1f}, {self.recall:.1f}",
            "degraded": str(self.degraded),
            "p50 / p95 ms": f"{self.whole.p50_ms:.1f} / {self.whole.p95_ms:.1f}",
            "without encoding": f"{self.bare.p50_ms:.1f} / {self.bare.p95_ms:.1f}",
            "turns/s, without encoding": f"{self.turns_per_s:.0f}, {self.kept_per_s:.0f}",
            "PSS MB": f"{self.pss_mb:.0f}",
            "disk bytes a turn": f"{self.disk_bytes:.0f}",
            "CPU s, 1,000 questions": f"{self.cpu_s:.1f}",
        }


@dataclass(frozen=True, slots=True, eq=False)
class Encodings:
    """What the encoder made of all turns, once for all systems, and how long that took."""

    vectors: Mapping[str, NDArray[np.float32]]
    """By conversation, in the order of its turns."""
    seconds: float

    @classmethod
    def of(cls, conversations: Sequence[Conversation], encode: Encode, tell: Tell) -> Encodings:
        """Encode every turn as Memoray does: with date, speaker and caption."""
        vectors, took_ms = {}, 0.0
        for done, conversation in enumerate(conversations):
            tell("Encoding turns", done, len(conversations))
            lines = lines_of(conversation)
            vectors[conversation.id], one_ms = timed(lambda lines=lines: encode(lines))  # type: ignore[misc]
            took_ms += one_ms
        return cls(vectors, took_ms / 1000)


def turns_of(conversation: Conversation) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every turn with the body of its session, in order."""
    return [(body, turn) for body in conversation.bodies for turn in body["segments"]]


def lines_of(conversation: Conversation) -> list[str]:
    """What every system is given of each turn: "[8 May 2021] Beatrix: text"."""
    return [dense_text(turn["speaker"], _date_of(body), turn["text"]) for body, turn in turns_of(conversation)]


def _date_of(body: Mapping[str, Any]) -> str:
    return "" if body["started_at"] == UNDATED else local_date(body["started_at"], 0)


def measure_peer(
    name: str,
    system: MemorySystem,
    conversations: Sequence[Conversation],
    encodings: Encodings,
    encode: Encode,
    tell: Tell = lambda *_: None,
) -> PeerRow:
    """One system: remember each conversation and ask its questions, one after the other.

    Raises DomainError if the system refuses, fails or does not answer.
    """
    before = system.spent()
    found: list[PeerResult] = []
    words_s, meaning_s, cpu_s = 0.0, 0.0 if system.encodes else encodings.seconds, 0.0
    for done, conversation in enumerate(conversations):
        tell(f"{name}: remembering and asking", done, len(conversations))
        kept = system.keep(conversation, encodings.vectors[conversation.id])
        words_s, meaning_s = words_s + kept.words_s, meaning_s + kept.meaning_s
        answers, asking_cpu_s = _asked(system, conversation, encode)
        cpu_s += asking_cpu_s
        found += answers
    return _row(name, system, conversations, found, before, IndexTimes(words_s, meaning_s), cpu_s)


class MemoraySystem:
    """Memoray itself, through its front door; every conversation is the memory of a user of its own."""

    encodes = True

    def __init__(self, site: Site, doors: Mapping[str, ApiClient], spent: Callable[[], Spent]) -> None:
        """`doors` by conversation id; `spent` is what the whole system has taken up to now."""
        self._site, self._doors, self._door = site, doors, next(iter(doors.values()))
        self.spent, self.degraded = spent, 0

    def keep(self, conversation: Conversation, vectors: NDArray[np.float32]) -> IndexTimes:
        """Send the sessions and wait until all are encoded and read, so that nothing runs beside the questions."""
        self._door = self._doors[conversation.id]
        began = perf_counter()
        words_s = post_all(self._site, [(self._door, body) for body in conversation.bodies])
        await_done(self._site, {conversation.id: self._door}, ("embedding",))
        kept = IndexTimes(words_s, perf_counter() - began)
        await_done(self._site, {conversation.id: self._door}, ("extraction",))
        return kept

    def find(self, question: GoldQuestion, vector: NDArray[np.float32], limit: int, *, whole: bool) -> tuple[str, ...]:
        """GET /v1/context; the vector is not used."""
        cut = "none" if whole else "auto"
        answer = self._door.get(
            "/v1/context", query=question.text, now=question.at, limit=limit, cut=cut, record_access=False
        )
        self.degraded += bool(answer["degraded"])
        return tuple(dict.fromkeys(hit["segment_id"] for hit in answer["results"]))


def _row(
    name: str,
    system: MemorySystem,
    conversations: Sequence[Conversation],
    found: Sequence[PeerResult],
    before: Spent,
    kept: IndexTimes,
    cpu_s: float,
) -> PeerRow:
    after, turns = system.spent(), sum(conversation.segments for conversation in conversations)
    counted = [one.scores() for one in found if one.question.category not in SEPARATE]
    overall = percentages(counted)
    own = [one.took_ms - (one.encoder_ms if system.encodes else 0.0) for one in found]
    return PeerRow(
        system=name,
        dataset="+".join(dict.fromkeys(conversation.dataset for conversation in conversations)),
        questions=len(counted),
        overall={metric: overall[metric] for metric in HEADLINES if metric in overall},
        given=fmean(one["given"] for one in counted),
        precision=overall["precision"],
        recall=overall["recall"],
        degraded=system.degraded,
        whole=Spread.of([mine + one.encoder_ms for mine, one in zip(own, found, strict=True)]),
        bare=Spread.of(own),
        turns_per_s=turns / kept.meaning_s,
        kept_per_s=turns / kept.words_s,
        pss_mb=after.pss_bytes / 1e6,
        disk_bytes=(after.disk_bytes - before.disk_bytes) / turns,
        cpu_s=1000 * cpu_s / len(found),
    )


def _asked(system: MemorySystem, conversation: Conversation, encode: Encode) -> tuple[list[PeerResult], float]:
    """Every question once in full depth and once as an assistant asks it, and the CPU-seconds of the second round."""
    source_of = {turn["segment_id"]: body["source_id"] for body, turn in turns_of(conversation)}
    questions = conversation.questions
    whole = [system.find(each, encode([each.text])[0], DEPTH, whole=True) for each in questions]
    began, encoding_cpu_s, found = system.spent().cpu_s, 0.0, []
    for question, ranked in zip(questions, whole, strict=True):
        before = process_time()
        vectors, encoder_ms = timed(lambda text=question.text: encode([text]))  # type: ignore[misc]
        encoding_cpu_s += process_time() - before
        given, took_ms = timed(
            lambda one=question, vector=vectors[0]: system.find(one, vector, AT_ONCE, whole=False)  # type: ignore[misc]
        )
        sources = tuple(dict.fromkeys(source_of[turn] for turn in ranked if turn in source_of))
        gold = frozenset(source_of[turn] for turn in question.gold if turn in source_of)
        found.append(PeerResult(question, ranked, sources, gold, len(conversation.bodies), given, took_ms, encoder_ms))
    cpu_s = system.spent().cpu_s - began
    return found, cpu_s if system.encodes else cpu_s + encoding_cpu_s
