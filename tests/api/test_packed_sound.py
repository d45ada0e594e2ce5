"""Sound in its lasting form through the doors: played, told of, refused without its key, and reached by forgetting."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from actors.sound_sweeps import SoundSweeps
from adapters.capture.commands import folder_name
from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_forms import SoundForms
from adapters.capture.sound_keys import SoundKeys
from adapters.capture.sound_packing import PACKING, SoundPacking
from adapters.capture.sound_sessions import SoundSessions
from adapters.capture.sounds import SoundFolder
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (device is a fixture)
from tests.fakes.coder import FakeCoder

pytestmark = pytest.mark.postgres
ONE, OTHER = "ab" * 32, "cd" * 32


@dataclass
class Packer:
    """Sound of the application under keys, and what packs it."""

    device: Device
    key_file: Path
    forms: SoundForms
    packing: SoundPacking
    sweeps: SoundSweeps

    def set_keys(self, *keys: str) -> None:
        self.key_file.touch(0o600)
        self.key_file.write_text("".join(f"{each}\n" for each in keys))

    async def pack(self) -> int:
        """Sweep and pack what is over; how many sessions were packed."""
        while await self.sweeps.next(self.device.clock):
            pass
        count = 0
        while self.packing.next(self.device.clock.now()):
            count += 1
        return count

    def files(self) -> list[Path]:
        folder = self.device.door.app.settings.home / "audio" / folder_name(self.device.door.user)
        return sorted(each for each in folder.glob("*") if not each.name.endswith(".lock"))


def packer_of(device: Device, keys: Iterable[str]) -> Packer:  # noqa: F811
    """Let the application keep sound under these keys, coded by a fake."""
    app = device.door.app
    root, key_file = app.settings.home / "audio", app.settings.home / "sound.key"
    forms = SoundForms(SoundKeys(key_file if keys else None), FakeCoder())
    app.sounds = SoundFolder(root, app.settings.sound, forms)
    app.sound_cuts, app.sound_sessions = SoundCuts(root, forms), SoundSessions(root, forms)
    packing = SoundPacking(root, app.sound_sessions, forms, after_sweeps=True)
    sweeps = SoundSweeps(app.sound_sessions, app.stores.sound, device.ear)
    packer = Packer(device, key_file, forms, packing, sweeps)
    packer.set_keys(*keys)
    return packer


async def spoken(device: Device) -> str:  # noqa: F811
    """A session that is over; where the sound of its sentence is given."""
    await device.send(said(3, before_s=2.0, after_s=2.0))
    await device.door.post("/v1/session/walk/end")
    return "/v1/segments/walk/{}/audio"


async def swept_segment(device: Device) -> str:  # noqa: F811
    rows = await device.door.rows(
        "SELECT segment_id FROM segments WHERE scope = %(scope)s AND is_sweep AND replaced_by IS NULL",
        scope=f"user:{device.door.user}",
    )
    return str(rows[0]["segment_id"])


@pytest.mark.parametrize("keys", [(), (ONE,)])
async def test_a_segment_is_played_in_every_form(device: Device, keys: tuple[str, ...]) -> None:  # noqa: F811
    packer = packer_of(device, keys)
    path = await spoken(device)
    assert await packer.pack() == 1
    assert {each.suffix for each in packer.files()} == {".blocks", ".jsonl", ".heard"}
    answer = await device.door.client.get(path.format(await swept_segment(device)))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    with wave.open(io.BytesIO(answer.content)) as reader:
        samples = np.frombuffer(reader.readframes(10**6), "<i2")
    assert len(samples) == pytest.approx(0.8 * 16_000, abs=4)
    loud = np.flatnonzero(np.abs(samples) > 1_000)
    assert (loud[0] / 16_000, loud[-1] / 16_000) == (pytest.approx(0.25, abs=0.02), pytest.approx(0.55, abs=0.02))
    told = (await device.door.get("/v1/stats"))["sound"]
    assert (told["sessions"], told["seconds"]) == (1, pytest.approx(4.3, abs=0.1))
    assert (await device.door.get("/v1/session/walk"))["sweep"] == "done"
    await device.send(said(2), key="later")
    assert len((await device.door.get("/v1/session/walk"))["sources"]) == 1
    assert len(app_sessions(device)) == 2


def app_sessions(device: Device) -> list[str]:  # noqa: F811
    sessions: list[str] = device.door.app.sounds.sessions(device.door.user)
    return sessions


async def test_without_its_key_listening_is_refused_and_the_sweep_waits(device: Device) -> None:  # noqa: F811
    packer = packer_of(device, (ONE,))
    path = await spoken(device)
    await packer.pack()
    path = path.format(await swept_segment(device))
    packer.set_keys(OTHER)
    answer = await device.door.client.get(path)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:memoray:sound-sealed")
    assert ONE not in answer.text
    packer.key_file.chmod(0o644)
    answer = await device.door.client.get(path)
    assert (answer.status_code, "chmod 600" in answer.json()["detail"]) == (503, True)
    assert (await device.post(said(2), key="k2")).status_code == 503, "what cannot be encrypted is not acknowledged"
    packer.key_file.chmod(0o600)
    packer.set_keys(ONE)
    await device.send(said(2), key="k2")
    await device.door.post("/v1/session/walk/end")
    packer.set_keys(OTHER)
    [session] = device.door.app.sound_sessions.due(device.clock.now())
    assert await packer.pack() == 0
    assert device.door.app.sound_sessions.due(device.clock.now()) == [], "it waits"
    packer.set_keys(ONE)
    device.clock.at += 61
    assert await packer.pack() == 1
    assert (await device.door.client.get(path)).status_code == 200
    assert session.name


async def test_what_was_changed_on_disk_is_not_played(device: Device) -> None:  # noqa: F811
    packer = packer_of(device, (ONE,))
    path = await spoken(device)
    await packer.pack()
    [blocks] = [each for each in packer.files() if each.suffix == ".blocks"]
    raw = bytearray(blocks.read_bytes())
    raw[200] ^= 1
    blocks.write_bytes(raw)
    answer = await device.door.client.get(path.format(await swept_segment(device)))
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:memoray:sound-damaged")


@pytest.mark.parametrize("keys", [(), (ONE,)])
@pytest.mark.parametrize("named", [True, False])
async def test_forgetting_reaches_sound_in_its_lasting_form(
    device: Device,  # noqa: F811
    keys: tuple[str, ...],
    named: bool,
) -> None:
    packer = packer_of(device, keys)
    path = await spoken(device)
    await packer.pack()
    path = path.format(await swept_segment(device))
    [blocks] = [each for each in packer.files() if each.suffix == ".blocks"]
    before = blocks.read_bytes()
    if not named:
        packer.set_keys(OTHER)
    answer = await device.door.client.delete("/v1/sources/walk")
    assert answer.json()["files"] == 1
    packer.set_keys(*keys)
    after = blocks.read_bytes()
    assert len(after) == len(before)
    parts = {before[place : place + 16] for place in range(80, len(before) - 16, 16)}
    assert not any(each in after for each in parts if len(set(each)) > 8)
    assert (await device.door.client.get(path)).status_code == 404
    answer = await device.door.client.delete("/v1/memory", params={"confirm": device.door.user})
    assert answer.status_code == 200, answer.text
    assert packer.files() == []
    assert {each.name for each in (device.door.app.settings.home / "audio").iterdir()} <= {PACKING, ".sweeping"}


async def test_what_is_kept_no_longer_goes_in_every_form(device: Device) -> None:  # noqa: F811
    packer = packer_of(device, (ONE,))
    await spoken(device)
    await packer.pack()
    app = device.door.app
    short = SoundFolder(app.settings.home / "audio", replace(app.settings.sound, days=1), packer.forms)
    assert short.expire(device.clock.now() + 3_600) == 0
    assert short.expire(device.clock.now() + 2 * 86_400) == 1
    assert packer.files() == []
