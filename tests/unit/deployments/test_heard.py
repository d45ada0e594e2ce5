"""Segments one by one: in the order in which they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.heard import Place, heard_at
from memory.model.heard import SpokenSegment
from memory.model.scopes import View


class ShuffledHeard:
    """Segments of a store that gives them in an order of its own; the place `("s", "gone")` is out of sight."""

    async def named(self, _: View, places: Sequence[Place]) -> dict[Place, SpokenSegment]:
        """place -> the segment there, the last one first."""
        seen = [place for place in reversed(places) if place[1] != "gone"]
        return {place: SpokenSegment(*place, "Ann", "user", 1.0, 1, 2.0, {}, "Hello") for place in seen}


async def test_segments_come_in_the_order_of_the_places() -> None:
    app = cast(AppContext, SimpleNamespace(stores=SimpleNamespace(reads=SimpleNamespace(heard=ShuffledHeard()))))
    who = cast(Caller, SimpleNamespace(view=View("ann")))
    places = [("s", "1"), ("s", "gone"), ("t", "1"), ("s", "2")]
    found = await heard_at(app, who, places)
    assert list(found) == [("s", "1"), ("t", "1"), ("s", "2")]
    assert [each.place for each in found.values()] == list(found)
