"""What is taught is what the product computes, and taking evidence out leaves none of it in sight."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from bench.fit_fusion import CachedEncoder
from bench.unseen_worlds import world
from memory.retrieval.verdicts import verdicts
from tests.unit.retrieval.test_verdicts import DIMENSIONS, SIGNS, seen_of, talk

torch = pytest.importorskip("torch", reason="teaching needs PyTorch: pip install --group training")
taught = pytest.importorskip("training.verdict_model")
lessons = pytest.importorskip("training.answer_cases")


def answer_case(best: list[int], gold: list[bool], counts: tuple[int, ...]):
    seen = seen_of(talk(counts=counts), best)
    bits, none = np.packbits(seen.turns > 0, axis=1), np.zeros((0, DIMENSIONS), np.float32)
    return lessons.AnswerCase(
        "w", "a", "friends", "fact", replace(seen, turns=none), bits, np.array(gold), 1, 0.0, taken=False
    )


def test_the_model_says_what_the_product_says_of_its_weights() -> None:
    torch.manual_seed(3)
    cases = [answer_case([2, 0, 3], [True, False, False], (3, 2, 4, 1)), answer_case([1], [False], (2, 0, 6, 1))]
    mean, spread = np.zeros(SIGNS, np.float32), np.ones(SIGNS, np.float32)
    model = taught.VerdictModel(SIGNS, torch.tensor(mean), torch.tensor(spread), DIMENSIONS).eval()
    for each in model.parameters():
        torch.nn.init.normal_(each, std=0.3)
    batch = taught.batch_of(cases)
    odds = model(batch).detach().numpy()
    for row, case in zip(odds, cases, strict=True):
        told = verdicts(replace(case.seen, turns=lessons.pieces_of(case)), taught.weights_of(model))
        assert row[: len(case.gold)].tolist() == pytest.approx(told.each.tolist(), abs=0.05, rel=0.01)
    assert (odds[1, 1:] < -1e8).all()
    assert taught.loss_of(model(batch), batch).item() > 0


def test_a_question_is_asked_once_more_without_its_evidence(tmp_path) -> None:
    said = [f"Ana: the {word} stood on the {place}" for word in ("lamp", "kettle") for place in ("shelf", "stove")]
    lines = [
        "# world: w | kind: friends | language: en | people: Ana (she, owner), Bo (he)",
        "## 1 | 2024-03-02 19:10 | chat",
    ]
    lines += [
        *said,
        "?? questions",
        "? Where is the kettle? | 1.4 | stove | fact",
        "? Where is Bo? | - | - | unanswerable",
    ]
    told = list(lessons.asked_of(world("a-w", lines), CachedEncoder(tmp_path, "taught")))
    assert [(each.category, each.taken, each.answerable) for each in told] == [
        ("fact", False, True),
        ("fact", True, False),
        ("abstention", False, False),
    ]
    whole, without, _ = told
    assert (len(whole.gold), whole.gold.sum()) == (4, 1)
    assert (len(without.gold), without.gold.sum()) == (3, 0)
    assert (without.seen.starts[1:] > without.seen.starts[:-1]).sum() == 3


def test_a_model_goes_on_from_what_was_taught_before(tmp_path) -> None:
    torch.manual_seed(5)
    signs = (torch.full((SIGNS,), 0.25), torch.full((SIGNS,), 2.0))
    before = taught.VerdictModel(SIGNS, *signs, DIMENSIONS).eval()
    for each in before.parameters():
        torch.nn.init.normal_(each, std=0.3)
    kept = asdict(taught.weights_of(before))
    np.savez(tmp_path / "verdicts.npz", **{name: each.astype(np.float16) for name, each in kept.items()})
    model = taught.VerdictModel(SIGNS, torch.zeros(SIGNS), torch.ones(SIGNS), DIMENSIONS).eval()
    taught.take_up(model, tmp_path / "verdicts.npz")
    after = asdict(taught.weights_of(model))
    assert {name: each.tolist() for name, each in after.items()} == {name: each.tolist() for name, each in kept.items()}
