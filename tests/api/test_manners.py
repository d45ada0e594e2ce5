"""Manners of the front door: metrics, ids of requests, rates of tokens, and pages of other origins."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from config.settings import Http
from deployments.gateway import create_app
from deployments.rates import Rates
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres
MOVED = {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon.", "start": 0, "end": 2}
SAID = {"source_id": "breakfast", "started_at": "2026-03-01T08:00:00Z", "segments": [MOVED]}


async def test_metrics_are_for_administrators_or_for_this_machine(door: Door) -> None:
    await door.post("/v1/sources", SAID, 202)
    await door.get("/v1/context", query="Lisbon")
    answer = await door.client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'memoray_requests_total{method="GET",route="/v1/context",status="200"} 1.0' in answer.text
    assert 'memoray_request_seconds_count{method="POST",route="/v1/sources"} 1.0' in answer.text
    assert "memoray_questions_total 1.0" in answer.text
    assert 'memoray_pending{queue="reading"}' in answer.text
    assert door.user not in answer.text
    assert (await door.client.get("/nowhere/at-all")).status_code == 404
    assert "at-all" not in (await door.client.get("/metrics")).text
    mine = await door.client_of(door.user)
    assert (await mine.get("/metrics")).status_code == 403
    nobody = {"X-Internal-Token": ""}
    assert (await door.client.get("/metrics", headers=nobody)).status_code == 401
    door.app.settings = replace(door.app.settings, events=replace(door.app.settings.events, metrics="loopback"))
    assert (await door.client.get("/metrics", headers=nobody)).status_code == 200
    proxied = {**nobody, "X-Forwarded-For": "203.0.113.9"}
    assert (await door.client.get("/metrics", headers=proxied)).status_code == 403


async def test_every_answer_has_an_id(door: Door) -> None:
    assert (await door.client.get("/health", headers={"X-Request-Id": "my-1"})).headers["x-request-id"] == "my-1"
    for bad in ("", "a b", "x" * 101):
        own = (await door.client.get("/v1/nothing", headers={"X-Request-Id": bad})).headers["x-request-id"]
        assert own.startswith("q-")


class StandingClock:
    """A clock that stands: on a busy machine three requests may take the second in which the next one is free."""

    def __init__(self, moment: float) -> None:
        self._moment = moment

    def now(self) -> float:
        return self._moment


async def test_a_token_that_asks_too_often_is_told_to_wait(door: Door) -> None:
    mine = await door.client_of(door.user)
    door.app.clock = StandingClock(door.app.clock.now())
    door.app.rates = Rates(Http(rate=1, burst=2))
    assert [(await mine.get("/v1/stats")).status_code for _ in range(3)] == [200, 200, 429]
    refused = await mine.get("/v1/stats")
    assert refused.headers["retry-after"] == "1"
    assert refused.json()["type"] == "urn:memoray:too-many-requests"
    assert (await door.client.get("/v1/stats")).status_code == 200


async def test_pages_of_other_origins_may_ask_where_that_is_set(door: Door) -> None:
    origin = {"Origin": "https://example.com"}
    preflight = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    assert "access-control-allow-origin" not in (await door.client.get("/v1/stats", headers=origin)).headers
    assert (await door.client.options("/v1/stats", headers=preflight)).status_code == 405
    transport = httpx.ASGITransport(create_app(door.app, cors="https://example.com, https://other.com"))
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=door.client.headers) as client:
        answer = await client.get("/v1/stats", headers=origin)
        assert answer.headers["access-control-allow-origin"] == "https://example.com"
        assert "access-control-allow-credentials" not in answer.headers
        assert (await client.options("/v1/stats", headers=preflight)).status_code == 200
        foreign = await client.get("/v1/stats", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in foreign.headers
