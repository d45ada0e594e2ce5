"""mem0's own client, unmodified, against this memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.conftest import Door
from tests.api.foreign import run_client, served, token_of

pytestmark = pytest.mark.postgres

COMMON = """
import asyncio, json, os
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.client.types import *
from mem0.exceptions import *
KEY, URL = os.environ["KEY"], os.environ["URL"]
def refused(kind, act, *given, **more):
    try:
        act(*given, **more)
    except kind as error:
        return str(error)
    raise AssertionError(f"not refused: {act}")
def texts(found):
    return [each["memory"] for each in found["results"]]
"""
LIFE = """
client = MemoryClient(api_key=KEY, host=URL)
assert client.org_id and client.project_id
told = client.add([{"role": "user", "content": "I moved to Lisbon last month."},
                   {"role": "assistant", "content": "How do you like it?"}],
              user_id="alice", metadata={"n": 1, "deep": [2]})
assert told["status"] == "PENDING" and told["event_id"] and told["message"], told
found = client.search("Where did I move to?", filters={"user_id": "alice"})
assert texts(found)[0] == "I moved to Lisbon last month.", found
best = found["results"][0]
assert best["metadata"] == {"n": 1, "deep": [2]} and best["user_id"] == "alice" and 0 < best["score"] <= 1, best
kept = client.add("The boiler code is 4711", user_id="alice", infer=False)["results"]
assert [each["memory"] for each in kept] == ["The boiler code is 4711"] and kept[0]["event"] == "ADD", kept
one = kept[0]["id"]
assert client.get(one)["memory"] == "The boiler code is 4711"
assert client.get_all(filters={"user_id": "alice"})["count"] == 3
page = client.get_all(filters={"user_id": "alice"}, page=2, page_size=2)
assert len(page["results"]) == 1 and page["next"] is None and page["previous"], page
changed = client.update(one, text="The boiler code is 4712", metadata={"where": "cellar"})
assert changed["memory"] == "The boiler code is 4712", changed
assert client.get(one)["metadata"] == {"where": "cellar"}
told = client.history(one)
assert [(each["event"], each["old_memory"], each["new_memory"]) for each in told] == [
    ("ADD", None, "The boiler code is 4711"),
    ("UPDATE", "The boiler code is 4711", "The boiler code is 4712")], told
assert "4712" in texts(client.search("boiler code", filters={"user_id": "alice"}))[0]
dated = client.add("Rent is due", user_id="alice", infer=False, timestamp=1700000000)["results"][0]
assert dated["created_at"].startswith("2023-11-14"), dated
old = client.get_all(filters={"AND": [{"user_id": "alice"}, {"created_at": {"lte": "2024-01-01"}}]})
assert texts(old) == ["Rent is due"], old
gone = client.add("Long over", user_id="alice", infer=False, expiration_date="2020-01-01")["results"][0]
assert "Long over" not in texts(client.get_all(filters={"user_id": "alice"}))
assert "Long over" in texts(client.get_all(filters={"user_id": "alice"}, show_expired=True))
assert client.delete(best["id"])["message"]
refused(MemoryNotFoundError, client.get, best["id"])
assert "How do you like it?" in texts(client.get_all(filters={"user_id": "alice"})), "the rest of its source stays"
assert not any("Lisbon" in each for each in texts(client.search("Where did I move to?", filters={"user_id": "alice"})))
client.add("Bob keeps bees", user_id="bob", infer=False)
assert texts(client.get_all(filters={"user_id": "bob"})) == ["Bob keeps bees"]
assert {(each["type"], each["name"]) for each in client.users()["results"]} >= {("user", "alice"), ("user", "bob")}
both = [{"role": "user", "content": "First"}, {"role": "user", "content": "Second"}]
two = [each["id"] for each in client.add(both, user_id="bob", infer=False)["results"]]
batch = [{"memory_id": two[0], "text": "Foremost"}, {"memory_id": two[1], "metadata": {"a": "b"}}]
assert "2" in client.batch_update(batch)["message"]
assert client.get(two[0])["memory"] == "Foremost" and client.get(two[1])["metadata"] == {"a": "b"}
beside = client.get_all(filters={"AND": [{"user_id": "bob"}, {"metadata": {"a": "b"}}]})
assert texts(beside) == ["Second"], (two, beside, client.get_all(filters={"user_id": "bob"}))
client.batch_delete([{"memory_id": each} for each in two])
refused(MemoryNotFoundError, client.get, two[0])
assert client.feedback(one, feedback="POSITIVE")["feedback"] == "POSITIVE"
assert "4712" in client.get_summary(filters={"user_id": "alice"})["summary"]
for odd in ("team/7/../x", "/etc"):
    refused(ValidationError, client.add, "x", user_id=odd, infer=False)
