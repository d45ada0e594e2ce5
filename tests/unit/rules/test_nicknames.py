"""One person under two names: a nickname that was heard before it was explained, and one that was explained first."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.entities import Entity
from tests.unit.rules.memory_in_miniature import Memory


def sighting(name: str, key: int, *aliases: str, **properties: object) -> Sighting:
    return Sighting("person", name, 0.85, f"{name} was here", key, properties, aliases)


def people(memory: Memory) -> list[Entity]:
    found = memory.believed.entities.values()
    return [each for each in found if each.type == "person" and not (each.is_owner or each.merged_into)]


def worry(key: int) -> Claim:
    return Claim("Pri", "Pri has a dog", key, "Pri's dog", predicate="has_pet", object="dog")


@pytest.mark.conforms("model:reading")
def test_a_nickname_that_is_explained_first_means_the_person() -> None:
    memory = Memory()
    memory.hear(1, sightings=(sighting("Priyanka", 1, "Pri"),), speaker="Priyanka")
    memory.hear(2, worry(2), sightings=(sighting("Pri", 2),))
    (person,) = people(memory)
    assert (person.name, person.aliases) == ("Priyanka", ("Pri",))
    assert memory.fact("Pri has a dog").subject_id == person.entity_id
    assert set(memory.believed.mentions[person.entity_id]) == {1, 2}


@pytest.mark.conforms("model:merge", "model:reading")
def test_a_nickname_that_was_heard_before_is_merged_when_it_is_explained() -> None:
    memory = Memory()
    memory.hear(1, worry(1), sightings=(sighting("Pri", 1),))
    changes = memory.hear(2, sightings=(sighting("Priyanka", 2, "Pri"),), speaker="Priyanka")
    (person,) = people(memory)
    assert (person.name, person.aliases) == ("Priyanka", ("Pri",))
    assert memory.fact("Pri has a dog").subject_id == person.entity_id
    assert set(memory.believed.mentions[person.entity_id]) == {1, 2}
    memory.turn(c.Undo(command_id="undo", done=changes))
    assert [each.name for each in people(memory)] == ["Pri"]


@pytest.mark.conforms("model:reading")
def test_somebody_with_an_identity_of_their_own_stays_themselves() -> None:
    memory = Memory("Max")
    memory.hear(1, sightings=(sighting("Alex", 1, relation="brother", of="Max"), sighting("Sandra", 1, "Sandy")))
    memory.hear(2, sightings=(sighting("Alexandra", 2, "Alex"), sighting("Maxine", 2, "Max")))
    memory.hear(3, sightings=(sighting("Cassandra", 3, "Sandra"),))
    assert sorted(each.name for each in people(memory)) == ["Alex", "Alexandra", "Cassandra", "Maxine", "Sandra"]


@pytest.mark.conforms("model:reading")
def test_a_kin_label_is_no_name_to_merge_by() -> None:
    memory = Memory()
    memory.hear(1, sightings=(sighting("Maya's friend", 1), sighting("Jane", 1, "Maya's friend")))
    assert sorted(each.name for each in people(memory)) == ["Jane", "Maya's friend"]
