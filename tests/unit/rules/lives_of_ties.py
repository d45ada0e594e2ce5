"""Invented ties: circles of people and things that are named together, and how they change from night to night."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.model.working_set import WorkingSet, assemble
from memory.rules.ties import Ties, ties_of

MAY = 1_714_521_600.0
"""The first of May 2024, UTC."""


def named(segment: int, *who: str, day: float = 0.0, source: str | None = None, level: int = 0) -> list[Mention]:
    """Who is named in one segment, of a source of its own unless it is named."""
    at = MAY + day * DAY_S
    return [Mention(each, source or f"s{segment}", segment, at, each, sensitivity=Sensitivity(level)) for each in who]


def fact(identity: str, subject: str, object_: str | None, confidence: float = 0.8, **more: object) -> Fact:
    return Fact(identity, 1, subject, identity, "factual", 5, confidence, MAY, MAY, object_id=object_, **more)  # type: ignore[arg-type]


def said(identity: str, source: str, day: float = 0.0, segment: int | None = None) -> Evidence:
    return Evidence(identity, source, segment, identity, MAY + day * DAY_S)


def entities(ids: Iterable[str], type_: str = "person", **more: object) -> list[Entity]:
    return [Entity(each, type_, each, 0.9, MAY, **more) for each in ids]  # type: ignore[arg-type]


def memory(*rows: object) -> WorkingSet:
    """A working set of rows and lists of rows."""
    flat = [each for row in rows for each in (row if isinstance(row, list) else [row])]
    return assemble("u", 1, Profile(), flat)


def ties(*rows: object) -> Ties:
    return ties_of(memory(*rows))


@dataclass
class Lives:
    """Circles of people whose members are named together; every night a few segments come and a few members go."""

    circles: int = 12
    size: int = 12
    seed: int = 1
    segments: list[list[Mention]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.people = [[f"e{number:02}-{place:02}" for place in range(self.size)] for number in range(self.circles)]
        self.day = 0.0
        for _ in range(25 * self.circles):
            self.talk()

    def talk(self) -> None:
        """Two to four of one circle are named together, now and then with somebody of another."""
        circle = self.people[int(self.rng.integers(self.circles))]
        count = int(self.rng.integers(2, 5))
        who = [circle[each] for each in self.rng.choice(len(circle), count, replace=False)]
        if self.rng.random() < 0.15:
            other = self.people[int(self.rng.integers(self.circles))]
            who[0] = other[int(self.rng.integers(len(other)))]
        self.segments.append(named(len(self.segments), *dict.fromkeys(who), day=self.day))

    def night(self, change: float = 0.01) -> None:
        """A day more: so many of all segments are new; every other night somebody moves to another circle."""
        self.day += 1.0
        for _ in range(max(1, round(change * len(self.segments)))):
            self.talk()
        if self.rng.random() < 0.5:
            here, there = self.rng.choice(self.circles, 2, replace=False)
            if len(self.people[here]) > 4:
                self.people[there].append(self.people[here].pop(int(self.rng.integers(len(self.people[here])))))

    def ties(self) -> Ties:
        ids = sorted(each for circle in self.people for each in circle)
        return ties(entities(ids), *self.segments)


def sets(*members: str) -> Sequence[frozenset[str]]:
    """Sets of one-letter members."""
    return [frozenset(each) for each in members]
