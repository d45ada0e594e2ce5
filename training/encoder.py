"""Teach the encoder on invented worlds: from the package's weights to a file that the product loads.

    python -m training.encoder OUT [--epochs 3] [--held-out AUTHORS] [--seed 0] [--half]
    python -m training.encoder OUT --further --epochs 1

One step is one world: all its turns, each a negative for every question that it does not answer, and up to
MOST_QUESTIONS of its questions. The loss is listwise cross-entropy over the turns by late interaction (`scoring`), the
same by pooled vectors, and an anchor: pooled cosines stay near those of the untaught model, because rules read them.
Worlds of the authors held out are never taught; after each epoch they say what is learnt, and the epoch after which
most is found in them is the one that is exported. `--further` begins with the packaged encoder and teaches it everyday
talk: the small memories of `FOR_ENCODER` authors, and some worlds, lest it forget what they taught. What is exported
then keeps a part of the packaged weights (`KEPT`). OUT gets `taught.onnx`, `taught-int8.onnx`, and after each epoch
`state.pt`, from which the next call with the same options goes on.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bench.unseen_worlds import LEFT_OUT
from training.model import EncodedTexts, Student, export
from training.scoring import listwise, nearby
from training.talk import FOR_ENCODER, MEMORIES, UNTAUGHT, WORLDS, Lesson, lessons, split

RATE = 6e-5
WARM_UP = 0.08
"""The share of all steps in which the rate rises from nothing; then it falls in a straight line."""
DECAY = 0.01
MOST_NORM = 1.0
MOST_QUESTIONS = 36
"""Questions of a world in one step, drawn anew each time: their scores take as much memory as the turns."""
NEARBY_TEMPERATURE, POOLED_TEMPERATURE = 0.03, 0.05
POOLED_SHARE, ANCHOR_SHARE = 0.5, 5.0
FURTHER_RATE = 5e-5
REHEARSED = 25
"""Worlds that are taught once more beside the memories (chosen)."""
KEPT = 0.3
"""Share of the packaged encoder's weights that is kept in the exported ones. All new, it finds more in everyday talk
and two points less in long conversations; mixed, it loses next to nothing there (docs/reference/experiments.md;
Wortsman et al. 2022)."""
ANCHORED = 1 / 3
"""Share of the steps with an anchor where each lesson is taught once: what the untaught model says serves no other."""


@dataclass(frozen=True)
class RetrievalScores:
    """Percent, means over questions and then worlds."""

    recall_at_10: float
    mrr: float
    pooled_recall_at_10: float
    pooled_mrr: float

    def __str__(self) -> str:
        return (
            f"recall@10 {self.recall_at_10:.1f}, MRR {self.mrr:.1f};"
            f" by pooled vectors {self.pooled_recall_at_10:.1f}, {self.pooled_mrr:.1f}"
        )


class Teaching:
    """One run: the student, what it was before, and the order of the lessons."""

    def __init__(
        self, taught: Sequence[Lesson], epochs: int, seed: int, half: bool = False, further: bool = False
    ) -> None:
        torch.manual_seed(seed)
        self._draw = random.Random(seed)
        self._taught = list(taught)
        self._anchored = ANCHORED if further else 1.0
        self.student, self._before = Student(half=half, packaged=further), Student(dropout=0.0)
        self._before.bert.eval()
        self._anchors: dict[str, tuple[Tensor, Tensor]] = {}
        self.epoch = 0
        self.best: tuple[float, dict[str, Tensor]] | None = None
        """The most recall@10 that an epoch ended with, and its weights."""
        self._optimizer = torch.optim.AdamW(_groups(self.student), lr=FURTHER_RATE if further else RATE)
        steps = epochs * len(taught)
        self._rate = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: min((step + 1) / (WARM_UP * steps + 1), 1.0) * max(0.0, 1 - step / steps)
        )

    def teach(self) -> None:
        """One epoch over all lessons, in an order that is drawn."""
        self.student.bert.train()
        order = self._draw.sample(self._taught, len(self._taught))
        started, told = time.monotonic(), np.zeros(3)
        for number, lesson in enumerate(order, start=1):
            told += self._step(lesson)
            left = (time.monotonic() - started) / number * (len(order) - number)
            losses = "  ".join(f"{loss:.3f}" for loss in told / number)
            print(
                f"\repoch {self.epoch + 1}: {number} of {len(order)} worlds, {left / 60:.0f} min left, losses {losses}",
                end="",
                flush=True,
            )
        print()
        self.epoch += 1

    def _step(self, lesson: Lesson) -> list[float]:
        lines = lesson.lines(self._draw)
        chosen = self._draw.sample(range(len(lesson.questions)), min(len(lesson.questions), MOST_QUESTIONS))
        questions, gold = [lesson.questions[each] for each in chosen], [lesson.gold[each] for each in chosen]
        turns, asked = self.student.understand(lines), self.student.asked(questions)
        losses = [
            listwise(nearby(turns.pieces, asked.pieces, lesson.sources, lesson.lengths) / NEARBY_TEMPERATURE, gold),
            listwise(asked.pooled @ turns.pooled.T / POOLED_TEMPERATURE, gold) * POOLED_SHARE,
            self._moved(lesson, chosen, turns, asked) * ANCHOR_SHARE,
        ]
        self._optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.student.bert.parameters(), MOST_NORM)
        self._optimizer.step()
        self._rate.step()
        return [loss.item() for loss in losses]

    def _moved(self, lesson: Lesson, chosen: Sequence[int], turns: EncodedTexts, asked: EncodedTexts) -> Tensor:
        """How far pooled cosines are from those of the untaught model, squared; in a share of the steps."""
        if self._anchored < 1 and self._draw.random() >= self._anchored:
            return torch.zeros(())
        old_turns, old_asked = self._untaught(lesson)
        across = (asked.pooled @ turns.pooled.T - old_asked[list(chosen)] @ old_turns.T).pow(2).mean()
        among = (turns.pooled @ turns.pooled.T - old_turns @ old_turns.T).pow(2).mean()
        return (across + among) / self._anchored

    @torch.no_grad()
    def _untaught(self, lesson: Lesson) -> tuple[Tensor, Tensor]:
        """The pooled vectors of all turns and of all questions by the untaught model, made once."""
        if lesson.name not in self._anchors:
            turns, asked = self._before.understand(lesson.lines()), self._before.understand(lesson.questions)
            self._anchors[lesson.name] = turns.pooled, asked.pooled
        return self._anchors[lesson.name]

    def judged(self, left_out: Sequence[Lesson]) -> RetrievalScores:
        """What is found now, whose weights are kept if nothing better was found before."""
        found: RetrievalScores = judge(self.student, left_out)
        if self.best is None or found.recall_at_10 > self.best[0]:
            weights = {name: weight.clone() for name, weight in self.student.bert.state_dict().items()}
            self.best = found.recall_at_10, weights
        return found

    def take_best(self) -> None:
        """Put the best weights in the place of the last ones."""
        if self.best is not None:
            self.student.bert.load_state_dict(self.best[1])

    def keep(self, packaged: Student) -> None:
        """Mix the weights with those of the packaged encoder."""
        known = packaged.bert.state_dict()
        mixed = {name: KEPT * known[name] + (1 - KEPT) * new for name, new in self.student.bert.state_dict().items()}
        self.student.bert.load_state_dict(mixed)

    def state(self) -> dict[str, Any]:
        """All that the next epoch follows from."""
        return {
            "epoch": self.epoch,
            "best": self.best,
            "bert": self.student.bert.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "rate": self._rate.state_dict(),
            "draw": self._draw.getstate(),
            "torch": torch.get_rng_state(),
        }

    def go_on(self, state: dict[str, Any]) -> None:
        """Take up a run where `state` was taken."""
        self.epoch, self.best = state["epoch"], state["best"]
        self.student.bert.load_state_dict(state["bert"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._rate.load_state_dict(state["rate"])
        self._draw.setstate(state["draw"])
        torch.set_rng_state(state["torch"])


def _groups(student: Student) -> list[dict[str, Any]]:
    """What is learnt: all but the embeddings, for which the worlds are too few; norms and biases do not decay."""
    plain, undecayed = [], []
    for name, weight in student.bert.named_parameters():
        if "LayerNorm" in name or name.endswith("bias"):
            undecayed.append(weight)
        elif "embeddings" not in name:
            plain.append(weight)
        else:
            weight.requires_grad_(False)
    return [{"params": plain, "weight_decay": DECAY}, {"params": undecayed, "weight_decay": 0.0}]


@torch.no_grad()
def judge(student: Student, left_out: Sequence[Lesson]) -> RetrievalScores:
    """What the student finds in worlds it was not taught, by late interaction alone and by pooled vectors alone."""
    student.bert.eval()
    figures = []
    for lesson in left_out:
        turns, asked = student.understand(lesson.lines()), student.asked(lesson.questions)
        met = nearby(turns.pieces, asked.pieces, lesson.sources, lesson.lengths)
        figures.append([*_ranked(met, lesson.gold), *_ranked(asked.pooled @ turns.pooled.T, lesson.gold)])
    return RetrievalScores(*(100 * np.mean(figures, axis=0)))


def _ranked(scores: Tensor, gold: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Recall@10 and MRR."""
    places = (-scores).argsort(dim=1, stable=True).argsort(dim=1)
    recall = [(places[row, list(turns)] < 10).double().mean().item() for row, turns in enumerate(gold)]
    first = [1 / (1 + places[row, list(turns)].min().item()) for row, turns in enumerate(gold)]
    return float(np.mean(recall)), float(np.mean(first))


