"""A memory without a journal: commands in, beliefs out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.facts import Fact
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, carry_out
from memory.rules.rivals import FactVectors, Resemblance

NOON = 1_700_000_000.0
DAY = 86_400.0


class Memory:
    """Decides and believes; time moves a second a command."""

    def __init__(
        self, name: str = "Maya", vectors: Mapping[str, np.ndarray] | None = None, rules: Rules | None = None
    ) -> None:
        self.believed = WorkingSet("u")
        self.rules = rules or Rules()
        self.now = NOON + 1000 * DAY
        self.vectors = {words: vector / np.linalg.norm(vector) for words, vector in (vectors or {}).items()}
        self.fact_vectors = FactVectors()
        self.turn(c.SetProfile(command_id="profile", profile=Profile(name=name)))

    def turn(self, command: c.Command) -> ChangeSet:
        self.now += 1
        resemblance = Resemblance(self.fact_vectors, self.vectors)
        changes, drafted = carry_out(self.believed, command, self.now, self.rules, resemblance)
        self.believed = evolve(self.believed, changes.changes)
        assert drafted == self.believed, "what a turn drafts is what its changes come to"
        for fact in self.believed.facts.values():
            if fact.statement in self.vectors:
                self.fact_vectors.put({fact.fact_id: self.vectors[fact.statement]})
        return changes

    def hear(
        self,
        key: int,
        *claims: Claim,
        at: float = NOON,
        source: str | None = None,
        speaker: str = "Maya",
        role: str = "user",
        revision: int = 1,
        sightings: tuple[Sighting, ...] = (),
        words: str = "",
        sensitivity: int = 0,
    ) -> ChangeSet:
        """One segment, in a source of its own unless said otherwise."""
        read = c.ReadSegment("user:u", source or f"s{key}", key, revision, at, speaker, role, sensitivity, words)
        identity = f"hear-{source}-{key}-{revision}-{len(claims)}"
        return self.turn(
            c.AcceptReading(command_id=identity, actor="extraction", read=(read,), claims=claims, sightings=sightings)
        )

    def fact(self, statement: str) -> Fact:
        return next(fact for fact in self.believed.facts.values() if fact.statement == statement)

    def active(self, predicate: str | None = None) -> list[str]:
        facts = self.believed.facts.values()
        return sorted(f.statement for f in facts if f.status == "active" and predicate in (None, f.predicate))


def lives(place: str, key: int = 1, **rest: Any) -> Claim:
    return Claim(
        "Maya", f"Maya lives in {place}", key, f"I live in {place}", predicate="lives_in", object=place, **rest
    )


def says(statement: str, key: int = 1, **rest: Any) -> Claim:
    return Claim(rest.pop("subject", "Maya"), statement, key, statement, **rest)
