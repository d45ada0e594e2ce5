"""What a person is asked before something is erased, and what an empty list says."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cli import memory_verbs
from cli.client import Client, Refused
from memory.errors import Invalid

KNOWN = {
    "/v1/profile": {"time_zone": "Asia/Kolkata"},
    "/v1/entities/e-0a": {"name": "Ben", "entity_type": "person", "entity_id": "e-0a1b"},
    "/v1/sources/a%2Fb": {
        "source_id": "a/b",
        "kind": "note",
        "started_at": "2026-03-01T20:00:00Z",
        "segments_count": 1,
    },
}


class Shelf:
    """A client that knows two things, and somebody in Kolkata."""

    def get(self, path: str) -> Any:
        if path not in KNOWN:
            raise Refused("There is no such source in this memory.")
        return KNOWN[path]


def told(thing: str) -> str:
    return memory_verbs._told(cast(Client, Shelf()), thing)


def test_what_is_to_be_erased_is_named_first() -> None:
    assert told("e-0a") == "Ben (person, e-0a1b)"
    assert told("a/b") == "a/b (note of 2026-03-02, 1 segment)"


def test_nobody_is_asked_about_what_is_not_there() -> None:
    with pytest.raises(Refused, match="no such source"):
        told("breakfast")
    with pytest.raises(Invalid, match="Give the id"):
        told(" ")


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    memory_verbs._table({}, False, ("state", "promise"), [], 0)
    assert capsys.readouterr().out == "There is nothing to list.\n"


def test_only_words_break_into_lines(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("promise", "Maya: " + "I will come " * 12, "2026-11-15", "e-0a1b2c3d4e5f6071")]
    memory_verbs._table({}, False, ("type", "name", "last seen", "id"), rows, 1)
    assert "2026-11-15" in (shown := capsys.readouterr().out)
    assert "e-0a1b2c3d4e5f6071" in shown
