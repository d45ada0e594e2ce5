"""Teach a reader: which sentences of talk hold something to keep, of whom it is, and which of the rules' claims hold.

    python -m training.reader OUT [--epochs 4] [--heads 0] [--frozen] [--half] [--share 100] [--seed 0]

Starts from the packaged encoder, whose layers learn along unless they are frozen, and teaches small heads upon it
(`training.reader_model`). Worlds of the authors in `bench.reading_worlds.SEALED` and `CHOSEN_ON` are never taught; the
second tell after each epoch how well it goes. Writes OUT/heads.npz, and OUT/reader.onnx where layers were taught.
An interrupted run goes on where its last epoch ended. One seed gives the same weights on the same machine. The
packaged reader saw some of its worlds in later epochs alone (docs/reference/reader-card.md).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from bench.reading_worlds import CHOSEN_ON, SEALED, ReadingWorld, reading_worlds
from training.reader_model import ReaderNet, SessionLesson, SessionTold, figures, save
from training.reader_sessions import sessions_of
from training.talk import WORLDS

TOGETHER = 2
"""Sessions a step: about 35 turns."""
RATE, HEADS_RATE = 4e-5, 1e-3
"""Steps of AdamW: of the encoder (as in `training.encoder`) and of the heads (chosen among 3e-4, 1e-3, 3e-3)."""
DECAY = 0.05
WARM_UP = 0.08
TRAP, KIND, WHO, VOTE = 0.5, 0.3, 0.5, 0.5
"""Weights of the losses beside that of keeping (chosen)."""


class Lessons:
    """A run: the net, its optimiser, and how far it has come."""

    def __init__(self, taught: Sequence[SessionLesson], epochs: int, seed: int, *, frozen: bool, half: bool) -> None:
        torch.manual_seed(seed)
        self._draw = random.Random(seed)
        self.net = ReaderNet(frozen=frozen, half=half)
        self.net.settle([each for each in taught if self._draw.random() < 0.2] or list(taught))
        self._taught, self._steps = list(taught), max(1, -(-len(taught) // TOGETHER))
        groups = [{"params": list(self.net.heads()), "lr": HEADS_RATE}]
        if not frozen:
            groups.append({"params": list(self.net.layers()), "lr": RATE})
        self._optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
        total = epochs * self._steps
        self._rate = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: min(step / max(1, WARM_UP * total), max(0.0, 1 - step / total))
        )
        self.epoch = 0

    def teach(self) -> None:
        """One epoch over all sessions, in an order that is drawn."""
        self.net.train()
        order = list(range(len(self._taught)))
        self._draw.shuffle(order)
        began, sums = time.monotonic(), 0.0
        for number, start in enumerate(range(0, len(order), TOGETHER), 1):
            part = [self._taught[each] for each in order[start : start + TOGETHER]]
            loss = torch.stack([_loss(each, self.net(each)) for each in part]).mean()
            self._optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self._optimizer.step()
            self._rate.step()
            sums += float(loss.detach())
            if number % 50 == 0 or number == self._steps:
                spent = time.monotonic() - began
                print(
                    f"epoch {self.epoch + 1}, step {number} of {self._steps}: {sums / number:.3f}, {spent:.0f} s",
                    flush=True,
                )
        self.epoch += 1

    def polish(self, epochs: int) -> None:
        """Teach the heads alone for some epochs more, at a rate that falls to nothing: the encoder stays as it is."""
        self.net.eval()
        with torch.no_grad():
            known = [self.net.features(each) for each in self._taught]
        optimizer = torch.optim.AdamW(self.net.heads(), HEADS_RATE, weight_decay=DECAY)
        total = epochs * self._steps
        rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / total))
        self.net.train()
        for epoch in range(epochs):
            order = list(range(len(known)))
            self._draw.shuffle(order)
            sums = 0.0
            for start in range(0, len(order), TOGETHER):
                part = order[start : start + TOGETHER]
                told = [(self._taught[each], self.net.thought(self._taught[each], known[each])) for each in part]
                loss = torch.stack([_loss(*each) for each in told]).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                rate.step()
                sums += float(loss.detach())
            print(f"heads, epoch {epoch + 1} of {epochs}: {sums / self._steps:.3f}", flush=True)

    def state(self) -> dict[str, Any]:
        """All that the next epoch follows from."""
        return {
            "epoch": self.epoch,
            "net": self.net.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "rate": self._rate.state_dict(),
            "draw": self._draw.getstate(),
            "torch": torch.get_rng_state(),
        }

    def go_on(self, state: dict[str, Any]) -> None:
        """Take up a run where `state` was taken."""
        self.epoch = state["epoch"]
        self.net.load_state_dict(state["net"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._rate.load_state_dict(state["rate"])
        self._draw.setstate(state["draw"])
        torch.set_rng_state(state["torch"])


def _loss(lesson: SessionLesson, told: SessionTold) -> torch.Tensor:
    """The sum of what each head is wrong by."""
    held = lesson.kinds > 0
    keep = F.binary_cross_entropy_with_logits(told.keep, held.float(), reduction="none")
    loss = (keep * lesson.weights).mean()
    loss = loss + TRAP * F.binary_cross_entropy_with_logits(told.trap, (lesson.moods > 0).float())
    if held.any():
        loss = loss + KIND * F.cross_entropy(told.kind[held], lesson.kinds[held] - 1)
    if len(lesson.meant):
        each = [F.cross_entropy(row[None], right[None]) for row, right in zip(told.who, lesson.meant, strict=True)]
        loss = loss + WHO * torch.stack(each).mean()
    if len(lesson.verdicts):
        loss = loss + VOTE * F.cross_entropy(told.votes, lesson.verdicts)
    return loss


def share_of(worlds: Sequence[ReadingWorld], percent: int) -> list[ReadingWorld]:
    """So much of the worlds, drawn alike every time; a smaller share is a part of every larger one."""
    order = np.random.default_rng(0).permutation(len(worlds))
    chosen = set(order[: max(1, round(len(worlds) * percent / 100))].tolist())
    return [each for place, each in enumerate(worlds) if place in chosen]


def main() -> None:
    """Teach, judge and write."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--worlds", type=Path, default=WORLDS)
    arguments.add_argument("--epochs", type=int, default=4, help="of encoder and heads together")
    arguments.add_argument("--heads", type=int, default=0, help="epochs of the heads alone, afterwards")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--share", type=int, default=100, help="percent of the worlds that are taught")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--half", action="store_true", help="compute in bfloat16, where the processor has it")
    arguments.add_argument("--frozen", action="store_true", help="teach the heads alone")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    worlds = [each for each in reading_worlds(options.worlds) if each.author not in SEALED]
    taught = share_of([each for each in worlds if each.author not in CHOSEN_ON], options.share)
    judged = [each for each in worlds if each.author in CHOSEN_ON]
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"{len(taught)} worlds are taught, {len(judged)} judge", flush=True)
    run = Lessons(list(sessions_of(taught)), options.epochs, options.seed, frozen=options.frozen, half=options.half)
    test, kept = list(sessions_of(judged)), options.out / "state.pt"
    if kept.exists():
        run.go_on(torch.load(kept, weights_only=False))
    while run.epoch < options.epochs:
        run.teach()
        print(f"after {run.epoch} epochs: {figures(run.net, test)}", flush=True)
        torch.save(run.state(), kept)
    if options.heads:
        run.polish(options.heads)
        print(f"after the heads: {figures(run.net, test)}", flush=True)
    save(run.net, options.out)


if __name__ == "__main__":
    main()
