"""Forgetting leaves no word behind, anywhere; an archive brings everything back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from actors.transcripts import DatabaseOffsets, Transcripts
from adapters.capture.jsonl import append
from adapters.capture.watcher import SessionFileChange, drain
from deployments.app_context import AppContext
from deployments.use_cases import erasing
from memory.model.scopes import Sensitivity, View
from memory.services.erasing import Eraser
from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation

SECRET = "Zanzibar"


def secret(source_id: str = "confession", **rest: Any) -> dict[str, Any]:
    """A conversation in which a word is said in every way: as a place, a habit, a promise, a person's name."""
    lines = (
        "I moved to Zanzibar last month and I like Zanzibar coffee.",
        "I jog in Zanzibar every morning.",
        "My sister Zanzibara visits on Friday. I promise to call Zanzibara tomorrow.",
        "I feel happy about Zanzibar. We decided to paint the Zanzibar house.",
    )
    segments = [
        {"segment_id": str(number), "speaker": "Maya", "text": text, "start": number, "end": number + 1}
        for number, text in enumerate(lines)
    ]
    return {"source_id": source_id, "started_at": "2026-03-01T08:00:00+00:00", "segments": segments, **rest}


async def traces(door: Door, word: str) -> list[str]:
    """Every column of every table in which a word is to be found."""
    columns = await door.rows(
        "SELECT c.table_name, c.column_name FROM information_schema.columns c"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
    )
    found = []
    for row in columns:
        table, column = row["table_name"], row["column_name"]
        statement = f'SELECT 1 FROM "{table}" t WHERE t."{column}"::text ILIKE %(word)s LIMIT 1'
        if await door.rows(statement, word=f"%{word}%"):
            found.append(f"{table}.{column}")
    return found + captured(door, word)


def captured(door: Door, word: str) -> list[str]:
    """Every file of captured commands, packed or not, in which a word is to be found."""
    found = []
    for path in sorted((door.app.settings.home / "commands").rglob("*")):
        contents = [path.read_bytes()] if path.is_file() else []
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                contents = [packed.read(name) for name in packed.namelist()]
        if any(word.lower().encode() in content.lower() for content in contents):
            found.append(path.name)
    return found


