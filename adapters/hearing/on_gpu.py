"""What hears on a GPU: the same ports as on the CPU, with larger models. None of it has ever run on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters.hearing.apart_child import emotion_reader, voice_models
from adapters.hearing.community_voices import CommunityDiariser
from adapters.hearing.emotion2vec import Emotion2Vec
from adapters.hearing.hub_models import ModelSource, stay_offline
from adapters.hearing.plain_wave import PlainSamples
from adapters.hearing.silero import SileroActivity
from adapters.hearing.whisper_aligned import WhisperX
from memory.ports_sound import EmotionReader, SpeakerDiariser
from memory.services.diarising import VoiceModels
from memory.services.hearing import Ears


@dataclass(frozen=True, slots=True)
class GpuModels:
    """The models by their roles: each a folder, or a name on a hub."""

    words: str
    """A Whisper model in CTranslate2's form."""
    aligners: Mapping[str, str] = field(default_factory=dict)
    """Language -> a wav2vec 2.0 model that tells when each word was said."""
    voices: str | None = None
    """A pipeline of pyannote.audio 4; None = the CPU's models, if they are there, whose prints the bank may have."""
    emotion: str | None = None
    """emotion2vec+; None = the CPU's reader."""
    feels: bool = True
    """Whether what is felt is guessed at all."""
    fetch: bool = False
    """Whether what is not on this machine is fetched."""
    trusted: frozenset[str] = frozenset()
    """SHA-256 of files of weights in folders."""

    def source(self, name: str) -> ModelSource:
        """Where a model comes from."""
        return ModelSource(name, self.fetch, self.trusted)


def gpu_ears(models: GpuModels) -> Ears:
    """What hears samples; models are loaded with the first sound."""
    if not models.fetch:
        stay_offline()
    aligners = {language: models.source(name) for language, name in models.aligners.items()}
    transcriber = WhisperX(models.source(models.words), aligners)
    return Ears(PlainSamples(), SileroActivity(), transcriber, _voices(models), _emotions(models))


def _voices(models: GpuModels) -> VoiceModels | SpeakerDiariser | None:
    if models.voices is None:
        return voice_models(None, models.trusted)
    return CommunityDiariser(models.source(models.voices))


def _emotions(models: GpuModels) -> EmotionReader | None:
    if models.feels and models.emotion is not None:
        return Emotion2Vec(models.source(models.emotion))
    return emotion_reader(models.feels)
