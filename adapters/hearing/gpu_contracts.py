"""Whether the models of a GPU keep the promises of their ports on this machine; `memoray doctor gpu` asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from adapters.hearing.community_voices import CommunityDiariser, CommunityEmbedder, CommunitySegmenter
from adapters.hearing.emotion2vec import Emotion2Vec
from adapters.hearing.on_gpu import GpuModels
from adapters.hearing.whisper_aligned import WhisperX
from memory.errors import ConfigError
from memory.model.sound import CHUNK, EMOTIONS, FRAMES, RATE, SPEAKERS, HeardSentence, TracedSentence, Waveform
from memory.ports_sound import EmotionReader, SpeakerDiariser, SpeakerSegmenter, Transcriber, VoiceEmbedder

SECONDS = 12
"""Seconds of sound that each is given: more than a chunk of the segmenter."""


def broken_promises(models: GpuModels) -> list[str]:
    """The roles that do not keep them, each with what it has broken. Raises ConfigError of models that are missing."""
    found = []
    for role, check in _checks(models).items():
        if broken := check():
            found.append(f"{role}: {broken}")
    return found


def _checks(models: GpuModels) -> Mapping[str, Callable[[], str]]:
    aligners = {language: models.source(name) for language, name in models.aligners.items()}
    checks = {"words": lambda: transcribes(WhisperX(models.source(models.words), aligners))}
    if models.voices is not None:
        pipeline = models.source(models.voices)
        checks |= {
            "voices": lambda: diarises(CommunityDiariser(pipeline)),
            "segmenter": lambda: segments(CommunitySegmenter(pipeline)),
            "embedder": lambda: embeds(CommunityEmbedder(pipeline)),
        }
    if models.emotion is not None:
        emotion = models.source(models.emotion)
        checks["emotion"] = lambda: feels(Emotion2Vec(emotion))
    return checks


def transcribes(transcriber: Transcriber) -> str:
    """What a transcriber has broken."""
    if transcriber.transcribe(np.zeros(SECONDS * RATE, np.float32), "en").words:
        return "it hears words in silence"
    words = transcriber.transcribe(_noise(), "en").words
    if any(not 0 <= each.start <= each.end <= SECONDS for each in words):
        return "words lie outside of their sound"
    return "" if list(words) == sorted(words, key=lambda each: each.start) else "words are out of order"


def diarises(diariser: SpeakerDiariser) -> str:
    """What a diariser has broken."""
    if diariser.diarise(np.zeros(SECONDS * RATE, np.float32)).turns:
        return "somebody speaks in silence"
    found = diariser.diarise(_noise())
    if any(not 0 <= turn.start < turn.end <= SECONDS for turn in found.turns):
        return "turns lie outside of their sound"
    lengths = [float(np.linalg.norm(each.embedding)) for each in found.voices]
    return "" if np.allclose(lengths, 1.0, atol=1e-4) else "vectors have no unit length"


def segments(segmenter: SpeakerSegmenter) -> str:
    """What a segmenter has broken."""
    chunks = np.stack((np.zeros(CHUNK, np.float32), _noise()[:CHUNK]))
    found = segmenter.segment(chunks)
    if found.shape != (2, FRAMES, SPEAKERS):
        return f"it tells {found.shape}"
    return "somebody speaks in silence" if found[0].any() else ""


def embeds(embedder: VoiceEmbedder) -> str:
    """What an embedder has broken."""
    sounds = [_noise()[: RATE * 2], _noise()[RATE : RATE * 5], _noise()[: RATE // 10]]
    found = embedder.embed(sounds)
    if not np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4):
        return "vectors have no unit length"
    alone = np.concatenate([embedder.embed([each]) for each in sounds])
    return "" if np.allclose(found, alone, atol=1e-3) else "a vector depends on what is heard beside it"


def feels(reader: EmotionReader) -> str:
    """What a reader of emotions has broken."""
    trace = reader.trace(_noise())
    said = HeardSentence("Hm.", 0.0, float(SECONDS), "en", ())
    [told] = reader.read([TracedSentence(said, trace)])
    return "" if told.label in EMOTIONS and 0 <= told.score <= 1 else "it tells what is no feeling"


def must_keep_promises(models: GpuModels) -> None:
    """Raises ConfigError, which names what is broken."""
    if broken := broken_promises(models):
        raise ConfigError(f"The GPU does not hear as it must: {'; '.join(broken)}.")


def _noise() -> Waveform:
    return np.random.default_rng(20).normal(0.0, 0.1, SECONDS * RATE).astype(np.float32)
