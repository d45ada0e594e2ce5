"""What the head of promises is taught of a world, and that it learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.extraction.promise_head import load_head
from bench.reading_worlds import ReadingWorld, reading_world
from memory.errors import Invalid
from training.promise_lessons import average_precision, lessons_of, noted
from training.promise_scores import promised
from training.promises import odds_of, taught_head, with_cuts
from training.talk import WORLDS

LINES = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: The tent leaks. I'll mend the tent on Sunday.
Bo: Right. I'll hold you to it.
Bo: Nice weather.
Ana: He says he'll bring the stove. Good man.
?? questions
? Who mends the tent? | 1.1 | Ana | fact
!! claims
! 1.1 | Ana | mends | the tent | on 2024-03-03 | promise (to Bo by 2024-03-03)
! 1.4 | Bo | brings | the stove | - | promise (to Ana)
! 1.2 | Bo | owes | nothing | - | promise (to Ana)"""


def _world() -> ReadingWorld:
    return reading_world("x-tent", LINES.splitlines())


def test_a_claim_is_laid_onto_the_sentence_of_its_words() -> None:
    first, mended, right, held, nice, said, good = lessons_of(_world(), {})
    assert [each.promise for each in (first, mended, right, held, nice)] == [False, True, False, False, False]
    assert [(each.promise, each.weight) for each in (said, good)] == [(False, 1.0)] * 2, "somebody else promised it"
    assert (right.weight, held.weight) == (0.0, 0.0), "no sentence shares a word with it"


def test_what_was_read_by_hand_adds_to_claims() -> None:
    notes = {("x-tent", "1.2", 1): True, ("x-tent", "1.3", 0): False}
    lessons = list(lessons_of(_world(), notes))
    assert (lessons[3].promise, lessons[3].weight, lessons[3].named) == (True, 1.0, False)
    assert lessons[4].weight == 0.0
    every, named, unsure = promised(_world(), notes)
    assert every == {("x-tent", "1.1"), ("x-tent", "1.2")}
    assert named == {("x-tent", "1.1")}
    assert unsure == {("x-tent", "1.3")}


def test_notes_name_sentences_that_there_are() -> None:
    notes = noted()
    worlds = {world for world, *_ in notes}
    assert all((WORLDS / f"{world}.txt").exists() for world in worlds)
    assert sum(notes.values()) > 250


def test_a_note_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("# head\n\nx-tent 1.1 one yes\n", encoding="utf-8")
    with pytest.raises(Invalid, match="line 3"):
        noted(path)


def test_average_precision_is_one_where_promises_lead() -> None:
    truth = np.array([True, False, True])
    assert average_precision(np.array([3.0, 1.0, 2.0]), truth) == 1.0
    assert average_precision(np.array([3.0, 2.0, 1.0]), truth) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(np.array([1.0]), np.array([False])) == 0.0


def test_a_head_learns_and_comes_back_from_its_file(tmp_path: Path) -> None:
    encoder = TaughtMiniLmEmbedder()
    promises = ("I'll bring the stove tomorrow", "I'll fix your bike on Sunday", "I'll send you the list tonight")
    others = ("The stove was hot", "Your bike is blue", "We had soup tonight", "It rained on Sunday")
    lines = [f"Ana: {each}" for each in (*promises, *others)]
    worlds = []
    for name in "pqrs":
        claims = [f"! 1.{n + 1} | Ana | will | {each} | - | promise (to Bo)" for n, each in enumerate(promises)]
        page = [LINES.splitlines()[0], "## 1 | 2024-03-02 19:10 | chat", *lines, "?? questions", "!! claims", *claims]
        worlds.append(reading_world(f"{name}-one", page))
    lessons = [each for world in worlds for each in lessons_of(world, {})]
    head = taught_head(lessons, encoder)
    odds = odds_of(head, lessons, encoder)
    truth = np.array([each.promise for each in lessons])
    assert average_precision(odds, truth) == 1.0
    head = with_cuts(head, odds, lessons)
    least = head.cut - abs(head.cut) * 1e-3  # what is parted cleanly has no bound to its slope
    assert ((odds_of(head, lessons, encoder) >= least) == truth).all()
    head.save(tmp_path / "head.npz")
    assert load_head(tmp_path / "head.npz").cut == head.cut
