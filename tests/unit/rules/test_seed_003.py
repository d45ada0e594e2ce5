"""Seed 003 to the letter: preset personal-ai decides by bands of similarity alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from config.settings import load
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.verdicts import Judgement, Judging, Verdict
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from memory.rules.parameters import Revision
from memory.rules.rivals import FactVectors, Resemblance

OLD = "Ida's desk is green"


class PersonalAi:
    """A memory of the preset: every statement is told with its similarity to the first one."""

    def __init__(self, revision: Revision) -> None:
        self.rules, self.believed, self.now = Rules(revision=revision), WorkingSet("u"), 2e9
        self.vectors, self.seen = FactVectors(), 0

    def tell(self, statement: str, alike: float | None = 1.0, verdict: str = "unrelated", **rest: object) -> ChangeSet:
        self.now, self.seen = self.now + 1, self.seen + 1
        vector = np.zeros(64, np.float32)
        vector[0], vector[self.seen] = alike or 0.0, np.sqrt(1 - (alike or 0.0) ** 2)
        told = {} if alike is None else {statement: vector}
        claim = Claim("Ida", statement, 1, statement, **rest)  # type: ignore[arg-type]
        command = c.Remember(command_id=f"t{self.seen}", claims=(claim,), judging=Judging("judge", closed=True))
        fresh = decide(self.believed, command, self.now, self.rules, Resemblance(self.vectors, told)).outcomes[0]
        judged = tuple(Judgement(fresh.fact_id, each, Verdict(verdict), "judge") for each in self.believed.facts)
        command = replace(command, judging=Judging("judge", judged, closed=True))
        done = decide(self.believed, command, self.now, self.rules, Resemblance(self.vectors, told))
        self.believed = evolve(self.believed, done.changes)
        self.vectors.put({f: vector for f in self.believed.facts if told and f not in self.vectors})
        return done

    def fact(self, statement: str):  # type: ignore[no-untyped-def]
        return next(each for each in self.believed.facts.values() if each.statement == statement)


@pytest.fixture
def memory(tmp_path: Path) -> PersonalAi:
    return PersonalAi(load(tmp_path, {"preset": "personal-ai"}, environ={}).revision)


@pytest.mark.conforms("003:belief.confidence_default", "003:remember.without_embedding")
def test_a_belief_begins_at_0_6_and_without_a_vector_meets_nobody(memory: PersonalAi) -> None:
    memory.tell(OLD)
    assert memory.tell("Ida's desk is green.", None).outcomes[0].outcome == "created"
    assert {each.confidence for each in memory.believed.facts.values()} == {0.6}


@pytest.mark.conforms("003:similarity.reinforce_above", "003:reinforce.confidence")
@pytest.mark.parametrize(("alike", "outcome"), [(0.86, "reinforced"), (0.84, "created")])
def test_above_0_85_a_belief_is_reinforced_by_0_1_whatever_it_says(
    memory: PersonalAi, alike: float, outcome: str
) -> None:
    memory.tell(OLD)
    assert memory.tell("Ida's desk is not green, it is 2 m long", alike).outcomes[0].outcome == outcome
    assert memory.fact(OLD).confidence == pytest.approx(0.7 if outcome == "reinforced" else 0.6)


@pytest.mark.conforms("003:similarity.contradict_above")
@pytest.mark.parametrize(("alike", "status"), [(0.71, "invalidated"), (0.69, "active")])
def test_from_0_70_on_a_contradiction_is_looked_for(memory: PersonalAi, alike: float, status: str) -> None:
    memory.tell(OLD)
    memory.tell("Ida's desk is blue", alike, "contradicts")
    assert memory.fact(OLD).status == status


@pytest.mark.conforms("003:contradiction.supporting_episodes", "003:weaken.confidence")
@pytest.mark.parametrize(("episodes", "status"), [(2, "invalidated"), (3, "active")])
def test_three_episodes_weaken_instead_of_invalidating(memory: PersonalAi, episodes: int, status: str) -> None:
    for _ in range(episodes):
        memory.tell(OLD)
    before = memory.fact(OLD).confidence
    memory.tell("Ida's desk is blue", 0.8, "contradicts")
    fact = memory.fact(OLD)
    assert fact.status == status
    assert fact.confidence == pytest.approx(before - 0.2 if status == "active" else before)
    fresh = memory.fact("Ida's desk is blue")
    assert ("supersedes", fresh.fact_id, fact.fact_id) in {
        (each.kind, each.from_id, each.to_id) for each in memory.believed.links
    }


@pytest.mark.conforms("003:weaken.minimum")
def test_weakening_stops_at_0_1(memory: PersonalAi) -> None:
    for _ in range(3):
        memory.tell(OLD)
    for number in range(6):
        memory.tell(f"Ida's desk is colour {number}", 0.8, "contradicts")
    assert memory.fact(OLD).confidence == pytest.approx(0.1)


@pytest.mark.conforms("003:reinforce.cap")
def test_confidence_is_capped_at_one(memory: PersonalAi) -> None:
    for _ in range(7):
        memory.tell(OLD)
    assert memory.fact(OLD).confidence == 1.0


@pytest.mark.conforms("003:similarity.link_above", "003:links.neighbours", "003:similarity.rivals")
def test_three_neighbours_between_0_40_and_0_85_are_linked(memory: PersonalAi) -> None:
    memory.tell(OLD)
    for number, alike in enumerate((0.39, 0.41)):
        memory.tell(f"Ida has lamp {number}", alike)
    linked = [
        each for each in memory.believed.links if each.kind == "similar" and each.to_id == memory.fact(OLD).fact_id
    ]
    assert [each.weight for each in linked] == [pytest.approx(0.41, abs=1e-3)]
    for number in range(4):
        memory.tell(f"Ida has chair {number}", 0.8)
    chair = memory.fact("Ida has chair 3").fact_id
    assert sum(each.kind == "similar" and each.from_id == chair for each in memory.believed.links) == 3
    assert memory.rules.revision.rivals == 5


def test_the_preset_knows_no_slots(memory: PersonalAi) -> None:
    memory.tell("Ida lives in Oslo", 1.0, predicate="lives_in", object="Oslo")
    memory.tell("Ida lives in Bergen", 0.5, predicate="lives_in", object="Bergen")
    assert {each.status for each in memory.believed.facts.values()} == {"active"}


@pytest.mark.conforms("003:similarity.reinforce_above", "001:idempotency.segments")
def test_the_same_words_of_the_same_place_are_the_same_belief_unless_it_is_no_longer_held(memory: PersonalAi) -> None:
    memory.tell(OLD, 0.3)
    memory.seen = 0
    assert memory.tell(OLD, 0.3).outcomes[0].outcome == "duplicate"
    forgotten = c.ForgetFact(command_id="f", fact_id=memory.fact(OLD).fact_id)
    memory.believed = evolve(memory.believed, decide(memory.believed, forgotten, 2e9 + 9, memory.rules).changes)
    memory.seen = 0
    assert memory.tell(OLD, 0.3).outcomes[0].outcome == "created"
    assert memory.fact(OLD).status == "active"
