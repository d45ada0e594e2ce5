from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model.sources import ROLES
from memory.model.timeline import DAY_S
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.explain import explain
from memory.retrieval.pieces import EncodedQuestion, Near, Pieces
from memory.retrieval.routing import route
from memory.retrieval.weighting import FEATURES, Case, Weights, contributions, features

NOW = 1_700_000_000.0
NO_PIECES = np.zeros((0, 2), np.float32)


def traits(count: int, **columns) -> Traits:
    plain = Traits(
        keys=np.arange(1, count + 1),
        at=np.full(count, NOW),
        source=np.ones(count, np.int64),
        order=np.arange(count, dtype=np.int32),
        length=np.zeros(count, np.int32),
        speaker=np.zeros(count, np.int32),
        speakers=("Beatrix", "Valerie", "Kai"),
        role=np.full(count, ROLES.index("other"), np.int8),
        question_share=np.zeros(count, np.float32),
        has_time=np.zeros(count, np.bool_),
        has_digit=np.zeros(count, np.bool_),
        vectors=np.zeros((count, 2), np.float32),
    )
    return replace(plain, **{name: np.array(values) for name, values in columns.items()})


def case(text: str, of: Traits, *rankings: Ranking, vector=None, pieces=NO_PIECES) -> Case:
    asked = None if vector is None else EncodedQuestion(vector, pieces)
    return Case(route(text, NOW), rankings, of, asked, NOW)


def feature(name: str, one: Case) -> list[float]:
    return features(one)[:, FEATURES.index(name)].tolist()


def test_nothing_found_weighs_nothing():
    assert features(case("Anything?", traits(0))).shape == (0, len(FEATURES))


def test_the_named_speaker_rises_and_the_others_fall():
    of = traits(3, speaker=[0, 1, 0])
    assert feature("speaker", case("What did Valerie say?", of)) == [-1, 1, -1]
    assert feature("speaker", case("What did they say?", of)) == [0, 0, 0]
    assert feature("speaker", case("Did Valerie and Beatrix meet?", of)) == [0, 0, 0]


def told_of(text: str, legs: tuple[str, ...], **columns) -> list[float]:
    """The feature where the first turn is what these legs find best."""
    found = [Ranking(leg, np.array([1, 2]), np.array([1, 0.1], np.float32)) for leg in legs]
    return feature("speaker", case(text, traits(3, speaker=[0, 1, 1], **columns), *found))


def test_what_somebody_else_says_of_the_named_counts_as_their_own():
    where, all_three = "Where does Valerie live?", ("text", "hot", "graph")
    assert told_of(where, all_three) == [1, 1, 1]
    assert told_of(where, all_three, source=[1, 2, 2]) == [1, 0, 0]
    assert told_of("Where does anybody live?", all_three) == [0, 0, 0]
    for some in (("text", "hot"), ("text", "graph"), ("hot", "graph")):
        assert told_of(where, some) == [-1, 1, 1]


def test_speakers_are_counted_within_their_source():
    of = traits(4, speaker=[0, 1, 2, 0], source=[1, 1, 1, 2])
    assert feature("speaker", case("What did Valerie say?", of)) == [-0.5, 0.5, -0.5, 0]


def test_i_is_the_owner_and_not_the_assistant():
    of = traits(3, role=[ROLES.index(role) for role in ("user", "assistant", "other")], speaker=[0, 1, 2])
    assert feature("speaker", case("What did I order?", of)) == [0.5, -0.5, 0]


def test_time_words_count_when_a_time_is_asked_for_and_digits_when_a_number_is():
    of = traits(2, has_time=[True, False], has_digit=[False, True])
    assert feature("when_time", case("When was it?", of)) == [1, 0]
    assert feature("when_time", case("What was it?", of)) == [0, 0]
    assert feature("count_digit", case("How many were there?", of)) == [0, 1]


def test_a_turn_after_a_matching_question_answers_it():
    of = traits(
        3,
        before=[0, 1, 2],
        question_share=np.array([1, 0, 0], np.float32),
        vectors=np.array([[1, 0], [0, 1], [0, 1]], np.float32),
    )
    one = case("Do you like tea?", of, vector=np.array([1, 0], np.float32))
    assert feature("answers", one)[1] > 0
    assert feature("answers", one)[2] == 0
    assert feature("answers", replace(one, traits=replace(of, before=np.zeros(0, np.int64)))) == [0, 0, 0]


def test_a_named_day_counts_more_than_a_named_month():
    of = traits(3, at=[1_683_547_200.0, 1_683_547_200.0 + 10 * DAY_S, NOW])  # 8 May, 18 May, 14 November 2023
    assert feature("named_day", case("What happened on 8 May 2023?", of)) == [1, 0, 0]
    assert feature("named_day", case("What happened in May 2023?", of)) == pytest.approx([0.3, 0.3, 0])