slashed = client.add("Slashes are fine", user_id="team/7 ü", infer=False)["results"][0]
assert client.get(slashed["id"])["user_id"] == "team/7 ü"
assert client.delete_users(user_id="team/7 ü")["message"]
refused(MemoryNotFoundError, client.get, slashed["id"])
refused(MemoryNotFoundError, client.get, "a/b")
refused(MemoryNotFoundError, client.history, "../../x")
refused(ValidationError, client.delete_all)
refused(ValidationError, client.delete_all, filters={"color": "red"})
refused(ValidationError, client.delete_all, DeleteAllMemoryOptions(filters={"user_id": "alice", "mood": "x"}))
assert client.get_all(filters={"user_id": "alice"})["count"] > 0
assert client.delete_all(DeleteAllMemoryOptions(filters={"user_id": "alice"}))["message"]
assert client.get_all(filters={"user_id": "alice"})["count"] == 0
assert texts(client.get_all(filters={"user_id": "bob"})) == ["Bob keeps bees"], "the others stay"
client.add("Anew", user_id="alice", infer=False)
assert client.delete_all(user_id="alice")["message"] and client.get_all(filters={"user_id": "alice"})["count"] == 0
begun = client.create_memory_export(schema="{}", user_id="bob")
assert texts(client.get_memory_export(memory_export_id=begun["id"])) == ["Bob keeps bees"]
assert client.project.get()["name"]
refused(ValidationError, client.project.update, custom_instructions="lie")
assert client.get_webhooks("default") == []
assert client.get_profile("bob")["status"] == "not_enabled"
client.reset()
assert client.get_all(filters={"user_id": "bob"})["count"] == 0
try:
    MemoryClient(api_key="nobody", host=URL)
except ValueError as error:
    assert "token" in str(error).lower(), error
else:
    raise AssertionError
print(json.dumps("done"))
"""
APART = """
async def main():
    async with AsyncMemoryClient(api_key=KEY, host=URL) as client:
        await client.add("Alice collects stamps", user_id="alice", agent_id="helper", infer=False)
        await client.add("Bob collects coins", user_id="bob", run_id="r/1", infer=False)
        async def have(**filters):
            return sorted(texts(await client.get_all(filters=filters)))
        assert await have(user_id="alice") == ["Alice collects stamps"]
        assert await have(run_id="r/1") == ["Bob collects coins"]
        assert await have(agent_id="*") == ["Alice collects stamps"]
        both = ["Alice collects stamps", "Bob collects coins"]
        assert await have(OR=[{"user_id": "alice"}, {"run_id": "r/1"}]) == both
        assert await have(AND=[{"user_id": "alice"}, {"user_id": "bob"}]) == []
        assert await have(NOT=[{"user_id": "alice"}]) == ["Bob collects coins"]
        assert await have(user_id={"in": ["alice", "bob"]}) == both
        found = await client.search("Who collects coins?", filters={"user_id": "alice"})
        assert texts(found) in ([], ["Alice collects stamps"]), found
        assert texts(await client.search("coins", filters={"user_id": "bob"}, top_k=5)) == ["Bob collects coins"]
        found = await client.search("collects", filters={"user_id": "bob"}, fields=["memory"])
        assert found["results"][0].keys() == {"id", "memory"}, found
        names = {(each["type"], each["name"]) for each in (await client.users())["results"]}
        assert names == {("user", "alice"), ("user", "bob"), ("agent", "helper"), ("run", "r/1")}, names
        await client.delete_users(run_id="r/1")
        assert await have() == ["Alice collects stamps"]
        one = (await client.get_all())["results"][0]["id"]
        await client.delete(one)
        try:
            await client.get(one)
        except MemoryNotFoundError:
            pass
        else:
            raise AssertionError
        await client.add("Still here", agent_id="helper", infer=False)
        assert await have() == ["Still here"]
        await client.reset()
        assert await have() == []
asyncio.run(main())
print(json.dumps("done"))
"""


async def test_a_life_with_the_client_of_an_administrator(door: Door, tmp_path: Path) -> None:
    token = await token_of(door, door.user, "admin")
    names = {f'"{name}"': f'"{name}-{door.user}"' for name in ("alice", "bob")}
    script = LIFE
    for name, apart in names.items():
        script = script.replace(name, apart)
    async with served(door) as url:
        assert await run_client(COMMON + script, tmp_path, KEY=token, URL=url) == "done"


async def test_users_and_agents_within_one_memory(door: Door, tmp_path: Path) -> None:
    async with served(door) as url:
        assert await run_client(COMMON + APART, tmp_path, KEY=await token_of(door, door.user), URL=url) == "done"
