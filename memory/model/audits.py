"""What the audit trail keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One request: whose memory, when, with the token of which name, what for, and the ids it told of."""

    user_id: str
    at: Instant
    token: str
    route: str
    status: int
    scopes: tuple[str, ...]
    """Where the sources lie."""
    sources: tuple[str, ...]
    things: tuple[str, ...]
    """Facts and entities."""
    count: int


@dataclass(frozen=True, slots=True)
class AuditTrailRow:
    """What the trail still holds of a request: ids of what has been erased since are no longer among `sources` and
    `things`; `count` tells how many ids there were."""

    at: Instant
    token: str
    route: str
    status: int
    sources: Sequence[str]
    things: Sequence[str]
    count: int
