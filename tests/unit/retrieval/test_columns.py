from __future__ import annotations

from collections.abc import Iterable, Iterator

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.retrieval import columns as columns_module
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.columns import ScopeColumns
from memory.words.stems import query_terms, terms
from tests.unit.retrieval.rows import Row, batch

WORDS = ["tea", "coffee", "mountain", "hiking", "violin", "falconry", "camping", "harvest", "beach", "mill", "dog"]

texts = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
rows = st.builds(
    Row,
    key=st.integers(-9, 9),
    text=texts,
    source=st.integers(1, 3),
    order=st.integers(0, 5),
    speaker=st.sampled_from(["Beatrix", "Valerie"]),
    alive=st.booleans(),
)
puts = st.lists(rows, min_size=1, max_size=6)
removals = st.sets(st.integers(-9, 9), min_size=1, max_size=4)


def stepped(columns: ScopeColumns, steps: Iterable[list[Row] | set[int]]) -> Iterator[dict[int, Row]]:
    """Put rows and remove keys, and tell after every step which rows should be there."""
    believed: dict[int, Row] = {}
    for step in steps:
        if isinstance(step, set):
            columns.remove(np.array(sorted(step), np.int64))
            believed = {key: row for key, row in believed.items() if key not in step}
        else:
            columns.put(batch(step))
            believed |= {row.key: row for row in step}
            believed = {key: row for key, row in believed.items() if row.alive}
        yield believed


def scores_by_key(columns: ScopeColumns, question: str, neighbours: bool) -> dict[int, float]:
    scores = bm25([columns], query_terms(question, ("en",)), Bm25Rules(neighbours=neighbours))[0]
    return {int(columns["key"][row]): float(scores[row]) for row in np.flatnonzero(columns["alive"])}


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, st.booleans()), min_size=1, max_size=8))
def test_within_some_rows_it_is_as_if_there_were_no_others(documents):
    every = [Row(key, text) for key, (text, _) in enumerate(documents)]
    whole, part = ScopeColumns(4), ScopeColumns(4)
    whole.put(batch(every))
    part.put(batch([row for row, (_, kept) in zip(every, documents, strict=True) if kept]))
    asked, rules = query_terms("tea on the mountain", ("en",)), Bm25Rules(neighbours=False)
    within = np.isin(whole["key"], part["key"])
    found = bm25([whole], asked, rules, [within])[0]
    alone = bm25([part], asked, rules)[0]
    assert not found[~within].any()
    expected = dict(zip(part["key"].tolist(), alone.tolist(), strict=True))
    assert dict(zip(whole["key"][within].tolist(), found[within].tolist(), strict=True)) == pytest.approx(expected)


@settings(max_examples=150)
@given(st.lists(puts | removals, max_size=8), st.booleans(), st.sampled_from([0, 3, 4096]))
def test_any_interleaving_equals_a_fresh_build(steps, neighbours, slack):
    columns = ScopeColumns(4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "SLACK_ROWS", slack)
        *_, believed = [{}, *stepped(columns, steps)]
    fresh = ScopeColumns(4)
    fresh.put(batch(list(believed.values())))
    assert len(columns) == len(believed)
    for question in ("tea on the mountain", "Valerie hiking", "8 May dog violin falconry"):
        mine, theirs = (scores_by_key(built, question, neighbours) for built in (columns, fresh))
        assert mine.keys() == theirs.keys()
        assert all(mine[key] == pytest.approx(theirs[key], abs=1e-5) for key in mine)


@settings(max_examples=60)
@given(st.lists(texts.filter(bool), min_size=2, max_size=30), texts.filter(bool))
def test_plain_bm25_agrees_with_bm25s(documents, question):
    columns = ScopeColumns(4)
    columns.put(batch([Row(key, text, order=key) for key, text in enumerate(documents)]))
    spoken = [terms(f"{text} 8 May 2023 Beatrix", "en")[0] for text in documents]
    asked = query_terms(question, ("en",))
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index([[str(term) for term in document] for document in spoken], show_progress=False)
    known = {term for document in spoken for term in document}
    wanted = theirs.get_scores([str(term) for term in asked if term in known]) if known & set(asked) else 0.0
    mine = bm25([columns], asked, Bm25Rules(neighbours=False))[0]
    np.testing.assert_allclose(mine, np.broadcast_to(wanted, mine.shape), atol=1e-3)


