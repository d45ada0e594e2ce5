"""Connections: how many of them are open at the gateway, and which one makes room.

A connection costs a descriptor, and one that never says what it wants costs it for nothing. There are bounds, in all
and for each address. Who comes beyond them waits, where the kernel keeps connections, for one that is done or that has
been idle longest: half-sent requests push each other out and nobody else, and nobody is ended before what it has sent
could be read. Those that have shown a token go last, and one whose request is being answered never goes.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Protocol

NETWORK_BITS = 64
"""An IPv6 address counts as its network: whoever has one has 2^64 addresses."""
REST_S = 0.5
"""Seconds since its last byte in which no connection is ended. A request follows its connection within a millisecond;
where a machine has twice the work it can do, a caller took 0.2 s (measured). 1,024 of one address still make room for
2,048 half-sent ones a second."""


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

    def has_room(self, origin: str, joining: int = 0) -> bool:
        """Whether one more from this address may join, beside some that are about to."""
        return self._crowd(origin, joining) is None

    def make_room(self, origin: str, now: float) -> None:
        """End the one that one more from this address would take the place of, if it has rested; else do nothing."""
        idle = [each for each in self._crowd(origin) or () if not each.answering]
        leaving = min(idle, key=lambda each: (each.trusted, each.used_at), default=None)
        if leaving is not None and now - leaving.used_at >= REST_S:
            self.leave(leaving)
            leaving.hang_up()

    def join(self, new: Waiting) -> None:
        """Count one in."""
        self._open.add(new)
        self._of.setdefault(new.origin, set()).add(new)

    def _crowd(self, origin: str, joining: int = 0) -> set[Waiting] | None:
        """Those of whom one would have to go; None where there is room."""
        own = self._of.get(origin, set())
        if len(own) + joining >= self._most_of_one:
            return own
        return self._open if len(self._open) + joining >= self._most else None

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
