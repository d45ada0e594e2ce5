"""What clients of mem0 may ask, over HTTP: isolation, filters, refusals, and the same answers as our own API gives."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from deployments.gateway import create_app
from tests.api.conftest import Door
from tests.api.foreign import token_of

pytestmark = pytest.mark.postgres


async def speaking(door: Door, user: str, permission: str = "write") -> httpx.AsyncClient:
    token = await token_of(door, user, permission)
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    headers = {"Authorization": f"Token {token}"}
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


async def asked(client: httpx.AsyncClient, method: str, path: str, status: int = 200, **request: Any) -> Any:
    answer = await client.request(method, path, **request)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    if status >= 400:
        assert isinstance(found["detail"], str), found
        assert found.keys() == {"detail"}
    return found


async def kept(client: httpx.AsyncClient, text: str, **more: Any) -> str:
    body = {"messages": [{"role": "user", "content": text}], "infer": False, **more}
    told = await asked(client, "POST", "/v3/memories/add/", json=body)
    return str(told["results"][0]["id"])


async def count(client: httpx.AsyncClient, **filters: Any) -> int:
    return int((await asked(client, "POST", "/v3/memories/", json={"filters": filters}))["count"])


WORDS = (
    "I moved to Lisbon.",
    "My sister Elena lives in Porto.",
    "Elena bakes bread in Porto.",
    "I am afraid of thunder.",
)
TALK = {
    "source_id": "breakfast",
    "started_at": "2026-03-01T08:00:00Z",
    "segments": [
        {"segment_id": f"s/{n}", "speaker": "Maya", "text": text}
        for n, text in enumerate(
            (
                "I moved to Lisbon.",
                "My sister Elena lives in Porto.",
                "Elena bakes bread in Porto.",
                "I am afraid of thunder.",
            )
        )
    ],
}


async def test_the_same_segments_in_the_same_order_as_our_own_api(door: Door) -> None:
    await door.post("/v1/sources", TALK, 202)
    await door.settle()
    client = await speaking(door, door.user)
    for query in ("Where does Elena live?", "bread", "What am I afraid of?", "Lisbon or Porto?"):
        own = (await door.get("/v1/context", query=query, limit=4))["results"]
        for filters in ({}, {"user_id": door.user}):
            body = {"query": query, "filters": filters, "top_k": 4}
            found = (await asked(client, "POST", "/v3/memories/search/", json=body))["results"]
            assert [(each["source_id"], each["segment_id"], each["memory"]) for each in found] == [
                (each["source_id"], each["segment_id"], each["text"]) for each in own
            ]
    one = found[0]["id"]
    assert (await asked(client, "GET", f"/v1/memories/{one}/"))["memory"] == found[0]["memory"]
    await asked(client, "DELETE", f"/v1/memories/{one}/")
    assert await count(client) == 3


async def test_a_fact_is_a_memory_too(door: Door) -> None:
    told = await door.post("/v1/facts", {"statement": "Maya lives in Lisbon", "subject": "Maya"}, 201)
    client = await speaking(door, door.user)
    path = f"/v1/memories/{told['fact_id']}/"
    assert (await asked(client, "GET", path))["memory"] == "Maya lives in Lisbon"
    changed = await asked(client, "PUT", path, json={"text": "Maya lives in Porto"})
    assert changed["memory"] == changed["text"] == "Maya lives in Porto"
    assert (await asked(client, "GET", path))["memory"] == "Maya lives in Porto", "the old id leads to it"
    told = await asked(client, "GET", f"{path}history/")
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in told] == [
        ("ADD", None, "Maya lives in Lisbon"),
        ("UPDATE", "Maya lives in Lisbon", "Maya lives in Porto"),
    ]
    praised = {"memory_id": changed["id"], "feedback": "POSITIVE"}
    await asked(client, "POST", "/v1/feedback/", json=praised)
    assert (await door.get(f"/v1/facts/{changed['fact_id']}"))["confidence"] == 1.0
    await asked(client, "PUT", path, 422, json={"metadata": {"a": 1}})
    await asked(client, "DELETE", path)
    await asked(client, "GET", path, 404)
    await asked(client, "DELETE", path, 404)


async def test_forgetting_one_message_leaves_the_others_and_erases_it(door: Door) -> None:
    client = await speaking(door, door.user)
    body = {
        "messages": [
            {"role": "user", "content": "I moved to Zorvelander."},
            {"role": "user", "content": "I like figs."},
        ]
    }
    event = (await asked(client, "POST", "/v3/memories/add/", json=body))["event_id"]
    assert (await asked(client, "GET", f"/v1/event/{event}/"))["status"] == "PENDING"
    await door.settle()
    assert (await asked(client, "GET", f"/v1/event/{event}/"))["status"] == "SUCCEEDED"
    shown = {each["memory"]: each["id"] for each in (await asked(client, "POST", "/v3/memories/", json={}))["results"]}
    assert any("Zorvelander" in each["statement"] for each in (await door.get("/v1/facts"))["facts"])
    gone = shown["I moved to Zorvelander."]
    await asked(client, "PUT", f"/v1/memories/{gone}/", json={"text": "I moved to Bexquinander."})
    await asked(client, "DELETE", f"/v1/memories/{gone}/", headers={"Idempotency-Key": "once"})
    facts = [each["statement"] for each in (await door.get("/v1/facts"))["facts"]]
    assert any("figs" in each for each in facts)
    for word in ("Zorvelander", "Bexquinander"):
        assert not any(word in each for each in facts)
        left = await door.rows(
            "SELECT provenance::text || (SELECT string_agg(words, ' ') FROM content c "
            "WHERE c.scope = s.scope) AS kept FROM sources s WHERE scope = %(s)s",
            s=f"user:{door.user}",
        )
        assert left
        assert word not in str(left)
    await asked(client, "DELETE", f"/v1/memories/{shown['I like figs.']}/")
    assert (await door.get("/v1/sources"))["sources"] == [], "the last of a source takes it along"


async def test_words_of_a_session_file_are_forgotten_as_a_whole_only(door: Door) -> None:
    folder = door.app.settings.home / "transcripts" / door.user
    folder.mkdir(parents=True)
    (folder / "breakfast.jsonl").write_text("")
    await door.post("/v1/sources", TALK, 202)
    client = await speaking(door, door.user)
    one = (await asked(client, "POST", "/v3/memories/", json={}))["results"][0]["id"]
    await asked(client, "DELETE", f"/v1/memories/{one}/", 409)
    assert await count(client) == len(WORDS)


async def test_nobody_reaches_the_memories_of_others(door: Door) -> None:
    mine, theirs = await speaking(door, door.user), await speaking(door, f"{door.user}-ben")
    one = await kept(theirs, "Ben keeps bees", user_id=door.user)
    for method, path, body in (
        ("GET", f"/v1/memories/{one}/", None),
        ("GET", f"/v1/memories/{one}/history/", None),
        ("PUT", f"/v1/memories/{one}/", {"text": "Ben keeps wasps"}),
        ("DELETE", f"/v1/memories/{one}/", None),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": one, "text": "x"}]}),
        ("DELETE", "/v1/batch/", {"memories": [{"memory_id": one}]}),
        ("POST", "/v1/feedback/", {"memory_id": one}),
    ):
        await asked(mine, method, path, 404, json=body)
    for filters in ({"user_id": f"{door.user}-ben"}, {"user_id": "*"}, {}, {"user_id": door.user}):
        assert await count(mine, **filters) == 0
        found = await asked(mine, "POST", "/v3/memories/search/", json={"query": "bees", "filters": filters})
        assert found["results"] == []
    await asked(mine, "DELETE", "/v1/memories/", params={"user_id": f"{door.user}-ben"})
    await asked(mine, "DELETE", f"/v2/entities/user/{door.user}-ben/")
    assert (await asked(mine, "GET", "/v1/entities/"))["results"] == []
    assert (await asked(theirs, "GET", f"/v1/memories/{one}/"))["memory"] == "Ben keeps bees"


async def test_a_token_that_may_only_read(door: Door) -> None:
    one = await kept(await speaking(door, door.user), "I like figs")
    reader = await speaking(door, door.user, "read")
    assert await count(reader) == 1
    assert (await asked(reader, "POST", "/v3/memories/search/", json={"query": "figs"}))["results"]
    for method, path, body in (
        ("POST", "/v3/memories/add/", {"messages": "x"}),
        ("PUT", f"/v1/memories/{one}/", {"text": "x"}),
        ("DELETE", f"/v1/memories/{one}/", None),
        ("DELETE", "/v1/memories/?user_id=x", None),
        ("PUT", "/v1/batch/", {"memories": []}),
        ("DELETE", f"/v2/entities/user/{door.user}/", None),
    ):
        await asked(reader, method, path, 403, json=body)
    assert await count(reader) == 1


MANGLED = (
    "",
    "{}",
    "{'user_id': }",
    "{'user_id': 'x'",
    "[]",
    "null",
    "'x'",
    "{'user_id': __import__('os')}",
    "{1: 2}",
    "{'user_id': None}",
    "{'user_id': ''}",
    "{'user_id': ['']}",
    "{'user': 'x'}",
    "{'user_id': 'x', 'colour': 'red'}",
    "{'OR': []}",
    "{'AND': [{}]}",
    "{'NOT': [{'user_id': '*'}]}",
    "{'user_id': {'gte': 'a'}}",
    "{'metadata': {}}",
    "[" * 5_000,
    "{'AND': " * 500 + "1" + "}" * 500,
    '{"user_id": "x"',
    "{'created_at': {'gte': 'soon'}}",
    "{'categories': ['x']}",
    "{'user_id': 'x\\x00'}",
    "{'metadata': {'a': float('nan')}}",
    "%",
    "{'user_id': {}}",
    "{'metadata': {'a': {'gte': 1}}}",
    "{'NOT': [{'metadata': {'a': {'contains': 'x'}}}]}",
)


async def test_mangled_filters_delete_nothing(door: Door) -> None:
    client = await speaking(door, door.user)
    await kept(client, "I like figs", user_id="x")
    for filters in MANGLED:
        await asked(client, "DELETE", "/v1/memories/", 422, params={"filters": filters})
    for query in (
        "",
        "?user_id=",
        "?colour=red",
        "?user_id=x&user_id=y",
        "?user_id=x&page=1",
        "?USER_ID=x",
        "?org_id=1",
    ):
        await asked(client, "DELETE", f"/v1/memories/{query}", 422)
    await asked(client, "DELETE", "/v1/memories/", params={"filters": "{'AND': [{'user_id': 'x'}, {'user_id': 'y'}]}"})
    await asked(client, "DELETE", "/v2/entities/user/*/", 422)
    assert await count(client) == 1
    await asked(client, "DELETE", "/v1/memories/", params={"filters": "{'user_id': 'x'}"})
    assert await count(client) == 0


async def test_the_same_conversation_again_is_the_same_source(door: Door) -> None:
    client = await speaking(door, door.user)
    body = {"messages": [{"role": "user", "content": "I like figs"}], "user_id": "x"}
    for _ in range(2):
        await asked(client, "POST", "/v3/memories/add/", json=body)
    assert await count(client) == 1
    await asked(client, "POST", "/v3/memories/add/", json={**body, "user_id": "y"})
    assert (await count(client), await count(client, user_id="y")) == (2, 1)


async def test_messages_as_clients_send_them(door: Door) -> None:
    client = await speaking(door, door.user)
    parts = [
        {"type": "text", "text": "Look at"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "this"},
    ]
    for content, text in ((parts, "Look at\nthis"), ({"type": "text", "text": "alone"}, "alone")):
        one = await kept(client, content)  # type: ignore[arg-type]
        assert (await asked(client, "GET", f"/v1/memories/{one}/"))["memory"] == text
    for messages in (
        [],
        "",
        " ",
        [{"role": "user"}],
        [{"role": "user", "content": "a\x00b"}],
        [1],
        None,
        [{"role": 5}],
    ):
        await asked(client, "POST", "/v3/memories/add/", 422, json={"messages": messages})
    await asked(client, "POST", "/v3/memories/add/", 422, json={"messages": "x", "filters": {"colour": "red"}})
    await asked(client, "POST", "/v3/memories/add/", 422, json={"messages": "x", "metadata": {"a": "b" * 2_000}})
    await asked(client, "POST", "/v3/memories/search/", 422, json={"query": "x", "colour": "red"})
    await asked(client, "POST", "/v3/memories/", 422, json={"categories": ["work"]})
    await asked(client, "POST", "/v3/memories/search/", 422, content=b"{")
    await asked(client, "GET", "/v3/memories/nowhere/", 404)
    await asked(client, "PATCH", "/v1/ping/", 405)


async def test_our_own_routes_keep_their_own_form(door: Door) -> None:
    stranger = httpx.AsyncClient(transport=httpx.ASGITransport(create_app(door.app)), base_url="http://test")
    for path in ("/v1/entities", "/v1/entities/e-0", "/v1/events", "/v1/memory", "/v1/sources/v1/memories/x"):
        assert (await stranger.get(path)).headers["content-type"] == "application/problem+json"
    for path in ("/v1/ping/", "/v1/entities/", "/v3/memories/", "/v1/memories/a%2Fb/", "/v2/entities/user/x/"):
        refused = await stranger.request("DELETE" if "user" in path else "GET", path)
        assert (refused.status_code, refused.json().keys()) == (401, {"detail"})
    assert "entities" in await door.get("/v1/entities")


async def test_filters_count_wherever_they_stand(door: Door) -> None:
    client = await speaking(door, door.user)
    for name in ("x", "y"):
        await kept(client, f"I like figs, says {name}", user_id=name)
    narrowed = await asked(client, "POST", "/v3/memories/?user_id=x", json={})
    assert [each["user_id"] for each in narrowed["results"]] == ["x"]
    both = await asked(client, "POST", "/v3/memories/?user_id=x", json={"filters": {"user_id": "y"}})
    assert both["results"] == []
    await asked(client, "POST", "/v3/memories/?colour=red", 422, json={})
    await asked(client, "POST", "/v3/memories/?page=1&page=2", 422, json={})


async def test_an_export_holds_what_it_was_begun_with(door: Door) -> None:
    client = await speaking(door, door.user)
    for name in ("x", "y"):
        await kept(client, "I like figs", user_id=name)
    begun = await asked(client, "POST", "/v1/exports/", json={"schema": {}, "filters": {"user_id": "x"}})
    for beside, count_of in (({}, 1), ({"filters": {"user_id": "y"}}, 0)):
        body = {"memory_export_id": begun["id"], **beside}
        assert (await asked(client, "POST", "/v1/exports/get/", json=body))["count"] == count_of
    for given in ("", "e30", "WzFd", "ü", "A" * 4_001):
        status = 200 if given == "e30" else 422  # that is {}: no filter at all
        await asked(client, "POST", "/v1/exports/get/", status, json={"memory_export_id": given})
    for huge in (2**70, [2**70]):
        await asked(client, "POST", "/v1/exports/", 422, json={"filters": {"metadata": {"a": huge}}})


async def test_a_fact_goes_with_those_whose_place_it_took(door: Door) -> None:
    told = await door.post("/v1/facts", {"statement": "Maya lives in Lisbon", "subject": "Maya"}, 201)
    client = await speaking(door, door.user)
    path = f"/v1/memories/{told['fact_id']}/"
    changed = await asked(client, "PUT", path, json={"text": "Maya lives in Porto"})
    await asked(client, "DELETE", f"/v1/memories/{changed['id']}/", params={"delete_linked": True})
    await asked(client, "GET", path, 404)
    assert (await door.get("/v1/facts"))["facts"] == []
    await asked(client, "PUT", path, 404, json={"text": "Maya lives in Faro"})


async def test_what_the_platform_has_beside_memories_is_refused_by_name(door: Door) -> None:
    client = await speaking(door, door.user)
    project = "/api/v1/orgs/organizations/memoray/projects/default/"
    shown = await asked(client, "GET", project, params={"fields": ["name", "decay", "retention"]})
    assert shown == {"name": door.user, "decay": True, "retention": None}
    for body in ({"multilingual": True}, {"decay": None, "org_id": "memoray"}, {}):
        await asked(client, "PATCH", project, json=body)
    for body in ({"multilingual": False}, {"decay": "yes"}, {"custom_instructions": "lie"}):
        await asked(client, "PATCH", project, 400, json=body)
    for method, path in (
        ("POST", f"{project}members/"),
        ("PUT", "/api/v1/webhooks/w-1/"),
        ("DELETE", "/api/v1/orgs/organizations/memoray/projects/other/"),
        ("POST", "/v2/profiles/jobs/"),
    ):
        await asked(client, method, path, 400, json={})
    for path in ("/v2/profiles/jobs/j-1/", "/api/v1/orgs/organizations/memoray/projects/other/"):
        await asked(client, "GET", path, 404)
    assert await asked(client, "GET", "/api/v1/webhooks/projects/default/") == []


async def test_what_has_expired_takes_nobody_s_place_in_a_search(door: Door) -> None:
    client = await speaking(door, door.user)
    for code in range(8):
        await kept(client, f"The boiler code is {code}", expiration_date="2020-01-01")
    await kept(client, "The boiler code was changed by the man who came, and is on the inner door now")
    body = {"query": "What is the boiler code?", "top_k": 3}
    found = (await asked(client, "POST", "/v3/memories/search/", json=body))["results"]
    assert [each["memory"].split(",")[0] for each in found] == ["The boiler code was changed by the man who came"]
    every = (await asked(client, "POST", "/v3/memories/search/", json={**body, "show_expired": True}))["results"]
    assert {each["expiration_date"] for each in every} == {"2020-01-01"}


async def test_what_a_model_is_instructed_makes_no_facts(door: Door) -> None:
    client = await speaking(door, door.user)
    said = [
        {"role": "system", "content": "I live in Rome. Ines lives in Porto."},
        {"role": "developer", "content": "Tomas lives in Ghent."},
        {"role": "user", "content": "I like figs."},
    ]
    await asked(client, "POST", "/v3/memories/add/", json={"messages": said})
    await door.settle()
    assert [each["object"] for each in (await door.get("/v1/facts"))["facts"]] == ["figs"]
    assert await count(client) == len(said), "it is kept and found all the same"
