"""Overviews: what has changed is told although what was before it is out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from deployments.app_context import AppContext
from deployments.overviews import overview
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.retrieval.query import Question

NOW = 1_772_000_000.0


class OneGain:
    """A memory that has come to believe one thing in the place of another, which is out of sight."""

    async def held(self, _: View, which: str, *__: Any) -> list[dict[str, Any]]:
        """One fact that is gained."""
        return [{"fact_id": "f2"}] if which == "gained" else []

    async def current(self, _: View, ids: Sequence[str], *__: Any) -> list[dict[str, Any]]:
        """The facts of these ids that are in sight."""
        told = {"shown_statement": "Ann lives in Porto", "valid_from": NOW, "valid_to": None, "status": "active"}
        place = {"predicate": "lives_in", "subject": "Ann", "sources": [], "importance": 1, "confidence": 1.0}
        links = {"supersedes": ["f1"], "superseded_by": []}
        return [{"fact_id": "f2", **told, **place, **links}] if "f2" in ids else []


async def test_a_change_from_what_is_out_of_sight_is_no_error() -> None:
    stores = SimpleNamespace(history=OneGain(), facts=OneGain())
    app = cast(AppContext, SimpleNamespace(stores=stores, offset=lambda *_: 0))
    asked = Question("What has changed?", View("ann"), NOW)
    assert await overview(app, asked.view, asked, Profile("Ann")) is None
