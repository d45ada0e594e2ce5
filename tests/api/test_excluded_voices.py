"""Who does not want to be told is not kept: neither at once, nor by the sweep, nor where a sender says who speaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory.model.sound import HeardSound
from memory.model.voices import SOMEBODY
from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, said
from tests.api.test_omi import NOON, Clock
from tests.api.test_sound_with_voices import EarOfVoices, two, voice

pytestmark = pytest.mark.postgres
OWNER, GUEST = voice(1, 0), voice(2, 1)


@pytest.fixture
async def device(door: Door, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose memory has heard the owner, who is named, and a guest."""
    clock, ear = Clock(NOON), EarOfVoices()
    monkeypatch.setattr(door.app, "clock", clock)
    monkeypatch.setattr(door.app, "ear", ear)
    made = Device(door, ear, clock)
    ear.voices = [OWNER, GUEST]
    await made.send(two(), session_id="before")
    await end(made, "before")
    named = await door.client.put(f"/v1/voices/{await known_as(made, 'Speaker 1')}", json={"name": "Maya"})
    assert named.status_code == 200, named.text
    clock.at += 3_600
    return made


async def known_as(device: Device, label: str) -> str:
    known = (await device.door.get("/v1/voices"))["voices"]
    return str(next(each["voice_id"] for each in known if each["label"].startswith(label)))


async def exclude(device: Device, exclusion: str = "drop") -> None:
    """Exclude the guest."""
    path = f"/v1/voices/{await known_as(device, 'Speaker 2')}/exclude"
    answer = await device.door.client.post(path, json={"exclusion": exclusion})
    assert answer.status_code == 200, answer.text


async def end(device: Device, session_id: str = "walk") -> None:
    await device.door.post(f"/v1/session/{session_id}/end")
    assert await device.sweep() == 1


async def told(device: Device, session_id: str = "walk") -> list[Any]:
    """Speaker and words of all that a source shows, what is hidden too."""
    answer = await device.door.client.get(f"/v1/sources/{session_id}")
    return [(each["speaker"], each["text"]) for each in answer.json().get("segments", [])]


async def rows(device: Device, session_id: str = "walk") -> list[tuple[str, str]]:
    """The same of all that the database holds."""
    return [(row[2], row[3]) for row in await device.kept() if row[0] == session_id]


async def test_what_was_told_of_a_guest_before_the_voice_was_clear_is_taken_back(device: Device) -> None:
    await exclude(device)
    device.ear.voices = [OWNER, replace(GUEST, seconds=1.0)]  # type: ignore[attr-defined]
    at_once = await device.send(two())
    assert [each["text"] for each in at_once["segments"]] == ["hm hm hm", "hm hm"], "too short to be anybody's"
    device.ear.voices = [OWNER, GUEST]  # type: ignore[attr-defined]
    await end(device)
    standing = [(row[2], row[3]) for row in await device.kept() if row[0] == "walk" and not row[-1]]
    assert standing == [("Speaker 1 of 1 March", "hm hm hm")]
    assert {text for _, text in await told(device)} == {"hm hm hm"}
    assert sorted(text for _, text in await rows(device)) == ["", "", "hm hm hm", "hm hm hm"]
    source = await device.door.get("/v1/sources/walk")
    assert SOMEBODY not in source["participants"]
    assert source["segments_count"] == 1


class TellingEar(EarOfVoices):
    """The same in words that something can be read from, whoever says them."""

    def _by_turns(self, heard: HeardSound) -> HeardSound:
        told = super()._by_turns(heard)
        return replace(told, sentences=[replace(each, text="I live in Porto.") for each in told.sentences])


async def test_what_was_read_from_words_that_are_taken_back_is_withdrawn(device: Device) -> None:
    await exclude(device)
    device.ear = TellingEar()
    device.door.app.ear = device.ear
    await device.send(said(3))
    await device.door.settle()
    assert (await device.door.get("/v1/facts"))["total"] == 1, "it was the owner's"
    device.ear.voices = [GUEST]  # type: ignore[attr-defined]
    await end(device)
    await device.door.settle()
    assert (await device.door.get("/v1/facts"))["total"] == 0
    found = await device.door.rows(
        "SELECT count(*) AS count FROM segment_vectors JOIN segments s USING (scope, segment_key)"
        " WHERE s.scope = %(scope)s AND s.source_id = 'walk'",
        scope=f"user:{device.door.user}",
    )
    assert [each["count"] for each in found] == [0]


