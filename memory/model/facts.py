"""Facts: statements about an entity, each a chain of versions on two time axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant, Interval

FACT_KINDS = ("factual", "preference", "procedural", "architectural", "opinion", "meta")
STATUSES = ("active", "superseded", "invalidated", "forgotten", "pruned")


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one fact.

    `valid_*` is when it was true, `system_*` when we believed so; half-open, None is open. A change never edits a
    version: it closes `system_to` and opens the next version in the same transaction.
    """

    fact_id: str
    version: int
    subject_id: str
    statement: str
    kind: str
    importance: int
    confidence: float
    valid_from: Instant
    system_from: Instant
    predicate: str | None = None
    object: str | None = None
    object_id: str | None = None
    slot: str | None = None
    polarity: bool = True
    valid_to: Instant | None = None
    system_to: Instant | None = None
    stability: float = 1.0
    status: str = "active"
    state: str = "candidate"
    protected: bool = False
    """Confirmed by the user: it does not decay."""
    judged_by: str = "rules"
    sensitivity: Sensitivity = Sensitivity.OPEN
    updated_at: Instant | None = None
    """When it was last judged; None = with this version. A version that only moved it does not start it anew."""

    def __post_init__(self) -> None:
        if self.valid_to is not None and self.valid_to < self.valid_from:
            raise ValueError(f"Fact {self.fact_id} cannot end before it begins.")

    @property
    def since(self) -> Instant:
        """When it was last judged: strength fades from there (seed 003's `updated_at`)."""
        return self.system_from if self.updated_at is None else self.updated_at

    @property
    def valid(self) -> Interval:
        """When it was true."""
        return Interval(self.valid_from, self.valid_to)

    @property
    def believed(self) -> bool:
        """Whether this version is what we hold to be the case now, or was until it was superseded."""
        return self.status in ("active", "superseded")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A segment (or a command, with `segment_key` None) that supports a fact."""

    fact_id: str
    source_id: str
    segment_key: int | None
    quote: str
    at: Instant
    revision: int = 1
    """The revision of the segment that was read."""
    holds_from: Instant | None = None
    """Since when these words say it is so; None = since they were said."""
    earlier: tuple[Instant, ...] = ()
    """Moments before that for which the same words vouch as well, in order: "I live here. I have since 2018."."""

    @property
    def since(self) -> Instant:
        """The last moment for which these words vouch."""
        return self.at if self.holds_from is None else self.holds_from

    @property
    def moments(self) -> tuple[Instant, ...]:
        """Every moment for which these words vouch, in order."""
        return (*self.earlier, self.since)

    def telling(self, moments: Iterable[Instant]) -> Evidence:
        """The same words, vouching for these moments; at least one."""
        *earlier, last = sorted(set(moments))
        return replace(self, holds_from=None if last == self.at else last, earlier=tuple(earlier))


def moments_of(fact: Fact, evidence: Iterable[Evidence]) -> tuple[Instant, ...]:
    """Every moment for which a fact is said to be so, in order: its beginning, and what else its words vouch for."""
    told = {each for words in evidence for each in words.moments if each > fact.valid_from}
    return (fact.valid_from, *sorted(told))


@dataclass(frozen=True, slots=True)
class Link:
    """A typed, directed relation between two facts or entities, by id; two are at most linked once a kind."""

    kind: str
    """supersedes, interrupts, disputes; derived_from, of a meta fact to what it rests on; describes, of an
    entity to the facts its description rests on; causes, of a cause to its effect."""
    from_id: str
    to_id: str
    weight: float = field(default=1.0, compare=False)
    judged_by: str = field(default="rules", compare=False)
    """Who says so: rules, or the name of the language model that proposed it."""


AGAINST = ("supersedes", "interrupts")
"""Links by which words end a fact: for good, or, of another sensitivity, until its own next words."""


@dataclass(frozen=True, slots=True)
class Note:
    """A short authored remark on an entity or a fact, with a lifetime."""

    note_id: str
    about_id: str
    text: str
    author: str
    created_at: Instant
    lifetime: str = "month"
    source_id: str | None = None
    sensitivity: Sensitivity = Sensitivity.OPEN
    """That of what it was written about, when it was."""


NOTE_LIFETIME_DAYS: dict[str, float | None] = {"week": 7, "month": 30, "year": 365, "forever": None}
