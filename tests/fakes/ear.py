"""An ear without a model or a process: WAV files at 16,000 samples a second, and a word for each tenth that is loud."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from memory.errors import Invalid, ModelFailed
from memory.model.sound import RATE, HeardPiece, HeardSound, StreamCodec, StreamedSound, Waveform, pcm_of
from memory.ports_sound import EmotionReader
from memory.services.diarising import VoiceModels
from memory.services.ears import HearingModel, Role, must_be_installed
from memory.services.hearing import Ears, hear, within
from memory.services.live_hearing import LiveStreams
from tests.fakes.hearing import Loudness, Pcm, Teller, WaveDecoder, wav


class FakeEar:
    """See memory.services.ears.Ear. It counts what it heard, and may be missing or broken."""

    def __init__(self, *, is_installed: bool = True) -> None:
        self.is_installed = is_installed
        self.broken = False
        self.emotions: EmotionReader | None = None
        self.heard: list[float] = []
        """Seconds of each sound."""
        self.languages: list[str | None] = []
        self.models: list[HearingModel | None] = []
        """With what each file was to be heard."""

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        must_be_installed(self)
        heard = self._heard(_on_disk(file), language)
        self.models.append(model)
        return heard if model is None else replace(heard, engine=f"whisper-{model}")

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        must_be_installed(self)
        return self._heard(io.BytesIO(wav(np.frombuffer(samples, "<i2") / 32_767)), language)

    def _heard(self, file: BinaryIO, language: str | None) -> HeardSound:
        if self.broken:
            raise ModelFailed("Hearing it broke.")
        heard = hear(Ears(WaveDecoder(), Loudness(), Teller(), emotions=self.emotions), file, 14_400.0, language)
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


class FakeLiveStream:
    """See memory.services.ears.LiveStream: PCM, whatever it is said to be; what is loud is words at once."""

    def __init__(self, voices: VoiceModels | None = None) -> None:
        self._streams = LiveStreams(Loudness(), voices)
        self._streams.open(1, Pcm(), Teller())
        self._told: asyncio.Queue[StreamedSound | HeardPiece | None] = asyncio.Queue()
        self.broken = self.closed = self.asks_voices = False

    def ask_voices(self, asks: bool) -> None:
        self.asks_voices = asks
        self._streams.ask_voices(1, asks)

    async def feed(self, message: bytes) -> None:
        if self.broken:
            await self._told.put(None)
            raise ModelFailed("Hearing this stream has ended early; connect again to go on.")
        self._tell(self._streams.feed(1, message))

    async def finish(self) -> None:
        self._tell(self._streams.end(1))
        await self._told.put(None)

    async def heard(self) -> AsyncIterator[StreamedSound | HeardPiece]:
        while not (self.closed and self._told.empty()) and (each := await self._told.get()) is not None:
            yield each
        if self.broken:
            raise ModelFailed("Hearing this stream has ended early; connect again to go on.")

    async def close(self) -> None:
        self.closed = True

    def _tell(self, sound: Waveform) -> None:
        self._told.put_nowait(StreamedSound(pcm_of(sound)))
        while not self._streams.is_idle:
            heard = self._streams.next()
            if isinstance(heard, HeardPiece):
                self._told.put_nowait(heard)


class FakeLiveEar:
    """See memory.services.ears.LiveEar. It keeps the streams that were opened, and as what."""

    def __init__(self, *, is_installed: bool = True, voices: VoiceModels | None = None) -> None:
        self.is_installed, self._voices = is_installed, voices
        self.tells_voices, self.loaded = True, set[Role]()
        self.opened: list[tuple[StreamCodec, int, str | None, FakeLiveStream]] = []

    async def open(self, codec: StreamCodec, rate: int = RATE, language: str | None = None) -> FakeLiveStream:
        must_be_installed(self)
        stream = FakeLiveStream(self._voices)
        self.opened.append((codec, rate, language, stream))
        return stream
