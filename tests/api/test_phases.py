"""Each phase of a source is run once more when somebody asks for it, and what a person has said of it stays."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.scopes import Sensitivity, user_scope
from memory.services.vectors import encode_batch
from tests.api.conftest import Door
from tests.api.test_sources_read import talk
from tests.fakes.extractor import ScriptedExtractor

pytestmark = pytest.mark.postgres
SAID = ("I live in Porto.", "Elena likes figs.")


def source(*texts: str, source_id: str = "march", **more: Any) -> dict[str, Any]:
    said = [
        {"segment_id": str(place), "speaker": "Maya", "text": text, "start": place, "end": place + 1}
        for place, text in enumerate(texts)
    ]
    return {"source_id": source_id, "started_at": "2026-03-01T08:00:00Z", "segments": said, **more}


async def again(door: Door, phase: str, source_id: str = "march", status: int = 202) -> Any:
    return await door.post(f"/v1/sources/{source_id}/retry?phase={phase}", status=status)


async def revisions(door: Door) -> list[int]:
    return [each["revision"] for each in (await door.get("/v1/sources/march"))["segments"]]


async def beliefs(door: Door) -> set[str]:
    return {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}


async def sure(door: Door) -> dict[str, Any]:
    facts = (await door.get("/v1/facts"))["facts"]
    return {each["fact_id"]: [each[name] for name in ("statement", "confidence", "valid_from")] for each in facts}


async def turns(door: Door) -> int:
    [row] = await door.rows("SELECT count(*) AS n FROM journal WHERE user_id = %(user)s", user=door.user)
    return int(row["n"])


async def test_a_source_is_read_once_more_and_believed_as_before(door: Door) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    believed, found = await sure(door), await door.get("/v1/context", query="Who likes figs?")
    assert (await again(door, "read"))["status"] == "processed"
    assert await revisions(door) == [2, 2]
    before = await turns(door)
    await again(door, "read")
    assert await revisions(door) == [2, 2], "to ask twice is to ask once"
    assert (await door.get("/v1/context", query="Who likes figs?"))["pending"] == {"embedding": 0, "extraction": 1}
    await door.settle()
    assert await turns(door) == before + 1
    assert (await door.get("/v1/sources/march"))["status"] == "extracted"
    assert await sure(door) == believed
    assert await door.get("/v1/context", query="Who likes figs?") == found
    await again(door, "read")
    assert await revisions(door) == [3, 3], "asked anew, it is read anew"


async def test_what_another_reader_does_not_find_in_the_words_is_taken_back(door: Door) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    assert len(await beliefs(door)) >= 2
    door.actors.extractor = ScriptedExtractor({})
    await again(door, "read")
    await door.settle()
    assert await beliefs(door) == set()
    assert {each["status"] for each in (await door.get("/v1/facts", status="all"))["facts"]} == {"invalidated"}


async def test_what_a_person_has_corrected_or_forgotten_stays_so(door: Door) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    [home] = (await door.get("/v1/facts", predicate="lives_in"))["facts"]
    await door.post(f"/v1/facts/{home['fact_id']}/correct", {"statement": "Maya lives in Lisbon"})
    [figs] = (await door.get("/v1/facts", subject="Elena"))["facts"]
    await door.post(f"/v1/facts/{figs['fact_id']}/forget")
    believed = await beliefs(door)
    await again(door, "read")
    await door.settle()
    assert await beliefs(door) == believed
    assert "Porto" not in str(believed)


async def test_the_words_of_a_command_are_not_read(door: Door) -> None:
    await door.post("/v1/facts", {"text": "I am allergic to peanuts."}, 201)
    [note] = (await door.get("/v1/sources"))["sources"]
    assert "command" in (await again(door, "read", note["source_id"], 422))["detail"]
    await again(door, "embed", note["source_id"])
    await again(door, "stammer", note["source_id"], 422)
    await again(door, "read", "nothing", 404)


async def test_vectors_are_made_anew_and_serve_until_then(door: Door) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    scope = user_scope(door.user)
    kept = "SELECT count(*) AS n, count(*) FILTER (WHERE due) AS due FROM segment_vectors WHERE scope = %(scope)s"
    found = await door.get("/v1/context", query="Who likes figs?")
    for _ in range(2):
        assert (await again(door, "embed"))["status"] == "raw"
    assert [dict(each) for each in await door.rows(kept, scope=scope)] == [{"n": 2, "due": 2}]
    await door.settle()
    assert [dict(each) for each in await door.rows(kept, scope=scope)] == [{"n": 2, "due": 0}]
    assert await door.get("/v1/context", query="Who likes figs?") == found


async def test_words_that_are_encoded_while_they_are_to_be_read_again_get_their_vectors_all_the_same(
    door: Door,
) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    await again(door, "embed")
    capture, scope = door.app.stores.intake.capture, user_scope(door.user)
    [task] = [each for each in await capture.due("embed", door.app.clock.now(), 100) if each.scope == scope]
    rows = await capture.unembedded([(scope, "march")], 10)
    encoded = door.app.stores.encoder.encode([each.text for each in rows])
    await again(door, "read")
    await capture.store_vectors(scope, [each.segment_key for each in rows], [each.revision for each in rows], encoded)
    await capture.finished(task)
    assert (await door.get("/v1/sources/march"))["status"] == "raw", "they are of words as they were read before"
    await door.settle()
    assert not await capture.unembedded([(scope, "march")], 10)
    assert await encode_batch([(scope, "march")], capture, door.app.stores.encoder) == ()


async def test_a_summary_is_written_at_once_and_as_a_night_would(door: Door) -> None:
    await door.post("/v1/sources", talk(), 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2025-11-23"})
    written = (await door.get("/v1/sources/harbour"))["summary"]
    before = await turns(door)
    assert (await again(door, "summary", "harbour"))["summary"] == written
    [same] = await door.rows("SELECT summary FROM groups WHERE user_id = %(user)s AND kind = 'summary'", user=door.user)
    await again(door, "read", "harbour")
    await door.settle()
    assert (await door.get("/v1/sources/harbour"))["summary"] is None, "it goes with what it quotes"
    assert (await again(door, "summary", "harbour"))["summary"] == written
    assert await turns(door) == before + 3
    assert same
    await door.post("/v1/undo")
    assert (await door.get("/v1/sources/harbour"))["summary"] is None


async def test_what_is_too_short_for_a_summary_gets_none(door: Door) -> None:
    await door.post("/v1/sources", source(*SAID), 202)
    await door.settle()
    assert (await again(door, "summary"))["summary"] is None
    assert await door.rows("SELECT 1 FROM groups WHERE user_id = %(user)s", user=door.user) == []


async def test_a_teams_source_is_read_again_for_each_of_its_readers(door: Door) -> None:
    team = f"{door.user}-team"
    anna = await door.client_of(f"{door.user}-anna", (team,), clearance=Sensitivity.PRIVATE)
    bert = await door.client_of(f"{door.user}-bert", (team,), clearance=Sensitivity.PRIVATE)
    await anna.post("/v1/sources", json=source(*SAID, team_id=team))
    for client in (anna, bert):
        await client.get("/v1/context", params={"query": "figs"})
    await door.settle()
    told = [(await client.get("/v1/facts")).json()["total"] for client in (anna, bert)]
    answer = await anna.post("/v1/sources/march/retry", params={"phase": "read"})
    assert (answer.status_code, answer.json()["status"]) == (202, "processed")
    assert (await bert.get("/v1/sources/march")).json()["status"] == "processed"
    await door.settle()
    assert (await bert.get("/v1/sources/march")).json()["status"] == "extracted"
    assert [(await client.get("/v1/facts")).json()["total"] for client in (anna, bert)] == told
    assert min(told) >= 2
    await anna.post("/v1/sources", json=source(*SAID))
    asked = {"phase": "summary", "team_id": team}
    assert (await anna.post("/v1/sources/march/retry", params=asked)).status_code == 409
    reader = await door.client_of(f"{door.user}-bert", (team,), permission="read")
    assert (await reader.post("/v1/sources/march/retry", params={"phase": "read"})).status_code == 403
    for client in (anna, bert, reader):
        await client.aclose()
