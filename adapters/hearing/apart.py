"""Hearing apart: each file in a process of its own, one at a time, which is ended where it takes too long.

Samples, of requests and of live streams, are heard in a process that stays (resident.py).
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import tempfile
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import orjson

from adapters.hearing.crossing import heard_of
from adapters.hearing.installed import has_voice_models
from adapters.hearing.plain_wave import plain_samples
from adapters.hearing.resident import ResidentProcess
from adapters.hearing.resident_stream import ResidentStream
from adapters.modules import module_command, same_imports
from config.models import SpeechModel
from memory.errors import ConfigError, DomainError, Invalid, ModelFailed, TooLarge, Unavailable
from memory.model.sound import RATE, HeardSound, StreamCodec
from memory.ports import Leases
from memory.services.ears import GPU, HearingModel, Role, must_be_installed

MOST_WAITING = 4
"""Sounds that wait for the one that is heard (chosen: minutes each)."""
DECODED_AT_ONCE = 2
"""Files that are decoded at once (chosen: as many as small machines have processors)."""
START_S = 60.0
"""Seconds that a process may take beside hearing; by itself two (chosen)."""
STEP_FORTH, STEP_BACK, STEP_FAR_BACK = 5, 10, 19
"""Niceness of hearing whoever speaks now, of hearing for somebody who waits, and of sweeps: whoever asks a question
comes first, then whoever speaks.
Beside one of the other a sweep gets an eighth of a processor (the kernel's weights, 110 to 15)."""
_ERRORS: Mapping[str, type[DomainError]] = {each.kind: each for each in (Invalid, TooLarge, ConfigError, ModelFailed)}


class ApartEar:
    """See memory.services.ears.Ear and LiveEar. A file that takes longer than the longest may last is given up."""

    def __init__(
        self,
        model: SpeechModel,
        trusted: Collection[str] = (),
        step_back: int = STEP_BACK,
        leases: Leases | None = None,
    ) -> None:
        """With `leases` the process that stays asks for one before it hears a piece."""
        self._model, self._trusted, self._step_back = model, sorted(trusted), step_back
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._decoding = asyncio.Semaphore(DECODED_AT_ONCE)
        self._resident = ResidentProcess(self._wishes() | {"step_back": STEP_FORTH}, leases)

    @property
    def is_installed(self) -> bool:
        """Whether the packages of the extra are there."""
        return all(importlib.util.find_spec(name) is not None for name in ("av", "faster_whisper"))

    @property
    def tells_voices(self) -> bool:
        """See memory.services.ears.LiveEar."""
        return self._model.tell_apart and has_voice_models(self._model.voices)

    @property
    def loaded(self) -> Collection[Role]:
        """See memory.services.ears.LiveEar."""
        return frozenset(self._resident.loaded)

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        """What is said in a file, which must be one on disk.

        Raises Invalid, TooLarge, ModelFailed, and Unavailable where the extra is missing or too many wait.
        """
        must_be_installed(self)
        asked = {"language": language or self._model.language, **self._other(model)}
        if self._waiting > MOST_WAITING:
            raise Unavailable("Other sounds are being heard; try again in a minute.", retry_after_s=60)
        self._waiting += 1
        try:
            async with self._turn:
                return _heard(await self._told(file, asked))
        finally:
            self._waiting -= 1

    async def decode(self, file: BinaryIO, most_s: float) -> BinaryIO:
        """The samples of a file as 16 bits, mono, at `memory.model.sound.RATE`, in a file that whoever gets it closes.

        It takes a moment, so it waits for nothing that is heard, and there are only some at once. Raises as `hear`.
        """
        must_be_installed(self)
        if (plain := await asyncio.to_thread(plain_samples, file, most_s)) is not None:
            return plain
        decoded: Any = tempfile.TemporaryFile()  # noqa: SIM115  (its reader closes it)
        try:
            async with self._decoding:
                told = await self._told(file, {"most_s": most_s, "decoded": decoded.fileno()}, (decoded.fileno(),))
            _must_be_good(told)
        except BaseException:
            decoded.close()
            raise
        decoded.seek(0)
        return decoded  # type: ignore[no-any-return]

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        """What is said in samples of 16 bits, mono, at `RATE`, by a process that stays for the next ones.

        Raises ModelFailed, and Unavailable as `hear`.
        """
        must_be_installed(self)
        return _heard(await self._resident.hear(samples, language or self._model.language))

    async def open(self, codec: StreamCodec, rate: int = RATE, language: str | None = None) -> ResidentStream:
        """See memory.services.ears.LiveEar."""
        must_be_installed(self)
        return await self._resident.open(codec, rate, language or self._model.language)

    async def close(self) -> None:
        """End the process that stays."""
        await self._resident.close()

    def _wishes(self) -> dict[str, Any]:
        return {
            "kind": self._model.kind,
            "path": self._model.path and str(self._model.path),
            "tell_apart": self._model.tell_apart,
            "voices": self._model.voices and str(self._model.voices),
            "emotion": self._model.emotion,
            "trusted": self._trusted,
            "most_s": self._model.most_s,
            "step_back": self._step_back,
        }

    def _other(self, model: HearingModel | None) -> dict[str, Any]:
        """What is wished in the place of the configured model. Raises ModelFailed of one that is not here."""
        if model == GPU or (model == "own" and self._model.path is None):
            raise ModelFailed("That model is not here.")
        return {} if model in (None, "own") else {"kind": model, "path": None}

    async def _told(self, file: BinaryIO, asked: Mapping[str, Any], opened: tuple[int, ...] = ()) -> Mapping[str, Any]:
        """What the process tells of a file; `opened` are the descriptors that it gets. Raises Invalid, ModelFailed."""
        file.flush()
        if not os.fstat(file.fileno()).st_size:
            raise Invalid("This sound file is empty.")
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        wishes = {**self._wishes(), **asked}
        process = await asyncio.create_subprocess_exec(
            *module_command("adapters.hearing.apart_child", orjson.dumps(wishes).decode()),
            stdin=file,
            stdout=asyncio.subprocess.PIPE,
            env=same_imports(),
            pass_fds=opened,
        )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(START_S + wishes["most_s"]):
                written = await process.stdout.read()
                code = await process.wait()
        except TimeoutError:
            raise ModelFailed("Hearing it took too long and was ended.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _read(written, code)


def _read(written: bytes, code: int) -> Mapping[str, Any]:
    """What the process says. Raises Invalid of a sound that it did not survive."""
    if not written:
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise Invalid(f"Hearing this sound ended the process that heard it ({how}): it is damaged, or made to.")
    told: Mapping[str, Any] = orjson.loads(written)
    return told


def _must_be_good(told: Mapping[str, Any]) -> None:
    """Raises what the process has met."""
    if "error" in told:
        raise _ERRORS[told["error"]](told["detail"])


def _heard(told: Mapping[str, Any]) -> HeardSound:
    """What was heard. Raises what the process has met."""
    _must_be_good(told)
    return heard_of(told["heard"])
