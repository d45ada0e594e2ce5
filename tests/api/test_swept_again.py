"""A session that was swept is swept again with another model, while its sound is kept; nothing stands twice."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

import pytest

from adapters import build
from deployments.use_cases import recordings
from memory.model.sound import HeardSound
from memory.services.ears import HearingModel
from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, said
from tests.api.test_omi import NOON, Clock
from tests.fakes.ear import FakeEar

pytestmark = pytest.mark.postgres


@pytest.fixture
def device(door: Door, monkeypatch: pytest.MonkeyPatch) -> Device:
    clock, ear = Clock(NOON), FakeEar()
    monkeypatch.setattr(door.app, "clock", clock)
    monkeypatch.setattr(door.app, "ear", ear)
    return Device(door, ear, clock)


class EarOfModels(FakeEar):
    """Each model hears other words."""

    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        heard = await super().hear(file, language, model)
        told = [replace(each, text=f"{model or 'default'} hears") for each in heard.sentences]
        return replace(heard, sentences=told)


async def test_a_session_is_swept_again_with_another_model_and_once(device: Device) -> None:
    device.ear = EarOfModels()
    first = (await device.send(said(3)))["segments"][0]
    device.clock.at += 10
    await device.send(said(2))
    line = {"session_id": "walk", "session_started_at": NOON - 1.3, "is_sweep": False}
    pinned = {**first, "text": "I moved to Lisbon.", "pinned": True}
    pinned = {key: value for key, value in pinned.items() if key != "emotion_reason"}
    await device.door.post("/webhook/transcript", {**line, "segments": [pinned]})
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    standing = [(row[3], row[4]) for row in await device.kept() if not row[-1]]
    assert standing == [("I moved to Lisbon.", False), ("default hears", True)]
    for _ in range(2):
        answer = await device.door.client.post("/v1/sweep/walk?model=base")
        assert answer.status_code == 202
    assert answer.json()["sweep"] == "waiting"
    assert await device.sweep() == 1
    standing = [(row[3], row[4]) for row in await device.kept() if not row[-1]]
    assert standing == [("I moved to Lisbon.", False), ("base hears", True)]
    count = len(await device.kept())
    assert (await device.door.post("/v1/sweep/walk?model=base", status=202))["sweep"] == "done"
    assert await device.sweep() == 0
    assert len(await device.kept()) == count
    device.clock.at += 5
    await device.send(said(4))
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    assert device.ear.models[-1] == "base", "what comes later is heard by the same model"


async def test_models_that_are_not_here_and_too_many_sweeps_are_refused(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    await device.send(said(3))
    await device.door.post("/v1/session/walk/end")
    post = device.door.client.post
    assert (await post("/v1/sweep/walk?model=large")).status_code == 422
    assert (await post("/v1/sweep/walk?model=gpu")).status_code == 503
    assert (await post("/v1/sweep/walk?model=own")).status_code == 503
    monkeypatch.setattr(recordings, "MOST_AGAIN", 1)
    assert (await post("/v1/sweep/walk?model=base")).status_code == 202
    assert (await post("/v1/sweep/walk?model=tiny.en")).status_code == 409


async def test_a_sweep_that_is_overtaken_by_another_model_notes_nothing(device: Device) -> None:
    await device.send(said(3))
    await device.door.post("/v1/session/walk/end")
    sessions = build.sound_sessions(device.door.app.settings)
    [before] = sessions.named(device.door.user, "walk")
    await device.door.post("/v1/sweep/walk?model=base", status=202)
    assert sessions.advance(before, before.size) is False
    [now] = sessions.named(device.door.user, "walk")
    assert (now.state.heard, now.state.again, now.state.model) == (0, 1, "base")
    assert not sessions.is_same(before)
