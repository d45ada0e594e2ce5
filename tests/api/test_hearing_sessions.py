"""Sound of a device: pieces are kept and heard as they come, a session that is over is swept, and nothing is lost."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import httpx
import numpy as np
import pytest

from actors.sound_sweeps import SoundSweeps
from adapters import build
from adapters.capture.commands import folder_name
from adapters.capture.sounds import UNNAMED_SPEAKER
from config.doors import Sound
from memory.model.scopes import Sensitivity
from memory.model.sound import HeardSound, Waveform
from memory.services.ears import MISSING, HearingModel
from tests.api.conftest import Door
from tests.api.test_omi import NOON, Clock
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import silence, tone, wav

pytestmark = pytest.mark.postgres


@dataclass
class Device:
    """A device that sends pieces of a session, and the worker that sweeps it."""

    door: Door
    ear: FakeEar
    clock: Clock

    async def send(self, sound: Waveform | bytes, key: str | None = None, status: int = 200, **fields: Any) -> Any:
        answer = await self.post(sound, key, **fields)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def post(self, sound: Waveform | bytes, key: str | None = None, **fields: Any) -> httpx.Response:
        content = sound if isinstance(sound, bytes) else wav(sound)
        headers = {"Idempotency-Key": key} if key else {}
        data = {"session_id": "walk", "device_id": "phone", **fields}
        files = {"audio": ("piece.wav", content, "audio/wav")}
        return await self.door.client.post("/v1/transcribe", files=files, data=data, headers=headers)

    async def sweep(self) -> int:
        """Sweep all that is due; how many steps that took."""
        sweeps = SoundSweeps(build.sound_sessions(self.door.app.settings), self.door.app.stores.sound, self.ear)
        steps = 0
        while await sweeps.next(self.clock):
            steps += 1
        return steps

    async def kept(self) -> list[tuple[Any, ...]]:
        """Source, instant after noon, speaker, words, whether swept and whether replaced, in order of time."""
        rows = await self.door.rows(
            "SELECT s.source_id, extract(epoch FROM s.at)::float8 AS at, s.speaker, c.words, s.is_sweep, s.replaced_by"
            " FROM segments s JOIN content c USING (scope, content_id) WHERE s.scope = %(scope)s ORDER BY s.at, s.ord",
            scope=f"user:{self.door.user}",
        )
        return [
            (
                each["source_id"],
                round(each["at"] - NOON, 2),
                each["speaker"],
                each["words"],
                each["is_sweep"],
                each["replaced_by"] is not None,
            )
            for each in rows
        ]

    def samples(self) -> list[bytes]:
        folder = self.door.app.settings.home / "audio" / folder_name(self.door.user)
        return [path.read_bytes() for path in sorted(folder.glob("*.pcm"))]


@pytest.fixture
def device(door: Door, monkeypatch: pytest.MonkeyPatch) -> Device:
    clock = Clock(NOON)
    monkeypatch.setattr(door.app, "clock", clock)
    door.app.ear = FakeEar()
    return Device(door, door.app.ear, clock)


def said(words: int, before_s: float = 0.5, after_s: float = 0.5) -> Waveform:
    """So many words in one breath, with silence around."""
    return np.concatenate((silence(before_s), tone(words / 10), silence(after_s)))


async def test_a_piece_becomes_segments_at_their_time(device: Device) -> None:
    await device.door.client.put("/v1/profile", json={"name": "Maya"})
    told = await device.send(said(3))
    [segment] = told.pop("segments")
    assert told.pop("processing_time_ms") >= 0
    assert told == {"session_id": "walk", "speakers_detected": 1, "sweep_active": False, "deferred": False}
    assert (segment["speaker"], segment["text"], segment["start"], segment["end"]) == ("Maya", "hm hm hm", 0.5, 0.8)
    assert (segment["stt_engine"], segment["emotion"], segment["emotion_reason"]) == ("teller", None, "unread")
    device.clock.at += 5
    [later] = (await device.send(said(2), speaker="Ravi"))["segments"]
    assert (later["speaker"], later["start"]) == ("Ravi", pytest.approx(5.6))
    assert await device.kept() == [
        ("walk", -0.8, "Maya", "hm hm hm", False, False),
        ("walk", 4.3, "Ravi", "hm hm", False, False),
    ]
    shown = await device.door.get("/v1/session/walk")
    assert (shown["ended"], shown["sweep"], shown["sources"], shown["segments_count"]) == (False, "none", ["walk"], 2)
    assert (shown["sound_s"], shown["swept_s"]) == (2.5, 0.0)


async def test_a_piece_that_comes_again_changes_nothing(device: Device) -> None:
    first = await device.send(said(3), key="k1")
    device.clock.at += 20
    again = await device.send(said(3), key="k1")
    same = await device.send(said(4))
    device.clock.at += 20
    assert (await device.send(said(4)))["segments"] == same["segments"], "the same sound without a key is the same"
    assert again["segments"] == first["segments"]
    assert len(await device.kept()) == 2
    assert (await device.door.get("/v1/session/walk"))["sound_s"] == pytest.approx(1.3 + 1.4)


async def test_a_session_that_is_over_is_swept_once(device: Device) -> None:
    await device.send(said(3, after_s=0.0))
    device.clock.at += 0.8
    await device.send(said(2, before_s=0.0, after_s=0.6))
    assert await device.sweep() == 0, "it goes on"
    ended = await device.door.post("/v1/session/walk/end")
    assert (ended["ended"], ended["sweep"], len(ended["segments"])) == (True, "waiting", 2)
    assert await device.sweep() == 1
    shown = await device.door.get("/v1/session/walk")
    assert (shown["sweep"], shown["swept_s"], shown["segments_count"]) == ("done", shown["sound_s"], 1)
    standing = [row for row in await device.kept() if not row[-1]]
    assert standing == [("walk", pytest.approx(-0.3), "user", "hm hm hm hm hm", True, False)]
    assert await device.sweep() == 0
    assert len(await device.kept()) == 3


async def test_a_sweep_keeps_who_was_said_to_speak(device: Device) -> None:
    await device.send(said(3), speaker="Ravi")
    device.clock.at += 10
    await device.send(said(2), speaker="Ines")
    device.clock.at += 10
    device.ear.broken = True
    assert (await device.send(said(4), speaker="Ravi"))["deferred"] is True
    device.ear.broken = False
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    standing = [row[2:5] for row in await device.kept() if not row[-1]]
    assert standing == [("Ravi", "hm hm hm", True), ("Ines", "hm hm", True), (UNNAMED_SPEAKER, "hm hm hm hm", True)]


async def test_a_speaker_who_was_forgotten_is_named_nowhere(device: Device) -> None:
    device.ear.broken = True
    await device.send(said(3), speaker="Ravi")
    device.ear.broken = False
    device.clock.at += 120
    await device.send(said(3), speaker="Ravi", key="later")
    [told] = (device.door.app.settings.home / "audio").rglob("*.heard")
    assert b"Ravi" in told.read_bytes()
    assert (await device.door.client.delete("/v1/sources/walk")).status_code == 200
    assert b"Ravi" not in told.read_bytes()


async def test_a_long_silence_ends_a_session_and_what_comes_later_opens_it_again(device: Device) -> None:
    await device.send(said(3))
    device.clock.at += 899
    assert await device.sweep() == 0
    device.clock.at += 2
    assert await device.sweep() == 1
    await device.send(said(2))
    shown = await device.door.get("/v1/session/walk")
    assert (shown["ended"], shown["sources"], shown["sweep"]) == (False, ["walk", "walk.2"], "none")
    device.clock.at += 1_000
    assert await device.sweep() == 1
    assert [row[3:5] for row in await device.kept() if not row[-1]] == [("hm hm hm", True), ("hm hm", True)]


async def test_a_sweep_that_was_asked_for_goes_on_from_there(device: Device) -> None:
    await device.send(said(3))
    answer = await device.door.client.post("/v1/sweep/walk")
    assert (answer.status_code, answer.json()["sweep"]) == (202, "waiting")
    assert await device.sweep() == 1
    device.clock.at += 10
    await device.send(said(2))
    assert (await device.door.get("/v1/session/walk"))["ended"] is False
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    assert device.ear.heard == pytest.approx([1.3, 1.3, 1.2, 1.2]), "each piece at once, and once by a sweep"
    assert [row[1] for row in await device.kept() if not row[-1]] == [pytest.approx(-0.8), pytest.approx(9.3)]


class EarOfOneMoment(FakeEar):
    async def hear(self, file: BinaryIO, language: str | None = None, model: HearingModel | None = None) -> HeardSound:
        heard = await super().hear(file, language, model)
        return replace(heard, sentences=[two for each in heard.sentences for two in (each, replace(each, text="Oh."))])


async def test_sentences_that_begin_at_once_are_kept_each(device: Device) -> None:
    device.ear = EarOfOneMoment()
    await device.send(said(5))
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    assert sorted(row[3] for row in await device.kept() if not row[-1]) == ["Oh.", "hm hm hm hm hm"]


async def test_pinned_words_stand(device: Device) -> None:
    [segment] = (await device.send(said(3)))["segments"]
    line = {"session_id": "walk", "session_started_at": NOON - 1.3, "is_sweep": False}
    pinned = {**segment, "text": "I moved to Lisbon.", "pinned": True}
    pinned = {key: value for key, value in pinned.items() if key != "emotion_reason"}
    await device.door.post("/webhook/transcript", {**line, "segments": [pinned]})
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    assert [row[3] for row in await device.kept() if not row[-1]] == ["I moved to Lisbon."]


async def test_what_cannot_be_heard_now_is_heard_by_the_sweep(device: Device) -> None:
    device.ear.broken = True
    told = await device.send(said(3))
    assert (told["segments"], told["deferred"]) == ([], True)
    assert (await device.door.get("/v1/session/walk"))["sources"] == []
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep() == 1, "it failed"
    device.ear.broken = False
    assert await device.sweep() == 0, "it waits"
    device.clock.at += 61
    assert await device.sweep() == 1
    assert [row[1:4] for row in await device.kept()] == [(-0.8, "user", "hm hm hm")]


async def test_a_worker_that_dies_after_storing_stores_nothing_twice(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    await device.send(said(3))
    await device.door.post("/v1/session/walk/end")
    sessions = build.sound_sessions(device.door.app.settings)
    with monkeypatch.context() as dying:
        dying.setattr(type(sessions), "advance", lambda *_: False)
        assert await SoundSweeps(sessions, device.door.app.stores.sound, device.ear).next(device.clock)
    before = await device.kept()
    assert await device.sweep() == 1
    assert await device.kept() == before


async def test_forgetting_reaches_sound_and_sweep(device: Device) -> None:
    await device.send(said(3))
    await device.send(said(3), session_id="other")
    assert (await device.door.client.delete("/v1/sources/walk")).status_code == 200
    first, second = device.samples()
    assert (any(first), any(second)) == (True, False), "the sound of the other session stays"
    await device.door.post("/v1/session/walk/end")
    await device.sweep()
    assert {row[0] for row in await device.kept()} == {"other"}
    answer = await device.door.client.delete("/v1/memory", params={"confirm": device.door.user})
    assert answer.status_code == 200, answer.text
    assert device.samples() == []
    assert not list((device.door.app.settings.home / "audio").rglob("*.heard"))


async def test_sessions_are_of_their_user_and_their_clearance(device: Device) -> None:
    await device.send(said(3))
    stranger = await device.door.client_of("somebody-else")
    async with stranger:
        for method, path in (("GET", "/v1/session/walk"), ("POST", "/v1/session/walk/end"), ("POST", "/v1/sweep/walk")):
            assert (await stranger.request(method, path)).status_code == 404
        assert (await stranger.post("/v1/cleanup?silent_s=0")).json() == {"removed": 0, "sessions": []}
    async with await device.door.client_of(device.door.user, permission="read") as reader:
        assert (await reader.post("/v1/session/walk/end")).status_code == 403
        files = {"audio": ("a.wav", wav(said(1)))}
        assert (await reader.post("/v1/transcribe", files=files, data={"session_id": "walk"})).status_code == 403
        assert (await reader.get("/v1/session/walk")).status_code == 200


async def test_cleaning_up_ends_what_is_silent(device: Device) -> None:
    await device.send(said(3))
    assert (await device.door.post("/v1/cleanup"))["removed"] == 0
    device.clock.at += 3_700
    assert await device.door.post("/v1/cleanup") == {"removed": 1, "sessions": ["walk"]}
    assert await device.sweep() == 1
    assert (await device.door.get("/v1/session/walk"))["segments_count"] == 1


DAMAGED = {
    "empty": b"",
    "head": wav(said(3))[:20],
    "no samples": wav(silence(0.0)),
    "zip": b"PK\x03\x04" + bytes(500),
    "garbage": bytes(range(256)) * 40,
    "noughts": bytes(4_000),
    "words": b"I moved to Lisbon.",
}


@pytest.mark.parametrize("name", DAMAGED)
async def test_damaged_pieces_are_refused_and_nothing_is_kept(device: Device, name: str) -> None:
    answer = await device.post(DAMAGED[name])
    assert answer.status_code == 422, answer.text
    assert device.samples() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"session_id": "../../etc"},
        {"session_id": ""},
        {"session_id": "x" * 201},
        {"language": "Klingon"},
        {"is_sweep": "perhaps"},
        {"speaker": "\x00"},
        {"speaker": "x" * 300},
        {"device_id": "x" * 2_000},
    ],
)
async def test_fields_that_make_no_sense_are_refused(device: Device, fields: dict[str, str]) -> None:
    answer = await device.post(said(1), **fields)
    assert answer.status_code == 422, answer.text
    assert device.samples() == []


async def test_a_piece_has_ten_minutes_and_silence_no_words(device: Device) -> None:
    assert (await device.post(silence(601.0))).status_code == 413
    told = await device.send(silence(2.0))
    assert (told["segments"], told["speakers_detected"], told["deferred"]) == ([], 0, False)
    shown = await device.door.get("/v1/session/walk")
    assert (shown["sources"], shown["sound_s"]) == ([], 2.0)


async def test_the_sound_of_a_segment_is_given_to_who_sees_it(device: Device) -> None:
    [segment] = (await device.send(said(3, before_s=2.0, after_s=2.0)))["segments"]
    path = f"/v1/segments/walk/{segment['segment_id']}/audio"
    answer = await device.door.client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    with wave.open(io.BytesIO(answer.content)) as reader:
        assert reader.getframerate() == 16_000
        samples = np.frombuffer(reader.readframes(10**6), "<i2")
    assert len(samples) == pytest.approx(0.8 * 16_000, abs=4)
    assert np.abs(samples).max() > 10_000
    async with await device.door.client_of("somebody-else") as stranger:
        assert (await stranger.get(path)).status_code == 404
    later = [{"segment_id": "x", "speaker": "Maya", "text": "Hm."}]
    body = {"source_id": "walk", "started_at": NOON, "sensitivity": "private", "segments": later}
    assert (await device.door.client.post("/v1/sources", json=body)).status_code == 202
    async with await device.door.client_of(device.door.user, clearance=Sensitivity.OPEN) as lower:
        assert (await lower.get(path)).status_code == 404
        assert (await lower.get("/v1/session/walk")).status_code == 404
    assert (await device.door.client.get("/v1/segments/walk/x/audio")).status_code in (200, 404)
    assert (await device.door.client.get("/v1/segments/walk/nothing/audio")).status_code == 404
    await device.door.client.delete("/v1/sources/walk")
    assert (await device.door.client.get(path)).status_code == 404


async def test_without_the_extra_it_says_how_to_get_it_and_reads_nothing(device: Device) -> None:
    device.ear.is_installed = False
    answer = await device.post(said(3))
    assert (answer.status_code, answer.json()["detail"]) == (503, MISSING)
    assert device.samples() == []
    assert await device.sweep() == 0


async def test_where_no_sound_is_kept_a_piece_is_heard_or_refused(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device.door.app.sounds, "_settings", Sound(days=0))
    assert len((await device.send(said(3)))["segments"]) == 1
    assert device.samples() == []
    assert (await device.door.client.post("/v1/sweep/walk")).status_code == 404
    ended = await device.door.post("/v1/session/walk/end")
    assert (ended["sweep"], ended["sound_s"], len(ended["segments"])) == ("none", 0.0, 1)
    device.ear.broken = True
    assert (await device.post(said(4))).status_code == 503, "it would be lost"
