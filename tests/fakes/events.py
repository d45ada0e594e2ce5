"""Events without a database: what was told, in a list."""

from __future__ import annotations

from typing import Any

from memory.model.scopes import Sensitivity


class Overheard:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def tell(
        self,
        user_id: str,
        process: str,
        event_type: str,
        session_id: str | None = None,
        sensitivity: Sensitivity = Sensitivity.OPEN,
        **figures: str | float | None,
    ) -> None:
        known = {"user_id": user_id, "process": process, "event_type": event_type, "session_id": session_id}
        self.told.append({**known, "sensitivity": sensitivity, **figures})
