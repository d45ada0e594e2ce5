"""Coders of sound: what is coded has its length and its times, stretch by stretch, and damage is told."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from adapters.hearing.opus_coder import OpusCoder
from memory.errors import SoundDamaged
from memory.model.sound import SAMPLE
from memory.ports_sound import SoundCoder
from tests.fakes.coder import FakeCoder

needs_av = pytest.mark.skipif(importlib.util.find_spec("av") is None, reason="needs the extra `speech`")
CODERS = (FakeCoder, pytest.param(OpusCoder, marks=needs_av), pytest.param(lambda: OpusCoder(32), marks=needs_av))


def clicks(rate: int, seconds: float = 4.0) -> NDArray[np.int16]:
    """Short bursts of a voice's pitch at odd places, in a room that is not quite silent."""
    drawn = np.random.default_rng(1)
    samples = drawn.normal(0, 20, int(rate * seconds))
    burst = np.sin(np.arange(rate // 20) * (2 * np.pi * 440 / rate)) * np.hanning(rate // 20)
    for start in range(rate // 7, len(samples) - len(burst), rate // 3):
        samples[start : start + len(burst)] += 12_000 * burst
    return samples.astype("<i2")


def lag(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """By how many samples `other` comes later than `one`."""
    size = 1 << (len(one) * 2).bit_length()
    product = np.fft.irfft(np.fft.rfft(other, size) * np.conj(np.fft.rfft(one, size)), size)
    best = int(np.argmax(product))
    return best if best < size // 2 else best - size


@pytest.mark.parametrize("made", CODERS)
class TestEveryCoder:
    @pytest.mark.parametrize("rate", [8_000, 16_000])
    @pytest.mark.parametrize("start", [0, 1, 640, 1_280])
    def test_samples_come_back_at_their_place(self, made: Callable[[], SoundCoder], rate: int, start: int) -> None:
        coder, sound = made(), clicks(rate)
        assert coder.is_installed
        assert rate in coder.rates
        coded = coder.encode(sound.tobytes(), rate)
        assert len(coded) < len(sound)
        count = len(sound) - start
        again = np.frombuffer(coder.decode(coded, rate, start, count), "<i2").astype(float)
        assert len(again) == count
        own = sound[start:].astype(float)
        assert abs(lag(own, again)) <= rate // 1_000, "a thousandth of a second"
        assert np.corrcoef(own, again)[0, 1] > 0.7

    @pytest.mark.parametrize("count", [1, 2, 319, 320, 321, 5_000])
    def test_any_length_comes_back(self, made: Callable[[], SoundCoder], count: int) -> None:
        coder = made()
        coded = coder.encode(clicks(16_000)[:count].tobytes(), 16_000)
        assert len(coder.decode(coded, 16_000, 0, count)) == count * SAMPLE

    def test_what_is_damaged_or_too_short_is_told(self, made: Callable[[], SoundCoder]) -> None:
        coder = made()
        coded = coder.encode(clicks(16_000)[:16_000].tobytes(), 16_000)
        for broken in (b"", coded[:-3], coded[: len(coded) // 2], b"\xff" * 50, coded + b"\x05"):
            with pytest.raises(SoundDamaged):
                coder.decode(broken, 16_000, 0, 16_000)
        with pytest.raises(SoundDamaged):
            coder.decode(coded, 16_000, 0, 17_000)


def test_without_the_extra_or_where_it_is_not_wanted_there_is_none() -> None:
    assert not OpusCoder(0).is_wanted
    assert OpusCoder().is_installed == (importlib.util.find_spec("av") is not None)
