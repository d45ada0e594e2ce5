"""Showing: how JSON leaves the front door, errors included."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from memory.words.cleaning import visible_json


class VisibleJson(JSONResponse):
    """An answer in which nothing is hidden from who reads it; backups leave by a door of their own, as stored."""

    def render(self, content: Any) -> bytes:
        """The document."""
        return visible_json(bytes(super().render(content)).decode()).encode()
