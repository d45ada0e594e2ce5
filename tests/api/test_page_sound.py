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
