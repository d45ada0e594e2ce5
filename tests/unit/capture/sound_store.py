"""A folder of kept sound and all that works on it, for tests of its forms."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np

from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_forms import SoundForms
from adapters.capture.sound_keys import SoundKeys
from adapters.capture.sound_packing import SoundPacking
from adapters.capture.sound_sessions import KeptSession, SoundSessions
from adapters.capture.sounds import SoundFolder
from config.doors import Sound
from tests.fakes.coder import STEP, FakeCoder

RATE = 8_000
NOON = 1_772_366_400.0
LATER = NOON + 100_000
ONE, OTHER = "ab" * 32, "cd" * 32


def said(seconds: float, seed: int = 1) -> bytes:
    """Noise that tells where it is, in steps that the coder keeps."""
    drawn = np.random.default_rng(seed).integers(1, 200, int(seconds * RATE))
    return (drawn * STEP).astype("<i2").tobytes()


class Store:
    """All that works on one folder of sound."""

    def __init__(self, root: Path, *keys: str, coder: FakeCoder | None = None, after_sweeps: bool = False) -> None:
        self.root = root
        self.key_file = root.parent / f"{root.name}.keys"
        self.set_keys(*keys)
        self.forms = SoundForms(SoundKeys(self.key_file if keys else None), coder or FakeCoder())
        self.sounds = SoundFolder(root, Sound(), self.forms)
        self.sessions = SoundSessions(root, self.forms)
        self.cuts = SoundCuts(root, self.forms)
        self.packing = SoundPacking(root, self.sessions, self.forms, after_sweeps=after_sweeps)

    def set_keys(self, *keys: str) -> None:
        self.key_file.touch(0o600)
        self.key_file.write_text("".join(f"{each}  # of May\n" for each in keys))

    def keep(self, *pieces: tuple[float, bytes], stream: str = "omi-a", user: str = "maya") -> None:
        for at, sound in pieces:
            assert self.sounds.keep(user, stream, RATE, sound, NOON + at, None)

    def pack(self) -> int:
        count = 0
        while self.packing.next(LATER):
            count += 1
        return count

    def the(self, user: str = "maya", stream: str = "omi-a") -> KeptSession:
        [session] = self.sessions.of(user, stream)
        return session

    def samples(self, user: str = "maya", stream: str = "omi-a") -> bytes:
        session = self.the(user, stream)
        with self.forms.opened(session.path) as kept:
            return kept.read(0, session.size)

    def heard(self, began: float, ended: float) -> bytes | None:
        cut = self.cuts.cut("maya", "omi-a", NOON + began, NOON + ended)
        if cut is None:
            return None
        with wave.open(io.BytesIO(cut), "rb") as reader:
            return reader.readframes(10**9)

    def files(self) -> set[str]:
        return {path.suffix for path in self.root.rglob("*") if path.is_file() and not path.name.startswith(".")}
