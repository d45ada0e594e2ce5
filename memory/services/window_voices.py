"""The voices of a long sound: a vector for each window of speech.

What somebody says is cut where a pause is or where other speakers begin, and into windows. Windows are clustered, and a
moment belongs to the voice of the nearest window.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import FRAME, FRAMES, RATE, Waveform
from memory.ports_sound import VoiceEmbedder
from memory.services.voice_clusters import Labels, Vectors, absorbed, clusters_of, joined, means_of
from memory.services.voice_frames import (
    HOP,
    LONGEST_PAUSE_S,
    SHORTEST_TURN_S,
    WINDOW,
    Flags,
    first_frame,
    frames_of,
    repeated,
    runs,
    sample_of,
    smooth,
)

WINDOW_HOP = WINDOW // 2
"""Samples from one window to the next."""
LEAST_LIKE = 0.50
"""Mean cosine at which windows are one voice (usable: 0.50 to 0.525; 0.45 merges all, 0.575 splits)."""
SAME = 0.75
"""Cosine of the means of two clusters at which they are one voice: that from which a bank learns one. In 52 invented
talks with noise, 14.8 % of the speech was given to another voice before and 9.3 % with it, and 134 voices were too many
before and 84 with it (0.73: 8.7 % and 57, but 4 talks became worse by 5 % or more, with 0.75 one)."""
LEAST_WINDOWS = 3
"""Windows of the smallest voice; smaller ones belong to the nearest."""
ENOUGH = RATE // 2
"""Samples of a piece of speech whose windows make a voice; those of shorter pieces are only given to one (measured on
the same talks: 0.75 s lose a voice of four, and with all windows strangers are made of scraps)."""
LONGEST_S = 30.0
"""Seconds of speech without a pause after which it is cut (chosen: that much sound is held)."""


class SpeechWindows:
    """Windows of speech, each with its vector and the stretch of frames that it stands for."""

    def __init__(self, embedder: VoiceEmbedder) -> None:
        self._embedder = embedder
        self._stretches: list[tuple[int, int]] = []
        self._vectors: list[Vectors] = []
        self._lengths: list[int] = []
        self.done = 0
        """Frames that have been looked at."""

    def settle(
        self, activity: Sequence[NDArray[np.bool_]], sound: Waveform, began: int, frames: int, ends: bool
    ) -> None:
        """Look at the frames up to `frames`, as far as a pause allows, or at all where the sound ends.

        `sound` begins at the sample `began`, which is before the first frame that has not been looked at.
        """
        speech, sets = _speech(activity, self.done, frames)
        count = len(speech) if ends else _whole(speech)
        windows: list[Waveform] = []
        for first, past in _pieces(smooth(speech[:count]), sets):
            start, end = (sample_of(self.done + each) - began for each in (first, past))
            piece = sound[max(start, 0) : end]
            if not len(piece):
                continue
            places = _places(len(piece))
            windows += [repeated(piece[place : place + WINDOW]) for place in places]
            self._stretches += _stretches(self.done + first, self.done + past, places)
            self._lengths += [len(piece)] * len(places)
        if windows:
            self._vectors.append(self._embedder.embed(windows))
        self.done += count

    def voices(self) -> tuple[NDArray[np.bool_], Vectors, Labels]:
        """[frames, voices] who speaks when, the vectors of all windows, and the voice of each."""
        if not self._vectors:
            return np.zeros((self.done, 0), np.bool_), np.zeros((0, 0), np.float32), np.zeros(0, np.int64)
        vectors = np.concatenate(self._vectors)
        labels = _labels(vectors, np.array(self._lengths) >= ENOUGH)
        found = np.zeros((self.done, int(labels.max()) + 1), np.bool_)
        for (first, past), label in zip(self._stretches, labels, strict=True):
            found[first:past, label] = True
        return found, vectors, labels


def _labels(vectors: Vectors, enough: Flags) -> Labels:
    """The voice of each window; those of too little speech go where they are most like."""
    if not enough.any():
        enough = np.ones(len(vectors), np.bool_)
    found = np.zeros(len(vectors), np.int64)
    found[enough] = _clusters(vectors[enough])
    centres = means_of(vectors[enough], found[enough])
    found[~enough] = (vectors[~enough] @ centres.T).argmax(axis=1)
    return found


def _clusters(vectors: Vectors) -> Labels:
    labels = absorbed(vectors, clusters_of(vectors, LEAST_LIKE), LEAST_WINDOWS)
    return absorbed(vectors, joined(vectors, labels, SAME), LEAST_WINDOWS)


def _speech(activity: Sequence[NDArray[np.bool_]], done: int, frames: int) -> tuple[Flags, NDArray[np.int64]]:
    """[frames] from `done` to `frames`: whether at least half of the chunks hear somebody, and a number that stands for
    who speaks, as the chunk says that has the frame nearest to its middle."""
    speech, looked = np.zeros(frames - done, np.int32), np.zeros(frames - done, np.int32)
    sets = np.zeros(frames - done, np.int64)
    middle = (
        np.clip((np.arange(done, frames) - FRAMES / 2) * FRAME / HOP, 0, len(activity) - 1).round().astype(np.int64)
    )
    for chunk in range(max(0, (done - FRAMES) * FRAME // HOP), len(activity)):
        first = first_frame(chunk)
        here = slice(max(first, done), min(first + FRAMES, frames))
        if here.start >= here.stop:
            continue
        active = activity[chunk][here.start - first : here.stop - first]
        mine = slice(here.start - done, here.stop - done)
        speech[mine] += active.any(axis=1)
        looked[mine] += 1
        told = chunk * 8 + active @ np.array((1, 2, 4))
        sets[mine] = np.where(middle[mine] == chunk, told, sets[mine])
    return speech * 2 >= np.maximum(looked, 1), sets


def _whole(speech: Flags) -> int:
    """Frames up to the last long pause; all of them where somebody speaks for too long."""
    pauses = [first for first, past in runs(~speech) if past - first > frames_of(LONGEST_PAUSE_S)]
    if pauses and pauses[-1]:
        return pauses[-1] + 1
    return len(speech) if len(speech) > frames_of(LONGEST_S) or not speech.any() else 0


def _pieces(speech: Flags, sets: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Stretches of speech, cut where others begin to speak. Where the chunk that tells changes nothing is cut, for
    its speakers are others by name alone."""
    changed = np.zeros(len(speech), np.bool_)
    sets = sets[: len(speech)]
    changed[1:] = (sets[1:] != sets[:-1]) & (sets[1:] // 8 == sets[:-1] // 8)
    found: list[tuple[int, int]] = []
    for first, past in runs(speech):
        edges = [first]
        for place in np.flatnonzero(changed[first:past]) + first:
            if min(place - edges[-1], past - place) >= frames_of(SHORTEST_TURN_S):
                edges.append(int(place))
        found += zip(edges, [*edges[1:], past], strict=True)
    return found


def _places(length: int) -> list[int]:
    """Where the windows of a piece of so many samples begin; the last one ends with it."""
    if length <= WINDOW:
        return [0]
    return [*range(0, length - WINDOW, WINDOW_HOP), length - WINDOW]


def _stretches(first: int, past: int, places: Sequence[int]) -> list[tuple[int, int]]:
    """The frames that are nearest to each window of a piece."""
    edges = [(one + other + WINDOW) // 2 // FRAME for one, other in itertools.pairwise(places)]
    return list(zip([first, *(first + each for each in edges)], [*(first + each for each in edges), past], strict=True))
