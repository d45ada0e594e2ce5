"""A live stream at a WebSocket: sound comes in, and words go out, whichever door it came through."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, cast

import orjson
from fastapi import Request, WebSocket
from pydantic import Field
from starlette.websockets import WebSocketDisconnect

from deployments.admission import refusal, still_known
from deployments.app_context import app_context_of
from deployments.callers import ACTING_FOR, reader
from deployments.findings import checked
from deployments.kinds import Body, Id, ShortText
from deployments.live_protocol import as_request
from deployments.use_cases.heard_pieces import SoundPieceIn
from deployments.use_cases.live_hearing import LiveSession, LiveWords, StreamForm, open_live
from deployments.use_cases.sources import SessionId
from memory.errors import DomainError, Unauthenticated, Unavailable
from memory.model.sound import StreamCodec
from memory.words.cleaning import visible_json

SILENT_S = 90.0
"""Seconds in which nothing comes, after which a stream is closed (what Omi's app expects)."""
CLOSE = "CloseStream"
"""The type of the message that ends a stream; others are left unread, as clients send some to keep it alive."""
BROKEN = 1011
"""Code of RFC 6455: hearing has ended early, and the client may connect again."""
REFUSED = 1008
"""Code of RFC 6455: the token of the stream lets in no more, and the client need not come again with it."""
MOST_REASON = 120
"""Bytes of the reason of a close, of which RFC 6455 lets 123 pass."""
GONE = (WebSocketDisconnect, RuntimeError)
"""What Starlette raises of whoever has gone, or is told something after the close."""
LOOK_S = 2.0
"""Seconds between looks whether the token of a stream still lets in (chosen: elsewhere a revoked one does as long)."""
log = logging.getLogger("memoray.gateway")


class ListenQuery(Body):
    """The parameters of a stream."""

    session_id: SessionId | None = None
    device_id: ShortText | None = None
    speaker: Id | None = None
    language: Annotated[str, Field(pattern="^[a-z]{2,3}$")] | None = None
    codec: StreamCodec = "pcm16"
    sample_rate: Annotated[int, Field(ge=8_000, le=48_000)] = 16_000
    user_id: Id | None = None


async def hear_socket(socket: WebSocket, given: Mapping[str, Any]) -> None:
    """Hear a stream with these parameters (`ListenQuery`) from its handshake to its close, or refuse it."""
    try:
        session = await _opened(socket, given)
    except DomainError as error:
        await refusal(error, as_request(socket.scope))(socket.scope, socket.receive, socket.send)
        return
    try:
        await socket.accept(headers=[(b"x-session-id", session.session_id.encode())])
        await _served(socket, session)
    finally:
        await asyncio.shield(session.close())


async def _opened(socket: WebSocket, given: Mapping[str, Any]) -> LiveSession:
    """The stream as it was asked for. Raises Unauthenticated, Forbidden, Invalid and Unavailable."""
    head = as_request(socket.scope)
    app = await app_context_of(head)
    told = {**given, "user_id": socket.headers.get(ACTING_FOR)}
    asked = checked(ListenQuery.model_validate, told)
    who = await reader(cast(Request, socket), app, x_user_id=asked.user_id)
    named = asked.session_id or f"live-{secrets.token_hex(8)}"
    piece = SoundPieceIn(named, asked.device_id, asked.speaker, asked.language)
    return await open_live(app, who, piece, StreamForm(asked.codec, asked.sample_rate))


async def _served(socket: WebSocket, session: LiveSession) -> None:
    """Pass sound in and words out until one of both ends."""
    try:
        async with asyncio.TaskGroup() as both:
            besides = both.create_task(_take_all(socket, session)), both.create_task(_look_after_token(socket))
            await _tell_all(socket, session)
            for each in besides:
                each.cancel()
    except* DomainError as broken:
        error = broken.exceptions[0]
        with suppress(*GONE):
            await socket.close(REFUSED if isinstance(error, Unauthenticated) else BROKEN, str(error)[:MOST_REASON])


async def _look_after_token(socket: WebSocket) -> None:
    """Look now and then whether whoever sends may still do so. Raises Unauthenticated once they may not."""
    head = as_request(socket.scope)
    app = await app_context_of(head)
    while True:
        await asyncio.sleep(LOOK_S)
        with suppress(Unavailable):
            await still_known(app, head)


async def _tell_all(socket: WebSocket, session: LiveSession) -> None:
    """Tell the words until there are no more. They are stored also when the client has gone."""
    with_client = True
    async for words in session.told():
        if with_client:
            try:
                await socket.send_text(_shown(words, session.session_id))
            except GONE:
                with_client = False
    with suppress(*GONE):
        await socket.close()


def _shown(words: LiveWords, session_id: str) -> str:
    """The message of a piece. `skipped_s` is part of it only where speech was skipped."""
    segments = [each.model_dump(exclude_none=True) for each in words.segments]
    skipped = {"skipped_s": round(words.skipped_s, 1)} if words.skipped_s else {}
    return visible_json(orjson.dumps({"segments": segments, "session_id": session_id, **skipped}).decode())


async def _take_all(socket: WebSocket, session: LiveSession) -> None:
    """Take what the client sends until it ends the stream, leaves, or says nothing for long."""
    try:
        while True:
            async with asyncio.timeout(SILENT_S):
                message = await socket.receive()
            if message["type"] == "websocket.disconnect" or _ends(message.get("text")):
                break
            if sound := message.get("bytes"):
                await session.feed(sound)
    except TimeoutError:
        log.info("a stream was silent for %.0f s", SILENT_S)
    await session.finish()


def _ends(text: str | None) -> bool:
    """Whether a message ends the stream."""
    try:
        told = orjson.loads(text) if text else None
    except ValueError:
        return False
    return isinstance(told, dict) and told.get("type") == CLOSE
