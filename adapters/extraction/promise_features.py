"""What a head sees of a sentence when it tells whether something is promised in it: its words, and the encoder's view.

Training and reading take features from here alone, so that they cannot differ. Whoever changes them teaches the head
anew (`python -m training.promises`).
"""

from __future__ import annotations

import re
import zlib

import numpy as np
from numpy.typing import NDArray

from adapters.embedding.minilm import ReadPieces
from memory.model.claims import Utterance
from memory.words.languages import is_german
from memory.words.normalise import sentences_of

Floats = NDArray[np.float32]
BUCKETS = 1 << 15
"""Places that words and their neighbours are hashed to; the worlds have 19,000 of them that occur five times."""
MOST_CHARS = 3_000
"""Of a turn that is looked at: the encoder sees its first 256 word pieces, which are some 1,200."""
_HALVES = re.compile(r"[\ud800-\udfff]")
"""Halves of characters, which no tokenizer takes."""
_TOKEN = re.compile(r"[\w']+|[?!.,]")
_LONGEST_RUN = 3


def sentences(text: str) -> list[tuple[int, int]]:
    """Characters from and to of each sentence, as the rules split them."""
    found, at = [], 0
    for sentence in sentences_of(text[:MOST_CHARS]):
        start = text.find(sentence, at)
        if start >= 0:
            at = start + len(sentence)
            found.append((start, at))
    return found


def runs(sentence: str) -> NDArray[np.int64]:
    """Places of the runs of up to three words of a sentence, each once, its beginning and end among them."""
    words = ["^", *_TOKEN.findall(sentence.lower().replace("’", "'")), "$"]
    lengths = range(1, _LONGEST_RUN + 1)
    told = {" ".join(words[at : at + length]) for length in lengths for at in range(len(words) - length + 1)}
    return np.array(sorted({zlib.crc32(run.encode()) % BUCKETS for run in told}), np.int64)


def signs(utterance: Utterance, span: tuple[int, int], place: int, last: bool) -> Floats:
    """[SIGNS] What a sentence looks like, and who speaks and listens; `place` is its number in the turn."""
    words = utterance.text[slice(*span)]
    return np.array(
        [
            "?" in words,
            "!" in words,
            any(map(str.isdigit, words)),
            '"' in words,
            len(words) / 100,
            place / 5,
            last,
            utterance.role == "user",
            is_german(utterance.text, utterance.language),
            len(utterance.listeners) == 1,
            not utterance.listeners,
        ],
        np.float32,
    )


SIGNS = 11


def line_of(utterance: Utterance) -> tuple[str, int]:
    """What is encoded of an utterance, and where its text begins in that."""
    lead = f"{utterance.speaker}: " if utterance.speaker else ""
    return _HALVES.sub("?", lead + utterance.text[:MOST_CHARS]), len(lead)


def seen(pieces: ReadPieces, span: tuple[int, int]) -> Floats:
    """[768] Characters of a line as the encoder sees them: the mean of their pieces, of unit length, and the greatest.

    Zeros where the line was cut before them.
    """
    within = pieces.hidden[(pieces.spans[:, 0] < span[1]) & (pieces.spans[:, 1] > span[0])].astype(np.float32)
    if not len(within):
        return np.zeros(2 * pieces.hidden.shape[1], np.float32)
    mean = within.mean(0)
    return np.concatenate([mean / max(float(np.linalg.norm(mean)), 1e-9), within.max(0)])
