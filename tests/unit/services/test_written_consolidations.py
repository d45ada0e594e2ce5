"""Consolidations that a model writes, and nights in which nothing can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.language.test_answer import ScriptedModel
from tests.unit.services.test_night_consolidations import Gatherer


@pytest.mark.conforms("002:consolidation.night")
async def test_a_model_writes_what_its_lines_support() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.parts = replace(mind.parts, model=ScriptedModel("a sails a lot [1][3]. a lives on Mars [2]."))
    told = await mind.sleep()
    [group] = mind.consolidated()
    assert (group.summary, group.quotes, told["by"]) == (
        "Generated summary.\na sails a lot. [1][2]",
        (0, 2),
        "scripted",
    )


async def test_where_nothing_can_be_read_nothing_is_gathered() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.parts = replace(mind.parts, consolidations=None)
    assert await mind.sleep() == {}
