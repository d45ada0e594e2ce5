"""A memory that is read from its beginning against one that grew, and texts read together against each by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.embedding.hashing import HashingEmbedder
from memory.model.scopes import Sensitivity, View
from memory.retrieval import columns as columns_module
from memory.retrieval import lexicon
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.flags import marks
from memory.retrieval.postings import HEADER, Grown
from memory.retrieval.segment_index import SegmentIndex
from memory.words.stems import terms
from tests.unit.retrieval.rows import Row, batch

ENCODER = HashingEmbedder()
SAID = (
    "I never drink tea.",
    "How do I get to the violin class?",
    "Yeah.",
    "",
    "Go to Bergen in May, please always do!",
)
SPOKEN = st.sampled_from(SAID) | st.text(st.sampled_from("aI'’+#v1.:, \n\u00a0\u00b4äſ\u0301東京9x_①?"), max_size=60)
LANGUAGES = st.sampled_from(["en", "de", ""])

rows = st.builds(
    Row,
    key=st.integers(-9, 9),
    text=SPOKEN,
    source=st.integers(1, 3),
    order=st.integers(0, 5),
    speaker=st.sampled_from(["Beatrix", "Ann"]),
    role=st.sampled_from(["user", "other"]),
    language=LANGUAGES,
    alive=st.sampled_from([True, True, False]),
)
batches = st.lists(st.lists(rows, min_size=1, max_size=6), min_size=1, max_size=8)


def understand(columns: ScopeColumns) -> None:
    keys = columns["key"][columns["alive"]][1:]  # one lacks its vector
    encoded = ENCODER.encode([f"words of {key}" for key in keys.tolist()])
    columns.put_vectors(keys, encoded.vectors, encoded.pieces)


def alike(filled: ScopeColumns, grown: ScopeColumns) -> None:
    """Asserts that they are the same to the bit."""
    for name in set(columns_module._COLUMNS) - {"pieces_from", "stale"}:  # where, and since when
        assert filled[name].tobytes() == grown[name].tobytes(), name
    every = np.arange(len(filled["key"]))
    assert filled.rows_of(filled["key"])[0].tolist() == grown.rows_of(filled["key"])[0].tolist() == every.tolist()
    assert (filled.speakers, filled.spoken) == (grown.speakers, grown.spoken)
    assert filled.vectors[every].tobytes() == grown.vectors[every].tobytes()
    assert filled.pieces_of(every).bits.tobytes() == grown.pieces_of(every).bits.tobytes()
    asked = ENCODER.embed(["violin"])[0]
    assert filled.signs.distances(asked).tobytes() == grown.signs.distances(asked).tobytes()
    stems = np.unique(filled.postings.terms_of(every)[0]).tolist()
    for columns in (filled, grown):
        assert columns.postings._vocabulary.tolist() == stems
        assert columns.postings.uncompiled == 0
    for read in ("_words", "_rows", "_places_by_word", "_bounds"):
        assert getattr(filled.postings, read).tobytes() == getattr(grown.postings, read).tobytes(), read
    for stem in stems:
        mine, theirs = (np.bincount(*columns.frequencies(stem, True), len(every)) for columns in (filled, grown))
        assert mine.tolist() == theirs.tolist()


@settings(max_examples=100)
@given(batches, st.sampled_from([0, 3, 4096]))
def test_a_memory_woken_at_once_is_the_one_that_grew(heard, slack):
    filled, grown = ScopeColumns(ENCODER.dimensions, filling=True), ScopeColumns(ENCODER.dimensions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "SLACK_ROWS", slack)
        for some in heard:
            filled.put(batch(some))
            grown.put(batch(some))
            for word in ("tea", "violin", "May"):  # what is remembered of them is not forgotten as they are compiled
                grown.frequencies(terms(word, "en")[0][0], True)
    filled.settle()
    grown.settle()
    understand(filled)
    understand(grown)
    alike(filled, grown)


def test_what_is_filled_is_compiled_when_all_is_there_and_taken_over_as_it_is():
    filled, segment_index = SegmentIndex(ENCODER.dimensions, filling=True), SegmentIndex(ENCODER.dimensions)
    for key in range(3 * columns_module.SLACK_ROWS):
        filled.put("user:ann", Sensitivity.OPEN, batch([Row(key, "tea")]))
    [columns] = filled.shared("user:ann", Sensitivity.OPEN)
    assert columns.postings.uncompiled == 3 * columns_module.SLACK_ROWS
    filled.settle()
    assert columns.postings.uncompiled == 0
    version = segment_index.version
    segment_index.take(filled)
    assert segment_index.version > version
    assert segment_index.sight(View("ann", (), Sensitivity.OPEN)) == [columns]
    for key in range(2 * columns_module.SLACK_ROWS):
        segment_index.put("user:ann", Sensitivity.OPEN, batch([Row(-1 - key, "coffee")]))
    assert columns.postings.uncompiled <= columns_module.SLACK_ROWS, "from then on it compiles by itself"


@settings(max_examples=150)
@given(st.lists(st.tuples(SPOKEN, SPOKEN, LANGUAGES), min_size=1, max_size=8), st.sampled_from([1, 2, 128]))
def test_texts_read_together_are_each_read_by_itself(said, run):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexicon, "RUN", run)
        words = lexicon.read(*(list(column) for column in zip(*said, strict=True)))
    first = 0
    for place, (text, header, language) in enumerate(said):
        (ids, begins), names = terms(text, language), terms(header, language)[0]
        part = slice(first, first := first + int(words.counts[place]))
        assert words.terms[part].tolist() == ids + names
        assert words.begins[part].tolist() == begins + [HEADER] * len(names)
        assert words.marks[place] == marks(text)
    assert first == len(words.terms)


def test_a_lexicon_that_is_full_is_begun_anew(monkeypatch):
    monkeypatch.setattr(lexicon, "_lexicons", {})
    monkeypatch.setattr(lexicon, "ROOM", 20)

    def said() -> list[int]:
        return lexicon.read(["the violin class"], ["Ann"], ["en"]).terms.tolist()

    first, known = said(), lexicon._lexicons["en"]
    assert said() == first
    assert lexicon._lexicons["en"] is known
    lexicon.read(["a word of more than twenty characters: " + "x" * 30], ["Ann"], ["en"])
    assert said() == first
    assert lexicon._lexicons["en"] is not known


def test_languages_without_a_stemmer_share_a_lexicon(monkeypatch):
    """A device may call its language anything."""
    monkeypatch.setattr(lexicon, "_lexicons", {})
    languages = ["en", "", "xx", "en-US", *(f"x-{number}" for number in range(50))]
    words = lexicon.read(["the violin class"] * len(languages), ["Ann"] * len(languages), languages)
    apart = [(*terms("the violin class", language)[0], *terms("Ann", language)[0]) for language in languages]
    assert words.terms.tolist() == [term for each in apart for term in each]
    assert set(lexicon._lexicons) == {"en", ""}


def test_what_grows_without_values_is_zero_and_moves_nothing():
    column = Grown(np.int32)
    column.extend(np.array([7, 8]))
    column.grow(100)
    column.keep(np.array([1, 50]))
    column.grow(2)
    column.extend(np.array([9]))
    assert column.view.tolist() == [8, 0, 0, 0, 9]


def test_what_was_filled_at_once_has_room_for_what_comes_next():
    column = Grown(np.float32, 4)
    column.extend(np.ones((1000, 4), np.float32))
    before = column.view
    column.grow(100)
    assert np.shares_memory(before, column.view)
