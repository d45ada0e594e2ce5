"""What the audit trail keeps."""

from __future__ import annotations

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
