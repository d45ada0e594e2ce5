"""What is taught: `memory.retrieval.verdicts` with gradients, and questions as it reads them, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memory.retrieval.compared import BESIDE
from memory.retrieval.verdicts import AROUND, MOST_ODDS, VerdictWeights, pieces_around
from training.answer_cases import UNANSWERABLE, AnswerCase, pieces_of

HEADS, WIDTH, HIDDEN = 6, 16, 48
LAYERS = (48, 24)
COMPARED, MOVED = 32, 16
"""Units of what one result is in the light of another, and of what all of them do to its odds."""
DROPPED = 0.2
UNANSWERED_WEIGHT = 2.0
"""What a question that was written without an answer counts: there are few, and they are the hard ones."""
_NEVER = -1e9


class VerdictModel(nn.Module):
    """`memory.retrieval.verdicts.verdicts`, with gradients."""

    def __init__(self, signs: int, mean: Tensor, spread: Tensor, dimensions: int = 384) -> None:
        super().__init__()
        wide = HEADS * WIDTH
        self.mean, self.spread = nn.Buffer(mean), nn.Buffer(spread)
        self.asked, self.asked_whole = nn.Linear(dimensions, wide, bias=False), nn.Linear(dimensions, wide)
        self.shown, self.shown_whole = (nn.Linear(dimensions, wide, bias=False) for _ in range(2))
        self.told, self.told_whole = (nn.Linear(dimensions, wide, bias=False) for _ in range(2))
        self.beside = nn.Parameter(torch.zeros(AROUND, HEADS))
        self.likeness = nn.Parameter(torch.full((HEADS,), 8.0))
        self.word, self.weight = nn.Linear(3 * wide + 4, HIDDEN), nn.Linear(HIDDEN, 1)
        self.first, self.second, self.last = (
            nn.Linear(signs + 2 * HIDDEN, LAYERS[0]),
            nn.Linear(*LAYERS),
            nn.Linear(LAYERS[1], 1),
        )
        self.compared = nn.Linear(BESIDE + 2 * LAYERS[1] + 2, COMPARED)
        self.moved, self.by = nn.Linear(LAYERS[1] + 1 + 2 * COMPARED, MOVED), nn.Linear(MOVED, 1)
        self.plain, self.nothing = nn.Linear(signs, 1), nn.Linear(signs, 1)
        self.dropped = nn.Dropout(DROPPED)
        for layer in (self.last, self.by, self.nothing):
            nn.init.zeros_(layer.weight)

    def forward(self, batch: TaughtBatch) -> Tensor:
        """[questions, results] Log-odds that it is evidence, against none being it."""
        signs = ((batch.signs - self.mean) / self.spread).clamp(-5, 5)
        missing = ~batch.asked_held[:, None, :, None]
        words = torch.relu(self.word(self.dropped(self._looked(batch)))).masked_fill(missing, 0)
        counts = self.weight(words).masked_fill(missing, _NEVER).softmax(2)
        inner = torch.cat((signs, (counts * words).sum(2), words.amax(2)), -1)
        inner = torch.relu(self.second(torch.relu(self.first(self.dropped(inner)))))
        odds = (self.last(inner) + self.plain(signs)).squeeze(-1)
        odds = odds + self._moved(batch, inner, odds) - self.nothing(signs[:, :1]).squeeze(-1)
        return odds.masked_fill(~batch.held, _NEVER)

    def _moved(self, batch: TaughtBatch, inner: Tensor, odds: Tensor) -> Tensor:
        known = torch.cat((inner, odds.clamp(-MOST_ODDS, MOST_ODDS)[..., None] * (2 / MOST_ODDS)), -1)
        results = known.shape[1]
        pairs = (known[:, :, None].expand(-1, -1, results, -1), known[:, None].expand(-1, results, -1, -1))
        found = torch.relu(self.compared(self.dropped(torch.cat((batch.others, *pairs), -1))))
        beside = batch.held[:, :, None] & batch.held[:, None] & ~torch.eye(results, dtype=torch.bool)
        found = found.masked_fill(~beside[..., None], 0)
        mean = found.sum(2) / beside.sum(2, keepdim=True).clamp(min=1)
        return self.by(torch.relu(self.moved(self.dropped(torch.cat((known, found.amax(2), mean), -1))))).squeeze(-1)

    def _looked(self, batch: TaughtBatch) -> Tensor:
        sought = torch.cat((self.asked(batch.asked), self.asked_whole(batch.asked_vector)[:, None]), 1)
        shown = torch.cat((self.shown(batch.turns)[batch.rows], self.shown_whole(batch.vectors)[:, :, None]), 2)
        told = torch.cat((self.told(batch.turns)[batch.rows], self.told_whole(batch.vectors)[:, :, None]), 2)
        heads = (HEADS, WIDTH)
        logits = torch.einsum("qnhd,qrphd->qrnhp", sought.unflatten(-1, heads), shown.unflatten(-1, heads)) / WIDTH**0.5
        logits = logits + self.likeness[:, None] * batch.cosines[:, :, :, None]
        logits = logits + self.beside[batch.places].permute(0, 1, 3, 2)[:, :, None]
        logits = logits.masked_fill(~batch.rows_held[:, :, None, None], _NEVER)
        found = torch.einsum("qrnhp,qrphd->qrnhd", logits.softmax(-1), told.unflatten(-1, heads)).flatten(-2)
        asked = sought[:, None].expand_as(found)
        return torch.cat((found, found * asked, asked, batch.extra), -1)


@dataclass(frozen=True, eq=False)
class TaughtBatch:
    """Some questions, padded: Q of them, R results, N pieces of a question and its vector, P pieces around a result."""

    asked: Tensor
    """[Q, N, D]; `asked_held` [Q, N + 1] which there are, the vector among them."""
    asked_held: Tensor
    asked_vector: Tensor
    turns: Tensor
    """[pieces of all, D]"""
    rows: Tensor
    """[Q, R, P] Rows of `turns`; `rows_held` and `places` have P + 1, for the pooled vector."""
    rows_held: Tensor
    places: Tensor
    cosines: Tensor
    """[Q, R, N + 1, P + 1]"""
    vectors: Tensor
    """[Q, R, D]"""
    extra: Tensor
    """[Q, R, N + 1, 4] How well each piece is met, its rarity, and whether it is the vector."""
    signs: Tensor
    others: Tensor
    """[Q, R, R, BESIDE]"""
    held: Tensor
    """[Q, R] Which results there are, and which are evidence (`gold`)."""
    gold: Tensor
    weight: Tensor


def batch_of(some: Sequence[AnswerCase]) -> TaughtBatch:
    """These cases, padded."""
    results, words = max(len(each.gold) for each in some), max(each.seen.met.shape[2] for each in some)
    weight = [UNANSWERED_WEIGHT if each.category == UNANSWERABLE else 1.0 for each in some]
    arrays = _asked(some, results, words) | _surroundings(some, results, words)
    arrays["turns"] = np.concatenate([pieces_of(each) for each in some])
    arrays["asked_vector"] = np.stack([each.seen.asked.vector for each in some])
    return TaughtBatch(weight=torch.tensor(weight), **{name: torch.from_numpy(each) for name, each in arrays.items()})


def _asked(some: Sequence[AnswerCase], results: int, words: int) -> dict[str, NDArray[Any]]:
    """What is known of each question and each of its results."""
    count, (_, dimensions) = len(some), some[0].seen.turns.shape
    asked, asked_held = np.zeros((count, words, dimensions), np.float32), np.zeros((count, words + 1), np.bool_)
    vectors, extra = (np.zeros((count, results, *rest), np.float32) for rest in ((dimensions,), (words + 1, 4)))
    signs, held = (
        np.zeros((count, results, some[0].seen.signs.shape[1]), np.float32),
        np.zeros((count, results), np.bool_),
    )
    gold, others = held.copy(), np.zeros((count, results, results, BESIDE), np.float32)
    for place, each in enumerate(some):
        found, known = len(each.gold), each.seen.met.shape[2]
        asked[place, :known], asked_held[place, :known], asked_held[place, -1] = each.seen.asked.pieces, True, True
        vectors[place, :found], signs[place, :found] = each.seen.vectors, each.seen.signs
        held[place, :found], gold[place, :found], others[place, :found, :found] = True, each.gold, each.seen.others
        extra[place, :found, :known, :2] = each.seen.met.transpose(1, 2, 0)
        extra[place, :found, :known, 2], extra[place, :, -1, 3] = each.seen.rarity, 1
    return {
        "asked": asked,
        "asked_held": asked_held,
        "vectors": vectors,
        "extra": extra,
        "signs": signs,
        "others": others,
        "held": held,
        "gold": gold,
    }


def _surroundings(some: Sequence[AnswerCase], results: int, words: int) -> dict[str, NDArray[Any]]:
    """Where the pieces of each result and of the turns beside it stand, and how like the question's they are."""
    found = [[_around(each, row) for row in range(len(each.gold))] for each in some]
    wide = max(len(rows) for each in found for rows, _ in each)
    rows, places = np.zeros((2, len(some), results, wide + 1), np.int64)
    rows_held = np.zeros((len(some), results, wide + 1), np.bool_)
    cosines = np.zeros((len(some), results, words + 1, wide + 1), np.float32)
    start = 0
    for place, each in enumerate(some):
        known = each.seen.met.shape[2]
        for row, (pieces, beside) in enumerate(found[place]):
            rows[place, row, : len(pieces)], places[place, row, : len(pieces)] = start + pieces, beside
            rows_held[place, row, : len(pieces)] = True
            cosines[place, row, :known, : len(pieces)] = each.seen.cosines[:, pieces]
        rows_held[place, :, -1] = True
        start += len(each.bits)
    return {"rows": rows[:, :, :-1], "rows_held": rows_held, "places": places, "cosines": cosines}


