"""The Python client without a server: what it sends again, what it raises, how it reads messages, how it is packed."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import pytest

import memoray_client
from memoray_client import (
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    MemorayError,
    Memory,
    Message,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    Retries,
    ServerError,
    UnreachableError,
    calls,
)
from memoray_client.integrations.turns import NOTE, last_words, placed, with_note
from memoray_client.retries import retry_after_s

PACKAGE = Path(memoray_client.__file__).parents[1]
PATIENT = Retries(most=2, base_s=0.001, most_s=1.0)
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))


class Scripted(httpx.BaseTransport):
    """A server that answers as it is told, one after the other, and notes what it was sent."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.sent: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


DONE = {"fact_id": "f-1", "outcome": "created", "rivals": [], "newer": 1}


def test_a_command_is_tried_again_under_the_same_key() -> None:
    away = httpx.Response(503, json={"type": "urn:memoray:unavailable", "detail": "Not now."})
    server = Scripted(httpx.ConnectError("no"), away, httpx.Response(201, json=DONE))
    with Memory("http://memory", "secret", retries=PATIENT, transport=server) as memory:
        assert memory.remember("I play the viola.").outcome == "created"
    keys = {request.headers["Idempotency-Key"] for request in server.sent}
    assert (len(server.sent), len(keys)) == (3, 1)
    assert {json.loads(request.content)["text"] for request in server.sent} == {"I play the viola."}


def test_each_command_has_a_key_of_its_own_or_the_one_it_is_given() -> None:
    server = Scripted(*(httpx.Response(200, json=DONE) for _ in range(3)))
    memory = Memory("http://memory", "secret", transport=server)
    memory.forget("f-1")
    memory.forget("f-1")
    memory.correct("f 1/..", "Maya plays the viola.", key="mine", user_id="maya")
    first, second, third = (request.headers["Idempotency-Key"] for request in server.sent)
    assert first != second
    assert third == "mine"
    assert server.sent[2].headers["X-User-Id"] == "maya"
    assert server.sent[2].url.raw_path == b"/v1/facts/f%201%2F../correct"


def test_a_pause_that_is_asked_for_is_kept_and_a_long_one_is_told() -> None:
    server = Scripted(httpx.Response(429, headers={"Retry-After": "0"}), httpx.Response(200, json={"answer": 1}))
    with pytest.raises(ServerError, match="another version"):
        Memory("http://memory", "secret", retries=PATIENT, transport=server).ask("?")
    assert len(server.sent) == 2
    server = Scripted(httpx.Response(429, headers={"Retry-After": "3600"}, json={"detail": "Slowly."}))
    began = time.monotonic()
    with pytest.raises(RateLimitError, match="Slowly") as caught:
        Memory("http://memory", "secret", retries=PATIENT, transport=server).search("?")
    assert caught.value.retry_after_s == 3600
    assert time.monotonic() - began < 1


def test_retry_after_is_a_number_or_a_date() -> None:
    assert retry_after_s({}) is None
    assert retry_after_s({"retry-after": "soon"}) is None
    assert retry_after_s({"retry-after": "7"}) == 7
    assert retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0
    later = datetime.now(UTC) + timedelta(seconds=90)
    assert 80 < (retry_after_s({"retry-after": f"{later:%a, %d %b %Y %H:%M:%S} GMT"}) or 0) <= 90


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidRequestError),
        (401, AuthenticationError),
        (403, PermissionDeniedError),
        (404, NotFoundError),
        (409, ConflictError),
        (413, InvalidRequestError),
        (422, InvalidRequestError),
        (500, ServerError),
        (507, ServerError),
    ],
)
def test_a_refusal_is_an_error_with_what_was_told(status: int, kind: type[MemorayError]) -> None:
    problem = {"type": "urn:memoray:some-kind", "detail": "Told so.", "fact_id": "f-1", "status": status}
    server = Scripted(httpx.Response(status, json=problem))
    with pytest.raises(kind) as caught:
        Memory("http://memory", "secret", transport=server).facts()
    error = caught.value
    assert (str(error), error.status, error.kind) == ("Told so.", status, "some-kind")
    assert error.more == {"fact_id": "f-1"}
    assert len(server.sent) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"facts": {}}', b'{"facts": [{"fact_id": 1}], "total": 1}'])
def test_an_answer_that_is_none_is_a_server_error(body: bytes) -> None:
    with pytest.raises(ServerError):
        Memory("http://memory", "secret", transport=Scripted(httpx.Response(200, content=body))).facts()


def test_nobody_there() -> None:
    server = Scripted(*(httpx.ReadTimeout("secret") for _ in range(3)))
    with pytest.raises(UnreachableError) as caught:
        Memory("http://memory", "secret", retries=PATIENT, transport=server).ask("?")
    assert "secret" not in str(caught.value)
    assert (caught.value.status, len(server.sent)) == (0, 3)


def test_messages_come_in_two_forms() -> None:
    def body(messages: str | Sequence[Any], **given: Any) -> Any:
        return calls.add(messages, given).body  # type: ignore[arg-type]

    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}, "here."]
    chat = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": parts, "name": "Maya"},
        {"role": "assistant", "content": None},
    ]
    assert body(chat)["segments"] == [{"text": "Look\nhere.", "speaker": "Maya", "role": "user"}]
    assert body("Hello.", started_at=NOON)["started_at"] == NOON.astimezone().isoformat()
    assert body("Hello.")["content"] == "Hello."
    assert body("a")["source_id"] != body("a")["source_id"]
    with pytest.raises(ValueError, match="nothing to add"):
        body([{"role": "system", "content": "Be kind."}])
    with pytest.raises(ValueError, match="role and content"):
        body([{"content": "Hello."}])
    with pytest.raises(ValueError, match="empty"):
        calls.forget("", {})


def test_turns_have_a_source_a_day_and_one_note() -> None:
    given, said = placed("kitchen", [Message("a", segment_id="m1"), Message("b")], NOON)
    assert given == {"source_id": "kitchen-2026-03-01", "started_at": NOON.replace(hour=0)}
    assert [(each.segment_id, each.start) for each in said] == [("m1", 43_200.0), ("43200.000-1", 43_200.001)]
    talk: list[Any] = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where do I live?"}, 7]
    assert last_words(talk[:2]) == "Where do I live?"
    once = with_note(talk[:2], "In Lisbon.")
    assert [each["content"] for each in once] == ["Be kind.", f"{NOTE}In Lisbon.", "Where do I live?"]
    assert with_note(with_note(once, "In Porto."), "") == talk[:2]
    assert last_words([*once, {"role": "assistant", "content": "Here."}]) == ""
    assert with_note(talk, "In Lisbon.")[-1] == 7


def test_it_imports_httpx_and_nothing_else() -> None:
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        named = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
        named |= {alias.name for each in ast.walk(tree) if isinstance(each, ast.Import) for alias in each.names}
        outside = {name.partition(".")[0] for name in named} - sys.stdlib_module_names - {"memoray_client", "httpx"}
        frameworks = {"langchain_core", "pipecat"} if path.parent.name == "integrations" else set()
        assert outside <= frameworks, path.name


def test_it_is_built_and_installed_by_itself(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "client", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(tmp_path / "client")], check=True, cwd=tmp_path)
    assert (site / "memoray_client" / "py.typed").is_file()
    assert (site / "memoray_client" / "integrations" / "langchain.py").is_file()
    script = "import memoray_client, sys; print(memoray_client.__file__); assert 'ray' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(site))
