"""Looks: one is held at a time, and nothing of the one before."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any, cast

from deployments.looks import Look, Looks
from memory.model.scopes import View
from memory.model.shown_changes import MemoryStamp

STAMP = MemoryStamp(version=1, moved=None, vectors=0, positions=None)


class Outlook(SimpleNamespace):
    """What was seen of a memory, all of it."""


def look(looks: Looks, user_id: str) -> weakref.ref[Any]:
    seen = Outlook(now=0.0)
    looks.hold(Look(View(user_id), STAMP, cast(Any, seen)))
    return weakref.ref(seen)


async def test_a_look_that_was_replaced_or_dropped_is_held_by_nothing() -> None:
    looks = Looks()
    first, second = look(looks, "ann"), look(looks, "ann")
    gc.collect()
    assert first() is None
    assert looks.again(View("ann"), STAMP, 1.0) is second()
    looks.drop("ann")
    gc.collect()
    assert second() is None
    assert looks.again(View("ann"), STAMP, 1.0) is None
