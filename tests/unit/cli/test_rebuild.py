"""What `memoray rebuild` says was done."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from cli import rebuild
from cli.main import command_line, rooms

BUSY = {"journal": None, "encoder": {"successor": None}, "pending": {"embedding": 1}}


class Door:
    """A front door behind which vectors are still being made."""

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def post(self, path: str, body: object) -> Any:
        return BUSY


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("vectors", "vectors: 1 source to be encoded again in the background; the old vectors serve until then.\n"),
        ("graph", "graph: read again with the next question.\n"),
        ("text", "text: read again with the next question.\n"),
    ],
)
def test_vectors_are_spoken_of_where_vectors_are_made(what: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "connect", lambda home, user, timeout_s: Door())
    assert CliRunner().invoke(command_line(rooms("rebuild")), ["rebuild", what]).stdout == told
