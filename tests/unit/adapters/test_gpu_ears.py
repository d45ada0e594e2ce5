"""What hears on a GPU, as far as it can be tested without one: with fakes of the packages' shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adapters.hearing.community_voices import (
    NAME,
    CommunityDiariser,
    CommunityEmbedder,
    CommunitySegmenter,
    diarisation_of,
)
from adapters.hearing.gpu_contracts import broken_promises, must_keep_promises
from adapters.hearing.hub_models import ModelSource
from adapters.hearing.on_gpu import GpuModels, gpu_ears
from adapters.hearing.whisper_aligned import WhisperX, words_of
from adapters.model_files import digest_of
from memory.errors import ConfigError, Invalid, Unavailable
from memory.model.sound import CHUNK, FRAMES, SPEAKERS
from tests.fakes.hearing import silence, tone
from tests.fakes.whisperx import FakePyannote, FakeWhisperX, output

PIECES = [
    {"start": 0.5, "end": 2.5, "text": " Call me at 7, please.", "avg_logprob": -0.5},
    {"start": 3.0, "end": 4.0, "text": " Good bye."},
]
WORDS = [
    {"word": "Call", "start": 0.6, "end": 0.9, "score": 0.9},
    {"word": "me", "start": 0.9, "end": 1.0, "score": 0.8},
    {"word": "at", "start": 1.1, "end": 1.2, "score": 0.7},
    {"word": "7,"},
    {"word": "please.", "start": 1.8, "end": 2.4, "score": 1.3},
]
LARGE, ALIGNER = ModelSource("large-v3-turbo"), ModelSource("facebook/wav2vec2-base-960h")


@pytest.mark.parametrize(("devices", "chosen"), [(0, ("cpu", "int8")), (1, ("cuda", "float16"))])
def test_whisperx_loads_once_on_the_device_there_is(
    monkeypatch: pytest.MonkeyPatch, devices: int, chosen: tuple[str, str]
) -> None:
    fake = FakeWhisperX(PIECES, WORDS)
    fake.install(monkeypatch, devices)
    transcriber = WhisperX(LARGE, {"en": ALIGNER})
    heard = transcriber.transcribe(tone(5.0), "en")
    assert transcriber.transcribe(tone(5.0), "en") == heard
    assert transcriber.name == "whisperx-large-v3-turbo"
    assert fake.loaded == [("large-v3-turbo", *chosen, True)]
    assert fake.aligners == [("en", "facebook/wav2vec2-base-960h", True)], "once"
    assert "".join(each.text for each in heard.words) == " Call me at 7, please. Good bye."
    times = [(each.start, each.end) for each in heard.words]
    assert times[:5] == [(0.6, 0.9), (0.9, 1.0), (1.1, 1.2), (1.2, 1.8), (1.8, 2.4)], "a number has no letters"
    assert times[5:] == [(3.0, 3.5), (3.5, 4.0)], "and this piece was not aligned"
    assert [each.sureness for each in heard.words] == pytest.approx([0.9, 0.8, 0.7, np.exp(-0.5), 1.0, 0.0, 0.0])


def test_nothing_is_fetched_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    fake = FakeWhisperX(PIECES, WORDS)
    fake.install(monkeypatch)
    spread = WhisperX(LARGE, {}).transcribe(tone(5.0))
    assert fake.aligners == [], "whisperx would fetch its own"
    assert [round(each.start, 2) for each in spread.words] == [0.5, 0.9, 1.3, 1.7, 2.1, 3.0, 3.5]
    fetching = WhisperX(ModelSource("large-v3-turbo", fetch=True), {})
    fetching.transcribe(tone(5.0))
    assert fake.loaded[-1][-1] is False
    assert fake.aligners == [("en", None, False)]
    assert fetching.transcribe(tone(5.0), "ja").words, "of a language without an aligner"
    fake.refuses = True
    with pytest.raises(ConfigError, match="large-v3-turbo"):
        WhisperX(LARGE, {}).transcribe(tone(1.0))


def test_whisperx_hears_nothing_in_silence_and_knows_its_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeWhisperX([])
    fake.install(monkeypatch)
    transcriber = WhisperX(LARGE, {"en": ALIGNER})
    assert list(transcriber.transcribe(silence(5.0), "en").words) == []
    with pytest.raises(Invalid, match="language"):
        transcriber.transcribe(tone(1.0), "xx")


def test_whisperx_that_is_missing_says_so() -> None:
    with pytest.raises(Unavailable, match=r"speech\.requirements"):
        WhisperX(LARGE, {}).transcribe(tone(1.0))


def test_words_without_times_stay_within_their_sound() -> None:
    told = {"start": 1.0, "end": 9.0, "text": "", "words": [{"word": "a"}, {"word": "b", "start": 2.0, "end": 1.5}]}
    words = words_of(told, "en", 4.0)
    assert [(each.text, each.start, each.end) for each in words] == [(" a", 1.0, 2.0), (" b", 2.0, 2.0)]
    assert [each.text for each in words_of({"start": 0, "end": 1, "text": "はい"}, "ja", 1.0)] == ["は", "い"]
    assert words_of({"start": 0, "end": 1, "text": "  "}, "en", 1.0) == []


def test_exclusive_turns_are_taken_and_vectors_get_unit_length() -> None:
    overlapping = [(0.0, 4.0, "B"), (3.0, 6.0, "A"), (6.0, 20.0, "C")]
    exclusive = [(0.0, 3.5, "B"), (3.5, 6.0, "A"), (6.0, 20.0, "C"), (7.0, 7.0, "A")]
    vectors = np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]])
    found = diarisation_of(output(overlapping, vectors, exclusive), 12.0)
    assert [(turn.start, turn.end, turn.voice) for turn in found.turns] == [
        (0.0, 3.5, 1),
        (3.5, 6.0, 2),
        (6.0, 12.0, 3),
    ]
    assert [(each.number, each.seconds, each.model) for each in found.voices] == [(1, 3.5, NAME), (2, 2.5, NAME)]
    assert found.voices[0].embedding == (0.0, 1.0), "labels are in their own order"
    assert found.voices[1].embedding == pytest.approx((0.6, 0.8))
    assert diarisation_of(output([(0.0, 1.0, "A")], None), 2.0).voices == []


def test_the_pipeline_is_given_samples_and_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakePyannote(output([(0.0, 1.0, "A")], np.array([[1.0, 0.0]])))
    fake.install(monkeypatch)
    diariser = CommunityDiariser(ModelSource("pyannote/speaker-diarization-community-1"))
    assert len(diariser.diarise(tone(2.0)).turns) == len(diariser.diarise(tone(1.0)).turns) == 1
    assert diariser.diarise(silence(0.0)).turns == ()
    assert fake.asked == [("pyannote/speaker-diarization-community-1", None)]
    assert fake.devices == ["cuda"]
    assert fake.heard == [((1, 32_000), 16_000), ((1, 16_000), 16_000)]
    with pytest.raises(ConfigError, match="refused"):
        CommunityDiariser(ModelSource("somebody/refused")).diarise(tone(1.0))


def test_segmenter_and_embedder_are_networks_of_the_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakePyannote()
    fake.install(monkeypatch)
    source = ModelSource("pyannote/speaker-diarization-community-1")
    found = CommunitySegmenter(source).segment(np.zeros((2, CHUNK), np.float32))
    assert (found.shape, found.dtype, found.sum()) == ((2, FRAMES, SPEAKERS), np.bool_, 200)
    assert CommunitySegmenter(source).segment(np.zeros((0, CHUNK), np.float32)).shape == (0, FRAMES, SPEAKERS)
    vectors = CommunityEmbedder(source).embed([tone(1.0), tone(0.1)])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert CommunityEmbedder(source).embed([]).shape == (0, 2)


def test_a_package_that_is_missing_is_said() -> None:
    with pytest.raises(ConfigError, match="not installed"):
        CommunityDiariser(ModelSource("pyannote/none")).diarise(tone(1.0))


def test_weights_of_a_folder_must_be_trusted(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no model"):
        ModelSource(str(tmp_path / "none")).place()
    weights = tmp_path / "embedding" / "pytorch_model.bin"
    weights.parent.mkdir()
    weights.write_bytes(b"weights")
    (tmp_path / "config.yaml").write_text("version: 4")
    with pytest.raises(ConfigError, match=r"models\.trusted"):
        ModelSource(str(tmp_path)).place()
    assert ModelSource(str(tmp_path), trusted=[digest_of(weights)]).place() == str(tmp_path)


def test_each_role_has_its_model() -> None:
    ears = gpu_ears(GpuModels("large-v3-turbo", voices="pyannote/x", emotion="emotion2vec/plus"))
    assert ears.transcriber.name == "whisperx-large-v3-turbo"
    assert isinstance(ears.voices, CommunityDiariser)
    assert ears.emotions is not None
    assert ears.emotions.name == "emotion2vec+"
    assert gpu_ears(GpuModels("m", voices="x/y", feels=False, emotion="x/y")).emotions is None


def test_models_that_break_a_promise_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakePyannote(output([], None))
    fake.install(monkeypatch)
    FakeWhisperX([]).install(monkeypatch)
    models = GpuModels("large-v3-turbo", voices="pyannote/x")
    assert broken_promises(models) == ["segmenter: somebody speaks in silence"], "as this fake does"
    FakeWhisperX(PIECES).install(monkeypatch)
    fake.told = output([(0.0, 99.0, "A")], None)
    with pytest.raises(ConfigError, match="words: it hears words in silence; voices: somebody speaks"):
        must_keep_promises(models)
