"""Two texts read together: the packaged encoder, taught to say what the second is to the first.

One input is both texts, `[CLS] first [SEP] second [SEP]`, so that every word of one looks at every word of the other in
every layer. Three things are told of them: what a later statement is to an earlier one (`RELATIONS`), whether a turn
answers a question, and whether a claim is said in a turn. The last is only taught, as it teaches the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx
import torch
import transformers
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from adapters.embedding.minilm import weights
from adapters.embedding.minilm_torch import bert_of, dequantised
from adapters.judging.pair_encoder import MOST_PIECES, RELATIONS
from adapters.model_files import MINILM_TAUGHT, MINILM_TOKENIZER
from training.model import OPSET, quantised
from training.pair_lessons import TASKS, PairLesson

HIDDEN = 192
DIMENSIONS = 384
DROPPED = 0.1
TOGETHER = 32
"""Pairs a step."""


class PairNet(torch.nn.Module):
    """The encoder over both texts, and one hidden layer over what it makes of each."""

    def __init__(self, half: bool = False) -> None:
        """With `half`, the encoder's products are taken in bfloat16: faster where the processor has them."""
        super().__init__()
        self._half = half
        path = weights(MINILM_TAUGHT, MINILM_TAUGHT.find(), ())
        self.bert = bert_of(torch, transformers, dequantised(onnx, path))
        for layer in self.bert.modules():
            if isinstance(layer, torch.nn.Dropout):
                layer.p = DROPPED
        self.inner = torch.nn.Linear(5 * DIMENSIONS, HIDDEN)
        self.outer = torch.nn.ModuleDict(
            {"relation": torch.nn.Linear(HIDDEN, len(RELATIONS))}
            | {task: torch.nn.Linear(HIDDEN, 1) for task in TASKS[1:]}
        )
        tokenizer = Tokenizer.from_file(str(MINILM_TOKENIZER.checked(MINILM_TOKENIZER.find())))
        tokenizer.enable_truncation(MOST_PIECES, strategy="longest_first")
        tokenizer.enable_padding()
        self.tokenizer = tokenizer

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[b, t] of each -> logits: [b, RELATIONS], [b], [b]."""
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._half and self.training):
            hidden = self.bert(ids, mask, types).last_hidden_state.float()
        first, second = (_mean(hidden, mask * (types == side)) for side in (0, 1))
        seen = torch.cat((hidden[:, 0], first, second, first * second, (first - second).abs()), dim=1)
        inner = F.dropout(F.gelu(self.inner(seen)), DROPPED, self.training)
        return self.outer["relation"](inner), self.outer["answers"](inner)[:, 0], self.outer["says"](inner)[:, 0]

    def told(self, pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of pairs of texts."""
        found = self.tokenizer.encode_batch(list(pairs))
        columns = (
            [each.ids for each in found],
            [each.attention_mask for each in found],
            [each.type_ids for each in found],
        )
        return self(*(torch.tensor(each) for each in columns))  # type: ignore[no-any-return]


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def loss_of(net: PairNet, lessons: Sequence[PairLesson], weights_of: dict[str, float]) -> Tensor:
    """The mean of what is wrong with each pair, by the weights of the tasks."""
    relation, answers, says = net.told([(each.first, each.second) for each in lessons])
    wrong: list[Tensor] = []
    for task, logits in zip(TASKS, (relation, answers, says), strict=True):
        rows = [place for place, each in enumerate(lessons) if each.task == task]
        if not rows:
            continue
        labels = torch.tensor([lessons[place].label for place in rows])
        if task == "relation":
            wrong.append(weights_of[task] * F.cross_entropy(logits[rows], labels, reduction="none"))
        else:
            own = F.binary_cross_entropy_with_logits(logits[rows], labels.float(), reduction="none")
            wrong.append(weights_of[task] * own)
    return torch.cat(wrong).mean()


def export(net: PairNet, folder: Path) -> None:
    """Write pairs.onnx with int8 weights, and full.onnx with its own."""
    net.eval()
    example = torch.ones(2, 7, dtype=torch.long)
    types = torch.zeros(2, 7, dtype=torch.long)
    types[:, 4:] = 1
    names = ["input_ids", "attention_mask", "token_type_ids"]
    out = ["relation", "answers", "says"]
    torch.onnx.export(
        net,
        (example, example, types),
        str(folder / "full.onnx"),
        dynamo=False,
        input_names=names,
        output_names=out,
        opset_version=OPSET,
        dynamic_axes={name: {0: "pairs", 1: "pieces"} for name in names} | {name: {0: "pairs"} for name in out},
    )
    onnx.save(quantised(onnx.load(str(folder / "full.onnx"))), str(folder / "pairs.onnx"))
