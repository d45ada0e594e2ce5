"""What was known of a forgotten voice is nowhere: neither its prints, nor its sound, its words, or who it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import psycopg
import pytest

from adapters import build
from adapters.capture.sound_forms import draft_path
from adapters.postgres.sweeping import PostgresSweeper
from bench.canaries import Canaries, Request, over, search
from memory.model.scopes import user_scope
from memory.model.sound import HeardVoice
from memory.rules.voice_bank import HeardPlace
from memory.services.voices import listen
from tests.api.conftest import Door
from tests.api.test_canaries import asked
from tests.api.test_hearing_sessions import Device, said
from tests.api.test_omi import NOON, Clock
from tests.api.test_packed_sound import packer_of
from tests.api.test_sound_with_voices import EarOfVoices

pytestmark = pytest.mark.postgres
COUNT, VOICES = 200, 20
"""Canaries among the words, and by how many voices they are said."""
BARE = 8
"""Numbers of a print that are searched for together: no other bytes are like them by chance."""
NOISE = 0.02


def direction(seed: int) -> tuple[float, ...]:
    """How one voice sounds, as the model of voices says it: any two of them are far apart."""
    drawn = np.random.default_rng(seed).normal(size=192)
    return tuple((drawn / np.linalg.norm(drawn)).astype(np.float32).astype(float))


def traces(prints: Iterable[tuple[float, ...]]) -> set[str | bytes]:
    """The bytes of prints as tables, logs and numpy hold them, and their numbers as text does."""
    found: set[str | bytes] = set()
    for each in prints:
        floats = np.array(each[:BARE], np.float32)
        found |= {floats.tobytes(), floats.astype(">f4").tobytes(), floats.astype(float).tobytes()}
        found |= {max((text(each) for each in floats), key=len) for text in (str, lambda each: repr(float(each)))}
    return found


class DrawnVoices:
    """See memory.services.voices.VoiceListener: a file is the seed of one voice."""

    async def voices(self, file: BinaryIO) -> Sequence[HeardVoice]:
        return [HeardVoice(1, 10.0, "campp", direction(int(file.read())))]


@pytest.fixture
def device(door: Door, monkeypatch: pytest.MonkeyPatch) -> Device:
    clock, ear = Clock(NOON), EarOfVoices()
    monkeypatch.setattr(door.app, "clock", clock)
    monkeypatch.setattr(door.app, "ear", ear)
    door.app.voices = DrawnVoices()
    return Device(door, ear, clock)


async def talk(door: Door, canaries: Canaries, number: int) -> None:
    """A recording of one of the voices, as it arrives, and what is said in it."""
    voice = HeardVoice(1, 30.0, "campp", direction(number % VOICES))
    place = HeardPlace(user_scope(door.user), f"talk-{number}", f"{1 + number % 28} May", NOON + number * 600)
    label = (await listen(door.app.stores.sound.voices, [voice], place, "keep"))[1]
    text = f"I moved to {canaries.word(number)} and I will call {canaries.word(number)} tomorrow."
    segment = {"segment_id": "1", "speaker": label, "text": text, "start": 0, "end": 2}
    body = {"source_id": f"talk-{number}", "started_at": NOON + number * 600, "segments": [segment]}
    await door.post("/v1/sources", body, status=202)


async def spoken(device: Device) -> bytes:
    """A session of two further voices, one after the other; samples of the first of them, as they are kept."""
    device.ear.voices = [  # type: ignore[attr-defined]
        HeardVoice(number, 9.0, "campp", direction(VOICES + number)) for number in (1, 2)
    ]
    sound = np.concatenate((said(20, after_s=1.5), said(9)))
    sound[8_000:40_000] += np.random.default_rng(7).normal(0, NOISE, 32_000).astype(np.float32)
    await device.send(sound)
    await device.door.post("/v1/session/walk/end")
    await device.sweep()
    [kept] = device.samples()
    return kept[40_000:40_032]


async def test_no_canary_of_a_forgotten_voice_is_left_anywhere(
    device: Device, database: str, places: list[Path]
) -> None:
    door, canaries = device.door, Canaries()
    for number in range(COUNT):
        await talk(door, canaries, number)
    sound = await spoken(device)
    enrolled = await door.client.post("/v1/enroll", params={"name": canaries.word(COUNT)}, content=b"99")
    assert enrolled.status_code == 201, enrolled.text
    await door.settle()
    bank = await door.app.stores.sound.voices.bank(user_scope(door.user))
    marks = {canaries.marker, sound, *traces(each.embedding for each in bank.prints.values())}
    known = (await door.get("/v1/voices", limit=200))["voices"]
    assert len(known) == VOICES + 3
    named = await door.client.put(f"/v1/voices/{known[0]['voice_id']}", json={"name": canaries.word(COUNT + 1)})
    assert named.status_code == 200, named.text
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute("CHECKPOINT")
    before = search(places, *traces(each.embedding for each in bank.prints.values()))
    assert any("/base/" in each for each in before), "what is written before a checkpoint may have left the WAL already"
    assert any(".pcm" in each for each in search(places, sound))

    for each in known:
        gone = await door.client.delete(f"/v1/voices/{each['voice_id']}", params={"words": True})
        assert gone.status_code == 200, gone.text
        assert gone.json()["left"] == 0
        canaries.receipts.append((door.user, gone.json()["receipt_id"]))
    await door.settle()
    assert search(places[:1], *marks) == [], "what is not the server's is clean at once"
    assert await sweeper(door).sweep_if_due() == {}
    assert search(places, *marks) == []
    for user, receipt in canaries.receipts:
        told = await asked(door, Request(user, "GET", f"/v1/receipts/{receipt}"))
        assert over(told), told


async def test_prints_that_carry_no_words_are_swept_as_well(device: Device, places: list[Path]) -> None:
    door = device.door
    assert (await door.client.post("/v1/enroll", params={"name": "Tom"}, content=b"98")).status_code == 201
    bank = await door.app.stores.sound.voices.bank(user_scope(door.user))
    marks = traces(each.embedding for each in bank.prints.values())
    gone = await door.client.delete("/v1/enrollment", params={"name": "Tom"})
    assert await sweeper(door).sweep_if_due() == {}, "a sweep is due though no word was forgotten"
    assert over(await door.get(f"/v1/receipts/{gone.json()['receipt_id']}"))
    assert search(places, *marks) == []


@pytest.mark.parametrize("keys", [(), ("ab" * 32,)])
async def test_sound_in_its_lasting_form_is_left_nowhere(
    device: Device, places: list[Path], keys: tuple[str, ...]
) -> None:
    packer = packer_of(device, keys)
    sound = np.concatenate((said(20, after_s=1.5), said(9)))
    sound[8_000:40_000] += np.random.default_rng(7).normal(0, NOISE, 32_000).astype(np.float32)
    device.ear.voices = [  # type: ignore[attr-defined]
        HeardVoice(number, 9.0, "campp", direction(number)) for number in (1, 2)
    ]
    await device.send(sound)
    [session] = device.door.app.sound_sessions.named(device.door.user, "walk")
    with packer.forms.opened(session.path) as kept:
        samples = kept.read(40_000, 32)
    assert bool(search(places[:1], samples)) == (not keys), "encrypted from its first piece"
    await device.door.post("/v1/session/walk/end")
    assert await packer.pack() == 1
    assert search(places[:1], samples) == []
    [blocks] = [each for each in packer.files() if each.suffix == ".blocks"]
    coded = blocks.read_bytes()[2_000:2_032]
    assert search(places[:1], coded)
    draft = draft_path(blocks.with_suffix(".pcm"))
    draft.write_bytes(coded)  # of somebody who died while packing it anew
    for known in (await device.door.get("/v1/voices"))["voices"]:
        gone = await device.door.client.delete(f"/v1/voices/{known['voice_id']}", params={"words": True})
        assert gone.json()["left"] == 0, gone.text
    await device.door.settle()
    assert search(places[:1], samples, coded) == []
    assert not draft.exists()


def sweeper(door: Door) -> PostgresSweeper:
    """What sweeps the files of the database, without waiting for more."""
    settings = door.app.settings
    return build.sweeper(replace(settings, erasure=replace(settings.erasure, sweep_after_s=0.0)), door.app.stores.pool)
