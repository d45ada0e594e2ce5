"""Events and metrics at the front door: told by three ways, looked up, and streamed to those who may see them."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import httpx
import orjson
import pytest

from actors.happenings import take_written
from actors.reading import ReadingTask
from actors.transcripts import WATCHED, take, take_payload
from adapters import build_models
from adapters.capture.watcher import SessionFileChange
from deployments import rings
from memory.model.events import BY_PROCESS, REGISTRY
from memory.model.scopes import Sensitivity
from tests.api.conftest import Door
from tests.api.foreign import served, token_of

pytestmark = pytest.mark.postgres
STARTED = {"creature": "serpent", "event_type": "start"}
MOVED = {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon.", "start": 0, "end": 2}
SAID = {"source_id": "breakfast", "started_at": "2026-03-01T08:00:00Z", "segments": [MOVED]}


async def told(door: Door, **asked: Any) -> list[dict[str, Any]]:
    return list((await door.get("/v1/events", **asked))["events"])


class Listener:
    """Reads server-sent events line by line."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.aiter_lines()

    async def line(self, within_s: float = 10.0) -> str:
        return await asyncio.wait_for(anext(self._lines), within_s)

    async def rest(self) -> set[str]:
        return {line async for line in self._lines}

    async def event(self) -> dict[str, Any]:
        while not (line := await self.line()).startswith("id: "):
            pass
        name, told = line.removeprefix("id: "), json.loads((await self.line()).removeprefix("data: "))
        assert told["event_id"] == name
        return dict(told)

    async def events(self, count: int) -> list[dict[str, Any]]:
        return [await self.event() for _ in range(count)]


