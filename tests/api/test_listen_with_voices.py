"""A live stream in a memory that knows voices: people have their names, and who is left out is not stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.errors import JournalUnavailable
from memory.model.scopes import user_scope
from memory.model.sound import HeardVoice
from memory.model.voices import SOMEBODY
from memory.rules.voice_bank import VoiceSample, enrolled
from memory.services.diarising import VoiceModels
from tests.api.conftest import Door
from tests.api.test_listen import Open, chunks, opened, told
from tests.fakes.ear import FakeEar, FakeLiveEar
from tests.fakes.hearing import KnownLevels, LevelSegmenter, silence, voice

pytestmark = pytest.mark.postgres
MAYA, TOM, STRANGER = 2, 4, 6
"""Numbers of voices (tests.fakes.hearing)."""


@pytest.fixture
async def live(door: Door, tmp_path: Path) -> AsyncIterator[Open]:
    ear = FakeLiveEar(voices=VoiceModels(LevelSegmenter(), KnownLevels()))
    door.app.ear, door.app.live_ear = FakeEar(), ear
    async with opened(door, ear, tmp_path) as front:
        yield front


async def enrol(live: Open, name: str, number: int) -> str:
    """Know somebody by their voice; the id of it."""
    store, scope = live.door.app.stores.sound.voices, user_scope(live.door.user)
    [print_] = KnownLevels().embed([voice(number, 3.0)])
    sample = VoiceSample(name, "default", HeardVoice(1, 10.0, "campp", tuple(map(float, print_))))
    await store.commit(scope, enrolled(await store.bank(scope), f"e-{name}", live.door.app.clock.now(), scope, sample))
    known = (await store.bank(scope)).called(name)
    assert known is not None
    return known.voice_id


async def exclude(live: Open, voice_id: str, exclusion: str) -> None:
    answer = await live.door.client.post(f"/v1/voices/{voice_id}/exclude", json={"exclusion": exclusion})
    assert answer.status_code == 200, answer.text


async def speak(live: Open, *parts: np.ndarray, query: str = "session_id=walk") -> list[str]:
    """Who is told to speak while these speak, and that the same is stored."""
    async with live.connect(query) as connection:
        for each in chunks(*parts):
            await connection.send(each)
        await connection.send(json.dumps({"type": "CloseStream"}))
        segments = await told(connection)
    answer = await live.door.client.get("/v1/sources/walk")
    stored = answer.json()["segments"] if answer.status_code == 200 else []
    shown, kept = ([(each["speaker"], each["text"]) for each in found] for found in (segments, stored))
    assert kept == shown
    return [each["speaker"] for each in segments]


def turns(*numbers: int) -> list[np.ndarray]:
    return [part for number in numbers for part in (voice(number, 2.5), silence(1.0))]


async def test_who_is_known_has_their_name_and_others_are_the_owner(live: Open) -> None:
    await enrol(live, "Tom", TOM)
    assert await speak(live, *turns(TOM, STRANGER, TOM)) == ["Tom", "user", "Tom"]
    assert live.ear.opened[0][3].asks_voices


async def test_the_bank_is_read_once_while_it_stays_as_it_is(live: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    await enrol(live, "Tom", TOM)
    store, reads = live.door.app.stores.sound.voices, list[str]()
    bank = store.bank

    async def counted(scope: str) -> Any:
        reads.append(scope)
        return await bank(scope)

    monkeypatch.setattr(store, "bank", counted)
    assert await speak(live, *turns(TOM, TOM, TOM)) == ["Tom"] * 3
    assert len(reads) == 1


async def test_two_who_speak_in_one_piece_are_told_apart(live: Open) -> None:
    await enrol(live, "Tom", TOM)
    await enrol(live, "Maya", MAYA)
    assert await speak(live, voice(TOM, 2.3), voice(MAYA, 2.4), silence(1.0)) == ["Tom", "Maya"]


async def test_nobody_is_listened_to_more_closely_where_nobody_is_known(live: Open) -> None:
    assert await speak(live, *turns(TOM, STRANGER)) == ["user", "user"]
    assert not live.ear.opened[0][3].asks_voices


@pytest.mark.parametrize(
    ("exclusion", "query", "expected"),
    [
        ("drop", "session_id=walk", ["user"]),
        ("without_name", "session_id=walk", ["user", SOMEBODY]),
        ("drop", "session_id=walk&speaker=Ola", ["Ola"]),
        ("without_name", "session_id=walk&speaker=Ola", ["Ola", SOMEBODY]),
    ],
)
async def test_who_is_left_out_is_not_stored_whoever_is_said_to_speak(
    live: Open, exclusion: str, query: str, expected: list[str]
) -> None:
    await exclude(live, await enrol(live, "Tom", TOM), exclusion)
    assert await speak(live, *turns(STRANGER, TOM), query=query) == expected


@pytest.mark.parametrize(("policy", "expected"), [("drop", ["Maya"]), ("keep_without_name", ["Maya", SOMEBODY])])
async def test_strangers_are_what_the_owner_says(
    live: Open, monkeypatch: pytest.MonkeyPatch, policy: str, expected: list[str]
) -> None:
    settings = live.door.app.settings
    monkeypatch.setattr(live.door.app, "settings", replace(settings, sound=replace(settings.sound, strangers=policy)))
    await enrol(live, "Maya", MAYA)
    assert await speak(live, *turns(MAYA, STRANGER)) == expected


async def test_who_is_excluded_while_a_stream_goes_on_is_left_out_from_then_on(live: Open) -> None:
    async with live.connect() as connection:
        for each in chunks(*turns(TOM)):
            await connection.send(each)
        [first] = json.loads(await asyncio.wait_for(connection.recv(), 10))["segments"]
        assert first["speaker"] == "user"
        await exclude(live, await enrol(live, "Tom", TOM), "drop")
        for each in chunks(silence(4.0)):
            await connection.send(each)
        await until(lambda: live.ear.opened[0][3].asks_voices)
        for each in chunks(*turns(TOM, STRANGER)):
            await connection.send(each)
        await connection.send(json.dumps({"type": "CloseStream"}))
        assert [each["speaker"] for each in await told(connection)] == ["user"]


async def until(holds: Any) -> None:
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came")


async def test_a_stream_goes_on_where_nobody_can_say_whose_voices_are_known(
    live: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(scope: str) -> Any:
        raise JournalUnavailable()

    monkeypatch.setattr(live.door.app.stores.sound.voices, "bank", away)
    assert await speak(live, *turns(TOM)) == ["user"]
