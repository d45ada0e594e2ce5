"""A live stream: sound comes in over a WebSocket, and words go out while talk goes on."""

from __future__ import annotations

from fastapi import WebSocket

from deployments.live_socket import hear_socket
from deployments.routers import json_router

router = json_router("/v1")


@router.websocket("/listen")
async def listen(socket: WebSocket) -> None:
    """Hear a stream. Each message is PCM of 16 bits, a packet of Opus, or a fragment of an Omi, as `codec` says.

    The answers are `{"segments": [{"segment_id", "speaker", "text", "start", "end", ...}], "session_id"}`, times in
    seconds from the session's beginning. `skipped_s` beside them are seconds of speech before them that were not heard,
    where it had to catch up; the sweep hears them. `{"type": "CloseStream"}` ends the stream: what is left is heard,
    told, and then it is closed. Without a `session_id` it is a session of its own.
    """
    await hear_socket(socket, dict(socket.query_params))
