"""What of a hit's words still stands: refuted ones are told last, forgotten sentences not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.shown import RefutedFact
from memory.services.hits import SegmentHit, marked, retraction, standing_first

LEIPZIG = RefutedFact("f1", "I live in Leipzig.", "Leipzig", "Nina lives in Halle")
CATS = RefutedFact("f2", "I am allergic to cats.", "cats", None, forgotten=True)
HOME = SegmentHit("I live in Leipzig.", "Nina", 1.0, 0, "s", "1", refuted=(LEIPZIG,))
HALLE = SegmentHit("Nina lives in Halle", "Nina", 2.0, 0, "told", "told", ("f3",))


def test_what_is_refuted_comes_last_and_says_what_took_its_place():
    assert standing_first([HOME, HALLE]) == [(1, HALLE), (0, HOME)]
    assert marked(HOME) == " (refuted: Nina lives in Halle)"
    assert marked(replace(HOME, refuted=(replace(LEIPZIG, instead=None),))) == " (refuted)"
    assert marked(HALLE) == ""


def test_a_hit_of_which_something_is_still_believed_stands_where_it_stood():
    both = replace(HOME, fact_ids=("f9",), refuted=(replace(LEIPZIG, instead=None),))
    assert standing_first([both, HALLE]) == [(0, both), (1, HALLE)]
    assert marked(both) == ""


def test_a_hit_that_is_refuted_in_part_says_so_and_comes_behind_what_corrects_it():
    both = replace(HOME, fact_ids=("f9",), refuted=(replace(LEIPZIG, instead_id="f3"),))
    assert marked(both) == " (refuted in part: Nina lives in Halle)"
    other = SegmentHit("It rains.", "Tom", 3.0, 0, "s", "4")
    assert standing_first([both, other, HALLE]) == [(2, HALLE), (0, both), (1, other)]
    assert standing_first([both, other]) == [(0, both), (1, other)]


def test_a_hit_that_is_taken_back_comes_behind_what_takes_it_back():
    said = SegmentHit("I'm allergic to lactose", "Nina", 1.0, 0, "s", "1", taken_back="no, not lactose, gluten")
    back = SegmentHit("no,  not lactose, gluten", "Nina", 2.0, 0, "s", "2")
    assert standing_first([said, HALLE, back]) == [(2, back), (0, said), (1, HALLE)]
    assert standing_first([said, replace(back, source_id="t")]) == [(0, said), (1, replace(back, source_id="t"))]


def test_a_forgotten_sentence_is_left_out_and_a_hit_of_nothing_else_too():
    alone = SegmentHit("I am allergic to cats.", "Nina", 1.0, 0, "s", "2", refuted=(CATS,))
    beside = replace(alone, text="I live here. I am allergic to cats. Bye.")
    assert standing_first([alone]) == []
    [(place, told)] = standing_first([beside])
    assert (place, told.text, told.is_refuted) == (0, "I live here. Bye.", False)


@pytest.mark.parametrize(
    ("text", "role", "place"),
    [
        ("You live in Leipzig, as you said.", "assistant", 1),
        ("You live in Leipzig, as you said.", "other", 0),
        ("You moved from Leipzig to Halle.", "assistant", 0),
        ("The weather is fine.", "assistant", 0),
    ],
)
def test_an_assistant_that_repeats_what_is_refuted_is_refuted_with_it(text, role, place):
    said = SegmentHit(text, "Helper", 3.0, 0, "s", "3", role=role)
    order = [hit.text for _, hit in standing_first([said, HALLE, HOME])]
    assert order.index(text) == place


def test_words_that_are_taken_back_are_marked_with_what_takes_them_back():
    assert marked(replace(HALLE, taken_back="just kidding")) == ' (taken back at once: "just kidding")'


@pytest.mark.parametrize(
    "line",
    [
        "just kidding",
        "jk",
        "lol kidding",
        "I'm joking obviously",
        "it was a joke",
        "no, not lactose, gluten",
        "scratch that, it's Tuesday",
        "wait no, Thursday",
        "sorry not Tuesday, Wednesday",
        "I take that back",
        "war nur Spaß",
        "Scherz!",
        "nein, nicht Montag, Dienstag",
    ],
)
def test_a_line_that_takes_back_what_was_said_is_known_by_its_words(line):
    assert retraction(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "no thanks",
        "no, not yet",
        "not really",
        "let me see if Tom is in",
        "hold on, the doorbell",
        "no, not that I know",
        "that's a joke shop",
        "Are you kidding?",
        "",
        None,
        "no wait and then " + "he told me " * 5,
    ],
)
def test_other_lines_take_nothing_back(line):
    assert retraction(line) == ""
