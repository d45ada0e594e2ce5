"""Which stretch of a sentence its speaker asserts."""

from __future__ import annotations

import pytest

from memory.words import assertion
from memory.words.languages import is_german
from memory.words.normalise import told

KEPT = [
    ("I'd come if I could, but I work Saturdays.", "I work Saturdays"),
    ("In case you're wondering, I got married in April.", "I got married in April"),
    ("The doctor says I have asthma.", "I have asthma"),
    ("I live in Porto, if you ask me.", "I live in Porto"),
    ("My sister lives in Ghent, and if I had her pay I would leave.", "My sister lives in Ghent"),
    ("I work at Bosch, but maybe I leave.", "I work at Bosch"),
    ("Tom lent me a drill and he says I'm clumsy.", "Tom lent me a drill"),
    (
        "I've put the clocks on summer time, but I'm not sure whether that's right.",
        "I've put the clocks on summer time",
    ),
    ("I have a cat and last night I dreamt she was a judge.", "I have a cat"),
]
NOTHING = [
    "I've got three nephews, well, two.",
    "Who in their right mind moves to Aberdeen.",
    "If you get Thursday off, I'll book the cabin.",
    "Sure, I'm made of money.",
    "Yeah, because I loved the last one.",
    "As long as the knee holds up, I run in October.",
    "According to Tom I snore.",
    "I'm considering a second degree.",
    "I almost bought a boat last year.",
    "I wish I had a garden.",
    "I had the weirdest dream, I was a conductor.",
    "The sign on his desk says I am allergic to Mondays.",
    "Repeat after me my name is Anna.",
    "Yeah right, I'm a morning person.",
    "I just love sitting in traffic for hours.",
    "Do you think I should take the job in Rotterdam",
    "How long have I worked here now",
    'He wrote "I am moving to Canada" on a napkin.',
]
ALL = [
    "I can check if the train is late.",
    "I read a book about dreams and it helped.",
    "My dream is to open a studio.",
    "I fixed the leaks that might come.",
    "We visited either side of the family, as planned.",
    "I love hiking in the Ardennes.",
    "I said goodbye to my desk.",
]


def asserted(text: str, speaker: str = "Ana") -> list[str]:
    return [piece.text.rstrip(".") for piece in told(text, (), speaker).pieces if piece.asserted and not piece.question]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_a_truth_beside_a_rumour_is_kept(text: str, kept: str) -> None:
    assert asserted(text) == [kept]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_meant_is_not_asserted(text: str) -> None:
    assert asserted(text) == []


@pytest.mark.parametrize("text", ALL)
def test_what_is_meant_is_asserted_whole(text: str) -> None:
    assert " ".join(asserted(text)) == text.rstrip(".")


def test_a_frame_holds_to_the_end_of_what_is_said() -> None:
    assert asserted("I work at Bosch. Picture this, I'm the mayor. I own a castle.") == ["I work at Bosch"]


def test_a_quotation_of_several_sentences_is_one() -> None:
    assert asserted('The card was odd: "Hello, I am Pedro. I am a baker. I like tennis." I live in Rome.') == [
        "I live in Rome"
    ]


@pytest.mark.parametrize(("speaker", "taken"), [("Priya", True), ("Veronica", False), ("Vero", False), ("user", False)])
def test_whoever_gives_another_name_plays(speaker: str, taken: bool) -> None:
    assert assertion.takes_another_name("My name is Veronica and I fly.", speaker) is taken


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("Ich wohne in Kassel.", True),
        ("meine schwester heißt katrin", True),
        ("I live in Kassel.", False),
        ("Ok.", False),
        ("The man was in Wien.", False),
        ("Hallo", False),
    ],
)
def test_german_is_known_by_its_commonest_words(text: str, german: bool) -> None:
    assert is_german(text) is german
    assert is_german(text, "en") is german, "a profile says en before anybody has set it"
