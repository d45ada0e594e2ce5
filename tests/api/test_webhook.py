"""The webhook of the founding design, for what a wearable has heard."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.api.conftest import Door
from tests.api.foreign import token_of
from tests.api.test_omi import Omi, omi  # noqa: F401  (one is a fixture)

pytestmark = pytest.mark.postgres


PAYLOAD = {
    "session_id": "c9cf6c7f",
    "device_id": "flutter-omi",
    "session_started_at": 1709542800.0,
    "is_sweep": False,
    "segments": [
        {
            "segment_id": "seg-001-0.00-4.52",
            "speaker": "rajesh",
            "start": 0.0,
            "end": 4.52,
            "language": "en",
            "text": "I was thinking about that coffee shop on 5th street",
            "stt_engine": "whisper",
            "emotion": {"label": "excited", "score": 0.82},
        }
    ],
}


async def test_the_webhook_of_the_founding_design(omi: Omi, door: Door) -> None:  # noqa: F811
    headers = {"X-Internal-Token": omi.secret}
    for _ in range(2):
        answer = await omi.http.post("/webhook/transcript", json=PAYLOAD, headers=headers)
        assert answer.json() == {"session_id": "c9cf6c7f", "segments": 1, "status": "raw"}
    assert [row[:2] for row in await omi.kept()] == [("c9cf6c7f", "seg-001-0.00-4.52")]
    better = {**PAYLOAD["segments"][0], "segment_id": "sweep-1", "text": "I was thinking about the coffee shop."}  # type: ignore[index]
    later = {**better, "segment_id": "late", "text": "Much later.", "start": 2_000.0, "end": 2_001.0}
    swept = {**PAYLOAD, "is_sweep": True, "segments": [better, later]}
    assert (await omi.http.post("/webhook/transcript", json=swept, headers=headers)).json()["segments"] == 2
    assert [row[0] for row in await omi.kept()] == ["c9cf6c7f", "c9cf6c7f", "c9cf6c7f.2"]
    found = await door.get("/v1/context", query="coffee shop")
    assert [each["text"] for each in found["results"]][:1] == ["I was thinking about the coffee shop."]
    for body in (b"", b"{", b"7", b"[]", b'{"session_id": "a/b"}', b'{"session_id": "a", "session_started_at": 1}'):
        answer = await omi.http.post("/webhook/transcript", content=body, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json"), body
    assert (await omi.http.post("/webhook/transcript", json=PAYLOAD)).status_code == 401
    reading = {"X-Internal-Token": await token_of(door, door.user, "read")}
    assert (await omi.http.post("/webhook/transcript", json=PAYLOAD, headers=reading)).status_code == 403


async def test_days_are_those_of_where_the_owner_lives(omi: Omi, door: Door) -> None:  # noqa: F811
    """A device tells moments and no zone. Half past eleven in UTC is after midnight in Berlin."""
    await door.client.put("/v1/profile", json={"name": "Rajesh", "time_zone": "Europe/Berlin"})
    at = datetime(2026, 11, 29, 23, 30, tzinfo=UTC).timestamp()
    said = {**PAYLOAD["segments"][0], "text": "I promise to print the tickets by tomorrow."}  # type: ignore[index]
    headers = {"X-Internal-Token": omi.secret}
    body = {**PAYLOAD, "session_started_at": at, "segments": [said]}
    answer = await omi.http.post("/webhook/transcript", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    await door.settle()
    mine = await door.rows("SELECT offset_s FROM sources WHERE scope = %(scope)s", scope=f"user:{door.user}")
    assert [row["offset_s"] for row in mine] == [3_600]
    [promise] = (await door.get("/v1/promises"))["promises"]
    assert promise["due"] == "2026-12-01T22:59:59Z", "the end of the first of December, in Berlin"
