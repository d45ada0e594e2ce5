"""A session goes on after a part of it was forgotten: that part stays forgotten, and no later word is lost or moved."""

from __future__ import annotations

from typing import Any

import pytest

from actors.transcripts import DatabaseOffsets, Transcripts
from adapters.capture.jsonl import append
from adapters.capture.sounds import SoundFolder
from adapters.capture.watcher import SessionFileChange, drain
from tests.api.conftest import Door
from tests.api.test_forgetting import payload
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401

HOUR = 3600


class Session:
    """A session file that is watched."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.path = door.app.settings.home / "transcripts" / door.user / "walk.jsonl"
        self._change = SessionFileChange(door.user, "walk", self.path)
        self._intake = door.app.stores.intake
        self._watcher = Transcripts(self.path.parents[1], self._intake, "me")

    async def hear(self, *told: tuple[float, str], **rest: Any) -> None:
        """Words of so many seconds after the beginning are written, and read."""
        for at, text in told:
            append(self.path, payload("walk", at, text) | rest)
        await self.read()

    async def read(self) -> None:
        await drain(self._change, DatabaseOffsets(self._intake), self._watcher.take)

    async def read_from_the_start(self) -> None:
        await self._intake.capture.set_offset(self._change.key, 0)
        await self.read()

    async def forget(self, source_id: str) -> None:
        answer = await self.door.client.delete(f"/v1/sources/{source_id}")
        assert answer.status_code == 200, answer.text

    async def kept(self) -> list[tuple[str, float, str]]:
        """Source, seconds after the beginning of the session, and words."""
        rows = await self.door.rows(
            "SELECT s.source_id, extract(epoch FROM s.at)::float8 - 1772352000 AS at, c.words"
            " FROM segments s JOIN content c USING (scope, content_id)"
            " WHERE s.scope = %(scope)s AND s.replaced_by IS NULL ORDER BY s.at",
            scope=f"user:{self.door.user}",
        )
        return [(row["source_id"], row["at"], row["words"]) for row in rows]


@pytest.fixture
async def session(door: Door) -> Session:
    return Session(door)


async def test_words_after_the_last_part_was_forgotten_open_another(session: Session) -> None:
    await session.hear((0, "Rain."), (HOUR, "Zanzibar."))
    await session.forget("walk.2")
    await session.hear((HOUR + 60, "Zanzibar again."), (2 * HOUR, "Snow."), (2 * HOUR + 60, "Ice."))
    kept = [("walk", 0, "Rain."), ("walk.3", 2 * HOUR, "Snow."), ("walk.3", 2 * HOUR + 60, "Ice.")]
    assert await session.kept() == kept
    await session.read_from_the_start()
    assert await session.kept() == kept


async def test_no_part_is_moved_when_one_before_it_was_forgotten(session: Session) -> None:
    await session.hear((0, "Rain."), (HOUR, "Zanzibar."), (2 * HOUR, "Snow."))
    await session.forget("walk.2")
    await session.hear((3 * HOUR, "Ice."))
    await session.forget("walk")
    await session.hear((4 * HOUR, "Sun."))
    kept = [("walk.3", 2 * HOUR, "Snow."), ("walk.4", 3 * HOUR, "Ice."), ("walk.5", 4 * HOUR, "Sun.")]
    assert await session.kept() == kept
    await session.read_from_the_start()
    assert await session.kept() == kept


@pytest.mark.parametrize("is_sweep", [False, True])
async def test_forgotten_words_that_come_again_open_no_part(session: Session, is_sweep: bool) -> None:
    await session.hear((0, "Rain."), (HOUR, "Zanzibar."), (2 * HOUR, "Snow."))
    await session.forget("walk.2")
    await session.hear((3 * HOUR, "Ice."))
    line = payload("walk", HOUR - 0.4, "Zanzibar.") | {"is_sweep": is_sweep}
    await session.door.post("/webhook/transcript", line)
    assert [words for _, _, words in await session.kept()] == ["Rain.", "Snow.", "Ice."]


@pytest.mark.parametrize("path", ["/v1/sources/walk", "/v1/memory"])
async def test_a_session_that_was_forgotten_as_a_whole_goes_on_in_its_next_part(session: Session, path: str) -> None:
    await session.hear((0, "Zanzibar."))
    answer = await session.door.client.delete(path)
    assert answer.status_code == 200, answer.text
    await session.hear((120, "Zanzibar again."))
    await session.hear((HOUR, "Snow."))
    assert await session.kept() == [("walk.2", HOUR, "Snow.")]


async def test_what_is_taken_in_on_request_comes_back_where_it_was(session: Session) -> None:
    await session.hear((0, "Rain."), (HOUR, "Zanzibar."))
    await session.forget("walk.2")
    await session.hear((HOUR + 60, "Snow."), (2 * HOUR, "Ice."))
    await session.door.post("/v1/ingest/walk")
    kept = [("walk", 0, "Rain."), ("walk.2", HOUR + 60, "Snow."), ("walk.3", 2 * HOUR, "Ice.")]
    assert await session.kept() == kept
    await session.hear((HOUR + 90, "Sun."))
    assert (await session.kept())[2] == ("walk.2", HOUR + 90, "Sun.")


async def test_another_source_that_is_called_like_a_part_is_left(session: Session) -> None:
    segments = [{"segment_id": "1", "speaker": "Maya", "text": "Porto.", "start": 0, "end": 1}]
    body = {"source_id": "walk.2", "started_at": "2026-02-01T08:00:00+00:00", "segments": segments}
    await session.door.post("/v1/sources", body, 202)
    await session.hear((0, "Rain."))
    await session.hear((HOUR, "Snow."))
    assert [row[0] for row in await session.kept()] == ["walk.2", "walk", "walk.3"]


async def test_when_it_was_told_is_not_readable(session: Session) -> None:
    await session.hear((0, "Rain."), (HOUR, "Zanzibar."))
    await session.forget("walk.2")
    [row] = await session.door.rows(
        "SELECT began, ended FROM tombstones WHERE scope = %(scope)s", scope=f"user:{session.door.user}"
    )
    assert abs(row["began"] - 1000 * (1772352000 + HOUR)) > 1e10
    assert abs(row["ended"] - row["began"]) > 1e10


async def test_pieces_of_a_session_go_on_after_a_part_was_forgotten(device: Device) -> None:  # noqa: F811
    for words, at in ((3, 0), (2, HOUR)):
        device.clock.at += at
        await device.send(said(words))
    assert (await device.door.client.delete("/v1/sources/walk.2")).status_code == 200
    device.clock.at += HOUR
    await device.send(said(4))
    assert [(row[0], row[3]) for row in await device.kept()] == [("walk", "hm hm hm"), ("walk.3", "hm hm hm hm")]


async def test_sound_of_a_forgotten_part_that_is_heard_once_more_joins_no_other(
    device: Device,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A piece is sent again, or a sweep has read the sound before it was silenced."""
    monkeypatch.setattr(SoundFolder, "silence", lambda *_: 0)
    await device.send(said(3), "first")
    device.clock.at += HOUR
    await device.send(said(2), "second")
    assert (await device.door.client.delete("/v1/sources/walk")).status_code == 200
    await device.send(said(3), "first")
    await device.door.post("/v1/session/walk/end")
    assert await device.sweep()
    assert {(row[0], row[3]) for row in await device.kept()} == {("walk.2", "hm hm")}