def test_recency_counts_as_far_as_it_is_asked_for():
    of = traits(2, at=[NOW, NOW - 30 * DAY_S])
    assert feature("recency", case("What does she read lately?", of)) == [1, 0.5]
    assert feature("recency", case("When did she move?", of)) == [0, 0]


def test_the_head_of_a_source_lifts_all_of_it():
    of = traits(3, source=[1, 1, 2], vectors=np.array([[1, 0], [0, 1], [0, 1]], np.float32))
    lifted = feature("source_vectors", case("Tea?", of, vector=np.array([1, 0], np.float32)))
    assert lifted[0] == lifted[1] > lifted[2]


def test_without_the_candidates_vectors_the_leg_s_own_scores_serve():
    leg = Ranking("vectors", np.array([2, 1]), np.array([0.9, 0.1], np.float32))
    of = traits(3, source=[1, 2, 3])
    nearness = feature("source_vectors", case("Tea?", of, leg, vector=np.array([1, 0], np.float32)))
    assert nearness[1] > nearness[0] > nearness[2]


TEA = np.array([[1, 1]], np.float32) / np.sqrt(np.float32(2))
LIKE, UNLIKE, UNKNOWN = TEA, -TEA, np.zeros((0, 2), np.float32)


def near(*turns: np.ndarray, read: int) -> Near:
    """Turns that stand alone, of which the first `read` are read closely."""
    around = np.full((len(turns), 5), -1)
    around[:read, 0] = np.arange(read)
    return Near(Pieces.of(list(turns), 2), np.zeros(len(turns), np.int32), around)


def closely(*turns: np.ndarray, read: int, **columns) -> Case:
    of = replace(traits(len(turns), **columns), near=near(*turns, read=read))
    return case("Tea?", of, vector=np.array([1, 0], np.float32), pieces=TEA)


def test_what_meets_the_question_s_words_rises():
    assert feature("met", closely(UNLIKE, LIKE, UNLIKE, UNLIKE, read=4)) == pytest.approx(
        [-0.58, 1.73, -0.58, -0.58], abs=0.01
    )


def test_what_was_not_read_closely_counts_as_the_lowest_that_was():
    assert (
        feature("met", closely(LIKE, UNLIKE, LIKE, UNKNOWN, read=3))[3]
        == feature("met", closely(LIKE, UNLIKE, LIKE, read=3))[1]
    )


def test_the_pooled_cosine_stands_in_for_unknown_pieces():
    met = feature(
        "met",
        closely(LIKE, UNLIKE, UNKNOWN, UNKNOWN, read=4, vectors=np.array([[0, 1], [0, 1], [1, 0], [0, 1]], np.float32)),
    )
    assert met[0] > met[1]
    assert met[2] > 0 > met[3]


def test_alone_nothing_is_lent():
    alone = feature("alone", closely(LIKE, UNLIKE, UNLIKE, UNLIKE, read=4))
    assert alone[0] > alone[1] == alone[2] == alone[3]
    assert feature("alone", case("Anything?", traits(2))) == [0, 0]


def test_without_pieces_nothing_is_met():
    one = case("Tea?", traits(2), vector=np.array([1, 0], np.float32), pieces=TEA)
    assert feature("met", one) == [0, 0]
    assert feature("met", closely(UNKNOWN, UNKNOWN, read=2)) == [0, 0]


def test_late_interaction_needs_the_pieces_of_most_candidates_and_of_the_question():
    assert closely(LIKE, LIKE, UNLIKE, UNKNOWN, read=4).closely
    assert not closely(LIKE, LIKE, UNKNOWN, UNKNOWN, read=4).closely
    assert closely(LIKE, LIKE, UNKNOWN, UNKNOWN, read=2).closely
    assert not closely(LIKE, LIKE, read=0).closely
    whole = closely(LIKE, LIKE, read=2)
    assert not replace(whole, asked=None).closely
    assert not replace(whole, asked=EncodedQuestion(np.array([1, 0], np.float32), NO_PIECES)).closely


def test_ties_in_the_graph_stay_ties():
    leg = Ranking("graph", np.array([1, 2, 3]), np.array([4, 4, 1], np.float32))
    assert feature("graph", case("Valerie?", traits(4), leg)) == [1, 1, 0.25, 0]


def test_contributions_sum_to_the_score_and_are_explained():
    leg = Ranking("text", np.array([2]), np.array([3.5], np.float32))
    one = case("When did Valerie go?", traits(2, speaker=[0, 1], has_time=[True, False]), leg)
    added = contributions(one, Weights())
    second = explain(one, added, np.array([1, 0]))[0]
    assert second.key == 2
    assert second.ranks == {"text": 1}
    assert sum(second.contributions.values()) == pytest.approx(second.score) == pytest.approx(added.scores[1])
    assert set(second.contributions) >= {"text", "speaker"}


def test_a_wish_at_hand_counts_whatever_it_says():
    leg = Ranking("standing", np.array([3, 1]), np.array([0.2, 0.1], np.float32))
    assert feature("standing", case("How do I rename files?", traits(3), leg)) == [1, 0, 1]
