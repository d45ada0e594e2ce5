"""Words and a fact are shown alike, each with what it said before."""

from __future__ import annotations

from typing import Any

from deployments.use_cases.facts import FactOut
from deployments.use_cases.heard import HeardSegment
from deployments.use_cases.named import named_fact, named_words

FACT: dict[str, Any] = FactOut.model_json_schema()["examples"][0]
SAID: dict[str, Any] = {
    "source_id": "breakfast",
    "segment_id": "1",
    "speaker": "Maya",
    "role": "user",
    "text": "I moved to Porto.",
    "at": 0.0,
    "changed_at": 60.0,
    "provenance": {"agent_id": "a"},
    "wordings": ["I moved to Lisbon."],
}


def test_words_tell_what_they_said_before_and_since_when() -> None:
    shown = named_words(HeardSegment(**SAID))
    assert (shown.asked, shown.named, shown.text) == (("breakfast", "1"),) * 2 + ("I moved to Porto.",)
    assert shown.wordings == [
        ("I moved to Lisbon.", "1970-01-01T00:00:00Z"),
        ("I moved to Porto.", "1970-01-01T00:01:00Z"),
    ]
    assert shown.more == {"role": "user", "speaker": "Maya", "source_id": "breakfast", "segment_id": "1"}


def test_a_fact_is_known_by_what_it_was_asked_for_and_shown_as_it_holds() -> None:
    before = FactOut(**FACT | {"fact_id": "f-1", "statement": "Maya lives in Lisbon.", "status": "superseded"})
    after = FactOut(**FACT | {"fact_id": "f-2", "statement": "Maya lives in Porto."})
    shown = named_fact([before, after])
    assert (shown.asked, shown.named, shown.text) == (["f-1"], ["f-2"], "Maya lives in Porto.")
    assert [text for text, _ in shown.wordings] == ["Maya lives in Lisbon.", "Maya lives in Porto."]
    assert (shown.provenance, shown.more) == ({}, {"fact_id": "f-2", "status": "active"})
