"""Which models the settings name: encoder, reader, judge, language model. A model is loaded with the first text.

And which engine finds communities: that of the CPU, or one on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from adapters.embedding.absent import AbsentEmbedder
from adapters.embedding.truncated import TruncatedEmbedder
from adapters.hearing.apart import STEP_BACK, STEP_FAR_BACK, ApartEar
from adapters.hearing.live import ApartLiveEar
from adapters.model_files import MINILM, MINILM_TAUGHT, trusted_of
from adapters.web import WebClient
from config.settings import Settings
from memory.errors import ConfigError
from memory.ports import Embedder, Extractor, GraphEngine, Judge, LanguageModel


def can_encode(encoder: Embedder) -> bool:
    """Whether an encoder is one, and no name of vectors whose encoder is gone."""
    return not isinstance(encoder, AbsentEmbedder)


def embedder(settings: Settings) -> Embedder:
    """The encoder the settings name, whether it serves or is to; its model is loaded when the first text comes."""
    whole, dimensions = _EMBEDDERS[settings.models.encoder.kind](settings), settings.models.encoder.dimensions
    return whole if dimensions is None else TruncatedEmbedder(whole, dimensions)


def gpu_embedder(settings: Settings, device: str) -> Embedder:
    """The encoder of the settings on a GPU, found to agree with the CPU's, which encodes what is heard.

    Raises ConfigError.
    """
    encoder = settings.models.encoder
    if encoder.kind not in _ON_A_GPU:
        raise ConfigError(f"A GPU runs {', '.join(_ON_A_GPU)} only: set models.encoder.kind to one of them.")
    from adapters.embedding.minilm_torch import TorchMiniLmEmbedder, must_agree

    folder, trusted = _own_files(settings)
    own = None if encoder.kind == "minilm-int8" else folder
    whole = TorchMiniLmEmbedder(device, own, trusted, MINILM_TAUGHT if encoder.kind == "taught" else MINILM)
    must_agree(whole, _EMBEDDERS[encoder.kind](settings))
    return whole if encoder.dimensions is None else TruncatedEmbedder(whole, encoder.dimensions)


def extractor(settings: Settings) -> Extractor:
    """The extractor of the settings; its model is loaded when the first text comes."""
    return _EXTRACTORS[settings.models.extraction.kind](settings)


def readers(settings: Settings) -> tuple[Extractor, Extractor]:
    """For the worker: what reads for somebody who waits, and what reads in the background.

    Rules and parser are in a process of their own, which can be ended. A model is asked over HTTP, each call with a
    time limit.
    """
    extractor_ = extractor(settings)
    if settings.models.extraction.kind == "openai":
        return extractor_, extractor_
    from adapters.extraction.apart import Apart

    apart = Apart(extractor_, settings.extraction.deadline_s)
    return apart.asked, apart.last


def judge(settings: Settings) -> Judge | None:
    """The judge outside the turn, or None: then the rules decide within it. A model is loaded with the first pair."""
    return _JUDGES[settings.models.contradiction.kind](settings)


def language(settings: Settings) -> LanguageModel | None:
    """The language model of the settings, or None: everything but free text works without one."""
    return _MODELS[settings.models.language.kind](settings)


def graph_engine(device: Literal["cpu", "gpu"] = "cpu") -> GraphEngine:
    """What finds communities. One on a GPU is asked first whether it agrees with the CPU's. Raises ConfigError."""
    from adapters.graph.cpu import CpuGraphEngine

    if device == "cpu":
        return CpuGraphEngine()
    from adapters.graph.agreeing import must_agree
    from adapters.graph.gpu import CugraphEngine

    engine = CugraphEngine()
    must_agree(engine, CpuGraphEngine())
    return engine


def ear(settings: Settings, *, sweeps: bool = False) -> ApartEar:
    """What hears sound files, for somebody who waits or for sweeps; without the extra it says how to get it."""
    step_back = STEP_FAR_BACK if sweeps else STEP_BACK
    return ApartEar(settings.models.speech, trusted_of(settings.models.trusted), step_back)


