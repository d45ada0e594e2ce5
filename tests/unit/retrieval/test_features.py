"""The features of candidates against their definitions, written as plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.sources import ROLES
from memory.model.timeline import DAY_S
from memory.retrieval.candidates import Ranking
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.routing import route
from memory.retrieval.weighting import FEATURES, Case, features
from tests.unit.retrieval.test_weighting import NO_PIECES, NOW, traits

LEGS = ("text", "vectors", "graph", "hot", "standing", "calendar")
READ_CLOSELY = {"met", "alone"}
"""Told by late interaction, which has a definition of its own."""
TEXTS = (
    "Tea?",
    "When did Valerie move?",
    "How many cups did I buy?",
    "What does Beatrix like lately?",
    "Where do Kai and Valerie live now?",
    "What happened on 14 November 2023?",
    "What did I do in November 2023?",
    "What did they do last weekend?",
)
NEAR = np.array([1, 0], np.float32)
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0.6, 0.8), (0.8, 0.6), (0.1, 0.995), (0, 0))
"""Of candidates' vectors; the last stands for one that is not there yet."""


@st.composite
def cases(draw) -> Case:
    count = draw(st.integers(0, 7))

    def column(*values: object) -> list[object]:
        return [draw(st.sampled_from(values)) for _ in range(count)]

    source = column(1, 2, 3)
    before, last = [], {}
    for row, of in enumerate(source):
        before.append(draw(st.sampled_from([last.get(of, 0), 0, 99])))
        last[of] = row + 1
    of = traits(
        count,
        source=np.array(source, np.int64),
        before=np.array(before, np.int64),
        speaker=np.array(column(0, 1, 2), np.int32),
        length=np.array(column(0, 60, 300, 900), np.int32),
        role=np.array([ROLES.index(each) for each in column("user", "assistant", "other")], np.int8),
        at=np.array([NOW - each * DAY_S for each in column(-1, 0, 2, 15, 30, 400)], np.float64),
        question_share=np.array(column(0, 0.25, 1), np.float32),
        has_time=np.array(column(True, False), np.bool_),
        has_digit=np.array(column(True, False), np.bool_),
        vectors=np.array(column(*DIRECTIONS), np.float32).reshape(count, 2),
    )
    if draw(st.booleans()):
        of = replace(of, over=np.array(column(NOW - 1, NOW, NOW + 1, np.inf), np.float64))
    asked = draw(st.sampled_from([None, EncodedQuestion(NEAR, NO_PIECES)]))
    return Case(route(draw(st.sampled_from(TEXTS)), NOW), tuple(draw(rankings(count))), of, asked, NOW)


@st.composite
def rankings(draw, count: int) -> list[Ranking]:
    """Some legs, each with some of the candidates and perhaps of what is none."""
    found = []
    for leg in draw(st.lists(st.sampled_from(LEGS), unique=True)):
        keys = draw(st.lists(st.integers(1, count + 2), unique=True))
        scores = sorted((draw(st.sampled_from([0.1, 0.3, 0.6, 0.9, 0.95, 1.0, 7.0])) for _ in keys), reverse=True)
        found.append(Ranking(leg, np.array(keys, np.int64), np.array(scores, np.float32)))
    return found


def standard(values: Sequence[float]) -> list[float]:
    """Deviations from the mean, by their root mean square; nothing where all are alike."""
    mean = sum(values) / max(1, len(values))
    spread = (sum((value - mean) ** 2 for value in values) / max(1, len(values))) ** 0.5
    return [(value - mean) / spread if spread > 1e-6 else 0.0 for value in values]


