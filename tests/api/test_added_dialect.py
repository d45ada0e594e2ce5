"""docs/howto/add-a-dialect.md, carried out: one module, which the gateway finds, and nothing else changes."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from deployments import dialects
from deployments.dialect import every_dialect
from deployments.gateway import create_app
from memory.model.scopes import Sensitivity
from memory.model.tokens import Token
from tests.api.conftest import Door

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "add-a-dialect.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_LINES = 60


@pytest.fixture
async def plain(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a gateway into which the page's module was put."""
    [written] = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert written.count("\n") < MOST_LINES
    (tmp_path / "plain.py").write_text(written, encoding="utf-8")
    monkeypatch.setattr(dialects, "__path__", [*dialects.__path__, str(tmp_path)])
    assert "plain" in {each.name for each in every_dialect()}
    transport = httpx.ASGITransport(create_app(door.app))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def token_of(door: Door, permission: str = "write") -> dict[str, str]:
    token = uuid.uuid4().hex
    await door.app.tokens.put(token, Token(token[:8], door.user, (), permission, Sensitivity.PRIVATE))
    return {"X-Internal-Token": token}


async def test_a_line_is_remembered_once_and_found(door: Door, plain: httpx.AsyncClient) -> None:
    headers = await token_of(door)
    key = {"Idempotency-Key": uuid.uuid4().hex}
    for _ in range(2):
        told = await plain.post("/plain/remember", content="I parked on level 3.", headers=headers | key)
        assert (told.status_code, told.text) == (200, "created")
    found = await plain.get("/plain/ask", params={"query": "Where did I park?"}, headers=headers)
    assert found.headers["content-type"].startswith("text/plain")
    assert [line for line in found.text.splitlines() if line.endswith(": I parked on level 3.")]


async def test_problems_are_told_in_its_own_form(door: Door, plain: httpx.AsyncClient) -> None:
    stranger = await plain.get("/plain/ask", params={"query": "Where did I park?"})
    assert stranger.status_code == 401
    reader = await plain.post("/plain/remember", content="No.", headers=await token_of(door, "read"))
    assert reader.status_code == 403
    empty = await plain.post("/plain/remember", content="", headers=await token_of(door))
    assert empty.status_code == 422
    for answer in (stranger, reader, empty):
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.text
        assert "{" not in answer.text
