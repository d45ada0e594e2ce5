"""Answers by verdicts: when a fact leads, and when the word of caution stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.services.answer import NEAREST, Findings
from memory.services.answer import compose as composed
from memory.services.best_fact import BestFact
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from tests.unit.language.test_answer import at

CATS = SegmentHit("the cats were too much", "Maya", at(2026, 3, 3), 0, "s4", "g1", ("f4",), verdict=-3.5)
TWO = SegmentHit("you have two, what did you expect", "Daniel", at(2026, 3, 3), 0, "s4", "g2", verdict=-0.4)
WERE = KnownFact("f4", "The cats were too much", at(2026, 3, 3))


@pytest.mark.parametrize(
    ("whole", "of_its_turn", "of_another", "leads_still"),
    [
        (True, -3.5, -0.5, False),
        (True, -2.4, -1.9, True),
        (False, -1.6, -1.0, False),
        (False, -1.4, -1.0, True),
        (True, 0.0, 0.7, False),
        (True, 0.2, 0.7, True),
    ],
)
def test_a_fact_leads_unless_its_turns_do_not_answer(whole, of_its_turn, of_another, leads_still):
    hits = [replace(CATS, verdict=of_its_turn), replace(TWO, verdict=of_another)]
    found = Findings("How many cats?", hits, [WERE], lead=BestFact(WERE, WERE, whole, True, False), answered=1.0)
    first = composed(found).text.splitlines()[0]
    assert first.startswith("The cats were too much") is leads_still
    if not leads_still:
        assert first.startswith('"you have two')


def test_what_its_owner_told_on_purpose_leads_unless_another_turn_answers_better():
    told = replace(CATS, source_id="told-1")
    lead = BestFact(WERE, WERE, True, True, False)
    found = Findings("How many cats?", [told, replace(TWO, verdict=-3.2)], [WERE], lead=lead, answered=-2.6)
    assert composed(found).text.startswith("The cats were too much")
    low = [replace(told, verdict=-4.8), replace(TWO, verdict=-2.4)]
    assert composed(replace(found, hits=low)).text.startswith("The cats were too much"), "nothing else answers"
    assert not composed(replace(found, hits=[told, TWO])).text.startswith("The cats were too much")
    part = replace(lead, whole=False)
    assert not composed(replace(found, lead=part)).text.startswith("The cats were too much")


def test_a_state_that_there_is_one_of_leads_unless_another_turn_answers_better():
    said = replace(CATS, text="I live in Leipzig", verdict=-4.0)
    home = KnownFact("f4", "Maya lives in Leipzig", at(2026, 3, 3), predicate="lives_in")
    found = Findings(
        "Where does Maya live?", [said], [home], lead=BestFact(home, home, True, True, False), answered=-3.9
    )
    assert composed(found).text.startswith("Maya lives in Leipzig")
    moved = replace(TWO, text="the new place is in Halle", verdict=-0.4)
    assert not composed(replace(found, hits=[said, moved])).text.startswith("Maya lives in Leipzig")


def test_a_fact_of_what_was_to_be_done_does_not_tell_whether_it_was():
    plan = KnownFact("f4", "Daniel will feed the cats", at(2026, 3, 3))
    hits = [replace(CATS, text="I'll feed the cats", verdict=1.0)]
    found = Findings(
        "Did Daniel feed the cats?", hits, [plan], lead=BestFact(plan, plan, True, True, False), answered=1
    )
    assert not composed(found).text.startswith("Yes")
    asked = replace(found, question="Will Daniel feed the cats?")
    assert composed(asked).text.startswith("Yes: Daniel will feed the cats")


def test_a_fact_whose_turns_were_not_judged_leads():
    hits = [replace(CATS, verdict=None), TWO]
    found = Findings("How many cats?", hits, [WERE], lead=BestFact(WERE, WERE, True, True, False), answered=1.0)
    assert composed(found).text.startswith("The cats were too much")


def test_the_word_of_caution_stands_where_nothing_answers():
    found = Findings("How many cats?", [CATS, TWO], answered=-1.2)
    assert composed(found).text.splitlines()[:2] == [
        NEAREST,
        '"you have two, what did you expect" - Daniel, 3 March 2026 [s4/g2]',
    ]
    assert composed(replace(found, answered=0.0)).text.splitlines()[0].startswith('"you have two')
