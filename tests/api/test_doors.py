"""Who comes in, and how: the body after the token, wrong tokens slowly, tokens that end, sessions, an audit trail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.postgres.tokens import token_hash
from deployments.attempts import AT_ONCE, MOST, Attempts
from deployments.gateway import create_app
from deployments.routes.page import COOKIE
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres
SECRET = "nobody-shall-read-this"


def source(source_id: str = "breakfast", text: str = "I moved to Lisbon.", **rest: Any) -> dict[str, Any]:
    said = {"segment_id": "1", "speaker": "Maya", "text": text, "start": 0, "end": 2}
    return {"source_id": source_id, "started_at": "2026-03-01T08:00:00Z", "segments": [said], **rest}


@pytest.fixture
async def stranger(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody without a token or a cookie."""
    transport = httpx.ASGITransport(create_app(door.app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


class Body:
    """A body that tells whether anybody read it."""

    def __init__(self) -> None:
        self.read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(100):
            self.read += 1
            yield b"a" * 10_000


async def test_no_byte_of_a_body_is_read_for_a_stranger(door: Door, stranger: httpx.AsyncClient) -> None:
    """On every route below /v1 that takes a body."""
    paths = create_app(door.app).openapi()["paths"]
    posts = [(path, verb) for path, verbs in paths.items() for verb in verbs if verb in ("post", "put", "delete")]
    assert len(posts) > 30
    headers: dict[str, str]
    for number, (path, verb) in enumerate(posts):
        headers = {"X-Internal-Token": f"{number:08d}-guessed"} if number < AT_ONCE - 1 else {}
        body = Body()
        answer = await stranger.request(verb, path, content=body, headers=headers)
        assert (answer.status_code, body.read) == (401, 0), path
        assert answer.headers["connection"] == "close"


@pytest.mark.usefixtures("clock")
async def test_wrong_tokens_are_slowed_and_the_right_one_never_is(door: Door, stranger: httpx.AsyncClient) -> None:
    statuses = [
        (await stranger.get("/v1/stats", headers={"X-Internal-Token": f"{n}-{'x' * 40}"})).status_code
        for n in range(AT_ONCE + 5)
    ]
    assert statuses == [401] * AT_ONCE + [429] * 5
    refused = await stranger.get("/v1/stats", headers={"Authorization": "Bearer guessed"})
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["content-type"] == "application/problem+json"
    assert (await door.client.get("/v1/stats")).status_code == 200, "the owner is at the same address"
    assert (await stranger.post("/login", data={"token": "guessed"})).status_code == 429
    assert (await stranger.post("/login", data={"token": "a" * 43})).status_code == 303


def test_guesses_at_one_token_from_many_places_count_together() -> None:
    attempts = Attempts()
    waits = [attempts.fail((f"from {n}", "at one"), 0.0) for n in range(AT_ONCE + 1)]
    assert waits[:-1] == [0.0] * AT_ONCE
    assert waits[-1] > 0
    assert attempts.fail(("from 1", "at one"), 3_600.0) == 0, "an hour later all is forgotten"


def test_what_is_remembered_of_failures_is_bounded() -> None:
    attempts = Attempts()
    for n in range(3 * MOST):
        attempts.fail((f"from {n}",), float(n))
    assert len(attempts) == MOST


async def test_a_connection_ends_after_a_fault_of_ours(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(door.app.stores.reads.figures, "living", broken)
    answer = await door.client.get("/v1/stats")
    assert (answer.status_code, answer.headers["connection"]) == (500, "close")
    assert SECRET not in answer.text


class Clock:
    """A clock that is moved by hand."""

    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def pass_by(self, seconds: float) -> None:
        self._now += seconds


@pytest.fixture
def clock(door: Door) -> Clock:
    clock = Clock(door.app.clock.now())
    door.app.clock = clock
    return clock


def bearing(token: str) -> dict[str, str]:
    return {"X-Internal-Token": token}


async def test_a_token_ends_when_it_was_to_end_and_says_so(
    door: Door, stranger: httpx.AsyncClient, clock: Clock
) -> None:
    name = f"phone-{door.user}"
    made = await door.post("/v1/tokens", {"name": name, "expires_in_s": 3_600}, 201)
    assert (await stranger.get("/v1/stats", headers=bearing(made["token"]))).status_code == 200
    listed = {each["name"]: each["expires_at"] for each in await door.get("/v1/tokens")}
    assert listed[name] == made["expires_at"] is not None
    assert listed["administrator"] is None
    clock.pass_by(3_601)
    refused = await stranger.get("/v1/stats", headers=bearing(made["token"]))
    assert (refused.status_code, made["expires_at"] in refused.json()["detail"]) == (401, True)
    assert (await door.client.post("/v1/tokens", json={"name": "x", "expires_in_s": 1})).status_code == 422


async def test_a_rotated_token_lives_on_for_its_grace(door: Door, stranger: httpx.AsyncClient, clock: Clock) -> None:
    name = f"phone-{door.user}"
    old = (await door.post("/v1/tokens", {"name": name}, 201))["token"]
    fresh = (await door.post(f"/v1/tokens/{name}/rotate", {"grace_s": 600}))["token"]
    for token in (old, fresh):
        assert (await stranger.get("/v1/stats", headers=bearing(token))).status_code == 200
    clock.pass_by(601)
    assert (await stranger.get("/v1/stats", headers=bearing(old))).status_code == 401
    assert (await stranger.get("/v1/stats", headers=bearing(fresh))).status_code == 200
    leaked = (await door.post(f"/v1/tokens/{name}/rotate", {"grace_s": 0}))["token"]
    assert (await stranger.get("/v1/stats", headers=bearing(fresh))).status_code == 401
    assert (await stranger.get("/v1/stats", headers=bearing(leaked))).status_code == 200
    names = [each["name"] for each in await door.get("/v1/tokens")]
    assert names.count(name) == 1
    await door.client.delete(f"/v1/tokens/{name}")
    assert (await stranger.get("/v1/stats", headers=bearing(leaked))).status_code == 401
    assert (await door.client.post("/v1/tokens/nobody/rotate")).status_code == 404


async def test_the_administrator_s_token_is_rotated_with_its_file(door: Door) -> None:
    path: Path = door.app.settings.token_path
    old = path.read_text().strip()
    try:
        fresh = (await door.post("/v1/tokens/administrator/rotate", {}))["token"]
        assert path.read_text().strip() == fresh != old
        assert path.stat().st_mode & 0o777 == 0o600
        for token in (old, fresh):
            assert (await door.client.get("/v1/stats", headers=bearing(token))).status_code == 200
        assert (await door.client.post("/v1/tokens/administrator/rotate", json={"expires_in_s": 60})).status_code == 409
    finally:  # the database is shared by all tests
        await door.app.tokens.put(old, next(t for t in await door.app.tokens.all() if t.name == "administrator"))


async def test_the_cookie_is_no_token_and_ends(door: Door, stranger: httpx.AsyncClient, clock: Clock) -> None:
    token = (await door.client_of(door.user)).headers["X-Internal-Token"]
    answer = await stranger.post("/login", data={"token": token})
    told = answer.headers["set-cookie"].lower()
    assert all(each in told for each in ("httponly", "samesite=strict", "path=/", "max-age=604800"))
    session = stranger.cookies[COOKIE]
    assert token not in answer.headers["set-cookie"]
    assert (await stranger.get("/v1/stats", headers=bearing(session))).status_code == 401
    assert (await stranger.get("/v1/stats")).status_code == 401, "no /v1 route takes a cookie"
    kept = await door.rows("SELECT * FROM page_sessions WHERE session_hash = %(h)s", h=token_hash(session))
    assert session not in str(kept)
    assert "Log out" in (await stranger.get("/")).text
    assert (await stranger.post("/logout")).status_code == 303
    stranger.cookies.set(COOKIE, session)
    assert "Log out" not in (await stranger.get("/")).text, "who kept the cookie comes in no more"
    await stranger.post("/login", data={"token": token})
    clock.pass_by(7 * 86_400 + 1)
    assert "Log out" not in (await stranger.get("/")).text


async def test_a_session_ends_with_its_token(door: Door, stranger: httpx.AsyncClient) -> None:
    name = f"phone-{door.user}"
    made = await door.post("/v1/tokens", {"name": name}, 201)
    await stranger.post("/login", data={"token": made["token"]})
    assert "Log out" in (await stranger.get("/")).text
    await door.client.delete(f"/v1/tokens/{name}")
    assert "Log out" not in (await stranger.get("/")).text


FOREIGN = (
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://test:8001"},
    {"Origin": "http://test.evil"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)


@pytest.mark.parametrize("headers", FOREIGN)
async def test_forms_of_other_pages_are_refused(
    door: Door, stranger: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    token = {"token": (await door.client_of(door.user)).headers["X-Internal-Token"]}
    refused = await stranger.post("/login", data=token, headers=headers)
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
    own = {"Origin": "http://test", "Sec-Fetch-Site": "same-origin"}
    assert (await stranger.post("/login", data=token, headers=own)).status_code == 303
    for path in (
        "/logout",
        "/page/undo",
        "/page/voices/same",
        "/page/voices/undo",
        "/page/facts/f-0/confirm",
        "/page/facts/f-0/forget",
        "/page/facts/f-0/correct",
    ):
        assert (await stranger.post(path, headers=headers)).status_code == 403, path
    assert "Log out" in (await stranger.get("/")).text
    assert (await stranger.get("/logout")).status_code == 405


async def trail(door: Door, **asked: Any) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = (await door.get("/v1/audit", **asked))["entries"]
    return entries


async def test_the_trail_tells_who_read_what_by_ids_alone(door: Door) -> None:
    await door.post("/v1/sources", source(text=f"I moved to {SECRET}."), 202)
    await door.settle()
    phone = await door.client_of(door.user)
    await phone.get("/v1/context", params={"query": f"Where is {SECRET}?", "cut": "none"})
    fact_id = (await phone.get("/v1/facts")).json()["facts"][0]["fact_id"]
    await phone.get(f"/v1/facts/{fact_id}/explain")
    await phone.get(f"/v1/sources/{SECRET}")
    token = (await trail(door))[1]["token"]
    seen = {each["route"]: each for each in await trail(door, token=token)}
    assert seen["GET /v1/context"]["sources"] == ["breakfast"]
    assert fact_id in seen["GET /v1/facts"]["ids"]
    assert fact_id in seen["GET /v1/facts/{fact_id}/explain"]["ids"]
    unknown = seen["GET /v1/sources/{source_id}"]
    assert (unknown["status"], unknown["sources"], unknown["ids"], unknown["count"]) == (404, [], [], 0)
    rows = await door.rows("SELECT a::text AS kept FROM audit a WHERE user_id = %(u)s", u=door.user)
    assert rows
    assert SECRET not in str(rows)


async def test_the_trail_is_its_owner_s_alone(door: Door) -> None:
    await door.post("/v1/sources", source(f"of-{door.user}"), 202)
    await door.get("/v1/sources")
    stranger = await door.client_of(f"{door.user}-ben", clearance=door_sensitive())
    assert f"of-{door.user}" not in (await stranger.get("/v1/audit")).text
    assert (await (await door.client_of(door.user)).get("/v1/audit")).status_code == 403, (
        "it tells of what is sensitive"
    )
    first = await door.get("/v1/audit", limit=1)
    second = await door.get("/v1/audit", limit=1, cursor=first["cursor"])
    assert first["entries"] != second["entries"]


def door_sensitive() -> Any:
    from memory.model.scopes import Sensitivity

    return Sensitivity.SENSITIVE


async def test_what_is_erased_leaves_the_trail_too(door: Door) -> None:
    await door.post("/v1/sources", source("breakfast"), 202)
    await door.post("/v1/sources", source("supper", "Elena likes figs."), 202)
    await door.settle()
    await door.get("/v1/context", query="Lisbon figs", cut="none")
    facts = (await door.get("/v1/facts"))["facts"]
    gone = next(each["fact_id"] for each in facts if "Lisbon" in each["statement"])
    assert {"breakfast", "supper"} <= {each for entry in await trail(door) for each in entry["sources"]}
    await door.get("/v1/sources")
    assert (await door.client.delete("/v1/sources/breakfast")).status_code == 200
    entries = await trail(door)
    assert "DELETE /v1/sources/{source_id}" in {each["route"] for each in entries}
    rows = await door.rows("SELECT a::text AS kept FROM audit a WHERE user_id = %(u)s", u=door.user)
    assert "breakfast" not in str(rows)
    assert gone not in str(rows)
    assert "supper" in str(rows)
    assert (await door.client.delete("/v1/memory")).status_code == 200
    left = await trail(door)
    assert "DELETE /v1/memory" in {each["route"] for each in left}
    assert [each for each in left if each["sources"] or each["ids"]] == []


async def test_what_was_told_while_it_was_erased_is_not_written_down(door: Door) -> None:
    """The trail writes late, and forgetting may come first."""
    await door.post("/v1/sources", source("breakfast"), 202)
    await asyncio.gather(*(door.get("/v1/sources") for _ in range(5)), door.client.delete("/v1/sources/breakfast"))
    await door.app.trail.flush()
    rows = await door.rows("SELECT a::text AS kept FROM audit a WHERE user_id = %(u)s", u=door.user)
    assert rows
    assert "breakfast" not in str(rows)


async def test_an_id_that_is_a_sentence_is_kept_only_where_it_is_a_source(door: Door) -> None:
    for path in (f"/v1/facts/{SECRET}", f"/v1/entities/{SECRET}", f"/v1/{SECRET}", f"/v1/tools/{SECRET}"):
        assert (await door.client.get(path)).status_code in (404, 405)
    assert SECRET not in str(await trail(door))