def live_ear(settings: Settings) -> ApartLiveEar:
    """What hears streams while they come."""
    return ApartLiveEar(settings.models.speech, trusted_of(settings.models.trusted))


def web(settings: Settings) -> WebClient | None:
    """What a chat may reach of the web, or None: nothing."""
    asked = settings.chat
    return WebClient(asked.search_url, asked.fetch) if asked.search_url or asked.fetch else None


def _openai_model(settings: Settings) -> LanguageModel:
    from adapters.language.openai import OpenAiModel

    return OpenAiModel(settings.models.language)


def _minilm(settings: Settings) -> Embedder:
    from adapters.embedding.minilm import MiniLmEmbedder

    return MiniLmEmbedder(*_own_files(settings))


def _full_minilm(settings: Settings) -> Embedder:
    from adapters.embedding.minilm import FullMiniLmEmbedder

    return FullMiniLmEmbedder(*_own_files(settings))


def _taught_minilm(settings: Settings) -> Embedder:
    from adapters.embedding.minilm import TaughtMiniLmEmbedder

    return TaughtMiniLmEmbedder(*_own_files(settings))


def _own_files(settings: Settings) -> tuple[Path | None, frozenset[str]]:
    """The folder of the encoder's own files, and the digests of all files that the settings trust."""
    return settings.models.encoder.path, trusted_of(settings.models.trusted)


def _e5(settings: Settings) -> Embedder:
    from adapters.embedding.e5 import E5Embedder

    return E5Embedder(*_own_files(settings))


def _hashing(settings: Settings) -> Embedder:
    from adapters.embedding.hashing import HashingEmbedder

    return HashingEmbedder()


def _rules_extractor(settings: Settings) -> Extractor:
    from adapters.extraction import rules_model
    from adapters.extraction.rules import RuleExtractor

    rules_model.choose(settings.models.extraction.path, trusted_of(settings.models.trusted))
    return RuleExtractor()


def _taught_extractor(settings: Settings) -> Extractor:
    from adapters.extraction import rules_model
    from adapters.extraction.taught import TaughtReader

    trusted = trusted_of(settings.models.trusted)
    rules_model.choose(settings.models.extraction.path, trusted)
    return TaughtReader(trusted)


def _openai_extractor(settings: Settings) -> Extractor:
    from adapters.extraction.openai import OpenAiExtractor

    return OpenAiExtractor(settings.models.extraction)


def _local_judge(settings: Settings) -> Judge:
    from adapters.judging.local import LocalJudge

    own, trusted = settings.models.contradiction.path, trusted_of(settings.models.trusted)
    return LocalJudge(settings.home / "models", own, trusted)


def _openai_judge(settings: Settings) -> Judge:
    from adapters.judging.openai import OpenAiJudge
    from adapters.language.openai import OpenAiModel

    return OpenAiJudge(settings.models.contradiction, OpenAiModel(settings.models.contradiction))


_JUDGES: dict[str, Callable[[Settings], Judge | None]] = {
    "rules": lambda _: None,
    "local": _local_judge,
    "openai": _openai_judge,
}
_MODELS: dict[str, Callable[[Settings], LanguageModel | None]] = {"none": lambda _: None, "openai": _openai_model}
_EMBEDDERS: dict[str, Callable[[Settings], Embedder]] = {
    "taught": _taught_minilm,
    "minilm-int8": _minilm,
    "minilm": _full_minilm,
    "e5": _e5,
    "hashing": _hashing,
}
_ON_A_GPU = ("taught", "minilm-int8", "minilm")
"""Kinds whose vectors those of the GPU may stand beside: what int8 weights differ by is far below what rules tell."""
_EXTRACTORS: dict[str, Callable[[Settings], Extractor]] = {
    "rules": _rules_extractor,
    "taught": _taught_extractor,
    "openai": _openai_extractor,
}
