"""How a source is shown: what is said in it, and not twice what a sweep has heard once more."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cli import sources


def _segment(segment_id: str, text: str, replaced_by: str | None = None) -> dict[str, Any]:
    return {
        "segment_id": segment_id,
        "speaker": "Ann",
        "text": text,
        "at": "2026-03-01T23:30:00+00:00",
        "set_aside": None,
        "replaced_by": replaced_by,
    }


def test_what_was_heard_once_more_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    source = {
        "source_id": "walk",
        "kind": "conversation",
        "segments_count": 1,
        "status": "extracted",
        "last_error": None,
        "tags": [],
        "summary": None,
        "segments": [_segment("a", "the old town or the tickets", "s"), _segment("s", "the old town, are the tickets")],
    }
    sources._show_source(source, ZoneInfo("UTC"), as_json=False)
    shown = capsys.readouterr().out
    assert "are the tickets" in shown
    assert "or the tickets" not in shown
