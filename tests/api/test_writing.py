"""What is told: profile, facts, names, notes, undo, nights and tokens."""

from __future__ import annotations

from typing import Any

import pytest

from memory.errors import ModelFailed
from memory.model.commands import WriteNote
from memory.model.ids import note_id
from memory.model.scopes import Sensitivity
from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation


async def facts(door: Door, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await door.get("/v1/facts", **filters))["facts"]
    return found


async def test_the_profile_keeps_what_is_left_out(door: Door) -> None:
    assert (await door.get("/v1/profile"))["time_zone"] == "UTC"
    answer = await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Lisbon"})
    assert answer.json()["name"] == "Maya"
    await door.client.put("/v1/profile", json={"languages": ["en", "pt"]})
    kept = await door.get("/v1/profile")
    assert (kept["name"], kept["time_zone"], kept["languages"]) == ("Maya", "Europe/Lisbon", ["en", "pt"])
    whole = await door.client.put("/v1/profile", json={**kept, "name": "Mia"})
    assert whole.json() == {**kept, "name": "Mia"}, "what was read can be written, with the preset that serves"


@pytest.mark.parametrize(
    "body",
    [
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "Europe"},
        {"preset": "nobody"},
        {"name": "Maya", "preset": "annie"},
        {"languages": []},
        {"name": "a\x00"},
        {"nane": "x"},
    ],
)
async def test_an_impossible_profile_is_refused(door: Door, body: dict[str, Any]) -> None:
    assert (await door.client.put("/v1/profile", json=body)).status_code == 422
    assert (await door.get("/v1/profile"))["name"] == ""


