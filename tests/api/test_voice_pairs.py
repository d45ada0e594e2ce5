"""Voices that sound like one person: compared by their sounds, merged or told apart by somebody, and by no rule."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (device is a fixture)
from tests.api.test_page import forms, log_in, send
from tests.api.test_voices import WrittenVoices

pytestmark = pytest.mark.postgres


async def told(device: Device) -> Any:  # noqa: F811
    """Tom and Thomas are known, sound alike, and were heard once each; the pair as it is proposed."""
    device.door.app.voices = WrittenVoices()
    headers = {"Content-Type": "audio/wav"}
    for called, sound in (("Tom", "9 1.0 10"), ("Thomas", "9 0.8 10")):
        asked = {"params": {"name": called}, "content": sound.encode(), "headers": headers}
        assert (await device.door.client.post("/v1/enroll", **asked)).status_code == 201
    await device.send(said(20), session_id="one", speaker="Tom")
    device.clock.at += 60
    await device.send(said(5), session_id="two", speaker="Tom")
    device.clock.at += 60
    await device.send(said(30), session_id="three", speaker="Thomas")
    await device.door.settle()
    [pair] = await pairs(device.door)
    return pair


async def pairs(door: Door) -> list[Any]:
    found: list[Any] = (await door.get("/v1/voices", proposals=True))["proposals"]
    return found


async def test_a_pair_comes_with_sounds_of_both(device: Device) -> None:  # noqa: F811
    pair = await told(device)
    sounds = dict(zip(pair["names"], pair["sounds"], strict=True))
    assert [(each["source_id"], each["seconds"]) for each in sounds["Tom"]] == [("one", 2.0)], "half a second is short"
    assert [(each["source_id"], each["seconds"]) for each in sounds["Thomas"]] == [("three", 3.0)]
    played = await device.door.client.get(sounds["Tom"][0]["url"])
    assert (played.status_code, played.content[:4]) == (200, b"RIFF")
    assert (await device.door.client.delete("/v1/sources/one")).status_code == 200
    [pair] = await pairs(device.door)
    assert [len(each) for each in pair["sounds"]] == [0 if name == "Tom" else 1 for name in pair["names"]]


async def test_who_is_told_apart_is_proposed_no_more_until_that_is_undone(device: Device) -> None:  # noqa: F811
    pair, door = await told(device), device.door
    both = {"voice_id": pair["other_id"], "other_id": pair["voice_id"]}
    headers = {"Idempotency-Key": "apart-1"}
    first = await door.client.post("/v1/voices/differ", json=both, headers=headers)
    assert first.status_code == 200, first.text
    assert (await door.client.post("/v1/voices/differ", json=both, headers=headers)).json() == first.json()
    assert await pairs(door) == []
    assert (await door.get("/v1/voices"))["total"] == 2
    assert (await door.post("/v1/night"))["voices"] == {"alike": []}
    undone = await door.post("/v1/voices/undo")
    assert (undone["kind"], undone["undoes"]) == ("differ", first.json()["change_id"])
    assert await pairs(door) == [pair]
    one = {"voice_id": pair["voice_id"], "other_id": pair["voice_id"]}
    assert (await door.client.post("/v1/voices/differ", json=one)).status_code == 422
    assert (await door.client.post("/v1/voices/differ", json={**one, "other_id": "v-none"})).status_code == 404
    await door.post("/v1/voices/differ", both)
    await door.post("/v1/voices/merge", both)
    assert await pairs(door) == [], "they are one now, whatever was said before"


async def test_a_night_lists_pairs_and_merges_nobody(device: Device) -> None:  # noqa: F811
    pair = await told(device)
    report = await device.door.post("/v1/night")
    assert report["voices"] == {"alike": [[pair["voice_id"], pair["other_id"], pair["similarity"]]]}
    assert (await device.door.get("/v1/voices"))["total"] == 2


async def test_the_page_plays_both_and_asks(device: Device) -> None:  # noqa: F811
    await told(device)
    door = device.door
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as browser:
        await log_in(browser, await door.client_of(door.user))
        page = (await browser.get("/")).text
        sources = re.findall(r'<audio controls preload="none" src="([^"]+)">', page)
        assert len(sources) == 2
        assert {(await browser.get(each)).status_code for each in sources} == {200}
        apart = await send(browser, forms(page, "/page/voices/different")[0])
        assert ("different people" in apart.text, forms(apart.text, "/page/voices/same")) == (True, [])
        back = await send(browser, forms(apart.text, "/page/voices/undo")[0])
        assert "Undone" in back.text
        one = await send(browser, forms(back.text, "/page/voices/same")[0])
        assert "one person" in one.text
        assert (await door.get("/v1/voices"))["total"] == 1
        await send(browser, forms(one.text, "/page/voices/undo")[0])
        assert len(await pairs(door)) == 1
