"""Of a long turn the sentence that answers is quoted, and of one without stops what stands around the word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.services.hits import SegmentHit
from memory.services.quoting import SHORT, excerpt, quotation
from memory.words.stems import terms

LONG = "It rained all morning and we stayed in. Tom bought a blue kayak from his neighbour for two hundred. " + (
    "Later everybody played cards until the lights went out and then we slept."
)


def matter(words: str) -> set[int]:
    return set(terms(words, "en")[0])


def test_a_short_turn_is_quoted_whole_on_one_line():
    assert excerpt("I live\nin Halle.", matter("halle"), "en") == "I live in Halle."


def test_of_a_long_turn_the_sentence_with_most_of_the_matter_is_quoted():
    told = excerpt(LONG, matter("kayak Tom"), "en")
    assert told == "… Tom bought a blue kayak from his neighbour for two hundred. …"
    assert excerpt(LONG, matter("zebra"), "en") == "It rained all morning and we stayed in. …"


def test_a_long_sentence_is_cut_around_the_word():
    told = excerpt("and then " * 60 + "the kayak sank " + "and so on " * 60, matter("kayak"), "en")
    assert "kayak" in told
    assert told.startswith("…")
    assert told.endswith("…")
    assert len(told) <= 310


def test_a_quotation_names_speaker_day_and_place():
    hit = SegmentHit("I quit.", "Tom", 1772352000.0, 0, "s", "1", taken_back="jk")
    assert quotation(hit, (), "en") == '"I quit." (taken back at once: "jk") - Tom, 1 March 2026 [s/1]'


@given(st.text(max_size=2000), st.text(max_size=30))
def test_an_excerpt_is_bounded_whatever_was_said(text, words):
    told = excerpt(text, matter(words), "en")
    assert len(told) <= max(SHORT, 310)
    assert "\n" not in told
