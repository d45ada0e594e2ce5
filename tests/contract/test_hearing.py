"""What every ear keeps: decoders, voice activity and transcribers, with and without the extra `speech`.

The twins of the extra are skipped where it is not installed: `make extra ARGS=speech` brings them. Those of a GPU have
never been run: they need the hardware, the environment of `speech`, and models (docs/howto/dgx-spark.md).
"""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from memory.errors import Invalid
from memory.model.sound import RATE, Waveform
from memory.ports_sound import SoundDecoder, Transcriber, VoiceActivity
from memory.services.hearing import LONGEST_S
from tests.fakes.hearing import Loudness, Teller, WaveDecoder, silence, tone, wav

IS_INSTALLED = all(importlib.util.find_spec(name) for name in ("av", "faster_whisper"))
needs_extra = pytest.mark.skipif(not IS_INSTALLED, reason="needs the extra speech: make extra ARGS=speech")


def _pyav() -> SoundDecoder:
    from adapters.hearing.sound_files import PyavDecoder

    return PyavDecoder()


def _silero() -> VoiceActivity:
    from adapters.hearing.silero import SileroActivity

    return SileroActivity()


def _whisper() -> Transcriber:
    from adapters.hearing.whisper import WhisperTranscriber

    return WhisperTranscriber("tiny.en")


def twins(fake: Callable[[], Any], real: Callable[[], Any]) -> Any:
    return pytest.mark.parametrize("made", [fake, pytest.param(real, marks=needs_extra)], ids=["fake", "real"])


def _whisperx() -> Transcriber:
    from adapters.hearing.hub_models import ModelSource
    from adapters.hearing.whisper_aligned import WhisperX

    return WhisperX(ModelSource(os.environ["SPEECH_MODEL"], trusted=os.environ.get("TRUSTED", "").split()), {})


on_gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif("SPEECH_MODEL" not in os.environ, reason="SPEECH_MODEL is no model of WhisperX"),
]
decoders = twins(WaveDecoder, _pyav)
activities = twins(Loudness, _silero)
transcribers = pytest.mark.parametrize(
    "made",
    [Teller, pytest.param(_whisper, marks=needs_extra), pytest.param(_whisperx, marks=on_gpu)],
    ids=["fake", "real", "gpu"],
)


@decoders
def test_a_file_comes_in_blocks_that_are_its_samples(made: Callable[[], SoundDecoder]) -> None:
    sound = np.concatenate((tone(12.0), silence(3.0), tone(10.5, 0.25)))
    decoded = made().open(io.BytesIO(wav(sound)))
    blocks = list(decoded.blocks)
    assert len(blocks) > 1
    assert all(block.dtype == np.float32 and block.ndim == 1 for block in blocks)
    assert np.abs(np.concatenate(blocks) - sound).max() < 1e-3
    assert decoded.facts.seconds == pytest.approx(25.5)


@decoders
def test_what_is_no_sound_is_invalid(made: Callable[[], SoundDecoder]) -> None:
    for content in (b"", b"PK\x03\x04" + bytes(500), b"# words\n", bytes(range(256)) * 20):
        with pytest.raises(Invalid):
            list(made().open(io.BytesIO(content)).blocks)


@activities
def test_nobody_speaks_in_silence(made: Callable[[], VoiceActivity]) -> None:
    assert list(made().find(silence(20.0))) == []
    assert list(made().find(silence(0.0))) == []


@activities
def test_stretches_are_in_order_short_and_within(made: Callable[[], VoiceActivity]) -> None:
    noise = np.random.default_rng(7).normal(0, 0.2, 40 * RATE).astype(np.float32)
    for sound in (np.concatenate((silence(1), tone(40), silence(2), tone(3))), noise):
        found = made().find(sound)
        assert all(0 <= each.start < each.end <= len(sound) / RATE for each in found)
        assert all(each.end - each.start <= LONGEST_S + 0.01 for each in found)
        assert all(one.end <= other.start + 1e-6 for one, other in pairwise(found))


