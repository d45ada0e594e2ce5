"""What `--explain` prints beside an answer."""

from __future__ import annotations

import pytest

from cli import ask

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
