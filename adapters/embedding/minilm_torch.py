"""all-MiniLM-L6-v2 on PyTorch, for a GPU, as it was trained or as it was taught, in 32 bits.

The weights are those of the CPU's encoder, out of the same file, and everything but the last layer is its code
(`adapters.embedding.minilm`): the same tokenizer, the same length, the same content pieces. So a memory may move
between both without a new embedding, and nothing is fetched when it runs. PyTorch, Transformers and onnx come with the
deployment's own environment (deployments/requirements/embedding.in), not with Memoray.

It has never run on a GPU. The same code passes the encoders' contract suite on `device="cpu"`.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.embedding.minilm import MiniLm, weights
from adapters.model_files import MINILM, MINILM_TAUGHT, ModelFile
from memory.errors import ConfigError, ModelFailed
from memory.ports import Embedder

BATCH = 64
"""Texts a forward pass. A first guess: 64 of 256 word pieces are 25 MB a layer, nothing to a GPU; not measured."""
HEADS, EPSILON = 12, 1e-12
"""What shapes do not tell of this model: its heads, and the epsilon of its layer norms (its published config)."""
PROBES = (
    "Where did I put the blue umbrella?",
    "On Tuesday the plumber came to mend the tap in the kitchen, and left his ladder behind.",
    "Yes.",
)
"""What two encoders must understand alike: a question, a sentence, a word."""
LEAST_COSINE = 0.995
"""Of the vectors of one text; the packaged int8 weights give 0.9993 at least on the texts of
bench/calibration_pairs.jsonl, where what says the same in other words is at 0.93 of similarity."""
MOST_BITS = 0.03
"""The share of all pieces' bits that may differ; with int8 weights 0.9 % do on the same texts."""

_EMBEDDINGS = {
    ".model.embeddings.word_embeddings": "embeddings.word_embeddings",
    ".model.embeddings.position_embeddings": "embeddings.position_embeddings",
    ".model.embeddings.token_type_embeddings": "embeddings.token_type_embeddings",
    "model.layers.-1.embeddings_norm_layernorm": "embeddings.LayerNorm",
}
_LAYER = {
    "attn.q_proj": "attention.self.query",
    "attn.k_proj": "attention.self.key",
    "attn.v_proj": "attention.self.value",
    "attn.o_proj": "attention.output.dense",
    "attention_output_norm_layernorm": "attention.output.LayerNorm",
    "mlp.fc1": "intermediate.dense",
    "mlp.fc2": "output.dense",
    "mlp_output_norm_layernorm": "output.LayerNorm",
}
"""What the packaged file calls a part of the model, and what Transformers calls it."""

_OURS = "bert."
"""How the names of parts begin in the files that we write."""
_LOOKED_UP = {f"{name}.weight" for name in _EMBEDDINGS.values()}


class TorchMiniLmEmbedder(MiniLm):
    """One model on one device, loaded when this is made: an environment that cannot run it fails then, not later."""

    _batch = BATCH

    def __init__(
        self,
        device: str = "cuda",
        folder: Path | None = None,
        trusted: Collection[str] = (),
        file: ModelFile = MINILM,
    ) -> None:
        """`device` as PyTorch spells it, `folder` one with `file` or one like it. Raises ConfigError."""
        super().__init__(folder, trusted)
        try:
            torch, transformers, onnx = map(importlib.import_module, ("torch", "transformers", "onnx"))
        except ImportError as missing:
            raise ConfigError(
                "The encoder's environment is not whole: it needs what deployments/requirements/embedding.in names."
            ) from missing
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise ConfigError(f"The encoder is to run on {device}, but PyTorch finds no GPU: set embedding.device.")
        self._torch, self._device = torch, device
        read = dequantised if file is MINILM_TAUGHT else weights_of
        self._bert = (
            bert_of(torch, transformers, read(onnx, weights(file, file.find(folder), trusted))).to(device).eval()
        )

    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        torch = self._torch
        try:
            with torch.inference_mode():
                pieces, seen = (torch.from_numpy(array).to(self._device) for array in (ids, mask))
                out = self._bert(input_ids=pieces, attention_mask=seen, token_type_ids=torch.zeros_like(pieces))
                last: NDArray[np.float32] = out.last_hidden_state.cpu().numpy()
        except RuntimeError as error:  # CUDA's own are among these, and nobody without PyTorch can unpickle them
            raise ModelFailed("The encoder's device failed.", device=self._device, error=type(error).__name__) from None
        return last


