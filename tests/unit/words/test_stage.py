"""Which frames a sentence opens, closes or takes back, and how long each holds."""

from __future__ import annotations

import pytest

from memory.words import stage
from memory.words.normalise import told

OPENS = [
    ("I had the strangest dream about a lighthouse.", "dream"),
    ("I kept dreaming that the boat sank.", "dream"),
    ("Let's say I own a bakery.", "supposing"),
    ("In this game I'm the doctor.", "play"),
    ("Ladies and gentlemen, I have crossed the desert.", "play"),
    ("I'm secretly a walrus.", "play"),
    ("Dear Sir, I am writing about the noise.", "page"),
    ("The poster says I am forty.", "page"),
]
OPENS_NOTHING = [
    "My dream is to open a studio.",
    "I bought our dream house.",
    "I'm a dog person.",
    "I'm playing a gig in the park.",
    "I can imagine it was hard.",
    "I play the violin.",
]
CUES = [
    ("What did you dream?", "dream"),
    ("You be the customer.", "play"),
    ("What does the letter say?", "page"),
    ("What would you do with the money?", "supposing"),
    ("You keep any hens?", ""),
    ("You're a true comfort to me.", ""),
    ("Would you like to come?", ""),
]


@pytest.mark.parametrize(("sentence", "kind"), OPENS)
def test_a_frame_is_known_by_its_kind(sentence: str, kind: str) -> None:
    assert stage.opens(sentence) == kind


@pytest.mark.parametrize("sentence", OPENS_NOTHING)
def test_what_opens_no_frame(sentence: str) -> None:
    assert stage.opens(sentence) == ""


@pytest.mark.parametrize(("sentence", "kind"), CUES)
def test_a_question_can_put_its_answer_under_a_frame(sentence: str, kind: str) -> None:
    assert stage.cues(sentence) == kind


def test_a_dream_lasts_one_more_turn_of_its_teller_and_binds_nobody_else() -> None:
    opened = stage.after_turn(stage.Stage(), "Ana", "dream", opened=True)
    assert opened.binds("Ana")
    assert not opened.binds("Ben")
    assert not stage.after_turn(opened, "Ana", "dream", opened=False).kind


def test_a_game_binds_everybody_for_three_turns() -> None:
    game = stage.after_turn(stage.Stage(), "Ana", "play", opened=True)
    bound = []
    for speaker in ("Ben", "Ana", "Ben", "Ana"):
        bound.append(game.binds(speaker))
        game = stage.after_turn(game, speaker, game.kind, opened=False)
    assert bound == [True, True, True, False]


def test_a_turn_that_leaves_a_frame_ends_it() -> None:
    game = stage.after_turn(stage.Stage(), "Ana", "play", opened=True)
    assert stage.after_turn(game, "Ben", "", opened=False) == stage.Stage()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I was a pilot. I crashed. Then I woke up.", []),
        ("I had a dream I was a king. I owned a fleet. Anyway, I moved to Ghent.", ["I moved to Ghent."]),
        ("I work at Bosch. No wait, I left.", ["No wait, I left."]),
        ("My flight is on the sixth. Sixth?", []),
        ("I live in Ghent. I love it.", ["I live in Ghent.", "I love it."]),
    ],
)
def test_what_is_taken_back_is_not_asserted(text: str, kept: list[str]) -> None:
    assert [piece.text for piece in told(text).pieces if piece.asserted and not piece.question] == kept


def test_a_turn_begins_in_the_frame_it_is_given() -> None:
    assert not told("I own a ship.", frame="play").pieces[0].asserted
    assert told("I own a ship.", frame="play").frame == "play"
    assert told("Jokes aside, I own a ship.", frame="play").frame == ""


def test_a_frame_outlasts_what_those_say_whom_it_does_not_bind() -> None:
    dreaming = stage.after_turn(stage.Stage(), "Ann", "dream", opened=True)
    assert dreaming.binds("Ann")
    assert stage.after_turn(dreaming, "Ben", "", opened=False) == dreaming
    assert stage.after_turn(dreaming, "Ann", "", opened=False) == stage.Stage()