def _around(case: AnswerCase, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return pieces_around(case.seen.starts, case.seen.around[row])


def loss_of(odds: Tensor, batch: TaughtBatch) -> Tensor:
    """Cross-entropy over the results and none of them, and a third of the odds of each."""
    whole = torch.cat((odds, torch.zeros(len(odds), 1)), 1).log_softmax(1)
    found = whole[:, :-1].masked_fill(~batch.gold, _NEVER).logsumexp(1)
    listed = -torch.where(batch.gold.any(1), found, whole[:, -1])
    alone = F.binary_cross_entropy_with_logits(odds.clamp(min=-30), batch.gold.float(), reduction="none")
    return (batch.weight * (listed + (alone * batch.held).sum(1) / 3)).mean()


def weights_of(model: VerdictModel) -> VerdictWeights:
    """What the product reads: 16 bits are enough."""
    found = {name: getattr(model, name) for name in ("mean", "spread", "beside", "likeness")}
    for name, layer in model.named_children():
        if isinstance(layer, nn.Linear):
            rows = [layer.weight.T] if layer.bias is None else [layer.weight.T, layer.bias[None]]
            found[name] = torch.cat(rows)
    return VerdictWeights(**{name: each.detach().half().float().numpy() for name, each in found.items()})


def take_up(model: VerdictModel, path: Path) -> None:
    """Give a model the weights that were taught before, and the signs' means and spreads of then."""
    with np.load(path) as kept, torch.no_grad():
        known = {name: torch.from_numpy(kept[name].astype(np.float32)) for name in kept.files}
        for name in ("mean", "spread", "beside", "likeness"):
            getattr(model, name).copy_(known[name])
        for name, layer in model.named_children():
            if isinstance(layer, nn.Linear):
                rows = known[name] if layer.bias is None else known[name][:-1]
                layer.weight.copy_(rows.T)
                if layer.bias is not None:
                    layer.bias.copy_(known[name][-1])
