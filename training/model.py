"""The encoder while it is taught: all-MiniLM-L6-v2 in PyTorch, from the package's weights and back to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import transformers
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from adapters.embedding.minilm import MAX_WORD_PIECES, Vocabulary, weights
from adapters.embedding.minilm_torch import bert_of, dequantised, weights_of
from adapters.model_files import MINILM, MINILM_TAUGHT, MINILM_TOKENIZER
from memory.retrieval.pieces import MOST_ASKED

TOGETHER = 48
"""Texts a forward pass; they are sorted by length, so that few are padded."""
OPSET = 17


@dataclass(frozen=True, eq=False)
class EncodedTexts:
    """Texts as the model understands them, with gradients."""

    pieces: list[Tensor]
    """Of each text its content pieces, [pieces, dimensions] of unit length."""
    pooled: Tensor
    """[texts, dimensions] of unit length."""


class Student:
    """The model that is taught, and its tokenizer. A text is cut as in the product."""

    def __init__(self, dropout: float = 0.1, half: bool = False, packaged: bool = False) -> None:
        """The base model, or with `packaged` the encoder that Memoray comes with.

        With `half`, products are taken in bfloat16: 1.7 times as fast where the processor has them.
        """
        self._half = half
        file, read = (MINILM_TAUGHT, dequantised) if packaged else (MINILM, weights_of)
        self.bert = bert_of(torch, transformers, read(onnx, weights(file, file.find(), ())))
        for layer in self.bert.modules():
            if isinstance(layer, torch.nn.Dropout):
                layer.p = dropout
        self._tokenizer = Tokenizer.from_file(str(MINILM_TOKENIZER.checked(MINILM_TOKENIZER.find())))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_WORD_PIECES)
        self._vocabulary = Vocabulary(self._tokenizer)

    def understand(self, texts: Sequence[str]) -> EncodedTexts:
        """The pieces and the pooled vector of each text."""
        pieces: dict[int, Tensor] = {}
        pooled: dict[int, Tensor] = {}
        for rows, ids, mask in self._batches(texts):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._half):
                hidden = self.bert(ids, mask, torch.zeros_like(ids)).last_hidden_state.float()
            means = F.normalize((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
            content = torch.from_numpy(self._vocabulary.content(ids.numpy()))
            for place, row in enumerate(rows):
                pieces[row] = F.normalize(hidden[place][content[place]], dim=-1)
                pooled[row] = means[place]
        order = range(len(texts))
        return EncodedTexts([pieces[row] for row in order], torch.stack([pooled[row] for row in order]))

    def asked(self, questions: Sequence[str]) -> EncodedTexts:
        """Questions: only their first pieces are looked for."""
        known = self.understand(questions)
        return EncodedTexts([pieces[:MOST_ASKED] for pieces in known.pieces], known.pooled)

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Tensor, Tensor]]:
        encodings = self._tokenizer.encode_batch(list(texts))
        by_length = np.argsort([len(each.ids) for each in encodings], kind="stable").tolist()
        for start in range(0, len(by_length), TOGETHER):
            rows = by_length[start : start + TOGETHER]
            ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(encodings[row].ids) for row in rows], batch_first=True)
            mask = torch.nn.utils.rnn.pad_sequence(
                [torch.ones(len(encodings[row].ids)) for row in rows], batch_first=True
            )
            yield rows, ids, mask.long()


class _LastLayer(torch.nn.Module):
    """What the product asks of a file: pieces, mask and types in, the last layer out."""

    def __init__(self, bert: torch.nn.Module) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """[b, t, dimensions]."""
        last: Tensor = self.bert(input_ids, attention_mask, token_type_ids).last_hidden_state
        return last


def export(student: Student, path: Path) -> None:
    """Write the model with full weights to `path`, and with int8 weights beside it (NAME-int8.onnx)."""
    student.bert.eval()
    example = torch.ones(2, 7, dtype=torch.long)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        _LastLayer(student.bert),
        (example, example, torch.zeros_like(example)),
        str(path),
        dynamo=False,
        input_names=names,
        output_names=["last"],
        opset_version=OPSET,
        dynamic_axes={name: {0: "texts", 1: "pieces"} for name in (*names, "last")},
    )
    rounded = quantised(onnx.load(str(path)))
    onnx.save(rounded, str(path.with_name(f"{path.stem}-int8.onnx")))


def quantised(model: Any) -> Any:
    """The same with each matrix in whole steps from -127 to 127, and a scale for each row or column of it.

    Only weights are rounded, and 0.9 % of the word pieces' bits differ from those of full weights; with rounded
    activations, as `quantize_dynamic` of ONNX Runtime makes them, 3.9 % do. A matrix that a product takes is called
    after the part it belongs to, which the export forgot; `adapters.embedding.minilm_torch` reads these names.
    """
    graph = model.graph
    owner = {node.input[1]: node for node in graph.node if node.op_type == "MatMul"}
    turned, kept = [], []
    for part in graph.initializer:
        array = numpy_helper.to_array(part)
        if array.ndim != 2 or array.dtype != np.float32:
            kept.append(part)
            continue
        node = owner.get(part.name)
        name = f"{node.name.strip('/').removesuffix('/MatMul').replace('/', '.')}.weight" if node else part.name
        scale = np.abs(array).max(axis=0 if node else 1, keepdims=True) / 127
        steps = np.rint(array / scale).astype(np.int8)
        kept += [numpy_helper.from_array(steps, f"{name}.steps"), numpy_helper.from_array(scale, f"{name}.scale")]
        turned += [
            helper.make_node("Cast", [f"{name}.steps"], [f"{name}.cast"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}.cast", f"{name}.scale"], [part.name]),
        ]
    nodes = [*turned, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
    return model
