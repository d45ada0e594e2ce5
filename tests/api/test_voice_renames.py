"""Another name for a voice that others became one with: all that any of them said follows, and undo restores it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_voices import LABEL, SAYS, hear, name, shown

pytestmark = pytest.mark.postgres
OTHER = "Speaker 1 of 6 May"
BELIEVED = ("facts", "promises", "entities", "sources")


@pytest.fixture
async def voices(door: Door) -> list[str]:
    """The ids of two strangers' voices; both have promised something."""
    await hear(door, "lunch", 5, *SAYS)
    await hear(door, "walk", 5, "I love climbing.", day=1)
    await hear(door, "call", 6, "I have a dog called Rex.", "I'll bring you the keys tomorrow.", day=3)
    return [each["voice_id"] for each in (await door.get("/v1/voices"))["voices"]]


async def merge(door: Door, kept: str, gone: str) -> str:
    return str((await door.post("/v1/voices/merge", {"voice_id": kept, "other_id": gone}))["change_id"])


async def undo(door: Door) -> None:
    await door.post("/v1/voices/undo")


def nobody(who: str, seen: dict[str, Any]) -> bool:
    return not any(who in json.dumps(seen[each]) for each in BELIEVED)


async def test_a_new_name_takes_along_who_was_merged_and_undo_restores_each_step(door: Door, voices: list[str]) -> None:
    one, other = voices
    steps = [await shown(door)]
    for step in (name(door, one, "Tom"), merge(door, one, other), name(door, one, "Ben"), name(door, one, "Max")):
        await step
        steps.append(await shown(door))
    for called, seen in (("Ben", steps[3]), ("Max", steps[4])):
        assert {fact[1] for fact in seen["facts"]} == {called}
        assert {json.loads(each)["by"] for each in seen["promises"]} == {called}
        assert len(seen["promises"]) == 2
        assert nobody("Tom", seen)
    assert nobody("Ben", steps[4])
    for seen in reversed(steps[:4]):
        await undo(door)
        assert await shown(door) == seen


async def test_a_third_name_leaves_the_person_of_the_first_alone(door: Door, voices: list[str]) -> None:
    said = {"segment_id": "0", "speaker": "Maya", "text": "Tom works at Siemens.", "start": 0, "end": 2}
    await door.post("/v1/sources", {"source_id": "told", "started_at": 1_777_809_600.0, "segments": [said]}, status=202)
    await door.settle()
    before = await shown(door)
    for called in ("Tom", "Ravi", "Max"):
        await name(door, voices[0], called)
    seen = await shown(door)
    assert [each[1] for each in seen["facts"] if each[1] == "Tom"] == ["Tom"], "Maya's, and no more"
    assert nobody("Ravi", seen)
    for _ in range(3):
        await undo(door)
    assert await shown(door) == before


async def test_a_merge_is_undone_before_the_name_that_moved_it_on(door: Door, voices: list[str]) -> None:
    one, other = voices
    await name(door, one, "Tom")
    before = await shown(door)
    change = await merge(door, one, other)
    await name(door, one, "Ben")
    refused = await door.client.post("/v1/voices/undo", json={"change_id": change})
    assert refused.status_code == 409
    assert "undo that first" in refused.text
    await undo(door)
    await door.post("/v1/voices/undo", {"change_id": change})
    assert await shown(door) == before


async def test_who_was_merged_is_split_off_again_after_a_new_name(door: Door, voices: list[str]) -> None:
    one, other = voices
    await name(door, one, "Tom")
    await merge(door, one, other)
    await name(door, one, "Ben")
    before = await shown(door)
    await door.post(f"/v1/voices/{one}/split", {"labels": [OTHER]})
    seen = await shown(door)
    assert {fact[1] for fact in seen["facts"]} == {"Ben", OTHER}
    assert {json.loads(each)["by"] for each in seen["promises"]} == {"Ben", OTHER}
    await undo(door)
    assert await shown(door) == before


async def test_what_became_another_persons_voice_follows_that_persons_next_name(door: Door, voices: list[str]) -> None:
    one, other = voices
    await name(door, one, "Tom")
    await name(door, other, "Ravi")
    await name(door, other, "Tom")
    steps = [await shown(door)]
    assert {fact[1] for fact in steps[0]["facts"]} == {"Tom"}
    await name(door, one, "Ben")
    seen = await shown(door)
    assert {fact[1] for fact in seen["facts"]} == {"Ben"}
    assert nobody("Tom", seen)
    await undo(door)
    assert await shown(door) == steps[0]


async def test_the_same_new_name_again_is_carried_out_once(door: Door, voices: list[str]) -> None:
    one, other = voices
    await name(door, one, "Tom")
    await merge(door, one, other)
    first = await name(door, one, "Ben", **{"Idempotency-Key": "k-1"})
    seen = await shown(door)
    assert await name(door, one, "Ben", **{"Idempotency-Key": "k-1"}) == first
    assert await shown(door) == seen
    assert LABEL in first["voice"]["labels"]
