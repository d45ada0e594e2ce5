"""An ear on a GPU: the deployment `Speech` hears, and the CPU where that is away, or fails, or where it is busy and
somebody waits. Which of them heard a sound stands in its engine.

Sound goes there as samples in pieces, so that no message is large. A file is decoded here, for code in C reads it.
"""

from __future__ import annotations

import asyncio
import io
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO, TypeVar

from adapters.build_models import plain_samples
from memory.errors import DomainError, Invalid, NotFound, TooLarge, Unavailable, is_away
from memory.model.sound import RATE, SAMPLE, HeardSound
from memory.services.ears import GPU, Ear, HearingModel

log = logging.getLogger("memoray.hearing")
PIECE_BYTES = 2_000_000
"""Bytes of one piece: a minute (chosen: two of them are below what Ray would keep in its store of objects for long)."""
ASKED_S = 2.0
"""Seconds that short answers are waited for; one that starts takes minutes, and Serve would let a call wait."""
SENT_S = 30.0
"""Seconds that one piece may take (chosen)."""
START_S, SLOWEST = 180.0, 1.0
"""Seconds that loading the models may take, and how many a second of sound takes at most (chosen: a tenth is usual on a
CPU with small models, and nobody has measured a GPU)."""
AWAY_S = 60.0
"""Seconds for which one that has failed is not asked again."""
SPEECH, APPLICATION, SERVE = "Speech", "memoray", "serve"
AWAY = "The GPU does not hear now, and the extra `speech`, by which the CPU would, is not installed."
T = TypeVar("T")


class RemoteEar:
    """See memory.services.ears.Ear. `speech` gives the handle of the deployment, None where there is none."""

    def __init__(self, speech: Callable[[], Any], cpu: Ear, most_s: float) -> None:
        self._speech, self._cpu, self._most_s = speech, cpu, most_s
        self._silent = False
        self._away_until = 0.0

    @property
    def is_installed(self) -> bool:
        """Whether anything can hear here."""
        return self._cpu.is_installed or (not self._silent and self._speech() is not None)

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        """See memory.services.ears.Ear. Raises Unavailable where the GPU is asked for and does not hear."""
        if model in (None, GPU):
            heard = await self._by_gpu(file, language, waits=True)
            if heard is not None:
                return heard
            if model == GPU:
                raise Unavailable("The GPU does not hear now; it is tried again.", retry_after_s=round(AWAY_S))
        self._must_hear()
        return await self._cpu.hear(file, language, model)

    async def decode(self, file: BinaryIO, most_s: float) -> BinaryIO:
        """See memory.services.ears.Ear. Without the extra only WAV files of 16 bits, mono, at `RATE` are read."""
        if not self._cpu.is_installed:
            plain = await asyncio.to_thread(plain_samples, file, most_s)
            if plain is not None:
                return plain
        return await self._cpu.decode(file, most_s)

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        """See memory.services.ears.Ear: whoever waits is heard by the CPU while the GPU hears something else."""
        heard = await self._by_gpu(io.BytesIO(samples), language, waits=False)
        if heard is not None:
            return heard
        self._must_hear()
        return await self._cpu.hear_samples(samples, language)

    def _must_hear(self) -> None:
        if not self._cpu.is_installed:
            raise Unavailable(AWAY, retry_after_s=round(AWAY_S))

    async def _by_gpu(self, file: BinaryIO, language: str | None, *, waits: bool) -> HeardSound | None:
        """What the deployment has heard; None where it is away, busy or has failed. Raises Invalid and TooLarge."""
        handle = self._speech()
        if handle is None or time.monotonic() < self._away_until or not await self._is_free(handle, waits):
            return None
        samples = file if isinstance(file, io.BytesIO) else await self.decode(file, self._most_s)
        try:
            return await self._sent(handle, samples, language)
        except Invalid as error:  # as Ray gives it, it is of a class of its own
            raise Invalid(error.detail) from None
        except TooLarge as error:
            raise TooLarge(error.detail) from None
        except NotFound:  # it waited too long for its turn; the GPU hears all the same
            return None
        except Exception as error:  # whatever it is: of a package, of Ray, or that it is late
            if not is_away(error) or isinstance(error, TimeoutError):
                self._gone(error)
            return None  # else it had too many sounds
        finally:
            if samples is not file:
                samples.close()

    async def _is_free(self, handle: Any, waits: bool) -> bool:
        try:
            state = await _within(handle.state.remote(), ASKED_S)
        except Exception as error:
            self._gone(error)
            return False
        self._silent = state == "none"
        return state == "free" or (waits and state == "busy")

    async def _sent(self, handle: Any, samples: BinaryIO, language: str | None) -> HeardSound:
        ticket, size = await _within(handle.begin.remote(), ASKED_S), 0
        try:
            while piece := await asyncio.to_thread(samples.read, PIECE_BYTES):
                await _within(handle.add.remote(ticket, piece), SENT_S)
                size += len(piece)
            longest = START_S + SLOWEST * (size / (RATE * SAMPLE) + self._most_s)  # one other may be heard before it
            heard: HeardSound = await _within(handle.hear.remote(ticket, self._most_s, language), longest)
            return heard
        except BaseException:
            handle.drop.remote(ticket)  # nobody waits for it: it is dropped by itself after a while
            raise

    def _gone(self, error: Exception) -> None:
        kind = error.kind if isinstance(error, DomainError) else type(error).__name__
        log.warning("the GPU does not hear (%s); it is asked again in %d s", kind, AWAY_S)
        self._away_until = time.monotonic() + AWAY_S


class DeployedSpeech:
    """Finds the deployment from a process that was given no handle, by the names of living actors.

    So a machine without one never imports Serve.
    """

    def __init__(self) -> None:
        self._looked = -AWAY_S
        self._handle: Any = None

    def __call__(self) -> Any:
        """Its handle; None where there is none. It is looked for again now and then."""
        if time.monotonic() - self._looked >= AWAY_S:
            self._looked, self._handle = time.monotonic(), _deployed()
        return self._handle


def _deployed() -> Any:
    import ray

    of = f"SERVE_REPLICA::{APPLICATION}#{SPEECH}#"
    names = ray.util.list_named_actors(all_namespaces=True) if ray.is_initialized() else []
    if not any(each["namespace"] == SERVE and each["name"].startswith(of) for each in names):
        return None
    from ray import serve

    return serve.get_deployment_handle(SPEECH, APPLICATION)


async def _within(answer: Awaitable[T], seconds: float) -> T:
    return await asyncio.wait_for(answer, seconds)
