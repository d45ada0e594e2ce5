"""The door: the listening socket of the front door, held by the supervisor and handed to whichever gateway lives.

As long as one process holds it the kernel goes on taking connections: while a gateway is replaced a client waits, and
is not refused. It is asked for at a socket in the folder of its home that no other account enters: whoever else is
given a port to listen on must not answer in its place, nor take the place before us. A message carries nothing but the
socket. Nothing but the standard library: the supervisor is to stay small.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from pathlib import Path

from adapters.peers import user_of
from adapters.temporary import PRIVATE, found_folder, private_folder
from memory.errors import Unavailable

BACKLOG = 4_096
"""Connections that may wait for a gateway (the kernel's own bound, too): with 512 a crowd of 1,024 half-sent requests
filled the queue, and whoever came then was dropped by the kernel and tried again after 1, 3, 7 and 15 seconds."""
_ASK_S = 2.0
"""The holder has nothing else to do than to answer; whoever does not is not the holder."""

log = logging.getLogger("memoray.door")


class ListeningSocket:
    """A TCP socket that listens, and the place where it is handed over. Raises Unavailable if it cannot be had."""

    def __init__(self, home: Path, host: str, port: int, opened: socket.socket | None = None) -> None:
        """`opened` is a socket that listens there already."""
        try:
            self._door = opened or listening(host, port)
        except OSError as error:
            raise Unavailable(f"Port {port} of {host} cannot be had: {error.strerror}.") from error
        place = private_folder(home) / _name(port)
        place.unlink(missing_ok=True)  # whoever held it has been killed: we have its port
        self._asked = socket.socket(socket.AF_UNIX)
        self._asked.bind(str(place))
        self._asked.listen()
        self._giving = threading.Thread(target=self._hand_over, name="door", daemon=True)
        self._giving.start()

    def is_held_by(self, pid: int) -> bool:
        """Whether this process has it, and so serves or is about to."""
        name = f"socket:[{os.fstat(self._door.fileno()).st_ino}]"
        try:
            return name in map(_meant, os.scandir(f"/proc/{pid}/fd"))
        except OSError:  # gone meanwhile
            return False

    def close(self) -> None:
        """Let go of it; a gateway that was given it has it still."""
        self._asked.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits, and holds the name until it has gone
        self._giving.join()
        self._asked.close()
        self._door.close()

    def _hand_over(self) -> None:
        """Give the socket to every process of this user that asks, until the door is closed."""
        while True:
            try:
                asking, _ = self._asked.accept()
            except OSError:
                return
            with asking:
                try:
                    if user_of(asking) == os.getuid():
                        socket.send_fds(asking, [b"."], [self._door.fileno()])
                except OSError:
                    log.exception("the front door could not be handed over")


def handed_over(home: Path, port: int) -> socket.socket | None:
    """The socket that is held for this home at this port; None where nobody of this user holds one."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_ASK_S)
        try:
            asking.connect(str(found_folder(home) / PRIVATE / _name(port)))
            if user_of(asking) != os.getuid():
                return None
            _, given, _, _ = socket.recv_fds(asking, 1, 1, socket.MSG_CMSG_CLOEXEC)
        except (OSError, Unavailable):
            return None
    return socket.socket(fileno=given[0]) if given else None


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises OSError."""
    door = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    # a replica that was killed leaves connections behind, which hold the port for a minute without this
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
        door.listen(BACKLOG)
    except OSError:
        door.close()
        raise
    return door


def _meant(descriptor: os.DirEntry[str]) -> str:
    """What a descriptor is open for; nothing if it was closed meanwhile, as busy processes do all the time."""
    try:
        return os.readlink(descriptor)
    except OSError:
        return ""


def _name(port: int) -> str:
    return f"door-{port}"
