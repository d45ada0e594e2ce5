"""What is printed of an answer: its reasons, its limits, and never a command to the terminal."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from rich.table import Table

from cli import ask, console

FOUND = {
    "plan": {"steps": ["route: intent when by words", "fan-out: text 2"]},
    "results": [{"source_id": "s1", "segment_id": "g[7]"}],
    "explain": [{"score": 1.25, "why": "found by text (1); for it text +1.25"}],
}


def test_the_plan_and_the_reasons_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    ask.tell_reasons(FOUND)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["route", "intent", "when", "by", "words"],
        ["fan-out", "text", "2"],
        ["s1/g[7]", "1.25", "found", "by", "text", "(1);", "for", "it", "text", "+1.25"],
    ]


def test_nothing_is_printed_where_no_reasons_were_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    ask.tell_reasons({"results": FOUND["results"]})
    assert capsys.readouterr().out == ""


def test_a_recollection_that_abstains_says_so_beside_what_comes_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    ask.tell_limits({"results": FOUND["results"], "abstained": True})
    assert "Nothing here answers that" in capsys.readouterr().err
    ask.tell_limits({"results": FOUND["results"], "abstained": False})
    ask.tell_limits({"results": [], "abstained": True})
    assert capsys.readouterr().err == ""


def test_remembered_words_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    words = "\x1b[31mred\x07 \u202egnorw\x9b2J 👩\u200d👧"
    hit = {"timestamp": 0, "speaker": "Ann\x1b[2J", "text": words, "source_id": "s1", "segment_id": "1"}
    table = Table("said")
    table.add_row(words)
    ask.print_segments([hit], ZoneInfo("UTC"))
    ask.print_answer({"answer": f"{words}\nand more", "generated": False, "citations": []}, ZoneInfo("UTC"))
    console.out.print(table)
    printed = capsys.readouterr().out
    assert printed.count("[31mred gnorw2J 👩\u200d👧") == 3
    assert "\nand more" in printed
    assert not set(printed) & set("\x1b\x07\x9b\u202e")
