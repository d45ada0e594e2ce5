"""A reader is taught: its features are those of the product, and a tiny run learns, repeats itself and is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the dependencies of training are not installed")
pytest.importorskip("transformers", reason="the dependencies of training are not installed")

from adapters.embedding.minilm import ReadPieces  # noqa: E402
from adapters.extraction.taught_features import ReadTurn, beside, context, line_of, seen  # noqa: E402
from adapters.extraction.taught_heads import load  # noqa: E402
from bench.reading_worlds import reading_world  # noqa: E402
from training.reader import Lessons, share_of  # noqa: E402
from training.reader_model import figures, save  # noqa: E402
from training.reader_sessions import sessions_of, tokenizer  # noqa: E402
from training.reading_lessons import lessons_of, meant  # noqa: E402

WORLD = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: Good evening, Bo. I moved to Porto in March. My brother keeps bees.
Bo: Lucky you. I own a castle, obviously.
Ana: I live with Theresa now, she is a nurse.
?? questions
!! claims
! 1.1 | Ana | moved_to | Porto | on 2024-03 | change
! 1.1 | Ana's brother | keeps | bees | - | state
! 1.3 | Theresa | is | a nurse | - | state
x 1.2 | Bo owns a castle | joke""".splitlines()


@pytest.fixture(scope="module")
def lessons():
    return list(sessions_of([reading_world("x-tent", WORLD)]))


def test_what_is_pooled_with_gradients_is_what_the_product_pools(lessons):
    net = Lessons(lessons, 1, 0, frozen=True, half=False).net.eval()
    (session,), (told,) = reading_world("x-tent", WORLD).sessions, lessons_of(reading_world("x-tent", WORLD))
    with torch.no_grad():
        pieces = net.pieces(lessons[0]).numpy()
        sentences, people, _, _ = net.features(lessons[0])
    turns, first = [], 0
    for utterance in session:
        line, shift = line_of(utterance)
        spans = np.array(tokenizer().encode(line).offsets, np.int64)
        spans = spans[spans[:, 1] > spans[:, 0]]
        turns.append(ReadTurn(utterance, ReadPieces(spans, pieces[first : first + len(spans)]), shift))
        first += len(spans)
    around, row = context(turns), 0
    for lesson, taught in zip(told, sentences.numpy(), strict=True):
        own = seen(turns[lesson.turn], around[lesson.turn], lesson.span)
        assert own == pytest.approx(taught, abs=1e-4)
        for person in meant(turns, lesson)[0] if lesson.subjects else ():
            assert beside(turns, lesson.turn, lesson.span, person, own) == pytest.approx(people[row].numpy(), abs=1e-4)
            row += 1
    assert row == len(people)


def test_a_run_learns_repeats_itself_and_goes_on(lessons, tmp_path: Path):
    one = Lessons(lessons * 4, 6, 3, frozen=True, half=False)
    before = figures(one.net, lessons)
    for _ in range(6):
        one.teach()
    assert figures(one.net, lessons).keep > before.keep
    other = Lessons(lessons * 4, 6, 3, frozen=True, half=False)
    for _ in range(3):
        other.teach()
    kept = other.state()
    resumed = Lessons(lessons * 4, 6, 3, frozen=True, half=False)
    resumed.go_on(kept)
    for _ in range(3):
        resumed.teach()
    for mine, theirs in zip(one.net.heads(), resumed.net.heads(), strict=True):
        assert torch.equal(mine, theirs)
    one.polish(1)
    save(one.net, tmp_path)
    rows = torch.randn(2, one.net.sentence.mean.shape[0])
    with torch.no_grad():
        expected = one.net.sentence(rows).numpy()
    assert load(tmp_path / "heads.npz").sentence.logits(rows.numpy()) == pytest.approx(expected, abs=1e-4)


def test_a_smaller_share_is_a_part_of_a_larger_one():
    worlds = [reading_world(f"x-{number}", WORLD) for number in range(8)]
    quarter, half = ({each.name for each in share_of(worlds, percent)} for percent in (25, 50))
    assert (len(quarter), len(half)) == (2, 4)
    assert quarter < half
