"""A live stream while a sweep has the GPU: its sound is kept as it comes, its words come later, and none is lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from actors.leases import KeptLeases, OwnBook
from actors.sound_sweeps import SoundSweeps
from adapters import build
from adapters.hearing import resident
from adapters.hearing.apart import ApartEar
from adapters.modules import module_command
from config.models import SpeechModel
from memory.rules.leases import USERS, LeaseTerms
from memory.services.live_hearing import MOST_BEHIND_S
from tests.api.conftest import Door
from tests.api.test_listen import chunks, opened
from tests.api.test_listen import messages as all_told
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import silence, tone

pytestmark = pytest.mark.postgres
TERMS = LeaseTerms(100.0, dict.fromkeys(USERS, 10.0))
SENTENCES, SPOKEN_S, PAUSE_S = 25, 3.0, 0.6


class InstalledEar(ApartEar):
    """The ear itself, whose process needs no extra (tests.fakes.resident_child)."""

    is_installed = True  # type: ignore[assignment]


async def test_more_than_a_stream_may_be_behind(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        resident, "module_command", lambda _, wishes: module_command("tests.fakes.resident_child", wishes)
    )
    leases, app = KeptLeases(OwnBook(TERMS), TERMS), door.app
    app.ear, app.live_ear, app.leases = FakeEar(), (ear := InstalledEar(SpeechModel(), leases=leases)), leases
    seconds = SENTENCES * (SPOKEN_S + PAUSE_S)
    async with opened(door, cast(Any, ear), tmp_path) as front, front.connect() as connection:
        async with leases.lease("sweep"):
            for each in chunks(*[np.concatenate((tone(SPOKEN_S), silence(PAUSE_S)))] * SENTENCES):
                await connection.send(each)
            await _until_kept(door, seconds - 2.5)
            assert (await door.get("/v1/session/walk"))["segments_count"] == 0
        await connection.send(json.dumps({"type": "CloseStream"}))
        messages = await all_told(connection)
    late = [segment for message in messages for segment in message["segments"]]
    skipped_s = sum(message.get("skipped_s", 0.0) for message in messages)
    assert skipped_s + sum(each["end"] - each["start"] for each in late) == pytest.approx(SENTENCES * SPOKEN_S, rel=0.1)
    assert MOST_BEHIND_S - 2 * SPOKEN_S < sum(each["end"] - each["start"] for each in late) <= MOST_BEHIND_S + 0.1
    assert (await door.get("/v1/session/walk"))["sound_s"] == pytest.approx(seconds, abs=0.1)
    await door.post("/v1/session/walk/end")
    sweeps = SoundSweeps(build.sound_sessions(app.settings), app.stores.sound, app.ear, leases=leases)
    assert await sweeps.next(app.clock)
    heard = (await door.post("/v1/session/walk/end"))["segments"]
    words = sum(len(each["text"].split()) for each in heard)
    assert words == pytest.approx(SENTENCES * SPOKEN_S * 10, rel=0.02), "the sweep has heard what the stream left out"
    await ear.close()


async def _until_kept(door: Door, seconds: float) -> None:
    """Wait until so much of the session is kept."""
    async with asyncio.timeout(60):
        while True:
            answer = await door.client.get("/v1/session/walk")
            if answer.status_code == 200 and answer.json()["sound_s"] >= seconds:
                return
            await asyncio.sleep(0.1)
