"""Erasing: what is asked for, the pieces that follow once words are gone, and the receipt of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memory.model.sources import SessionPart
from memory.model.timeline import Instant

WITHDRAW, ENTITY, FILES, MEMORY = "withdraw", "entity", "files", "memory"
"""What the pieces are called."""


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """Who asks to forget something, and by which receipt it is told."""

    receipt_id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class WithdrawnSegments:
    """Segments whose words are gone, and that a memory is to believe no more."""

    segment_keys: tuple[int, ...]
    source_id: str | None
    """The source, if it is gone as a whole."""
    taught: tuple[tuple[str, tuple[str, ...]], ...]
    """(entity id, digests of the words by which these segments meant it)."""
    own: bool
    """Whether it is the memory of whoever asked."""


@dataclass(frozen=True, slots=True)
class WithdrawnEntity:
    """An entity that is to be forgotten, and the id of the command that does it."""

    entity_id: str
    command_id: str


@dataclass(frozen=True, slots=True)
class CapturedSource:
    """A source in the raw files it came from."""

    scope: str
    source_id: str
    session_id: str
    parts: tuple[SessionPart, ...]
    """All the sources its session has become; of one segment, whose words lie in no file, when its sound was. What is
    near to several of them in a session file is of the last of these."""
    spared: tuple[SessionPart, ...] = ()
    """What was heard meanwhile that whoever asked may not see: its sound stays."""


@dataclass(frozen=True, slots=True)
class ListedSounds:
    """The sound of a user as it was listed: the names of sessions."""

    user: str
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedFiles:
    """The raw files of a user as they were listed."""

    files: Mapping[str, int]
    """Session file, below the folder of all -> how long it was, in bytes."""
    sounds: ListedSounds | None = None


Erased = WithdrawnSegments | WithdrawnEntity | CapturedSource | ListedFiles
"""What a piece needs to know: `withdraw`, `entity`, `files` and `memory` in this order."""


@dataclass(frozen=True, slots=True)
class ErasureTask:
    """A piece of what is still to be erased, in one memory or its files."""

    receipt_id: str
    task: str
    user_id: str
    told: Erased
    attempts: int = 0
    """How many have failed."""


@dataclass(frozen=True, slots=True)
class ErasedPiece:
    """How far one piece of a receipt has come."""

    task: str
    own: bool
    """Whether it lies in the memory of whoever asked."""
    done_at: Instant | None


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """A receipt as it is kept, without the names of what was erased."""

    receipt_id: str
    what: str
    """source (or one of its segments), entity, voice, memory."""
    id: str
    """A keyed hash; of a whole memory its user."""
    at: Instant
    counts: Mapping[str, int]
    """Noun -> how many are gone."""
    settled_at: Instant | None
    """When the last piece was done."""
    swept_from: Instant | None
    swept_at: Instant | None
    """When the last sweep of the database's files began and was over."""
    denied: Mapping[str, str] = field(default_factory=dict)
    """Place -> why it was not swept."""
    pieces: tuple[ErasedPiece, ...] = ()
