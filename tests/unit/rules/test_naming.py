"""Who is who: gates, resolution, the owner, rename, alias, merge, forgetting and undo."""

from __future__ import annotations

import pytest

from memory.errors import Conflict, NameTaken, NothingToUndo
from memory.model import commands as c
from memory.model.claims import Sighting
from memory.model.entities import Entity
from memory.model.profile import Profile
from memory.model.working_set import evolve
from tests.unit.rules.memory_in_miniature import Memory, says


def seen(name: str, key: int = 1, type_: str = "person", confidence: float = 0.9) -> Sighting:
    return Sighting(type_, name, confidence, name, key)


def called(memory: Memory, name: str, type_: str = "person") -> Entity:
    return next(
        e for e in memory.believed.entities.values() if e.name == name and e.type == type_ and not e.merged_into
    )


@pytest.mark.conforms("002:owner.from_profile")
def test_the_owner_comes_from_the_profile_and_takes_over_the_person_of_that_name() -> None:
    memory = Memory(name="")
    memory.hear(1, sightings=(seen("Maya"),), speaker="Maya", role="other")
    person = called(memory, "Maya")
    assert not person.is_owner
    memory.turn(c.SetProfile("p", profile=Profile(name="Maya")))
    assert called(memory, "Maya").is_owner
    assert called(memory, "Maya").entity_id == person.entity_id


@pytest.mark.conforms("003:birth.subject_owner")
def test_the_owner_s_labels_all_mean_the_owner() -> None:
    memory = Memory()
    memory.hear(1, says("user keeps bees", subject="user"), says("I bake", subject="I"), sightings=(seen("user"),))
    owners = {fact.subject_id for fact in memory.believed.facts.values()}
    assert owners == {called(memory, "Maya").entity_id}
    assert len(memory.believed.entities) == 1


@pytest.mark.conforms(
    "000:gates.promise", "000:gates.decision", "000:gates.person", "000:gates.event", "000:gates.place",
    "000:gates.relationship", "000:gates.topic", "000:gates.emotion", "000:gates.question", "000:gates.other",
)  # fmt: skip
@pytest.mark.parametrize(
    ("type_", "gate"),
    [("promise", 0.7), ("decision", 0.7), ("person", 0.6), ("event", 0.6), ("place", 0.6), ("relationship", 0.6),
     ("topic", 0.5), ("emotion", 0.5), ("question", 0.5), ("habit", 0.5)],
)  # fmt: skip
def test_a_gate_lets_in_what_is_sure_enough_for_its_type(type_: str, gate: float) -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Under", 1, type_, gate - 0.01), seen("Over", 1, type_, gate)))
    assert [entity.name for entity in memory.believed.entities.values() if not entity.is_owner] == ["Over"]


@pytest.mark.conforms("000:dedup.types_apart")
def test_the_same_name_in_two_types_is_two_entities() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Google", 1, "topic"), seen("Google", 1, "organization")))
    assert {e.type for e in memory.believed.entities.values() if e.name == "Google"} == {"topic", "organization"}


@pytest.mark.conforms("000:dedup.highest_confidence")
def test_case_and_space_do_not_make_another_entity_and_the_surest_sighting_wins() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena  Costa", confidence=0.7), seen("elena costa", confidence=0.95)))
    memory.hear(2, sightings=(seen("ELENA COSTA", 2),))
    entity = next(e for e in memory.believed.entities.values() if not e.is_owner)
    assert entity.confidence == 0.95
    assert set(memory.believed.mentions[entity.entity_id]) == {1, 2}


def test_a_rename_keeps_the_id_and_the_old_name() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Mel"),))
    before = called(memory, "Mel")
    memory.turn(c.RenameEntity("r", entity_id=before.entity_id, name="Melanie"))
    after = called(memory, "Melanie")
    assert (after.entity_id, after.aliases) == (before.entity_id, ("Mel",))
    memory.hear(2, sightings=(seen("mel", 2),))
    assert set(memory.believed.mentions[after.entity_id]) == {1, 2}


def test_a_rename_onto_another_name_offers_a_merge() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Mel"), seen("Melanie")))
    with pytest.raises(NameTaken) as raised:
        memory.turn(c.RenameEntity("r", entity_id=called(memory, "Mel").entity_id, name="Melanie"))
    assert raised.value.ids["merge_with"] == called(memory, "Melanie").entity_id


@pytest.mark.conforms("model:undo")
@pytest.mark.conforms("model:merge")
def test_a_merge_moves_mentions_and_facts_and_can_be_undone() -> None:
    memory = Memory()
    memory.hear(1, says("Mel plays the oboe", subject="Mel"), sightings=(seen("Mel"),))
    memory.hear(2, sightings=(seen("Melanie", 2),))
    before = memory.believed
    winner, loser = called(memory, "Melanie"), called(memory, "Mel")
    done = memory.turn(c.MergeEntities("m", winner_id=winner.entity_id, loser_id=loser.entity_id))
    merged = memory.believed
    assert merged.entities[loser.entity_id].merged_into == winner.entity_id
    assert set(merged.mentions[winner.entity_id]) == {1, 2}
    assert memory.fact("Mel plays the oboe").subject_id == winner.entity_id
    assert merged.names["mel"] == (winner.entity_id,)
    memory.turn(c.Undo("u", done=done))
    assert memory.believed.entities == before.entities
    assert memory.believed.mentions == before.mentions
    assert memory.fact("Mel plays the oboe").subject_id == loser.entity_id


def test_forgetting_erases_the_entity_and_what_is_said_of_it_and_cannot_be_undone() -> None:
    memory = Memory()
    memory.hear(
        1, says("Ravi bakes", subject="Ravi"), says("Maya trusts Ravi", object="Ravi"), sightings=(seen("Ravi"),)
    )
    done = memory.turn(c.ForgetEntity("f", entity_id=called(memory, "Ravi").entity_id))
    assert not memory.believed.facts
    assert all(entity.is_owner for entity in memory.believed.entities.values())
    with pytest.raises(NothingToUndo):
        memory.turn(c.Undo("u", done=done))


def test_the_owner_cannot_be_forgotten() -> None:
    memory = Memory()
    with pytest.raises(Conflict):
        memory.turn(c.ForgetEntity("f", entity_id=called(memory, "Maya").entity_id))


@pytest.mark.conforms("model:undo")
@pytest.mark.conforms("model:merge")
def test_evolving_by_a_change_set_and_undoing_it_restores_the_tables() -> None:
    memory = Memory()
    before = memory.believed
    done = memory.hear(1, says("Maya keeps bees"), sightings=(seen("Elena"),))
    undone = memory.turn(c.Undo("u", done=done))
    assert memory.fact("Maya keeps bees").status == "forgotten", "a version is never deleted"
    assert memory.believed.entities == before.entities
    assert memory.believed.mentions == before.mentions
    assert evolve(before, (*done.changes, *undone.changes)).facts == memory.believed.facts
