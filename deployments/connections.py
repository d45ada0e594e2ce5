"""Connections: how many of them wait at the front door, and which one makes room.

A connection costs a descriptor, and one that never says what it wants costs it for nothing. There are bounds, in all
and for each address; who comes beyond them takes the place of the connection that has waited longest. Those that have
shown a token go last, and one whose request is being answered never goes: on one machine, where everybody has the same
address, half-sent requests push each other out and nobody else.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Protocol

NETWORK_BITS = 64
"""An IPv6 address counts as its network: whoever has one has 2^64 addresses."""


class Waiting(Protocol):
    """A connection, as it is weighed against others."""

    origin: str
    """The address it came from, as `origin_of` tells it."""
    trusted: bool
    """Whether its latest request showed a token that is known."""
    used_at: float
    """When anything was last asked over it, by the loop's clock."""

    @property
    def answering(self) -> bool:
        """Whether it may not be ended: its request is being answered."""

    def hang_up(self) -> None:
        """End it at once."""


class Connections:
    """Those that are open, never more than `most`, and than `most_of_one` from one address."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._open: set[Waiting] = set()
        self._of: dict[str, set[Waiting]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, new: Waiting) -> bool:
        """Take a connection in, ending another one if there are too many; False if none of them can make room."""
        own = self._of.get(new.origin, set())
        crowd = own if len(own) >= self._most_of_one else self._open if len(self._open) >= self._most else None
        if crowd is not None:
            idle = [each for each in crowd if not each.answering]
            if not idle:
                return False
            leaving = min(idle, key=lambda each: (each.trusted, each.used_at))
            self.leave(leaving)
            leaving.hang_up()
        self._open.add(new)
        self._of.setdefault(new.origin, set()).add(new)
        return True

    def leave(self, gone: Waiting) -> None:
        """Forget a connection that has ended."""
        self._open.discard(gone)
        own = self._of.get(gone.origin)
        if own is not None:
            own.discard(gone)
            if not own:
                del self._of[gone.origin]


def origin_of(host: str) -> str:
    """What an address counts as: itself, or the network of an IPv6 one."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> NETWORK_BITS << NETWORK_BITS))
