"""What the methods of both clients take by name. Every one of them may be left out."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypedDict

When = datetime | str
"""A time, or what the server reads as one: `2026-03-01`, ISO 8601, `yesterday`.

Without a zone a datetime is meant where this program runs, and a text where the owner of the memory lives."""
Budget = int | Literal["auto"]


class Options(TypedDict, total=False):
    """What every method takes."""

    user_id: str
    """For whom an administrator's token acts."""


class CommandOptions(Options, total=False):
    """What a command takes."""

    key: str
    """Its Idempotency-Key: the same one again is the same command once. A client makes one for each call."""


class PageOptions(Options, total=False):
    """A page of a list."""

    limit: int
    cursor: str
    """As the page before told it."""


class AddOptions(Options, total=False):
    """Where messages belong."""

    source_id: str
    """Of a conversation that goes on: it is added to. By default each call is a source of its own."""
    started_at: When
    """When the whole source began; default: now. Give it again with the same `source_id`."""
    kind: Literal["conversation", "voice_memo", "meeting", "email", "slack", "note", "document"]
    sensitivity: Literal["open", "private", "sensitive"]


class AskOptions(Options, total=False):
    """What a question is narrowed to."""

    limit: int
    after: str
    """A date, `last_week` or `last_month`."""
    before: str
    entity: str
    """The name or id of what has to be mentioned."""
    as_of: When
    """Answered with what was valid then."""
    known_as_of: When
    """Answered with what had been committed by then."""
    effort: Literal["normal", "careful"]
    """`careful`: results in the order in which they answer."""


class FactsOptions(PageOptions, total=False):
    """Which facts."""

    subject: str
    predicate: str
    status: Literal["active", "superseded", "invalidated", "forgotten", "pruned", "all"]
    as_of: When
    known_as_of: When


class PromisesOptions(PageOptions, total=False):
    """Which promises."""

    state: Literal["open", "kept", "broken", "expired"]
    by: str
    to: str


class TimelineOptions(PageOptions, total=False):
    """Which stretch of time, and about whom."""

    after: str
    before: str
    entity: str
