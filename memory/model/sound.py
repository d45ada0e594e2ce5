"""Sound: samples, where somebody speaks in them, and what was heard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
"""Samples a second of everything that is listened to."""
SAMPLE = 2
"""Bytes of a sample of 16 bits."""
Waveform = NDArray[np.float32]
"""[samples] at `RATE`, mono, in [-1, 1]."""
CHUNK = 10 * RATE
"""Samples in which speakers are told apart at once (source: segmentation-3.0)."""
FRAME = 270
"""Samples from one moment at which it is told who speaks to the next (source: segmentation-3.0)."""
FRAME_CENTRE = 495
"""Samples from a chunk's beginning to the middle of its first frame (source: segmentation-3.0, which sees 991)."""
FRAMES = 589
"""Frames of a chunk (source: segmentation-3.0)."""
SPEAKERS = 3
"""People who are told apart within a chunk; of more, some are taken for one (source: segmentation-3.0)."""
SHORTEST = RATE // 10
"""Samples of the shortest sound of which a voice is made: a tenth of a second (chosen: eight frames of features)."""
NEUTRAL = "neutral"
"""The label of what nothing tells."""
GUESSED = "text+prosody-standin"
"""The method by which the CPU guesses what is felt."""
EMOTIONS = ("angry", "disgusted", "fearful", "happy", NEUTRAL, "sad", "surprised")
"""Labels of feelings (source: emotion2vec+, less `other` and `unknown`)."""
StreamCodec = Literal["pcm16", "opus", "omi"]
"""What the messages of a stream hold: samples of 16 bits, little-endian, mono; a packet of Opus each; or what an Omi's
radio sends, fragments of such packets with their numbers."""


def samples_of(pcm: bytes) -> Waveform:
    """Samples of 16 bits, little-endian, as numbers; half a sample at the end is dropped."""
    return np.frombuffer(pcm[: len(pcm) // SAMPLE * SAMPLE], "<i2").astype(np.float32) / np.float32(32_768)


def pcm_of(sound: Waveform) -> bytes:
    """Samples as 16 bits, little-endian; what is too loud for them is clipped."""
    return (np.clip(sound, -1.0, 1.0) * 32_767).astype("<i2").tobytes()


@dataclass(frozen=True, slots=True)
class SpeechStretch:
    """A part of a sound, in seconds from its beginning."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SoundFacts:
    """What a sound file says of itself: when it was recorded, as ISO 8601, and how many seconds it lasts."""

    recorded_at: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class DecodedSound:
    """A sound file, opened: what it says of itself, and its samples in blocks as they are asked for."""

    facts: SoundFacts
    blocks: Iterator[Waveform]


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word with the sign that follows it; `start` and `end` in seconds, `sureness` in [0, 1]."""

    text: str
    start: float
    end: float
    sureness: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard in one piece of sound, and the code of its language."""

    language: str
    words: Sequence[HeardWord]


@dataclass(frozen=True, slots=True)
class HeardEmotion:
    """A guess at what is felt in a sentence, one of `EMOTIONS`, and by which `method`; `score` is in [0, 1].

    `prosody` is how it is said, in plain numbers, and `scores` what a model gives to each label, where it has these.
    """

    label: str
    score: float
    method: str
    prosody: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeardSentence:
    """Words that one breath or sentence holds together; `start` and `end` in seconds from the sound's beginning.

    `voice` is the number of who said it among the voices of the sound, None where voices are not told apart.
    `emotion` is None where nothing looks for one.
    """

    text: str
    start: float
    end: float
    language: str
    words: Sequence[HeardWord]
    voice: int | None = None
    emotion: HeardEmotion | None = None


@dataclass(frozen=True, slots=True)
class TracedSentence:
    """A sentence and the moments of a sound's trace in which it is said, [moments, features]."""

    sentence: HeardSentence
    trace: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VoiceTurn:
    """One voice speaks without a pause, in seconds from the sound's beginning. Turns of two may overlap."""

    start: float
    end: float
    voice: int


@dataclass(frozen=True, slots=True)
class HeardVoice:
    """Somebody who was heard: the first to speak is number 1. `seconds` is how long, `embedding` the mean vector of the
    voice by that model, of unit length."""

    number: int
    seconds: float
    model: str
    embedding: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Diarisation:
    """Who speaks when: turns in order, and the voices, the first to speak being number 1."""

    turns: Sequence[VoiceTurn]
    voices: Sequence[HeardVoice]


@dataclass(frozen=True, slots=True)
class HeardSound:
    """All that was heard in a sound file of so many `seconds`, by which model, and by how many voices."""

    facts: SoundFacts
    seconds: float
    engine: str
    sentences: Sequence[HeardSentence]
    voices: Sequence[HeardVoice] = ()


@dataclass(frozen=True, slots=True)
class HeardPiece:
    """What was heard in one piece of a stream, in seconds from its beginning, by which model.

    `skipped_s` are seconds of speech before it that were not transcribed, because too much of it waited, or a model
    broke. `voices` are those that were heard in it, where that was asked for, and `said` has the number of one for each
    word.
    """

    stream: int
    start: float
    end: float
    language: str
    words: Sequence[HeardWord]
    engine: str
    skipped_s: float = 0.0
    voices: Sequence[HeardVoice] = ()
    said: Sequence[int | None] = ()


@dataclass(frozen=True, slots=True)
class StreamedSound:
    """Samples of a stream at `RATE`, as `pcm_of` makes them, in the order in which they were spoken."""

    pcm: bytes
