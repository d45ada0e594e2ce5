"""Descriptions: what they rest on, that a text which is the same is not written again, and when they go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet
from memory.rules.decider import Rules, decide
from memory.rules.describing import MOST_QUOTED, Surroundings, grounds, is_dirty, quoted, rests_on
from memory.rules.parameters import Life
from memory.rules.reflection import Likeness
from tests.unit.rules.memory_in_miniature import NOON, Memory, says

BEES, CELLO, SEA = "Elena keeps bees", "Elena plays the cello", "Elena swims in the sea"


def told(*statements: str) -> Memory:
    memory = Memory()
    for key, statement in enumerate(statements, start=1):
        sighting = Sighting("person", "Elena", 0.9, "Elena", key)
        memory.hear(key, says(statement, key, subject="Elena", importance=key), sightings=(sighting,))
    return memory


def elena(memory: Memory) -> Entity:
    return next(each for each in memory.believed.entities.values() if each.name == "Elena")


def describe(memory: Memory, text: str, *statements: str) -> None:
    support = tuple(memory.fact(each).fact_id for each in statements)
    written = c.Description(elena(memory).entity_id, text, support)
    memory.turn(c.DescribeEntities(command_id=f"describe-{memory.now}", actor="night", descriptions=(written,)))


def around(*facts: Fact, **cosines: float) -> Surroundings:
    vectors = {each.fact_id: np.array([1.0, 0.0], np.float32) for each in facts if each.fact_id in cosines}
    vectors |= {fact_id: np.array([one, (1 - one**2) ** 0.5], np.float32) for fact_id, one in cosines.items()}
    believed = WorkingSet("u", facts={each.fact_id: each for each in facts})
    return Surroundings(believed, Likeness(vectors, lambda cosine: cosine))


def fact(name: str, importance: int = 5, **rest: object) -> Fact:
    given = {"subject_id": "e", "statement": name, "kind": "factual", "confidence": 0.8, "valid_from": NOON, **rest}
    return Fact(fact_id=name, version=1, importance=importance, system_from=NOON, **given)  # type: ignore[arg-type]


WHO = Entity("e", "person", "Elena", 0.9, NOON, sensitivity=Sensitivity.PRIVATE)


def chosen(*facts: Fact, **cosines: float) -> list[str]:
    return [each.fact_id for each in grounds(around(*facts, **cosines), WHO, NOON + 10, Life())]


@pytest.mark.conforms("model:descriptions")
def test_the_most_important_are_told_first_and_of_these_the_latest() -> None:
    facts = [fact("a", 5), fact("b", 7), fact("c", 5, valid_from=NOON + 1), fact("d", 1), fact("f", 1), fact("g", 1)]
    assert chosen(*facts) == ["b", "c", "a", "d", "f"], "five, and of equals the one whose id comes first"


@pytest.mark.conforms("model:descriptions")
@pytest.mark.parametrize(
    "rest",
    [
        {"status": "superseded"},
        {"status": "forgotten"},
        {"kind": "meta"},
        {"state": "archived"},
        {"sensitivity": Sensitivity.SENSITIVE},
        {"valid_to": NOON + 10},
        {"valid_from": NOON + 11},
        {"subject_id": "another"},
    ],
)
def test_what_does_not_hold_or_is_more_private_than_the_entity_is_not_told(rest: dict[str, object]) -> None:
    assert chosen(fact("a"), fact("b", **rest)) == ["a"]


@pytest.mark.conforms("model:descriptions")
def test_what_is_said_of_an_entity_as_an_object_is_told_too() -> None:
    assert chosen(fact("a", subject_id="maya", object_id="e")) == ["a"]


@pytest.mark.conforms("model:descriptions")
def test_what_says_the_same_as_an_earlier_one_is_left_out() -> None:
    facts = (fact("a", 9), fact("b", 5), fact("c", 4))
    assert chosen(*facts, a=1.0, b=0.85, c=0.84) == ["a", "c"]


@pytest.mark.conforms("model:descriptions")
def test_without_a_model_it_is_quoted_and_says_so() -> None:
    assert quoted([BEES, 'Elena said "so"']) == 'Quoted: "Elena keeps bees"; "Elena said \'so\'"'
    assert quoted(["x" * (MOST_QUOTED + 1)]) == f'Quoted: "{"x" * MOST_QUOTED}…"'


@pytest.mark.conforms("model:descriptions")
def test_it_is_written_anew_when_it_would_rest_on_other_facts_or_is_only_quoted() -> None:
    memory = told(BEES, CELLO)
    bees, cello = memory.fact(BEES), memory.fact(CELLO)

    def dirty(*facts: Fact, generated: bool = False) -> bool:
        seen = Surroundings(memory.believed, Likeness({}, lambda cosine: cosine))
        return is_dirty(seen, elena(memory), facts, generated=generated)

    assert dirty(bees)
    assert not dirty(), "nothing is told of her, and nothing can be"
    describe(memory, quoted([BEES]), BEES)
    assert not dirty(bees)
    assert dirty(bees, cello)
    assert dirty(bees, generated=True), "a model is there now"
    describe(memory, "She keeps bees.", BEES)
    assert not dirty(bees, generated=True)


@pytest.mark.conforms("model:descriptions")
@pytest.mark.parametrize(
    ("text", "dirty"),
    [
        ("Elena keeps bees.", True),
        ("Elena's bees are many.", True),
        ("Nina, once Elena, keeps bees.", False),
        ("Elenas keep bees.", False),
        ("She keeps bees.", False),
        (quoted([BEES]), True),
    ],
)
@pytest.mark.parametrize("how", ["renamed", "merged"])
def test_a_model_writes_anew_what_calls_an_entity_by_its_former_name(text: str, dirty: bool, how: str) -> None:
    memory = told(BEES)
    bees, who = memory.fact(BEES), elena(memory).entity_id
    describe(memory, text, BEES)
    if how == "merged":
        memory.turn(c.Remember(command_id="nina", claims=(says("Nina paints", 0, subject="Nina"),)))
        nina = memory.fact("Nina paints").subject_id
        memory.turn(c.MergeEntities(command_id="merge", winner_id=who, loser_id=nina))
    memory.turn(c.RenameEntity(command_id="rename", entity_id=who, name="Nina"))
    seen = Surroundings(memory.believed, Likeness({}, lambda cosine: cosine))
    now = memory.believed.entities[who]
    assert is_dirty(seen, now, (bees,), generated=True) is dirty
    assert not is_dirty(seen, now, (bees,), generated=False), "what it rests on is the same"


@pytest.mark.conforms("model:descriptions")
def test_a_description_is_put_with_what_it_rests_on_and_the_same_again_changes_nothing() -> None:
    memory = told(BEES, CELLO)
    describe(memory, "She keeps bees.", BEES)
    assert elena(memory).description == "She keeps bees."
    assert rests_on(memory.believed, elena(memory).entity_id) == {memory.fact(BEES).fact_id}
    same = c.Description(elena(memory).entity_id, "She keeps bees.", (memory.fact(BEES).fact_id,))
    again = c.DescribeEntities(command_id="again", actor="night", descriptions=(same,))
    assert decide(memory.believed, again, memory.now + 1, Rules()).changes == ()
    describe(memory, "She plays.", CELLO)
    assert rests_on(memory.believed, elena(memory).entity_id) == {memory.fact(CELLO).fact_id}
    describe(memory, "")
    assert elena(memory).description is None
    assert rests_on(memory.believed, elena(memory).entity_id) == frozenset()


@pytest.mark.conforms("model:descriptions")
def test_what_no_longer_stands_when_it_is_committed_is_not_written() -> None:
    memory = told(BEES, CELLO)
    bees = memory.fact(BEES).fact_id
    memory.turn(c.ForgetFact(command_id="forget", fact_id=bees))
    describe(memory, "She keeps bees.", BEES)
    assert elena(memory).description is None
    nobody = c.Description("e-nobody", "Nobody", (memory.fact(CELLO).fact_id,))
    command = c.DescribeEntities(command_id="d", actor="night", descriptions=(nobody,))
    assert decide(memory.believed, command, memory.now, Rules()).changes == ()


@pytest.mark.conforms("model:descriptions")
def test_it_goes_with_the_first_fact_it_rests_on_and_comes_back_when_that_is_undone() -> None:
    memory = told(BEES, CELLO, SEA)
    describe(memory, "She keeps bees and plays.", BEES, CELLO)
    before = memory.believed
    memory.turn(c.ForgetFact(command_id="sea", fact_id=memory.fact(SEA).fact_id))
    assert elena(memory).description is not None, "it does not rest on that"
    done = memory.turn(c.ForgetFact(command_id="bees", fact_id=memory.fact(BEES).fact_id))
    assert elena(memory).description is None
    assert rests_on(memory.believed, elena(memory).entity_id) == frozenset()
    memory.turn(c.Undo(command_id="undo", done=done))
    assert memory.believed.entities == before.entities
    assert memory.believed.links == before.links


@pytest.mark.conforms("model:descriptions")
def test_a_change_of_state_takes_nothing_away() -> None:
    memory = told(BEES)
    describe(memory, "She keeps bees.", BEES)
    bees = memory.fact(BEES)
    crossing = c.Crossing("fact", bees.fact_id, "state", bees.state, "core")
    memory.turn(
        c.CloseNight(command_id="night", actor="night", night="2026-03-03", step="pruning", crossings=(crossing,))
    )
    assert elena(memory).description == "She keeps bees."


@pytest.mark.conforms("model:descriptions")
def test_where_a_fact_about_it_is_erased_its_description_goes_whatever_it_rests_on() -> None:
    """An earlier description may have quoted the fact, and the words of all of them go together."""
    memory = told(BEES, CELLO)
    describe(memory, "She plays.", CELLO)
    memory.turn(c.Withdraw(command_id="erase", segment_keys=(1,), erase=True, source_id="s1"))
    assert elena(memory).description is None
    assert memory.active() == [CELLO]


@pytest.mark.conforms("model:descriptions")
def test_what_another_entity_is_told_of_stays() -> None:
    memory = told(BEES, CELLO)
    memory.hear(9, Claim("Maya", "Maya paints", 9, "I paint"))
    describe(memory, "She plays.", CELLO)
    memory.turn(c.Withdraw(command_id="erase", segment_keys=(9,), erase=True, source_id="s9"))
    assert elena(memory).description == "She plays."


@pytest.mark.conforms("model:descriptions")
def test_facts_that_move_to_another_entity_take_the_description_along() -> None:
    memory = told(BEES)
    describe(memory, "She keeps bees.", BEES)
    memory.turn(c.Remember(command_id="nina", claims=(says("Nina paints", 0, subject="Nina"),)))
    nina = memory.believed.entities[memory.fact("Nina paints").subject_id]
    memory.turn(c.MergeEntities(command_id="merge", winner_id=nina.entity_id, loser_id=elena(memory).entity_id))
    assert replace(elena(memory), merged_into=None).description is None
