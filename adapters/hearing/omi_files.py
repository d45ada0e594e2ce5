"""Offline files of an Omi: packets of Opus, each behind its length in four bytes, little-endian (the device's form)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from adapters.hearing.omi_packets import MOST_PACKET
from adapters.hearing.sound_files import BLOCK_S, PyavDecoder
from adapters.hearing.stream_sound import StreamSound
from memory.errors import Invalid
from memory.model.sound import RATE, DecodedSound, SoundFacts, Waveform

LENGTH_BYTES = 4


class FileDecoder:
    """See memory.ports_sound.SoundDecoder: every usual container, and an Omi's own files."""

    def open(self, file: BinaryIO) -> DecodedSound:
        """See memory.ports_sound.SoundDecoder."""
        first = _length(file.read(LENGTH_BYTES))
        file.seek(0)
        if 0 < first <= MOST_PACKET:  # no container begins so
            return DecodedSound(SoundFacts(), _blocks(file))
        return PyavDecoder().open(file)


def _length(told: bytes) -> int:
    return int.from_bytes(told, "little") if len(told) == LENGTH_BYTES else 0


def _packets(file: BinaryIO) -> Iterator[bytes]:
    """The packets; one that is cut at the end of the file is left out. Raises Invalid of a length that none has."""
    place = 0
    while len(told := file.read(LENGTH_BYTES)) == LENGTH_BYTES:
        length = _length(told)
        if not 0 < length <= MOST_PACKET:
            raise Invalid(f"This file of an Omi is damaged at byte {place}: no packet has {length} bytes.")
        packet = file.read(length)
        if len(packet) < length:
            return
        yield packet
        place += LENGTH_BYTES + length


def _blocks(file: BinaryIO) -> Iterator[Waveform]:
    """The samples; a packet that is damaged is silence. Raises Invalid where none can be decoded."""
    sound, held, count = StreamSound("opus", RATE), list[Waveform](), 0
    for packet in _packets(file):
        held.append(sound.decode(packet))
        count += len(held[-1])
        if count >= BLOCK_S * RATE and sound.decoded:
            yield np.clip(np.concatenate(held), -1.0, 1.0)
            held, count = [], 0
        elif count >= BLOCK_S * RATE:
            break
    if not sound.decoded:
        raise Invalid("No packet of this file can be decoded: it is damaged, or none of an Omi.")
    yield np.clip(np.concatenate([*held, sound.rest()]), -1.0, 1.0)
