"""What nobody would send, to mem0's routes and to Graphiti's: no 5xx, and every refusal in form."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import Door
from tests.api.test_mem0 import speaking

pytestmark = pytest.mark.postgres
EXAMPLES = int(os.environ.get("MEMORAY_FUZZ_EXAMPLES", "8")) * 15
NAMES = (
    "messages",
    "role",
    "content",
    "filters",
    "user_id",
    "agent_id",
    "run_id",
    "AND",
    "OR",
    "NOT",
    "in",
    "ne",
    "gte",
    "metadata",
    "created_at",
    "query",
    "top_k",
    "threshold",
    "page",
    "page_size",
    "fields",
    "text",
    "timestamp",
    "expiration_date",
    "memories",
    "memory_id",
    "infer",
    "group_id",
    "group_ids",
    "role_type",
    "uuid",
    "max_facts",
)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(("*", "x", "user", "2026-03-01", "f-0123456789abcdef", "W10", "WyJ4IiwieSJd", "\ud800", "1e400")),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=12,
)
BODIES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3)
SAID = {"content": "I like figs.", "role": "user", "role_type": "user"}
GOOD = {
    "messages": [SAID],
    "query": "figs",
    "group_id": "x",
    "uuid": "x",
    "name": "x",
    "text": "I like dates.",
    "memories": [],
    "memory_id": "x",
}
"""A body that most routes take, as far as they know its names; what is drawn is laid over it."""
KNOWN = {"/v3/memories/search/": ("query",), "/v3/memories/": (), "/v1/summary/": (), "/graphiti/search": ("query",)}
"""Routes that refuse other names."""
ROUTES = (
    ("POST", "/v3/memories/add/"),
    ("POST", "/v3/memories/search/"),
    ("POST", "/v3/memories/"),
    ("PUT", "/v1/batch/"),
    ("DELETE", "/v1/batch/"),
    ("PUT", "/v1/memories/{}/"),
    ("GET", "/v1/memories/{}/"),
    ("DELETE", "/v1/memories/{}/"),
    ("GET", "/v1/memories/{}/history/"),
    ("DELETE", "/v2/entities/user/{}/"),
    ("GET", "/v1/event/{}/"),
    ("POST", "/v1/feedback/"),
    ("DELETE", "/v1/memories/"),
    ("GET", "/v1/memories/"),
    ("POST", "/v1/summary/"),
    ("POST", "/graphiti/messages"),
    ("POST", "/graphiti/search"),
    ("POST", "/graphiti/get-memory"),
    ("POST", "/graphiti/entity-node"),
    ("GET", "/graphiti/episodes/{}"),
    ("DELETE", "/graphiti/episode/{}"),
    ("GET", "/graphiti/entity-edge/{}"),
    ("DELETE", "/graphiti/group/{}"),
)


@pytest.fixture
async def client(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    async with await speaking(door, door.user) as opened:
        yield opened


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    route=st.sampled_from(ROUTES), body=BODIES, part=PLAIN, parameters=st.dictionaries(st.sampled_from(NAMES), VALUES)
)
async def test_whatever_is_sent_is_answered_in_form(
    client: httpx.AsyncClient, route: tuple[str, str], body: Any, part: Any, parameters: dict[str, Any]
) -> None:
    method, path = route
    path = path.format(quote(str(part).encode(errors="replace"), safe=""))
    said = {name: str(value).encode(errors="replace").decode() for name, value in parameters.items()}
    body = {name: GOOD[name] for name in KNOWN.get(path, GOOD)} | body
    request = {} if method == "GET" else {"content": json_of(body), "headers": {"Content-Type": "application/json"}}
    answer = await client.request(method, path, params=said, **request)  # type: ignore[arg-type]
    assert answer.status_code < 500, (method, path, body, said, answer.text)
    if not answer.is_redirect:
        assert answer.headers["content-type"] == "application/json"
    if answer.is_client_error:
        assert isinstance(answer.json()["detail"], str)


def json_of(body: Any) -> bytes:
    """JSON as Python writes it, with NaN and lone surrogates, which other clients may send, too."""
    return json.dumps(body).encode()
