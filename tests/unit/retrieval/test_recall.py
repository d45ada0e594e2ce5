"""The recall service over real columns and a few indexes that misbehave."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from adapters.embedding.hashing import HashingEmbedder
from memory.errors import Unavailable
from memory.model.scopes import Sensitivity, View
from memory.model.timeline import DAY_S, Interval
from memory.retrieval.batches import dense_text
from memory.retrieval.candidates import Ranking
from memory.retrieval.diversity import DiversityRules
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.retrieval.weighting import WITHOUT_PIECES
from memory.services.recall import (
    ANNIE,
    GRAPH_MEMORY,
    PERSONAL_AI,
    RecallContext,
    RecallSettings,
    at_hand,
    recall,
    window,
)
from tests.unit.retrieval.rows import Row, batch
from tests.unit.retrieval.test_verdicts import weights_for

NOW = 1_700_000_000.0
ANN = View("ann")
ENCODER = HashingEmbedder()
ROWS = [
    Row(1, "Beatrix went to the falconry class", order=1, at=NOW - 60 * DAY_S),
    Row(2, "It was wonderful", order=2, at=NOW - 60 * DAY_S),
    Row(3, "Nothing to do with it", source=2, order=1, at=NOW - DAY_S),
    Row(4, "Falconry class again", source=3, order=1, at=NOW - DAY_S, speaker="Valerie"),
]


def segment_index(*, pieces: bool = True) -> SegmentIndex:
    built = SegmentIndex(ENCODER.dimensions)
    built.put("user:ann", Sensitivity.OPEN, batch(ROWS))
    lines = [dense_text(row.speaker, row.date, row.text) for row in ROWS]
    encoded = ENCODER.encode(lines)
    built.put_vectors(
        "user:ann", np.array([row.key for row in ROWS]), encoded.vectors, encoded.pieces if pieces else None
    )
    return built


class Failing:
    name = "graph"

    async def search(self, view, probe) -> Ranking:
        raise Unavailable


class Late:
    name = "hot"

    async def search(self, view, probe) -> Ranking:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits this long")


def asked(text: str = "What was the falconry class?", **changes) -> Question:
    return replace(Question(text, ANN, NOW, cut="none"), **changes)


async def answer(
    question: Question, *more, settings: RecallSettings = RecallSettings(), pieces: bool = True, **options
):
    built = segment_index(pieces=pieces)
    return await recall(
        question,
        (MemoryText(built), MemoryVectors(built), *more),
        MemoryTraits(built),
        at_hand(ENCODER.ask(question.text)),
        settings,
        **options,
    )


async def test_the_best_come_first_and_no_more_than_asked():
    found = await answer(asked(limit=2))
    assert set(found.keys.tolist()) == {1, 4}
    assert (np.diff(found.scores) <= 0).all()
    assert ((found.scores > 0) & (found.scores <= 1)).all()
    assert found.intent == "what"
    assert not found.abstained
    assert found.degraded == {}
    assert found.candidates == 4


async def test_what_is_considered_beyond_the_limit_follows_it_and_changes_nothing():
    all_, few = await answer(asked(limit=4)), await answer(asked(limit=1))
    found = await answer(asked(limit=1, considered=3))
    assert found.keys.tolist() == few.keys.tolist()
    assert found.scores.tolist() == few.scores.tolist()
    assert [*found.keys.tolist(), *found.beyond.tolist()] == all_.keys.tolist()[:3]
    assert few.beyond.tolist() == []


async def test_relevance_descends_where_diversity_changes_the_order():
    ranked = await answer(asked(), settings=RecallSettings(diversity=DiversityRules(balance=1.0)))
    mixed = await answer(asked(), settings=RecallSettings(diversity=DiversityRules(balance=0.0)))
    assert mixed.keys.tolist() != ranked.keys.tolist()
    assert (np.diff(mixed.scores) <= 0).all()


async def test_a_failing_and_a_late_leg_are_named_and_cost_nothing_else():
    healthy = await answer(asked())
    found = await answer(asked(), Failing(), Late(), settings=RecallSettings(leg_timeout_s=0.02))
    assert found.degraded == {"graph": "Unavailable", "hot": "TimeoutError"}
    assert found.keys.tolist() == healthy.keys.tolist()


async def test_without_a_vector_the_vectors_leg_is_degraded():
    built = segment_index()
    found = await recall(
        asked(), (MemoryText(built), MemoryVectors(built)), MemoryTraits(built), at_hand(None), RecallSettings()
    )
    assert found.degraded == {"vectors": "Unavailable"}
    assert found.keys.tolist()[0] in (1, 4)


class Listening:
    """A leg that says when it was asked, and with what vector."""

    def __init__(self, name: str) -> None:
        self.name, self.asked, self.vector = name, asyncio.Event(), None

    async def search(self, view, probe) -> Ranking:
        self.asked.set()
        self.vector = probe.vector
        return Ranking(self.name, np.zeros(0, np.int64), np.zeros(0, np.float32))


async def test_what_reads_no_vector_searches_while_the_question_is_encoded():
    text, graph, vectors, hot = legs = tuple(map(Listening, ("text", "graph", "vectors", "hot")))
    encoding = asyncio.get_running_loop().create_future()
    patient = RecallSettings(leg_timeout_s=60)
    answer = asyncio.create_task(recall(asked(), legs, MemoryTraits(segment_index()), encoding, patient))
    await asyncio.wait_for(asyncio.gather(text.asked.wait(), graph.asked.wait()), 60)
    assert not vectors.asked.is_set()
    assert not hot.asked.is_set()
    encoding.set_result(understood := ENCODER.ask("x"))
    await answer
    assert vectors.vector is understood.vector
    assert hot.vector is understood.vector


async def test_a_vector_that_does_not_come_costs_its_leg_and_no_other():
    built, hot = segment_index(), Listening("hot")
    never = asyncio.get_running_loop().create_future()
    legs = (MemoryText(built), MemoryVectors(built), hot)
    found = await recall(asked(), legs, MemoryTraits(built), never, RecallSettings(leg_timeout_s=0.5))
    assert found.degraded == {"vectors": "Unavailable"}
    assert hot.asked.is_set()
    assert found.keys.tolist()[0] in (1, 4)


async def test_all_legs_down_is_an_empty_answer_and_not_an_error():
    found = await recall(asked(), (Failing(),), MemoryTraits(segment_index()), at_hand(None), RecallSettings())
    assert (found.keys.tolist(), found.abstained, found.candidates) == ([], True, 0)


async def test_a_cancelled_question_is_cancelled():
    task = asyncio.create_task(
        recall(asked(), (Late(),), MemoryTraits(segment_index()), at_hand(None), RecallSettings(leg_timeout_s=9))
    )
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_only_what_is_asked_for_comes_out():
    assert set((await answer(asked(), context=RecallContext(only=np.array([2, 3])))).keys.tolist()) == {2, 3}
    assert set((await answer(asked(hours_back=48))).keys.tolist()) == {3, 4}
    assert set((await answer(asked(as_of=NOW - 30 * DAY_S))).keys.tolist()) == {1, 2}


async def test_explanations_are_aligned_with_the_answer():
    found = await answer(asked(explain=True))
    assert [one.key for one in found.explained] == found.keys.tolist()
    assert found.explained[0].ranks["text"] >= 1
    assert (await answer(asked())).explained == ()


async def test_late_interaction_says_what_it_added():
    found = await answer(asked("Who went to the falconry class?", explain=True))
    met = {one.key: one.contributions.get("met", 0) for one in found.explained}
    assert met[1] == max(met.values()) > 0 > met[3]
    assert all(sum(one.contributions.values()) == pytest.approx(one.score) for one in found.explained)


async def test_a_turn_is_met_by_the_words_of_the_turn_before_it():
    found = await answer(asked("Was Beatrix's falconry class wonderful?", explain=True))
    met = {one.key: one.contributions["met"] for one in found.explained}
    assert met[2] > met[4] > met[3]


async def test_without_word_pieces_the_weights_fitted_without_them_serve():
    plain = RecallSettings(weights=WITHOUT_PIECES)
    for question in (asked(explain=True), asked("Was it wonderful?", explain=True)):
        found = await answer(question, pieces=False)
        assert found.explained == (await answer(question, settings=plain, pieces=False)).explained
        assert not any("met" in one.contributions for one in found.explained)


async def test_a_question_without_pieces_is_answered_as_one_of_an_encoder_without_them():
    built = segment_index()
    understood = EncodedQuestion(ENCODER.ask(asked().text).vector, np.zeros((0, ENCODER.dimensions), np.float32))
    legs = (MemoryText(built), MemoryVectors(built))
    found = await recall(asked(), legs, MemoryTraits(built), at_hand(understood), RecallSettings())
    without = await answer(asked(), pieces=False)
    assert (found.keys.tolist(), found.scores.tobytes()) == (without.keys.tolist(), without.scores.tobytes())


JUDGING = RecallSettings(verdicts=weights_for(ENCODER.dimensions))


async def test_as_many_are_judged_as_the_question_asks_for_and_their_order_stays():
    plain = await answer(asked(limit=1, considered=3))
    found = await answer(asked(limit=1, considered=3, judged=2), settings=JUDGING)
    assert plain.keys.tolist() == found.keys.tolist()
    assert plain.beyond.tolist() == found.beyond.tolist()
    assert list(found.verdicts) == [*found.keys, *found.beyond][:2]
    assert found.answered == pytest.approx(float(np.logaddexp.reduce(list(found.verdicts.values()))))
    assert (plain.verdicts, plain.answered) == ({}, None)


async def test_what_is_cut_off_is_judged_beside_the_results():
    strict = replace(JUDGING, cut=replace(JUDGING.cut, least_share=0.9))
    plain = await answer(asked(limit=4, cut="auto"), settings=strict)
    found = await answer(asked(limit=4, cut="auto", judged=3), settings=strict)
    assert found.keys.tolist() == plain.keys.tolist() == [4]
    assert list(found.verdicts) == [*found.keys, *found.spare]
    assert len(found.verdicts) == 3
    unjudged = await answer(asked(limit=4, cut="auto", judged=3), settings=replace(strict, verdicts=None))
    assert (unjudged.keys.tolist(), unjudged.spare) == ([4], [])
    careful = await answer(asked(limit=4, cut="auto", judged=3, careful=True), settings=strict)
    assert (careful.keys.tolist(), careful.spare, list(careful.verdicts)) == ([4], [], [4])


async def test_what_was_said_later_of_the_best_is_judged_beside_it():
    found = await answer(asked("Who went there?", limit=1, judged=1), settings=JUDGING)
    assert (found.keys.tolist(), found.spare, list(found.verdicts)) == ([1], [4], [1, 4])


async def test_careful_answers_are_in_the_order_of_their_verdicts():
    plain = await answer(asked(limit=4, judged=3), settings=JUDGING)
    found = await answer(asked(limit=4, judged=3, careful=True), settings=JUDGING)
    ordered = sorted(plain.verdicts, key=lambda key: -plain.verdicts[key])
    assert found.keys.tolist() == [*ordered, *plain.keys[3:].tolist()]
    assert found.verdicts == plain.verdicts
    assert found.scores.tolist() == plain.scores.tolist()


async def test_nothing_is_judged_unasked_or_by_an_encoder_beside_which_nothing_was_taught():
    for question, settings in (
        (asked(), JUDGING),
        (asked(judged=2), RecallSettings()),
        (asked(judged=2), replace(JUDGING, closely=0)),
    ):
        found = await answer(question, settings=settings)
        assert (found.verdicts, found.answered) == ({}, None)


async def test_it_abstains_where_surely_none_answers():
    low = replace(JUDGING, silence=replace(JUDGING.silence, unanswered=1e6))
    assert not (await answer(asked(judged=2), settings=replace(low, verdicts=None))).abstained
    assert (await answer(asked(judged=2), settings=low)).abstained


async def test_annie_lets_the_old_fade_and_the_evergreen_stay():
    old, new = 1, 4
    plain = await answer(asked(), settings=ANNIE)
    order = plain.keys.tolist()
    assert order.index(new) < order.index(old)
    explained = await answer(asked(explain=True), settings=ANNIE, context=RecallContext(evergreen=np.array([old])))
    kept = {one.key: one.score for one in explained.explained}
    faded = {one.key: one.score for one in (await answer(asked(explain=True), settings=ANNIE)).explained}
    assert faded[old] == pytest.approx(kept[old] * 0.25 / 0.3)
    assert faded[new] == kept[new]


class Unasked:
    def __init__(self, name: str) -> None:
        self.name = name

    async def search(self, view, probe) -> Ranking:
        return Ranking(self.name, np.array([1]), np.ones(1, np.float32))


@pytest.mark.parametrize(
    ("settings", "foreign"),
    [
        (ANNIE, {"hot", "standing", "calendar"}),
        (PERSONAL_AI, {"standing", "calendar"}),
        (GRAPH_MEMORY, {"hot", "standing", "calendar"}),
    ],
)
async def test_the_presets_ask_no_leg_that_their_seed_does_not_have(settings: RecallSettings, foreign: set[str]):
    legs = [Unasked(name) for name in ("graph", "hot", "standing", "calendar")]
    found = await answer(asked("How do I find the falconry class?", explain=True), *legs, settings=settings)
    every = {"text", "vectors", "graph", "hot", "standing", "calendar"}
    assert {leg for one in found.explained for leg in one.ranks} == every - foreign


async def test_without_a_leg_that_counts_nothing_is_found():
    none = replace(RecallSettings().fusion, weights={"text": 0.0, "vectors": 0.0})
    found = await answer(asked(), settings=replace(RecallSettings(), fusion=none))
    assert (found.keys.tolist(), found.degraded, found.abstained) == ([], {}, True)


def test_the_window_of_a_question():
    assert window(asked()) == Interval()
    assert window(asked(hours_back=1, after=NOW - 7200)) == Interval(NOW - 3600, None)
    assert window(asked(before=NOW)) == Interval(None, NOW)
    assert window(asked(as_of=NOW, before=NOW + 60)) == Interval(None, NOW + 0.001)


async def test_neither_word_nor_meaning_is_nothing_found():
    built = segment_index()
    unlike = EncodedQuestion(np.zeros(ENCODER.dimensions, np.float32), np.zeros((0, ENCODER.dimensions), np.float32))
    legs, traits_of = (MemoryText(built), MemoryVectors(built)), MemoryTraits(built)
    assert (await recall(asked("Xylophone?"), legs, traits_of, at_hand(unlike), RecallSettings())).abstained
    assert not (await recall(asked("Falconry?"), legs, traits_of, at_hand(unlike), RecallSettings())).abstained
