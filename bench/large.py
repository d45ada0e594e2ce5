"""`memoray bench large`: what a shard's recall takes where there is much to remember, or where there are many people.

Invented talk (`bench/talk.py`) goes straight into the columns that a shard searches, with vectors and word pieces made
up for it, so that half a million segments are there in a minute rather than in hours of encoding. What is timed is
`memory.services.recall` over the text and vector legs, from an encoded question to the answer: no encoder, no network.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import talk
from bench.measure import Spread, Tell, timed
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sources import ROLES
from memory.retrieval.batches import SegmentBatch, local_date
from memory.retrieval.candidates import Ranking
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.pieces import EncodedQuestion, Pieces, width
from memory.retrieval.query import Probe, Question
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.services.recall import RecallSettings, at_hand, recall

DIMENSIONS = 384
"""Of the bundled encoder."""
TOPICS, TOPIC_SHARE = 400, 0.7
"""Made-up vectors lie around so many directions, at this cosine: as crowded as the sentences of one life."""
PIECES = 11
"""Word pieces of a turn: the mean of the talk under the bundled encoder's tokenizer, without stop words."""
ASKED_PIECES = 6
"""Word pieces of a question, likewise."""
BATCH = 20
"""Sources put at once: 1,000 segments."""
WARM_UP = 5
PATIENT = RecallSettings(leg_timeout_s=60.0)
"""The shipped recall, in which no leg is given up for being late."""


@dataclass(frozen=True, slots=True)
class LargeRow:
    """The result of one run."""

    users: int
    segments: int
    """Of all users together."""
    load_s: float
    """Filling the columns: words, vectors and pieces, without making the talk up."""
    index_bytes: float
    """A segment's share of what the process grew by, without its pooled vector."""
    rest: Spread
    """Recall with nothing new since the last question."""
    fresh: Spread
    """Recall right after one more segment was heard: what was counted for earlier questions is forgotten."""
    rest_cpu_ms: float
    """Median of what a processor worked at rest: by the clock other programs count, too."""
    fresh_cpu_ms: float
    """The same after news."""
    text_ms: float
    """The median of the text leg alone, right after one more segment was heard."""
    vectors_ms: float
    """The median of the vector leg alone."""

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        return {
            "users": str(self.users),
            "segments": str(self.segments),
            "loaded in s": f"{self.load_s:.0f}",
            "index bytes a segment": f"{self.index_bytes:.0f}",
            "recall p50 / p95 ms": f"{self.rest.p50_ms:.1f} / {self.rest.p95_ms:.1f}",
            "after news p50 / p95 ms": f"{self.fresh.p50_ms:.1f} / {self.fresh.p95_ms:.1f}",
            "CPU ms, at rest / after news": f"{self.rest_cpu_ms:.1f} / {self.fresh_cpu_ms:.1f}",
            "text leg p50 ms": f"{self.text_ms:.1f}",
            "vector leg p50 ms": f"{self.vectors_ms:.1f}",
        }


