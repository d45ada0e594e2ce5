"""Sound of an Omi wearable is heard once its session has ended, unless Omi has told the words of that time itself."""

from __future__ import annotations

import numpy as np
import pytest

from actors.sound_sweeps import SoundSweeps
from adapters import build
from adapters.capture.sounds import UNNAMED_SPEAKER
from tests.api.test_omi import NOON, Omi, mine, omi  # noqa: F401  (omi is a fixture)
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import silence, tone, wav

pytestmark = pytest.mark.postgres
SPOKEN = wav(np.concatenate((silence(1.0), tone(0.3), silence(1.0))))[44:]
"""Samples without a head, as Omi sends them: three words after a second."""


async def sweep(omi: Omi, ear: FakeEar) -> int:  # noqa: F811
    sweeps = SoundSweeps(build.sound_sessions(omi.door.app.settings), omi.door.app.stores.sound, ear)
    steps = 0
    while await sweeps.next(omi.clock):
        steps += 1
    return steps


async def times(omi: Omi) -> list[float]:  # noqa: F811
    rows = await omi.door.rows(
        "SELECT extract(epoch FROM at)::float8 AS at FROM segments WHERE scope = %(scope)s ORDER BY at",
        scope=f"user:{omi.door.user}",
    )
    return [round(row["at"] - NOON, 2) for row in rows]


async def test_a_stream_is_heard_once_its_session_has_ended(omi: Omi) -> None:  # noqa: F811
    ear = FakeEar()
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    omi.clock.at += 60
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    assert await sweep(omi, ear) == 0
    omi.clock.at += 901
    assert await sweep(omi, ear) == 1
    kept = await omi.kept()
    assert [row[2:] for row in kept] == [(UNNAMED_SPEAKER, "hm hm hm")] * 2
    assert len({row[0] for row in kept}) == 1
    assert await times(omi) == [-1.3, 58.7], "as they were heard, whatever came between"
    assert await sweep(omi, ear) == 0
    assert await sweep(omi, FakeEar(is_installed=False)) == 0


async def test_what_was_told_in_words_is_not_heard(omi: Omi) -> None:  # noqa: F811
    ear = FakeEar()
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    await omi.heard(mine("s1", "I moved to Lisbon.", 0.0, 1.0))
    omi.clock.at += 600
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    omi.clock.at += 1_000
    assert await sweep(omi, ear) == 1
    assert [row[3] for row in await omi.kept()] == ["I moved to Lisbon.", "hm hm hm"]


async def test_forgetting_what_was_heard_silences_it(omi: Omi) -> None:  # noqa: F811
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    omi.clock.at += 901
    assert await sweep(omi, FakeEar()) == 1
    [(source_id, *_)] = await omi.kept()
    answer = await omi.door.client.delete(f"/v1/sources/{source_id}")
    assert (answer.status_code, answer.json()["files"]) == (200, 1)
    assert await sweep(omi, FakeEar()) == 0
    assert await omi.kept() == []


async def test_what_is_forgotten_while_it_is_heard_is_not_stored(omi: Omi) -> None:  # noqa: F811
    await omi.send("audio", SPOKEN, sample_rate=16_000)
    omi.clock.at += 901
    sounds, user = omi.door.app.sounds, omi.door.user

    class Meanwhile(FakeEar):
        async def hear(self, *given: object, **named: object) -> object:  # type: ignore[override]
            heard = await super().hear(*given, **named)  # type: ignore[arg-type]
            if not self.languages[1:]:
                assert sounds.silence(user, "omi", NOON - 60, NOON) == 1
            return heard

    assert await sweep(omi, Meanwhile()) == 2, "it is heard again, as it is by now"
    assert await omi.kept() == []
