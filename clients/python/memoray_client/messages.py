"""Messages: what was said, from the forms in which programs hold a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

ROLES = ("user", "assistant", "tool", "other")
"""Whose words the memory tells apart. Those of other roles (system, developer) are instructions that nobody said."""


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance; `start` and `end` are seconds from the start of the conversation.

    With a `segment_id` a message that is added again takes the place of what stood there under it.
    """

    text: str
    speaker: str = "user"
    role: str | None = None
    segment_id: str | None = None
    start: float | None = None
    end: float | None = None
    language: str | None = None


Said = Message | Mapping[str, Any]
"""A message, or a chat message as OpenAI's API has them: `{"role": ..., "content": ..., "name"?: ...}`."""


def segments_of(messages: Sequence[Said]) -> list[dict[str, Any]]:
    """Messages as segments of POST /v1/sources. Raises ValueError where none of them has words."""
    said = [each if isinstance(each, Message) else _chat_message(each) for each in messages]
    segments = [
        {name: value for name, value in asdict(each).items() if value is not None}
        for each in said
        if each is not None and each.text.strip()
    ]
    if not segments:
        raise ValueError("There is nothing to add: no message of a user, an assistant or a tool has words.")
    return segments


def _chat_message(raw: Mapping[str, Any]) -> Message | None:
    role = raw.get("role")
    if not isinstance(role, str):
        raise ValueError("A message is a Message, or has a role and content.")
    if role not in ROLES:
        return None
    return Message(text_of(raw.get("content")), str(raw.get("name") or role), role)


def text_of(content: object) -> str:
    """The words of a content that is text, or a list of parts; pictures and other parts have none."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = (part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))
