"""A question that asks why is answered with the reason that was told."""

from __future__ import annotations

import pytest

from tests.api.conftest import Door

pytestmark = pytest.mark.postgres


async def test_a_reason_that_was_told_is_in_the_answer_until_it_is_forgotten(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    said = {"segment_id": "1", "speaker": "Maya", "start": 0, "end": 5}
    text = "The doctor found a gluten intolerance, so I stopped eating bread."
    body = {"source_id": "call", "started_at": "2026-03-01T08:00:00Z", "segments": [{**said, "text": text}]}
    await door.post("/v1/sources", body, 202)
    await door.settle()
    asked = {"query": "Why did I stop eating bread?"}
    assert "Reason" not in (await door.post("/v1/ask", asked))["answer"]
    assert (await door.post("/v1/night"))["causes"] == {"linked": 1, "more": False}
    answered = await door.post("/v1/ask", asked)
    first, second, *_ = answered["answer"].splitlines()
    assert first == "You stopped eating bread"
    assert second.startswith("Reason: The doctor found a gluten intolerance - ")
    assert second.endswith("[call/1]")
    facts = (await door.get("/v1/facts"))["facts"]
    [reason] = [each["fact_id"] for each in facts if "gluten" in each["statement"]]
    await door.post(f"/v1/facts/{reason}/forget")
    assert "Reason" not in (await door.post("/v1/ask", asked))["answer"]
