"""Paging: a list comes in parts, and an opaque cursor says where the next part begins."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field, TypeAdapter

from deployments.kinds import Words
from deployments.sealing import opened, sealed
from memory.errors import Invalid
from memory.model.timeline import EARLIEST, LATEST

MOST_ROWS = 200
Place = tuple[float, str]
_PLACE: TypeAdapter[Place] = TypeAdapter(
    tuple[Annotated[float, Field(ge=EARLIEST, le=LATEST, allow_inf_nan=False)], Words]
)


class PageParameters(BaseModel, extra="forbid"):
    """The parameters every list takes."""

    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="How many at most.")] = 50
    cursor: Annotated[str | None, Query(max_length=2_000, description="As the part before gave it.")] = None

    def place(self) -> dict[str, float | str]:
        """`{mark, key}` of the last row of the part before, or nothing. Raises Invalid."""
        if self.cursor is None:
            return {}
        mark, key = opened(self.cursor, _PLACE, Invalid("cursor: give it back as a list gave it."))
        return {"mark": mark, "key": key}


def cursor_of(place: Place | None) -> str | None:
    """A place as it travels."""
    return None if place is None else sealed(place)
