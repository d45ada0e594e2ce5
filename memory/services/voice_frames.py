"""Frames: the moments of a sound at which it is told who speaks, counted from the sound's beginning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import FRAME, FRAME_CENTRE, RATE, Waveform

HOP = RATE * 5 // 2
"""Samples from one chunk to the next: four look at each moment."""
WINDOW = RATE * 3 // 2
"""Samples of the shortest sound of which a vector says much; what is shorter is repeated to that size."""
LONGEST_PAUSE_S = 0.3
"""A shorter pause does not end a turn."""
SHORTEST_TURN_S = 0.2
"""A shorter turn is none."""
Flags = NDArray[np.bool_]
"""[frames]"""


def first_frame(chunk: int) -> int:
    """The frame of a sound at which its chunk of that number begins."""
    return round(chunk * HOP / FRAME)


def sample_of(frame: int) -> int:
    """The sample at which a frame begins."""
    return frame * FRAME + (FRAME_CENTRE - FRAME // 2 if frame else 0)


def frames_of(seconds: float) -> int:
    """Frames in so many seconds."""
    return round(seconds * RATE / FRAME)


def runs(flags: Flags) -> Iterator[tuple[int, int]]:
    """The first frame of each stretch of true ones, and the one behind it."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def smooth(flags: Flags) -> Flags:
    """Without the pauses, and then without the turns, that are too short to be ones."""
    found = flags.copy()
    ends = len(flags)
    for first, past in runs(~flags):
        if first and past < ends and past - first < frames_of(LONGEST_PAUSE_S):
            found[first:past] = True
    for first, past in runs(found):
        if past - first < frames_of(SHORTEST_TURN_S):
            found[first:past] = False
    return found


def repeated(sound: Waveform) -> Waveform:
    """A sound of at least one sample, over and over until it fills a window."""
    return np.resize(sound, WINDOW) if len(sound) < WINDOW else sound
