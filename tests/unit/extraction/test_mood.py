"""Whose view a clause is, whether it was done, and whether its subject is anybody: read from the parse."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from memory.model.claims import Utterance
from tests.unit.extraction.conftest import reading

NOT_ACTUAL = [
    # of another life than this one
    "In another life I live in Monaco.",
    "In my next life I work at a zoo.",
    "When I win the lottery, I live in Monaco.",
    "When we retire we live in Spain.",
    # the views of others
    "My boss thinks I live in Leeds.",
    "My mother is convinced I'm going bald.",
    "Tom's theory is that I married for money.",
    "She's got this idea that I'm allergic to nuts.",
    "He accused me of having an affair.",
    "My neighbour calls me a hoarder.",
    "I got told I'm too old for the team.",
    "Dad swears blind I was born on a Tuesday.",
    # weighed
    "I've half a mind to hand in my notice.",
    "We've been eyeing that cottage in Wales.",
    "I'm toying with the idea of a second degree.",
    "We're looking into fostering.",
    # came to nothing
    "I came this close to buying a flat in Rome.",
    "I was supposed to start at Philips.",
    "I was going to call the bank.",
    "We were about to sign for the house.",
    "I just missed being born in America.",
    # said of all
    "People who move to Rome never come back.",
    "Nurses work nights.",
    "A nurse works nights at a hospital.",
    "Whoever lives in that house has three dogs.",
    # not literally
    "I'm married to this croissant now.",
    "I'm allergic to mornings.",
]
ACTUAL = [
    "When I was young I lived in Porto.",
    "When I retire I want to live in Spain.",
    "I want to live in Spain when we retire.",
    "I quit my job in another life-changing move.",
    "My sister knows I moved to Ghent.",
    "I told the nurse that I take iron tablets.",
    "The thing is I've joined the lifeboat crew.",
    "I'm married to a lovely man.",
    "I'm married to a baker.",
    "My kids play chess in the club.",
    "Someone stole my bike this morning.",
    "My friends call me Bea.",
    "I decided to move to Rome.",
    "I managed to buy the flat.",
    "The doctor says I have asthma.",
    "If you need me, I live at number four now.",
    "Did I tell you my dad moved in with us?",
    "Is this seat free, I've a bad hip and a stick.",
    "I'd come if I could, but I work Saturdays.",
]


@pytest.mark.parametrize("text", NOT_ACTUAL)
def test_what_is_not_told_as_so_claims_nothing(text: str) -> None:
    assert [claim.statement for claim in reading(text).claims] == []


@pytest.mark.parametrize("text", ACTUAL)
def test_what_is_told_as_so_is_claimed(text: str) -> None:
    assert reading(text).claims != ()


@pytest.mark.parametrize("text", ["I'm far from rich.", "I'm anything but a morning person.", "I have no car."])
def test_a_contrary_is_a_denial(text: str) -> None:
    assert [claim.polarity for claim in reading(text).claims] == [False]


def test_an_undated_intention_is_a_plan_that_weighs_little() -> None:
    (claim,) = reading("I want to open a bakery in Ghent.").claims
    assert claim.tense == "plan"
    assert claim.importance < 4


def test_a_mother_in_law_is_nobodys_mother() -> None:
    assert {claim.subject for claim in reading("My mother-in-law doesn't eat pork.").claims} == {"Ana's mother-in-law"}


@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        ("What did you dream about?", "I lived in a castle.", 0),
        ("You be the customer.", "I own a farm in Kansas.", 0),
        ("What would you do with the money?", "I buy a boat in Cork.", 0),
        ("Where do you live?", "I live in a castle.", 1),
    ],
)
def test_what_is_answered_under_a_frame_is_not_claimed(question: str, answer: str, kept: int) -> None:
    turns = [
        Utterance("s", str(key), key, 1, speaker, text, 1_684_972_800.0 + key)
        for key, (speaker, text) in enumerate([("Ben", question), ("Ana", answer)])
    ]
    assert len([claim for claim in read(turns).claims if claim.segment_key == 1]) == kept
