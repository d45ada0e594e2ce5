"""Which models the settings name: encoder, reader, judge, language model. A model is loaded with the first text.

And which engine finds communities: that of the CPU, or one on a GPU.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

from adapters.embedding.absent import AbsentEmbedder
from adapters.embedding.truncated import TruncatedEmbedder
from adapters.hearing import plain_wave
from adapters.hearing.apart import STEP_BACK, STEP_FAR_BACK, ApartEar
from adapters.model_files import (
    FULFILMENT,
    MINILM,
    MINILM_TAUGHT,
    READER,
    READER_HEADS,
    loaded_or_none,
    trusted_of,
)
from adapters.web import WebClient
from config.settings import Settings
from memory.errors import ConfigError
from memory.ports import Embedder, Extractor, GraphEngine, Judge, LanguageModel, Leases
from memory.retrieval.verdicts import VerdictWeights
from memory.rules.fulfilment import FulfilmentWeights
from memory.services.hearing import Ears

log = logging.getLogger("memoray.models")
TAUGHT = "memoray-minilm-2-int8"
"""The encoder beside which verdicts were taught."""


def can_encode(encoder: Embedder) -> bool:
    """Whether an encoder is one, and no name of vectors whose encoder is gone."""
    return not isinstance(encoder, AbsentEmbedder)


def embedder(settings: Settings) -> Embedder:
    """The encoder the settings name, whether it serves or is to; its model is loaded when the first text comes."""
    whole, dimensions = _EMBEDDERS[settings.models.encoder.kind](settings), settings.models.encoder.dimensions
    return whole if dimensions is None else TruncatedEmbedder(whole, dimensions)


def verdict_weights(encoder: str) -> VerdictWeights | None:
    """What was taught beside the encoder of this name, None for one beside which nothing was.

    A file that is missing or another one costs the verdicts, and never the question.
    """
    if encoder != TAUGHT:
        return None
    from adapters.embedding.verdicts import taught_verdicts

    try:
        return taught_verdicts()
    except ConfigError as error:
        log.error("answers are not judged: %s", error.detail)
        return None


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


def readers(settings: Settings, encoder: Callable[[], Awaitable[Embedder]]) -> tuple[Extractor, Extractor]:
    """For the worker: what reads for somebody who waits, and what reads in the background.

    Rules and parser are in a process of their own, which can be ended. A model is asked over HTTP, each call with a
    time limit.
    """
    extractor_ = extractor(settings)
    if settings.models.extraction.kind == "openai":
        return extractor_, extractor_
    from adapters.extraction.apart import Apart

    apart = Apart(extractor_, settings.extraction.deadline_s)
    return reader(apart.asked, settings, encoder), reader(apart.last, settings, encoder)


def reader(extractor: Extractor, settings: Settings, encoder: Callable[[], Awaitable[Embedder]]) -> Extractor:
    """The extractor with what was taught of promises before and after it, or alone where the settings name none."""
    extraction = settings.models.extraction
    if extraction.kind == "openai" or extraction.promises != "taught" or settings.models.encoder.kind != "taught":
        return extractor
    from adapters.extraction.taught_promises import PromiseReader, load_weights

    return PromiseReader(extractor, lambda: load_weights(trusted_of(settings.models.trusted)), encoder)


def fulfilment(settings: Settings) -> FulfilmentWeights | None:
    """What was taught of words that tell of a promise kept; None if the settings want the rules alone."""
    if settings.models.extraction.promises != "taught":
        return None
    from adapters.extraction.promise_fulfilment import load_fulfilment

    return loaded_or_none(FULFILMENT, load_fulfilment, trusted_of(settings.models.trusted))


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


def ear(settings: Settings, leases: Leases | None = None, *, sweeps: bool = False) -> ApartEar:
    """What hears files and streams, for somebody who waits or for sweeps; without the extra it says how to get it.

    Where a GPU is shared it asks for a lease of each piece of live sound.
    """
    step_back = STEP_FAR_BACK if sweeps else STEP_BACK
    shared = leases if settings.lease.device == "gpu" else None
    return ApartEar(settings.models.speech, trusted_of(settings.models.trusted), step_back, shared)


def plain_samples(file: BinaryIO, most_s: float) -> BinaryIO | None:
    """The samples of a WAV file that needs no decoding, in a file of their own; None of any other. Raises TooLarge."""
    return plain_wave.plain_samples(file, most_s)


def gpu_ears(asked: Mapping[str, Any]) -> Ears:
    """What hears on a GPU, by the fields of `adapters.hearing.on_gpu.GpuModels`; models load with the first sound."""
    from adapters.hearing.on_gpu import GpuModels, gpu_ears

    return gpu_ears(GpuModels(**asked))


def check_gpu_ears(asked: Mapping[str, Any]) -> None:
    """Whether these models keep the promises of their ports on this machine. Raises ConfigError, and Unavailable."""
    from adapters.hearing.gpu_contracts import must_keep_promises
    from adapters.hearing.on_gpu import GpuModels

    must_keep_promises(GpuModels(**asked))


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
    try:
        for file in (READER, READER_HEADS):
            file.checked(file.find(), trusted)
    except ConfigError as error:  # it costs what the heads would tell, and never the reading
        log.error("facts are read by the rules alone: %s", error.detail)
        return _rules_extractor(settings)
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


def _taught_judge(settings: Settings) -> Judge:
    from adapters.judging.taught import TaughtJudge

    return TaughtJudge(trusted_of(settings.models.trusted), settings.models.contradiction.asked_above)


_JUDGES: dict[str, Callable[[Settings], Judge | None]] = {
    "rules": lambda _: None,
    "taught": _taught_judge,
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
