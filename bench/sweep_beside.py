"""`python -m bench.sweep_beside FOLDER`: how much later words come while a session is swept on the same processors.

FOLDER holds sound files. In turns, with and without a sweep of all of them in the background, the same pieces of speech
are heard as the gateway hears them: as pieces of a session, by the process that stays for them, and over a live stream.
A sweep runs as the worker runs it, in a session of its own and with its niceness. Printed are the medians and their
ratio; exit code 1 if it is above 1.5, the most that a sweep may slow down whoever speaks.

It needs the extra `speech`, and no running Memoray.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import signal
import sys
import tempfile
import time
import wave
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from actors.background import stand_before, step_back
from adapters.capture.voice_memos import SUFFIXES
from adapters.hearing.apart import STEP_FAR_BACK, ApartEar
from adapters.hearing.silero import SileroActivity
from adapters.hearing.sound_files import PyavDecoder
from adapters.modules import module_command, same_imports
from config.models import SpeechModel
from memory.model.sound import RATE, HeardPiece, Waveform, pcm_of
from memory.services.live_hearing import LiveCutter, LivePiece

BAR = 1.5
"""The most by which a sweep may slow down the fast path."""
SETTLE_S = 8.0
"""Seconds after which a sweep has loaded its models and hears."""
LEAST_S, MOST_S = 1.0, 5.0
"""Seconds of speech that make a piece here."""
BLOCK_S = 0.1
ENDING = np.zeros(RATE, np.float32)
"""Silence behind a piece, by which a stream knows its end."""


async def hear_piece(ear: ApartEar, piece: LivePiece) -> float:
    """Seconds until a piece of a session was heard."""
    began = time.monotonic()
    await ear.hear_samples(pcm_of(piece.sound), "en")
    return time.monotonic() - began


async def hear_live(ear: ApartEar, piece: LivePiece) -> float:
    """Seconds from when a live stream has fallen silent to its words."""
    stream = await ear.open("pcm16", RATE, "en")
    try:
        for block in np.split(piece.sound, range(int(BLOCK_S * RATE), len(piece.sound), int(BLOCK_S * RATE))):
            await stream.feed(pcm_of(block))
        began = time.monotonic()
        await stream.feed(pcm_of(ENDING))
        async for each in stream.heard():
            if isinstance(each, HeardPiece):
                break
        return time.monotonic() - began
    finally:
        await stream.close()


async def measured(folder: Path, kind: str, pieces: Sequence[LivePiece], rounds: int) -> dict[str, list[list[float]]]:
    """Seconds of each way of hearing, without a sweep and with one, in turns."""
    model = SpeechModel(kind=kind)  # type: ignore[arg-type]
    ear = ApartEar(model)
    seen: dict[str, list[list[float]]] = {"piece": [[], []], "stream": [[], []]}

    async def all_pieces(beside: int) -> None:
        for each in pieces:
            seen["piece"][beside].append(await hear_piece(ear, each))
            seen["stream"][beside].append(await hear_live(ear, each))

    await hear_piece(ear, pieces[0])
    await hear_live(ear, pieces[0])  # so that loading is not counted
    try:
        for _ in range(rounds):
            await all_pieces(0)
            async with sweeping(folder):
                await all_pieces(1)
    finally:
        await ear.close()
    return seen


@asynccontextmanager
async def sweeping(folder: Path) -> AsyncIterator[None]:
    """A sweep goes on meanwhile. Raises RuntimeError if it did not."""
    command = module_command("bench.sweep_beside", str(folder), "--sweep")
    process = await asyncio.create_subprocess_exec(*command, env=same_imports())
    try:
        await asyncio.sleep(SETTLE_S)
        yield
        if process.returncode is not None:
            raise RuntimeError("the sweep has ended")
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)  # what it has begun ends with it
            await process.wait()


async def sweep(folder: Path) -> None:
    """Hear all files as one, as the worker does, again and again."""
    step_back()
    ear = ApartEar(SpeechModel(), step_back=STEP_FAR_BACK)
    with tempfile.TemporaryFile() as opened:
        file: Any = opened
        file.write(wave_of(np.concatenate(sounds_of(folder))))
        while True:
            await ear.hear(file)


def wave_of(sound: Waveform) -> bytes:
    """A WAV file of it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        writer.writeframes(pcm_of(sound))
    return file.getvalue()


def sounds_of(folder: Path) -> list[Waveform]:
    """All sound files of a folder."""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES]
    return [np.concatenate([*PyavDecoder().open(path.open("rb")).blocks]) for path in paths]


def pieces_of(sounds: Sequence[Waveform], most: int) -> list[LivePiece]:
    """So many pieces of speech, cut as live streams are."""
    found: list[LivePiece] = []
    for sound in sounds:
        cutter = LiveCutter(SileroActivity())
        for block in np.split(sound, range(RATE // 2, len(sound), RATE // 2)):
            found += [each for each in cutter.feed(block) if LEAST_S <= len(each.sound) / RATE <= MOST_S]
            if len(found) >= most:
                return found[:most]
    return found


def report(seen: dict[str, list[list[float]]], seconds: float) -> int:
    """Print the medians; 1 if a sweep slows either way down by more than the bar."""
    worst = 0.0
    for name, (without, beside) in seen.items():
        ratio = median(beside) / median(without)
        worst = max(worst, ratio)
        print(
            f"{name}: p50 {median(without):.2f} s alone, {median(beside):.2f} s beside a sweep, ratio {ratio:.2f};"
            f" p95 {np.quantile(without, 0.95):.2f} and {np.quantile(beside, 0.95):.2f} s ({len(without)} each)"
        )
    print(f"pieces of {seconds:.1f} s on the average; bar {BAR}: {'kept' if worst <= BAR else 'missed'}")
    return int(worst > BAR)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="base", choices=("base", "tiny.en"), help="of the pieces; a sweep has base")
    parser.add_argument("--pieces", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sweep", action="store_true", help="only sweep, without end")
    given = parser.parse_args()
    if given.sweep:
        asyncio.run(sweep(given.folder))
        return
    stand_before()
    pieces = pieces_of(sounds_of(given.folder), given.pieces)
    seen = asyncio.run(measured(given.folder, given.kind, pieces, given.rounds))
    sys.exit(report(seen, float(np.mean([len(each.sound) for each in pieces])) / RATE))


if __name__ == "__main__":
    main()
