"""The contract of the Embedder port, on every implementation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bench
from adapters.embedding.hashing import HashingEmbedder
from adapters.embedding.minilm import MiniLmEmbedder
from memory.errors import ConfigError
from memory.ports import Embedder

EMBEDDERS: dict[str, Callable[[], Embedder]] = {"hashing": HashingEmbedder, "minilm": MiniLmEmbedder}
TEXTS = ["[8 May 2023] Caroline: I love tea", "Adoption", "", "日本語のテキスト 🎻", "word " * 2000, "\ud800 broken"]


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request) -> Embedder:
    return EMBEDDERS[request.param]()


def test_one_unit_vector_a_text_in_their_order(embedder):
    texts = [text.encode(errors="replace").decode() for text in TEXTS]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert ((vectors * alone).sum(axis=1) > 0.97).all()  # int8 scales differ a little with the batch


def test_nothing_in_nothing_out(embedder):
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_the_same_text_twice_is_the_same_vector(embedder):
    first, second = embedder.embed(["I moved to Pune."]), embedder.embed(["I moved to Pune."])
    np.testing.assert_array_equal(first, second)


def test_what_shares_words_is_nearer_than_what_does_not(embedder):
    tea, also_tea, train = embedder.embed(["I drink green tea", "Green tea is what I drink", "The train was late"])
    assert tea @ also_tea > tea @ train + 0.3


def test_calibration_is_monotone_and_keeps_the_ends(embedder):
    cosine = np.linspace(-1, 1, 401, dtype=np.float32)
    similarity = embedder.calibrate(cosine)
    assert (np.diff(similarity) >= 0).all()
    assert similarity[0] == 0
    assert similarity[-1] == 1
    assert embedder.calibrate(np.array([0.0], np.float32))[0] <= 0.40


def test_minilm_calibration_tells_the_written_pairs_apart():
    lines = (Path(bench.__file__).parent / "calibration_pairs.jsonl").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    encoder = MiniLmEmbedder()
    cosine = (encoder.embed([pair["a"] for pair in pairs]) * encoder.embed([pair["b"] for pair in pairs])).sum(axis=1)
    similarity = encoder.calibrate(cosine)
    grades = np.array([pair["grade"] for pair in pairs])
    assert np.median(similarity[grades == "same"]) == pytest.approx(0.93, abs=0.02)
    assert (similarity[grades == "unrelated"] <= 0.42).mean() >= 0.9
    assert similarity[grades == "near"].max() < 0.9


def test_a_missing_model_says_what_to_install(tmp_path):
    with pytest.raises(ConfigError, match="install"):
        MiniLmEmbedder(model=tmp_path / "none.onnx", tokenizer=tmp_path / "none.json")
