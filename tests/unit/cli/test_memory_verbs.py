"""What a person is asked before something is erased, and what an empty list says."""

from __future__ import annotations

from typing import Any, cast

import pytest
from rich.text import Text

from cli import console, facts, listing, memory_verbs
from cli.client import HttpClient, RequestRefused
from cli.console import Screen
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
            raise RequestRefused("There is no such source in this memory.")
        return KNOWN[path]

    def emptiness(self) -> None:
        """Something is known."""


FULL = cast(HttpClient, Shelf())


def told(thing: str) -> tuple[str, str]:
    return memory_verbs._told(cast(HttpClient, Shelf()), thing)


def test_what_is_to_be_erased_is_named_first() -> None:
    assert told("e-0a") == ("e-0a1b", "Ben (person, e-0a1b)")
    assert told("a/b") == ("a/b", "a/b (note of 2026-03-02, 1 segment)")


def test_nobody_is_asked_about_what_is_not_there() -> None:
    with pytest.raises(RequestRefused, match="no such source"):
        told("breakfast")
    with pytest.raises(Invalid, match="Give the id"):
        told(" ")


def test_words_are_no_id_of_a_fact_and_it_is_said_where_ids_are() -> None:
    assert facts._id("f-0a1b2c") == "f-0a1b2c"
    with pytest.raises(Invalid, match=r'"Maya lives in Porto" is no id of a fact.*`memoray facts` lists'):
        facts._id("Maya lives in Porto")


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    listing.print_rows(FULL, {}, False, ("state", "promise"), [], 0)
    assert capsys.readouterr().out == "There is nothing to list.\n"


def test_only_words_break_into_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("promise", "Maya: " + "I will come " * 12, "2026-11-15", "e-0a1b2c3d4e5f6071")]
    for room in (listing, console):
        monkeypatch.setattr(room, "out", Screen(force_terminal=True, width=80))
    listing.print_rows(FULL, {}, False, ("type", "name", "last seen", "id"), rows, 1)
    assert "2026-11-15" in (shown := capsys.readouterr().out)
    assert "e-0a1b2c3d4e5f6071" in shown
    assert len(shown.splitlines()) > 2


def test_in_a_pipe_a_row_is_a_line_and_nothing_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    promised = "I will come\nat " + "last " * 200 + "[soon]"
    listing.print_rows(FULL, {}, False, ("state", "promise"), [("open", promised), ("kept", "tea")], 2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [["state", "promise"], ["open", *promised.split()], ["kept", "tea"]]


def test_undo_tells_what_it_did() -> None:
    done = {"command_id": "c-2", "undoes": "c-1", "changes": 3}
    step = {"what": "restored", "words": "Maya works at [Plume]", "id": "f-1"}
    log = {"changes": [step | {"command_id": "c-9"}, step | {"command_id": "c-2"}]}
    told = memory_verbs._what_it_did(log, done)
    assert [Text.from_markup(line).plain for line in told] == ["restored Maya works at [Plume] f-1"]
    assert memory_verbs._what_it_did({}, done) == []
