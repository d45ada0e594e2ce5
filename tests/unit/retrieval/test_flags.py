from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.batches import dense_text, local_date
from memory.retrieval.flags import (
    DIGIT,
    FIRST_PERSON,
    TELLING,
    TIME,
    bare,
    first_person,
    has_digit,
    has_time,
    marks,
    question_share,
)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("How are you?", 1.0),
        ("I moved to Pune, can you help?", 0.0),  # states a fact although it asks
        ("It was lovely. And yours?", pytest.approx(10 / 25)),
        ("No question here.", 0.0),
        ("", 0.0),
        ("???", 0.0),  # no sentence, only surprise
    ],
)
def test_question_share(text, share):
    assert question_share(text) == share


@given(st.text())
def test_question_share_is_a_share(text):
    assert 0 <= question_share(text) <= 1


def test_time_words_and_digits():
    assert has_time("We met last Friday")
    assert has_time("It opened in 1998")
    assert not has_time("We met at the harbour")
    assert has_digit("two of 12")
    assert not has_digit("twelve")


def test_who_says_i_speaks_of_what_is_theirs():
    assert first_person("That day I’ve won")
    assert first_person("OUR garden")
    assert not first_person("How was your race? It inspired Iris")


def test_the_same_is_seen_in_german():
    assert has_time("Wir sehen uns Freitags")
    assert has_time("der Termin war im Jänner")
    assert not has_time("Das Boot liegt am Steg")
    assert first_person("das ist Unsere Leiter")
    assert not first_person("Wie war dein Rennen? Ist Iris auch gelaufen")
    assert question_share("Kannst du meinen Schlüssel holen?") == 0.0


@pytest.mark.parametrize(
    "text", ["", "Yeah.", "Mm-hmm, right.", "So, um... I'd, uh, that's it!", "Ja, genau.", "B. 👍"]
)
def test_who_only_responds_tells_nothing(text):
    assert bare(text)


@pytest.mark.parametrize("text", ["Paris.", "5.", "Yes, on Friday", "Hafen", "我住在巴黎", "C++"])
def test_one_word_of_its_own_is_enough(text):
    assert not bare(text)


@given(st.text(), st.text())
def test_what_is_added_to_a_telling_text_takes_nothing_back(text, more):
    assert bare(text) or not bare(f"{text} {more}")


def test_the_date_is_the_day_where_it_was_heard():
    late_evening_utc = 1_683_586_000.0  # 8 May 2023, 22:46 UTC
    assert local_date(late_evening_utc, 0) == "8 May 2023"
    assert local_date(late_evening_utc, 7200) == "9 May 2023"


def test_dense_text():
    assert dense_text("Beatrix", "8 May 2023", "Hey!") == "[8 May 2023] Beatrix: Hey!"
    assert dense_text("", "", "Hey!") == "Hey!"


_SAID = st.text(st.sampled_from("I'mwedays12 019yeahok.,’\n\u00a0äſİ\u0301?"), max_size=60) | st.lists(
    st.sampled_from(["I", "we’re", "yeah,", "in", "2019.", "last-week", "Friday", "mhm", "x" * 40, "", "\t"]),
    max_size=8,
).map(" ".join)


@given(_SAID)
def test_all_marks_at_once_are_those_one_by_one(text):
    marked = marks(text)
    assert bool(marked & TIME) == has_time(text)
    assert bool(marked & DIGIT) == has_digit(text)
    assert bool(marked & FIRST_PERSON) == first_person(text)
    assert bool(marked & TELLING) == (not bare(text))
