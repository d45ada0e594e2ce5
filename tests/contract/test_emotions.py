"""What every reader of emotions keeps: a guess for each sentence, whatever its sound; the CPU's twin runs everywhere.

The twin of a GPU has never been run: it needs the hardware, funasr and a model in the folder EMOTION2VEC.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adapters.embedding.minilm import MiniLmEmbedder
from adapters.hearing.emotion2vec import Emotion2Vec, scores_of
from adapters.hearing.hub_models import ModelSource
from adapters.hearing.prosody import SUREST, ProsodyReader
from memory.errors import ConfigError
from memory.model.sound import EMOTIONS, NEUTRAL, RATE, HeardSentence, HeardWord, TracedSentence, Waveform
from memory.ports_sound import EmotionReader
from memory.services.emotions import SoundTraces
from tests.fakes.hearing import silence


def _prosody() -> EmotionReader:
    return ProsodyReader(MiniLmEmbedder())


def _emotion2vec() -> EmotionReader:
    return Emotion2Vec(ModelSource(os.environ["EMOTION2VEC"], trusted=os.environ.get("TRUSTED", "").split()))


HAS_MODEL = pytest.mark.skipif("EMOTION2VEC" not in os.environ, reason="EMOTION2VEC is no folder of a model")
readers = pytest.mark.parametrize(
    "made", [_prosody, pytest.param(_emotion2vec, marks=[pytest.mark.gpu, HAS_MODEL])], ids=["prosody", "emotion2vec"]
)


def hum(hertz: float, seconds: float, loudness: float = 0.3) -> Waveform:
    """A voice of that pitch, as sharp as a throat."""
    return (loudness * (2 * (np.arange(int(seconds * RATE)) * hertz / RATE % 1) - 1)).astype(np.float32)


def sentence(text: str, start: float, end: float, voice: int | None = None, language: str = "en") -> HeardSentence:
    words = [HeardWord(each, start, end, 0.9) for each in text.split()]
    return HeardSentence(text, start, end, language, words, voice)


@readers
def test_each_sentence_gets_a_guess_whatever_its_sound(made: Callable[[], EmotionReader]) -> None:
    reader = made()
    noise = np.random.default_rng(6).normal(0, 0.2, RATE).astype(np.float32)
    for sound in (silence(0.0), silence(0.01), silence(3.0), hum(120, 15.0), noise, np.ones(RATE, np.float32)):
        trace = reader.trace(sound)
        assert trace.ndim == 2
        assert np.isfinite(trace).all()
        said = [TracedSentence(sentence("Hm.", 0.0, len(sound) / RATE), each) for each in (trace, trace[:0])]
        for told in reader.read(said):
            assert told.label in EMOTIONS
            assert 0 <= told.score <= 1
            assert told.method == reader.name
            assert all(np.isfinite(each) for each in (*told.prosody.values(), *told.scores.values()))
    assert list(reader.read([])) == []


def prosody_of(*sentences: HeardSentence, sounds: list[tuple[Waveform, float]]) -> list[dict[str, float]]:
    traces = SoundTraces(_prosody())
    for sound, began in sounds:
        traces.keep(sound, began)
    return [dict(each.emotion.prosody) for each in traces.read(sentences) if each.emotion]


@pytest.mark.parametrize("hertz", [75, 110, 200, 330])
def test_pitch_is_that_of_the_voice(hertz: float) -> None:
    [told] = prosody_of(sentence("Good morning to you.", 0.0, 2.0), sounds=[(hum(hertz, 2.0), 0.0)])
    assert told["pitch_hz"] == pytest.approx(hertz, rel=0.03)
    assert told["pitch_range_hz"] <= 0.03 * hertz
    assert told["words_per_s"] == 2.0


def test_noise_and_silence_have_no_pitch() -> None:
    noise = np.random.default_rng(6).normal(0, 0.2, 2 * RATE).astype(np.float32)
    for sound in (noise, silence(2.0)):
        [told] = prosody_of(sentence("Hm.", 0.0, 2.0), sounds=[(sound, 0.0)])
        assert "pitch_hz" not in told


def test_loudness_is_over_the_median_of_the_same_voice() -> None:
    one, other = [hum(120, 1.0, loud) for loud in (0.1, 0.1, 0.4)], hum(200, 1.0, 0.01)
    sounds = [(np.concatenate(one), 10.0), (other, 100.0)]
    said = [sentence("Yes.", 10.0 + place, 11.0 + place, 1) for place in range(3)]
    told = prosody_of(*said, sentence("No.", 100.0, 101.0, 2), sounds=sounds)
    assert [each["loudness_db"] for each in told] == pytest.approx(
        [0, 0, 12, 0], abs=1.0
    )  # the moments at an edge hear both sides
    assert [each["pitch_hz"] for each in told] == pytest.approx([120, 120, 120, 200], rel=0.03)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I'm absolutely thrilled, what a lovely day!", "happy"),
        ("I'm furious with you.", "angry"),
        ("I've been crying since she died.", "sad"),
        ("I'm terrified of the operation.", "fearful"),
        ("That smells revolting.", "disgusted"),
        ("The bus stops at the corner.", NEUTRAL),
        ("Hm.", NEUTRAL),
    ],
)
def test_a_label_comes_from_words_and_is_never_sure(text: str, label: str) -> None:
    reader = _prosody()
    sound = reader.trace(hum(120, 2.0))
    english, german = reader.read(
        [TracedSentence(sentence(text, 0.0, 2.0, language=language), sound) for language in ("en", "de")]
    )
    assert english.label == label
    assert english.score <= SUREST
    assert (german.label, german.score) == (NEUTRAL, 0.0), "the sentences are English"


def test_funasr_tells_labels_in_two_languages() -> None:
    told = {"labels": ["生气/angry", "开心/happy", "<unk>"], "scores": [0.7, 0.2, 0.1]}
    assert scores_of(told) == {"angry": 0.7, "happy": 0.2, "<unk>": 0.1}


def test_a_model_that_is_missing_is_said(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(ConfigError):
            Emotion2Vec(ModelSource(str(folder))).trace(silence(1.0))