def further(taught: Sequence[Lesson], left_out: Sequence[Lesson], seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """What the packaged encoder is taught further, and what it is judged by: everyday talk beside worlds."""
    memories = lessons(MEMORIES)
    rehearsed = random.Random(seed).sample(list(taught), min(len(taught), REHEARSED))
    judging = [each for each in memories if each.author in UNTAUGHT]
    return [*(each for each in memories if each.author in FOR_ENCODER), *rehearsed], [*left_out, *judging]


def main() -> None:
    """Teach, judge and write."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--worlds", type=Path, default=WORLDS)
    arguments.add_argument("--epochs", type=int, default=3)
    arguments.add_argument("--held-out", default=",".join(LEFT_OUT), help="authors whose worlds are only tested on")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--further", action="store_true", help="go on from the packaged encoder, with memories")
    arguments.add_argument("--half", action="store_true", help="compute in bfloat16, where the processor has it")
    options = arguments.parse_args()
    taught, left_out = split(lessons(options.worlds), options.held_out.split(","))
    if options.further:
        taught, left_out = further(taught, left_out, options.seed)
    print(f"{len(taught)} worlds are taught, {len(left_out)} left out")
    teaching = Teaching(taught, options.epochs, options.seed, options.half, options.further)
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "state.pt"
    if kept.exists():
        teaching.go_on(torch.load(kept, weights_only=False))
    print(f"after {teaching.epoch} epochs: {judge(teaching.student, left_out)}")
    while teaching.epoch < options.epochs:
        teaching.teach()
        print(f"after {teaching.epoch} epochs: {teaching.judged(left_out)}")
        torch.save(teaching.state(), kept)
    teaching.take_best()
    if options.further:
        teaching.keep(Student(packaged=True))
    export(teaching.student, options.out / "taught.onnx")


if __name__ == "__main__":
    main()
