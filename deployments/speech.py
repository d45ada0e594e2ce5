"""Hearing as a deployment on a GPU: whole stretches of sound, with words, voices and feelings.

Sound comes in pieces of some megabytes, under a ticket, and what was heard goes back as the CPU's ear tells it
(`actors.remote_ear` asks). Nothing of it has ever run on a GPU: it is tested with fakes of the packages' shapes.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, BinaryIO, Literal, cast

from ray import serve
from ray.serve import Application

from adapters import build_models
from deployments.arguments import AppArgs, SpeechArgs
from memory.errors import NotFound, TooLarge, Unavailable
from memory.model.sound import HeardSound
from memory.services.hearing import Ears, hear

NAME = "Speech"
MOST_PIECE_BYTES = 4_000_000
"""Bytes of one piece: two minutes, so that no message is large (chosen)."""
MOST_SOUNDS = 8
"""Sounds that are sent or heard at once (chosen)."""
LEFT_S = 600.0
"""Seconds after which a sound of which nothing more came is dropped (chosen)."""
Hearing = Literal["none", "free", "busy"]
"""Whether anything can be heard here, and whether something is being heard."""


class Silence:
    """Where no GPU hears: the CPU does, in the gateway and in the worker."""

    async def state(self) -> Hearing:
        """There is nothing."""
        return "none"

    async def begin(self) -> str:
        """Raises Unavailable."""
        raise Unavailable("No GPU hears here.")

    async def add(self, ticket: str, piece: bytes) -> None:
        """Raises Unavailable."""
        raise Unavailable("No GPU hears here.")

    async def hear(self, ticket: str, most_s: float, language: str | None = None) -> HeardSound:
        """Raises Unavailable."""
        raise Unavailable("No GPU hears here.")

    async def drop(self, ticket: str) -> None:
        """There is nothing to forget."""


class SentSound:
    """A sound while it comes, on disk: its samples, and when the last of them came."""

    def __init__(self) -> None:
        self.file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  (closed when it was heard or dropped)
        self.came = time.monotonic()
        self.is_heard = False


class GpuHearing:
    """Hears on the GPU, one sound at a time: its models are not thread-safe."""

    def __init__(self, build: Callable[[], Ears], language: str | None = None) -> None:
        self._build, self._language = build, language
        self._ears: Ears | None = None
        self._turn = asyncio.Lock()
        self._sounds: dict[str, SentSound] = {}
        self._hearing: set[asyncio.Task[HeardSound]] = set()

    async def state(self) -> Hearing:
        """Whether something is being heard."""
        return "busy" if self._turn.locked() else "free"

    async def begin(self) -> str:
        """The ticket of a sound that is going to be sent. Raises Unavailable where there are too many."""
        late = time.monotonic() - LEFT_S
        for ticket in [each for each, sent in self._sounds.items() if sent.came < late and not sent.is_heard]:
            await self.drop(ticket)
        if len(self._sounds) >= MOST_SOUNDS:
            raise Unavailable("Other sounds are being heard; try again in a minute.", retry_after_s=60)
        ticket = secrets.token_hex(8)
        self._sounds[ticket] = SentSound()
        return ticket

    async def add(self, ticket: str, piece: bytes) -> None:
        """Add the next samples of a sound: 16 bits, mono, at `RATE`. Raises NotFound and TooLarge."""
        if len(piece) > MOST_PIECE_BYTES:
            raise TooLarge(f"A piece has at most {MOST_PIECE_BYTES:,} bytes.")
        sent = self._sent(ticket)
        await asyncio.to_thread(sent.file.write, piece)
        sent.came = time.monotonic()

    async def hear(self, ticket: str, most_s: float, language: str | None = None) -> HeardSound:
        """What is said in a sound that was sent, which is dropped then.

        Raises NotFound, Invalid of a language that is not known, TooLarge, and ConfigError of models that are missing.
        """
        sent = self._sent(ticket)
        sent.is_heard = True
        # whoever leaves ends no thread: its turn and its file stay taken until it is done
        hearing = asyncio.ensure_future(self._in_turn(ticket, sent, most_s, language or self._language))
        self._hearing.add(hearing)
        hearing.add_done_callback(self._hearing.discard)
        return await asyncio.shield(hearing)

    async def _in_turn(self, ticket: str, sent: SentSound, most_s: float, language: str | None) -> HeardSound:
        try:
            async with self._turn:
                return await asyncio.to_thread(self._heard, sent.file, most_s, language)
        finally:
            sent.is_heard = False
            await self.drop(ticket)

    async def drop(self, ticket: str) -> None:
        """Forget a sound that was sent; one that is being heard goes afterwards."""
        sent = self._sounds.get(ticket)
        if sent is not None and not sent.is_heard:
            del self._sounds[ticket]
            sent.file.close()

    def _sent(self, ticket: str) -> SentSound:
        sent = self._sounds.get(ticket)
        if sent is None or sent.is_heard:
            raise NotFound("This sound was dropped; send it again.")
        return sent

    def _heard(self, file: BinaryIO, most_s: float, language: str | None) -> HeardSound:
        self._ears = self._ears or self._build()
        file.seek(0)
        return hear(self._ears, file, most_s, language)


def models_of(args: SpeechArgs, trusted: Collection[str], feels: bool) -> dict[str, Any]:
    """The arguments of `adapters.build_models.gpu_ears`."""
    return {
        "words": args.model,
        "aligners": args.aligners,
        "voices": args.voices,
        "emotion": args.emotion,
        "feels": feels,
        "fetch": args.fetch,
        "trusted": frozenset(trusted),
    }


def bind_speech(args: AppArgs, trusted: Collection[str] = (), feels: bool = True) -> Application:
    """The deployment `Speech` for this backend; `trusted` are digests of weights in folders."""
    deployment = serve.deployment(**args.part_options(NAME, args.speech))
    if args.backend != "gpu":
        return deployment(Silence).bind()
    build = partial(build_models.gpu_ears, models_of(args.speech, trusted, feels))
    return deployment(GpuHearing).bind(build, args.speech.language)
