"""Two texts read together by a small taught model: what a later statement is to an earlier one.

One input is both texts, so every word of one is seen beside every word of the other. `training/pairs.py` teaches it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from adapters.embedding.minilm import session
from adapters.model_files import MINILM_TOKENIZER, PAIRS

Floats = NDArray[np.float32]

MOST_PIECES = 128
"""Word pieces of both texts; what is longer is cut, the longer text first."""
RELATIONS = ("unrelated", "same", "narrows", "updates", "contradicts", "keeps", "drops")
"""What a later statement may be to an earlier one, in the order of the logits."""
BATCH = 8
"""Pairs a forward pass: on one thread larger ones only pad more."""


class PairEncoder:
    """One ONNX session of one thread, loaded when the first pair comes."""

    def __init__(self, trusted: Collection[str] = ()) -> None:
        """`trusted` are digests of files of one's own."""
        self._trusted = trusted

    def relations(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """[pairs, RELATIONS] Chances, for (earlier, later). Raises ConfigError if a file is missing or another."""
        chances = np.zeros((len(pairs), len(RELATIONS)), np.float32)
        order = sorted(range(len(pairs)), key=lambda place: sum(map(len, pairs[place])))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            found = self._tokenizer.encode_batch([pairs[row] for row in rows])
            feed = {
                "input_ids": np.array([each.ids for each in found], np.int64),
                "attention_mask": np.array([each.attention_mask for each in found], np.int64),
                "token_type_ids": np.array([each.type_ids for each in found], np.int64),
            }
            (logits,) = self._session.run(["relation"], feed)
            raised = np.exp(logits - logits.max(axis=1, keepdims=True))
            chances[rows] = raised / raised.sum(axis=1, keepdims=True)
        return chances

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(MINILM_TOKENIZER.checked(MINILM_TOKENIZER.find(), self._trusted)))
        tokenizer.enable_truncation(MOST_PIECES, strategy="longest_first")
        tokenizer.enable_padding()
        return tokenizer

    @cached_property
    def _session(self) -> ort.InferenceSession:
        return session(PAIRS.checked(PAIRS.find(), self._trusted))
