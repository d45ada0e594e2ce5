"""Words by WhisperX on a GPU, with times from an aligner: written from the code of whisperx 3.8, and never run.

On aarch64 the published CTranslate2 wheel holds no CUDA; there it uses the CPU unless CTranslate2 was built from
source. Models load at the first sound, and are not thread-safe.
"""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adapters.hearing.hub_models import ModelSource
from adapters.hearing.whisper import must_be_known
from memory.errors import ConfigError, Unavailable
from memory.model.sound import RATE, HeardWord, Transcript, Waveform

log = logging.getLogger("memoray.hearing")
BATCH = 8
"""Stretches of speech transcribed at once; whisperx's own default."""
UNSPACED = ("ja", "zh")
"""Languages whose words whisperx takes for single signs."""
MISSING = "WhisperX is not installed here: speech.requirements names what is (docs/howto/dgx-spark.md)."
_COMPUTE = {"cuda": "float16", "cpu": "int8"}
"""CTranslate2's arithmetic by device."""


class WhisperX:
    """See memory.ports_sound.Transcriber."""

    def __init__(self, source: ModelSource, aligners: Mapping[str, ModelSource]) -> None:
        """`aligners` are wav2vec 2.0 models by language. For others one is fetched if that is allowed; else times are
        spread over what was heard."""
        self.name = f"whisperx-{source.called}"
        self._source, self._aligners = source, aligners
        self._device = ""
        self._model: Any = None
        self._loaded: dict[str, tuple[Any, Any] | None] = {}

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        """See memory.ports_sound.Transcriber. Raises Unavailable without the package, ConfigError without the model."""
        whisperx = self._load()
        if language is not None:
            must_be_known(language, self._model.model.supported_languages)
        heard = self._model.transcribe(sound, batch_size=BATCH, language=language)
        told = str(heard["language"])
        pieces = heard["segments"]
        aligner = self._aligner(whisperx, told) if pieces else None
        if aligner is not None:
            pieces = whisperx.align(pieces, *aligner, sound, self._device, return_char_alignments=False)["segments"]
        seconds = len(sound) / RATE
        return Transcript(told, _in_order([word for piece in pieces for word in words_of(piece, told, seconds)]))

    def _load(self) -> Any:
        try:
            ctranslate2, whisperx = (importlib.import_module(name) for name in ("ctranslate2", "whisperx"))
        except ImportError as missing:
            raise Unavailable(MISSING) from missing
        if self._model is None:
            place = self._source.place()
            self._device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
            try:
                # pyannote's voice detector comes inside the wheel; silero would be downloaded
                self._model = whisperx.load_model(
                    place,
                    device=self._device,
                    compute_type=_COMPUTE[self._device],
                    language=None,
                    vad_method="pyannote",
                    local_files_only=not self._source.fetch,
                )
            except (OSError, RuntimeError, ValueError) as error:
                raise ConfigError(f"The speech model {self._source.called} could not be loaded.") from error
        return whisperx

    def _aligner(self, whisperx: Any, language: str) -> tuple[Any, Any] | None:
        """What aligns words of a language; None where there is nothing, which is told once."""
        if language not in self._loaded:
            self._loaded[language] = self._found(whisperx, language)
            if self._loaded[language] is None:
                log.warning("words of the language %s get no times of their own: there is no aligner", language)
        return self._loaded[language]

    def _found(self, whisperx: Any, language: str) -> tuple[Any, Any] | None:
        source = self._aligners.get(language)
        if not self._source.fetch and (source is None or not _has_sentences()):
            return None
        name = source.place() if source is not None else None
        try:
            found = whisperx.load_align_model(
                language_code=language,
                device=self._device,
                model_name=name,
                model_cache_only=not self._source.fetch,
            )
        except (OSError, ValueError):  # as whisperx says it of a language for which it knows none
            return None
        model, metadata = found
        return model, metadata


def _has_sentences() -> bool:
    """Whether NLTK's rules of sentences are there: whisperx.align would fetch them."""
    try:
        importlib.import_module("nltk.data").find("tokenizers/punkt_tab")
    except (ImportError, LookupError):
        return False
    return True


def words_of(piece: Mapping[str, Any], language: str, seconds: float) -> list[HeardWord]:
    """The words of an aligned piece. Those without a time share what is between their neighbours, for whisperx gives
    none to what has no letters that its aligner knows; where nothing was aligned the words share the whole piece."""
    told: Sequence[Mapping[str, Any]] = piece.get("words") or [{"word": each} for each in _split(piece, language)]
    if not told:
        return []
    edges = np.full((len(told), 2), np.nan)
    for row, each in zip(edges, told, strict=True):
        row[:] = each.get("start", np.nan), each.get("end", np.nan)
    edges[~np.isfinite(edges).all(axis=1)] = np.nan
    first, last = float(piece["start"]), float(piece["end"])
    edges = np.clip(_filled(edges, first, last), 0.0, seconds)
    sure = math.exp(min(0.0, float(piece.get("avg_logprob") or 0.0))) if "avg_logprob" in piece else 0.0
    space = "" if language in UNSPACED else " "
    return [
        HeardWord(space + str(each["word"]).strip(), float(start), max(float(start), float(end)), _sureness(each, sure))
        for each, (start, end) in zip(told, edges.tolist(), strict=True)
    ]


def _split(piece: Mapping[str, Any], language: str) -> list[str]:
    text = str(piece.get("text", ""))
    return list("".join(text.split())) if language in UNSPACED else text.split()


def _filled(edges: np.ndarray[Any, Any], first: float, last: float) -> np.ndarray[Any, Any]:
    """[words, 2] with times everywhere."""
    found, place = edges.copy(), 0
    while place < len(found):
        if np.isfinite(found[place, 0]):
            place += 1
            continue
        known = np.flatnonzero(np.isfinite(found[place:, 0]))
        past = place + int(known[0]) if len(known) else len(found)
        start = found[place - 1, 1] if place else first
        end = max(start, found[past, 0] if past < len(found) else last)
        steps = np.linspace(start, end, past - place + 1)
        found[place:past, 0], found[place:past, 1] = steps[:-1], steps[1:]
        place = past
    return found


def _sureness(word: Mapping[str, Any], otherwise: float) -> float:
    score = float(word.get("score", np.nan))
    return min(1.0, max(0.0, score if math.isfinite(score) else otherwise))


def _in_order(words: Sequence[HeardWord]) -> list[HeardWord]:
    return sorted(words, key=lambda word: word.start)
