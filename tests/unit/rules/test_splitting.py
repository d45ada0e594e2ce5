"""One that was two, and one that was taken for something else: split, retype, their collisions and their undo."""

from __future__ import annotations

import pytest

from memory.errors import Conflict, Invalid, NameTaken, NotFound
from memory.model import commands as c
from memory.model.claims import Sighting
from memory.model.entities import Entity
from tests.unit.rules.memory_in_miniature import Memory, lives, says


def seen(name: str, key: int, type_: str = "person", confidence: float = 0.9) -> Sighting:
    return Sighting(type_, name, confidence, name, key)


def two_alexes() -> Memory:
    """Alex the plumber of segments 1, 2 and 4, Alex the cousin of 3 and 5; both bake, say 4 and 5."""
    memory = Memory()
    memory.hear(1, says("Alex mends pipes", 1, subject="Alex"), sightings=(seen("Alex", 1),))
    memory.hear(2, sightings=(seen("Alex", 2),))
    memory.hear(3, says("Alex studies law", 3, subject="Alex"), sightings=(seen("Alex", 3),))
    memory.hear(4, says("Alex bakes", 4, subject="Alex"), sightings=(seen("Alex", 4),))
    memory.hear(5, says("Alex bakes", 5, subject="Alex"), sightings=(seen("Alex", 5),))
    return memory


def alex(memory: Memory, qualifier: str = "") -> Entity:
    return next(
        e for e in memory.believed.entities.values() if (e.name, e.qualifier) == ("Alex", qualifier) and not e.is_owner
    )


def split(memory: Memory, *keys: int, qualifier: str = "cousin", **rest: object) -> None:
    command = c.SplitEntity(
        command_id="x", entity_id=alex(memory).entity_id, qualifier=qualifier, segment_keys=keys, **rest
    )  # type: ignore[arg-type]
    memory.turn(command)


@pytest.mark.conforms("model:split")
def test_a_split_moves_mentions_and_the_facts_that_rest_on_them_alone() -> None:
    memory = two_alexes()
    split(memory, 3, 5)
    plumber, cousin = alex(memory), alex(memory, "cousin")
    assert set(memory.believed.mentions[plumber.entity_id]) == {1, 2, 4}
    assert set(memory.believed.mentions[cousin.entity_id]) == {3, 5}
    assert memory.fact("Alex studies law").subject_id == cousin.entity_id
    assert memory.fact("Alex mends pipes").subject_id == plumber.entity_id
    assert memory.fact("Alex bakes").subject_id == plumber.entity_id, "it rests on words of both"
    assert memory.believed.names["alex"] == tuple(sorted((plumber.entity_id, cousin.entity_id)))


@pytest.mark.conforms("model:split")
def test_who_is_split_off_is_as_sure_as_the_surest_of_their_mentions() -> None:
    memory = Memory()
    for key, confidence in ((1, 0.95), (2, 0.6), (3, 0.8)):
        memory.hear(key, sightings=(seen("Alex", key, confidence=confidence),))
    split(memory, 2, 3)
    assert alex(memory, "cousin").confidence == 0.8


@pytest.mark.conforms("model:split")
def test_a_chosen_fact_moves_whatever_it_rests_on() -> None:
    memory = two_alexes()
    split(memory, 3, fact_ids=(memory.fact("Alex bakes").fact_id,))
    assert memory.fact("Alex bakes").subject_id == alex(memory, "cousin").entity_id


@pytest.mark.conforms("model:split")
def test_undoing_a_split_puts_everything_back_and_it_can_be_done_again() -> None:
    memory = two_alexes()
    before = memory.believed
    command = c.SplitEntity(command_id="x", entity_id=alex(memory).entity_id, qualifier="cousin", segment_keys=(3,))
    done = memory.turn(command)
    born = alex(memory, "cousin").entity_id
    memory.turn(c.Undo(command_id="u", done=done))
    assert (memory.believed.entities, memory.believed.mentions) == (before.entities, before.mentions)
    assert memory.fact("Alex studies law").subject_id == alex(memory).entity_id
    split(memory, 3)
    assert alex(memory, "cousin").entity_id == born, "ids are derived from names"


@pytest.mark.conforms("model:split")
def test_a_split_may_give_a_nickname_back() -> None:
    memory = two_alexes()
    memory.turn(c.AddAlias(command_id="a", entity_id=alex(memory).entity_id, alias="Sasha"))
    split(memory, 3, qualifier="", name="Sasha")
    sasha = next(e for e in memory.believed.entities.values() if e.name == "Sasha")
    assert (alex(memory).aliases, memory.believed.names["sasha"]) == ((), (sasha.entity_id,))


@pytest.mark.conforms("model:split")
def test_two_of_one_name_need_something_that_tells_them_apart() -> None:
    memory = two_alexes()
    with pytest.raises(Invalid):
        split(memory, 3, qualifier=" ")
    split(memory, 3)
    with pytest.raises(NameTaken) as taken:
        split(memory, 2, qualifier="Cousin")
    assert taken.value.ids["merge_with"] == alex(memory, "cousin").entity_id
    with pytest.raises(NameTaken):
        split(memory, 2, qualifier="cousin")


