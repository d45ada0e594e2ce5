"""Who is at the other end of a unix socket. Nothing but the standard library."""

from __future__ import annotations

import socket
import struct

_UCRED = struct.Struct("3i")
"""Process, user and group (unix(7), SO_PEERCRED)."""


def user_of(other: socket.socket) -> int:
    """The user at the other end: names in Linux's abstract namespace are open to everybody on this machine."""
    _, user, _ = _UCRED.unpack(other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    return int(user)
