"""The client: the token goes along, problems come back as sentences."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cli.archive import export
from cli.client import HttpClient, RequestRefused, connect, route
from cli.console import NotRunning
from cli.runtime import Places, Runtime, sole_supervisor
from memory.errors import Invalid, Unavailable

ANSWERS: dict[str, tuple[int, str]] = {
    "/v1/stats": (200, '{"pending": {"extraction": 3}}'),
    "/empty": (204, ""),
    "/v1/gone": (404, '{"title": "Not found", "detail": "There is no such fact.", "status": 404}'),
    "/v1/broken": (500, "<html>oops</html>"),
    "/v1/list": (400, "[1]"),
}


class Door(BaseHTTPRequestHandler):
    """A front door with fixed answers that repeats what it was sent."""

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        path = self.path.partition("?")[0]
        sent = {"path": self.path, "token": self.headers["X-Internal-Token"], "user": self.headers.get("X-User-Id")}
        echo = json.dumps(sent | {"method": self.command, "body": self.rfile.read(length).decode()})
        status, body = ANSWERS.get(path, (200, echo))
        if path == "/v1/export":
            time.sleep(0.5)  # a whole memory is packed before the first byte is sent
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_token_user_and_parameters_go_along(url: str) -> None:
    with HttpClient(url, "secret", user="ann") as client:
        seen = client.get("/echo", limit=5, hours_back=None)
    assert (seen["token"], seen["user"], seen["path"]) == ("secret", "ann", "/echo?limit=5")


def test_every_verb_carries_its_body(url: str) -> None:
    with HttpClient(url, "secret") as client:
        assert client.post("/echo", {"a": 1})["body"] == '{"a":1}'
        assert client.put("/echo", {"b": 2})["method"] == "PUT"
        assert client.delete("/echo")["method"] == "DELETE"
        assert client.get("/empty") is None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/v1/gone", "There is no such fact."),
        ("/v1/broken", "500 Internal Server Error"),
        ("/v1/list", "400 Bad Request"),
    ],
)
def test_a_problem_is_a_sentence(url: str, path: str, words: str) -> None:
    with HttpClient(url, "secret") as client, pytest.raises(RequestRefused) as caught:
        client.get(path)
    assert caught.value.detail == words


def test_what_is_saved_is_its_callers_alone(url: str, tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    target = tmp_path / "me.zip"
    (tmp_path / ".me.zip.partial").symlink_to(tmp_path / "secret")  # somebody waits for us where all may write
    with HttpClient(url, "secret") as client:
        assert client.save("/echo", target) == target.stat().st_size > 0
    assert target.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "secret").read_bytes() == b""


def test_an_export_is_waited_for_longer_than_an_answer(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(tmp_path)
    places.prepare()
    (tmp_path / "token").write_text("secret\n")
    Runtime(home=str(tmp_path), url=url, token_file=str(tmp_path / "token"), ready_at="2026").write(places)
    monkeypatch.setattr(connect, "__defaults__", (None, 0.1))
    with sole_supervisor(places):
        export(tmp_path / "me.zip", home=tmp_path)
    assert json.loads((tmp_path / "me.zip").read_text())["path"] == "/v1/export"


def test_nobody_there_is_unavailable() -> None:
    with HttpClient("http://127.0.0.1:9", "secret") as client, pytest.raises(Unavailable, match="does not answer"):
        client.get("/health")


def test_connect_needs_a_memoray_that_runs_and_is_ready(url: str, tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.prepare()
    (tmp_path / "token").write_text("secret\n")
    runtime = Runtime(home=str(tmp_path), url=url, token_file=str(tmp_path / "token"), step="Starting Ray")
    with pytest.raises(NotRunning):
        connect(tmp_path)
    runtime.write(places)
    with pytest.raises(NotRunning):
        connect(tmp_path)
    with sole_supervisor(places):
        with pytest.raises(NotRunning, match="not ready yet: Starting Ray"):
            connect(tmp_path)
        up = Runtime(home=str(tmp_path), state="ready", url=url, token_file=str(tmp_path / "token"), ready_at="2026")
        replace(up, state="starting").write(places)
        with connect(tmp_path) as client:
            assert client.get("/echo")["token"] == "secret", "what recovers answers, or lets whoever asks wait"
        up.write(places)
        with connect(tmp_path) as client:
            assert client.get("/echo")["token"] == "secret"


def test_a_question_too_long_for_an_address_is_refused_in_words(url: str) -> None:
    with HttpClient(url, "secret") as client, pytest.raises(RequestRefused, match="too long for a web address"):
        client.get("/v1/context", query="x" * 100_000)


@pytest.mark.parametrize(
    ("parts", "path"),
    [(("facts", "f-1", "forget"), "/v1/facts/f-1/forget"), (("tokens", "a/b ?#é"), "/v1/tokens/a%2Fb%20%3F%23%C3%A9")],
)
def test_a_route_bears_any_sign(parts: tuple[str, ...], path: str) -> None:
    assert route(*parts) == path


@pytest.mark.parametrize("user", ["zoë", "Ольга", "a\nb"])
def test_a_user_whom_no_header_can_name_is_refused_in_words(user: str) -> None:
    with pytest.raises(Invalid, match="plain letters"):
        HttpClient("http://127.0.0.1:9", "secret", user=user)
