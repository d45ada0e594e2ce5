"""POST /v1/sources as a person or a small script writes it: local times, and messages without ids and seconds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memory.model.ids import digest
from tests.api.conftest import Door

CHAT = (("Maya", "Morning!"), ("Ravi", "Morning!"), ("Maya", "ok"), ("Ravi", "I moved to Ghent."), ("Maya", "ok"))


def chat(*said: tuple[str, str], **rest: Any) -> dict[str, Any]:
    messages = [{"speaker": speaker, "text": text} for speaker, text in said]
    return {"source_id": "chat", "started_at": "2026-03-01T08:00:00+01:00", "segments": messages, **rest}


async def kept(door: Door) -> list[tuple[str, str, str, str]]:
    segments = (await door.get("/v1/sources/chat"))["segments"]
    return [(each["segment_id"], each["speaker"], each["text"], each["at"]) for each in segments]


async def lives_in(door: Door, zone: str) -> None:
    assert (await door.client.put("/v1/profile", json={"time_zone": zone})).status_code == 200


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-03-01T08:00", "2026-03-01T07:00:00Z"),
        ("2026-07-01 08:00:00", "2026-07-01T06:00:00Z"),
        ("2026-11-17", "2026-11-16T23:00:00Z"),
        ("2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z"),
        ("2026-03-01T08:00:00-05:00", "2026-03-01T13:00:00Z"),
        (1772352000, "2026-03-01T08:00:00Z"),
        ("1772352000.5", "2026-03-01T08:00:00.500000Z"),
        ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
    ],
)
async def test_a_time_without_a_zone_is_meant_where_the_owner_lives(door: Door, written: Any, at: str) -> None:
    await lives_in(door, "Europe/Berlin")
    await door.post("/v1/sources", chat(*CHAT[:1], started_at=written), 202)
    assert (await door.get("/v1/sources/chat"))["started_at"] == at


async def test_relative_days_are_counted_from_that_local_time(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Asia/Tokyo"})
    told = chat(("Maya", "I moved to Ghent yesterday."), started_at="2026-03-02T08:00", ended_at="2026-03-02T08:05")
    await door.post("/v1/sources", told, 202)
    await door.settle()
    [fact] = [each for each in (await door.get("/v1/facts"))["facts"] if each["predicate"] == "lives_in"]
    assert fact["valid_from"] == "2026-02-28T15:00:00Z", "the first of March begins there"


async def test_where_no_zone_is_known_it_is_told_what_to_do(door: Door) -> None:
    for rest in ({"started_at": "2026-03-01T08:00"}, {"ended_at": "2026-03-01T08:00"}):
        refused = await door.post("/v1/sources", chat(*CHAT[:1], **rest), 422)
        assert next(iter(rest)) in refused["detail"]
        assert "+01:00" in refused["detail"]
        assert "PUT /v1/profile" in refused["detail"]
    await lives_in(door, "Etc/UTC")
    await door.post("/v1/sources", chat(*CHAT[:1], started_at="2026-03-01T08:00"), 202)
    assert (await door.get("/v1/sources/chat"))["started_at"] == "2026-03-01T08:00:00Z"


async def test_messages_get_ids_from_their_words_and_keep_their_order(door: Door) -> None:
    told = await door.post("/v1/sources", chat(*CHAT), 202)
    assert (told["segments"], told["changed"]) == (5, 5)
    first = await kept(door)
    assert [(speaker, text) for _, speaker, text, _ in first] == list(CHAT)
    assert len({identity for identity, *_ in first}) == len(CHAT)
    moments = [datetime.fromisoformat(at) for *_, at in first]
    assert moments == sorted(set(moments)), "each at a moment of its own"
    assert first[0][0] == digest("Maya", "Morning!", 1).hex(), "as an import of the same words has it"
    again = await door.post("/v1/sources", chat(*CHAT), 202)
    assert (again["segments"], again["changed"]) == (5, 0)
    assert await kept(door) == first


async def test_a_conversation_that_grows_keeps_its_ids_and_adds_only_what_is_new(door: Door) -> None:
    await door.post("/v1/sources", chat(*CHAT), 202)
    before = await kept(door)
    grown = (*CHAT, ("Ravi", "ok"), ("Maya", "ok"))
    told = await door.post("/v1/sources", chat(*grown), 202)
    assert told["changed"] == 2
    after = await kept(door)
    assert after[: len(before)] == before
    assert [(speaker, text) for _, speaker, text, _ in after] == list(grown)


async def test_some_messages_may_tell_their_id_and_seconds(door: Door) -> None:
    body = chat(*CHAT[:4])
    body["segments"][1] |= {"start": 60, "end": 61.5}
    body["segments"][2] |= {"segment_id": "mine"}
    body["segments"][3] |= {"end": 90}
    await door.post("/v1/sources", body, 202)
    segments = (await door.get("/v1/sources/chat"))["segments"]
    assert [each["text"] for each in segments] == [text for _, text in CHAT[:4]]
    assert [(each["start"], each["end"]) for each in segments] == [(0, 0), (60, 61.5), (61.501, 61.501), (61.502, 90)]
    assert segments[2]["segment_id"] == "mine"


async def test_what_cannot_be_completed_is_refused_and_nothing_is_stored(door: Door) -> None:
    late, twice = chat(*CHAT[:2]), chat(*CHAT[:2])
    late["segments"][0] |= {"start": 5}
    late["segments"][1] |= {"start": 6, "end": 5}
    twice["segments"][0] |= {"segment_id": digest("Ravi", "Morning!", 1).hex()}
    far = chat(*CHAT[:2])
    far["segments"][0] |= {"start": 31_536_000, "end": 31_536_000}
    for body, told in ((late, "end must not be before start"), (twice, "unique"), (far, "segments.1.start")):
        refused = await door.post("/v1/sources", body, 422)
        assert told in refused["detail"]
    assert (await door.get("/v1/sources"))["total"] == 0


async def test_what_a_message_says_is_read(door: Door) -> None:
    await lives_in(door, "Europe/Berlin")
    await door.post("/v1/sources", chat(*CHAT, started_at="2026-03-01T08:00"), 202)
    await door.settle()
    assert "Ravi lives in Ghent" in {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}


TALK = [
    {"role": "system", "content": "You live in Rome. Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "I moved to Ghent."}, {"text": "It rains."}]},
    {"role": "assistant", "content": "I live in Paris."},
    {"role": "user", "content": "ok", "name": "Ravi"},
]


async def test_messages_of_role_and_content_are_enough(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Berlin"})
    told = {"source_id": "chat", "started_at": "2026-03-01T08:00", "messages": TALK}
    stored = await door.post("/v1/sources", told, 202)
    assert (stored["segments"], stored["changed"]) == (4, 4)
    segments = (await door.get("/v1/sources/chat"))["segments"]
    assert [(each["speaker"], each["role"], each["text"]) for each in segments] == [
        ("system", "tool", "You live in Rome. Be brief."),
        ("Maya", "user", "I moved to Ghent.\nIt rains."),
        ("assistant", "assistant", "I live in Paris."),
        ("Ravi", "other", "ok"),
    ]
    assert (await door.post("/v1/sources", told, 202))["changed"] == 0
    grown = told | {"messages": [*TALK, {"role": "user", "content": "ok", "name": "Ravi"}]}
    assert (await door.post("/v1/sources", grown, 202))["changed"] == 1
    await door.settle()
    believed = {each["statement"] for each in (await door.get("/v1/facts"))["facts"] if each["predicate"] == "lives_in"}
    assert believed == {"Maya lives in Ghent"}


async def test_messages_before_anybody_is_known_are_the_owner_s(door: Door) -> None:
    told = {"source_id": "chat", "started_at": "2026-03-01T08:00:00Z", "messages": TALK[1:3]}
    await door.post("/v1/sources", told, 202)
    assert [each[1] for each in await kept(door)] == ["user", "assistant"]


async def test_one_way_of_telling_at_a_time(door: Door) -> None:
    for rest in (
        {"messages": TALK, "content": "words"},
        {"messages": TALK, "segments": [{"speaker": "a", "text": "b"}]},
        {"messages": []},
        {"messages": [{"role": "user", "text": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "text": "x"}]}]},
        {"messages": [{"role": "user", "content": [{"text": "x" * 300_000}] * 2}]},
    ):
        await door.post("/v1/sources", {"source_id": "chat", "started_at": "2026-03-01T08:00:00Z", **rest}, 422)
    assert (await door.get("/v1/sources"))["total"] == 0
