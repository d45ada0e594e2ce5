"""What an owner does with all facts at once, and with entities that are two or something else: tried, done, undone."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memory.model.claims import Claim
from memory.model.commands import AcceptReading, ReadSegment, Remember
from memory.model.ids import segment_key
from memory.model.scopes import Sensitivity, team_scope, user_scope
from tests.api.conftest import Door
from tests.api.test_sources_and_context import conversation

pytestmark = pytest.mark.postgres
BEES = (
    "Maya keeps bees in the garden",
    "Maya keeps bees in her garden",
    "Maya keeps bees and sells honey",
    "Maya paints the walls of her kitchen",
)


async def tell(door: Door, *statements: str, subject: str = "Maya") -> list[str]:
    """Facts that met no rivals, because the encoder was away when they were told; the ids of them."""
    ids = []
    for statement in statements:
        claim = Claim(subject, statement, 0, statement)
        done = await door.actors.turn(door.user, Remember(command_id=f"tell {statement}", claims=(claim,)), {})
        ids.append(done.outcomes[0].fact_id)
    await encode(door)
    return ids


async def encode(door: Door) -> None:
    """Give every fact its vector, without letting it meet the facts it resembles."""
    facts = (await door.actors.believed(door.user)).facts
    vectors = door.app.stores.encoder.embed([each.statement for each in facts.values()])
    await door.app.stores.memory.journal.put_fact_vectors(door.user, dict(zip(facts, vectors, strict=True)))


async def statements(door: Door, **filters: Any) -> set[str]:
    return {each["statement"] for each in (await door.get("/v1/facts", **filters))["facts"]}


async def snapshot(door: Door) -> Any:
    """Everything that is believed, but for the versions of facts."""
    believed = await door.app.stores.memory.journal.load(door.user)
    assert believed == await door.actors.believed(door.user), "the shard and the journal agree"
    facts = {
        each.fact_id: (each.status, each.confidence, each.subject_id, each.since, each.valid, each.protected)
        for each in believed.facts.values()
        if each.status != "forgotten"
    }
    return believed.entities, believed.mentions, believed.evidence, believed.links, believed.notes, facts


@pytest.mark.conforms("003:reflect.only_looks")
async def test_duplicates_are_reported_tried_merged_and_parted(door: Door) -> None:
    first, second, *_ = await tell(door, *BEES)
    found = await door.get("/v1/reflection")
    (cluster,) = found["duplicates"]
    assert {each["fact_id"] for each in cluster} == {first, second}
    before = await snapshot(door)
    tried = await door.post("/v1/facts/merge", {"dry_run": True})
    assert (tried["dry_run"], tried["command_id"], len(tried["changed"])) == (True, None, 2)
    assert await snapshot(door) == before, "trying changes nothing"
    key = {"Idempotency-Key": "merge-once"}
    answers = [await door.client.post("/v1/facts/merge", headers=key) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    done = answers[0].json()
    assert {each["reason"] for each in done["changed"]} == {"merged as a duplicate", "reinforced by a merge"}
    kept = next(each for each in done["changed"] if each["status"] == "active")
    assert kept["confidence"] == pytest.approx(0.7)
    assert len(await statements(door)) == 3
    assert (await door.get("/v1/reflection"))["duplicates"] == []
    assert (await door.get("/v1/contradictions"))["judged"][0]["kind"] == "supersedes"
    await door.post("/v1/undo")
    assert await snapshot(door) == before


async def test_themes_become_meta_facts_once_and_go_with_their_support(door: Door) -> None:
    ids = await tell(door, *BEES[:3], "Maya keeps bees in a beehive")
    before = await snapshot(door)
    (theme,) = (await door.get("/v1/reflection"))["themes"]
    done = await door.post("/v1/facts/synthesize")
    (meta,) = done["changed"]
    assert (meta["reason"], meta["confidence"]) == ("synthesized", 0.8)
    assert meta["statement"].startswith("Quoted together about Maya")
    shown = (await door.get("/v1/facts", kind="meta"))["facts"]
    assert [each["fact_id"] for each in shown] == [meta["fact_id"]]
    assert (await door.post("/v1/facts/synthesize"))["changed"] == []
    forgotten = next(each["fact_id"] for each in theme)
    assert forgotten in ids
    await door.post(f"/v1/facts/{forgotten}/forget")
    assert (await door.get("/v1/facts", kind="meta"))["facts"] == []
    await door.post("/v1/undo")
    assert len((await door.get("/v1/facts", kind="meta"))["facts"]) == 1
    await door.post("/v1/undo", {"command_id": done["command_id"]})
    assert await snapshot(door) == before
    assert (await door.post("/v1/facts/synthesize"))["changed"] == [], "what was taken back is not told again"


async def test_a_meta_fact_is_seen_by_whoever_sees_all_it_rests_on(door: Door) -> None:
    team = f"{door.user}-team"
    both = await door.client_of(door.user, (team,), clearance=Sensitivity.SENSITIVE)
    await both.get("/v1/stats")
    for number, scope in enumerate((user_scope(door.user), team_scope(team), user_scope(door.user))):
        rest = {"team_id": team} if scope == team_scope(team) else {}
        assert (await both.post("/v1/sources", json=conversation(f"s{number}", **rest))).status_code == 202
        key, statement = segment_key(scope, f"s{number}", "1"), BEES[number]
        read = ReadSegment(scope, f"s{number}", key, 1, 1.7e9, "Maya", "user", 0)
        claim = Claim("Maya", statement, key, statement)
        await door.actors.turn(
            door.user, AcceptReading(command_id=f"r{number}", actor="extraction", read=(read,), claims=(claim,)), {}
        )
    await encode(door)
    done = (await both.post("/v1/facts/synthesize")).json()
    assert len(done["changed"]) == 1, done
    alone = await door.client_of(door.user, (), clearance=Sensitivity.SENSITIVE)

    async def metas(client: httpx.AsyncClient) -> int:
        return int((await client.get("/v1/facts", params={"kind": "meta", "status": "all"})).json()["total"])

    assert (await metas(both), await metas(alone)) == (1, 0)
    await both.post("/v1/undo")
    assert await metas(alone) == 0, "not even when it was taken back"
    await both.aclose()
    await alone.aclose()


async def test_a_key_of_somebody_who_sees_more_tells_nothing_of_what_they_have_concluded(door: Door) -> None:
    for level in (Sensitivity.OPEN, Sensitivity.SENSITIVE):
        for statement in (*BEES[:3], "Maya keeps bees in a beehive"):
            words = f"{statement} at night" if level else statement
            await door.actors.turn(
                door.user,
                Remember(command_id=words, claims=(Claim("Maya", words, 0, words),), sensitivity=level),
                {},
            )
    await encode(door)

    async def synthesized(clearance: Sensitivity) -> set[str]:
        async with await door.client_of(door.user, clearance=clearance) as client:
            done = await client.post("/v1/facts/synthesize", headers={"Idempotency-Key": "once"})
            assert done.status_code == 200, done.text
            return {each["statement"] for each in done.json()["changed"]}

    all_of_it, again = [await synthesized(Sensitivity.SENSITIVE) for _ in range(2)]
    assert all_of_it == again
    assert any("at night" in each for each in all_of_it)
    assert await synthesized(Sensitivity.OPEN) == {each for each in all_of_it if "at night" not in each} != set()


@pytest.mark.conforms("004:protected_facts", "003:prune.threshold_option")
async def test_what_is_weak_is_pruned_and_what_is_protected_stays(door: Door) -> None:
    weak, strong = await tell(door, "Maya paints", "Maya sings")
    assert await door.post(f"/v1/facts/{strong[:10]}/protect") == {"fact_id": strong, "protected": True}
    assert (await door.post("/v1/facts/prune"))["changed"] == [], "nothing has faded yet"
    tried = await door.post("/v1/facts/prune", {"below": 0.9, "dry_run": True})
    assert [each["fact_id"] for each in tried["changed"]] == [weak]
    assert [each["status"] for each in (await door.post("/v1/facts/prune", {"below": 0.9}))["changed"]] == ["pruned"]
    assert await statements(door) == {"Maya sings"}
    await door.post("/v1/undo")
    await door.post(f"/v1/facts/{strong}/unprotect")
    assert len((await door.post("/v1/facts/prune", {"below": 0.9, "dry_run": True}))["changed"]) == 2
    await door.post("/v1/facts/prune", {"below": 1.5}, 422)


async def test_facts_under_a_label_find_their_owner(door: Door) -> None:
    await tell(door, "Spk plays the cello", subject="Spk")
    body = {"name": "Maya", "speaker_labels": ["Spk"]}
    assert (await door.client.put("/v1/profile", json=body)).status_code == 200
    before = await snapshot(door)
    (changed,) = (await door.post("/v1/facts/backfill-subjects"))["changed"]
    assert changed["reason"] == "subject filled in"
    assert await statements(door, subject="Maya") == {"Spk plays the cello"}
    assert (await door.post("/v1/facts/backfill-subjects"))["changed"] == []
    await door.post("/v1/undo")
    assert await snapshot(door) == before


async def test_unjudged_likenesses_and_disputes_are_listed(door: Door) -> None:
    await tell(door, *BEES)
    found = await door.get("/v1/contradictions")
    assert all(0.70 <= each["similarity"] <= 0.85 for each in found["candidates"])
    assert found["total"] == len(found["judged"]) + len(found["candidates"])
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as stranger:
        assert (await stranger.get("/v1/contradictions")).status_code == 200


async def entity(door: Door, name: str, **filters: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await door.get("/v1/entities", name=name, **filters))["entities"][0]
    return found


async def test_one_that_was_two_is_split_by_source_and_put_together_again(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.post("/v1/sources", conversation("dinner"), 202)
    await door.settle()
    elena = await entity(door, "Elena")
    before = await snapshot(door)
    path = f"/v1/entities/{elena['entity_id']}"
    done = await door.post(f"{path}/split", {"qualifier": "the neighbour", "sources": ["dinner"]})
    assert done["split_off"] != elena["entity_id"]
    parted = [await door.get(f"/v1/entities/{done[which]}") for which in ("entity_id", "split_off")]
    assert [{each["source_id"] for each in page["timeline"]} for page in parted] == [{"breakfast"}, {"dinner"}]
    taken = await door.client.post(f"{path}/split", json={"qualifier": "the neighbour", "sources": ["breakfast"]})
    assert (taken.status_code, taken.json().get("merge_with")) in ((409, done["split_off"]), (409, None))
    await door.post(f"{path}/split", {"qualifier": "x", "sources": ["nowhere"]}, 404)
    await door.post(f"{path}/split", {"qualifier": "x"}, 422)
    await door.post("/v1/undo")
    assert await snapshot(door) == before
    named = {"source_id": "dinner", "segment_id": parted[1]["timeline"][0]["segment_id"]}
    again = await door.post(f"{path}/split", {"qualifier": "the neighbour", "segments": [named]})
    assert again["split_off"] == done["split_off"]


async def test_what_was_taken_for_something_else_is_retyped(door: Door) -> None:
    await door.post("/v1/sources", conversation(), 202)
    await door.settle()
    elena = await entity(door, "Elena")
    before = await snapshot(door)
    path = f"/v1/entities/{elena['entity_id']}/retype"
    await door.post(path, {"type": "organization"})
    assert (await entity(door, "Elena", entity_type="organization"))["entity_id"] == elena["entity_id"]
    await door.post("/v1/sources", conversation("dinner"), 202)
    await door.settle()
    assert (await door.get("/v1/entities", name="Elena"))["total"] == 1, "seen as a person, and found"
    await door.post(path, {"type": "dragon"}, 422)
    fresh = await door.client.post("/v1/undo", json={})
    assert fresh.status_code == 200, "what has been read since is no reason against it"
    assert before[0][elena["entity_id"]].type == (await entity(door, "Elena"))["entity_type"]


@pytest.mark.conforms("003:changes.logged")
async def test_the_log_tells_what_happened_in_parts(door: Door) -> None:
    (fact_id,) = await tell(door, "Maya paints")
    await door.post(f"/v1/facts/{fact_id}/confirm")
    await door.post("/v1/undo")
    whole = await door.get("/v1/changes")
    assert [each["what"] for each in whole["changes"] if each["id"] == fact_id][:2] == ["created", "confirmed"]
    assert whole["text"].count("\n") == len(whole["changes"]) - 1
    told, cursor = [], None
    while True:
        part = await door.get("/v1/changes", limit=1, **({"cursor": cursor} if cursor else {}))
        told += part["changes"]
        if (cursor := part["cursor"]) is None:
            break
    assert told == whole["changes"]
    assert (await door.get("/v1/changes", until="2020-01-01"))["changes"] == []
    assert (await door.client.get("/v1/changes", params={"cursor": "nonsense"})).status_code == 422
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as reader:
        assert (await reader.get("/v1/changes", params={"since": "last_week"})).status_code == 200


@pytest.mark.conforms("004:tools.memory_stats", "004:tools.weak_facts")
async def test_figures_and_weak_facts_for_an_agent(door: Door) -> None:
    await tell(door, *BEES)
    figures = await door.post("/v1/tools/memory_stats", {})
    assert (figures["facts"], figures["links"], figures["evidence"], figures["orphans"]) == ({"factual": 4}, {}, 4, 0)
    assert figures["maintenance"].keys() == {
        "last_night",
        "hour",
        "last_merge",
        "last_synthesis",
        "last_pruning",
        "last_backfill",
    }
    assert figures["maintenance"]["last_merge"] is None
    await door.post("/v1/facts/merge")
    merged = await door.post("/v1/tools/memory_stats", {})
    assert (merged["links"], merged["maintenance"]["last_merge"] is not None) == ({"supersedes": 1}, True)
    assert merged["storage_bytes"] == figures["storage_bytes"] > 0
    weak = (await door.post("/v1/tools/weak_facts", {"limit": 2}))["facts"]
    assert [each["strength"] for each in weak] == sorted(each["strength"] for each in weak)
    assert (await door.post("/v1/tools/weak_facts", {"below": 0.1}))["facts"] == []
    await door.post(f"/v1/facts/{weak[0]['fact_id']}/protect")
    left = (await door.post("/v1/tools/weak_facts", {}))["facts"]
    assert weak[0]["fact_id"] not in {each["fact_id"] for each in left}, "what is protected will not fade"
