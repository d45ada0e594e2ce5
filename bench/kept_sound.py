"""`python -m bench.kept_sound FILE`: what an hour of kept sound takes in each form, and what a cut out of it costs.

FILE is a recording of speech, which is repeated for an hour. It is kept in a folder that is removed afterwards, piece
by piece as a device sends it, then packed with and without a key. It needs the extra `speech`.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_forms import SoundForms
from adapters.capture.sound_keys import SoundKeys
from adapters.capture.sound_packing import SoundPacking
from adapters.capture.sound_sessions import SoundSessions
from adapters.capture.sounds import SoundFolder
from adapters.hearing.opus_coder import OpusCoder
from adapters.hearing.sound_files import PyavDecoder
from config.doors import Sound
from memory.model.sound import RATE, SAMPLE, pcm_of

HOUR = 3_600
PIECE_S = 2
"""Seconds of a piece, as live streams are kept."""
BEGAN = 1_772_366_400.0
CUTS, CUT_S = 40, 5.0
"""Cuts at random places, and how long each is."""


def main() -> int:
    """Measure every form of one recording, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    sound = _hour_of(parser.parse_args().file)
    print(f"{'form':<24}{'MB an hour':>11}{'keep ms/piece':>15}{'pack CPU s':>12}{'cut ms':>8}{'all s':>7}")
    for kbit, is_sealed in ((0, False), (0, True), (24, False), (24, True), (32, False)):
        with tempfile.TemporaryDirectory() as folder:
            _row(Path(folder), sound, kbit, is_sealed)
    return 0


def _hour_of(path: Path) -> bytes:
    with path.open("rb") as file:
        sound = np.concatenate(list(PyavDecoder().open(file).blocks))
    return pcm_of(np.resize(sound, HOUR * RATE))


def _row(folder: Path, sound: bytes, kbit: int, is_sealed: bool) -> None:
    key_file = folder / "key"
    key_file.touch(0o600)
    key_file.write_text(secrets.token_hex(32))
    forms = SoundForms(SoundKeys(key_file if is_sealed else None), OpusCoder(kbit))
    kept, sessions = SoundFolder(folder / "audio", Sound(), forms), SoundSessions(folder / "audio", forms)
    size, took = PIECE_S * RATE * SAMPLE, []
    for place in range(0, len(sound), size):
        begun = time.perf_counter()
        kept.keep("me", "walk", RATE, sound[place : place + size], BEGAN + place / (RATE * SAMPLE) + PIECE_S, None)
        took.append(time.perf_counter() - begun)
    used = time.process_time()
    SoundPacking(folder / "audio", sessions, forms, after_sweeps=False).next(BEGAN + 3 * HOUR)
    used = time.process_time() - used
    cuts, drawn, cut_s = SoundCuts(folder / "audio", forms), np.random.default_rng(1), []
    for at in drawn.uniform(0, HOUR - CUT_S, CUTS):
        begun = time.perf_counter()
        assert cuts.cut("me", "walk-1", BEGAN + at, BEGAN + at + CUT_S) is not None
        cut_s.append(time.perf_counter() - begun)
    [session] = sessions.of("me", "walk")
    begun = time.perf_counter()
    with forms.opened(session.path) as samples:
        length = sum(len(samples.read(place, size)) for place in range(0, len(sound), size))
    whole = time.perf_counter() - begun
    assert length == len(sound)
    name = f"{f'Opus {kbit} kbit/s' if kbit else 'samples'}{', encrypted' if is_sealed else ''}"
    told = kept.figures("me").bytes / 1e6
    print(
        f"{name:<24}{told:>11.2f}{statistics.median(took) * 1e3:>15.1f}{used:>12.1f}"
        f"{statistics.median(cut_s) * 1e3:>8.1f}{whole:>7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