def must_agree(one: Embedder, other: Embedder, texts: Sequence[str] = PROBES) -> None:
    """Raise ConfigError unless both understand these texts alike, vectors and word pieces."""
    mine, theirs = one.encode(texts), other.encode(texts)
    cosine = float((mine.vectors * theirs.vectors).sum(axis=1).min())
    same_pieces = np.array_equal(mine.pieces.counts, theirs.pieces.counts)
    differ = float(np.unpackbits(mine.pieces.bits ^ theirs.pieces.bits).mean()) if same_pieces else 1.0
    if not (cosine >= LEAST_COSINE and differ <= MOST_BITS):
        raise ConfigError(
            f"The GPU does not understand words as {other.name} does on the CPU: cosine {cosine:.4f}"
            f" (at least {LEAST_COSINE}), {differ:.1%} of the bits differ (at most {MOST_BITS:.0%})."
        )


def weights_of(onnx: Any, path: Path) -> dict[str, NDArray[np.float32]]:
    """Transformers' name -> array, of the file's named parts. Raises ConfigError if one is unknown to it."""
    named = {part.name: onnx.numpy_helper.to_array(part) for part in onnx.load(str(path)).graph.initializer}
    try:
        found = dict(_renamed(named))
    except KeyError as unknown:
        raise ConfigError(f"{path.name} does not hold full weights of all-MiniLM-L6-v2: {unknown}.") from None
    return found


def dequantised(onnx: Any, path: Path) -> dict[str, NDArray[np.float32]]:
    """Transformers' name -> array, of the int8 weights that `training.model.quantised` makes."""
    named = {part.name: onnx.numpy_helper.to_array(part) for part in onnx.load(str(path)).graph.initializer}
    found = {}
    for name, array in named.items():
        part, _, kind = name.removeprefix(_OURS).rpartition(".")
        if name.startswith(_OURS) and kind == "steps":
            whole = array * named[f"{_OURS}{part}.scale"]
            # x @ w here, x @ w.T in PyTorch
            found[part] = whole if part in _LOOKED_UP else whole.T
        elif name.startswith(_OURS) and kind in ("weight", "bias"):
            found[f"{part}.{kind}"] = array
    return found


def _renamed(named: Mapping[str, NDArray[np.float32]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for name, array in named.items():
        part, _, kind = name.rpartition(".")
        linear, part = part.endswith((".MatMul", ".Add")), part.removesuffix(".MatMul").removesuffix(".Add")
        if part in _EMBEDDINGS:
            yield f"{_EMBEDDINGS[part]}.{kind}", array
            continue
        number, _, inner = part.removeprefix("model.layers.").partition(".")
        # x @ w here, x @ w.T in PyTorch
        turned = array.T if linear and kind == "weight" else array
        yield f"encoder.layer.{number}.{_LAYER[inner]}.{kind}", turned


def bert_of(torch: Any, transformers: Any, weights: Mapping[str, NDArray[np.float32]]) -> Any:
    """Transformers' model with these weights."""
    words = weights["embeddings.word_embeddings.weight"]
    config = transformers.BertConfig(
        vocab_size=words.shape[0],
        hidden_size=words.shape[1],
        num_hidden_layers=sum(name.endswith("attention.self.query.weight") for name in weights),
        num_attention_heads=HEADS,
        intermediate_size=weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
        max_position_embeddings=weights["embeddings.position_embeddings.weight"].shape[0],
        type_vocab_size=weights["embeddings.token_type_embeddings.weight"].shape[0],
        layer_norm_eps=EPSILON,
    )
    bert = transformers.BertModel(config, add_pooling_layer=False)
    # strict: a part that is missing would stay random, and nobody would notice but by what is not found
    bert.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()}, strict=True)
    return bert
