"""Sound of an Omi wearable: kept as it comes, told of, and reached by forgetting."""

from __future__ import annotations

from typing import Any

import pytest

from adapters import build
from adapters.capture.commands import folder_name
from adapters.capture.sounds import SoundFolder
from deployments.callers import Caller
from deployments.use_cases.heard import forget_one_heard
from memory.model.scopes import Sensitivity, View
from tests.api.conftest import Door
from tests.api.foreign import token_of
from tests.api.test_omi import Omi, mine, omi, segment  # noqa: F401  (omi is a fixture)

pytestmark = pytest.mark.postgres


def heard_of(door: Door) -> list[bytes]:
    """The samples of each session that is kept of a user, in the order of time."""
    folder = door.app.settings.home / "audio" / folder_name(door.user)
    return [path.read_bytes() for path in sorted(folder.glob("*.pcm"))]


SOUND = b"\x01\x02" * 16_000


async def test_sound_is_kept_a_session_a_file_and_once(omi: Omi) -> None:  # noqa: F811
    assert (await omi.door.get("/v1/stats"))["sound"] == {"sessions": 0, "bytes": 0, "seconds": 0.0}
    assert await omi.send("audio", SOUND, sample_rate=16_000, key="k1") == {}
    assert await omi.send("audio", SOUND, sample_rate=16_000, key="k1") == {}
    omi.clock.at += 5
    assert await omi.send("audio", SOUND + b"\x07", sample_rate=16_000, key="k2") == {}
    assert heard_of(omi.door) == [SOUND * 2]
    omi.clock.at += 3_600
    assert await omi.send("audio", SOUND, sample_rate=16_000) == {}
    assert heard_of(omi.door) == [SOUND * 2, SOUND]
    assert (await omi.door.get("/v1/stats"))["sound"] == {"sessions": 2, "bytes": 96_000, "seconds": 3.0}
    async with await omi.door.client_of(omi.door.user, clearance=Sensitivity.OPEN) as stranger:
        assert (await stranger.get("/v1/stats")).json()["sound"] is None
    folder = omi.door.app.settings.home / "audio"
    assert [oct(each.stat().st_mode)[-3:] for each in (folder / folder_name(omi.door.user),)] == ["700"]
    assert all(oct(each.stat().st_mode)[-2:] == "00" for each in folder.rglob("omi-*"))
    assert await omi.kept() == []


@pytest.mark.parametrize("given", [{"sample_rate": "7"}, {"sample_rate": "x"}, {"sample_rate": "999999"}])
async def test_sound_that_makes_no_sense_is_set_aside(omi: Omi, given: dict[str, str]) -> None:  # noqa: F811
    assert await omi.send("audio", SOUND, **given) == {}
    assert await omi.send("audio", b"", sample_rate=16_000) == {}
    assert heard_of(omi.door) == []


async def test_forgetting_reaches_the_sound(omi: Omi) -> None:  # noqa: F811
    await omi.heard(mine("s1", "I moved to Lisbon.", 0.0, 1.0))
    await omi.send("audio", SOUND, sample_rate=16_000)
    omi.clock.at += 600
    await omi.heard(segment("s2", "Lovely!", 600.0, 601.0))
    await omi.send("audio", SOUND, sample_rate=16_000)
    omi.clock.at += 3_600
    await omi.send("audio", SOUND, sample_rate=16_000)
    [(source_id, *_), _] = await omi.kept()
    answer = await omi.door.client.delete(f"/v1/sources/{source_id}")
    assert answer.json()["files"] == 1
    assert heard_of(omi.door) == [bytes(len(SOUND) * 2), SOUND], "what was heard at another time stays"
    answer = await omi.door.client.delete("/v1/memory", params={"confirm": omi.door.user})
    assert answer.status_code == 200, answer.text
    assert heard_of(omi.door) == []


async def test_forgetting_a_segment_silences_all_the_time_it_took(omi: Omi) -> None:  # noqa: F811
    await omi.heard(mine("s1", "I moved to Lisbon.", 0.0, 100.0), segment("s2", "Lovely!", 100.0, 101.0))
    [(source_id, segment_id, *_), _] = await omi.kept()
    scope = f"user:{omi.door.user}"
    [told, _] = await omi.door.rows("SELECT at FROM segments WHERE scope = %(scope)s ORDER BY at", scope=scope)
    for second in (90.0, 900.0):
        omi.clock.at = told["at"] + second
        await omi.send("audio", SOUND, sample_rate=16_000)
    who = Caller(View(omi.door.user), "write")
    await forget_one_heard(omi.door.app, who, "k", (source_id, segment_id))
    assert heard_of(omi.door) == [bytes(len(SOUND)) + SOUND]


async def test_who_may_only_read_sends_no_sound(omi: Omi) -> None:  # noqa: F811
    secret = await token_of(omi.door, omi.door.user, "read")
    answer = await omi.http.post(f"/omi/{secret}/audio", content=SOUND)
    assert answer.status_code == 403
    assert heard_of(omi.door) == []


async def test_forgetting_one_segment_silences_all_of_it_and_a_disk_that_fails_is_tried_again(
    omi: Omi,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await omi.heard(mine("s1", "I moved to Lisbon.", 0.0, 1.0), mine("s2", "It is a long story.", 100.0, 400.0))
    [(source_id, *_), _] = await omi.kept()
    door, app = omi.door, omi.door.app
    [row] = await door.rows(
        "SELECT extract(epoch FROM at)::float8 + end_s - start_s AS ended FROM segments"
        " WHERE scope = %(scope)s AND segment_id = 's2'",
        scope=f"user:{door.user}",
    )
    omi.clock.at = row["ended"]
    await omi.send("audio", SOUND, sample_rate=16_000)

    def full(*_: Any) -> int:
        raise OSError("the disk is gone")

    who = Caller(View(door.user, clearance=Sensitivity.SENSITIVE), "write")
    with monkeypatch.context() as broken:
        broken.setattr(SoundFolder, "silence", full)
        await forget_one_heard(app, who, "k1", (source_id, "s2"))
    assert [words for *_, words in await omi.kept()] == ["I moved to Lisbon."]
    assert heard_of(door) == [SOUND], "the words are gone, and the sound waits for its disk"
    [task] = await door.rows("SELECT receipt_id FROM erasing WHERE task = 'files' AND done_at IS NULL")
    eraser = build.eraser(app.stores.erasure, app.settings, app.actors.erase, app.actors.forget_user)
    for piece in await app.stores.erasure.receipts.tasks(task["receipt_id"]):
        await eraser.attempt(piece)
    assert heard_of(door) == [bytes(len(SOUND))]
