"""The benchmark's own client: what it sends, and what it makes of answers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bench.measure import Refused
from bench.plain_door import PlainDoor, Wire
from memory.errors import Unavailable


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        named = {"user": self.headers["X-User-Id"], "token": self.headers["X-Internal-Token"]}
        told = {**named, "verb": self.command, "path": self.path, "body": body.decode(), "from": self.client_address[1]}
        told |= {"detail": "This is a teapot."} if self.path == "/refused" else {}
        sent = b"" if self.command == "DELETE" else json.dumps(told).encode()
        self.send_response(418 if self.path == "/refused" else 200)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def wire() -> Iterator[Wire]:
    server = HTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wire = Wire(f"http://127.0.0.1:{server.server_port}", "secret")
    yield wire
    wire.close()
    server.shutdown()
    server.server_close()


def test_users_share_a_connection_and_are_told_apart(wire: Wire) -> None:
    first = PlainDoor(wire, "ann").get("/v1/context", query="where & when?", now=1.5, limit=None)
    second = PlainDoor(wire, "bob").post("/v1/sources", {"source_id": "é"})
    assert first["path"] == "/v1/context?query=where+%26+when%3F&now=1.5"
    assert (first["user"], first["token"], second["user"]) == ("ann", "secret", "bob")
    assert json.loads(second["body"]) == {"source_id": "é"}
    assert first["from"] == second["from"]


def test_a_connection_that_has_rested_is_made_anew(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    door = PlainDoor(wire, "ann")
    first = door.get("/v1/stats")["from"]
    monkeypatch.setattr("bench.plain_door.RESTED_S", 0.0)
    assert door.get("/v1/stats")["from"] != first


def test_what_is_put_is_a_put(wire: Wire) -> None:
    told = PlainDoor(wire, "ann").put("/v1/profile", {"name": "Ann"})
    assert (told["verb"], told["path"], json.loads(told["body"])) == ("PUT", "/v1/profile", {"name": "Ann"})


def test_an_empty_answer_is_none(wire: Wire) -> None:
    assert PlainDoor(wire, "ann").delete("/v1/memory") is None


def test_a_refusal_and_silence_are_told_without_what_was_asked(wire: Wire) -> None:
    with pytest.raises(Refused, match=r"refused with status 418\. This is a teapot\."):
        PlainDoor(wire, "ann").get("/refused")
    gone = PlainDoor(Wire("http://127.0.0.1:1", "secret"), "ann")
    with pytest.raises(Unavailable, match="GET /v1/context was not answered") as raised:
        gone.get("/v1/context", query="private words")
    assert "private" not in str(raised.value)
