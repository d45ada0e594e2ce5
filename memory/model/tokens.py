"""Tokens: what their holders may do."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Token:
    """What a token grants."""

    name: str
    user_id: str
    teams: tuple[str, ...]
    permission: str
    """read, write or admin."""
    clearance: Sensitivity
    expires_at: Instant | None = None
    """When it ends; None = when it is taken back."""
