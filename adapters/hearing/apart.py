"""Hearing apart: each sound in a process of its own, one at a time, which is ended where it takes too long."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import orjson

from adapters.hearing.crossing import heard_of
from adapters.modules import module_command, same_imports
from config.doors import SpeechModel
from memory.errors import ConfigError, DomainError, Invalid, ModelFailed, TooLarge, Unavailable
from memory.model.sound import HeardSound

MOST_WAITING = 4
"""Sounds that wait for the one that is heard (chosen: minutes each)."""
START_S = 60.0
"""Seconds that a process may take beside hearing; by itself two (chosen)."""
MISSING = "Hearing needs the extra `speech`: install it with `make extra ARGS=speech`, then start Memoray again."
_ERRORS: Mapping[str, type[DomainError]] = {each.kind: each for each in (Invalid, TooLarge, ConfigError, ModelFailed)}


class ApartEar:
    """Hears sound files. What takes longer than it lasts, or than the longest may last, is given up."""

    def __init__(self, model: SpeechModel, trusted: Collection[str] = ()) -> None:
        self._model, self._trusted = model, sorted(trusted)
        self._turn = asyncio.Lock()
        self._waiting = 0

    @property
    def is_installed(self) -> bool:
        """Whether the packages of the extra are there."""
        return all(importlib.util.find_spec(name) is not None for name in ("av", "faster_whisper"))

    async def hear(self, file: BinaryIO, language: str | None = None) -> HeardSound:
        """What is said in a file, which must be one on disk.

        Raises Invalid, TooLarge, ModelFailed, and Unavailable where the extra is missing or too many wait.
        """
        if not self.is_installed:
            raise Unavailable(MISSING)
        if self._waiting > MOST_WAITING:
            raise Unavailable("Other sounds are being heard; try again in a minute.", retry_after_s=60)
        self._waiting += 1
        try:
            async with self._turn:
                return await self._heard(file, language)
        finally:
            self._waiting -= 1

    async def _heard(self, file: BinaryIO, language: str | None) -> HeardSound:
        file.flush()
        if not os.fstat(file.fileno()).st_size:
            raise Invalid("This sound file is empty.")
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        wishes = {
            "kind": self._model.kind,
            "path": self._model.path and str(self._model.path),
            "tell_apart": self._model.tell_apart,
            "voices": self._model.voices and str(self._model.voices),
            "trusted": self._trusted,
            "most_s": self._model.most_s,
            "language": language or self._model.language,
        }
        process = await asyncio.create_subprocess_exec(
            *module_command("adapters.hearing.apart_child", orjson.dumps(wishes).decode()),
            stdin=file,
            stdout=asyncio.subprocess.PIPE,
            env=same_imports(),
        )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(START_S + self._model.most_s):
                written = await process.stdout.read()
                code = await process.wait()
        except TimeoutError:
            raise ModelFailed("Hearing it took too long and was ended.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _heard(written, code)


def _heard(written: bytes, code: int) -> HeardSound:
    """What the process says. Raises what it has met, and Invalid of a sound that it did not survive."""
    if not written:
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise Invalid(f"Hearing this sound ended the process that heard it ({how}): it is damaged, or made to.")
    told: Mapping[str, Any] = orjson.loads(written)
    if "error" in told:
        raise _ERRORS[told["error"]](told["detail"])
    return heard_of(told["heard"])