@pytest.mark.conforms("model:split")
def test_a_split_needs_something_on_either_side() -> None:
    memory = two_alexes()
    memory.hear(9, lives("Porto", 9))
    with pytest.raises(Invalid):
        split(memory, 99)
    with pytest.raises(Conflict):
        split(memory, 1, 2, 3, 4, 5)
    with pytest.raises(Invalid) as stranger:
        split(memory, 3, fact_ids=(memory.fact("Maya lives in Porto").fact_id,))
    assert stranger.value.ids == {"fact_id": memory.fact("Maya lives in Porto").fact_id}
    with pytest.raises(NotFound):
        memory.turn(c.SplitEntity(command_id="x", entity_id="e-none", qualifier="a", segment_keys=(1,)))


@pytest.mark.conforms("model:merge")
@pytest.mark.conforms("model:split")
def test_a_merge_that_was_wrong_is_taken_apart_by_a_split() -> None:
    memory = two_alexes()
    memory.hear(6, sightings=(seen("Alexandra", 6),))
    alexandra = next(e for e in memory.believed.entities.values() if e.name == "Alexandra")
    memory.turn(c.MergeEntities(command_id="m", winner_id=alex(memory).entity_id, loser_id=alexandra.entity_id))
    split(memory, 6, qualifier="", name="Alexandra")
    named = [e for e in memory.believed.entities.values() if e.name == "Alexandra" and not e.merged_into]
    assert [set(memory.believed.mentions[e.entity_id]) for e in named] == [{6}]
    assert memory.believed.entities[alexandra.entity_id].merged_into == alex(memory).entity_id, "its id stays led away"
    memory.hear(7, sightings=(seen("Alexandra", 7),))
    assert set(memory.believed.mentions[named[0].entity_id]) == {6, 7}


@pytest.mark.conforms("model:merge")
def test_values_that_come_together_by_a_merge_form_one_chain() -> None:
    memory = Memory()
    memory.hear(1, says("Alex lives in Rome", 1, subject="Alex", predicate="lives_in", object="Rome"), at=1e9)
    memory.hear(2, says("Sasha lives in Oslo", 2, subject="Sasha", predicate="lives_in", object="Oslo"), at=1.1e9)
    sasha = next(e for e in memory.believed.entities.values() if e.name == "Sasha")
    done = memory.turn(c.MergeEntities(command_id="m", winner_id=alex(memory).entity_id, loser_id=sasha.entity_id))
    assert memory.active("lives_in") == ["Sasha lives in Oslo"]
    assert memory.fact("Alex lives in Rome").valid_to == 1.1e9
    memory.turn(c.Undo(command_id="u", done=done))
    assert memory.active("lives_in") == ["Alex lives in Rome", "Sasha lives in Oslo"]


def topic(memory: Memory) -> Entity:
    return next(e for e in memory.believed.entities.values() if e.name == "Google")


@pytest.mark.conforms("model:split")
def test_a_retyped_entity_keeps_its_id_and_is_found_as_what_it_was_taken_for() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Google", 1, "topic"),))
    before = topic(memory)
    done = memory.turn(c.RetypeEntity(command_id="r", entity_id=before.entity_id, type="organization"))
    assert (topic(memory).entity_id, topic(memory).type) == (before.entity_id, "organization")
    memory.hear(2, sightings=(seen("Google", 2, "topic"), seen("Google", 2, "organization")))
    assert set(memory.believed.mentions[before.entity_id]) == {1, 2}
    assert len(memory.believed.entities) == 2, "the owner and one Google"
    memory.turn(c.Undo(command_id="u", done=done))
    assert (topic(memory).type, topic(memory).properties) == ("topic", {})


@pytest.mark.conforms("model:split")
def test_there_and_back_again_leaves_no_former_type_that_it_has() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Google", 1, "topic"),))
    for number, type_ in enumerate(("organization", "tool", "topic")):
        memory.turn(c.RetypeEntity(command_id=f"r{number}", entity_id=topic(memory).entity_id, type=type_))
    assert topic(memory).properties == {"former_types": ["organization", "tool"]}
    assert memory.turn(c.RetypeEntity(command_id="same", entity_id=topic(memory).entity_id, type="topic")).changes == ()


@pytest.mark.conforms("model:split")
def test_a_retype_onto_a_taken_name_offers_a_merge() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Google", 1, "topic"), seen("Google", 1, "organization")))
    one, other = (e for e in memory.believed.entities.values() if e.name == "Google")
    with pytest.raises(NameTaken) as taken:
        memory.turn(c.RetypeEntity(command_id="r", entity_id=one.entity_id, type=other.type))
    assert taken.value.ids["merge_with"] == other.entity_id


@pytest.mark.conforms("model:split")
def test_what_cannot_be_retyped() -> None:
    memory = two_alexes()
    owner = next(e for e in memory.believed.entities.values() if e.is_owner)
    with pytest.raises(Conflict):
        memory.turn(c.RetypeEntity(command_id="r", entity_id=owner.entity_id, type="topic"))
    with pytest.raises(Invalid):
        memory.turn(c.RetypeEntity(command_id="r", entity_id=alex(memory).entity_id, type="dragon"))


@pytest.mark.conforms("model:split")
def test_a_namesake_of_a_third_type_is_in_nobody_s_way() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Atlas", 1), seen("Atlas", 1, "project")))
    project = next(each for each in memory.believed.entities.values() if each.type == "project")
    memory.turn(c.RetypeEntity(command_id="r", entity_id=project.entity_id, type="topic"))
    assert memory.believed.entities[project.entity_id].type == "topic"


@pytest.mark.conforms("model:split")
def test_of_chosen_facts_that_speak_of_others_the_first_is_named() -> None:
    with pytest.raises(Invalid) as refused:
        split(two_alexes(), 3, fact_ids=("f-z", "f-a"))
    assert refused.value.ids["fact_id"] == "f-a"