async def delete(door: Door, path: str, status: int = 200) -> Any:
    answer = await door.client.delete(path)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_forgotten_source_leaves_no_word(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    before = await door.app.stores.memory.journal.load(door.user)
    await door.post("/v1/sources", secret(), 202)
    await door.settle()
    told = {"statement": "Zanzibar is on Maya's mind", "subject": "Maya", "source_id": "confession"}
    await door.post("/v1/facts", told, 201)
    assert {"content.words", "journal.changes"} & set(await traces(door, SECRET))
    assert captured(door, SECRET)
    receipt = await delete(door, "/v1/sources/confession")
    assert receipt["captures"] >= 1
    assert (receipt["what"], receipt["id"], receipt["segments"]) == ("source", "confession", 4)
    assert receipt["facts"] > 1
    assert receipt["entities"] > 1
    assert receipt["vectors"] >= 4
    assert receipt["content"] > 4
    assert await traces(door, SECRET) == []
    after = await door.app.stores.memory.journal.load(door.user)
    assert after == await door.actors.believed(door.user)
    assert after.facts.keys() == before.facts.keys()
    assert after.entities.keys() == before.entities.keys()
    assert all(SECRET not in hit["text"] for hit in (await door.get("/v1/context", query=SECRET))["results"])
    await delete(door, "/v1/sources/confession", 404)
    await door.post("/v1/undo", {}, 409)


async def test_words_that_were_corrected_before_go_as_well(door: Door) -> None:
    await door.post("/v1/sources", secret(), 202)
    await door.settle()
    body = secret()
    for segment in body["segments"]:
        segment["text"] = "I moved to Porto."
    await door.post("/v1/sources", body, 202)
    await door.settle()
    assert await traces(door, SECRET)
    await delete(door, "/v1/sources/confession")
    assert await traces(door, SECRET) == []


async def test_who_stays_loses_what_only_the_forgotten_words_said(door: Door) -> None:
    first = conversation()
    first["segments"] = [{**first["segments"][2], "text": "My sister Elena visits on Friday."}]
    await door.post("/v1/sources", first, 202)
    await door.settle()
    elena = (await door.get("/v1/entities", name="Elena"))["entities"][0]
    second = secret()
    second["segments"] = [{**second["segments"][0], "text": "My dentist Elena lives in Porto."}]
    await door.post("/v1/sources", second, 202)
    await door.settle()
    told = {"statement": "A secret habit", "subject": "Maya", "predicate": "dentistry", "source_id": "confession"}
    await door.post("/v1/facts", told, 201)
    assert "dentist" in orjson.dumps(await door.get(f"/v1/entities/{elena['entity_id']}")).decode()
    assert "journal.changes" in await traces(door, "dentist")
    await delete(door, "/v1/sources/confession")
    assert await traces(door, "dentist") == []
    kept = (await door.get("/v1/entities", name="Elena"))["entities"][0]
    assert (kept["entity_id"], kept["aliases"], kept["mention_count"]) == (elena["entity_id"], elena["aliases"], 1)
    assert await door.app.stores.memory.journal.load(door.user) == await door.actors.believed(door.user)
    await door.post("/v1/undo", {}, 409)


async def test_only_a_whole_id_in_sight_is_forgotten(door: Door) -> None:
    await door.post("/v1/sources", secret(sensitivity="private"), 202)
    await delete(door, "/v1/sources/confess", 404)
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as limited:
        assert (await limited.delete("/v1/sources/confession")).status_code == 404
    async with await door.client_of(f"other-{door.user}") as stranger:
        assert (await stranger.delete("/v1/sources/confession")).status_code == 404
    assert (await delete(door, "/v1/sources/confession"))["segments"] == 4


async def test_a_teams_source_is_forgotten_for_every_reader(door: Door) -> None:
    team, users = f"t-{door.user}", (f"a-{door.user}", f"b-{door.user}")
    clients = [await door.client_of(user, (team,)) for user in users]
    for client in clients:  # both are readers before anything is told
        await client.get("/v1/facts")
    assert (await clients[0].post("/v1/sources", json=secret(team_id=team))).status_code == 202
    await door.settle()
    for user in users:
        assert any(SECRET in fact.statement for fact in (await door.actors.believed(user)).facts.values())
    assert (await clients[1].delete("/v1/sources/confession")).json()["facts"] > 1
    assert await traces(door, SECRET) == []
    for user, client in zip(users, clients, strict=True):
        assert not (await door.actors.believed(user)).facts
        await client.aclose()


async def test_forgetting_an_entity_takes_what_was_merged_into_it(door: Door) -> None:
    for name in ("Xanthippe", "Xanthi"):
        await door.post("/v1/facts", {"statement": f"{name} plays the harp", "subject": name}, 201)
    ids = {
        name: (await door.get("/v1/entities", name=name))["entities"][0]["entity_id"]
        for name in ("Xanthippe", "Xanthi")
    }
    await door.post(f"/v1/entities/{ids['Xanthippe']}/merge", {"other_id": ids["Xanthi"]})
    await door.post(f"/v1/entities/{ids['Xanthippe']}/notes", {"text": "Xanthippe is patient."}, 201)
    receipt = await delete(door, f"/v1/entities/{ids['Xanthi']}")
    assert (receipt["id"], receipt["facts"], receipt["entities"]) == (ids["Xanthippe"], 2, 3), "and the harp"
    assert receipt["segments"] == 2, "what was told of it alone"
    assert await traces(door, "Xanth") == []
    assert await door.app.stores.memory.journal.load(door.user) == await door.actors.believed(door.user)


async def test_a_whole_memory_is_forgotten_but_its_tokens(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": SECRET})
    await door.post("/v1/sources", secret(), 202)
    await door.settle()
    await door.post("/v1/night")
    folder = door.app.settings.home / "transcripts" / door.user
    append(folder / "s1.jsonl", payload("s1", 0, "Zanzibar!"))
    async with await door.client_of(door.user) as limited:
        assert (await limited.delete("/v1/memory")).status_code == 403
        receipt = await delete(door, "/v1/memory")
        assert (receipt["what"], receipt["segments"], receipt["files"]) == ("memory", 4, 1)
        assert receipt["captures"] >= 1
        assert await traces(door, SECRET) == []
        assert not folder.exists()
        assert (await limited.get("/v1/facts")).json()["total"] == 0
    assert (await door.get("/v1/context", query=SECRET))["results"] == []
    assert (await door.get("/v1/stats"))["segments_count"] == 0
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    assert (await door.get("/v1/context", query="Lisbon", limit=1))["results"][0]["segment_id"] == "1"


def payload(session: str, start: float, *texts: str) -> dict[str, Any]:
    segments = [
        {
            "segment_id": f"{start:g}-{number}",
            "speaker": "Maya",
            "text": text,
            "start": start + number,
            "end": start + number + 1,
        }
        for number, text in enumerate(texts)
    ]
    return {"session_id": session, "session_started_at": 1_772_352_000.0, "segments": segments}


async def test_the_raw_file_is_struck_and_the_watcher_does_not_bring_it_back(door: Door) -> None:
    root = door.app.settings.home / "transcripts"
    path = root / door.user / "s1.jsonl"
    append(path, payload("s1", 0, "We spoke of Lisbon."))
    append(path, payload("s1", 3600, "We spoke of Zanzibar.", "And of Zanzibar again."))
    watcher, change = Transcripts(root, door.app.stores.intake, "me"), SessionFileChange(door.user, "s1", path)
    await drain(change, DatabaseOffsets(door.app.stores.intake), watcher.take)
    receipt = await delete(door, "/v1/sources/s1.2")
    assert (receipt["segments"], receipt["files"]) == (2, 1)
    assert await traces(door, SECRET) == []
    assert SECRET not in path.read_text()
    assert "Lisbon" in path.read_text()
    assert await door.app.stores.intake.capture.offset(change.key) == path.stat().st_size
    append(path, payload("s1", 3610, "Zanzibar once more."))
    await drain(change, DatabaseOffsets(door.app.stores.intake), watcher.take)
    assert (await door.get("/v1/context", query=SECRET, cut="none"))["total"] <= 1
    assert await traces(door, SECRET) == []
    await delete(door, "/v1/sources/s1")
    assert "Lisbon" not in path.read_text()
    told = {**secret("s1.2")}
    await door.post("/v1/sources", told, 202)
    assert (await door.get("/v1/context", query=SECRET, limit=1))["total"] == 1


async def living_memory(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Lisbon"})
    await door.post("/v1/sources", secret(sensitivity="sensitive"), 202)
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    body = conversation()
    body["segments"][0]["text"] = "I moved to Porto last month."
    await door.post("/v1/sources", body, 202)
    await door.settle()
    told = await door.post("/v1/facts", {"text": "I play the cello."}, 201)
    await door.post(f"/v1/facts/{told['fact_id']}/confirm")
    elena = (await door.get("/v1/entities", name="Elena"))["entities"][0]["entity_id"]
    await door.post(f"/v1/entities/{elena}/alias", {"alias": "Leni"})
    await door.post(f"/v1/entities/{elena}/notes", {"text": "Loves tulips."}, 201)
    await door.post("/v1/night")
    await door.settle()


async def answers(door: Door) -> Any:
    questions = ("Where does Maya live?", "Who visits on Friday?", "What does Maya play?")
    found = [
        await door.get("/v1/context", query=query, limit=10, cut="none", now="2026-04-01T00:00:00Z")
        for query in questions
    ]
    return found, (await door.get("/v1/facts", status="all"))["facts"], (await door.get("/v1/entities"))["entities"]


@pytest.mark.conforms("003:archive.export_import")
async def test_an_archive_brings_everything_back(door: Door) -> None:
    await living_memory(door)
    journal, before = door.app.stores.memory.journal, await answers(door)
    believed, done = await journal.load(door.user), await journal.committed(door.user)
    archive = (await door.client.get("/v1/export")).content
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        manifest = orjson.loads(opened.read("manifest.json"))
        assert {member.removesuffix(".jsonl") for member in opened.namelist()} > set(manifest["counts"])
        assert b"Loves tulips." in opened.read("notes.jsonl")
    refused = await door.client.post("/v1/import", content=archive)
    assert (refused.status_code, "DELETE /v1/memory empties it" in refused.json()["detail"]) == (409, True)
    await delete(door, "/v1/memory")
    restored = await door.client.post("/v1/import", content=archive)
    assert (restored.status_code, restored.json()["status"]) == (201, "restored")
    await door.settle()
    await door.actors.encode_facts(door.app.stores)
    assert await journal.load(door.user) == believed == await door.actors.believed(door.user)
    assert await journal.committed(door.user) == done
    after = await answers(door)
    for old, new in zip(before[0], after[0], strict=True):
        assert new["results"] == old["results"]
    assert after[1:] == before[1:]
    again = await door.client.post("/v1/import", content=archive)
    assert again.json()["status"] == "already restored"
    await door.post("/v1/undo")
    assert (await door.get("/v1/facts", status="all"))["total"] == len(before[1])


async def test_only_an_archive_of_this_user_is_restored(door: Door) -> None:
    await door.post("/v1/facts", {"text": "I play the cello."}, 201)
    archive = (await door.client.get("/v1/export")).content
    other = {"X-User-Id": f"other-{door.user}"}
    assert (await door.client.post("/v1/import", content=archive, headers=other)).status_code == 409
    damaged = [
        _broken(archive, lambda facts: b'{"fact_id": 3}\n'),
        _broken(archive, lambda facts: facts + facts),
        _broken(archive, lambda facts: orjson.dumps(orjson.loads(facts.splitlines()[0]) | {"valid_from": 1e300})),
    ]
    for nonsense in (b"", b"PK\x05\x06" + bytes(18), b"not a zip", archive[: len(archive) // 2], *damaged):
        answer = await door.client.post("/v1/import", content=nonsense, headers=other)
        assert answer.status_code == 422, answer.text
    async with await door.client_of(door.user) as limited:
        assert (await limited.get("/v1/export")).status_code == 403


def _broken(archive: bytes, damage: Callable[[bytes], bytes]) -> bytes:
    """An archive whose facts are damaged, and whose user is the right one."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == "manifest.json":
                manifest = orjson.loads(content)
                content = orjson.dumps(manifest | {"user_id": f"other-{manifest['user_id']}"})
            new.writestr(member, damage(content) if member == "facts.jsonl" else content)
    return out.getvalue()


@pytest.fixture(autouse=True)
def _no_leftovers(tmp_path: Path) -> None:
    (tmp_path / "transcripts").mkdir(exist_ok=True)


async def test_nothing_forgotten_is_before_anybodys_eyes_while_the_rest_is_carried_out(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    await door.post("/v1/sources", conversation(), 202)
    view, now, carry_out = View(door.user), door.app.clock.now(), erasing._eraser
    door.app.chats.session(view, None, "before", now)
    seen: list[list[str]] = []

    def looking(app: AppContext) -> Eraser:
        seen.append([each.session_id for each in app.chats.active(view, now)])
        app.chats.session(view, None, "meanwhile", now)
        return carry_out(app)

    monkeypatch.setattr(erasing, "_eraser", looking)
    await delete(door, f"/v1/sources/{conversation()['source_id']}")
    assert seen == [[]]
    assert door.app.chats.active(view, now) == [], "nor what was seen while facts were on their way out"
