"""Packages of a GPU's environment as far as they are used, with their shapes: whisperx 3.8 and pyannote.audio 4."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest


class FakeWhisperX(ModuleType):
    """whisperx 3.8.6, refusing to be entered twice at once: `pieces` is what it hears, `aligned` what it aligns."""

    def __init__(self, pieces: Sequence[dict[str, Any]], words: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__("whisperx")
        self.pieces, self.words = pieces, words
        self.loaded: list[tuple[str, str, str, bool]] = []
        self.aligners: list[tuple[str, str | None, bool]] = []
        self.languages: list[str | None] = []
        self.refuses = False
        self.model = SimpleNamespace(supported_languages=["en", "de", "ja"])

    def load_model(
        self, model: str, *, device: str, compute_type: str, language: None, vad_method: str, local_files_only: bool
    ) -> Any:
        assert vad_method == "pyannote"
        if self.refuses:
            raise OSError("not in the cache")
        self.loaded.append((model, device, compute_type, local_files_only))
        return self

    def transcribe(self, sound: Any, *, batch_size: int, language: str | None) -> dict[str, Any]:
        self.languages.append(language)
        return {"segments": [dict(each) for each in self.pieces], "language": language or "en"}

    def load_align_model(
        self, *, language_code: str, device: str, model_name: str | None, model_cache_only: bool
    ) -> tuple[str, dict[str, str]]:
        if language_code not in ("en", "de"):
            raise ValueError(f"No default align-model for language: {language_code}")
        self.aligners.append((language_code, model_name, model_cache_only))
        return "aligner", {"language": language_code}

    def align(
        self, pieces: Any, model: str, metadata: Any, sound: Any, device: str, *, return_char_alignments: bool
    ) -> dict[str, Any]:
        return {"segments": [{**pieces[0], "words": list(self.words)}, *({**each, "words": []} for each in pieces[1:])]}

    def install(self, patch: pytest.MonkeyPatch, devices: int = 1) -> None:
        """Put it, and what it needs, where they are imported from."""
        patch.setitem(sys.modules, "whisperx", self)
        patch.setitem(sys.modules, "ctranslate2", SimpleNamespace(get_cuda_device_count=lambda: devices))  # type: ignore[misc]
        patch.setitem(sys.modules, "nltk", ModuleType("nltk"))
        patch.setitem(sys.modules, "nltk.data", SimpleNamespace(find=lambda name: name))  # type: ignore[misc]


@dataclass(frozen=True)
class FakeAnnotation:
    """pyannote.core.Annotation: turns of labels."""

    turns: Sequence[tuple[float, float, str]]

    def labels(self) -> list[str]:
        return sorted({label for _, _, label in self.turns})

    def itertracks(self, *, yield_label: bool) -> Iterator[tuple[Any, str, str]]:
        assert yield_label
        for place, (start, end, label) in enumerate(self.turns):
            yield SimpleNamespace(start=start, end=end), f"t{place}", label


def output(
    turns: Sequence[tuple[float, float, str]], vectors: Any, exclusive: Sequence[tuple[float, float, str]] | None = None
) -> Any:
    """pyannote's DiarizeOutput."""
    return SimpleNamespace(
        speaker_diarization=FakeAnnotation(turns),
        exclusive_speaker_diarization=FakeAnnotation(turns if exclusive is None else exclusive),
        speaker_embeddings=vectors,
    )


class FakePyannote:
    """`Pipeline` and `Model` of pyannote.audio, and torch as far as samples go through it."""

    def __init__(self, told: Any = None) -> None:
        self.told = told
        self.asked: list[tuple[str, str | None]] = []
        self.devices: list[str] = []
        self.heard: list[tuple[tuple[int, ...], int]] = []

    def from_pretrained(self, place: str, subfolder: str | None = None) -> Any:
        self.asked.append((place, subfolder))
        return None if "refused" in place else self

    def to(self, device: str) -> Any:
        self.devices.append(device)
        return self

    def __call__(self, file: Any, device: str | None = None) -> Any:
        if isinstance(file, FakePyannote):  # Inference(model, device)
            return self
        self.heard.append((file["waveform"].shape, file["sample_rate"]))
        return self.told

    def infer(self, sounds: Any) -> Any:
        """Of a segmenter three speakers in turns, of an embedder how loud the halves of a sound are."""
        count, channels, size = sounds.shape
        assert channels == 1
        if self.asked[-1][1] == "segmentation":
            found = np.zeros((count, 589, 3), np.float32)
            found[:, :100, 0] = 1.0
            return found
        halves = (
            np.abs(sounds[:, 0]).reshape(count, 2, size // 2).mean(axis=2) if size % 2 == 0 else np.ones((count, 2))
        )
        return halves.astype(np.float32) + 1e-3

    def install(self, patch: pytest.MonkeyPatch) -> None:
        torch = SimpleNamespace(from_numpy=lambda each: each, device=lambda name: name)
        audio = SimpleNamespace(Pipeline=self, Model=self, Inference=self)
        patch.setitem(sys.modules, "torch", torch)  # type: ignore[misc]
        patch.setitem(sys.modules, "pyannote", ModuleType("pyannote"))
        patch.setitem(sys.modules, "pyannote.audio", audio)  # type: ignore[misc]
