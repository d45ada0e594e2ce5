"""Sound of sources above a token's clearance: whoever tells of the same hours neither hears it nor silences it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from adapters.capture.jsonl import append
from deployments.callers import Caller
from deployments.use_cases.sounds import with_sound
from deployments.use_cases.voice_sounds import clear_sounds
from memory.model.scopes import Sensitivity, View
from tests.api.conftest import Door
from tests.api.test_forgetting import payload
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (device is a fixture)
from tests.api.test_omi import NOON, Omi, mine, omi  # noqa: F401  (omi is a fixture)
from tests.api.test_omi_sound import SOUND, heard_of

pytestmark = pytest.mark.postgres


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def told(source_id: str, at: float, seconds: float, session_id: str | None = None, **rest: Any) -> dict[str, Any]:
    """A source of one sentence, in a session if one is named."""
    said_so = {"segment_id": "1", "speaker": "x", "text": "hm", "start": 0.0, "end": seconds}
    provenance = {} if session_id is None else {"session_id": session_id}
    return {"source_id": source_id, "started_at": moment(at), "provenance": provenance, "segments": [said_so], **rest}


async def heard(client: httpx.AsyncClient, source_id: str) -> int:
    return (await client.get(f"/v1/segments/{source_id}/1/audio")).status_code


async def erased(client: httpx.AsyncClient, source_id: str) -> int:
    """Forget a source; how many files that changed."""
    answer = await client.delete(f"/v1/sources/{source_id}")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["files"])


async def of_low(door: Door) -> httpx.AsyncClient:
    return await door.client_of(door.user, clearance=Sensitivity.OPEN)


async def of_owner(door: Door) -> httpx.AsyncClient:
    return await door.client_of(door.user, clearance=Sensitivity.SENSITIVE)


async def hide(door: Door, source_id: str, at: float, seconds: float, session_id: str | None = None) -> None:
    """Let a source be sensitive, as its owner says later."""
    await door.post("/v1/sources", told(source_id, at, seconds, session_id, sensitivity="sensitive"), 202)


@pytest.mark.parametrize("session_id", ["walk", "session=walk-x"])
@pytest.mark.parametrize("after", [-1.3, -0.9, 499.2])
async def test_a_session_is_heard_and_silenced_by_nobody_who_may_not_see_it(
    device: Device,  # noqa: F811
    session_id: str,
    after: float,
) -> None:
    door = device.door
    await device.send(said(3))
    device.clock.at += 500
    await device.send(said(2))
    await hide(door, "walk", NOON - 1.3, 1.3)
    before = device.samples()
    async with await of_low(door) as low:
        probe = told("probe", NOON + after, 0.4, session_id)
        assert (await low.post("/v1/sources", json=probe)).status_code == 202
        assert await heard(low, "probe") == 404
        assert await erased(low, "probe") == 0
    assert device.samples() == before
    async with await of_owner(door) as owner:
        assert (await owner.post("/v1/sources", json=told("mine", NOON + after, 0.4, "walk"))).status_code == 202
        assert await heard(owner, "mine") == 200, "whoever sees everything hears it"
        assert await erased(owner, "mine") == 1
    assert device.samples() != before


async def test_what_is_told_of_sound_is_told_of_what_may_be_heard(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(20))
    await hide(door, "walk", NOON - 3.0, 3.0)
    async with await of_low(door) as low:
        assert (await low.post("/v1/sources", json=told("probe", NOON - 2, 1.5, "walk"))).status_code == 202
    for clearance, known in ((Sensitivity.OPEN, False), (Sensitivity.SENSITIVE, True)):
        who = Caller(View(door.user, clearance=clearance), "read")
        assert bool(await with_sound(door.app, who, [("probe", "1")])) == known
        clear = await clear_sounds(door.app, who, {"v": ["x"]})
        assert ("probe" in [each.source_id for each in clear["v"]]) == known


async def test_nobody_moves_away_what_they_may_not_see(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    await hide(door, "walk", NOON - 1.3, 1.3)
    async with await of_low(door) as low:
        away = told("walk", NOON + 86_400, 1.0) | {"segments": [{"segment_id": "2", "speaker": "x", "text": "hm"}]}
        assert (await low.post("/v1/sources", json=away)).status_code == 202
        assert (await low.post("/v1/sources", json=told("probe", NOON - 1.0, 0.4, "walk"))).status_code == 202
        assert await heard(low, "probe") == 404
    shown = [each[:2] for each in await device.kept() if each[0] == "walk"]
    assert shown == [("walk", -1.3), ("walk", -0.8), ("walk", 86_400.0)], "what was added stands when it was said"


async def test_a_session_is_not_swept_anew_by_who_may_not_see_all_of_it(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    await hide(door, "walk", NOON - 1.3, 1.3)
    async with await of_low(door) as low:
        assert (await low.post("/v1/sources", json=told("probe", NOON - 1.0, 0.4, "walk"))).status_code == 202
        assert (await low.get("/v1/session/walk")).json()["sound_s"] == 0.0
        assert (await low.post("/v1/sweep/walk")).status_code == 404
    assert await device.sweep() == 0
    async with await of_owner(door) as owner:
        assert (await owner.post("/v1/sweep/walk")).status_code == 202
    assert await device.sweep() == 1


async def test_parts_of_one_session_are_heard_by_whoever_may_see_them(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    device.clock.at += 2_000
    await device.send(said(2))
    await hide(door, "walk", NOON - 1.3, 1.3)
    async with await of_low(door) as low:
        [segment] = (await low.get("/v1/sources/walk.2")).json()["segments"]
        path = f"/v1/segments/walk.2/{segment['segment_id']}/audio"
        assert (await low.get(path)).status_code == 200
        assert await erased(low, "walk.2") == 1
    first, second = device.samples()
    assert any(first)
    assert not any(second)


@pytest.mark.parametrize("after", [0.0, 10.0])
async def test_a_device_is_heard_and_silenced_by_nobody_who_may_not_see_what_it_heard(
    omi: Omi,  # noqa: F811
    after: float,
) -> None:
    door = omi.door
    await omi.heard(mine("s1", "I moved to Lisbon.", 0.0, 1.0))
    await omi.send("audio", SOUND, sample_rate=16_000)
    omi.clock.at += 60
    await omi.send("audio", SOUND, sample_rate=16_000)
    [(source_id, *_)] = await omi.kept()
    session_id = (await door.rows("SELECT session_id FROM sources WHERE source_id = %(id)s", id=source_id))[0]
    await hide(door, source_id, NOON - 1, 1.0, session_id["session_id"])
    async with await of_low(door) as low:
        probe = told("omi-x", NOON - 1 + after, 1.0)
        assert (await low.post("/v1/sources", json=probe)).status_code == 202
        assert await heard(low, "omi-x") == 404
        assert await erased(low, "omi-x") == 0
        assert heard_of(door) == [SOUND * 2]
        later = told("omi-y", NOON + 59, 1.0)
        assert (await low.post("/v1/sources", json=later)).status_code == 202
        assert await heard(low, "omi-y") == 200, "what it heard at another time is theirs"
        assert await erased(low, "omi-y") == 1
    assert heard_of(door) == [SOUND + bytes(len(SOUND))]
    async with await of_owner(door) as owner:
        assert await erased(owner, source_id) == 1
    assert heard_of(door) == [bytes(2 * len(SOUND))], "whoever sees it erases all of it"


async def test_lines_of_a_session_file_stay_that_are_of_what_is_out_of_sight(door: Door) -> None:
    path = door.app.settings.home / "transcripts" / door.user / "walk.jsonl"
    line = payload("walk", 5, "Zanzibar!")
    began = line["session_started_at"]
    append(path, line)
    before = path.read_bytes()
    await hide(door, "walk", began, 10.0)
    async with await of_low(door) as low:
        assert (await low.post("/v1/sources", json=told("probe", began + 4, 9.0, "walk"))).status_code == 202
        assert await erased(low, "probe") == 0
    assert path.read_bytes() == before


async def test_cleaning_up_ends_and_names_no_session_out_of_sight(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    await device.send(said(2), session_id="open")
    for session_id, sensitivity in (("walk", "sensitive"), ("open", "open")):
        shown = told(session_id, NOON - 1.3, 1.3, session_id, sensitivity=sensitivity)
        await door.post("/v1/sources", shown, 202)
    device.clock.at += 1.0
    async with await of_low(door) as low:
        assert (await low.post("/v1/cleanup?silent_s=0")).json() == {"removed": 1, "sessions": ["open"]}
    async with await of_owner(door) as owner:
        assert (await owner.get("/v1/session/walk")).json()["ended"] is False
        assert (await owner.post("/v1/cleanup?silent_s=0")).json() == {"removed": 1, "sessions": ["walk"]}
