"""An ear without a model or a process: WAV files at 16,000 samples a second, and a word for each tenth that is loud."""

from __future__ import annotations

import io
import tempfile
from typing import BinaryIO

import numpy as np

from memory.errors import Invalid, ModelFailed
from memory.model.sound import HeardSound
from memory.services.ears import must_be_installed
from memory.services.hearing import Ears, hear, within
from tests.fakes.hearing import Loudness, Teller, WaveDecoder, wav


class FakeEar:
    """See memory.services.ears.Ear. It counts what it heard, and may be missing or broken."""

    def __init__(self, *, is_installed: bool = True) -> None:
        self.is_installed = is_installed
        self.broken = False
        self.heard: list[float] = []
        """Seconds of each sound."""
        self.languages: list[str | None] = []

    async def hear(self, file: BinaryIO, language: str | None = None) -> HeardSound:
        must_be_installed(self)
        return self._heard(_on_disk(file), language)

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        must_be_installed(self)
        return self._heard(io.BytesIO(wav(np.frombuffer(samples, "<i2") / 32_767)), language)

    def _heard(self, file: BinaryIO, language: str | None) -> HeardSound:
        if self.broken:
            raise ModelFailed("Hearing it broke.")
        heard = hear(Ears(WaveDecoder(), Loudness(), Teller()), file, 14_400.0, language)
        self.heard.append(heard.seconds)
        self.languages.append(language)
        return heard

    async def decode(self, file: BinaryIO, most_s: float) -> BinaryIO:
        must_be_installed(self)
        decoded: BinaryIO = tempfile.TemporaryFile()  # type: ignore[assignment]  # noqa: SIM115
        for block in within(WaveDecoder().open(_on_disk(file)).blocks, most_s):
            decoded.write((block * 32_767).astype("<i2").tobytes())
        decoded.seek(0)
        return decoded


def _on_disk(file: BinaryIO) -> BinaryIO:
    """What a process would get: the file by its descriptor, from its beginning. Raises Invalid of an empty one."""
    file.flush()
    file.fileno()
    file.seek(0)
    content = file.read()
    if not content:
        raise Invalid("This sound file is empty.")
    return io.BytesIO(content)
