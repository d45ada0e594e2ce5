"""Messages of other programs become the same segments whichever dialect they came in."""

from __future__ import annotations

import pytest

from deployments.use_cases.messages_told import MessageIn, MessagesTold, message_of, messages_of, source_of_messages
from memory.errors import Invalid
from memory.model.profile import Profile

MAYA = Profile(name="Maya", time_zone="Europe/Lisbon")
NOON = 1_782_903_600.0
"""2026-07-01 12:00 in Lisbon."""


@pytest.mark.parametrize(
    ("role", "name", "speaker", "ours"),
    [
        ("user", None, "Maya", "user"),
        ("Human", "", "Maya", "user"),
        ("user", "maya", "maya", "user"),
        ("user", "Ben", "Ben", "other"),
        ("assistant", None, "assistant", "assistant"),
        ("ai", "Annie", "Annie", "assistant"),
        ("function", None, "tool", "tool"),
        ("system", None, "system", "tool"),
        ("narrator", "Ben", "Ben", "other"),
    ],
)
def test_who_speaks(role: str, name: str | None, speaker: str, ours: str) -> None:
    said = message_of(role, "I moved.", name).segment(MAYA)
    assert (said.speaker, said.role, said.text) == (speaker, ours, "I moved.")


def test_words_of_parts_are_lines_and_what_is_no_text_has_none() -> None:
    parts = [{"type": "text", "text": "Look at"}, {"type": "image_url", "image_url": {}}, {"text": "this"}]
    assert MessageIn.model_validate({"content": parts}).words == "Look at\nthis"
    assert MessageIn.model_validate({"content": {"type": "refusal", "refusal": "No."}}).words == "No."
    assert [each.words for each in MessageIn.model_validate({"content": parts}).parts] == ["Look at", None, "this"]


def test_messages_without_words_are_left_out_and_nothing_else_is_refused() -> None:
    said = [MessageIn(content="I moved."), MessageIn(content=" "), MessageIn()]
    assert [each.words() for each in messages_of(said)] == ["I moved."]
    with pytest.raises(Invalid):
        messages_of(said[1:])


def test_a_source_of_messages_is_numbered_and_stands_where_its_owner_lives() -> None:
    messages = [message_of("user", "I moved."), message_of("assistant", "Where to?")]
    told = MessagesTold(dialect="mem0", messages=messages, provenance={"agent_id": "a"})
    source = source_of_messages("mem0-1", told, MAYA, NOON)
    assert source.started_at == "2026-07-01T12:00:00+01:00"
    assert source.provenance == {"told_by": "mem0", "agent_id": "a"}
    assert [each.segment_id for each in source.segments] == ["1", "2"]
    assert "kind" not in source.model_fields_set, "told again it changes no kind that somebody gave it"
