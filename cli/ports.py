"""The TCP ports of one Memoray: found free on loopback, and kept from the other Memorays of this machine."""

from __future__ import annotations

import socket
from collections.abc import Collection
from dataclasses import asdict, dataclass

from adapters.listening_socket import listening
from memory.errors import Unavailable

LOOPBACK = "127.0.0.1"
RESERVE_ATTEMPTS = 20
"""Ports that follow the usual one, and then of the kernel's choice, that are tried before we give up."""

WORKER_PORTS = range(10_002, 20_000)
"""What `ray start` gives to workers unless told otherwise: it refuses to start with one of its services there."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Every port we listen on, all on loopback."""

    http: int
    """The front door's, on which the gateway listens itself."""
    dashboard: int
    gcs: int
    client: int
    agent: int
    """Ray's agent of this node."""

    @staticmethod
    def usual(http: int) -> Ports:
        """Ray's defaults, but the agent's: 52365 is one of those that the kernel gives to outgoing connections."""
        return Ports(http=http, dashboard=8265, gcs=6379, client=10001, agent=8365)


def free_port(preferred: int) -> int:
    """The preferred TCP port if nobody listens there, else the first free one of those that follow.

    Only where none of RESERVE_ATTEMPTS is free it is one that the kernel picks: those the kernel also gives to whoever
    connects to somewhere, so that such a port may be somebody else's after a restart.
    """
    for port in (*_following(preferred), 0):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(listener.getsockname()[1])
    raise Unavailable("This machine has no free TCP port.")


def _following(port: int) -> list[int]:
    """A port and those after it, without those that Ray gives to its workers; none after 0, the kernel's choice."""
    after = range(port + 1, min(port + RESERVE_ATTEMPTS, 65536))
    return [port, *(each for each in after if each not in WORKER_PORTS)] if port else []


class ReservedPorts:
    """Ports that this Memoray means to use, which no other Memoray of this machine takes as long as it lives.

    Between the look at a port and the moment when one of Ray's services listens there lie seconds in which another
    Memoray may look, too. A reservation is a name in Linux's abstract namespace of sockets: whichever user it belongs
    to, it ends with the process, however that ends.
    """

    def __init__(self) -> None:
        self._held: dict[int, socket.socket] = {}

    def free(self, wanted: Ports, held: Collection[int] = ()) -> Ports:
        """These ports where nobody listens and no other Memoray is about to, others where somebody does.

        On those `held` we listen ourselves. What was reserved before and is not wanted any more is given back.
        """
        chosen = {name: port if port in held else self._reserve(port) for name, port in asdict(wanted).items()}
        for port in self._held.keys() - set(chosen.values()):
            self._held.pop(port).close()
        return Ports(**chosen)

    def _reserve(self, preferred: int) -> int:
        for wanted in (*_following(preferred), *(0,) * RESERVE_ATTEMPTS):
            port = free_port(wanted)
            if port in self._held and port == preferred:
                return port
            name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                name.bind(f"\0memoray-port-{port}")
            except OSError:
                name.close()
                continue
            self._held[port] = name
            return port
        raise Unavailable("Other Memorays have reserved every port that was free.")


OPENINGS = 3
"""Attempts to open the door: another program may take the port between our look at it and ours."""


@dataclass(frozen=True)
class HeldPorts:
    """What a guardian holds, whichever supervisor lives: the ports and the listening socket of the front door."""

    reserved: ReservedPorts
    ports: Ports
    door: socket.socket

    @staticmethod
    def opened(host: str, port: int) -> HeldPorts:
        """Reserve the ports and open the door at the first free port from this one on. Raises Unavailable."""
        reserved = ReservedPorts()
        for _ in range(OPENINGS):
            ports = reserved.free(Ports.usual(port))
            try:
                return HeldPorts(reserved, ports, listening(host, ports.http))
            except OSError:
                continue
        raise Unavailable(f"Port {port} of {host} and those after it cannot be had.")
