"""What was heard and believed is read back: sources, entities, facts and why, promises, days, figures, the page."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from memory.model.claims import Claim
from memory.model.commands import ConfirmFact, MergeEntities, Remember, SetProfile, WriteNote
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.waiting import DueSource
from tests.api.conftest import Door

DAY = 86_400.0
MONDAY = 1772438400.0  # 2026-03-02T08:00:00Z


def source(source_id: str, *lines: tuple[str, str], at: float = MONDAY, **rest: Any) -> dict[str, Any]:
    segments = [
        {"segment_id": str(number), "speaker": speaker, "text": text, "start": number * 5, "end": number * 5 + 4}
        for number, (speaker, text) in enumerate(lines, start=1)
    ]
    return {"source_id": source_id, "started_at": at, "segments": segments, **rest}


async def tell(door: Door, *sources: dict[str, Any]) -> None:
    for each in sources:
        await door.post("/v1/sources", each, 202)
    await door.settle()


async def fact_of(door: Door, **filters: Any) -> dict[str, Any]:
    found = await door.get("/v1/facts", **filters)
    assert found["total"] == 1, found
    fact: dict[str, Any] = found["facts"][0]
    return fact


PORTO = source("january", ("Maya", "I live in Porto."), at=MONDAY - 40 * DAY)
LISBON = source("march", ("Maya", "I live in Lisbon now."), ("Ravi", "I'll send you the photos on Friday."))


# --- sources


@pytest.mark.conforms("002:phases")
async def test_a_source_goes_from_raw_to_extracted(door: Door) -> None:
    await door.post("/v1/sources", LISBON, 202)
    listed = (await door.get("/v1/sources"))["sources"]
    assert [(each["source_id"], each["status"], each["segments_count"]) for each in listed] == [("march", "raw", 2)]
    await door.settle()
    shown = await door.get("/v1/sources/march")
    assert shown["status"] == "extracted"
    assert shown["started_at"] == "2026-03-02T08:00:00Z"
    assert [each["text"] for each in shown["segments"]] == [each["text"] for each in LISBON["segments"]]
    assert (await door.get("/v1/sources", status="raw"))["total"] == 0


async def test_a_source_that_failed_too_often_says_so_and_is_tried_again(door: Door) -> None:
    await door.post("/v1/sources", LISBON, 202)
    capture, now = door.app.stores.intake.capture, door.app.clock.now()
    task = DueSource(f"user:{door.user}", "march", "read", door.user)
    for _ in range(door.app.settings.extraction.attempts):
        await capture.failed(task, "model-failed: no usable answer", now)
    failed = (await door.get("/v1/sources", status="failed"))["sources"]
    assert [(each["attempts"], each["last_error"]) for each in failed] == [(8, "model-failed: no usable answer")]
    again = await door.post("/v1/sources/march/retry", status=202)
    assert (again["status"], again["attempts"], again["last_error"]) == ("raw", 0, None)


async def test_hidden_segments_of_a_source_name_what_replaced_them(door: Door) -> None:
    await tell(door, LISBON)
    sweep = source("march", ("Maya", "I live in Lisbon now, by the river."), is_sweep=True)
    sweep["segments"][0]["segment_id"] = "swept"
    await tell(door, sweep)
    shown = await door.get("/v1/sources/march")
    assert {each["segment_id"]: each["replaced_by"] for each in shown["segments"]} == {
        "1": "swept",
        "2": None,
        "swept": None,
    }
    assert shown["segments_count"] == 2


async def test_lists_come_in_parts_without_gaps(door: Door) -> None:
    for number in range(7):
        await door.post("/v1/sources", source(f"s{number}", ("Maya", "Hello."), at=MONDAY + number % 3), 202)
    whole = [each["source_id"] for each in (await door.get("/v1/sources"))["sources"]]
    parts: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        part = await door.get("/v1/sources", limit=3, **cursor)
        parts += [each["source_id"] for each in part["sources"]]
        assert part["total"] == 7
        if part["cursor"] is None:
            break
        cursor = {"cursor": part["cursor"]}
    assert parts == whole
    assert len(parts) == 7


@pytest.mark.parametrize("path", ["/v1/sources/x", "/v1/entities/e-0", "/v1/facts/f-0", "/v1/facts/f-0/explain"])
async def test_unknown_ids_are_not_found(door: Door, path: str) -> None:
    answer = await door.client.get(path)
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:memoray:not-found"


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/v1/sources", {"cursor": "nonsense"}),
        ("/v1/sources", {"cursor": "WzFlOTk5LCAieCJd"}),
        ("/v1/facts", {"limit": 0}),
        ("/v1/facts", {"kind": "rumour"}),
        ("/v1/facts", {"as_of": "yesterday"}),
        ("/v1/facts", {"as_off": "2026-01-01T00:00:00Z"}),
        ("/v1/entities", {"entity_type": "dragon"}),
        ("/v1/entities", {"name": "a\x00b"}),
        ("/v1/timeline", {"after": "2026-03-02", "before": "2026-03-01"}),
        ("/v1/timeline", {"after": "1000-01-01"}),
        ("/v1/daily", {"date": "2026-02-31"}),
        ("/v1/daily", {"date": "9999-12-31"}),
        ("/v1/daily", {"date": "0001-01-01"}),
        ("/v1/promises", {"state": "perhaps"}),
    ],
)
async def test_what_makes_no_sense_is_refused(door: Door, path: str, parameters: dict[str, Any]) -> None:
    answer = await door.client.get(path, params=parameters)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_session_file_is_taken_in_on_request(door: Door) -> None:
    line = {
        "session_id": "walk-1",
        "device_id": "omi",
        "session_started_at": MONDAY,
        "is_sweep": False,
        "segments": [{"segment_id": "a", "speaker": "Maya", "text": "I live in Lisbon.", "start": 0, "end": 2}],
    }
    folder = Path(door.app.settings.home) / "transcripts" / door.user
    folder.mkdir(parents=True)
    (folder / "walk-1.jsonl").write_text(json.dumps(line) + "\n")
    for _ in range(2):
        told = await door.post("/v1/ingest/walk-1")
        assert told == {"session_id": "walk-1", "segments_count": 1, "status": "ingested"}
    assert (await door.get("/v1/stats"))["segments_count"] == 1
    secret = {"source_id": "walk-1", "started_at": MONDAY, "sensitivity": "private", "segments": line["segments"]}
    await door.post("/v1/sources", secret, 202)
    await door.post("/v1/ingest/walk-1")
    assert (await door.get("/v1/sources/walk-1"))["sensitivity"] == "private", "a file does not say how private it is"
    assert (await door.client.post("/v1/ingest/elsewhere")).status_code == 404
    assert (await door.client.post("/v1/ingest/a.b")).status_code == 422


# --- entities


async def test_an_entity_has_the_figures_of_its_mentions(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    maya = (await door.get("/v1/entities", entity_type="person", name="maya"))["entities"][0]
    assert maya["name"] == "Maya"
    assert (maya["first_seen"], maya["last_seen"]) == ("2026-01-21T08:00:05Z", "2026-03-02T08:00:05Z")
    assert (maya["session_count"], maya["source_count"], maya["mention_count"]) == (2, 2, 2)
    assert (maya["tier"], maya["sensitivity"], maya["is_owner"]) == ("L0", "open", False)
    assert 0.3 <= maya["salience"] <= 1.0
    assert (await door.get("/v1/entities", tier="L2"))["total"] == 0


async def test_the_page_of_an_entity(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    maya = (await door.get("/v1/entities", name="Maya"))["entities"][0]
    note = WriteNote(command_id="c-note", about_id=maya["entity_id"], text="Likes the sea.", lifetime="week")
    await door.actors.turn(door.user, note, {})
    page = await door.get(f"/v1/entities/{maya['entity_id'][:10]}")
    assert page["entity_id"] == maya["entity_id"]
    homes = [fact for fact in page["facts"] if fact["predicate"] == "lives_in"]
    assert [(fact["object"], fact["status"]) for fact in homes] == [("Lisbon", "active"), ("Porto", "superseded")]
    assert homes[1]["valid_to"] == homes[0]["valid_from"]
    assert [each["source_id"] for each in page["timeline"]] == ["march", "january"]
    assert [each["text"] for each in page["notes"]] == ["Likes the sea."]
    assert {"Lisbon"} <= {each["name"] for each in page["related"]}


async def test_what_was_contradicted_is_told(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    places = (await door.get("/v1/entities", entity_type="place"))["entities"]
    assert {each["name"]: each["contradicted"] for each in places} == {"Lisbon": False, "Porto": True}
    await tell(door, source("april", ("Maya", "Elena lives in Porto."), at=MONDAY + 10 * DAY))
    assert not (await door.get("/v1/entities", name="Porto"))["entities"][0]["contradicted"], "said of it again"


async def test_a_merged_entity_answers_as_what_it_became(door: Door) -> None:
    await tell(door, source("a", ("Maya", "Elena called."), ("Ravi", "Ellie called too.")))
    listed = (await door.get("/v1/entities", entity_type="person"))["entities"]
    people = {each["name"]: each["entity_id"] for each in listed}
    await door.actors.turn(
        door.user, MergeEntities(command_id="c-m", winner_id=people["Maya"], loser_id=people["Ravi"]), {}
    )
    page = await door.get(f"/v1/entities/{people['Ravi']}")
    assert (page["entity_id"], page["merged_from"]) == (people["Maya"], people["Ravi"])
    assert "Ravi" in page["aliases"]
    listed = (await door.get("/v1/entities", name="Ravi"))["entities"]
    assert [each["entity_id"] for each in listed] == [people["Maya"]]


@pytest.mark.conforms("003:forget.prefix")
async def test_a_prefix_that_fits_two_is_ambiguous(door: Door) -> None:
    await tell(door, LISBON)
    answer = await door.client.get("/v1/entities/e-")
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:memoray:ambiguous"


async def test_an_entity_told_by_command_is_there_without_a_mention(door: Door) -> None:
    claim = Claim("Nadia", "Nadia keeps bees.", 0, "Nadia keeps bees.")
    await door.actors.turn(door.user, Remember(command_id="c-1", claims=(claim,)), {})
    nadia = (await door.get("/v1/entities", name="Nadia"))["entities"][0]
    assert (nadia["mention_count"], nadia["session_count"]) == (0, 0)
    fact = await fact_of(door, subject="Nadia")
    assert [each["segment_id"] for each in fact["sources"]] == [None]


async def test_what_was_learnt_out_of_sight_is_not_told(door: Door) -> None:
    open_one = source("open", ("Maya", "I met Elena at the market."))
    secret = source("secret", ("Maya", "My sister Elena is in hospital."), at=MONDAY + DAY, sensitivity="sensitive")
    await tell(door, open_one, secret)
    async with await door.client_of(door.user, clearance=Sensitivity.SENSITIVE) as cleared:
        everything = (await cleared.get("/v1/entities", params={"name": "Elena"})).json()["entities"][0]
    seen = (await door.get("/v1/entities", name="Elena"))["entities"][0]
    assert (everything["mention_count"], seen["mention_count"]) == (2, 1)
    # who is known openly learns neither names nor properties from what is more sensitive (decision 0025)
    assert (seen["properties"], seen["aliases"]) == (everything["properties"], everything["aliases"]) == ({}, [])
    assert seen["last_seen"] == "2026-03-02T08:00:05Z"
    maya = (await door.get("/v1/entities", name="Maya"))["entities"][0]
    page = await door.get(f"/v1/entities/{maya['entity_id']}")
    assert {each["source_id"] for each in page["timeline"]} == {"open"}
    assert "sister" not in str(page)


# --- facts


async def test_a_fact_has_its_shape(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    fact = await fact_of(door, subject="Maya", predicate="lives_in")
    assert " ".join(fact) == (
        "fact_id subject predicate object slot statement kind confidence importance strength status state "
        "valid_from valid_to system_from system_to supersedes superseded_by sources"
    )
    assert (fact["subject"], fact["object"], fact["valid_from"]) == ("Maya", "Lisbon", "2026-03-02T08:00:05Z")
    assert fact["sources"] == [{"source_id": "march", "segment_id": "1", "quote": "I live in Lisbon now."}]
    old = await door.get(f"/v1/facts/{fact['supersedes'][0]}")
    assert (old["object"], old["status"], old["superseded_by"]) == ("Porto", "superseded", [fact["fact_id"]])
    assert 0 < fact["strength"] <= fact["confidence"]


async def test_both_axes_of_time(door: Door) -> None:
    await tell(door, PORTO)
    heard = door.app.clock.now()
    await tell(door, LISBON)
    then = await fact_of(door, predicate="lives_in", as_of=MONDAY - 10 * DAY)
    assert (then["object"], then["valid_to"]) == ("Porto", "2026-03-02T08:00:05Z")
    known = await fact_of(door, predicate="lives_in", known_as_of=heard)
    assert (known["object"], known["status"], known["valid_to"]) == ("Porto", "active", None)
    assert (await fact_of(door, predicate="lives_in", as_of=MONDAY + DAY))["object"] == "Lisbon"
    assert (await door.get("/v1/facts", predicate="lives_in", as_of=MONDAY - 90 * DAY))["total"] == 0
    assert (await door.get("/v1/facts", predicate="lives_in", status="all"))["total"] == 2


@pytest.mark.conforms("004:explain")
async def test_a_fact_is_explained_down_to_the_words(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    fact = await fact_of(door, predicate="lives_in")
    await door.actors.turn(door.user, ConfirmFact(command_id="c-confirm", fact_id=fact["fact_id"]), {})
    told = await door.get(f"/v1/facts/{fact['fact_id']}/explain")
    assert (told["protected"], told["fact"]["confidence"], told["fact"]["strength"]) == (True, 1.0, 1.0)
    said = told["words"][0]
    assert (said["speaker"], said["source_id"], said["at"]) == ("Maya", "march", "2026-03-02T08:00:05Z")
    assert said["text"] == "I live in Lisbon now."
    assert [each["fact_id"] for each in told["supersedes"]] == fact["supersedes"]
    assert told["judged_by"] == "rules"
    assert {each["name"] for each in told["entities"]} >= {"Maya", "Lisbon"}
    changes = [(each["noun"], each["reason"], each["actor"]) for each in told["changes"]]
    assert changes[0] == ("fact", "created", "extraction")
    assert changes[-1] == ("fact", "confirmed", "user")
    assert all(line in told["text"] for line in ("I live in Lisbon now.", "Took the place of", "confirmed"))


# --- promises, days, figures


async def test_promises_have_a_state(door: Door) -> None:
    await tell(door, LISBON)
    promise = (await door.get("/v1/promises"))["promises"][0]
    assert (promise["by"], promise["to"]) == ("Ravi", "Maya")
    assert promise["source"] == {"source_id": "march", "segment_id": "2"}
    assert promise["quote"] == "I'll send you the photos on Friday."
    assert promise["due"][:10] == "2026-03-06"
    assert promise["state"] == "expired", "that Friday has long passed"
    assert (await door.get("/v1/promises", state="open"))["total"] == 0
    assert (await door.get("/v1/promises", by="ravi"))["total"] == 1
    assert (await door.get("/v1/promises", by="Maya"))["total"] == 0
    (ravi,) = (await door.get("/v1/entities", name="ravi"))["entities"]
    await door.post(f"/v1/entities/{ravi['entity_id']}/rename", {"name": "Ravindra"})
    assert (await door.get("/v1/promises", by="Ravindra"))["total"] == 1


async def test_the_timeline_is_in_order_and_can_be_narrowed(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    entries = (await door.get("/v1/timeline"))["entries"]
    assert [each["at"] for each in entries] == sorted(each["at"] for each in entries)
    assert {each["kind"] for each in entries} == {"segment", "fact"}
    early = (await door.get("/v1/timeline", before="2026-02-01"))["entries"]
    assert {each["source_id"] for each in early if each["kind"] == "segment"} == {"january"}
    ravi = (await door.get("/v1/timeline", entity="Ravi"))["entries"]
    assert {each["speaker"] for each in ravi if each["kind"] == "segment"} == {"Ravi"}
    parts, cursor = [], {}
    while True:
        part = await door.get("/v1/timeline", limit=2, **cursor)
        parts += part["entries"]
        if part["cursor"] is None:
            break
        cursor = {"cursor": part["cursor"]}
    assert parts == entries


async def test_a_day_where_the_user_lives(door: Door) -> None:
    await door.actors.turn(door.user, SetProfile(command_id="c-p", profile=Profile("Maya", time_zone="Asia/Tokyo")), {})
    late = source("late", ("Maya", "Ravi was wonderful company tonight."), at=MONDAY + 8 * 3600)  # 01:00 the next day
    await tell(door, LISBON, late)
    day = await door.get("/v1/daily", date="2026-03-02")
    assert (day["sessions_count"], day["people"]) == (1, ["Ravi"])
    assert day["summary"].startswith("Extractive summary. 1 session, with Ravi.")
    assert len(day["promises"]) == 1
    assert (await door.get("/v1/daily", date="2026-03-03"))["sessions_count"] == 1
    [promise] = (await door.get("/v1/promises"))["promises"]
    tokyo = datetime.fromisoformat(promise["due"]).astimezone(ZoneInfo("Asia/Tokyo"))
    due = await door.get("/v1/daily", date=f"{tokyo:%Y-%m-%d}")
    assert (due["sessions_count"], due["promises"]) == (0, day["promises"]), "the photos are due on that day"
    empty = await door.get("/v1/daily", date="2020-01-01")
    assert (empty["summary"], empty["sessions_count"]) == ("Nothing was heard on this day.", 0)


async def test_figures(door: Door) -> None:
    await door.post("/v1/sources", LISBON, 202)
    before = await door.get("/v1/stats")
    assert (before["sessions_count"], before["segments_count"], before["entities_count"]) == (1, 2, 0)
    assert before["pending"] == {"extraction": 1, "embedding": 1, "graph": 0}
    assert before["lag"] > 0
    await door.settle()
    after = await door.get("/v1/stats")
    assert after["entities_count"] == sum(after["tiers"][tier] for tier in ("L0", "L1", "L2")) > 0
    assert (after["pending"], after["lag"]) == ({"extraction": 0, "embedding": 0, "graph": 0}, 0.0)


# --- the page


async def test_the_page_asks_for_a_token_and_keeps_it_to_itself(door: Door) -> None:
    await tell(door, source("x", ("Maya", "I live in <script>alert(1)</script> Lisbon.")))
    transport = door.client._transport
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as browser:
        entry = await browser.get("/")
        assert 'name="token"' in entry.text
        assert "default-src 'none'" in entry.headers["content-security-policy"]
        assert (await browser.post("/login", content="token=wrong")).status_code == 401
        token = (await door.client_of(door.user)).headers["X-Internal-Token"]
        entered = await browser.post("/login", content=f"token={token}")
        assert entered.status_code == 303
        cookie = entered.headers["set-cookie"].lower()
        assert {"httponly", "samesite=strict"} <= set(cookie.split("; "))
        page = await browser.get("/", params={"q": 'Lisbon "><script>'})
        assert [title for title in ("Remembered", "Recent facts") if title not in page.text] == []
        assert "<script" not in page.text
        assert "&lt;script&gt;" in page.text
        assert (await browser.get("/v1/facts")).status_code == 401
        await browser.post("/logout")
        assert 'name="token"' in (await browser.get("/")).text
