"""Layers: what a segment came as is kept beside its cleaned words, and goes wherever they go."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from adapters.capture.formats import read
from adapters.capture.text import TextFile
from tests.api.archives import changed, exported, opened, restored
from tests.api.conftest import Door
from tests.api.test_forgetting import delete, traces

pytestmark = pytest.mark.postgres

RAW = '{"text": "I moved to *Ghent*.", "client_msg_id": "Zyxwort"}'
MAIL = """From: Priya Sharma <priya@x.org>
Subject: Sunday
X-Mailer: Zyxwort 7
Date: Tue, 3 Mar 2026 10:12:00 +0100

I moved to Lyon.

It rains.

Best,
Priya
"""


def told(raw: str | None = RAW, text: str = "I moved to Ghent.") -> dict[str, Any]:
    segment = {"segment_id": "1", "speaker": "Ravi", "text": text, "raw": raw}
    other = {"segment_id": "2", "speaker": "Ravi", "text": "So did my cat.", "raw": "So did my cat."}
    return {"source_id": "chat", "started_at": "2026-03-01T08:00:00Z", "segments": [segment, other]}


async def kept(door: Door, source_id: str = "chat") -> list[tuple[str, str | None]]:
    return [(each["text"], each["raw"]) for each in (await door.get(f"/v1/sources/{source_id}"))["segments"]]


async def test_what_it_came_as_is_kept_beside_the_words_and_not_searched(door: Door) -> None:
    await door.post("/v1/sources", told(), 202)
    assert await kept(door) == [("I moved to Ghent.", RAW), ("So did my cat.", None)]
    found = (await door.get("/v1/context", query="Zyxwort", cut="none"))["results"]
    assert "Zyxwort" not in str(found)
    await door.settle()
    assert "Zyxwort" not in str(await door.get("/v1/facts"))
    assert "Ravi lives in Ghent" in {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}


async def test_told_again_it_changes_nothing_and_another_takes_its_place(door: Door) -> None:
    await door.post("/v1/sources", told(), 202)
    assert (await door.post("/v1/sources", told(), 202))["changed"] == 0
    assert (await door.post("/v1/sources", told(raw="{}"), 202))["changed"] == 1
    assert (await kept(door))[0][1] == "{}"
    [segment, _] = (await door.get("/v1/sources/chat"))["segments"]
    assert segment["revision"] == 1, "the words are the same: nothing is read again"
    assert (await door.post("/v1/sources", told(raw=None, text="I moved to Bruges."), 202))["changed"] == 1
    assert (await kept(door))[0] == ("I moved to Bruges.", None)


async def test_it_is_erased_with_its_source(door: Door) -> None:
    word = "Quimbelfry"  # of this test alone: others share the database
    for path in ("/v1/sources/chat", "/v1/memory"):
        await door.post("/v1/sources", told(raw=f"I *moved* {word}"), 202)
        assert await traces(door, word) == ["raws.words"]
        await delete(door, path)
        assert await traces(door, word) == []


async def test_an_archive_holds_it_and_one_from_before_does_not(door: Door) -> None:
    await door.post("/v1/sources", told(), 202)
    before, archive = await kept(door), await exported(door)
    [line] = map(orjson.loads, opened(archive)["sources.jsonl"].splitlines())
    assert [each["raw"] for each in line["segments"]] == [RAW, None]
    assert b"Zyxwort" not in opened(archive)["content.jsonl"]
    old = changed(archive, "sources.jsonl", lambda lines: [each.pop("raw") for each in lines[0]["segments"]])
    for content, expected in ((archive, before), (old, [(text, None) for text, _ in before])):
        await delete(door, "/v1/memory")
        answer = await restored(door, content)
        assert answer.status_code == 201, answer.text
        assert await kept(door) == expected
    await delete(door, "/v1/memory")


async def test_a_mail_keeps_its_headers_and_its_closing(door: Door, tmp_path: Any) -> None:
    await door.post("/v1/sources", {"source_id": "mail", "started_at": "2026-03-09T08:00:00Z", "content": MAIL}, 202)
    assert await kept(door, "mail") == [("I moved to Lyon.", MAIL), ("It rains.", None)]
    (tmp_path / "a.eml").write_text(MAIL)
    [body] = read(TextFile(tmp_path / "a.eml"))
    await door.post("/v1/sources", body, 202)
    assert await kept(door, body["source_id"]) == [("I moved to Lyon.", MAIL.rstrip()), ("It rains.", None)]
    await delete(door, "/v1/memory")
