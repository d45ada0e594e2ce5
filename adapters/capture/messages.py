"""Messages of a chat as other programs export them, with ids of their own, as bodies for POST /v1/sources.

A source is a stretch of one chat: it ends with six silent hours, a day after its first message, or as much as a source
may have. Its id is made of the chat's and of its first message's, so that neither the zone nor a second import
changes it, and an export that has grown adds only what is new. An edited message keeps its id and gets other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from adapters.capture.bodies import STEP_S, Body, SpokenTurn, name_of, pieces, raw_of, spoken_s, written
from adapters.capture.jsonl import Rejected
from adapters.capture.text import TextFile
from memory.errors import Invalid
from memory.model.ids import digest
from memory.model.timeline import Instant, instant

MOST_NAMES = 1_000
"""Participants that a source may name."""
SILENCE_S = 6 * 3600.0
"""As in a WhatsApp chat: a night."""
LONGEST_S = 24 * 3600.0
MOST_MESSAGES = 5_000
"""Of one source, a quarter of what one may hold: long messages become several segments (chosen)."""
MOST_HELD = 8_000_000
"""Characters of one source, with what its messages came as: 5,000 usual ones have 5 million. In any alphabet they fit
into a line of an archive (adapters/archives/reading.py)."""
_SHORT = 200
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """Who wrote what and when; `key` is its id in the chat, `raw` the message as it came, in JSON."""

    key: str
    at: Instant
    speaker: str
    text: str
    role: str | None = None
    raw: str | None = None

    @property
    def size(self) -> int:
        """Characters that it takes."""
        return len(self.text) + len(self.raw or "")


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One chat: how its file's format is called, what kind of source it is, its own id, and what else is known."""

    form: str
    kind: str
    key: str
    known: Mapping[str, str] = field(default_factory=dict)


class Stretches:
    """Cuts the messages of one chat, given one by one, into sources."""

    def __init__(self, file: TextFile, chat: ExportedChat) -> None:
        self._file, self._chat = file, chat
        self._held: list[ChatMessage] = []
        self._size = 0

    def add(self, message: ChatMessage) -> Iterator[Body]:
        """One more message; the source that ends with it, if one does."""
        if self._held and self._ends(message):
            yield from self.end()
        self._held.append(message)
        self._size += message.size

    def end(self) -> Iterator[Body]:
        """What is held, as the last source."""
        if self._held:
            held, self._held, self._size = self._held, [], 0
            yield body_of_messages(self._file, self._chat, held)

    def _ends(self, message: ChatMessage) -> bool:
        first, last = self._held[0].at, self._held[-1].at
        is_full = len(self._held) >= MOST_MESSAGES or self._size + message.size > MOST_HELD
        return is_full or message.at - last >= SILENCE_S or message.at - first >= LONGEST_S


def bodies_of_chat(file: TextFile, chat: ExportedChat, messages: Iterable[ChatMessage]) -> Iterator[Body]:
    """All messages of a chat, in order, as sources."""
    stretches = Stretches(file, chat)
    for message in messages:
        yield from stretches.add(message)
    yield from stretches.end()


def body_of_messages(
    file: TextFile, chat: ExportedChat, messages: list[ChatMessage], *, began: Instant | None = None
) -> Body:
    """One source of at least one message. Those of a thread tell when it `began`: only some of it may be at hand."""
    start = min(message.at for message in messages) if began is None else began
    key = messages[0].key if began is None else "began"
    messages = list({message.key: message for message in messages}.values())
    known = {name: shown(value)[:_SHORT] for name, value in chat.known.items() if shown(value)}
    latest = max(start, *(message.at for message in messages)) + STEP_S
    return {
        "source_id": f"{chat.form}-{digest(chat.key, key).hex()}",
        "kind": chat.kind,
        "started_at": written(datetime.fromtimestamp(start, file.zone)),
        "ended_at": written(datetime.fromtimestamp(latest, file.zone)),
        "participants": list(dict.fromkeys(name_of(message.speaker) for message in messages))[:MOST_NAMES],
        "provenance": {"file": file.path.name[:_SHORT], "format": chat.form, "dated_by": "text", **known},
        "segments": [segment for message in messages for segment in _segments(message, start)],
    }


def _segments(message: ChatMessage, start: Instant) -> Iterator[dict[str, Any]]:
    begins = max(0.0, round(message.at - start, 3))
    turn = SpokenTurn(name_of(message.speaker), message.text, begins, round(begins + spoken_s(message.text), 3))
    for number, piece in enumerate(pieces(turn), start=1):
        yield {
            "segment_id": digest(message.key, number).hex(),
            "speaker": piece.speaker,
            "text": piece.text,
            "start": piece.start,
            "end": piece.end,
            **({"role": message.role} if message.role else {}),
            **({"raw": message.raw} if message.raw and number == 1 else {}),
        }


def message_of(
    file: TextFile, key: object, at: Instant | None, said: tuple[str, str | None, str], raw: Mapping[str, Any]
) -> ChatMessage | None:
    """A message as it may be stored, said by (speaker, role, text); None where it has no words, or no time, which is
    set aside. `raw` is all of it."""
    speaker, role, text = said
    words = storable(text).strip()
    if not words:
        return None
    try:
        moment = instant(at if at is not None else float("nan"))
    except Invalid:
        file.set_aside(Rejected(0, 0, "a message without a time, or with one outside the years 1900 to 2199"))
        return None
    name = name_of(storable(speaker))
    identity = str(key)[:_SHORT] or digest(moment, name, words).hex()
    return ChatMessage(identity, moment, name, words, role, raw_of(json.dumps(raw, ensure_ascii=False)))


def storable(text: object) -> str:
    """A text without what no database takes: lone halves of characters, and NUL. Anything else is no text."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", "") if isinstance(text, str) else ""


def shown(text: object) -> str:
    """A short text on one line."""
    return " ".join("".join(each if each.isprintable() else " " for each in storable(text)).split())


def moment_of(value: object) -> Instant | None:
    """Epoch seconds, as a number or in digits, or ISO 8601 with a zone; None for anything else."""
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return found.timestamp() if found is not None and found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def local_moment(file: TextFile, value: object) -> Instant | None:
    """A wall clock time in ISO 8601, meant in the file's zone."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if found is None else (found if found.tzinfo else found.replace(tzinfo=file.zone)).timestamp()
    except (ValueError, OverflowError):
        return None


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one: exports differ, and some are damaged."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
