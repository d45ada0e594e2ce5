"""What is printed is told by the clock of where the user lives, and which that is; JSON stays as it is answered."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from cli import ask, communities, daily, diff, explain, memory_verbs, operators, storylines
from cli.clock import on_clock
from cli.main import command_line, rooms

AT = 1_772_310_600.0
"""20:30 on 28 February 2026 by UTC, 02:00 on 1 March in Kolkata."""
SAID = {"timestamp": AT, "speaker": "Maya", "text": "Tea?", "source_id": "s", "segment_id": "1"}
HEARD = {"at": "2026-02-28T20:30:00Z", "speaker": "Maya", "text": "Tea?"}
OWED = {"state": "open", "by": "Maya", "to": "Ben", "due": "2026-02-28T20:30:00Z", "text": "tea"}
SEEN = {
    "entity_type": "person",
    "name": "Maya",
    "tier": "L0",
    "salience": 0.5,
    "mention_count": 1,
    "last_seen": "2026-02-28T20:30:00.25Z",
    "entity_id": "e-1",
}
STEP = '2026-02-28T20:30:00.552000Z created: "Tea at 2026-02-28T20:30:00Z", by user (Remember: created).'
AT_HOME = '2026-03-01 02:00 created: "Tea at 2026-02-28T20:30:00Z", by user (Remember: created).'
REVIEWED = {"date": "2026-03-01", "summary": "1 session.", "people": ["Ravi", "Tom"], "topics": [], "promises": []}
QUOTED = HEARD | {"fact_id": None, "statement": None, "source_id": "s", "segment_id": "1"}
SHOWN = {
    "pattern_id": "p-1",
    "community_id": "g-1",
    "about": ["Maya"],
    "since": "2026-02-28T20:30:00Z",
    "quotes": [QUOTED | {"statement": "Maya likes tea"}],
}
CIRCLE = {
    "community_id": "g-1",
    "names": ["Ben", "Maya"],
    "size": 2,
    "patterns": 1,
    "since": "2026-02-28T20:30:00Z",
}
CITED = {"text": 'Maya: "Tom left."', "segments": [{"source_id": "s", "segment_id": "1"}]}
GOING = {
    "entity": "Tom",
    "open": True,
    "first_at": "2026-02-01T08:00:00Z",
    "last_at": "2026-02-28T20:30:00Z",
    "sources": 5,
    "state": "active",
    "storyline_id": "s-1",
    "extractive": True,
    "summary": [CITED],
}
TOLD = {"speaker": "Maya", "text": "Tom [sic] left."}
TOLD_IN = [{"source_id": "s", "at": "2026-02-28T20:30:00Z", "segments": [TOLD]}]
MACRO = {**GOING, "macro_id": "m-1", "storylines": ["s-1", "s-2"]}
KEPT = GOING | {
    "consolidation_id": "k-1",
    "insights": [
        {"statement": "Tom likes tea", "generated": False, "segments": [{"source_id": "s", "segment_id": "2"}]},
        {"statement": "Tom is calm", "generated": True, "segments": [{"source_id": "s", "segment_id": "1"}]},
    ],
}
ANSWERS: dict[str, Any] = {
    "/v1/daily": REVIEWED | {"emotional_arc": "joyful", "sessions_count": 1},
    "/v1/changes": {"changes": [{}], "text": STEP, "cursor": None},
    "/v1/diff": {"changes": [{}], "text": f"+ Maya likes tea (f-1, active)\n{STEP}", "cursor": None},
    "/v1/facts/f-1/explain": {"text": f"True from 2026-02-28T20:30:00Z on.\n{STEP}"},
    "/v1/profile": {"time_zone": "Asia/Kolkata"},
    "/v1/context": {"results": [SAID]},
    "/v1/ask": {"answer": "Tea [1].", "generated": True, "citations": [SAID | {"number": 1}], "results": []},
    "/v1/timeline": {"entries": [HEARD], "cursor": None},
    "/v1/communities": {"communities": [CIRCLE], "total": 1},
    "/v1/communities/g-1": CIRCLE | {"members": [], "core": [], "shown": [SHOWN], "segments": [QUOTED]},
    "/v1/patterns": {"patterns": [SHOWN], "total": 1},
    "/v1/promises": {"promises": [OWED, OWED | {"due": None}], "total": 2},
    "/v1/entities": {"entities": [SEEN], "total": 1},
    "/v1/storylines": {"storylines": [GOING, GOING | {"open": False}, GOING | {"state": "archived"}], "total": 3},
    "/v1/storylines/s-1": GOING | {"told_in": TOLD_IN},
    "/v1/macros": {"macros": [MACRO], "total": 1},
    "/v1/macros/m-1": MACRO | {"parts": [GOING], "told_in": TOLD_IN},
    "/v1/consolidations": {"consolidations": [KEPT], "total": 1},
    "/v1/consolidations/k-1": KEPT | {"told_in": []},
}


class Door:
    """A front door that answers everything alike."""

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get(self, path: str, **_: object) -> Any:
        return ANSWERS[path]

    def post(self, path: str, _: object) -> Any:
        return ANSWERS[path]


def run(room: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr(room, "connect", lambda home, user: Door())
    result = CliRunner().invoke(command_line(rooms(arguments[0])), list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("room", "arguments", "told"),
    [
        (ask, ("recall", "Tea?"), ["2026-03-01 02:00 Maya Tea? s/1", "Times are of Asia/Kolkata."]),
        (ask, ("ask", "Tea?"), ["Tea [1].", "1 2026-03-01 02:00 Maya Tea? s/1", "Times are of Asia/Kolkata."]),
        (memory_verbs, ("timeline",), ["at (Asia/Kolkata) who what", "2026-03-01 02:00 Maya Tea?"]),
        (memory_verbs, ("promises",), ["state by to due promise", "open Maya Ben 2026-03-01 tea", "open Maya Ben tea"]),
        (
            communities,
            ("communities",),
            ["name members patterns since (Asia/Kolkata) id", "Ben, Maya 2 1 2026-03-01 02:00 g-1"],
        ),
        (
            communities,
            ("communities", "g-1"),
            [
                "Ben, Maya, since 2026-03-01 02:00",
                "At its heart",
                "and 2 more",
                "",
                "A pattern about Maya, quoted (p-1)",
                "Maya likes tea: 2026-03-01 02:00 Maya: Tea? s",
                "",
                "Last named together",
                "2026-03-01 02:00 Maya: Tea? s",
            ],
        ),
        (
            communities,
            ("patterns",),
            ["name quotes since (Asia/Kolkata) community id", "Maya 1 2026-03-01 02:00 g-1 p-1"],
        ),
        (
            memory_verbs,
            ("entities",),
            ["type name tier strength mentions last seen id", "person Maya L0 0.50 1 2026-03-01 e-1"],
        ),
        (
            storylines,
            ("storylines",),
            [
                "around state from until sources id",
                "Tom open 2026-02-01 2026-03-01 5 s-1",
                "Tom closed 2026-02-01 2026-03-01 5 s-1",
                "Tom archived 2026-02-01 2026-03-01 5 s-1",
            ],
        ),
        (
            storylines,
            ("macros",),
            ["around from until storylines sources id", "Tom 2026-02-01 2026-03-01 2 5 m-1"],
        ),
        (
            storylines,
            ("macros", "m-1"),
            [
                "Tom, 2026-02-01 to 2026-03-01, 5 sources",
                "It quotes:",
                'Maya: "Tom left." [s/1]',
                "2026-02-01 to 2026-03-01, 5 sources, open: s-1",
                'Maya: "Tom left." [s/1]',
                "2026-03-01 02:00 s",
                "Maya: Tom [sic] left.",
            ],
        ),
        (
            storylines,
            ("storylines", "s-1"),
            [
                "Tom, 2026-02-01 to 2026-03-01, 5 sources",
                "It quotes:",
                'Maya: "Tom left." [s/1]',
                "2026-03-01 02:00 s",
                "Maya: Tom [sic] left.",
            ],
        ),
        (
            storylines,
            ("consolidations",),
            ["around from until sources insights id", "Tom 2026-02-01 2026-03-01 5 2 k-1"],
        ),
        (
            storylines,
            ("consolidations", "k-1"),
            [
                "Tom, 2026-02-01 to 2026-03-01, 5 sources",
                "It quotes:",
                'Maya: "Tom left." [s/1]',
                "Several of them say: Tom likes tea [s/2]",
                "A language model concludes: Tom is calm [s/1]",
            ],
        ),
        (explain, ("explain", "f-1"), ["True from 2026-03-01 02:00 on.", AT_HOME, "Times are of Asia/Kolkata."]),
        (daily, ("daily", "2026-03-01"), ["2026-03-01", "1 session.", "People: Ravi, Tom", "Felt: joyful"]),
        (diff, ("diff",), ["+ Maya likes tea (f-1, active)", AT_HOME, "Times are of Asia/Kolkata."]),
        (
            operators,
            ("changes",),
            [AT_HOME, "Times are of Asia/Kolkata; --json has the ids of the commands."],
        ),
    ],
)
def test_times_are_told_by_the_clock_at_home(
    monkeypatch: pytest.MonkeyPatch, room: ModuleType, arguments: tuple[str, ...], told: list[str]
) -> None:
    shown = run(room, monkeypatch, *arguments).splitlines()
    assert [" ".join(line.split()) for line in shown] == told


@pytest.mark.parametrize(
    ("room", "arguments", "path"),
    [
        (ask, ("recall", "Tea?"), "/v1/context"),
        (ask, ("ask", "Tea?"), "/v1/ask"),
        (memory_verbs, ("timeline",), "/v1/timeline"),
    ],
)
def test_a_program_is_given_what_was_answered(
    monkeypatch: pytest.MonkeyPatch, room: ModuleType, arguments: tuple[str, ...], path: str
) -> None:
    assert json.loads(run(room, monkeypatch, *arguments, "--json")) == ANSWERS[path]


def test_what_was_said_keeps_its_own_times() -> None:
    told = 'Maya at 2026-02-28T20:30:00Z: "it is 2026-02-28T20:30:00Z", until 2026-02-28T21:00:00.5Z'
    expected = 'Maya at 2026-02-28 20:30: "it is 2026-02-28T20:30:00Z", until 2026-02-28 21:00'
    assert on_clock(told, ZoneInfo("UTC")) == expected