class Book:
    """One case, feature by feature as `Weights` describes them."""

    def __init__(self, one: Case) -> None:
        self.plan, self.traits, self.now = one.plan, one.traits, one.now
        self.keys = one.traits.keys.tolist()
        self.legs = {
            each.leg: dict(zip(each.keys.tolist(), each.scores.tolist(), strict=True)) for each in one.rankings
        }
        self.nearness = standard(self._cosines(one))
        place = {key: row for row, key in enumerate(self.keys)}
        self.before = [place.get(key) for key in one.traits.before.tolist() or [0] * len(self.keys)]
        self.damped = [1 / (1 + length / 300) for length in one.traits.length.tolist()]

    def _cosines(self, one: Case) -> list[float]:
        vectors = one.traits.vectors.tolist()
        held = [vector[0] for vector in vectors if any(vector)]
        if one.asked is None or not held:
            return self._scores("vectors")
        return [vector[0] if any(vector) else sum(held) / len(held) for vector in vectors]

    def _scores(self, leg: str) -> list[float]:
        """What a leg missed lies between nothing and its last."""
        found = self.legs.get(leg, {})
        return [found.get(key, min(found.values(), default=0) / 2) for key in self.keys]

    def _share(self, leg: str) -> list[float]:
        found = self.legs.get(leg, {})
        return [found.get(key, 0) / max(found.values(), default=1) for key in self.keys]

    def _found(self, leg: str) -> list[bool]:
        return [key in self.legs.get(leg, {}) for key in self.keys]

    def text(self) -> list[float]:
        return standard(self._scores("text"))

    def vectors_rank(self) -> list[float]:
        order = list(self.legs.get("vectors", {}))
        return [20 / (21 + order.index(key)) if key in order else 0 for key in self.keys]

    def graph(self) -> list[float]:
        return self._share("graph")

    def hot(self) -> list[float]:
        return self._share("hot")

    def standing(self) -> list[float]:
        return [float(found) for found in self._found("standing")]

    def calendar(self) -> list[float]:
        return [self.legs.get("calendar", {}).get(key, 0) for key in self.keys]

    def answers(self) -> list[float]:
        shares = self.traits.question_share.tolist()
        return [
            0 if before is None else shares[before] * max(0, self.nearness[before]) * damped
            for before, damped in zip(self.before, self.damped, strict=True)
        ]

    def source_vectors(self) -> list[float]:
        of = self.traits.source.tolist()
        best = {
            source: sorted((near for near, each in zip(self.nearness, of, strict=True) if each == source))[-3:]
            for source in of
        }
        return [sum(best[source]) / len(best[source]) for source in of]

    def speaker(self) -> list[float]:
        named = set(self.plan.named(self.traits.speakers))
        of, speakers = self.traits.source.tolist(), self.traits.speaker.tolist()
        told = zip(self._share("hot"), self._share("text"), self._found("graph"), strict=True)
        out = []
        for source, who, (hot, text, graph), role in zip(of, speakers, told, self.traits.role.tolist(), strict=True):
            present = {other for each, other in zip(of, speakers, strict=True) if each == source}
            decisive = 1 / (len(present) - 1) if named & present and present - named else 0
            worth = (1 if who in named else -1) * decisive
            if named and min(hot, text) >= 0.9 and graph:
                worth = 1
            if not worth and self.plan.first_person:
                worth = {"user": 0.5, "assistant": -0.5}.get(ROLES[role], 0)
            out.append(worth)
        return out

    def question(self) -> list[float]:
        return self.traits.question_share.tolist()

    def when_time(self) -> list[float]:
        return [float(has and self.plan.asks_time) for has in self.traits.has_time.tolist()]

    def count_digit(self) -> list[float]:
        return [float(has and self.plan.asks_count) for has in self.traits.has_digit.tolist()]

    def named_day(self) -> list[float]:
        worth = [(day, 1.0 if day.end - day.start <= 2 * DAY_S else 0.3) for day in self.plan.days]
        return [max((each for day, each in worth if day.holds(at)), default=0) for at in self.traits.at.tolist()]

    def recency(self) -> list[float]:
        ages = [max(0, self.now - at) / DAY_S for at in self.traits.at.tolist()]
        return [self.plan.recency * 0.5 ** (age / 30) for age in ages]

    def overtaken(self) -> list[float]:
        over = self.traits.over.tolist() or [np.inf] * len(self.keys)
        return [float(self.plan.present and since <= self.now) for since in over]


@settings(max_examples=300)
@given(cases())
def test_features_are_what_their_definitions_say(one: Case) -> None:
    found, book = features(one), Book(one)
    for place, name in enumerate(FEATURES):
        if name not in READ_CLOSELY:
            assert found[:, place].tolist() == pytest.approx(getattr(book, name)(), abs=1e-4), name


@pytest.mark.parametrize("count", [1, 3, 7, 13, 50])
def test_what_is_alike_but_for_rounding_stays_alike(count: int) -> None:
    vector, near = np.random.default_rng(0).normal(size=(2, 384)).astype(np.float32) / np.float32(384**0.5)
    text = Ranking("text", np.arange(1, count + 1), np.full(count, 0.1, np.float32))
    of = traits(count, vectors=np.tile(vector, (count, 1)), source=np.arange(count), question_share=np.ones(count))
    found = features(Case(route("Tea?", NOW), (text,), of, EncodedQuestion(near, NO_PIECES), NOW))
    for name in ("text", "source_vectors", "answers"):
        assert not found[:, FEATURES.index(name)].any(), name


def test_each_question_asks_for_something_else() -> None:
    plans = [route(text, NOW) for text in TEXTS]
    for trait in ("asks_time", "asks_count", "first_person", "present", "recency", "days"):
        assert 0 < sum(bool(getattr(plan, trait)) for plan in plans) < len(plans), trait