async def test_own_words_become_all_the_facts_they_state(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    told = await door.post("/v1/facts", {"text": "I moved to Lisbon and I don't like coriander."}, 201)
    assert told["outcome"] == "created"
    assert {each["fact_id"] for each in told["facts"]} == {each["fact_id"] for each in await facts(door)}
    assert any(each["object"] == "Lisbon" for each in await facts(door, subject="Maya", predicate="lives_in"))


async def test_what_was_told_is_found_and_cited(door: Door) -> None:
    told = await door.post("/v1/facts", {"text": "The boiler code is 7742."}, 201)
    (hit,) = (await door.get("/v1/context", query="boiler code"))["results"]
    assert (hit["text"], hit["source_kind"], hit["fact_ids"]) == ("The boiler code is 7742.", "note", [told["fact_id"]])
    (fact,) = await facts(door)
    await door.settle()
    assert await facts(door) == [fact], "its own words are not heard a second time"
    assert (await door.client.delete(f"/v1/sources/{hit['source_id']}")).status_code == 200
    assert (await door.get("/v1/facts", status="all"))["total"] == 0


@pytest.mark.conforms("003:birth.fallback")
async def test_what_cannot_be_read_is_remembered_as_it_was_told(door: Door) -> None:
    async def broken(_: object) -> Any:
        raise ModelFailed()

    door.actors.read_text = broken  # type: ignore[method-assign]
    told = await door.post("/v1/facts", {"text": "Blue door, third floor."}, 201)
    (fact,) = await facts(door)
    assert fact["fact_id"] == told["fact_id"]
    assert (fact["statement"], fact["kind"], fact["importance"]) == ("Blue door, third floor.", "factual", 5)


async def test_a_promise_that_is_remembered_is_listed(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    await door.post("/v1/facts", {"text": "I promised Lena to send the photos by Friday."}, 201)
    await door.post("/v1/facts", {"text": "Remind me that the boiler is loud."}, 201)
    (made,) = (await door.get("/v1/promises"))["promises"]
    assert (made["by"], made["to"]) == ("Maya", "Lena")
    assert made["due"] is not None
    (hit,) = [
        each for each in (await door.get("/v1/context", query="photos Lena"))["results"] if "photos" in each["text"]
    ]
    assert made["source"] == {"source_id": hit["source_id"], "segment_id": hit["segment_id"]}
    assert made["quote"] == "I promised Lena to send the photos by Friday."
    assert (await door.client.delete(f"/v1/sources/{hit['source_id']}")).status_code == 200
    assert (await door.get("/v1/promises"))["total"] == 0


async def test_one_sentence_about_a_doctor_makes_one_fact(door: Door) -> None:
    """Two would be corrected by different words, and one of them would stand."""
    await door.client.put("/v1/profile", json={"name": "Maya"})
    told = await door.post("/v1/facts", {"text": "My doctor is Dr. Weidner."}, 201)
    assert [fact["fact_id"] for fact in await facts(door)] == [told["fact_id"]]


async def test_a_new_value_closes_the_old_one(door: Door) -> None:
    lives = {"subject": "Maya", "predicate": "lives_in"}
    first = await door.post("/v1/facts", {"statement": "Maya lives in Porto", "object": "Porto", **lives}, 201)
    second = await door.post("/v1/facts", {"statement": "Maya lives in Lisbon", "object": "Lisbon", **lives}, 201)
    assert (second["outcome"], second["rivals"]) == ("superseded", [first["fact_id"]])
    again = await door.post("/v1/facts", {"statement": "Maya lives in Lisbon", "object": "Lisbon", **lives}, 201)
    assert (again["outcome"], again["fact_id"]) == ("reinforced", second["fact_id"])


async def test_a_statement_that_is_not_taken_apart_meets_what_it_is_about(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    lisbon = await door.post("/v1/facts", {"text": "I live in Lisbon."}, 201)
    porto = await door.post("/v1/facts", {"statement": "Maya lives in Porto", "subject": "Maya"}, 201)
    assert (porto["outcome"], porto["rivals"]) == ("superseded", [lisbon["fact_id"]])
    await door.post(f"/v1/facts/{porto['fact_id']}/correct", {"statement": "Maya lives in Braga"})
    (home,) = await facts(door, predicate="lives_in")
    assert (home["statement"], home["object"]) == ("Maya lives in Braga", "Braga")
    yellow = await door.post("/v1/facts", {"statement": "My favourite colour is yellow", "subject": "me"}, 201)
    green = await door.post("/v1/facts", {"statement": "My favourite colour is green", "subject": "me"}, 201)
    assert (green["outcome"], green["rivals"]) == ("superseded", [yellow["fact_id"]])


@pytest.mark.conforms("003:forget.status", "004:correct.supersedes")
async def test_correct_confirm_forget_and_undo(door: Door) -> None:
    told = await door.post("/v1/facts", {"statement": "Maya plays the viola", "subject": "Maya", "importance": 8}, 201)
    prefix = told["fact_id"][:12]
    fixed = await door.post(f"/v1/facts/{prefix}/correct", {"statement": "Maya plays the cello"})
    assert (fixed["outcome"], fixed["rivals"]) == ("invalidated", [told["fact_id"]])
    await door.post(f"/v1/facts/{told['fact_id']}/correct", {"statement": "No"}, 409)
    await door.post(f"/v1/facts/{fixed['fact_id']}/confirm")
    (fact,) = await facts(door)
    assert (fact["confidence"], fact["strength"], fact["importance"]) == (1.0, 1.0, 8)
    await door.post(f"/v1/facts/{fixed['fact_id']}/forget")
    assert await facts(door) == []
    undone = await door.post("/v1/undo")
    assert undone["changes"] == 1
    assert [each["fact_id"] for each in await facts(door)] == [fixed["fact_id"]]
    await door.post("/v1/undo", {"command_id": "c-nothing"}, 409)
    await door.post("/v1/facts/f-unknown/confirm", status=404)


async def test_the_same_key_is_the_same_command_once(door: Door) -> None:
    headers = {"Idempotency-Key": "told-once"}
    body = {"statement": "Maya plays the cello", "subject": "Maya"}
    answers = [await door.client.post("/v1/facts", json=body, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    known = answers[0].json()["fact_id"]
    fix = {"statement": "Maya plays the viola"}
    fixed = [
        await door.client.post(f"/v1/facts/{known}/correct", json=fix, headers={"Idempotency-Key": "fix"})
        for _ in range(2)
    ]
    assert [each.status_code for each in fixed] == [200, 200]
    assert fixed[0].json() == fixed[1].json()
    other = await door.client.post(f"/v1/facts/{known}/confirm", headers=headers)
    assert other.status_code == 409


async def test_words_told_again_were_said_when_they_were_told_first(door: Door) -> None:
    headers, body = {"Idempotency-Key": "told-once"}, {"text": "I like kiwis."}
    answers, times = [], []
    for _ in range(2):
        answers.append((await door.client.post("/v1/facts", json=body, headers=headers)).json())
        times.append([hit["timestamp"] for hit in (await door.get("/v1/context", query="kiwis"))["results"]])
    assert answers[0] == answers[1]
    assert times[0] == times[1] != []
    assert (await door.client.post("/v1/facts", json=body)).json()["outcome"] == "reinforced"


async def test_a_key_of_other_words_does_not_take_their_place(door: Door) -> None:
    headers = {"Idempotency-Key": "told-once"}
    await door.client.post("/v1/facts", json={"text": "I like kiwis."}, headers=headers)
    other = await door.client.post("/v1/facts", json={"text": "I like limes."}, headers=headers)
    assert other.status_code == 409
    await door.settle()
    assert [hit["text"] for hit in (await door.get("/v1/context", query="like"))["results"]] == ["I like kiwis."]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "a", "statement": "b", "subject": "c"},
        {"statement": "Nobody in particular"},
        {"text": "   "},
        {"text": "x", "importance": 3},
        {"statement": "a", "subject": "b", "importance": 11},
        {"statement": "a", "subject": "b", "valid_from": "yesterday"},
        {"text": "\ud800"},
    ],
)
async def test_a_malformed_fact_is_refused(door: Door, body: dict[str, Any]) -> None:
    import json

    answer = await door.client.post("/v1/facts", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert await facts(door) == []


async def test_a_statement_is_as_private_as_the_source_it_refers_to(door: Door) -> None:
    await door.post("/v1/sources", conversation("diary", sensitivity="private"), 202)
    body = {"statement": "Maya is unwell", "subject": "Maya", "source_id": "diary"}
    told = await door.post("/v1/facts", body, 201)
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as stranger:
        assert (await stranger.get("/v1/facts")).json()["facts"] == []
        assert (await stranger.post(f"/v1/facts/{told['fact_id']}/confirm")).status_code == 404
        assert (await stranger.post("/v1/facts", json=body)).status_code == 404


async def entity(door: Door, name: str) -> dict[str, Any]:
    found: dict[str, Any] = (await door.get("/v1/entities", name=name))["entities"][0]
    return found


async def test_names_are_changed_shared_and_joined(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    elena, ravi = await entity(door, "Elena"), await entity(door, "Ravi")
    await door.post(f"/v1/entities/{elena['entity_id']}/rename", {"name": "Helena"})
    await door.post(f"/v1/entities/{elena['entity_id']}/alias", {"alias": "Leni"})
    assert (await entity(door, "Leni"))["name"] == "Helena"
    taken = await door.client.post(f"/v1/entities/{elena['entity_id']}/rename", json={"name": "Ravi"})
    assert (taken.status_code, taken.json()["merge_with"]) == (409, ravi["entity_id"])
    joined = await door.post(f"/v1/entities/{ravi['entity_id']}/merge", {"other_id": elena["entity_id"]})
    assert joined == {"entity_id": ravi["entity_id"], "merged": elena["entity_id"]}
    assert (await entity(door, "Helena"))["name"] == "Ravi"
    await door.post("/v1/undo")
    assert (await entity(door, "Helena"))["entity_id"] == elena["entity_id"]


async def test_notes_live_as_long_as_they_should(door: Door) -> None:
    await door.post("/v1/facts", {"statement": "Maya plays the cello", "subject": "Maya"}, 201)
    maya = await entity(door, "Maya")
    path = f"/v1/entities/{maya['entity_id']}/notes"
    note = await door.post(path, {"text": "Call her May.", "lifetime": "year"}, 201)
    edited = (await door.client.put(f"/v1/notes/{note['note_id']}", json={"text": "Call her Mai."})).json()
    assert (edited["text"], edited["lifetime"]) == ("Call her Mai.", "year")
    assert [each["text"] for each in (await door.get(f"/v1/entities/{maya['entity_id']}"))["notes"]] == [
        "Call her Mai."
    ]
    assert (await door.client.delete(f"/v1/notes/{note['note_id']}")).status_code == 200
    assert (await door.get(f"/v1/entities/{maya['entity_id']}"))["notes"] == []
    assert (await door.client.delete(f"/v1/notes/{note['note_id']}")).status_code == 404
    await door.post(path, {"text": "x", "lifetime": "eternal"}, 422)


async def test_an_earlier_command_is_undone_without_losing_the_later(door: Door) -> None:
    await door.post("/v1/facts", {"statement": "Maya plays the cello", "subject": "Maya"}, 201)
    maya = (await entity(door, "Maya"))["entity_id"]
    for key, name in (("one", "Mia"), ("two", "Mai")):
        await door.client.post(f"/v1/entities/{maya}/rename", json={"name": name}, headers={"Idempotency-Key": key})
    await door.post("/v1/undo", {"command_id": "one"}, 409)
    await door.post("/v1/undo", {"command_id": "two"})
    await door.post("/v1/undo", {"command_id": "one"})
    assert (await entity(door, "Maya"))["entity_id"] == maya
    assert await door.app.stores.memory.journal.load(door.user) == await door.actors.believed(door.user)


async def test_a_night_is_told_once_and_in_order(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    report = await door.post("/v1/night", {"night": "2026-03-20"})
    assert (report["night"], report["decay"]["entities"] > 0) == ("2026-03-20", True)
    assert await door.post("/v1/night", {"night": "2026-03-20"}) == report
    assert await door.get("/v1/night/2026-03-20") == report
    await door.post("/v1/night", {"night": "2026-03-10"}, 409)
    await door.post("/v1/night", {"night": "2199-01-01"}, 422)
    await door.post("/v1/night", {"night": "tomorrow"}, 422)
    assert (await door.client.get("/v1/night/2026-03-11")).status_code == 404
    later = await door.post("/v1/night", {"night": "2026-03-23"})
    assert (await door.get("/v1/night/2026-03-22"))["night"] == "2026-03-22"
    assert later["night"] == "2026-03-23"
    async with await door.client_of(door.user) as limited:
        assert (await limited.get("/v1/night/2026-03-20")).status_code == 403


async def test_tokens_are_shown_once_and_taken_back(door: Door) -> None:
    name = f"phone-{door.user}"
    made = await door.post("/v1/tokens", {"name": name, "permission": "read", "clearance": "open"}, 201)
    assert len(made["token"]) == 43
    await door.post("/v1/tokens", {"name": name}, 409)
    listed = next(each for each in (await door.client.get("/v1/tokens")).json() if each["name"] == name)
    told = {"name": name, "user_id": door.user, "teams": [], "permission": "read", "clearance": "open"}
    assert listed == {**told, "expires_at": None}
    headers = {"X-Internal-Token": made["token"], "X-User-Id": door.user}
    assert (await door.client.get("/v1/facts", headers=headers)).status_code == 200
    assert (await door.client.post("/v1/facts", json={"text": "no"}, headers=headers)).status_code == 403
    assert (await door.client.get("/v1/tokens", headers=headers)).status_code == 403
    assert (await door.client.delete(f"/v1/tokens/{name}")).json() == {"revoked": name}
    assert (await door.client.get("/v1/facts", headers=headers)).status_code == 401
    assert (await door.client.delete(f"/v1/tokens/{name}")).status_code == 404
    assert (await door.client.delete("/v1/tokens/administrator")).status_code == 409


async def test_ten_thousand_notes_on_one_entity_are_turned_page_by_page(door: Door) -> None:
    """A page shows the latest fifty; the list goes through all of them once; a turn writes one row."""
    await door.post("/v1/facts", {"statement": "Maya plays the cello", "subject": "Maya"}, 201)
    maya = (await entity(door, "Maya"))["entity_id"]
    await door.rows(
        "WITH words AS (INSERT INTO content (scope, content_id, owner, words)"
        " SELECT 'user:' || %(user)s::text, n, 'n-' || n, 'remark ' || n FROM generate_series(1, 10000) n"
        " RETURNING content_id)"
        " INSERT INTO notes (user_id, note_id, about_id, text, author, created_at, lifetime)"
        " SELECT %(user)s::text, 'n-' || content_id, %(id)s::text, content_id, 'user',"
        " now() - make_interval(secs => content_id / 10), 'forever' FROM words RETURNING note_id",
        user=door.user,
        id=maya,
    )
    await door.shard.relearn(door.user)
    note = await door.post(f"/v1/entities/{maya}/notes", {"text": "Call her May."}, 201)
    assert len((await door.get(f"/v1/entities/{maya}"))["notes"]) == 50
    assert len((await door.get(f"/v1/entities/{maya}/explain"))["notes"]) == 50
    await turned_page_by_page(door, f"/v1/entities/{maya}/notes", note["note_id"], 10_001)
    rows = await door.rows(
        "SELECT jsonb_array_length(changes) AS n FROM journal WHERE user_id = %(user)s AND kind = 'WriteNote'",
        user=door.user,
    )
    assert [row["n"] for row in rows] == [1]


async def turned_page_by_page(door: Door, route: str, latest: str, total: int) -> None:
    """Every note once, the latest first."""
    seen, cursor = [], {}
    while cursor is not None:
        part = await door.get(route, limit=200, **cursor)
        seen += [each["note_id"] for each in part["notes"]]
        assert part["total"] == total
        cursor = {"cursor": part["cursor"]} if part["cursor"] else None
    assert len(seen) == len(set(seen)) == total
    assert seen[0] == latest


async def test_more_notes_on_a_fact_than_its_page_shows_are_listed_by_their_own_route(door: Door) -> None:
    fact = (await door.post("/v1/facts", {"statement": "Maya plays the cello", "subject": "Maya"}, 201))["fact_id"]
    for number in range(203):
        await door.actors.turn(
            door.user, WriteNote(command_id=f"note {number}", about_id=fact, text=f"remark {number}"), {}
        )
    assert len((await door.get(f"/v1/facts/{fact}/explain"))["notes"]) == 50
    latest = note_id(door.user, "note 202")
    await turned_page_by_page(door, f"/v1/facts/{fact}/notes", latest, 203)
    await turned_page_by_page(door, f"/v1/facts/{fact[:8]}/notes", latest, 203)
    assert (await door.client.get("/v1/facts/f-nobody/notes")).status_code == 404
    assert (await door.client.get(f"/v1/facts/{fact}/notes?cursor=broken")).status_code == 422


async def test_a_night_of_a_memory_that_nobody_has_is_refused(door: Door) -> None:
    answer = await door.client.post("/v1/night")
    assert answer.status_code == 404, answer.text
    assert "nothing was told to it yet" in answer.json()["detail"]
