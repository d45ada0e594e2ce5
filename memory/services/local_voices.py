"""The voices of a short sound: a vector for each speaker of each chunk.

Such a vector is of what somebody says alone. Those of enough speech are clustered, and two of one chunk count as less
alike, for one chunk hardly takes one voice for two. The others go where they are most like, each of a chunk to another
voice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from memory.model.sound import SHORTEST, SPEAKERS, Waveform
from memory.ports_sound import VoiceEmbedder
from memory.services.voice_clusters import Labels, Vectors, clusters_of, means_of
from memory.services.voice_frames import WINDOW, Flags, first_frame, repeated, runs, sample_of

LEAST_LIKE = 0.55
"""Mean cosine at which local speakers are one voice."""
PENALTY = 0.3
"""By how much two speakers of one chunk are less alike."""
LONGEST = 4 * WINDOW * 2 // 3
"""Samples of one local speaker that are looked at: four seconds."""
NONE = -1


@dataclass(frozen=True, slots=True)
class LocalSpeaker:
    """One person within one chunk; `alone` is what they say while nobody else speaks."""

    chunk: int
    place: int
    alone: Waveform

    @property
    def is_enough(self) -> bool:
        """Whether a vector of it says whose voice it is."""
        return len(self.alone) >= WINDOW


def local_voices(
    activity: NDArray[np.bool_], sound: Waveform, embedder: VoiceEmbedder
) -> tuple[NDArray[np.bool_], Vectors]:
    """[frames, voices] who speaks when, and [voices, dimensions]; `activity` is [chunks, FRAMES, SPEAKERS]."""
    found = [each for chunk in range(len(activity)) for each in _speakers(activity[chunk], chunk, sound)]
    frames = first_frame(len(activity) - 1) + activity.shape[1] if len(activity) else 0
    if not found:
        return np.zeros((frames, 0), np.bool_), np.zeros((0, 0), np.float32)
    vectors = embedder.embed([repeated(each.alone) for each in found])
    enough = np.array([each.is_enough for each in found])
    if not enough.any():
        enough[:] = True
    chunks = np.array([each.chunk for each in found])
    labels = np.full(len(found), NONE)
    labels[enough] = clusters_of(vectors[enough], LEAST_LIKE, chunks[enough], PENALTY)
    centres = means_of(vectors[enough], labels[enough])
    _place_others(labels, chunks, vectors @ centres.T)
    voices = np.full((len(activity), SPEAKERS), NONE)
    voices[chunks, [each.place for each in found]] = labels
    return _together(activity, voices, frames, len(centres)), centres


def _speakers(active: NDArray[np.bool_], chunk: int, sound: Waveform) -> list[LocalSpeaker]:
    """The speakers of a chunk of whom there is enough to hear."""
    found = []
    for place in range(SPEAKERS):
        speaks = active[:, place]
        for flags in (speaks & (active.sum(axis=1) == 1), speaks):
            alone = _heard(flags, first_frame(chunk), sound)
            if len(alone) >= SHORTEST:
                found.append(LocalSpeaker(chunk, place, alone))
                break
    return found


def _heard(flags: Flags, first: int, sound: Waveform) -> Waveform:
    pieces = [sound[sample_of(first + start) : sample_of(first + past)] for start, past in runs(flags)]
    return np.concatenate(pieces)[:LONGEST] if pieces else sound[:0]


def _place_others(labels: Labels, chunks: Labels, likeness: NDArray[np.float32]) -> None:
    """Give those who are in no cluster one, within a chunk each another, as far as there are others."""
    for chunk in np.unique(chunks[labels == NONE]):
        mine = np.flatnonzero((chunks == chunk) & (labels == NONE))
        free = np.setdiff1d(np.arange(likeness.shape[1]), labels[chunks == chunk])
        if len(free):
            rows, columns = linear_sum_assignment(likeness[np.ix_(mine, free)], maximize=True)
            labels[mine[rows]] = free[columns]
        left = mine[labels[mine] == NONE]
        labels[left] = likeness[left].argmax(axis=1)


def _together(activity: NDArray[np.bool_], voices: Labels, frames: int, count: int) -> NDArray[np.bool_]:
    """[frames, voices] what half of the chunks or more say that look at a moment."""
    said, looked = np.zeros((frames, count), np.int32), np.zeros((frames, 1), np.int32)
    for chunk, active in enumerate(activity):
        here = slice(first_frame(chunk), first_frame(chunk) + len(active))
        looked[here] += 1
        for voice in np.unique(voices[chunk][voices[chunk] != NONE]):
            said[here, voice] += active[:, voices[chunk] == voice].any(axis=1)
    return said * 2 >= np.maximum(looked, 1)
