"""Why something is believed, how it came to be so, and what was believed before: through the front door."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memory.model.claims import Claim
from memory.model.commands import (
    AddAlias,
    CloseNight,
    Crossing,
    ForgetFact,
    MergeEntities,
    Remember,
    RenameEntity,
    Undo,
    WriteNote,
)
from memory.model.scopes import Sensitivity
from memory.model.timeline import iso
from memory.rules.census import entity_stamp
from tests.api.conftest import Door
from tests.api.test_reading import DAY, LISBON, MONDAY, PORTO, fact_of, source, tell


async def moment(door: Door) -> float:
    """Now, with nothing else committed in the same millisecond."""
    now: float = door.app.clock.now()
    await asyncio.sleep(0.01)
    return now


async def entity_of(door: Door, name: str, **times: Any) -> dict[str, Any]:
    found = (await door.get("/v1/entities", name=name, **times))["entities"]
    assert len(found) == 1, found
    entity: dict[str, Any] = found[0]
    return entity


async def promotion(door: Door, entity_id: str) -> CloseNight:
    """A night in which an entity becomes knowledge."""
    stamp = entity_stamp(await door.actors.believed(door.user), entity_id)
    crossing = Crossing("entity", entity_id, "tier", "L0", "L1", stamp)
    return CloseNight(command_id="c-night", actor="night", night="2026-03-03", step="states", crossings=(crossing,))


# --- explain


async def test_a_superseded_fact_names_what_took_its_place_and_draws_it(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    lisbon = await fact_of(door, predicate="lives_in")
    told = await door.get(f"/v1/facts/{lisbon['supersedes'][0][:9]}/explain")
    last = told["changes"][-1]
    assert (last["what"], last["reason"], last["actor"], last["command"]) == (
        "superseded",
        "superseded",
        "extraction",
        "AcceptReading",
    )
    assert (last["because"], last["changed"]["status"]) == ([lisbon["fact_id"]], ["active", "superseded"])
    assert told["changes"][0]["cited"][0]["text"] == "I live in Porto."
    assert f'because of "{lisbon["statement"]}"' in told["text"]
    kinds = {node["id"]: node["kind"] for node in told["graph"]["nodes"]}
    assert {"january/1": "segment", lisbon["fact_id"]: "fact"}.items() <= kinds.items()
    edges = {(edge["from_id"], edge["kind"], edge["to_id"]) for edge in told["graph"]["edges"]}
    assert (lisbon["fact_id"], "supersedes", told["fact"]["fact_id"]) in edges
    assert ("january/1", "supports", told["fact"]["fact_id"]) in edges
    assert {each for edge in edges for each in (edge[0], edge[2])} <= kinds.keys()


async def test_an_entity_is_explained_with_its_names_tiers_and_merges(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    maya, ravi = await entity_of(door, "Maya"), await entity_of(door, "Ravi")
    for command in (
        RenameEntity(command_id="c-1", entity_id=maya["entity_id"], name="Maya Reyes"),
        await promotion(door, maya["entity_id"]),
        MergeEntities(command_id="c-3", winner_id=maya["entity_id"], loser_id=ravi["entity_id"]),
        WriteNote(command_id="c-4", about_id=maya["entity_id"], text="Likes the sea.", lifetime="forever"),
    ):
        await door.actors.turn(door.user, command, {})
    told = await door.get(f"/v1/entities/{ravi['entity_id']}/explain")
    assert told["entity"]["entity_id"] == maya["entity_id"]
    assert [(each["entity_id"], each["name"]) for each in told["merged_from"]] == [(ravi["entity_id"], "Ravi")]
    happened = [(each["what"], each["actor"]) for each in told["changes"]]
    assert happened[0] == ("created", "extraction")
    assert {("renamed", "user"), ("L0 to L1", "night"), ("merged", "user")} <= set(happened)
    assert "renamed" in told["text"]
    assert "name Maya → Maya Reyes" in told["text"]
    assert [note["text"] for note in told["notes"]] == ["Likes the sea."]
    assert {"I live in Porto.", "I live in Lisbon now."} <= {each["text"] for each in told["words"]}
    assert (ravi["entity_id"], "merged_into", maya["entity_id"]) in {
        (edge["from_id"], edge["kind"], edge["to_id"]) for edge in told["graph"]["edges"]
    }


async def test_a_recalled_segment_is_explained_by_what_rests_on_it(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    hit = (await door.get("/v1/context", query="Where does Maya live?", limit=1))["results"][0]
    told = await door.get(f"/v1/segments/{hit['source_id']}/{hit['segment_id']}/explain")
    assert [each["fact_id"] for each in told["facts"]] == hit["fact_ids"]
    assert told["facts"][0]["supported"] is True
    assert {f"{each['entity_type']}:{each['name']}" for each in told["entities"]} == set(hit["entities"])
    assert (told["segment"]["revision"], told["segment"]["read_revision"]) == (1, 1)
    assert {"created"} <= {each["what"] for each in told["changes"]}
    assert all(line in told["text"] for line in (hit["text"], "read as revision 1", "Supports: "))


async def test_a_segment_that_was_reread_and_replaced_says_so(door: Door) -> None:
    await tell(door, PORTO)
    again = source("january", ("Maya", "I live in Faro."), at=MONDAY - 40 * DAY)
    await tell(door, again)
    told = await door.get("/v1/segments/january/1/explain")
    assert (told["segment"]["revision"], told["segment"]["read_revision"]) == (2, 2)
    assert {"Faro" in each["statement"]: each["supported"] for each in told["facts"]} == {True: True, False: False}
    sweep = source("january", ("Maya", "I live in Faro, by the sea."), at=MONDAY - 40 * DAY, is_sweep=True)
    sweep["segments"][0]["segment_id"] = "swept"
    await tell(door, sweep)
    assert (await door.get("/v1/segments/january/1/explain"))["segment"]["replaced_by"] == "swept"
    swept = await door.get("/v1/segments/jan/sw/explain")
    assert swept["segment"]["replaces"] == ["1"]
    assert "Took the place of 1." in swept["text"]


@pytest.mark.parametrize("path", ["entities/e-none", "segments/nowhere/1", "segments/january/9"])
async def test_what_is_not_there_is_not_explained(door: Door, path: str) -> None:
    await tell(door, PORTO)
    answer = await door.client.get(f"/v1/{path}/explain")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:memoray:not-found")


# --- the time machine


async def test_an_entity_is_shown_as_it_was_believed_then(door: Door) -> None:
    await tell(door, PORTO)
    first, before = await entity_of(door, "Maya"), await moment(door)
    await tell(door, LISBON)
    await door.actors.turn(
        door.user, RenameEntity(command_id="c-1", entity_id=first["entity_id"], name="Maya Reyes"), {}
    )
    await door.actors.turn(door.user, AddAlias(command_id="c-2", entity_id=first["entity_id"], alias="May"), {})
    await door.actors.turn(door.user, await promotion(door, first["entity_id"]), {})
    now = await entity_of(door, "May")
    assert (now["name"], now["tier"], now["mention_count"]) == ("Maya Reyes", "L1", 2)
    then = await entity_of(door, "Maya", known_as_of=before)
    assert (then["name"], then["tier"], then["mention_count"], then["aliases"]) == ("Maya", "L0", 1, [])
    assert then["last_seen"] == first["last_seen"]
    assert (await door.get("/v1/entities", name="May", known_as_of=before))["total"] == 0
    page = await door.get(f"/v1/entities/{first['entity_id']}", known_as_of=before)
    assert [(fact["object"], fact["status"]) for fact in page["facts"]] == [("Porto", "active")]
    assert page["facts"][0]["superseded_by"] == []
    assert [each["source_id"] for each in page["timeline"]] == ["january"]
    assert (await door.get("/v1/entities", known_as_of=MONDAY))["total"] == 0, "nothing had been committed by then"
    assert (await door.client.get(f"/v1/entities/{first['entity_id']}?known_as_of={MONDAY}")).status_code == 404


async def test_an_entity_as_of_a_day_has_the_facts_and_mentions_of_that_day(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    maya, day = await entity_of(door, "Maya"), MONDAY - 10 * DAY
    page = await door.get(f"/v1/entities/{maya['entity_id']}", as_of=day)
    assert [fact["object"] for fact in page["facts"]] == ["Porto"]
    assert (page["mention_count"], page["session_count"]) == (1, 1)
    assert [each["source_id"] for each in page["timeline"]] == ["january"]
    assert "Lisbon" not in {each["name"] for each in page["related"]}
    names = {each["name"] for each in (await door.get("/v1/entities", as_of=day))["entities"]}
    assert "Porto" in names
    assert "Ravi" not in names, "nobody had spoken of Ravi"
    assert (await door.get("/v1/entities", name="Porto", as_of=day))["entities"][0]["contradicted"] is False


async def test_merged_entities_were_two_before(door: Door) -> None:
    await tell(door, LISBON)
    maya, ravi = await entity_of(door, "Maya"), await entity_of(door, "Ravi")
    before = await moment(door)
    merge = MergeEntities(command_id="c-m", winner_id=maya["entity_id"], loser_id=ravi["entity_id"])
    await door.actors.turn(door.user, merge, {})
    assert (await door.get(f"/v1/entities/{ravi['entity_id']}"))["entity_id"] == maya["entity_id"]
    then = await door.get(f"/v1/entities/{ravi['entity_id']}", known_as_of=before)
    assert (then["entity_id"], then["name"], then["merged_from"]) == (ravi["entity_id"], "Ravi", None)


async def test_the_timeline_of_the_past(door: Door) -> None:
    await tell(door, PORTO)
    before = await moment(door)
    await tell(door, LISBON)
    then = (await door.get("/v1/timeline", known_as_of=before))["entries"]
    assert {each["source_id"] for each in then if each["kind"] == "segment"} == {"january"}
    homes = [each for each in then if each["kind"] == "fact"]
    assert [("Porto" in each["text"], each["until"]) for each in homes] == [(True, None)]
    day = (await door.get("/v1/timeline", as_of=MONDAY - 10 * DAY))["entries"]
    assert ["Porto" in each["text"] for each in day] == [True, True]
    assert (await door.get("/v1/timeline", entity="Ravi", known_as_of=before))["entries"] == []


async def test_a_forgotten_entity_is_gone_from_the_past_too(door: Door) -> None:
    await tell(door, LISBON)
    ravi = await entity_of(door, "Ravi")
    before = await moment(door)
    answer = await door.client.delete(f"/v1/entities/{ravi['entity_id']}")
    assert answer.status_code == 200, answer.text
    assert (await door.get("/v1/entities", name="Ravi", known_as_of=before))["total"] == 0
    assert "Ravi" not in {each["name"] for each in (await door.get("/v1/entities", known_as_of=before))["entities"]}
    assert ravi["entity_id"] not in {each["id"] for each in (await door.get("/v1/diff"))["changes"]}


async def test_words_out_of_sight_are_out_of_sight_in_the_past(door: Door) -> None:
    open_one = source("open", ("Maya", "I met Elena at the market."))
    secret = source("secret", ("Maya", "My sister Elena is in hospital."), at=MONDAY + DAY, sensitivity="sensitive")
    await tell(door, open_one, secret)
    known = door.app.clock.now()
    elena = await entity_of(door, "Elena", known_as_of=known)
    assert (elena["properties"], elena["mention_count"], elena["aliases"]) == ({}, 1, [])
    assert (await entity_of(door, "Elena", as_of=MONDAY + DAY / 2))["aliases"] == []
    for path in (f"/v1/entities/{elena['entity_id']}/explain", "/v1/diff"):
        assert "sister" not in str(await door.get(path))
    assert (await door.client.get("/v1/segments/secret/1/explain")).status_code == 404
    async with await door.client_of(door.user, clearance=Sensitivity.SENSITIVE) as cleared:
        told = await cleared.get(f"/v1/entities/{elena['entity_id']}/explain")
        assert "sister" in told.text


# --- diff


async def test_the_difference_between_two_times(door: Door) -> None:
    await tell(door, PORTO)
    before = await moment(door)
    await tell(door, LISBON)
    maya = await entity_of(door, "Maya")
    await door.actors.turn(
        door.user, RenameEntity(command_id="c-1", entity_id=maya["entity_id"], name="Maya Reyes"), {}
    )
    told = await door.get("/v1/diff", **{"from": iso_of(before)})
    assert any("Lisbon" in each["statement"] for each in told["gained"])
    assert ["Porto" in each["statement"] for each in told["lost"]] == [True]
    assert (told["counts"]["superseded"], told["counts"]["renamed"]) == (1, 1)
    superseded = next(each for each in told["changes"] if each["what"] == "superseded")
    assert (superseded["actor"], superseded["command"]) == ("extraction", "AcceptReading")
    created = next(each for each in told["changes"] if each["id"] == superseded["because"][0])
    assert [each["text"] for each in created["cited"]] == ["I live in Lisbon now."]
    assert told["text"].splitlines()[0].startswith("+ ")
    early = await door.get("/v1/diff", to=iso_of(before))
    assert ["Porto" in each["statement"] for each in early["gained"]] == [True]
    assert (early["lost"], "superseded" in early["counts"]) == ([], False)


async def test_a_difference_comes_in_parts_and_can_be_narrowed(door: Door) -> None:
    await tell(door, PORTO, LISBON)
    nadia = Claim("Nadia", "Nadia keeps bees.", 0, "Nadia keeps bees.")
    done = await door.actors.turn(door.user, Remember(command_id="c-1", claims=(nadia,)), {})
    whole = await door.get("/v1/diff")
    parts, cursor = [], {}
    while True:
        part = await door.get("/v1/diff", limit=2, **cursor)
        parts += part["changes"]
        if part["cursor"] is None:
            break
        cursor = {"cursor": part["cursor"]}
    assert parts == whole["changes"]
    assert len(parts) > 4
    about = await door.get("/v1/diff", subject="Nadia")
    assert {each["words"] for each in about["changes"]} == {"Nadia", "Nadia keeps bees."}
    assert [each["statement"] for each in about["gained"]] == ["Nadia keeps bees."]
    await door.actors.turn(door.user, ForgetFact(command_id="c-2", fact_id=done.outcomes[0].fact_id), {})
    await door.actors.undo(door.user, "c-3", None, "user")
    told = await door.get("/v1/diff", subject="Nadia")
    assert [each["what"] for each in told["changes"] if each["noun"] == "fact"] == ["created", "forgotten", "restored"]
    assert told["changes"][-1]["undoes"] == "c-2"
    assert Undo.__name__ == told["changes"][-1]["command"]


@pytest.mark.parametrize(
    "parameters",
    [{"from": "2026-03-02", "to": "2026-03-01"}, {"from": "soon"}, {"cursor": "WzFlOSwgIngiXQ=="}, {"since": "2026"}],
)
async def test_a_difference_that_makes_no_sense_is_refused(door: Door, parameters: dict[str, str]) -> None:
    assert (await door.client.get("/v1/diff", params=parameters)).status_code == 422


def iso_of(instant: float) -> str:
    """An instant as a date that the diff reads."""
    return str(iso(instant))
