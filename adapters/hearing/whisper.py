"""Words by Whisper, through faster-whisper on the CPU; a model is loaded with the first sound, and never fetched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from adapters.model_files import WHISPER_BASE, WHISPER_BASE_REST, WHISPER_TINY
from memory.errors import Invalid
from memory.model.sound import HeardWord, Transcript, Waveform

THREADS = 2
"""Threads of a model (chosen: half of a small machine's processors do nothing else meanwhile)."""
Kind = Literal["base", "tiny.en"]


class WhisperTranscriber:
    """See memory.ports_sound.Transcriber."""

    def __init__(self, kind: Kind = "base", own: Path | None = None, trusted: Collection[str] = ()) -> None:
        self.name = f"whisper-{kind}" if own is None else "whisper"
        self._kind, self._own, self._trusted = kind, own, trusted
        self._model: Any = None

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        """See memory.ports_sound.Transcriber. Raises ConfigError of a model that is missing or not the known one."""
        if self._model is None:
            self._model = self._loaded()
        if language is not None and self._model.model.is_multilingual:
            must_be_known(language, self._model.supported_languages)
        segments, told = self._model.transcribe(
            sound,
            language=language if self._model.model.is_multilingual else "en",
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            word_timestamps=True,
        )
        words = [
            HeardWord(word.word, float(word.start), float(word.end), float(word.probability))
            for segment in segments
            for word in segment.words or ()
        ]
        return Transcript(str(told.language), words)

    def _loaded(self) -> Any:
        from faster_whisper import WhisperModel

        files = self._files()
        return WhisperModel(
            "packaged", device="cpu", compute_type="int8", cpu_threads=THREADS, local_files_only=True, files=files
        )

    def _files(self) -> Mapping[str, bytes]:
        """The files of the model by their names, checked."""
        if self._own is not None or self._kind == "tiny.en":
            folder = WHISPER_TINY.checked(self._own or WHISPER_TINY.find(), self._trusted)
            return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
        folder = WHISPER_BASE.checked(WHISPER_BASE.find())
        rest = WHISPER_BASE_REST.checked(WHISPER_BASE_REST.find())
        files = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
        files["model.bin"] = files.pop("model.bin.part1") + rest.read_bytes()
        return files


def must_be_known(language: str, known: Collection[str]) -> None:
    """Raises Invalid of the code of a language that a model does not know."""
    if language not in known:
        raise Invalid("language: this model does not know that code; en, de and es are some that it knows.")
