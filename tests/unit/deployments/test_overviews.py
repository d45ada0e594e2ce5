"""Overviews: what has changed is told although what was before it is out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from deployments.app_context import AppContext
from deployments.use_cases.overviews import overview
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.shown import Page, RecallFigures, ShownFact
from memory.model.shown_changes import HeldFact
from memory.model.timeline import Interval
from memory.retrieval.query import Question

NOW = 1_772_000_000.0


GAINED = ShownFact(
    fact_id="f2",
    subject_id="e1",
    object_id=None,
    subject="Ann",
    statement="Ann lives in Porto",
    predicate="lives_in",
    object="Porto",
    slot=None,
    polarity=True,
    kind="factual",
    importance=1,
    confidence=1.0,
    stability=1.0,
    status="active",
    state="active",
    protected=False,
    judged_by="rules",
    sensitivity=0,
    valid_from=NOW,
    valid_to=None,
    system_from=NOW,
    system_to=None,
    supersedes=["f1"],
    superseded_by=[],
    sources=[],
    since=NOW,
    preference=False,
    evergreen=False,
    recalls=RecallFigures(0, NOW, 0.0, 0.0),
)


class OneGain:
    """A memory that has come to believe one thing in the place of another, which is out of sight."""

    async def held(self, _: View, which: str, *__: Any) -> list[HeldFact]:
        """One fact that is gained."""
        return [HeldFact("f2", "active", GAINED.statement)] if which == "gained" else []

    async def current(self, _: View, ids: Sequence[str], *__: Any) -> list[ShownFact]:
        """The facts of these ids that are in sight."""
        return [GAINED] if "f2" in ids else []


class NoGroups:
    """A memory without storylines."""

    async def page(self, *_: Any, **__: Any) -> Page[Any]:
        """None."""
        return Page([], 0, None)


def memory_of(**reads: Any) -> AppContext:
    stores = SimpleNamespace(reads=SimpleNamespace(**reads), nights=SimpleNamespace(groups=NoGroups()))
    return cast(AppContext, SimpleNamespace(stores=stores))


async def test_a_change_from_what_is_out_of_sight_is_no_error() -> None:
    app = memory_of(history=OneGain(), facts=OneGain())
    asked = Question("What has changed?", View("ann"), NOW)
    assert await overview(app, asked, Profile("Ann")) is None


@pytest.mark.parametrize("question", ["What happened since I moved?", "What has changed since I moved?"])
@pytest.mark.parametrize("dated", [None, Interval(None, NOW), Interval(NOW + 1, None)])
async def test_since_an_event_of_which_nobody_knows_when_it_was_is_no_overview(
    question: str, dated: Interval | None
) -> None:
    asked = Question(question, View("ann"), NOW)
    assert await overview(memory_of(), asked, Profile("Ann"), dated) is None


@pytest.mark.parametrize(
    "narrowed",
    [{"as_of": NOW}, {"known_as_of": NOW}, {"type": "person"}, {"entity": "Tom"}, {"after": 1.0}, {"before": NOW}],
)
async def test_who_leaves_something_out_is_told_no_overview(narrowed: dict[str, Any]) -> None:
    asked = Question("What do you know about me?", View("ann"), NOW, **narrowed)
    assert await overview(memory_of(), asked, Profile("Ann")) is None
