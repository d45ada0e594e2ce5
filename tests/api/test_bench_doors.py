"""The client of `memoray bench doors` over a real socket: it measures answers, and nothing that was refused."""

from __future__ import annotations

import asyncio

import pytest

from bench.doors import USER, MeasuredClient, heard
from tests.api.conftest import Door
from tests.api.foreign import served

pytestmark = pytest.mark.postgres
TOKEN = "a" * 43


async def test_a_wearable_is_acknowledged_and_what_it_told_is_there(door: Door) -> None:
    async with served(door) as url:
        client = MeasuredClient(url, TOKEN)
        took = [await asyncio.to_thread(client.acknowledged, number) for number in range(3)]
        assert await asyncio.to_thread(client.first_words, "What is said?") > 0
        with pytest.raises(RuntimeError, match="refused"):
            await asyncio.to_thread(MeasuredClient(url, "b" * 43).acknowledged, 0)
    assert min(took) > 0
    rows = await door.rows(
        "SELECT c.words FROM segments s JOIN content c USING (scope, content_id) WHERE s.scope = %(scope)s"
        " ORDER BY s.at",
        scope=f"user:{USER}",
    )
    assert [row["words"] for row in rows] == [f"Word by word, {each} of them are said." for each in range(3)]
    assert len(heard(0)["segments"]) == 1