@asynccontextmanager
async def listening(address: str, query: str = "", **headers: str) -> AsyncIterator[Listener]:
    client = httpx.AsyncClient(timeout=30)
    async with client, client.stream("GET", f"{address}/v1/events/stream{query}", headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Listener(answer)


async def test_programs_tell_events_one_or_many_and_wrong_ones_alone_are_rejected(door: Door) -> None:
    assert await door.post("/v1/events/emit", STARTED) == {"accepted": 1, "rejected": 0, "total": 1}
    whole = {
        "event_id": str(uuid.uuid4()),
        "timestamp": door.app.clock.now(),
        "service": "annie-voice",
        "process": "whisper-stt-annie",
        "creature": "serpent",
        "zone": "acting",
        "event_type": "complete",
        "session_id": "s1",
        "data": {"duration_ms": 450},
        "reasoning": "STT completed",
    }
    several = [whole, {"creature": "wombat", "event_type": "start"}, "none", whole, {**STARTED, "data": {"x": "\x00"}}]
    assert await door.post("/v1/events/emit", several) == {"accepted": 2, "rejected": 3, "total": 5}
    [complete, start] = await told(door)
    assert {**complete, "timestamp": whole["timestamp"]} == whole
    assert (start["process"], start["zone"], start["data"]) == ("whisper-stt-annie", "acting", {})
    assert (await door.client.post("/v1/events/emit", json="serpent")).status_code == 422
    assert (await door.client.post("/v1/events/emit", json=[STARTED] * 5_001)).status_code == 422
    reader = await door.client_of(door.user, permission="read")
    assert (await reader.post("/v1/events/emit", json=STARTED)).status_code == 403


async def test_events_are_looked_up_in_the_ring_and_in_the_database(door: Door) -> None:
    now = door.app.clock.now()
    tells = [
        {
            "creature": "kraken" if n % 2 else "owl",
            "event_type": "metric" if n % 3 else "error",
            "timestamp": now - 100 + n,
            "session_id": f"s{n % 4}",
            "data": {"n": n},
        }
        for n in range(12)
    ]
    await door.post("/v1/events/emit", tells)
    for source in ("buffer", "database", "db"):
        page = await door.get("/v1/events", source=source, limit=5)
        assert [each["data"]["n"] for each in page["events"]] == [11, 10, 9, 8, 7]
        assert (page["total"], page["source"]) == (5, source)
        page = await door.get("/v1/events", source=source, limit=5, cursor=page["cursor"])
        assert [each["data"]["n"] for each in page["events"]] == [6, 5, 4, 3, 2]
        page = await door.get("/v1/events", source=source, limit=5, cursor=page["cursor"])
        assert [each["data"]["n"] for each in page["events"]] == [1, 0]
        assert page["cursor"] is None
        of = [each["data"]["n"] for each in await told(door, source=source, creature="kraken", session_id="s3")]
        assert of == [11, 7, 3]
        assert [each["data"]["n"] for each in await told(door, source=source, event_type="error")] == [9, 6, 3, 0]
        assert [each["data"]["n"] for each in await told(door, source=source, since=now - 91)] == [11, 10, 9]
        between = await told(door, source=source, start=now - 100, end=now - 99)
        assert [each["data"]["n"] for each in between] == [1, 0]
        assert await told(door, source=source, creature="wombat") == []
        assert await told(door, source=source, creature="owl", process="entity-extraction") == []
    assert (await door.get("/v1/events"))["source"] == "buffer"
    assert (await door.get("/v1/events", start=now - 100))["source"] == "db"
    assert (await door.client.get("/v1/events", params={"cursor": "WzEsICJ4Il0="})).status_code == 422
    assert (await door.client.get("/v1/events", params={"event_type": "begin"})).status_code == 422


async def test_a_stream_catches_up_goes_on_and_resumes_without_loss(door: Door) -> None:
    token = await token_of(door, door.user)
    await door.post("/v1/events/emit", [{**STARTED, "data": {"n": n}} for n in range(60)])
    await door.app.stores.events.flush()
    async with served(door) as address:
        async with listening(address, **{"X-Internal-Token": token}) as listener:
            assert [each["data"]["n"] for each in await listener.events(50)] == list(range(10, 60))
            await door.post("/v1/events/emit", {**STARTED, "data": {"n": 60}})
            last = await listener.event()
            assert last["data"]["n"] == 60
        await door.post("/v1/events/emit", [{**STARTED, "data": {"n": n}} for n in range(61, 1_061)])
        await door.app.stores.events.flush()
        resumed = {"Authorization": f"Bearer {token}", "Last-Event-ID": last["event_id"]}
        async with listening(address, **resumed) as listener:
            assert [each["data"]["n"] for each in await listener.events(1_000)] == list(range(61, 1_061))
    assert door.app.rings.listeners == 0


async def test_silence_is_filled_and_a_token_that_is_taken_back_ends_the_stream(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rings, "KEEPALIVE_S", 0.2)
    token = await token_of(door, door.user)
    async with served(door) as address, listening(address, **{"X-Internal-Token": token}) as listener:
        assert await listener.line() == ": keepalive"
        await door.app.tokens.drop(f"{door.user}-{token[:6]}")
        assert await asyncio.wait_for(listener.rest(), 10) == {": keepalive", ""}


@pytest.mark.parametrize("by_ticket", [False, True])
async def test_a_token_that_another_takes_the_place_of_ends_the_stream(
    door: Door, monkeypatch: pytest.MonkeyPatch, by_ticket: bool
) -> None:
    monkeypatch.setattr(rings, "KEEPALIVE_S", 0.2)
    token, query = await token_of(door, door.user), ""
    headers = {"X-Internal-Token": token}
    async with served(door) as address:
        if by_ticket:
            async with httpx.AsyncClient(base_url=address) as client:
                ticket = (await client.post("/v1/events/ticket", headers=headers)).json()["ticket"]
                headers, query = {}, f"?ticket={ticket}"
        async with listening(address, query, **headers) as listener:
            assert await listener.line() == ": keepalive"
            name, now = f"{door.user}-{token[:6]}", door.app.clock.now()
            assert await door.app.tokens.rotate(name, f"{token}-new", None, now)
            assert await asyncio.wait_for(listener.rest(), 10) == {": keepalive", ""}


async def test_a_ticket_lets_in_once_and_soon_and_a_token_in_an_address_never(door: Door) -> None:
    token = await token_of(door, door.user, "read")
    mine = await door.client_of(door.user)
    await mine.post("/v1/events/emit", json=STARTED)
    head = {"X-Internal-Token": token}
    async with served(door) as address, httpx.AsyncClient(base_url=address) as client:
        for name in ("token", "x_internal_token", "access_token", "api_key"):
            for headers in ({}, head):
                refused = await client.get(f"/v1/events/stream?{name}={token}", headers=headers)
                assert refused.status_code == 401
                assert token not in refused.text
        assert (await client.get(f"/v1/stats?x_internal_token={token}", headers=head)).status_code == 401
        assert (await client.get("/v1/events/stream?ticket=wrong")).status_code == 401
        given = (await client.post("/v1/events/ticket", headers=head)).json()
        assert given["expires_in_s"] == 60
        assert (await client.get(f"/v1/events?ticket={given['ticket']}")).status_code == 401, "only for streams"
        async with listening(address, f"?ticket={given['ticket']}") as listener:
            assert (await listener.event())["creature"] == "serpent"
        assert (await client.get(f"/v1/events/stream?ticket={given['ticket']}")).status_code == 401
        late = (await client.post("/v1/events/ticket", headers=head)).json()["ticket"]
        door.app.clock = _Later(door.app.clock)
        assert (await client.get(f"/v1/events/stream?ticket={late}")).status_code == 401


UNSEEN = ("", "no such event", "\u00e9", "../..", "x" * 10_000, str(uuid.UUID(int=7)))


@pytest.mark.parametrize("last", UNSEEN)
async def test_whatever_a_listener_says_it_saw_last_it_is_told_or_refused(door: Door, last: str) -> None:
    token = await token_of(door, door.user)
    await door.post("/v1/events/emit", STARTED)
    async with served(door) as address, httpx.AsyncClient(base_url=address) as client:
        for asked in ({"params": {"since_id": last}}, {"headers": {"Last-Event-ID": last.encode()}}):
            headers = {"X-Internal-Token": token, **asked.pop("headers", {})}
            async with client.stream("GET", "/v1/events/stream", headers=headers, **asked) as answer:  # type: ignore[arg-type]
                assert answer.status_code in (200, 422)
                if answer.status_code == 200:
                    assert (await Listener(answer).event())["creature"] == "serpent"


class _Later:
    def __init__(self, clock: Any) -> None:
        self._clock = clock

    def now(self) -> float:
        return float(self._clock.now()) + 61


async def test_everybody_sees_their_own_up_to_their_clearance_and_an_administrator_whom_they_act_for(
    door: Door,
) -> None:
    mine, other = await door.client_of(door.user), await door.client_of(f"{door.user}-other")
    low = await door.client_of(door.user, clearance=Sensitivity.OPEN)
    await mine.post("/v1/events/emit", json={**STARTED, "session_id": "mine"})
    await other.post("/v1/events/emit", json={**STARTED, "session_id": "other"})
    await low.post("/v1/events/emit", json={**STARTED, "session_id": "open"})
    for source in ("buffer", "database"):

        async def sessions(client: httpx.AsyncClient, source: str = source) -> list[str]:
            answer = await client.get("/v1/events", params={"source": source})
            return [each["session_id"] for each in answer.json()["events"]]

        assert await sessions(mine) == await sessions(door.client) == ["open", "mine"]
        assert await sessions(other) == ["other"]
        assert await sessions(low) == ["open"]
    ticket = (await door.post("/v1/events/ticket"))["ticket"]
    async with served(door) as address:
        async with listening(address, f"?ticket={ticket}") as listener:  # the administrator's, for this user
            assert [each["session_id"] for each in await listener.events(2)] == ["mine", "open"]
        token = low.headers["X-Internal-Token"]
        async with listening(address, **{"X-Internal-Token": token}) as listener:
            await mine.post("/v1/events/emit", json={**STARTED, "session_id": "mine"})
            await low.post("/v1/events/emit", json={**STARTED, "session_id": "open 2"})
            assert [each["session_id"] for each in await listener.events(2)] == ["open", "open 2"]


@pytest.mark.parametrize("by", ["the interface", "a session file"])
async def test_a_source_that_is_told_again_without_its_sensitivity_is_told_of_as_what_it_is(
    door: Door, by: str
) -> None:
    intake = door.app.stores.intake
    async with await door.client_of(door.user, clearance=Sensitivity.SENSITIVE) as high:
        said = SAID | {"source_id": "therapy", "sensitivity": "sensitive"}
        assert (await high.post("/v1/sources", json=said)).status_code == 202
        if by == "the interface":
            more = SAID | {"source_id": "therapy", "segments": [MOVED | {"segment_id": "2"}]}
            assert (await high.post("/v1/sources", json=more)).status_code == 202
        else:
            line = {"session_id": "therapy", "session_started_at": 1_772_352_000.0, "segments": [MOVED]}
            await take_payload(intake, door.user, line)
    await intake.events.flush()
    for clearance in (Sensitivity.PRIVATE, Sensitivity.SENSITIVE):
        async with await door.client_of(door.user, clearance=clearance) as client:
            found = (await client.get("/v1/events", params={"source": "database"})).text
            assert ("therapy" in found) == (clearance == Sensitivity.SENSITIVE)


async def test_every_part_that_exists_tells_what_it_does_and_nobodys_words(door: Door) -> None:
    app, settings = door.app, door.app.settings
    intake = app.stores.intake
    path = settings.home / "transcripts" / "s1.jsonl"
    await take(intake, door.user, SessionFileChange(door.user, "s1", path), (), (), WATCHED)
    await door.post("/v1/sources", SAID, 202)
    reading = ReadingTask(settings, build_models.extractor(settings), app.clock, door.actors._submit)
    while await reading.next(intake):
        pass
    await door.get("/v1/context", query="Where does Maya live?")
    await door.post("/v1/night")
    assert (await door.client.get("/v1/stats", headers={"X-Internal-Token": "wrong"})).status_code == 401
    await door.shard._stores.events.flush()  # type: ignore[union-attr]
    found = await told(door, source="database", limit=200)
    own = {each["process"] for each in found}
    refused = await door.client.get("/v1/events", params={"creature": "basilisk"}, headers={"X-User-Id": "me"})
    own |= {each["process"] for each in refused.json()["events"]}
    assert own == {each.process for each in REGISTRY if each.ours}
    kinds = {(each["creature"], each["event_type"]) for each in found}
    assert {("kraken", "start"), ("kraken", "complete"), ("phoenix", "start"), ("phoenix", "complete")} <= kinds
    for each in found:
        assert not {"lisbon", "maya", "live"} & set(str(each).lower().replace(".", " ").replace("'", " ").split())
    [heard] = [each for each in found if each["creature"] == "ouroboros"]
    assert heard["session_id"] == "breakfast"
    assert heard["data"] | {"duration_ms": 0} == {
        "source_id": "breakfast",
        "segments": 1,
        "changed": 1,
        "duration_ms": 0,
    }
    [turn] = [each for each in found if each["data"].get("command") == "AcceptReading"]
    assert turn["data"]["created"] >= 1


async def test_what_fails_in_the_background_is_told_by_its_kind(door: Door) -> None:
    class Broken:
        name = "broken"

        async def read(self, utterances: Any) -> Any:
            raise ValueError("I moved to Lisbon.")

    await door.post("/v1/sources", SAID, 202)
    reading = ReadingTask(door.app.settings, Broken(), door.app.clock, door.actors._submit)  # type: ignore[arg-type]
    await reading.next(door.app.stores.intake)
    [failed] = await told(door, event_type="error", source="db")
    assert failed["data"] == {"error": "reading-ended", "source_id": "breakfast"}
    assert failed["creature"] == "kraken"


async def test_programs_write_events_into_files(door: Door) -> None:
    folder = door.app.settings.home / "events"
    (folder / door.user).mkdir(parents=True)
    line = orjson.dumps({"creature": "jellyfish", "event_type": "start", "session_id": "s1"})
    spool = folder / door.user / "audio.jsonl"
    spool.write_bytes(line + b"\nnot json\n[]\n" + line + b"\n" + line[:20])
    (folder / "audio.jsonl").write_bytes(line + b"\n")
    now = door.app.clock.now()
    assert await take_written(door.app.settings, door.app.stores.events, now) == (3, 2)
    assert spool.read_bytes() == line[:20], "a torn line waits for its end"
    with spool.open("ab") as writing:
        assert await take_written(door.app.settings, door.app.stores.events, now) == (0, 0)
        writing.write(line[20:] + b"\n")
    assert spool.read_bytes() == line + b"\n", "and is not lost to whoever writes it"
    assert not (folder / "audio.jsonl").exists()
    spool.write_bytes(line + b"\n")
    assert await take_written(door.app.settings, door.app.stores.events, now) == (1, 0)
    assert [each["creature"] for each in await told(door)] == ["jellyfish"] * 3
    spool.write_bytes(b"x" * 1_000_001)
    assert await take_written(door.app.settings, door.app.stores.events, now) == (0, 1)


async def test_a_storm_of_events_slows_nobody(door: Door) -> None:
    async def slowest() -> float:
        spent = []
        for _ in range(20):
            begun = perf_counter()
            await door.get("/v1/stats")
            spent.append(perf_counter() - begun)
        return sorted(spent)[-2]

    await slowest()
    storm = [{**STARTED, "data": {"n": n}} for n in range(5_000)]
    begun = perf_counter()
    for n in range(5_000):
        door.app.stores.events.tell(door.user, "entity-extraction", "metric", n=n)
    assert (perf_counter() - begun) / 5_000 < 0.000_2, "to tell an event is nobody's work"
    sending = asyncio.ensure_future(door.post("/v1/events/emit", storm))
    assert await slowest() < 1.0
    assert (await sending)["total"] == 5_000
    assert door.app.stores.events.untold == 0
    assert (await told(door, limit=1))[0]["data"]["n"] == 4_999


async def test_what_is_forgotten_is_told_of_no_more(door: Door) -> None:
    await door.post("/v1/sources", SAID, 202)
    await door.post("/v1/sources", {**SAID, "source_id": "lunch"}, 202)
    await door.post("/v1/events/emit", [{**STARTED, "session_id": "breakfast"}, {**STARTED, "session_id": "lunch"}])
    other = await door.client_of(f"{door.user}-other")
    await other.post("/v1/events/emit", json=STARTED)
    assert len((await other.get("/v1/events")).json()["events"]) == 1
    assert {each["session_id"] for each in await told(door)} == {"breakfast", "lunch"}
    assert (await door.client.delete("/v1/sources/breakfast")).status_code == 200
    await door.post("/v1/events/emit", {**STARTED, "session_id": "breakfast"})
    for source in ("buffer", "database"):
        found = await told(door, source=source)
        assert {each["session_id"] for each in found} == {"lunch", None}
        assert "breakfast" not in str(found)
        assert next(each["data"]["work"] for each in found if each["session_id"] is None) == "erasure"
    assert len((await other.get("/v1/events")).json()["events"]) == 1
    answer = await door.client.delete("/v1/memory")
    assert answer.status_code == 200, answer.text
    for source in ("buffer", "database"):
        assert await told(door, source=source) == []
    assert await door.rows("SELECT 1 FROM events WHERE user_id = %(mine)s", mine=door.user) == []


async def test_the_registry_is_told(door: Door) -> None:
    known = {each["process"]: each for each in await door.get("/v1/events/registry")}
    assert known.keys() == BY_PROCESS.keys()
    assert known["kokoro-tts"]["emits"] is False
