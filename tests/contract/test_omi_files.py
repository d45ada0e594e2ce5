"""Offline files of an Omi are sound files like others; what is damaged in them is told."""

from __future__ import annotations

import io
import random
from contextlib import suppress

import numpy as np
import pytest

from adapters.hearing.apart import ApartEar
from adapters.hearing.omi_files import FileDecoder
from config.models import SpeechModel
from memory.errors import Invalid, TooLarge
from memory.model.sound import RATE
from tests.contract.test_ear import on_disk
from tests.contract.test_hearing import encoded, needs_extra
from tests.contract.test_live_ear import opus_of
from tests.fakes.hearing import silence, tone

pytestmark = needs_extra


def omi(packets: list[bytes]) -> bytes:
    return b"".join(len(each).to_bytes(4, "little") + each for each in packets)


def samples(content: bytes) -> np.ndarray:
    return np.concatenate(list(FileDecoder().open(io.BytesIO(content)).blocks))


def test_packets_become_samples_in_blocks() -> None:
    said = np.concatenate((tone(1.0), silence(24.0)))
    blocks = list(FileDecoder().open(io.BytesIO(omi(opus_of(said)))).blocks)
    assert [len(each) / RATE for each in blocks] == [pytest.approx(10, abs=0.1)] * 2 + [pytest.approx(5, abs=0.2)]
    assert np.abs(blocks[0][RATE // 4 : RATE // 2]).max() > 0.1
    assert np.abs(blocks[1]).max() < 0.01


def test_other_files_are_read_as_before() -> None:
    assert len(samples(encoded("ogg"))) == pytest.approx(3 * RATE, rel=0.05)


def test_what_is_cut_is_read_as_far_as_it_is_whole_and_damaged_packets_are_silence() -> None:
    packets = opus_of(tone(2.0))
    assert len(samples(omi(packets)[:-7])) == pytest.approx(2 * RATE, abs=RATE // 10)
    packets[30] = b"\xff"
    assert len(samples(omi(packets))) == pytest.approx(2 * RATE, abs=RATE // 10)


def test_a_length_that_no_packet_has_is_told_with_its_place() -> None:
    packets = opus_of(tone(1.0))
    for length in (0, 65_537, 2**32 - 1):
        damaged = omi(packets[:5]) + length.to_bytes(4, "little") + omi(packets)
        with pytest.raises(Invalid, match=f"byte {len(omi(packets[:5]))}: no packet has {length} bytes"):
            samples(damaged)


@pytest.mark.parametrize("seed", range(20))
def test_garbage_in_the_form_of_an_omi_is_sound_or_invalid(seed: int) -> None:
    chance = random.Random(seed)
    content = omi([chance.randbytes(chance.randint(1, 300)) for _ in range(200)])
    with suppress(Invalid):
        assert np.abs(samples(content)).max() <= 1.0


async def test_an_ear_hears_and_decodes_them_within_its_bounds() -> None:
    ear = ApartEar(SpeechModel(kind="tiny.en", tell_apart=False))
    content = omi(opus_of(silence(3.0)))
    with await ear.decode(on_disk(content), 60.0) as decoded:
        assert len(decoded.read()) == pytest.approx(2 * 3 * RATE, rel=0.05)
    assert list((await ear.hear(on_disk(content))).sentences) == []
    with pytest.raises(TooLarge):
        await ear.decode(on_disk(content), 2.0)
    with pytest.raises(Invalid, match="No packet"):
        await ear.decode(on_disk(b"\x01\x00\x00\x00"), 2.0)
