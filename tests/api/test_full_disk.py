"""A full disk is told as one, by readiness and by whatever cannot be written, and costs nothing acknowledged."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.disk import LEAST_BYTES, is_full
from adapters.postgres.pool import Pool
from memory.errors import DiskFull
from tests.api.conftest import Door

SOURCE = {
    "source_id": "walk",
    "started_at": "2026-03-01T08:00:00Z",
    "segments": [{"segment_id": "1", "speaker": "Maya", "text": "I walked to the harbour."}],
}


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte more than counts as full."""
    place = tmp_path / "small"
    place.mkdir()
    size = f"size={LEAST_BYTES + (1 << 20)}"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "memoray-test", place], check=False)
    if mounted.returncode != 0:
        pytest.skip("only root may mount")
    yield place
    subprocess.run(["umount", place], check=True)


async def test_readiness_tells_a_full_disk_and_that_it_has_room_again(door: Door, small: Path) -> None:
    door.app.settings = replace(door.app.settings, home=small)
    assert (await door.client.get("/health/ready")).status_code == 200
    (small / "filling").write_bytes(bytes(2 << 20))
    told = await door.client.get("/health/ready")
    assert told.status_code == 507
    assert told.json()["type"] == "urn:memoray:disk-full"
    assert "disk is full" in told.json()["detail"]
    (small / "filling").unlink()
    assert (await door.client.get("/health/ready")).status_code == 200


def test_a_quarter_full_disk_is_none(tmp_path: Path) -> None:
    assert not is_full((tmp_path, tmp_path / "not there"))


async def test_what_the_database_has_no_room_for_is_told_so(database: str) -> None:
    pool = Pool(database)
    await pool.open()
    with pytest.raises(DiskFull):
        await pool.rows("DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$")
    assert await pool.rows("SELECT 1 AS n") == [{"n": 1}]
    await pool.close()


class FullCapture:
    """A capture whose disk is full; all else is as before."""

    def __init__(self, capture: object) -> None:
        self._capture = capture

    def __getattr__(self, name: str) -> object:
        return getattr(self._capture, name)

    async def store(self, *_: object) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def test_a_write_without_room_is_refused_with_the_reason_and_kept_when_it_is_sent_again(door: Door) -> None:
    whole = door.app.stores
    full: Any = FullCapture(whole.intake.capture)
    door.app.stores = replace(whole, intake=replace(whole.intake, capture=full))
    refused = await door.client.post("/v1/sources", json=SOURCE)
    assert (refused.status_code, refused.json()["type"]) == (507, "urn:memoray:disk-full")
    door.app.stores = whole
    await door.post("/v1/sources", SOURCE, 202)
    assert (await door.get("/v1/sources"))["total"] == 1
