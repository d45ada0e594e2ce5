"""Sound of a session whose voices are told apart: known ones are told at once, strangers get a number by the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pytest

from memory.model.sound import HeardSound, HeardVoice
from memory.services.ears import HearingModel, VoicesOfEar
from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, said
from tests.api.test_omi import NOON, Clock
from tests.fakes.ear import FakeEar

pytestmark = pytest.mark.postgres


def voice(number: int, axis: int) -> HeardVoice:
    return HeardVoice(number, 9.0, "campp", tuple(float(place == axis) for place in range(8)))


class EarOfVoices(FakeEar):
    """An ear that hears these voices, each sentence by the next of them."""

    def __init__(self) -> None:
        super().__init__()
        self.voices: Sequence[HeardVoice] = ()

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        return self._by_turns(await super().hear(file, language, model))

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        return self._by_turns(await super().hear_samples(samples, language))

    def _by_turns(self, heard: HeardSound) -> HeardSound:
        numbers = [each.number for each in self.voices] or [None]
        told = [replace(each, voice=numbers[place % len(numbers)]) for place, each in enumerate(heard.sentences)]
        return replace(heard, sentences=told, voices=self.voices)


@pytest.fixture
def device(door: Door, monkeypatch: pytest.MonkeyPatch) -> Device:
    clock, ear = Clock(NOON), EarOfVoices()
    monkeypatch.setattr(door.app, "clock", clock)
    monkeypatch.setattr(door.app, "ear", ear)
    return Device(door, ear, clock)


def two() -> np.ndarray:
    """Two sentences with a breath between them."""
    return np.concatenate((said(3, after_s=1.5), said(2)))


async def swept(device: Device) -> list[Any]:
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    return [row[2] for row in await device.kept() if not row[-1]]


async def test_strangers_are_the_owner_at_first_and_have_a_number_after_the_sweep(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    told = await device.send(two())
    assert ([each["speaker"] for each in told["segments"]], told["speakers_detected"]) == (["user", "user"], 1)
    first, second = await swept(device)
    assert {first, second} == {"Speaker 1 of 1 March", "Speaker 2 of 1 March"}


async def test_whoever_is_known_is_told_at_once(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    await device.send(two())
    first, _ = await swept(device)
    [known] = [each["voice_id"] for each in (await device.door.get("/v1/voices"))["voices"] if each["label"] == first]
    named = await device.door.client.put(f"/v1/voices/{known}", json={"name": "Ravi"})
    assert named.status_code == 200, named.text
    device.clock.at += 60
    device.ear.voices = [voice(1, 0)]  # type: ignore[attr-defined]
    later = await device.send(said(4), session_id="later")
    assert [each["speaker"] for each in later["segments"]] == ["Ravi"]
    shown = await device.door.get("/v1/sources/later")
    assert [each["speaker"] for each in shown["segments"]] == ["Ravi"]


async def test_one_voice_alone_is_the_owner_until_somebody_is_known(device: Device) -> None:
    device.ear.voices = [voice(1, 0)]  # type: ignore[attr-defined]
    await device.send(said(3))
    assert await swept(device) == ["user"]
    assert (await device.door.get("/v1/voices"))["voices"] == []


async def test_who_says_who_speaks_is_believed(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    told = await device.send(two(), speaker="Ola")
    assert {each["speaker"] for each in told["segments"]} == {"Ola"}
    assert await swept(device) == ["Ola", "Ola"]


async def test_what_was_forgotten_leaves_no_print(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    await device.send(two())
    await swept(device)
    deleted = await device.door.client.delete("/v1/sources/walk")
    assert deleted.status_code < 300, deleted.text
    assert all(not each["prints"] for each in (await device.door.get("/v1/voices"))["voices"])


async def corrected(device: Device, status: int = 200, **right: Any) -> Any:
    [segment] = (await device.door.get("/v1/sources/walk"))["segments"]
    told = {"source_id": "walk", "segment_id": segment["segment_id"], **right}
    answer = await device.door.client.post("/v1/feedback", json=told)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_correction_stays_over_the_sweep_and_teaches_the_voice(device: Device) -> None:
    device.ear.voices = [voice(1, 0)]  # type: ignore[attr-defined]
    device.door.app.voices = VoicesOfEar(device.ear)
    await device.send(said(30))
    told = await corrected(device, speaker="Tom", text="Hello there.", emotion={"label": "happy", "score": 0.4})
    assert told["taught"] is True
    assert (told["segment"]["speaker"], told["segment"]["text"]) == ("Tom", "Hello there.")
    assert await swept(device) == ["Tom"]
    device.clock.at += 60
    later = await device.send(said(5), session_id="later")
    assert [each["speaker"] for each in later["segments"]] == ["Tom"]
    await device.door.client.delete("/v1/sources/walk")
    assert all(not each["prints"] for each in (await device.door.get("/v1/voices"))["voices"])


async def test_a_correction_without_sound_or_of_little_teaches_nothing(device: Device) -> None:
    device.door.app.voices = VoicesOfEar(device.ear)
    device.ear.voices = [replace(voice(1, 0), seconds=1.0)]  # type: ignore[attr-defined]
    await device.send(said(5))
    assert (await corrected(device, speaker="Tom"))["taught"] is False
    device.door.app.voices = None
    assert (await corrected(device, speaker="Ben"))["taught"] is False
    assert (await device.door.get("/v1/voices"))["voices"] == []


async def test_a_correction_of_nothing_is_refused(device: Device) -> None:
    await device.send(said(5))
    await corrected(device, 422)
    await corrected(device, 422, text="  ")
    await corrected(device, 422, speaker="  ")
    gone = await device.door.client.post("/v1/feedback", json={"source_id": "x", "segment_id": "y", "speaker": "Tom"})
    assert gone.status_code == 404


async def test_who_spoke_stays_as_it_was_told_where_other_models_hear_it_again(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    await device.send(two())
    first = await swept(device)
    assert len(set(first)) == 2
    device.ear.voices = [replace(voice(1, 5), model="community-1"), replace(voice(2, 6), model="community-1")]  # type: ignore[attr-defined]
    await device.door.post("/v1/sweep/walk?model=base", status=202)
    assert await device.sweep() == 1
    assert [row[2] for row in await device.kept() if not row[-1]] == first
    assert len((await device.door.get("/v1/voices"))["voices"]) == 2, "nobody new has come"


async def test_where_somebody_is_left_out_other_models_tell_no_stranger(device: Device) -> None:
    device.ear.voices = [voice(1, 0), voice(2, 1)]  # type: ignore[attr-defined]
    await device.send(two())
    await swept(device)
    [first, _] = (await device.door.get("/v1/voices"))["voices"]
    path = f"/v1/voices/{first['voice_id']}/exclude"
    excluded = await device.door.client.post(path, json={"exclusion": "drop"})
    assert excluded.status_code == 200, excluded.text
    device.ear.voices = [replace(voice(1, 5), model="community-1"), replace(voice(2, 6), model="community-1")]  # type: ignore[attr-defined]
    before = [row for row in await device.kept() if not row[-1]]
    await device.door.post("/v1/sweep/walk?model=base", status=202)
    assert await device.sweep() == 1
    assert [row for row in await device.kept() if not row[-1]] == before, "what an earlier sweep has told stands"
