"""The packaged weights of verdicts, and beside which encoder they count."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from adapters.build_models import TAUGHT, verdict_weights
from adapters.embedding import verdicts
from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.embedding.verdicts import taught_verdicts
from adapters.model_files import VERDICTS
from memory.retrieval.verdicts import AROUND


def test_they_count_beside_the_encoder_they_were_taught_with_alone():
    assert TaughtMiniLmEmbedder.name == TAUGHT
    assert verdict_weights(TAUGHT) is taught_verdicts()
    assert verdict_weights("hashing") is None


def test_another_file_is_not_loaded_and_costs_the_verdicts_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(verdicts, "VERDICTS", replace(VERDICTS, sha256="0" * 64))
    taught_verdicts.cache_clear()
    try:
        assert verdict_weights(TAUGHT) is None
    finally:
        taught_verdicts.cache_clear()
    assert "verdicts.npz" in caplog.text


def test_their_parts_fit_together():
    weights = taught_verdicts()
    signs, wide, heads = len(weights.mean), weights.asked.shape[1], len(weights.likeness)
    hidden = weights.word.shape[1]
    assert wide % heads == 0
    assert weights.beside.shape == (AROUND, heads)
    assert weights.word.shape[0] == 3 * wide + 5
    assert weights.first.shape[0] == signs + 2 * hidden + 1
    assert weights.plain.shape == weights.nothing.shape == (signs + 1, 1)
    assert all(np.isfinite(each).all() for each in asdict(weights).values())
    assert (weights.spread > 0).all()
