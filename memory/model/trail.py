"""Trail: what the last turns have touched, so that whoever follows a memory need not compare all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.model.changes import Change
from memory.model.facts import Evidence, Fact

LAST = 32
"""Turns that are remembered: a few seconds of a night, whose turns touch 500 facts each (chosen)."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """How facts and their evidence came to be as they stand in these two tables, and in no other."""

    facts: Mapping[str, object] = field(default_factory=dict)
    evidence: Mapping[str, object] = field(default_factory=dict)
    mark: object = field(default_factory=object)
    """What later trails know this one by."""
    steps: tuple[tuple[object, tuple[str, ...]], ...] = ()
    """The mark that each of the last turns began at, and the ids of the facts that it touched; the latest last."""

    def led(self, changes: Iterable[Change], facts: Mapping[str, object], evidence: Mapping[str, object]) -> Trail:
        """The trail after a turn that made these changes, and left these tables."""
        rows = (change.row for change in changes)
        touched = tuple(dict.fromkeys(row.fact_id for row in rows if isinstance(row, Fact | Evidence)))
        return Trail(facts, evidence, steps=(*self.steps, (self.mark, touched))[-LAST:])

    def since(self, earlier: Trail) -> dict[str, None] | None:
        """Ids of the facts that were touched since then, in order; None if that is not remembered."""
        marks = [mark for mark, _ in self.steps] + [self.mark]
        if earlier.mark not in marks:
            return None
        steps = self.steps[marks.index(earlier.mark) :]
        return dict.fromkeys(each for _, touched in steps for each in touched)
