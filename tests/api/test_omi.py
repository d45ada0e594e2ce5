"""Omi's webhooks and chat tools, with the bodies its cloud sends, and the webhook of the founding design."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from deployments.gateway import create_app
from tests.api.conftest import Door
from tests.api.foreign import token_of

pytestmark = pytest.mark.postgres
UID = "vQ2xBn81"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp()


def segment(identity: str, text: str, start: float, end: float, **rest: Any) -> dict[str, Any]:
    """A segment as Omi's code sends it."""
    return {
        "id": identity,
        "text": text,
        "speaker": "SPEAKER_00",
        "speaker_id": 0,
        "is_user": False,
        "person_id": None,
        "start": start,
        "end": end,
        "translations": [],
        "speech_profile_processed": True,
        "stt_provider": "deepgram",
        "speaker_label_source": "auto",
        "speaker_match_source": None,
    } | rest


def mine(identity: str, text: str, start: float, end: float) -> dict[str, Any]:
    return segment(identity, text, start, end, is_user=True)


CONVERSATION = {
    "id": "5f1c-77",
    "created_at": "2026-03-01T12:20:00+00:00",
    "started_at": "2026-03-01T12:00:00+00:00",
    "finished_at": "2026-03-01T12:10:00+00:00",
    "source": "omi",
    "language": "en",
    "discarded": False,
    "structured": {"title": "Moving", "overview": "They talk.", "category": "personal", "events": []},
    "transcript_segments": [
        mine("a1", "I moved to Lisbon in March.", 1.0, 4.0),
        segment("a2", "Send me the photos, please.", 5.0, 7.0, person_id="p-7", speaker_name="Ravi", speaker_id=1),
    ],
    "photos": [],
    "audio_files": [],
    "apps_results": [],
    "geolocation": None,
    "status": "completed",
}


@dataclass
class Clock:
    """Moved by hand."""

    at: float

    def now(self) -> float:
        return self.at


