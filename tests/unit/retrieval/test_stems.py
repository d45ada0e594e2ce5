from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.stems import query_terms, stem, term_of, terms, tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know C++ or C#.", ["i", "don't", "know", "c++", "or", "c#"]),
        ("v1.2 at 10:30, 1,000 of them", ["v1.2", "at", "10:30", "1,000", "of", "them"]),
        ("Straße, ÉCOLE; naïve", ["strasse", "école", "naïve"]),
        ("I’m Beatrix's friend", ["i'm", "beatrix's", "friend"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("", []),
        ("?!… 🎻", []),
    ],
)
def test_tokens(text, words):
    assert [word for word, _ in tokenise(text)] == words


@given(st.text())
def test_any_text_has_tokens_in_order(text):
    starts = [start for _, start in tokenise(text)]
    assert starts == sorted(starts)


def test_a_language_is_stemmed_by_its_own_stemmer_or_not_at_all():
    assert stem("hiking", "en") == "hike"
    assert stem("wanderungen", "de") == stem("wanderung", "de")
    assert stem("hiking", "xx") == "hiking"
    assert stem("hiking", "") == "hiking"


def test_numbers_and_versions_are_not_stemmed():
    assert stem("v1.2", "en") == "v1.2"
    assert stem("2023", "en") == "2023"


def test_stop_words_are_left_out_but_keep_their_place():
    ids, starts = terms("The violin and the tea", "en")
    assert len(ids) == 2
    assert starts == [4, 19]


_SPOKEN = st.text() | st.text(st.sampled_from("aI'’+#v1.:, \n\u00a0\u00b4äſ\u0301東京9x_"), max_size=60)


@given(_SPOKEN, st.sampled_from(["en", "de", ""]))
def test_what_is_remembered_between_spaces_is_what_all_the_text_reads(text, language):
    told = [(term_of(word, language), start) for word, start in tokenise(text)]
    ids, starts = terms(text, language)
    assert list(zip(ids, starts, strict=True)) == [(term, start) for term, start in told if term is not None]


def test_ids_are_the_same_on_every_machine():
    assert term_of("hiking", "en") == term_of("hikes", "en") == 3983358572597290027
    assert term_of("the", "en") is None


def test_a_question_is_stemmed_in_every_language_and_asked_as_it_is():
    assert set(query_terms("hiking", ("en", "de"))) == {
        term_of("hiking", "en"),
        term_of("hiking", "de"),
        term_of("hiking", ""),
    }
    assert query_terms("the the the", ("en",)) == []