@transcribers
def test_words_are_in_order_and_silence_has_none(made: Callable[[], Transcriber]) -> None:
    transcriber = made()
    assert list(transcriber.transcribe(silence(5.0), "en").words) == []
    heard = transcriber.transcribe(tone(3.0), "en")
    assert transcriber.name
    assert heard.language == "en"
    assert all(0 <= each.start <= each.end for each in heard.words)


@needs_extra
def test_of_so_few_samples_a_second_nothing_is_heard() -> None:
    assert list(_pyav().open(io.BytesIO(wav(tone(1.0), rate=4_000))).blocks)
    for rate in (1, 7, 3_999):
        with pytest.raises(Invalid, match="4,000 samples"):
            _pyav().open(io.BytesIO(wav(tone(1.0), rate=rate)))


@needs_extra
def test_of_too_many_samples_a_second_nothing_is_heard() -> None:
    assert list(_pyav().open(io.BytesIO(wav(tone(1.0), rate=768_000))).blocks)
    for rate in (768_001, 40_000_003, 2**31 - 1):
        with pytest.raises(Invalid, match="768,000 samples"):
            _pyav().open(io.BytesIO(wav(tone(1.0), rate=rate)))


@needs_extra
def test_hours_of_nothing_in_a_small_file_are_refused() -> None:
    content = muted(7_200)
    assert len(content) < 60_000
    with pytest.raises(Invalid, match="s of sound in"):
        for _ in _pyav().open(io.BytesIO(content)).blocks:
            pass
    assert sum(map(len, _pyav().open(io.BytesIO(muted(50))).blocks)) == pytest.approx(50 * RATE, rel=0.1)


def muted(seconds: int) -> bytes:
    """FLAC of silence, in as few frames as it can be."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=RATE, layout="mono")
        stream.codec_context.options = {"frame_size": "65535"}
        for place in range(0, seconds * RATE, 65_535):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 65_535), np.int16), format="s16", layout="mono")
            frame.sample_rate, frame.pts = RATE, place
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


@needs_extra
@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (44_100, 2), (48_000, 6)])
def test_every_rate_and_number_of_channels_becomes_one(rate: int, channels: int) -> None:
    sound: Waveform = np.full(2 * rate, 0.25, np.float32)
    samples = np.concatenate(list(_pyav().open(io.BytesIO(wav(sound, channels, rate))).blocks))
    assert len(samples) == pytest.approx(2 * RATE, abs=200)


@needs_extra
@pytest.mark.parametrize("name", ["m4a", "mp3", "ogg", "webm", "flac"])
def test_usual_containers_are_read_and_tell_when_they_were_recorded(name: str) -> None:
    decoded = _pyav().open(io.BytesIO(encoded(name)))
    assert sum(map(len, decoded.blocks)) == pytest.approx(3 * RATE, rel=0.05)
    if name == "m4a":
        assert decoded.facts.recorded_at == "2026-03-01T08:00:00+00:00"


def encoded(name: str) -> bytes:
    """Three seconds of a tone in such a file."""
    import av

    codec = {"m4a": "aac", "mp3": "mp3", "flac": "flac"}.get(name, "libopus")
    form = {"m4a": "mp4"}.get(name, name)
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        container.metadata["creation_time"] = "2026-03-01T08:00:00Z"
        stream = container.add_stream(codec, rate=48_000, layout="mono")
        samples = np.repeat(tone(3.0), 3)[None, :]
        frame = av.AudioFrame.from_ndarray((samples * 32_767).astype(np.int16), format="s16", layout="mono")
        frame.sample_rate = 48_000
        resampler = av.AudioResampler(
            stream.codec_context.format, "mono", 48_000, stream.codec_context.frame_size or 960
        )
        for each in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(each))
        container.mux(stream.encode(None))
    return file.getvalue()


@needs_extra
def test_a_list_of_other_files_opens_none_of_them(tmp_path: Any) -> None:
    (tmp_path / "secret.wav").write_bytes(wav(tone(2.0)))
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:2,\n{tmp_path}/secret.wav\n#EXT-X-ENDLIST\n"
    concatenated = f"ffconcat version 1.0\nfile {tmp_path}/secret.wav\n"
    for content in (playlist, concatenated):
        with pytest.raises(Invalid):
            list(_pyav().open(io.BytesIO(content.encode())).blocks)
