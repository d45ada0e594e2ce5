"""Sounds that never come to an end: packets without sound are given up, and decoding has so much of a processor."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat

import pytest

from adapters.hearing import sound_files

SPIN = """
import os, tempfile
from adapters.hearing import apart_child

class Endless:
    def open(self, file):
        while True:
            pass

apart_child.DECODING_S, apart_child.FileDecoder = 1.0, Endless
with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as written:
    apart_child._decoded(file, {"decoded": os.dup(written.fileno()), "most_s": 600.0})
"""


class Packets:
    """A container whose packets bring a frame each, some of them, and no sound after that."""

    def __init__(self, sounding: int) -> None:
        self._sounding, self.taken = sounding, 0

    def demux(self, stream: object) -> Iterator[Packets]:
        for each in repeat(self):
            self.taken += 1
            yield each

    def decode(self) -> list[str]:
        return ["frame"] if self.taken <= self._sounding else []


@pytest.mark.skipif(importlib.util.find_spec("av") is None, reason="needs the extra `speech`")
@pytest.mark.parametrize(("sounding", "frames"), [(0, []), (3, ["frame", "frame", "frame", None])])
def test_packets_that_bring_no_sound_are_given_up(sounding: int, frames: list[str | None]) -> None:
    packets = Packets(sounding)
    assert list(sound_files._frames(packets, None)) == frames
    assert packets.taken == sounding + sound_files.MOST_BARREN


def test_decoding_that_does_not_come_to_an_end_is_ended() -> None:
    ended = subprocess.run([sys.executable, "-c", SPIN], check=False, timeout=60, capture_output=True)
    assert ended.returncode == -signal.SIGXCPU, ended.stderr
