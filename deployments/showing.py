"""Showing: how JSON leaves the gateway, errors included."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from memory.words.cleaning import visible_json


class VisibleJson(JSONResponse):
    """An answer in which nothing is hidden from who reads it; backups leave by a door of their own, as stored."""

    def render(self, content: Any) -> bytes:
        """The document."""
        return visible_json(bytes(super().render(content)).decode()).encode()


def as_it_is(answer: BaseModel) -> Response:
    """An answer without what is None, as it is: a model that is given back would be checked and copied once more."""
    return Response(visible_json(answer.model_dump_json(exclude_none=True)), media_type="application/json")
