"""A recording comes with its voices: a stranger has a number, gets a name later, and a known one is told at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door

pytestmark = pytest.mark.postgres


def print_of(axis: int, length: float = 2.0) -> list[float]:
    return [length if place == axis else 0.0 for place in range(8)]


def voice(number: int, axis: int) -> dict[str, Any]:
    return {"number": number, "seconds": 12.0, "model": "campp", "embedding": print_of(axis)}


def recording(source_id: str, *said: tuple[int | None, str], **more: Any) -> dict[str, Any]:
    segments = [
        {"segment_id": str(place), "speaker": "Maya", "text": text, "start": place, "end": place + 1, "voice": number}
        for place, (number, text) in enumerate(said)
    ]
    return {"source_id": source_id, "started_at": "2026-05-03T12:00:00Z", "segments": segments} | more


async def told(door: Door, source_id: str) -> list[tuple[str, str]]:
    source = await door.get(f"/v1/sources/{source_id}")
    return [(each["speaker"], each["text"]) for each in source["segments"]]


async def test_strangers_have_numbers_and_one_of_them_a_name_later(door: Door) -> None:
    said = ((1, "I moved to Aarhus."), (2, "I work in Odense."), (None, "Hm."))
    await door.post("/v1/sources", recording("lunch", *said, voices=[voice(1, 0), voice(2, 1)]), 202)
    speakers = [speaker for speaker, _ in await told(door, "lunch")]
    assert speakers == ["Speaker 1 of 3 May", "Speaker 2 of 3 May", "[somebody]"]
    found = await door.get("/v1/voices")
    [second] = [each["voice_id"] for each in found["voices"] if each["label"] == speakers[1]]
    named = await door.client.put(f"/v1/voices/{second}", json={"name": "Tom"})
    assert named.status_code == 200, named.text
    await door.post("/v1/sources", recording("dinner", (1, "The soup is good."), voices=[voice(1, 1)]), 202)
    assert await told(door, "dinner") == [("Tom", "The soup is good.")]
    assert [speaker for speaker, _ in await told(door, "lunch")][1] == "Tom"


async def test_the_same_recording_again_changes_nothing(door: Door) -> None:
    body = recording("lunch", (1, "I moved."), (2, "So did I."), voices=[voice(1, 0), voice(2, 1)])
    await door.post("/v1/sources", body, 202)
    assert (await door.post("/v1/sources", body, 202))["changed"] == 0
    assert len((await door.get("/v1/voices"))["voices"]) == 2


async def test_one_voice_alone_is_who_the_source_says(door: Door) -> None:
    await door.post("/v1/sources", recording("memo", (1, "Buy milk."), voices=[voice(1, 0)]), 202)
    assert await told(door, "memo") == [("Maya", "Buy milk.")]
    assert (await door.get("/v1/voices"))["voices"] == []


async def test_what_an_excluded_voice_says_is_not_kept(door: Door) -> None:
    await door.post("/v1/sources", recording("lunch", (1, "A."), (2, "B."), voices=[voice(1, 0), voice(2, 1)]), 202)
    found = await door.get("/v1/voices")
    [second] = [each["voice_id"] for each in found["voices"] if each["label"] == "Speaker 2 of 3 May"]
    await door.post(f"/v1/voices/{second}/exclude", {"exclusion": "drop"})
    await door.post("/v1/sources", recording("tea", (1, "C."), (2, "D."), voices=[voice(1, 1), voice(2, 0)]), 202)
    assert [text for _, text in await told(door, "tea")] == ["D."]


async def test_nothing_of_a_voice_stays_of_a_recording_that_may_not_be_told(door: Door) -> None:
    body = recording("lunch", (1, "A."), (2, "B."), voices=[voice(1, 0), voice(2, 1)])
    await door.post("/v1/sources", body, 202)
    deleted = await door.client.delete("/v1/sources/lunch")
    assert deleted.status_code < 300, deleted.text
    assert all(not each["prints"] for each in (await door.get("/v1/voices"))["voices"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"voices": [voice(0, 0)]},
        {"voices": [voice(1, 0) | {"embedding": [0.0] * 8}]},
        {"voices": [voice(1, 0) | {"embedding": []}]},
        {"voices": [voice(1, 0) | {"embedding": [1e9] * 8}]},
        {"voices": [voice(1, 0)] * 65},
        {"voices": [voice(1, 0)], "segments": [], "content": "A note."},
    ],
)
async def test_what_is_no_voice_is_refused_and_nothing_is_kept(door: Door, wrong: dict[str, Any]) -> None:
    answer = await door.client.post("/v1/sources", json=recording("lunch", (1, "A.")) | wrong)
    assert answer.status_code == 422, answer.text
    assert (await door.client.get("/v1/sources/lunch")).status_code == 404
    assert (await door.get("/v1/voices"))["voices"] == []