async def test_words_that_were_taken_back_do_not_come_back(device: Device) -> None:
    await exclude(device)
    device.ear.voices = []  # type: ignore[attr-defined]
    sound = two()
    await device.send(sound, key="k")
    device.ear.voices = [OWNER, GUEST]  # type: ignore[attr-defined]
    await end(device)
    before = await device.kept()
    device.ear.voices = []  # type: ignore[attr-defined]
    await device.send(sound, key="k")
    assert await device.kept() == before
    source = await device.door.get("/v1/session/walk")
    assert source["segments_count"] == 1
    answer = await device.door.client.delete("/v1/sources/walk")
    assert answer.status_code == 200, answer.text
    assert await rows(device) == []


async def test_a_session_of_a_guest_alone_leaves_no_words_and_may_leave_no_source(device: Device) -> None:
    await exclude(device)
    device.ear.voices = [GUEST]  # type: ignore[attr-defined]
    assert (await device.send(said(3)))["segments"] == []
    await end(device)
    assert await rows(device) == []
    device.clock.at += 3_600
    device.ear.voices = []  # type: ignore[attr-defined]
    await device.send(said(3), session_id="later")
    device.ear.voices = [GUEST]  # type: ignore[attr-defined]
    await end(device, "later")
    assert await told(device, "later") == []
    assert {text for _, text in await rows(device, "later")} == {""}


async def test_what_somebody_corrected_stays(device: Device) -> None:
    await exclude(device)
    device.ear.voices = []  # type: ignore[attr-defined]
    [segment] = (await device.send(said(3)))["segments"]
    right = {"source_id": "walk", "segment_id": segment["segment_id"], "speaker": "Tom", "text": "Hello there."}
    assert (await device.door.client.post("/v1/feedback", json=right)).status_code == 200
    device.ear.voices = [GUEST]  # type: ignore[attr-defined]
    await end(device)
    assert await told(device) == [("Tom", "Hello there.")]


@pytest.mark.parametrize(("exclusion", "guest"), [("drop", None), ("without_name", SOMEBODY)])
async def test_a_sender_who_says_who_speaks_lifts_no_exclusion(
    device: Device, exclusion: str, guest: str | None
) -> None:
    await exclude(device, exclusion)
    at_once = await device.send(two(), speaker="Ola")
    expected = ["Ola"] if guest is None else ["Ola", guest]
    assert [each["speaker"] for each in at_once["segments"]] == expected
    await end(device)
    standing = [row[2] for row in await device.kept() if row[0] == "walk" and not row[-1]]
    assert standing == expected
    assert len((await device.door.get("/v1/voices"))["voices"]) == 2, "nothing was learnt"


@pytest.mark.parametrize(("policy", "expected"), [("keep", ["Ola", "Ola"]), ("drop", ["Ola"])])
async def test_a_sender_who_says_who_speaks_brings_no_stranger_who_is_dropped(
    device: Device, monkeypatch: pytest.MonkeyPatch, policy: str, expected: list[str]
) -> None:
    settings = device.door.app.settings
    strict = replace(settings, sound=replace(settings.sound, strangers=policy))
    monkeypatch.setattr(device.door.app, "settings", strict)
    device.ear.voices = [OWNER, voice(2, 5)]  # type: ignore[attr-defined]
    assert [each["speaker"] for each in (await device.send(two(), speaker="Ola"))["segments"]] == expected


async def test_an_excluded_voice_alone_is_not_the_owner_where_nobody_is_named(device: Device) -> None:
    undone = await device.door.client.post("/v1/voices/undo")
    assert undone.status_code == 200, undone.text
    await exclude(device)
    device.ear.voices = [GUEST]  # type: ignore[attr-defined]
    assert (await device.send(said(3)))["segments"] == []
    device.clock.at += 5
    device.ear.voices = [OWNER]  # type: ignore[attr-defined]
    assert [each["speaker"] for each in (await device.send(said(2)))["segments"]] == ["user"]
