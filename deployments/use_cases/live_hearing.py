"""Live hearing: a stream of a session is kept and heard while it comes; its words are told piece by piece.

What is told to a client was stored before. All sound that came is kept, so the sweep of the session hears what was
skipped, or broke (deployments/use_cases/recordings.py).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.heard_pieces import HeardSegmentOut, SoundPieceIn, keep_piece, store_heard
from memory.errors import ModelFailed, TooManyRequests, Unavailable
from memory.model.sound import RATE, SAMPLE, HeardPiece, HeardSound, SoundFacts, StreamCodec, StreamedSound
from memory.services.ears import LiveStream, must_be_installed
from memory.services.hearing import sentences_of
from memory.services.recognising import are_asked_for
from memory.services.voices import LatestBanks

KEEP_S = 2.0
"""Seconds of sound that are kept at once (chosen: what a gateway that is killed may lose of a stream)."""
STILL_S = 1.0
"""Seconds in which nothing comes, after which less is kept, too (chosen: before a device that has lost its connection
comes again, of which the dead one tells nothing)."""
log = logging.getLogger("memoray.gateway")
KEEP_BYTES = int(KEEP_S * RATE) * SAMPLE


@dataclass(frozen=True, slots=True)
class StreamForm:
    """In what form the messages of a stream come; `rate` is that of PCM."""

    codec: StreamCodec = "pcm16"
    rate: int = RATE


@dataclass(frozen=True, slots=True)
class LiveWords:
    """What is told of a piece: its segments, and seconds of speech before it that are left to the sweep."""

    segments: list[HeardSegmentOut]
    skipped_s: float = 0.0


class LiveSession:
    """One stream of a session, from its first message to its last word."""

    def __init__(self, app: AppContext, who: Caller, piece: SoundPieceIn, stream: LiveStream) -> None:
        self._app, self._who, self._piece, self._stream = app, who, piece, stream
        self._key = f"live-{secrets.token_hex(8)}"
        self._held, self._unkept = bytearray(), b""
        """Sound that is not kept yet: what has come since, and the piece that is being kept or could not be."""
        self._came_at = self._unkept_at = app.clock.now()
        """When the latest message came, and that with which the piece ended: decoder and disk may take their time."""
        self._keeping = asyncio.Lock()
        self._waiting: asyncio.Task[None] | None = None
        self._decoded_bytes = 0
        self._kept, self._stored = 0, 0
        self._heeding: asyncio.Task[None] | None = None
        self._banks = LatestBanks(app.stores.sound.voices)
        self._began = self._came_at
        """When the first sample of the stream was spoken, as its latest sound tells."""

    @property
    def session_id(self) -> str:
        """The session it belongs to."""
        return self._piece.session_id

    async def feed(self, message: bytes) -> None:
        """Add what a device has sent. Raises ModelFailed if hearing has broken."""
        self._came_at = self._app.clock.now()
        await self._stream.feed(message)

    async def finish(self) -> None:
        """Nothing more comes; `told` ends when the rest was heard. Raises ModelFailed."""
        await self._stream.finish()

    async def told(self) -> AsyncIterator[LiveWords]:
        """The words of each piece, once they are stored. Raises ModelFailed, and Unavailable of a full disk."""
        async for each in self._stream.heard():
            if isinstance(each, StreamedSound):
                await self._take(each.pcm)
                continue
            words = LiveWords(await self._store(each), each.skipped_s)
            if words.segments or words.skipped_s:
                yield words
        await self._keep()

    async def close(self) -> None:
        """Hear no more of it; what has come is kept. Raises Unavailable of a full disk."""
        _count(self._app, self._who.user_id, -1)
        try:
            await self._stream.close()
            with suppress(ModelFailed):
                async for each in self._stream.heard():  # what nobody has taken since hearing broke
                    if isinstance(each, StreamedSound):
                        self._held += each.pcm
            await self._keep_all()
        finally:
            besides = [task for task in (self._heeding, self._waiting) if task is not None]
            for task in besides:
                task.cancel()
            await asyncio.gather(*besides, return_exceptions=True)

    async def _take(self, pcm: bytes) -> None:
        self._held += pcm
        self._decoded_bytes += len(pcm)
        self._began = self._came_at - self._decoded_bytes / (SAMPLE * RATE)
        if self._waiting is not None:
            self._waiting.cancel()
        if len(self._held) >= KEEP_BYTES:
            await self._keep()
            if self._heeding is None or self._heeding.done():  # the sound that comes does not wait for it
                self._heeding = asyncio.ensure_future(self.heed_voices())
        else:
            self._waiting = asyncio.ensure_future(self._keep_when_still())

    async def _keep_when_still(self) -> None:
        """Keep what has come if nothing follows. What the disk does not take now is kept with the next sound."""
        await asyncio.sleep(STILL_S)
        with suppress(Unavailable):
            await self._keep_all()

    async def _keep_all(self) -> None:
        while self._held or self._unkept:
            await self._keep()

    async def _keep(self) -> None:
        """Keep what has come. A piece whose keeping was broken off is kept first, under its own key: never twice."""
        async with self._keeping:
            if not self._unkept and self._held:
                self._kept += 1
                self._unkept, self._held = bytes(self._held), bytearray()
                self._unkept_at = self._came_at
            if self._unkept:
                key = f"{self._key}-{self._kept}"
                await keep_piece(self._app, self._who.user_id, key, self._piece, self._unkept, self._unkept_at)
                self._unkept = b""

    async def heed_voices(self) -> None:
        """Have voices told from now on, if it matters whose they are. While nobody can say so it stays as it was."""
        with suppress(Unavailable):
            bank = await self._banks.bank(self._who.scope)
            self._stream.ask_voices(are_asked_for(bank, self._app.settings.sound.strangers))

    async def _store(self, heard: HeardPiece) -> list[HeardSegmentOut]:
        """Store the words of a piece; its sound is kept before."""
        await self._keep()
        if heard.skipped_s:
            log.warning("%.1f s of speech in a live stream were not heard: they are left to the sweep", heard.skipped_s)
        sentences = sentences_of(heard.words, heard.language, heard.said)
        if not sentences:
            return []
        self._stored += 1
        told = HeardSound(SoundFacts(), heard.end, heard.engine, sentences, heard.voices)
        key = f"{self._key}-w{self._stored}"
        return await store_heard(self._app, self._who, key, self._piece, told, self._began, self._banks)


async def open_live(app: AppContext, who: Caller, piece: SoundPieceIn, form: StreamForm) -> LiveSession:
    """Begin to hear a stream.

    Raises Forbidden, TooManyRequests where its memory has as many as it may, and Unavailable where nothing can hear it,
    or all memories together have too many.
    """
    writing(who)
    must_be_installed(app.live_ear)
    most = app.settings.sound.streams
    if app.live[who.user_id] >= most:
        raise TooManyRequests(
            f"{most} streams of this memory are heard already (sound.streams): end one first.", retry_after_s=60
        )
    _count(app, who.user_id, 1)
    try:
        language = piece.language or await _language_of(app, who)
        stream = await app.live_ear.open(form.codec, form.rate, language)
    except BaseException:
        _count(app, who.user_id, -1)
        raise
    session = LiveSession(app, who, piece, stream)
    try:
        await session.heed_voices()
    except BaseException:
        await session.close()
        raise
    return session


def _count(app: AppContext, user_id: str, more: int) -> None:
    app.live[user_id] += more
    if not app.live[user_id]:
        del app.live[user_id]


async def _language_of(app: AppContext, who: Caller) -> str | None:
    """The language of a memory that knows one alone: then it need not be guessed from each first word."""
    languages = (await app.profile(who.user_id)).languages
    return languages[0] if len(languages) == 1 else None