def test_several_collections_score_as_one():
    documents = [Row(key, f"{WORDS[key]} {WORDS[key + 1]} tea", source=key) for key in range(8)]
    together, here, there = ScopeColumns(4), ScopeColumns(4), ScopeColumns(4)
    together.put(batch(documents))
    here.put(batch(documents[:3]))
    there.put(batch(documents[3:]))
    asked = query_terms("tea violin dog", ("en",))
    whole = bm25([together], asked, Bm25Rules())[0]
    np.testing.assert_allclose(np.concatenate(bm25([here, there], asked, Bm25Rules())), whole, atol=1e-5)


def test_a_turn_is_found_by_the_words_of_its_neighbours_but_behind_them():
    columns = ScopeColumns(4)
    columns.put(
        batch(
            [
                Row(1, "Did you enjoy the falconry class?", order=1),
                Row(2, "Yes, it was wonderful!", order=2),
                Row(3, "Great.", order=3),
                Row(4, "Bye for now.", order=4),
                Row(5, "Elsewhere entirely.", source=2),
            ]
        )
    )
    scores = scores_by_key(columns, "falconry class", neighbours=True)
    assert scores[1] > scores[2] > scores[3] > 0
    assert scores[4] == scores[5] == 0


def test_a_long_turn_borrows_less_of_its_neighbours():
    far_word = "x " * 100 + "violin"
    columns = ScopeColumns(4)
    columns.put(
        batch(
            [
                Row(1, far_word, order=1),
                Row(2, "short", order=2),
                Row(3, "y " * 450, source=2, order=2),
                Row(4, far_word, source=2, order=1),
            ]
        )
    )
    scores = scores_by_key(columns, "violin", neighbours=True)
    assert scores[2] > 0  # borrows 298 characters; the word begins at 200
    assert scores[3] == 0  # 900 characters long: borrows the least, 60


def test_dates_and_speakers_are_part_of_a_turn_and_are_not_lent():
    columns = ScopeColumns(4)
    columns.put(batch([Row(1, "hello there", order=1, speaker="Valerie"), Row(2, "hi friend", order=2)]))
    scores = scores_by_key(columns, "Valerie", neighbours=True)
    assert scores[1] > 0
    assert scores[2] == 0


def test_vectors_stay_with_their_key_through_growth_removal_and_compaction(monkeypatch):
    monkeypatch.setattr(columns_module, "SLACK_ROWS", 8)
    columns = ScopeColumns(2)
    for key in range(40):
        columns.put(batch([Row(key, "tea", order=key)]))
        columns.put_vectors(np.array([key, 999]), np.array([[key, 1], [7, 7]], np.float32))
        if key % 3 == 0:
            columns.remove(np.array([key // 2]))
    living, found = columns.rows_of(np.arange(40))
    assert columns.vectors[living][:, 0].tolist() == found.tolist()
    assert columns["has_vector"][living].all()


def test_a_new_revision_has_no_vector_until_one_comes():
    columns = ScopeColumns(2)
    columns.put(batch([Row(1, "tea")]))
    columns.put_vectors(np.array([1]), np.ones((1, 2), np.float32))
    columns.put(batch([Row(1, "coffee")]))
    row, _ = columns.rows_of(np.array([1]))
    assert not columns["has_vector"][row].any()


def test_within_a_batch_the_last_row_of_a_key_wins():
    columns = ScopeColumns(2)
    columns.put(batch([Row(1, "tea"), Row(1, "coffee")]))
    assert scores_by_key(columns, "tea", False) == {1: 0.0}
    columns.put(batch([Row(1, "tea"), Row(1, "tea", alive=False)]))
    assert len(columns) == 0


@pytest.mark.parametrize("neighbours", [True, False])
def test_what_was_counted_outlives_the_removal_of_a_turn_without_neighbours(neighbours):
    columns = ScopeColumns(2)
    columns.put(batch([Row(1, "violin", source=1), Row(2, "violin", source=2)]))
    before = scores_by_key(columns, "violin", neighbours)
    columns.remove(np.array([1]))
    fresh = ScopeColumns(2)
    fresh.put(batch([Row(2, "violin", source=2)]))
    assert before.keys() == {1, 2}
    assert scores_by_key(columns, "violin", neighbours) == scores_by_key(fresh, "violin", neighbours)


def test_removing_a_turn_lets_its_neighbours_meet():
    columns = ScopeColumns(2)
    columns.put(batch([Row(1, "violin", order=1), Row(2, "a", order=2), Row(3, "b", order=3), Row(4, "c", order=4)]))
    assert scores_by_key(columns, "violin", True)[4] == 0
    columns.remove(np.array([2]))
    assert scores_by_key(columns, "violin", True)[4] > 0
