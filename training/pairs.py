"""Teach the model that reads two texts together: what a later statement is to an earlier one, and what answers.

    python -m training.pairs OUT [--epochs 1] [--half] [--seed 0]

Starts from the packaged encoder. First it is taught on worlds: questions beside turns, claims beside turns. Then on the
pairs of statements in `training/pairs`, among a part of the former and among pairs as memories of worlds meet them.
Authors in `bench.reading_worlds.SEALED` and `CHOSEN_ON` are left out of all; the second tell how well it goes, and
where the cuts are. Writes OUT/pairs.onnx. An interrupted run goes on where its first part ended.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.judging.pair_encoder import RELATIONS
from bench.fit_silence import auc
from bench.reading_worlds import CHOSEN_ON, SEALED, reading_worlds
from training.pair_lessons import NEAREST, TASKS, PairLesson, of_claims, of_questions, written
from training.pair_model import TOGETHER, PairNet, export, loss_of
from training.pair_negatives import met
from training.talk import WORLDS, Lesson, lessons

RATE, HEADS_RATE, DECAY, WARM_UP = 5e-5, 5e-4, 0.02, 0.06
FINE_RATE = 4e-5
FINE_EPOCHS = 4
TOLD = 0.8
"""The chance from which a relation counts as told, where the figures say of how many pairs it is."""
AMONG, MET = 0.25, 1.2
"""Lessons of the first part, and pairs as memories meet them, for each written pair of the last part."""


def steps(
    net: PairNet, taught: Sequence[Sequence[PairLesson]], rate: float, weights: dict[str, float], tell: str
) -> None:
    """Teach parts, each a list of batches in its order, with one rate that rises and falls."""
    total = len(taught)
    parts: tuple[list[torch.nn.Parameter], list[torch.nn.Parameter]] = ([], [])
    for name, each in net.named_parameters():
        parts[not name.startswith("bert")].append(each)
    groups = [{"params": part, "lr": speed} for part, speed in zip(parts, (rate, HEADS_RATE), strict=True)]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (WARM_UP * total + 1), 1.0) * max(0.0, 1 - step / total)
    )
    net.train()
    began, sums = time.monotonic(), 0.0
    for number, batch in enumerate(taught, 1):
        loss = loss_of(net, batch, weights)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        falling.step()
        sums += float(loss.detach())
        if number % 50 == 0 or number == total:
            print(
                f"{tell}: step {number} of {total}, {sums / number:.3f}, {time.monotonic() - began:.0f} s", flush=True
            )


def batches(taught: Sequence[PairLesson], draw: random.Random) -> list[list[PairLesson]]:
    """In an order that is drawn, with pairs of like length together."""
    order = list(taught)
    draw.shuffle(order)
    found: list[list[PairLesson]] = []
    for start in range(0, len(order), 16 * TOGETHER):
        part = sorted(order[start : start + 16 * TOGETHER], key=lambda each: len(each.first) + len(each.second))
        found += [part[place : place + TOGETHER] for place in range(0, len(part), TOGETHER)]
    draw.shuffle(found)
    return found


def likely(lesson: Lesson, encoder: TaughtMiniLmEmbedder) -> list[list[int]]:
    """Of each question the turns nearest to it by pooled vectors."""
    near = encoder.embed(list(lesson.questions)) @ encoder.embed(lesson.lines()).T
    found: list[list[int]] = np.argsort(-near, axis=1)[:, : 4 * NEAREST].tolist()
    return found


@torch.no_grad()
def scored(net: PairNet, test: Sequence[PairLesson]) -> dict[str, np.ndarray]:
    """Logits of each task."""
    net.eval()
    rows: list[tuple[np.ndarray, ...]] = []
    for start in range(0, len(test), 64):
        told = net.told([(each.first, each.second) for each in test[start : start + 64]])
        rows.append(tuple(each.numpy() for each in told))
    return {task: np.concatenate([row[place] for row in rows]) for place, task in enumerate(TASKS)}


def figures(net: PairNet, test: Sequence[PairLesson]) -> str:
    """How well each task goes: areas under the curve, and of relations the share that is right."""
    told, said = scored(net, test), []
    for task in TASKS:
        rows = [place for place, each in enumerate(test) if each.task == task]
        labels = np.array([test[place].label for place in rows])
        if not rows:
            continue
        logits = told[task][rows]
        if task == "relation":
            said.append(f"relation right {np.mean(logits.argmax(1) == labels):.3f}")
            for place, name in enumerate(RELATIONS):
                chance = logits[:, place] - np.log(np.exp(np.delete(logits, place, 1)).sum(1))
                said.append(f"{name} {auc(chance[labels == place], chance[labels != place]):.3f}")
        else:
            said.append(f"{task} {auc(logits[labels == 1], logits[labels == 0]):.3f}")
    return ", ".join(said)


def of_worlds(draw: random.Random) -> tuple[list[PairLesson], list[PairLesson]]:
    """What is taught of worlds, and what judges."""
    encoder, parts = TaughtMiniLmEmbedder(), (list[PairLesson](), list[PairLesson]())
    for lesson in lessons(WORLDS):
        if lesson.author not in SEALED:
            parts[lesson.author in CHOSEN_ON].extend(of_questions(lesson, likely(lesson, encoder), draw))
    for world in reading_worlds(WORLDS):
        if world.author not in SEALED:
            parts[world.author in CHOSEN_ON].extend(of_claims(world, draw))
    return parts


def of_statements(
    taught: Sequence[PairLesson], unrelated: Sequence[PairLesson], draw: random.Random
) -> tuple[list[list[PairLesson]], list[PairLesson]]:
    """The batches of all epochs over the written pairs, among others; and the written pairs that judge."""
    told = written()
    own = [each for author, part in told.items() if author not in (*SEALED, *CHOSEN_ON) for each in part]
    among, met_ = (min(len(part), int(share * len(own))) for part, share in ((taught, AMONG), (unrelated, MET)))
    found = list[list[PairLesson]]()
    for _ in range(FINE_EPOCHS):
        found += batches(own + draw.sample(taught, among) + draw.sample(unrelated, met_), draw)
    return found, [each for author, part in told.items() if author in CHOSEN_ON for each in part]


def of_memories() -> tuple[list[PairLesson], list[PairLesson]]:
    """Pairs as memories meet them, of the worlds of those who wrote pairs: what is taught, and what judges."""
    encoder, authors = TaughtMiniLmEmbedder(), set(written()) - set(SEALED)
    parts = (list[PairLesson](), list[PairLesson]())
    for world in reading_worlds(WORLDS, sorted(authors)):
        parts[world.author in CHOSEN_ON].extend(met(world, encoder))
    return parts


def main() -> None:
    """Teach, judge and write."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--epochs", type=int, default=1, help="of the first part")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--half", action="store_true", help="compute in bfloat16, where the processor has it")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    taught, test = of_worlds(draw)
    print(f"{len(taught)} pairs of worlds are taught, {len(test)} judge", flush=True)
    net, kept = PairNet(options.half), options.out / "first.pt"
    if kept.exists():
        net.load_state_dict(torch.load(kept))
    else:
        parts = [part for _ in range(options.epochs) for part in batches(taught, draw)]
        steps(net, parts, RATE, dict.fromkeys(TASKS, 1.0), "worlds")
        torch.save(net.state_dict(), kept)
        print(figures(net, draw.sample(test, min(4_000, len(test)))), flush=True)
    unrelated, beside = of_memories()
    print(f"{len(unrelated)} pairs of memories are taught, {len(beside)} judge", flush=True)
    fine, judged = of_statements(taught, unrelated, draw)
    steps(net, fine, FINE_RATE, {"relation": 1.0, "answers": 0.5, "says": 0.5}, "statements")
    torch.save(net.state_dict(), options.out / "second.pt")
    print(figures(net, judged + draw.sample(test, min(2_000, len(test)))), flush=True)
    chances = torch.softmax(torch.from_numpy(scored(net, beside)["relation"]), dim=1).numpy()
    for name, column in zip(RELATIONS[1:], chances.T[1:], strict=True):
        print(
            f"{name}: told of {100 * float((column >= TOLD).mean()):.2f} % of the pairs that memories meet", flush=True
        )
    export(net, options.out)


if __name__ == "__main__":
    main()
