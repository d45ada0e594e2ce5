"""The page of the API: whole on this machine, and with the token that a route asks for."""

from __future__ import annotations

import re

import httpx

from deployments.gateway import create_app
from deployments.routes.docs import FILES, POLICY


async def test_the_page_loads_nothing_from_elsewhere() -> None:
    transport = httpx.ASGITransport(create_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        page = await client.get("/docs")
        assert page.status_code == 200
        named = re.findall(r'(?:href|src)="([^"]+)"', page.text)
        assert {each.rpartition("/")[2] for each in named} == {*FILES, "start.js"}
        for each in named:
            answer = await client.get(each)
            assert (answer.status_code, answer.headers["x-content-type-options"]) == (200, "nosniff"), each
            assert answer.headers["content-security-policy"] == POLICY["Content-Security-Policy"]
        assert (await client.get("/docs/LICENSE")).status_code == 404
        assert (await client.get("/docs/..%2f__init__.py")).status_code == 404


def test_every_guarded_route_asks_for_the_token() -> None:
    told = create_app().openapi()
    asks = {path for path, methods in told["paths"].items() if all("security" in each for each in methods.values())}
    assert asks == {path for path in told["paths"] if path.startswith("/v1/")}
    assert told["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
