"""What mem0's clients list and change many at a time."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.api.conftest import Door
from tests.api.test_mem0 import asked, kept, speaking

pytestmark = pytest.mark.postgres


async def notes(client: httpx.AsyncClient, number: int) -> list[str]:
    return [await kept(client, f"Note {each}") for each in range(number)]


@pytest.mark.parametrize(
    "wrong", [{"text": "  "}, {"text": "x", "timestamp": "soon"}, {}, {"metadata": {"a": "b" * 2_000}}]
)
async def test_a_batch_of_which_one_cannot_be_done_changes_nothing(door: Door, wrong: dict[str, Any]) -> None:
    client = await speaking(door, door.user)
    first, second = await notes(client, 2)
    memories = [{"memory_id": first, "text": "Another"}, {"memory_id": second, **wrong}]
    await asked(client, "PUT", "/v1/batch/", 422, json={"memories": memories})
    for each, text in ((first, "Note 0"), (second, "Note 1")):
        assert (await asked(client, "GET", f"/v1/memories/{each}/"))["memory"] == text
