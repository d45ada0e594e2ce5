"""Messages: segments that tell who said what, and not under which id or at which second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from adapters.capture.bodies import STEP_S
from memory.errors import Invalid
from memory.model.ids import digest

MOST_S = 31_536_000
"""Seconds from the start of a source at which something in it may be said: a year."""


class StoredMessage(Protocol):
    """What of a segment is looked at here; None is what was not told."""

    @property
    def segment_id(self) -> str | None:
        """Its id within the source."""

    @property
    def speaker(self) -> str:
        """Who said it."""

    @property
    def text(self) -> str:
        """What was said."""

    @property
    def start(self) -> float | None:
        """Seconds from the start of the source."""

    @property
    def end(self) -> float | None:
        """Seconds from the start of the source."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The id of a segment, and its seconds from the start of the source."""

    segment_id: str
    start: float
    end: float


def placed(messages: Sequence[StoredMessage]) -> list[Placed]:
    """Every message with its id and its place, those it tells as they are.

    An id is made of speaker, words and the place among equal messages, as an import makes it: the same body told again
    is the same source, and a conversation that has grown keeps the ids it had. A message without seconds is said a
    millisecond after what stands before it: that keeps the order and feigns no time. Raises Invalid.
    """
    seen: Counter[tuple[str, str]] = Counter()
    done: list[Placed] = []
    for message in messages:
        identity = message.segment_id
        if identity is None:
            seen[message.speaker, message.text] += 1
            identity = digest(message.speaker, message.text, seen[message.speaker, message.text]).hex()
        after = round(done[-1].end + STEP_S, 3) if done else 0.0
        start = message.start if message.start is not None else min(after, message.end or after)
        end = message.end if message.end is not None else start
        if end > MOST_S:
            raise Invalid(
                f"segments.{len(done)}.start: must be told, for what stands before it is a year from the start."
            )
        done.append(Placed(identity, start, end))
    if len({each.segment_id for each in done}) != len(done):
        raise Invalid("segment_id must be unique within a source.")
    return done
