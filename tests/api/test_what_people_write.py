"""What people write: dates without a clock, session files with a slip in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.api.conftest import Door
from tests.api.test_reading import LISBON, MONDAY, PORTO, tell

pytestmark = pytest.mark.postgres


async def test_a_session_file_of_malformed_lines_is_refused_with_what_is_wrong(door: Door) -> None:
    folder = Path(door.app.settings.home) / "transcripts" / door.user
    folder.mkdir(parents=True)
    (folder / "walk-2").with_suffix(".jsonl").write_text('walk\n{"segments": []}\n')
    refused = await door.client.post("/v1/ingest/walk-2")
    assert refused.status_code == 422
    assert "Nothing was taken in. line 1: not JSON" in refused.json()["detail"]
    assert "line 2" in refused.json()["detail"]


async def test_a_session_file_with_malformed_lines_tells_of_them_and_keeps_the_good(door: Door) -> None:
    said = {"segment_id": "a", "speaker": "Maya", "text": "I live in Lisbon.", "start": 0, "end": 2}
    line = {"session_id": "walk-3", "device_id": "omi", "session_started_at": MONDAY, "segments": [said]}
    folder = Path(door.app.settings.home) / "transcripts" / door.user
    folder.mkdir(parents=True)
    (folder / "walk-3.jsonl").write_text("walk\n" * 12 + json.dumps(line) + "\n")
    told = await door.post("/v1/ingest/walk-3")
    assert (told["segments_count"], len(told["set_aside"]), told["set_aside"][-1]) == (1, 11, "and 2 more")
    assert told["set_aside"][0].startswith("line 1: not JSON")
    assert [hit["text"] for hit in (await door.get("/v1/context", query="Lisbon"))["results"]] == ["I live in Lisbon."]


async def test_a_plain_date_is_the_start_of_that_day_where_the_user_lives(door: Door) -> None:
    """In Kiritimati 2 March 2026 begins 22 hours before it was said there that Maya lives in Lisbon."""
    await door.client.put("/v1/profile", json={"time_zone": "Pacific/Kiritimati"})
    await tell(door, PORTO, LISBON)
    asked = {"facts": {"predicate": "lives_in"}, "timeline": {}, "context": {"query": "live"}, "entities": {}}
    for path, filters in asked.items():
        for axis in ("as_of", "known_as_of"):
            day = await door.get(f"/v1/{path}", **filters, **{axis: "2026-03-02"})
            assert day == await door.get(f"/v1/{path}", **filters, **{axis: "2026-03-01T10:00:00Z"})
    assert (await door.client.get("/v1/context", params={"query": "live", "as_of": ""})).status_code == 422
    for body in ({"as_of": "2026-03-02"}, {"now": "2026-03-02"}):
        assert await door.post("/v1/ask", {"query": "Where does Maya live?", **body})
    week = {"query": "Where does Maya live?", "now": "2026-03-09"}
    assert await door.get("/v1/context", **week, as_of="last_week") == await door.get(
        "/v1/context", **week, as_of="2026-03-02"
    )
    told = {"statement": "Maya likes tea", "subject": "Maya", "valid_from": "2026-03-02"}
    known = await door.post("/v1/facts", told, 201)
    assert (await door.get(f"/v1/facts/{known['fact_id']}"))["valid_from"] == "2026-03-01T10:00:00Z"
