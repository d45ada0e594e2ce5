"""Tickets: what a browser's EventSource shows in its address, since it can send no header. A ticket lets in once, soon.

An address ends up in logs, histories and proxies. So a token in one is refused, and a ticket that was read there is
worth nothing: it was used already, or it is over.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from memory.errors import Unauthenticated
from memory.model.timeline import Instant
from memory.model.tokens import Token

STREAM = "/v1/events/stream"
"""The one path that takes a ticket."""
LASTS_S = 60.0
"""Seconds within which it is used."""
MOST = 4_096
"""Tickets that wait to be used; beyond them the oldest are over."""
_BYTES = 32
SECRETS = frozenset({"x_internal_token", "x-internal-token", "access_token", "api_key", "apikey", "authorization"})
"""Names under which programs put a token into an address."""
_SPOILED = (
    "A token in an address ends up in logs: send it as a header, or for an EventSource get a ticket with "
    "POST /v1/events/ticket."
)


@dataclass(frozen=True, slots=True)
class Admittance:
    """Who comes in with a ticket, by which token, and for whom."""

    granted: Token
    secret: str = field(repr=False)
    user_id: str


class Tickets:
    """Those of this process that were not used yet, by their hashes."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[bytes, tuple[Instant, Admittance]] = OrderedDict()

    def give(self, lets_in: Admittance, now: Instant) -> str:
        """A new ticket for a stream of this user's events."""
        ticket = secrets.token_urlsafe(_BYTES)
        self._waiting[_hash(ticket)] = now + LASTS_S, lets_in
        while len(self._waiting) > MOST:
            self._waiting.popitem(last=False)
        return ticket

    def take(self, ticket: str, now: Instant) -> Admittance:
        """Whom a ticket lets in, this once. Raises Unauthenticated."""
        until, admittance = self._waiting.pop(_hash(ticket), (0.0, None))
        if admittance is None or until < now:
            raise Unauthenticated("This ticket was used, or is over: get another with POST /v1/events/ticket.")
        return admittance


def refuse_secrets(path: str, names: Iterable[str]) -> None:
    """Raises Unauthenticated if a token stands in the address, be it a good one."""
    spoiled = SECRETS | {"token"} if path == STREAM else SECRETS
    if any(name.lower() in spoiled for name in names):
        raise Unauthenticated(_SPOILED)


def _hash(ticket: str) -> bytes:
    return sha256(ticket.encode(errors="replace")).digest()
