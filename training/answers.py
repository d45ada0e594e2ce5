"""Teach what answers a question: `memory.retrieval.verdicts`, on the results that the product finds in invented worlds.

    python -m training.answers OUT [--epochs N] [--rate R] [--seed 0] [--share 1.0] [--cache FOLDER] [--from WEIGHTS]
        [--further] [--sealed]

All that is looked at is there without encoding anything anew: pieces and vectors of question and turns, and signs. The
loss is cross-entropy over the results and "none of these", the mass on all evidence together, and for each result the
odds of being evidence. Taught are `training/worlds` and `training/memories`, but what `JUDGES` and `SEALED` authors
wrote: the judges say here what is learnt. With `--sealed`, once all has been chosen, those of them who are not
`UNTAUGHT` are taught as well, sealed and untaught ones say what that is worth, and OUT gets `verdicts.npz`. With
`--from` it goes on from weights that were taught before. For an encoder that was taught further (`training.encoder
--further`), `--further` leaves out what it was taught.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from bench.fit_silence import auc
from memory.retrieval.verdicts import JUDGED
from training.answer_cases import UNANSWERABLE, AnswerCase, cases
from training.talk import FOR_ENCODER, MEMORIES, UNTAUGHT, WORLDS
from training.verdict_model import VerdictModel, batch_of, loss_of, take_up, weights_of

JUDGES = ("i", "j", "k", "ne", "nh", *UNTAUGHT)
"""Authors whose worlds and memories say what is learnt, while it is chosen what is taught and how."""
SEALED = ("s", "z", "aa", "hh", "mm", "nb", "nl")
BATCH = 32
TOLD_EVERY = 200
"""Steps after which it says how far it is."""
RATE, DECAY, MOST_NORM = 2e-3, 1e-2, 1.0
TWICE = 2
"""Times that a memory is met in an epoch, where a world is met once: nothing of them was taught to the encoder, so they
show how well it meets what is new to it. Met once, the first result is right of 50.6 % of the judges' questions, met
twice of 54.3."""
TAKEN = 0.5
"""Share of the questions that are asked with their evidence taken out, drawn anew each time."""


@dataclass(frozen=True)
class TeachingPlan:
    """How long and how fast it is taught, from which draw on, and from which weights (None: from nothing)."""

    epochs: int = 4
    rate: float = RATE
    seed: int = 0
    begun: Path | None = None


def taught(some: Sequence[AnswerCase], how: TeachingPlan) -> VerdictModel:
    """A model taught on these."""
    torch.manual_seed(how.seed)
    draw, pairs = random.Random(how.seed), paired(some)
    signs = np.concatenate([each.seen.signs for each in some])
    spread = np.maximum(signs.std(axis=0), 1e-3)
    model = VerdictModel(signs.shape[1], torch.tensor(signs.mean(axis=0)), torch.tensor(spread))
    if how.begun is not None:
        take_up(model, how.begun)
    steps, losses = how.epochs * -(-len(pairs) // BATCH), list[float]()
    optimiser = torch.optim.AdamW(model.parameters(), lr=how.rate, weight_decay=DECAY)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, how.rate, total_steps=steps, pct_start=0.1)
    for _ in range(how.epochs):
        draw.shuffle(pairs)
        for start in range(0, len(pairs), BATCH):
            drawn = [pair[len(pair) > 1 and draw.random() < TAKEN] for pair in pairs[start : start + BATCH]]
            batch = batch_of(drawn)
            loss = loss_of(model(batch), batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), MOST_NORM)
            optimiser.step()
            rates.step()
            losses.append(loss.item())
            if not len(losses) % TOLD_EVERY:
                print(f"step {len(losses)} of {steps}: loss {np.mean(losses[-TOLD_EVERY:]):.3f}", flush=True)
    model.eval()
    return model


def paired(some: Sequence[AnswerCase]) -> list[tuple[AnswerCase, ...]]:
    """Each question as it was asked, with the same question without its evidence where there is one."""
    pairs: list[tuple[AnswerCase, ...]] = []
    for each in some:
        if each.taken:
            pairs[-1] = (*pairs[-1], each)
        else:
            pairs.append((each,))
    return pairs


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """A case, and what a model says of it."""

    case: AnswerCase
    odds: NDArray[np.float32]

    @property
    def answered(self) -> float:
        """Log-odds that any of the results answers."""
        return float(np.logaddexp.reduce(self.odds))

    @property
    def first(self) -> tuple[bool, bool]:
        """Whether the first result is evidence, as the product finds them and as the model orders them."""
        return bool(self.case.gold[0]), bool(self.case.gold[self.odds.argmax()])


def judged(model: VerdictModel, some: Sequence[AnswerCase]) -> list[JudgedCase]:
    """What a model says of each."""
    found = list[JudgedCase]()
    with torch.no_grad():
        for start in range(0, len(some), BATCH):
            part = some[start : start + BATCH]
            odds = model(batch_of(part)).numpy()
            found += [JudgedCase(each, row[: len(each.gold)]) for each, row in zip(part, odds, strict=True)]
    return found


def told(name: str, found: Sequence[JudgedCase]) -> str:
    """One row: how many, first results right, AUC of answerable (written; taken out), of results, and at the bounds."""
    asked = [each for each in found if each.case.answerable]
    without = [each.answered for each in found if each.case.category == UNANSWERABLE]
    taken = [each.answered for each in found if each.case.taken]
    sure, right = _of(asked, lambda each: each.answered), [each for each in asked if each.first[1]]
    before = [each.case.sureness for each in found if each.case.category == UNANSWERABLE]
    gold = np.concatenate([each.case.gold for each in asked])
    pairs = [(each.odds, each.case.seen.signs[:, 0]) for each in asked]
    odds, share = (np.concatenate(rows) for rows in zip(*pairs, strict=True))
    figures = {
        "first right": f"{_mean(each.first[0] for each in asked)} -> {_mean(each.first[1] for each in asked)}",
        "of found": f"{_mean(each.case.gold.any() for each in asked)}",
        "AUC result": f"{_auc(share[gold], share[~gold])} -> {_auc(odds[gold], odds[~gold])}",
        "AUC answerable": f"{_auc(_of(asked, lambda each: each.case.sureness), before)} -> {_auc(sure, without)}",
        "evidence taken": _auc(sure, taken),
    }
    for refused in (0.05, 0.1, 0.2, 0.3) if right else ():
        bound = np.quantile(_of(right, lambda each: each.answered), refused)
        wrong = [each.answered < bound for each in asked if not each.first[1]]
        figures[f"below {bound:.2f} of right, wrong firsts, without"] = (
            f"{100 * refused:.0f}, {_mean(wrong)}, {_mean(each < bound for each in without)}"
        )
    return f"{name} {len(asked)}/{len(without)}: " + "; ".join(f"{key} {value}" for key, value in figures.items())


def _of(found: Sequence[JudgedCase], what: Callable[[JudgedCase], float]) -> NDArray[np.float64]:
    return np.array([max(what(each), -99.0) for each in found])


def _mean(values: Iterable[object]) -> str:
    held = [bool(each) for each in values]
    return f"{100 * np.mean(held):.1f}" if held else "-"


def _auc(higher: NDArray[np.floating], lower: Sequence[float] | NDArray[np.floating]) -> str:
    return f"{100 * auc(np.asarray(higher), np.maximum(np.asarray(lower), -99.0)):.1f}" if len(lower) else "-"


def report(name: str, found: Sequence[JudgedCase]) -> None:
    """All, by author, by kind of world, by kind of question."""
    print(told(name, found))
    for of in (lambda each: each.case.author, lambda each: each.case.world, lambda each: each.case.category):
        for kind in sorted({of(each) for each in found} - {UNANSWERABLE}):
            print("  " + told(kind, [each for each in found if of(each) in (kind, UNANSWERABLE)]))


def main() -> None:
    """Read, teach, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--epochs", type=int, default=TeachingPlan.epochs)
    arguments.add_argument("--rate", type=float, default=TeachingPlan.rate, help="the highest")
    arguments.add_argument("--seed", type=int, default=TeachingPlan.seed)
    arguments.add_argument("--from", dest="begun", type=Path, help="verdicts.npz of before")
    arguments.add_argument("--share", type=float, default=1.0, help="of the worlds to teach, for the curve")
    arguments.add_argument("--results", type=int, default=JUDGED)
    arguments.add_argument("--cache", type=Path, default=Path(gettempdir()) / "memoray-vectors")
    arguments.add_argument("--further", action="store_true", help="the encoder was taught further")
    arguments.add_argument("--sealed", action="store_true")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    begun = time.monotonic()
    without = FOR_ENCODER if options.further else ()
    worlds, memories = (
        cases(of, options.cache, options.out / "cases", options.results, without) for of in (WORLDS, MEMORIES)
    )
    asked = (*SEALED, *UNTAUGHT) if options.sealed else JUDGES
    hidden = {*SEALED, *asked}
    names = sorted({each.name for each in (*worlds, *memories) if each.author not in hidden})
    random.Random(options.seed).shuffle(names)
    drawn = set(names[: round(options.share * len(names))])
    lessons = [each for each in (*worlds, *TWICE * memories) if each.name in drawn]
    tested = [[each for each in part if each.author in asked] for part in (worlds, memories)]
    del worlds, memories
    print(f"{len(drawn)} worlds, {len(lessons)} cases read, {time.monotonic() - begun:.0f} s", flush=True)
    model = taught(lessons, TeachingPlan(options.epochs, options.rate, options.seed, options.begun))
    print(f"taught after {time.monotonic() - begun:.0f} s", flush=True)
    if options.sealed:
        np.savez(
            options.out / "verdicts.npz", **{k: v.astype(np.float16) for k, v in asdict(weights_of(model)).items()}
        )
    for name, part in zip(("worlds", "memories"), tested, strict=True):
        report(name, judged(model, part))


if __name__ == "__main__":
    main()
