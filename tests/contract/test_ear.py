"""What an ear keeps, in this process and in one of its own: words, samples, and defined refusals of what is damaged.

The twin of the extra is skipped where it is not installed: `make extra ARGS=speech` brings it.
"""

from __future__ import annotations

import asyncio
import io
import os
import random
import signal
import struct
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from adapters.hearing.apart import STEP_BACK, ApartEar
from adapters.hearing.plain_wave import plain_samples
from config.models import SpeechModel
from memory.errors import DomainError, Invalid, TooLarge, Unavailable
from memory.model.sound import RATE
from memory.services.ears import Ear, must_be_installed
from tests.contract.test_hearing import encoded, needs_extra, twins
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import silence, tone, wav

SEED = 20
ears = twins(FakeEar, lambda: ApartEar(SpeechModel(kind="tiny.en")))


def on_disk(content: bytes) -> BinaryIO:
    file: Any = tempfile.TemporaryFile()  # noqa: SIM115  (a test's)
    file.write(content)
    file.seek(0)
    return file  # type: ignore[no-any-return]


@ears
async def test_samples_are_those_of_the_file(made: Callable[[], Ear]) -> None:
    sound = np.concatenate((tone(3.0), silence(1.0)))
    with await made().decode(on_disk(wav(sound)), 60.0) as decoded:
        samples = np.frombuffer(decoded.read(), "<i2").astype(np.float32) / 32_768
    assert np.abs(samples - sound).max() < 1e-3


@ears
async def test_a_sound_that_is_too_long_is_refused(made: Callable[[], Ear]) -> None:
    with pytest.raises(TooLarge, match="10 seconds"):
        await made().decode(on_disk(wav(silence(11.0))), 10.0)


@ears
@pytest.mark.parametrize("content", [b"", b"RIFF", b"PK\x03\x04" + bytes(500), bytes(range(256)) * 20])
async def test_what_is_no_sound_is_invalid(made: Callable[[], Ear], content: bytes) -> None:
    ear = made()
    with pytest.raises(Invalid):
        await ear.decode(on_disk(content), 60.0)
    with pytest.raises(Invalid):
        await ear.hear(on_disk(content))


@ears
async def test_silence_has_no_sentences(made: Callable[[], Ear]) -> None:
    heard = await made().hear(on_disk(wav(silence(3.0))))
    assert (list(heard.sentences), heard.seconds) == ([], 3.0)


@ears
async def test_samples_are_heard_again_and_again(made: Callable[[], Ear]) -> None:
    ear = made()
    for seconds in (1.0, 0.0, 2.5):
        heard = await ear.hear_samples(bytes(2 * int(seconds * RATE)))
        assert (list(heard.sentences), heard.seconds) == ([], seconds)
    if isinstance(ear, ApartEar):
        first = ear._resident._process
        assert first is not None
        first.kill()
        await first.wait()
        assert (await ear.hear_samples(bytes(2 * RATE))).seconds == 1.0, "another takes its place"
        await ear.close()


async def test_where_it_is_missing_it_says_how_to_get_it() -> None:
    ear = ApartEar(SpeechModel())
    if ear.is_installed:
        must_be_installed(ear)
        return
    for asked in (ear.hear(on_disk(wav(tone(1.0)))), ear.decode(on_disk(wav(tone(1.0))), 60.0)):
        with pytest.raises(Unavailable, match="make extra ARGS=speech"):
            await asked


def test_plain_samples_need_no_process_and_all_others_do() -> None:
    assert plain_samples(on_disk(wav(tone(1.0), channels=2)), 60.0) is None
    assert plain_samples(on_disk(wav(tone(1.0), rate=8_000)), 60.0) is None
    assert plain_samples(on_disk(b"RIFF....WAVE"), 60.0) is None
    cut = plain_samples(on_disk(wav(tone(1.0))[:1_001]), 60.0)
    assert cut is not None
    assert len(cut.read()) == (1_001 - 44) // 2 * 2


@pytest.mark.parametrize("riff", [0, 36, 0xFFFFFFFF])
@needs_extra
async def test_a_wave_whose_head_was_never_finished_is_heard_to_its_end(riff: int) -> None:
    """As devices write it that do not know how long it will be: no size, or the size of nothing."""
    whole = wav(tone(1.0))
    unfinished = whole[:4] + struct.pack("<I", riff) + whole[8:40] + bytes(4) + whole[44:]
    assert plain_samples(on_disk(unfinished), 60.0) is None
    with await ApartEar(SpeechModel(kind="tiny.en")).decode(on_disk(unfinished), 60.0) as samples:
        assert len(samples.read()) == 2 * RATE


def test_a_wave_that_tells_of_no_samples_is_no_plain_one() -> None:
    whole = wav(tone(1.0))
    assert plain_samples(on_disk(whole[:40] + bytes(4) + whole[44:]), 60.0) is None


def damaged(count: int) -> list[bytes]:
    """Sounds of many kinds: cut, with other bytes in them, with heads that lie, and whole ones that are strange."""
    draw = random.Random(SEED)
    whole = [wav(tone(1.0)), wav(tone(0.5), 2, 44_100), *(map(encoded, ("m4a", "mp3", "ogg", "webm", "flac")))]
    strange = [_channels(200), _channels(64), wav(tone(0.2), rate=1), wav(tone(0.2), rate=4_000_000), bytes(100_000)]
    made = list(strange)
    while len(made) < count:
        content = bytearray(draw.choice(whole))
        for _ in range(draw.randint(0, 20)):
            content[draw.randrange(min(len(content), draw.choice((64, 4_096, 10**6))))] = draw.randrange(256)
        cut = draw.choice((len(content), draw.randrange(1, len(content))))
        made.append(bytes(content[:cut]))
    return made


def _channels(count: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((count, 2, RATE, 0, "NONE", ""))
        writer.writeframes(bytes(2 * count * 100))
    return file.getvalue()


@needs_extra
async def test_a_process_that_is_killed_is_told_of_and_the_next_sound_is_heard() -> None:
    ear = ApartEar(SpeechModel(kind="tiny.en"))
    hearing = asyncio.ensure_future(ear.hear(on_disk(wav(tone(120.0)))))
    while not (found := _children()):
        await asyncio.sleep(0.01)
    os.kill(found[0], signal.SIGKILL)
    with pytest.raises(Invalid, match="SIGKILL"):
        await hearing
    assert (await ear.hear(on_disk(wav(silence(1.0))))).seconds == 1.0


def _children() -> list[int]:
    """Processes of this one that hear."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = [int(each) for task in tasks for each in task.read_text().split()]
    return [each for each in found if b"apart_child" in Path(f"/proc/{each}/cmdline").read_bytes()]


@needs_extra
async def test_damaged_sounds_are_refused_or_decoded() -> None:
    ear = ApartEar(SpeechModel(kind="tiny.en"), (), STEP_BACK)
    told: dict[str, int] = {}
    for content in damaged(int(os.environ.get("MEMORAY_DAMAGED_SOUNDS", "40"))):
        try:
            with await ear.decode(on_disk(content), 600.0) as decoded:
                assert len(decoded.read()) % 2 == 0
                told["decoded"] = told.get("decoded", 0) + 1
        except DomainError as error:
            told[error.kind] = told.get(error.kind, 0) + 1
    assert told.keys() <= {"decoded", "invalid", "too-large"}, told
    assert len(told) > 1
