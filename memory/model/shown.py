"""What a caller gets to see: pages of lists, entities as their mentions in sight make them, a fact's history, a day.

A row is a mapping of column to value, as the statement that read it says; instants are UTC epoch seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memory.model.entities import Entity
from memory.model.facts import Evidence, Fact
from memory.model.timeline import Instant

Shown = TypeVar("Shown")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page(Generic[Shown]):
    """A stretch of a list, how long the whole list is, and the place (`mark`, `key`) the next stretch goes on from."""

    shown: Sequence[Shown]
    total: int
    last: tuple[float, str] | None


@dataclass(frozen=True, slots=True)
class ShownEntity:
    """An entity as one caller sees it. One born of a command and never mentioned counts from its birth."""

    entity: Entity
    first_seen: Instant
    last_seen: Instant
    mention_count: int
    session_count: int
    source_count: int
    about: tuple[Fact, ...]
    """The facts in sight that decide whether it is contradicted; their words are not loaded."""
    evidence: Mapping[str, tuple[Evidence, ...]]
    """fact id -> its latest evidence in sight; only the time is loaded."""


@dataclass(frozen=True, slots=True)
class History:
    """All there is to say about why a fact is believed."""

    fact: Row
    words: Sequence[Row]
    links: Sequence[Row]
    entities: Sequence[Row]
    changes: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Day:
    """What one stretch of time holds: telling segments in order, entities by mentions, feelings in order."""

    sessions: int
    telling: Sequence[Row]
    entities: Sequence[Row]
    feelings: Sequence[str]
