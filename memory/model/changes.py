"""Changes: what a turn has committed. One shape for all nouns, so that evolving, undoing and explaining are one rule.

A change replaces the row `before` by the row `after`; either may be None. Facts are versions: `before` is closed and
`after` is the next version, neither is ever edited.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory.model.accesses import Access
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link, Note
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.model.sources import SourceState
from memory.model.timeline import Instant

WORDS_ERASED = "words erased"
"""The reason of a change that takes words from an entity or a group for good: they may not be read again."""
SEGMENT = "segment:"
"""Before the key of a segment, where what was erased is listed; before the id of a source stands accesses.SOURCE."""
Row = Entity | Mention | Fact | Evidence | Link | Note | Group | Profile | Access | SourceState
Key = tuple[object, ...]


def key_of(row: Row) -> Key:
    """The natural key of a row within its noun."""
    return _KEYS[type(row)](row)


_KEYS: dict[type, Callable[[Any], Key]] = {
    Entity: lambda row: (row.entity_id,),
    Mention: lambda row: (row.entity_id, row.segment_key),
    Fact: lambda row: (row.fact_id,),
    Evidence: lambda row: (row.fact_id, row.source_id, row.segment_key),
    Link: lambda row: (row.kind, row.from_id, row.to_id),
    Note: lambda row: (row.note_id,),
    Group: lambda row: (row.group_id,),
    Profile: lambda row: (),
    Access: lambda row: (row.id,),
    SourceState: lambda row: (row.source_id,),
}
NOUNS: dict[type, str] = {
    Entity: "entity",
    Mention: "mention",
    Fact: "fact",
    Evidence: "evidence",
    Link: "link",
    Note: "note",
    Group: "group",
    Profile: "profile",
    Access: "access",
    SourceState: "source",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One row replaced by another, and the rule that did it (past tense, e.g. "superseded")."""

    reason: str
    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        """The row this change is about, as it now stands or last stood."""
        row = self.after if self.after is not None else self.before
        assert row is not None
        return row

    @property
    def noun(self) -> str:
        """The noun of its row."""
        return NOUNS[type(self.row)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one claim: created, reinforced, superseded, disputed, invalidated, duplicate or settled."""

    fact_id: str
    outcome: str
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """All that one command changed, to be committed in one transaction."""

    command_id: str
    kind: str
    actor: str
    at: Instant
    changes: tuple[Change, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    read: tuple[tuple[int, int], ...] = ()
    """(segment key, revision) pairs whose reading is thereby done."""
    unread: tuple[int, ...] = ()
    """Keys whose reading was taken back."""
    quoted: tuple[tuple[int, int], ...] = ()
    """(segment key, revision) pairs that summaries of it quote: they must still stand in these words."""
    erased: tuple[str, ...] = ()
    """What is erased for good, words included: ids of what has one, `segment:` keys, `source:` ids."""
    undoes: str | None = None
