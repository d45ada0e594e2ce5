"""Who speaks when in a sound, while it goes by, and who says which word.

Two recipes, both measured on speech (decision 0104): `local_voices` for a short sound, `window_voices` for a
longer one. Of a long one a minute is in memory at most, beside a vector for each window and some bits for each frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import CHUNK, FRAMES, RATE, SPEAKERS, Diarisation, HeardVoice, HeardWord, VoiceTurn, Waveform
from memory.ports_sound import SpeakerDiariser, SpeakerSegmenter, VoiceEmbedder
from memory.services.local_voices import local_voices
from memory.services.voice_clusters import Vectors, means_of
from memory.services.voice_frames import HOP, first_frame, frames_of, runs, sample_of, smooth
from memory.services.window_voices import SpeechWindows

SHORT_S = 60.0
"""Seconds of the longest sound whose voices are told apart by local speakers."""
ROUNDING_S = 1e-9
"""Seconds that the sums of turns may be wrong by: no word overlaps a turn by so little."""
SHORTEST_WORD_S = 0.05
"""Seconds that a word takes at least."""
BATCH = 4
"""Chunks that are looked at at once (chosen: they are held meanwhile)."""


@dataclass(frozen=True, slots=True)
class VoiceModels:
    """What voices are told apart with."""

    segmenter: SpeakerSegmenter
    embedder: VoiceEmbedder


class Diariser:
    """Tells voices apart in one sound, which is given block by block."""

    def __init__(self, models: VoiceModels) -> None:
        self._models = models
        self._windows = SpeechWindows(models.embedder)
        self._activity: list[NDArray[np.bool_]] = []
        self._held = np.zeros(0, np.float32)
        self._began = 0
        self._heard = 0

    def hear(self, block: Waveform) -> None:
        """The next samples."""
        self._held = np.concatenate((self._held, block))
        self._heard += len(block)
        self._look(ends=False)
        if self._heard > SHORT_S * RATE:
            self._settle(ends=False)

    def finish(self) -> Diarisation:
        """The sound ends: who spoke when."""
        self._look(ends=True)
        if not self._activity:
            return Diarisation((), ())
        if self._heard > SHORT_S * RATE:
            self._settle(ends=True)
            active, vectors, labels = self._windows.voices()
            centres = means_of(vectors, labels)
        else:
            active, centres = local_voices(np.stack(self._activity), self._held, self._models.embedder)
        return _diarisation(active, centres, self._models.embedder.name, self._heard)

    def _look(self, *, ends: bool) -> None:
        """Find who speaks in the chunks that are there; the last one of a sound is filled with silence."""
        while starts := self._starts(ends):
            chunks = np.zeros((len(starts), CHUNK), np.float32)
            for row, start in zip(chunks, starts, strict=True):
                sound = self._held[start - self._began : start - self._began + CHUNK]
                row[: len(sound)] = sound
            silent = np.zeros((len(chunks), FRAMES, SPEAKERS), np.bool_)
            self._activity += list(self._models.segmenter.segment(chunks) if chunks.any() else silent)

    def _starts(self, ends: bool) -> list[int]:
        """Where the next chunks begin that can be looked at, at most `BATCH`."""
        count = len(self._activity)
        starts = [chunk * HOP for chunk in range(count, count + BATCH)]
        return [
            start
            for start in starts
            if start + CHUNK <= self._heard
            or (ends and start < self._heard and (not start or start - HOP + CHUNK < self._heard))
        ]

    def _settle(self, *, ends: bool) -> None:
        """Make windows of the frames that no later chunk looks at, and let go of their sound."""
        count = len(self._activity)
        frames = min(first_frame(count - 1) + FRAMES, frames_of(self._heard / RATE)) if ends else first_frame(count)
        if frames > self._windows.done:
            self._windows.settle(self._activity, self._held, self._began, frames, ends)
        needed = min(sample_of(self._windows.done), count * HOP)
        self._held, self._began = self._held[max(0, needed - self._began) :], max(needed, self._began)


class GatheredSound:
    """The same for what looks at a sound as a whole: its blocks are held until it ends."""

    def __init__(self, diariser: SpeakerDiariser) -> None:
        self._diariser = diariser
        self._blocks: list[Waveform] = []

    def hear(self, block: Waveform) -> None:
        """The next samples."""
        self._blocks.append(block)

    def finish(self) -> Diarisation:
        """The sound ends: who spoke when."""
        blocks, self._blocks = self._blocks, []
        return self._diariser.diarise(np.concatenate(blocks)) if blocks else Diarisation((), ())


def telling_apart(models: VoiceModels | SpeakerDiariser) -> Diariser | GatheredSound:
    """What tells the voices of one sound apart, which is given block by block."""
    return Diariser(models) if isinstance(models, VoiceModels) else GatheredSound(models)


def _diarisation(active: NDArray[np.bool_], centres: Vectors, model: str, length: int) -> Diarisation:
    """Voices numbered in the order in which they begin to speak; whoever has no turn is none."""
    turns = sorted(
        (
            VoiceTurn(round(sample_of(first) / RATE, 3), round(min(sample_of(past), length) / RATE, 3), voice)
            for voice in range(active.shape[1])
            for first, past in runs(smooth(active[:, voice]))
            if sample_of(first) < length
        ),
        key=lambda turn: (turn.start, turn.end, turn.voice),
    )
    return renumbered(
        turns,
        [HeardVoice(voice, 0.0, model, tuple(map(float, centre))) for voice, centre in enumerate(centres)],
    )


def renumbered(turns: Sequence[VoiceTurn], voices: Sequence[HeardVoice]) -> Diarisation:
    """The same, with the voices that have turns numbered from 1 in the order of their first one."""
    numbers = {voice: number for number, voice in enumerate(dict.fromkeys(turn.voice for turn in turns), start=1)}
    seconds = dict.fromkeys(numbers, 0.0)
    for turn in turns:
        seconds[turn.voice] += turn.end - turn.start
    kept = [
        replace(each, number=numbers[each.number], seconds=round(seconds[each.number], 3))
        for each in voices
        if each.number in numbers
    ]
    return Diarisation(
        [replace(turn, voice=numbers[turn.voice]) for turn in turns], sorted(kept, key=lambda each: each.number)
    )


def attributed(words: Sequence[HeardWord], turns: Sequence[VoiceTurn]) -> list[int | None]:
    """Who says each word: whose turns it lies in for longest, else whose turn is nearest; None where nobody speaks."""
    if not turns or not words:
        return [None] * len(words)
    starts = np.array([word.start for word in words])
    ends = np.maximum([word.end for word in words], starts + SHORTEST_WORD_S)
    voices = sorted({turn.voice for turn in turns})
    overlaps = np.empty((len(voices), len(words)))
    gaps = np.empty_like(overlaps)
    for row, voice in enumerate(voices):
        begins, closes = _joined([turn for turn in turns if turn.voice == voice])
        edges = np.ravel((begins, closes), order="F")
        spoken = np.ravel((np.cumsum(closes - begins) - (closes - begins), np.cumsum(closes - begins)), order="F")
        overlaps[row] = np.interp(ends, edges, spoken) - np.interp(starts, edges, spoken)
        gaps[row] = _gaps(starts, ends, begins, closes)
    best = np.where(overlaps.max(axis=0) > ROUNDING_S, overlaps.argmax(axis=0), gaps.argmin(axis=0))
    return [voices[each] for each in best]


def _joined(turns: Sequence[VoiceTurn]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the turns of one voice begin and end; those over each other are one."""
    found: list[list[float]] = []
    for turn in sorted(turns, key=lambda each: each.start):
        if found and turn.start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], turn.end)
        else:
            found.append([turn.start, turn.end])
    both = np.array(found)
    return both[:, 0], both[:, 1]


def _gaps(
    starts: NDArray[np.float64], ends: NDArray[np.float64], begins: NDArray[np.float64], closes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Seconds from each word to the nearest turn of a voice."""
    following = np.searchsorted(begins, ends)
    before = np.searchsorted(closes, starts, side="right") - 1
    until = np.where(following < len(begins), begins[np.minimum(following, len(begins) - 1)] - ends, np.inf)
    since = np.where(before >= 0, starts - closes[np.maximum(before, 0)], np.inf)
    return np.minimum(until, since)