@dataclass
class Omi:
    """Omi's cloud: it knows an address with a secret in it, and no header."""

    door: Door
    http: httpx.AsyncClient
    secret: str
    clock: Clock

    async def send(self, hook: str, body: Any, status: int = 200, **given: Any) -> Any:
        headers = {"Idempotency-Key": given.pop("key")} if "key" in given else {}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        path = f"/omi/{self.secret}/{hook}"
        answer = await self.http.post(path, content=content, params={"uid": UID} | given, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def heard(self, *segments: Any, **given: Any) -> None:
        assert await self.send("transcript", {"session_id": UID, "segments": list(segments)}, **given) == {}

    async def kept(self) -> list[tuple[str, str, str, str]]:
        """Source, segment, speaker and words of all that is kept, in order of time."""
        rows = await self.door.rows(
            "SELECT s.source_id, s.segment_id, s.speaker, c.words"
            " FROM segments s JOIN content c USING (scope, content_id) WHERE s.scope = %(scope)s ORDER BY s.at, s.ord",
            scope=f"user:{self.door.user}",
        )
        return [tuple(row.values()) for row in rows]  # type: ignore[misc]

    async def words(self) -> list[str]:
        return [row[3] for row in await self.kept()]


@pytest.fixture
async def omi(door: Door, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Omi]:
    clock = Clock(NOON)
    monkeypatch.setattr(door.app, "clock", clock)
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        yield Omi(door, http, await token_of(door, door.user), clock)


async def test_a_stream_is_stored_as_it_is_heard(omi: Omi) -> None:
    await omi.door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Lisbon"})
    await omi.heard(mine("s1", "I moved", 10.0, 12.0))
    omi.clock.at += 3
    await omi.heard(mine("s1", "I moved to Lisbon.", 10.0, 14.0), segment("s2", "Lovely!", 14.5, 15.0, person_id="p-7"))
    await omi.heard(mine("s1", "I moved to Lisbon.", 10.0, 14.0), key="k1")
    await omi.heard(mine("s1", "I moved", 10.0, 12.0), key="k0")
    kept = await omi.kept()
    assert [row[1:] for row in kept] == [("s1", "Maya", "I moved to Lisbon."), ("s2", "p-7", "Lovely!")]
    assert len({row[0] for row in kept}) == 1
    found = await omi.door.get("/v1/context", query="Where did Maya move?")
    assert found["results"][0]["text"] == "I moved to Lisbon."
    assert found["results"][0]["timestamp"] == NOON - 2
    page = await omi.door.get(f"/v1/sources/{kept[0][0]}")
    assert page["provenance"]["origin"] == "omi"
    assert [each["role"] for each in page["segments"]] == ["user", "other"]


async def test_a_long_silence_ends_a_source_and_a_forgotten_one_stays_forgotten(omi: Omi) -> None:
    await omi.heard(mine("s1", "First.", 0.0, 1.0))
    omi.clock.at += 899
    await omi.heard(mine("s2", "Second.", 900.0, 901.0))
    omi.clock.at += 1_000
    await omi.heard(mine("s3", "Third.", 1_900.0, 1_901.0))
    omi.clock.at += 2_000
    await omi.heard(segment("s4", "Fourth.", 3_900.0, 3_901.0))
    sources = [row[0] for row in await omi.kept()]
    assert sources[0] == sources[1]
    assert len(set(sources)) == 3
    await omi.door.client.delete(f"/v1/sources/{sources[0]}")
    await omi.door.client.delete(f"/v1/sources/{sources[3]}")
    omi.clock.at += 5
    await omi.heard(mine("s5", "Fifth.", 3_902.0, 3_903.0))
    assert await omi.words() == ["Third.", "Fifth."]


async def test_the_same_request_twice_at_once_is_stored_once(omi: Omi) -> None:
    said = (mine("s1", "I moved to Lisbon.", 10.0, 14.0), segment("s2", "Lovely!", 14.5, 15.0))
    await asyncio.gather(*(omi.heard(*said) for _ in range(4)))
    assert await omi.words() == ["I moved to Lisbon.", "Lovely!"]


async def test_the_same_words_on_another_day_are_said_again(omi: Omi) -> None:
    bare = [{"text": "Good morning.", "speaker": "SPEAKER_01", "start": 0, "end": 1}]
    for _ in range(3):
        await omi.send("transcript", bare)
        omi.clock.at += 2 * 3_600
    omi.clock.at += 86_400
    await omi.send("transcript", bare)
    assert len({row[0] for row in await omi.kept()}) == 4


async def test_the_manual_s_shapes_are_read_too(omi: Omi) -> None:
    bare = [
        {"text": "Good morning.", "speaker": "SPEAKER_01", "speakerId": 1, "is_user": False, "start": 0, "end": 1},
        {"text": "Good morning, Ravi.", "speakerId": 2, "isUser": True, "start": 2, "end": 3},
        {"text": "It is early.", "speakerId": 3, "start": 4, "end": 5, "something": {"new": 1}},
    ]
    assert await omi.send("transcript", bare, session_id="abc") == {}
    assert await omi.send("transcript", bare, session_id="abc") == {}
    assert [row[2] for row in await omi.kept()] == ["SPEAKER_01", "user", "SPEAKER_03"]


async def test_a_conversation_is_a_source_of_its_own(omi: Omi) -> None:
    assert await omi.send("conversation", CONVERSATION, key="once") == {}
    assert await omi.send("conversation", CONVERSATION, key="once") == {}
    assert [row[0] for row in await omi.kept()] == ["omi-5f1c-77", "omi-5f1c-77"]
    page = await omi.door.get("/v1/sources/omi-5f1c-77")
    assert page["started_at"] == "2026-03-01T12:00:00Z"
    assert page["participants"] == ["user", "Ravi"]
    assert (page["provenance"]["title"], page["provenance"]["device"]) == ("Moving", "omi")
    assert [each["language"] for each in page["segments"]] == ["en", "en"]


async def test_what_the_stream_has_heard_is_not_stored_twice(omi: Omi) -> None:
    omi.clock.at = NOON + 7
    await omi.heard(mine("a1", "I moved to", 1.0, 3.0), segment("a2", "Send me the photos", 5.0, 7.0))
    await omi.send("conversation", CONVERSATION)
    kept = await omi.kept()
    assert [row[1:] for row in kept] == [
        ("a1", "user", "I moved to Lisbon in March."),
        ("a2", "Ravi", "Send me the photos, please."),
    ]
    assert len({row[0] for row in kept}) == 1


async def test_what_was_forgotten_while_it_was_heard_stays_so(omi: Omi) -> None:
    omi.clock.at = NOON + 7
    heard = (mine("a1", "I moved to", 1.0, 3.0), segment("a2", "Send me the photos", 5.0, 7.0))
    await omi.heard(*heard)
    [source] = {row[0] for row in await omi.kept()}
    await omi.door.client.delete(f"/v1/sources/{source}")
    await omi.heard(*heard)
    later = mine("a3", "Much later.", 2_000.0, 2_001.0)
    await omi.send("conversation", CONVERSATION)
    assert await omi.words() == []
    await omi.send("conversation", {**CONVERSATION, "transcript_segments": [*heard, later]})
    assert await omi.words() == ["Much later."]
    await omi.door.client.delete("/v1/sources/omi-5f1c-77")
    await omi.send("conversation", CONVERSATION)
    assert await omi.words() == []


async def test_a_day_s_summary_is_found_and_never_believed(omi: Omi) -> None:
    summary = {
        "id": "d1",
        "date": "2026-03-01",
        "headline": "A day of boxes",
        "overview": "You moved to Porto.",
        "day_emoji": "x",
        "stats": {"total_conversations": 3},
        "unresolved_questions": ["Who has the keys?"],
        "highlights": [{"topic": "Moving", "summary": "You live in Porto.", "conversation_ids": ["1"]}, 7],
        "action_items": [{"description": "Buy tape", "completed": False}],
        "decisions_made": [],
        "locations": [],
    }
    body = {"uid": UID, "created_at": "2026-03-01T22:00:00+00:00", "summary": "{'x': 1}", "summary_json": summary}
    assert await omi.send("day-summary", body) == {}
    assert await omi.send("day-summary", body) == {}
    assert await omi.words() == [
        "A day of boxes",
        "You moved to Porto.",
        "Moving: You live in Porto.",
        "Buy tape",
        "Who has the keys?",
    ]
    page = await omi.door.get(f"/v1/sources/omi-{UID}-day-2026-03-01")
    assert (page["kind"], {each["role"] for each in page["segments"]}) == ("document", {"assistant"})
    await omi.door.settle()
    assert (await omi.door.get("/v1/facts"))["facts"] == []
    assert await omi.send("day-summary", {"created_at": "2026-03-02T22:00:00", "summary": "A quiet day."}) == {}
    assert "A quiet day." in await omi.words()


@pytest.mark.parametrize("hook", ["transcript", "conversation", "day-summary"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"7",
        b"[[]]",
        b"{}",
        b"[" * 50_000,
        b'{"segments": {}, "transcript_segments": 1}',
        b'{"summary_json": {"highlights": {}, "headline": 7}, "created_at": []}',
        b'{"created_at": "0001-01-01T00:00:00", "summary": "\\ud800"}',
        b'{"segments": [null, {"text": "\\u0000", "start": 0, "end": 1}, {"text": 7}]}',
    ],
)
async def test_a_body_that_is_malformed_never_switches_a_webhook_off(omi: Omi, hook: str, body: bytes) -> None:
    assert await omi.send(hook, body) == {}
    assert await omi.kept() == []


async def test_a_malformed_segment_is_set_aside_and_the_rest_taken(omi: Omi) -> None:
    bad = [
        segment("b1", "Backwards.", 5.0, 1.0),
        segment("b2", "Before.", -3.0, 1.0),
        segment("b3", "No number.", 0, "x"),
        segment("../b4", "A path.", 0, 1),
        segment("b5", "", 0, 1),
        {"id": "b6"},
        "words",
        segment("b7", "x" * 600_000, 0, 1),
        segment("b8", "Infinite.", 0.0, 1e999),
        segment("b9", "A list.", 0.0, 1.0, speaker=["a"]),
    ]
    await omi.heard(*bad, segment("g1", "Good.", 0.0, 1.0), segment("g1", "Good again.", 0.0, 1.0))
    odd = {**CONVERSATION, "id": {"a": 1}, "language": 7, "structured": [], "started_at": "9999-12-31T23:59:59-12:00"}
    await omi.send("conversation", {**odd, "transcript_segments": [*bad, segment("g2", "Fine.", 0.0, 1.0)]})
    assert sorted(await omi.words()) == ["Fine.", "Good again."]


async def test_bodies_beyond_all_measure(omi: Omi) -> None:
    crowd = [segment(f"c{n}", "Hello.", 0.0, 1.0, speaker=f"SPEAKER_{n}") for n in range(1_500)]
    await omi.heard(*crowd)
    others = [{**each, "id": f"n{each['id']}"} for each in crowd]
    await omi.send("conversation", {**CONVERSATION, "transcript_segments": others})
    assert len(await omi.kept()) == 3_000
    summary = {"headline": "x" * 600_000, "overview": "Short.", "highlights": ["y"] * 30_000}
    await omi.send("day-summary", {"summary_json": summary})
    assert "Short." in await omi.words()


async def test_who_may_not_write_is_refused(omi: Omi, door: Door) -> None:
    omi.secret = await token_of(door, door.user, "read")
    assert await omi.send("transcript", [mine("s1", "Hello.", 0, 1)], 403) == {"error": "This token may only read."}
    assert "result" in await omi.send("tools/search_memory", {"query": "hello"})
    assert "error" in await omi.send("tools/remember_fact", {"text": "I play the viola."}, 403)
    omi.secret = "guessed"
    assert set(await omi.send("transcript", [mine("s1", "Hello.", 0, 1)], 401)) == {"error"}
    assert await omi.kept() == []
