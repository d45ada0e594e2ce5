"""What an ear of live streams keeps: all sound comes back decoded and in order, an end after the last word, no mixing.

The twin of the extra is skipped where it is not installed: `make extra ARGS=speech` brings it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np
import pytest

from adapters.hearing.apart import ApartEar
from adapters.hearing.resident import MOST_STREAMS
from config.models import SpeechModel
from memory.errors import Unavailable
from memory.model.sound import RATE, HeardPiece, StreamCodec, StreamedSound, Waveform, pcm_of
from memory.services.ears import LiveEar, LiveStream
from tests.contract.test_hearing import needs_extra, twins
from tests.fakes.ear import FakeLiveEar
from tests.fakes.hearing import silence, tone

Made = Callable[[], LiveEar]
ears = twins(FakeLiveEar, lambda: ApartEar(SpeechModel(kind="tiny.en")))


async def heard(stream: LiveStream) -> tuple[Waveform, list[HeardPiece]]:
    """All that comes of a stream until it ends."""
    sound, pieces = bytearray(), list[HeardPiece]()
    async with asyncio.timeout(120):
        async for each in stream.heard():
            if isinstance(each, StreamedSound):
                sound += each.pcm
            else:
                pieces.append(each)
    await stream.close()
    return np.frombuffer(bytes(sound), "<i2").astype(np.float32) / 32_768, pieces


async def sent(ear: LiveEar, messages: list[bytes], codec: StreamCodec = "pcm16") -> tuple[Waveform, list[HeardPiece]]:
    stream = await ear.open(codec, RATE, "en")
    for each in messages:
        await stream.feed(each)
    await stream.finish()
    return await heard(stream)


@asynccontextmanager
async def opened(made: Made) -> AsyncIterator[LiveEar]:
    ear = made()
    yield ear
    if isinstance(ear, ApartEar):
        await ear.close()


@ears
async def test_all_sound_comes_back_in_order(made: Made) -> None:
    said = np.concatenate((tone(0.7), silence(0.4), tone(0.3, 0.2)))
    pcm = pcm_of(said)
    async with opened(made) as ear:
        sound, _ = await sent(ear, [pcm[place : place + 3_000] for place in range(0, len(pcm), 3_000)])
    assert np.abs(sound - said).max() < 1e-3


@ears
async def test_a_stream_of_silence_has_no_words_and_an_end(made: Made) -> None:
    async with opened(made) as ear:
        sound, pieces = await sent(ear, [pcm_of(silence(0.5))] * 6)
    assert (len(sound), pieces) == (3 * RATE, [])


@ears
async def test_an_empty_stream_ends(made: Made) -> None:
    async with opened(made) as ear:
        assert (await sent(ear, []))[1] == []


@ears
async def test_streams_do_not_mix(made: Made) -> None:
    async with opened(made) as ear:
        (one, _), (other, _) = await asyncio.gather(
            sent(ear, [pcm_of(tone(0.1, 0.5))] * 10), sent(ear, [pcm_of(silence(0.1))] * 20)
        )
    assert (len(one), len(other)) == (RATE, 2 * RATE)
    assert not other.any()
    assert one.any()


@needs_extra
@pytest.mark.parametrize("length_ms", [10, 20, 40, 60])
async def test_packets_of_every_length_are_decoded_and_lost_ones_are_silence(length_ms: int) -> None:
    packets = opus_of(np.concatenate((tone(1.2), silence(1.2))), length_ms)
    numbered = [place.to_bytes(2, "little") + b"\0" + each for place, each in enumerate(packets)]
    gap = slice(600 // length_ms, 1_200 // length_ms)
    lost = [each for place, each in enumerate(numbered) if place not in range(len(numbered))[gap]]
    async with opened(lambda: ApartEar(SpeechModel(kind="tiny.en"))) as ear:
        for codec, messages in (("opus", packets), ("omi", lost)):
            sound, _ = await sent(ear, messages, codec)  # type: ignore[arg-type]
            assert len(sound) / RATE == pytest.approx(2.4, abs=0.15)
            assert np.abs(sound[RATE // 4 : RATE // 2]).max() > 0.1
            assert (np.abs(sound[RATE * 7 // 10 : RATE * 11 // 10]).max() > 0.1) == (codec == "opus")


@needs_extra
async def test_packets_are_decoded_lost_ones_are_silence_and_garbage_breaks_nothing() -> None:
    said = np.concatenate((tone(1.0), silence(1.0)))
    packets = opus_of(said)
    numbered = [place.to_bytes(2, "little") + b"\0" + each for place, each in enumerate(packets)]
    lost = numbered[:30] + numbered[40:]
    noise = [random.Random(1).randbytes(40) for _ in range(25)]
    async with opened(lambda: ApartEar(SpeechModel(kind="tiny.en"))) as ear:
        for codec, messages, seconds in (("opus", packets, 2.0), ("omi", lost, 2.0), ("opus", packets + noise, 2.5)):
            sound, _ = await sent(ear, messages, codec)  # type: ignore[arg-type]
            assert len(sound) / RATE == pytest.approx(seconds, abs=0.6 if messages[-1] in noise else 0.1)
            assert np.abs(sound[RATE // 4 : RATE // 2]).max() > 0.1


@needs_extra
async def test_one_process_hears_streams_and_samples_and_the_next_one_goes_on_when_it_has_ended() -> None:
    ear = ApartEar(SpeechModel(kind="tiny.en"))
    streams = [await ear.open("pcm16") for _ in range(MOST_STREAMS)]
    with pytest.raises(Unavailable, match="Too many"):
        await ear.open("pcm16")
    first = ear._resident._process
    assert first is not None
    assert (await ear.hear_samples(bytes(2 * RATE))).seconds == 1.0
    assert ear._resident._process is first
    for each in streams:
        await each.feed(pcm_of(silence(0.3)))
    first.kill()
    for each in streams:
        await each.feed(pcm_of(silence(0.2)))
        await each.finish()
        assert len((await heard(each))[0]) == RATE // 2
    assert ear._resident._process is not first
    assert (await sent(ear, [pcm_of(silence(0.5))]))[1] == []
    await ear.close()


def opus_of(sound: Waveform, length_ms: int = 20) -> list[bytes]:
    """Packets of so many milliseconds."""
    import av

    encoder = av.CodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.format, encoder.layout = RATE, "s16", "mono"
    encoder.options = {"frame_duration": str(length_ms)}
    length = RATE * length_ms // 1_000
    samples = np.frombuffer(pcm_of(sound), "<i2")
    packets: list[bytes] = []
    for place in range(0, len(samples), length):
        frame = av.AudioFrame.from_ndarray(samples[None, place : place + length], format="s16", layout="mono")
        frame.sample_rate = RATE
        packets += [bytes(each) for each in encoder.encode(frame)]
    return packets + [bytes(each) for each in encoder.encode(None)]
