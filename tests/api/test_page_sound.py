"""The page plays what was said, where its sound is kept, and to nobody else."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (device is a fixture)
from tests.api.test_page import log_in

pytestmark = pytest.mark.postgres


async def test_what_was_said_is_played(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    told = {"source_id": "supper", "started_at": "2026-03-01T08:00:00Z"}
    await door.post("/v1/sources", {**told, "segments": [{"speaker": "Maya", "text": "hm, yes"}]}, 202)
    await door.settle()
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as browser:
        await log_in(browser, await door.client_of(door.user))
        page = await browser.get("/", params={"q": "hm"})
        [source] = re.findall(r'<audio controls preload="none" src="([^"]+)">', page.text)
        assert "media-src 'self'" in page.headers["content-security-policy"]
        played = await browser.get(source)
        assert (played.status_code, played.headers["content-type"]) == (200, "audio/wav")
        assert played.content[:4] == b"RIFF"
        assert played.headers["cache-control"] == "no-store"
        assert (await browser.get("/page/segments/supper/nothing/audio")).status_code == 404
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as nobody:
        assert (await nobody.get(source)).status_code == 303
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as other:
        await log_in(other, await door.client_of("somebody-else"))
        assert (await other.get(source)).status_code == 404


async def test_a_player_gets_the_part_that_it_asks_for(device: Device) -> None:  # noqa: F811
    door = device.door
    await device.send(said(3))
    source = (await door.get("/v1/session/walk"))["sources"][0]
    [segment] = (await door.get(f"/v1/sources/{source}"))["segments"]
    place = f"segments/{source}/{segment['segment_id']}/audio"
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as browser:
        await log_in(browser, await door.client_of(door.user))
        for client, path in ((browser, f"/page/{place}"), (door.client, f"/v1/{place}")):
            whole = await client.get(path)
            size = len(whole.content)
            assert (whole.status_code, whole.headers["accept-ranges"]) == (200, "bytes")
            for asked, first, last in (
                ("0-1", 0, 1),
                ("44-", 44, size - 1),
                ("-100", size - 100, size - 1),
                (f"-{size + 5}", 0, size - 1),
                (f"10-{size + 5}", 10, size - 1),
            ):
                part = await client.get(path, headers={"Range": f"bytes={asked}"})
                assert (part.status_code, part.content) == (206, whole.content[first : last + 1])
                assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
                assert part.headers["content-type"] == "audio/wav"
            for beyond in (f"{size}-", "-0"):
                none = await client.get(path, headers={"Range": f"bytes={beyond}"})
                assert (none.status_code, none.headers["content-range"]) == (416, f"bytes */{size}")
            for unmeant in ("bytes=5-2", "bytes=-", "bytes=0-1,4-5", "lines=0-1", "bytes=٣-"):
                assert (await client.get(path, headers={"Range": unmeant.encode()})).content == whole.content
            dated = {"Range": "bytes=0-1", "If-Range": '"an earlier one"'}
            assert (await client.get(path, headers=dated)).content == whole.content