def measure_large(
    segments: int, users: int, questions: int, pss_bytes: Callable[[], int], tell: Tell = lambda *_: None
) -> LargeRow:
    """Fill an index of so many users with so many segments, and ask; each question goes to the next user."""
    _Life(BATCH, 1).load(lambda *_: None)  # what is remembered of words belongs to no segment
    before = pss_bytes()
    life = _Life(segments // users, users)
    load_s = life.load(tell)
    gc.collect()
    grown = pss_bytes() - before
    asked = [life.question(number) for number in range(WARM_UP + questions)]
    rest = [life.recalled(*each) for each in asked][WARM_UP:]
    fresh, text, vectors = [], [], []
    for number, (question, encoded) in enumerate(asked):
        tell("Asking questions", number, len(asked))
        life.hear(number)
        fresh.append(life.recalled(question, encoded))
        life.hear(number + len(asked))
        text.append(life.leg_ms(MemoryText(life.segment_index), question, encoded))
        vectors.append(life.leg_ms(MemoryVectors(life.segment_index), question, encoded))
    held = life.segments * users
    return LargeRow(
        users=users,
        segments=held,
        load_s=load_s,
        index_bytes=grown / held - DIMENSIONS * np.dtype(np.float32).itemsize,
        rest=Spread.of([wall_ms for wall_ms, _ in rest]),
        fresh=Spread.of([wall_ms for wall_ms, _ in fresh[WARM_UP:]]),
        rest_cpu_ms=median(cpu_ms for _, cpu_ms in rest),
        fresh_cpu_ms=median(cpu_ms for _, cpu_ms in fresh[WARM_UP:]),
        text_ms=median(text[WARM_UP:]),
        vectors_ms=median(vectors[WARM_UP:]),
    )


class _Life:
    """A segment index with the same talk for each of its users, under keys of their own."""

    def __init__(self, segments: int, users: int) -> None:
        self.segments, self.users = segments, users
        self.segment_index = SegmentIndex(DIMENSIONS)
        self._dice = np.random.default_rng(talk.SEED)
        self._topics = _unit(self._dice.standard_normal((TOPICS, DIMENSIONS), np.float32))
        self._legs = (MemoryText(self.segment_index), MemoryVectors(self.segment_index))
        self._shelf = MemoryTraits(self.segment_index)
        self._questions = talk.questions(1000)
        # not asyncio.Runner: it writes the task out, vectors and all, for each question (3 ms)
        self._loop = asyncio.new_event_loop()

    def load(self, tell: Tell) -> float:
        """Seconds that filling the columns took."""
        took_ms = 0.0
        for user in range(self.users):
            bodies, first = talk.bodies(self.segments), user * self.segments
            while some := list(islice(bodies, BATCH)):
                took_ms += self._put(_scope(user), _batch(some, first))
                first += sum(len(body["segments"]) for body in some)
                tell("Filling the columns", first, self.segments * self.users)
        return took_ms / 1000

    def hear(self, number: int) -> None:
        """One more segment for the user who is asked next."""
        body, _ = talk.single(number, talk.end_of(self.segments))
        self._put(_scope(number % self.users), _batch([body], 10 * self.segments * self.users + number))

    def question(self, number: int) -> tuple[Question, EncodedQuestion]:
        """A question and what an encoder would make of it."""
        text = self._questions[number % len(self._questions)]
        view = View(f"user-{number % self.users}")
        asked = EncodedQuestion(
            self._vectors(1)[0], _unit(self._dice.standard_normal((ASKED_PIECES, DIMENSIONS), np.float32))
        )
        return Question(text, view, talk.end_of(self.segments), limit=5), asked

    def recalled(self, question: Question, asked: EncodedQuestion) -> tuple[float, float]:
        """What answering takes, in milliseconds of the clock and of a processor."""
        answering = partial(recall, question, self._legs, self._shelf, settings=PATIENT)
        began = process_time()
        _, wall_ms = timed(lambda: self._loop.run_until_complete(answering(asked=at_hand(asked))))
        return wall_ms, 1000 * (process_time() - began)

    def leg_ms(self, leg: MemoryText | MemoryVectors, question: Question, asked: EncodedQuestion) -> float:
        """What one leg takes."""
        probe = Probe(question.text, asked.vector, limit=PATIENT.leg_limit)

        async def search() -> Ranking:
            return await leg.search(question.view, probe)

        return timed(lambda: self._loop.run_until_complete(search()))[1]

    def _put(self, scope: str, batch: SegmentBatch) -> float:
        vectors = self._vectors(len(batch))
        bits = self._dice.integers(0, 256, (PIECES * len(batch), width(DIMENSIONS)), np.uint8)
        pieces = Pieces(bits, np.arange(0, PIECES * len(batch) + 1, PIECES))
        _, words_ms = timed(lambda: self.segment_index.put(scope, Sensitivity.OPEN, batch))
        _, vectors_ms = timed(lambda: self.segment_index.put_vectors(scope, batch.keys, vectors, pieces))
        return words_ms + vectors_ms

    def _vectors(self, count: int) -> NDArray[np.float32]:
        around = self._topics[self._dice.integers(0, TOPICS, count)]
        noise = _unit(self._dice.standard_normal((count, DIMENSIONS), np.float32))
        return _unit(TOPIC_SHARE * around + (1 - TOPIC_SHARE**2) ** 0.5 * noise)


def _scope(user: int) -> str:
    return user_scope(f"user-{user}")


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _batch(bodies: list[dict[str, Any]], first: int) -> SegmentBatch:
    """Sources as rows, keyed from `first` on."""
    turns = [(first + place, body, turn) for place, body in enumerate(bodies) for turn in body["segments"]]
    return SegmentBatch(
        keys=np.arange(first, first + len(turns), dtype=np.int64),
        source=np.array([source for source, _, _ in turns], np.int64),
        order=np.array([int(turn["segment_id"]) for _, _, turn in turns], np.int32),
        at=np.array([body["started_at"] + turn["start"] for _, body, turn in turns], np.float64),
        known_from=np.array([body["started_at"] for _, body, _ in turns], np.float64),
        roles=np.full(len(turns), ROLES.index("other"), np.int8),
        alive=np.ones(len(turns), np.bool_),
        dates=tuple(local_date(body["started_at"], 0) for _, body, _ in turns),
        speakers=tuple(turn["speaker"] for *_, turn in turns),
        texts=tuple(turn["text"] for *_, turn in turns),
        languages=("en",) * len(turns),
    )
