"""Every operation of the OpenAPI, with data that fits it and data that does not: no 500, every refusal a problem."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.generation import GenerationMode

from config.settings import load
from deployments.app_context import open_app_context
from deployments.gateway import create_app
from tests.api.conftest import PATIENT
from tests.contract.conftest import database  # noqa: F401  (a session fixture)
from tests.fakes.actor_client import LocalActorClient
from tests.fakes.ear import FakeEar
from tests.fakes.voices import WrittenVoices

pytestmark = pytest.mark.postgres

EXAMPLES = int(os.environ.get("MEMORAY_FUZZ_EXAMPLES", "8"))
"""Requests an operation and a mode; the suite repeats the same ones, a larger number looks for new ones."""
TOKEN = "f" * 43
MOST_URL = 65_536
"""Characters of a URL that httpx sends."""
_OURS = ("x-internal-token", "authorization", "x-user-id", "content-length", "cookie")
"""Headers that are not left to chance, or nearly every request would end at the door."""
SCHEMA = schemathesis.openapi.from_dict(create_app().openapi())
ENDLESS = "/v1/events/stream"
"""An answer that goes on until its reader leaves: tests/api/test_events.py asks it what is wrong."""
EVERY = (result.ok() for result in SCHEMA.get_all_operations())
OPERATIONS = {f"{one.method} {one.path}": one for one in EVERY if one.path != ENDLESS}
MODES = {
    (name, mode)
    for name, one in OPERATIONS.items()
    for mode in GenerationMode
    if mode == GenerationMode.POSITIVE or one.body or one.query or one.path_parameters or one.headers
}
"""Operations that take something can be given something wrong."""
CONVERSATION = {
    "source_id": "breakfast",
    "started_at": "2026-03-01T08:00:00+00:00",
    "segments": [
        {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon last month.", "start": 0, "end": 2},
        {"segment_id": "2", "speaker": "Ravi", "text": "I promise to call you on Friday.", "start": 2, "end": 4},
    ],
}


@schemathesis.serializer("application/zip")
def _as_it_is(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@dataclass
class Behind:
    """The application on an event loop of its own, so that generated tests may be plain functions."""

    runner: asyncio.Runner
    client: httpx.AsyncClient
    known: dict[str, str] = field(default_factory=dict)
    """Path parameter -> an id that exists, or else nothing behind a 404 would ever be reached."""

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        return self.runner.run(self.client.request(method, path, **request))

    def told(self) -> None:
        """Tell the memory something, and learn the ids of it."""
        self.send("POST", "/v1/sources", json=CONVERSATION)
        fact = self.send("POST", "/v1/facts", json={"statement": "Maya lives in Lisbon", "subject": "Maya"})
        self.known = {"source_id": "breakfast", "fact_id": fact.json()["fact_id"], "name": "search_memory"}
        entity = self.send("GET", "/v1/entities").json()["entities"][0]["entity_id"]
        note = self.send("POST", f"/v1/entities/{entity}/notes", json={"text": "A remark."})
        self.known |= {"entity_id": entity, "note_id": note.json()["note_id"], "night": "2026-03-02"}


@pytest.fixture(scope="module")
def behind(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:  # noqa: F811
    home: Path = tmp_path_factory.mktemp("home")
    (home / "token").write_text(TOKEN)
    wanted = {
        "models": {"encoder": {"kind": "hashing"}, "extraction": {"kind": "rules"}},
        "auth": {"default_user": "fuzz"},
        "recall": PATIENT,
    }
    chosen = load(home, {"dsn": database, **wanted}, {})
    with asyncio.Runner() as runner:
        actors = LocalActorClient(chosen)
        app = runner.run(open_app_context(chosen, actors))
        app.ear = FakeEar()
        app.voices = WrittenVoices()
        transport = httpx.ASGITransport(create_app(app), raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url="http://test", headers={"X-Internal-Token": TOKEN})
        yield Behind(runner, client)
        runner.run(client.aclose())
        runner.run(app.stores.close())
        runner.run(actors.close())


@pytest.mark.parametrize(("name", "mode"), sorted(MODES))
def test_no_request_breaks_it(behind: Behind, name: str, mode: GenerationMode) -> None:
    behind.told()

    @settings(
        max_examples=EXAMPLES,
        derandomize="MEMORAY_FUZZ_EXAMPLES" not in os.environ,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[name].as_strategy(generation_mode=mode), known=st.booleans(), own=st.booleans())
    def asked(case: Case, known: bool, own: bool) -> None:
        assert_answered(behind, case, known, own)

    asked()


@settings(max_examples=EXAMPLES * 5, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(at=st.floats(0, 1, exclude_max=True), put=st.binary(max_size=40), cut=st.integers(0, 200))
def test_a_damaged_archive_is_refused_or_restored(behind: Behind, at: float, put: bytes, cut: int) -> None:
    whole = behind.send("GET", "/v1/export").content
    place = int(at * len(whole))
    damaged = whole[:place] + put + whole[place + cut :]
    headers = {"Content-Type": "application/zip", "X-User-Id": f"copy-{uuid.uuid4().hex}"}
    answer = behind.send("POST", "/v1/import", content=damaged, headers=headers)
    assert answer.status_code in (201, 400, 409, 413, 415, 422), answer.text
    assert answer.status_code == 201 or behind.send("GET", "/v1/stats", headers=headers).json()["segments_count"] == 0


def assert_answered(behind: Behind, case: Case, known: bool, own: bool) -> None:
    """Send a case as the administrator, half of them to ids that exist and half to the own memory."""
    if known and case.path_parameters:
        case.path_parameters |= {name: behind.known.get(name, value) for name, value in case.path_parameters.items()}
    request = requests.Request(**case.as_transport_kwargs(base_url="http://test")).prepare()
    assume(len(str(request.url)) <= MOST_URL)
    headers = {key: value for key, value in request.headers.items() if key.lower() not in _OURS}
    if not own and "X-User-Id" in request.headers:
        headers["X-User-Id"] = request.headers["X-User-Id"]
    answer = behind.send(str(request.method), str(request.url), headers=headers, content=request.body)
    assert answer.status_code < 500, f"{answer.status_code} {answer.text} to {case.as_curl_command()}"
    if answer.status_code >= 400:
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem.keys() >= {"type", "title", "status", "detail", "instance"}
