"""What is felt in sound: a guess beside the words of pieces and sweeps, in archives, and never a day's feeling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from adapters.embedding.minilm import MiniLmEmbedder
from adapters.hearing.prosody import ProsodyReader
from memory.model.sound import HeardEmotion, TracedSentence
from tests.api.archives import exported, restored
from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (device is a fixture)

pytestmark = pytest.mark.postgres


class Glad(ProsodyReader):
    """The reader of the CPU, which takes every word for gladness: what is heard in these tests are hums."""

    def read(self, said: Sequence[TracedSentence]) -> Sequence[HeardEmotion]:
        return [replace(each, label="happy", score=0.4) for each in super().read(said)]


async def kept(door: Door, user: str) -> list[Any]:
    rows = await door.rows(
        "SELECT emotion, is_sweep FROM segments WHERE scope = %(scope)s AND replaced_by IS NULL", scope=f"user:{user}"
    )
    return [(each["emotion"], each["is_sweep"]) for each in rows]


async def test_a_guess_stands_beside_words_and_survives_sweep_and_archive(device: Device) -> None:  # noqa: F811
    door = device.door
    device.ear.emotions = Glad(MiniLmEmbedder())
    [segment] = (await device.send(said(10)))["segments"]
    assert (segment["emotion"]["label"], segment["emotion_reason"]) == ("happy", None)
    assert segment["emotion"]["method"] == "text+prosody-standin"
    assert segment["emotion"]["prosody"]["pitch_hz"] == pytest.approx(220, rel=0.03)
    both = {each: segment["emotion"].pop(each) for each in ("primary", "confidence")}
    assert both == {"primary": segment["emotion"]["label"], "confidence": segment["emotion"]["score"]}
    assert await kept(door, door.user) == [(segment["emotion"], False)]
    [ended] = (await door.post("/v1/session/walk/end"))["segments"]
    assert (ended["emotion"], ended["emotion_reason"]) == (segment["emotion"] | both, None)
    assert await device.sweep() == 1
    [(swept, is_sweep)] = await kept(door, door.user)
    assert (swept["prosody"], is_sweep) == (segment["emotion"]["prosody"], True)
    assert (await door.get("/v1/daily", date="2026-03-01"))["emotional_arc"] == "", "a guess is no day's feeling"
    archive = await exported(door)
    assert (await door.client.delete("/v1/memory")).status_code == 200
    answer = await restored(door, archive)
    assert answer.status_code == 201, answer.text
    assert await kept(door, door.user) == [(swept, True)]


async def test_words_that_tell_nothing_are_unclear_and_what_is_off_says_so(
    device: Device,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device.ear.emotions = ProsodyReader(MiniLmEmbedder())
    [segment] = (await device.send(said(3), language="de"))["segments"]
    assert (segment["emotion"]["label"], segment["emotion_reason"]) == ("neutral", "unclear")
    device.ear.emotions = None
    settings = device.door.app.settings
    off = replace(settings, models=replace(settings.models, speech=replace(settings.models.speech, emotion=False)))
    monkeypatch.setattr(device.door.app, "settings", off)
    [segment] = (await device.send(said(4)))["segments"]
    assert (segment["emotion"], segment["emotion_reason"]) == (None, "off")


GUESS = {"label": "sad", "score": 0.2, "method": "text+prosody-standin", "prosody": {"pitch_hz": 180.0}}


@pytest.mark.parametrize(
    "wrong",
    [
        {"prosody": {f"n{place}": 1.0 for place in range(21)}},
        {"prosody": {"pitch_hz": "high"}},
        {"prosody": {"pitch_hz": {"deep": 1.0}}},
        {"prosody": 4.0},
        {"label": {"a": 1.0}},
        {"method": 4.0},
        {"method": {"a": 1.0}},
        {"scores": {"x" * 1_001: 1.0}},
    ],
    ids=["many", "words", "nested", "number", "label", "method", "methods", "long"],
)
async def test_sources_may_bring_a_guess_of_bounded_form(door: Door, wrong: dict[str, Any]) -> None:
    body = {"kind": "note", "started_at": "2026-03-01T12:00:00Z", "segments": [{"speaker": "Maya", "text": "I left."}]}
    told = {**body, "source_id": "told", "segments": [{**body["segments"][0], "emotion": GUESS}]}  # type: ignore[dict-item]
    await door.post("/v1/sources", told, status=202)
    assert (await kept(door, door.user))[0][0] == GUESS
    bad = {**told, "source_id": "bad", "segments": [{**body["segments"][0], "emotion": GUESS | wrong}]}  # type: ignore[dict-item]
    answer = await door.client.post("/v1/sources", json=bad)
    assert answer.status_code == 422, answer.text
