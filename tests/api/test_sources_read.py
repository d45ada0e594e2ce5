"""Sources are shown with what a night wrote of them, to whom may see what it quotes."""

from __future__ import annotations

from typing import Any

import pytest

from memory.services.vectors import encode_heard
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres
TALK = (
    ("Maya", "Elena wants the mooring fee for the boat in March."),
    ("Tom", "Elena paid the mooring fee for the boat at the harbour office."),
    ("Maya", "We could sell the old boat and buy a smaller one next summer."),
    ("Tom", "My brother repaired the engine of the boat for nothing."),
)


def talk(**more: Any) -> dict[str, Any]:
    said = [
        {"segment_id": str(place), "speaker": speaker, "text": text, "start": place, "end": place + 1}
        for place, (speaker, text) in enumerate(TALK)
    ]
    return {"source_id": "harbour", "started_at": "2025-11-20T18:00:00Z", "segments": said, **more}


@pytest.mark.conforms("002:sources.summary", "002:sources.keywords", "002:sources.tags")
async def test_a_source_has_a_summary_keywords_and_tags_after_a_night(door: Door) -> None:
    await door.post("/v1/sources", talk(), 202)
    await door.settle()
    assert (await door.get("/v1/sources"))["sources"][0]["summary"] is None
    report = await door.post("/v1/night", {"night": "2025-11-23"})
    assert (report["summaries"]["written"], report["summaries"]["trivial"]) == (1, 0)
    [listed] = (await door.get("/v1/sources"))["sources"]
    page = await door.get("/v1/sources/harbour")
    assert page["summary"] == listed["summary"]
    assert page["summary"]["extractive"] is True
    assert page["summary"]["keywords"] == ["boat", "elena", "fee", "mooring"]
    told = {each["segment_id"]: each["text"] for each in page["segments"]}
    for line in page["summary"]["lines"]:
        assert told[line["segments"][0]] in line["text"]
    assert {"Maya", "Tom", "harbour office"} <= set(page["tags"])


@pytest.mark.conforms("002:phases")
async def test_a_source_is_processed_before_it_is_extracted_and_goes_on_from_there(door: Door) -> None:
    capture, encoder = door.app.stores.intake.capture, door.app.stores.encoder
    await door.post("/v1/sources", talk(), 202)
    due = await capture.due("embed", door.app.clock.now(), 100)
    await encode_heard([each for each in due if door.user in each.scope], capture, encoder)
    [listed] = (await door.get("/v1/sources", status="processed"))["sources"]
    assert (listed["source_id"], listed["status"]) == ("harbour", "processed")
    found = (await door.get("/v1/context", query="mooring fee"))["results"]
    assert {each["source_id"] for each in found} == {"harbour"}, "it is found before it is read"
    assert (await door.get("/v1/entities", name="Elena"))["total"] == 0
    await door.settle()
    assert (await door.get("/v1/sources/harbour"))["status"] == "extracted"
    assert (await door.get("/v1/entities", name="Elena"))["total"] == 1


async def test_a_summary_goes_with_a_segment_and_with_its_source(door: Door) -> None:
    await door.post("/v1/sources", talk(), 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2025-11-23"})
    changed = talk()
    changed["segments"][0]["text"] = "Elena asked for nothing."
    await door.post("/v1/sources", changed, 202)
    await door.settle()
    assert (await door.get("/v1/sources/harbour"))["summary"] is None
    await door.post("/v1/night", {"night": "2025-11-24"})
    assert "Elena asked for nothing." not in str((await door.get("/v1/sources/harbour"))["summary"])
    assert (await door.client.delete("/v1/sources/harbour")).status_code == 200
    await door.settle()
    assert await door.rows("SELECT 1 FROM groups WHERE user_id = %(user)s", user=door.user) == []
