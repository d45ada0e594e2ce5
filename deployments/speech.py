"""Speech to text as a deployment on a GPU. Without one the gateway and the worker hear (adapters/hearing).

Nothing asks it yet: sound is heard on the CPU also where there is a GPU.

`WhisperX` has never run on a GPU: it is written from the code of whisperx 3.8.6 and tested against a fake of its
shapes. On aarch64 the published CTranslate2 wheel holds no CUDA; there it uses the CPU unless CTranslate2 was built
from source.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from ray import serve
from ray.serve import Application

from deployments.arguments import AppArgs, SpeechArgs
from memory.errors import Unavailable
from memory.model.sound import Waveform, samples_of
from memory.model.sources import Segment

NAME = "Speech"
BATCH = 8
"""Stretches of speech transcribed at once; whisperx's own default."""
_COMPUTE = {"cuda": "float16", "cpu": "int8"}
"""CTranslate2's arithmetic by device."""


class Silence:
    """The CPU's: there the gateway hears, and it says so."""

    async def transcribe(self, audio: bytes, session_id: str) -> tuple[Segment, ...]:
        """Raises Unavailable."""
        raise Unavailable("No GPU hears here; send sound to /v1/transcribe.", session_id=session_id)


class WhisperX:
    """Whisper with aligned words. Models load at the first call, one call runs at a time: they are not thread-safe."""

    def __init__(self, args: SpeechArgs) -> None:
        self._args = args
        self._turn = asyncio.Lock()
        self._device = ""
        self._model: Any = None
        self._aligners: dict[str, tuple[Any, Any]] = {}

    async def transcribe(self, audio: bytes, session_id: str) -> tuple[Segment, ...]:
        """The segments heard in 16 kHz mono PCM (signed 16 bit, little-endian). Who spoke is not told apart."""
        async with self._turn:
            return await asyncio.to_thread(self._hear, samples_of(audio), session_id)

    def _hear(self, sound: Waveform, session_id: str) -> tuple[Segment, ...]:
        whisperx = self._load()
        heard = self._model.transcribe(sound, batch_size=BATCH, language=self._args.language)
        language = heard["language"]
        if language not in self._aligners:
            self._aligners[language] = whisperx.load_align_model(language_code=language, device=self._device)
        aligner, metadata = self._aligners[language]
        aligned = whisperx.align(heard["segments"], aligner, metadata, sound, self._device)
        return tuple(_segment(piece, session_id, language) for piece in aligned["segments"])

    def _load(self) -> Any:
        try:
            ctranslate2, whisperx = (importlib.import_module(name) for name in ("ctranslate2", "whisperx"))
        except ImportError as missing:
            raise Unavailable(
                "WhisperX is not installed here: speech.requirements names what is (docs/howto/dgx-spark.md)."
            ) from missing
        if self._model is None:
            self._device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
            # pyannote's voice detector comes inside the wheel; silero would be downloaded
            self._model = whisperx.load_model(
                self._args.model, device=self._device, compute_type=_COMPUTE[self._device],
                language=self._args.language, vad_method="pyannote",
            )  # fmt: skip
        return whisperx


def _segment(piece: dict[str, Any], session_id: str, language: str) -> Segment:
    start, end = float(piece["start"]), float(piece["end"])
    return Segment(
        segment_id=f"{session_id}-{start:.2f}-{end:.2f}",
        speaker="speaker",
        text=str(piece["text"]).strip(),
        start=start,
        end=end,
        language=language,
        stt_engine="whisperx",
    )


def bind_speech(args: AppArgs) -> Application:
    """The deployment `Speech` for this backend."""
    deployment = serve.deployment(**args.part_options(NAME, args.speech))
    return deployment(WhisperX).bind(args.speech) if args.backend == "gpu" else deployment(Silence).bind()
