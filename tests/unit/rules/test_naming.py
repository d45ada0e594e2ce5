"""Who is who: gates, resolution, the owner, rename, alias, merge, forgetting and undo."""

from __future__ import annotations

import pytest

from memory.errors import Conflict, Invalid, NameTaken, NothingToUndo
from memory.model import commands as c
from memory.model.changes import WORDS_ERASED
from memory.model.claims import Sighting
from memory.model.entities import Entity
from memory.model.profile import Profile
from memory.model.working_set import evolve
from tests.unit.rules.memory_in_miniature import NOON, Memory, says


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
    memory.turn(c.SetProfile(command_id="p", profile=Profile(name="Maya")))
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
    "000:gates.promise",
    "000:gates.decision",
    "000:gates.person",
    "000:gates.event",
    "000:gates.place",
    "000:gates.relationship",
    "000:gates.topic",
    "000:gates.emotion",
    "000:gates.question",
    "000:gates.other",
)
@pytest.mark.parametrize(
    ("type_", "gate"),
    [
        ("promise", 0.7),
        ("decision", 0.7),
        ("person", 0.6),
        ("event", 0.6),
        ("place", 0.6),
        ("relationship", 0.6),
        ("topic", 0.5),
        ("emotion", 0.5),
        ("question", 0.5),
        ("habit", 0.5),
    ],
)
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


@pytest.mark.conforms("model:names")
def test_a_rename_keeps_the_id_and_the_old_name() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Val"),))
    before = called(memory, "Val")
    memory.turn(c.RenameEntity(command_id="r", entity_id=before.entity_id, name="Valerie"))
    after = called(memory, "Valerie")
    assert (after.entity_id, after.aliases) == (before.entity_id, ("Val",))
    memory.hear(2, sightings=(seen("val", 2),))
    assert set(memory.believed.mentions[after.entity_id]) == {1, 2}


@pytest.mark.conforms("model:names")
def test_a_rename_onto_another_name_offers_a_merge() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Val"), seen("Valerie")))
    with pytest.raises(NameTaken) as raised:
        memory.turn(c.RenameEntity(command_id="r", entity_id=called(memory, "Val").entity_id, name="Valerie"))
    assert raised.value.ids["merge_with"] == called(memory, "Valerie").entity_id


@pytest.mark.conforms("model:undo")
@pytest.mark.conforms("model:merge")
def test_a_merge_moves_mentions_and_facts_and_can_be_undone() -> None:
    memory = Memory()
    memory.hear(1, says("Val plays the oboe", subject="Val"), sightings=(seen("Val"),))
    memory.hear(2, sightings=(seen("Valerie", 2),))
    before = memory.believed
    winner, loser = called(memory, "Valerie"), called(memory, "Val")
    done = memory.turn(c.MergeEntities(command_id="m", winner_id=winner.entity_id, loser_id=loser.entity_id))
    merged = memory.believed
    assert merged.entities[loser.entity_id].merged_into == winner.entity_id
    assert set(merged.mentions[winner.entity_id]) == {1, 2}
    assert memory.fact("Val plays the oboe").subject_id == winner.entity_id
    assert merged.names["val"] == (winner.entity_id,)
    memory.turn(c.Undo(command_id="u", done=done))
    assert memory.believed.entities == before.entities
    assert memory.believed.mentions == before.mentions
    assert memory.fact("Val plays the oboe").subject_id == loser.entity_id


@pytest.mark.conforms("model:names")
def test_forgetting_erases_the_entity_and_what_is_said_of_it_and_cannot_be_undone() -> None:
    memory = Memory()
    memory.hear(
        1, says("Ravi bakes", subject="Ravi"), says("Maya trusts Ravi", object="Ravi"), sightings=(seen("Ravi"),)
    )
    done = memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Ravi").entity_id))
    assert not memory.believed.facts
    assert all(entity.is_owner for entity in memory.believed.entities.values())
    with pytest.raises(NothingToUndo):
        memory.turn(c.Undo(command_id="u", done=done))


@pytest.mark.conforms("model:names")
def test_forgetting_an_entity_takes_what_its_facts_alone_spoke_of_unless_it_has_a_note() -> None:
    memory = Memory()
    told = {"Ravi's lute": "topic", "harp": "topic", "Elena": "person", "Tom": "person"}
    liked = [
        says(f"Ravi likes {name}", subject="Ravi", predicate="likes", object=name, object_type=type_)
        for name, type_ in told.items()
    ]
    memory.hear(1, sightings=(seen("Elena"),))
    memory.turn(c.Remember(command_id="t", claims=tuple(liked)))
    assert {each.name for each in memory.believed.entities.values()} == {"Maya", "Ravi", *told}
    memory.turn(c.WriteNote(command_id="n", about_id=called(memory, "Tom").entity_id, text="Has a boat"))
    memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Ravi").entity_id))
    assert {each.name for each in memory.believed.entities.values()} == {"Maya", "Elena", "Tom"}


@pytest.mark.conforms("model:names")
def test_the_owner_cannot_be_forgotten() -> None:
    memory = Memory()
    with pytest.raises(Conflict):
        memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Maya").entity_id))


@pytest.mark.conforms("model:undo")
@pytest.mark.conforms("model:merge")
def test_evolving_by_a_change_set_and_undoing_it_restores_the_tables() -> None:
    memory = Memory()
    before = memory.believed
    done = memory.hear(1, says("Maya keeps bees"), sightings=(seen("Elena"),))
    undone = memory.turn(c.Undo(command_id="u", done=done))
    assert memory.fact("Maya keeps bees").status == "forgotten", "a version is never deleted"
    assert memory.believed.entities == before.entities
    assert memory.believed.mentions == before.mentions
    assert evolve(before, (*done.changes, *undone.changes)).facts == memory.believed.facts


@pytest.mark.conforms("model:names")
def test_whose_kin_somebody_was_is_forgotten_with_her_and_they_stay() -> None:
    memory = Memory()
    whose = {"of": "Anna Keller", "relation": "partner"}
    family = (
        Sighting("person", "Anna Keller", 0.8, "quote", 1),
        Sighting("person", "Tobi", 0.8, "quote", 1, whose, ("Anna Keller's boyfriend", "Tobias")),
        Sighting("relationship", "Anna Keller's boyfriend Tobi", 0.8, "quote", 1, whose),
    )
    memory.hear(1, sightings=family)
    done = memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Anna Keller").entity_id))
    tobi = called(memory, "Tobi")
    assert [each.row for each in done.changes if each.reason == WORDS_ERASED] == [tobi], "his older row names her"
    assert (tobi.aliases, dict(tobi.properties)) == (("Tobias",), {})
    assert "relationship" not in {entity.type for entity in memory.believed.entities.values()}


@pytest.mark.conforms("model:names")
def test_a_relation_is_forgotten_with_who_is_named_in_it() -> None:
    memory = Memory()
    whose = {"of": "Maya", "relation": "husband", "name": "Tom"}
    memory.hear(1, sightings=(seen("Tom"), Sighting("relationship", "Maya's husband Tom", 0.8, "quote", 1, whose)))
    memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Tom").entity_id))
    assert [entity.name for entity in memory.believed.entities.values()] == ["Maya"]


@pytest.mark.conforms("model:names")
def test_a_relation_between_others_stays() -> None:
    memory = Memory()
    whose = {"of": "Anna Keller", "relation": "partner", "name": "Tobi"}
    relation = Sighting("relationship", "Anna Keller's boyfriend Tobi", 0.8, "quote", 1, whose)
    memory.hear(1, sightings=(Sighting("person", "Ravi", 0.8, "quote", 1), relation))
    memory.turn(c.ForgetEntity(command_id="f", entity_id=called(memory, "Ravi").entity_id))
    assert called(memory, relation.name, "relationship").properties == whose


@pytest.mark.conforms("model:names")
@pytest.mark.parametrize(
    ("name", "called_so", "aliases"),
    [("May", "May", ("Maya",)), ("MAYA", "Maya", ()), ("  ", "Maya", ()), ("Elena", "Elena", ("Maya",))],
    ids=["another name", "the same", "none", "that of somebody who was heard"],
)
def test_the_owner_is_called_as_the_profile_says(name: str, called_so: str, aliases: tuple[str, ...]) -> None:
    memory = Memory()
    before = called(memory, "Maya")
    memory.hear(1, sightings=(seen("Elena"), seen("Tom")), role="other", speaker="Tom")
    memory.turn(c.SetProfile(command_id="p", profile=Profile(name=name)))
    owner = memory.believed.entities[before.entity_id]
    assert (owner.name, owner.aliases, owner.is_owner) == (called_so, aliases, True)
    others = {each.name for each in memory.believed.entities.values() if not (each.is_owner or each.merged_into)}
    assert others == {"Elena", "Tom"} - {called_so}


@pytest.mark.conforms("model:names")
def test_an_alias_is_added_once_and_never_another_s_name() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Valerie"), seen("Tom")))
    valerie, tom = called(memory, "Valerie"), called(memory, "Tom")
    for alias in ("Val", "val", "VALERIE"):
        memory.turn(c.AddAlias(command_id=f"a-{alias}", entity_id=valerie.entity_id, alias=alias))
    assert called(memory, "Valerie").aliases == ("Val",)
    with pytest.raises(NameTaken) as raised:
        memory.turn(c.AddAlias(command_id="a", entity_id=tom.entity_id, alias="Val"))
    assert raised.value.ids == {"entity_id": tom.entity_id, "merge_with": valerie.entity_id}


@pytest.mark.conforms("model:names")
def test_who_is_renamed_to_an_alias_has_it_no_longer_as_one() -> None:
    memory = Memory()
    memory.hear(1, sightings=(Sighting("person", "Val", 0.9, "Val", 1, aliases=("Valerie", "Leri")),))
    identity = called(memory, "Val").entity_id
    memory.turn(c.RenameEntity(command_id="r", entity_id=identity, name=" Valerie "))
    assert called(memory, "Valerie").aliases == ("Leri", "Val")
    memory.turn(c.RenameEntity(command_id="s", entity_id=identity, name="VALERIE"))
    assert called(memory, "VALERIE").aliases == ("Leri", "Val")
    assert memory.turn(c.RenameEntity(command_id="t", entity_id=identity, name="VALERIE")).changes == ()


@pytest.mark.conforms("model:names")
def test_of_two_that_are_one_the_owner_and_who_is_known_more_openly_stay() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena"),))
    owner, elena = called(memory, "Maya").entity_id, called(memory, "Elena").entity_id
    with pytest.raises(Invalid):
        memory.turn(c.MergeEntities(command_id="m", winner_id=elena, loser_id=elena))
    memory.turn(c.MergeEntities(command_id="m", winner_id=elena, loser_id=owner))
    assert memory.believed.entities[elena].merged_into == owner
    with pytest.raises(Conflict):
        memory.turn(c.RenameEntity(command_id="r", entity_id=elena, name="Lena"))
    secret = c.ReadSegment("user:u", "s2", 2, 1, NOON, "Maya", "user", 2)
    memory.turn(c.AcceptReading(command_id="h", actor="x", read=(secret,), sightings=(seen("Zoe", 2),)))
    memory.hear(3, sightings=(seen("Zora", 3),))
    zoe, zora = called(memory, "Zoe").entity_id, called(memory, "Zora").entity_id
    memory.turn(c.MergeEntities(command_id="n", winner_id=zoe, loser_id=zora))
    assert memory.believed.entities[zoe].merged_into == zora


@pytest.mark.conforms("model:names")
def test_a_name_has_letters_and_no_needless_space() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena"),))
    identity = called(memory, "Elena").entity_id
    with pytest.raises(Invalid):
        memory.turn(c.RenameEntity(command_id="r", entity_id=identity, name=" \t"))
    memory.turn(c.RenameEntity(command_id="s", entity_id=identity, name=" Elena   Costa"))
    assert called(memory, "Elena Costa").entity_id == identity


@pytest.mark.conforms("model:names")
@pytest.mark.parametrize(("level", "type_", "one"), [(2, "person", True), (0, "person", False), (2, "topic", False)])
def test_a_new_name_takes_in_who_bears_it_in_confidence_only(level: int, type_: str, one: bool) -> None:
    memory = Memory()
    read = c.ReadSegment("user:u", "s1", 1, 1, NOON, "Maya", "user", level)
    memory.turn(c.AcceptReading(command_id="h", actor="x", read=(read,), sightings=(seen("Elena", 1, type_),)))
    memory.hear(2, sightings=(seen("Lena", 2),))
    rename = c.RenameEntity(command_id="r", entity_id=called(memory, "Lena").entity_id, name="Elena")
    if level == 0 and type_ == "person":
        with pytest.raises(NameTaken):
            memory.turn(rename)
        return
    memory.turn(rename)
    bearers = [each for each in memory.believed.entities.values() if each.name == "Elena" and not each.merged_into]
    assert len(bearers) == (1 if one else 2)


@pytest.mark.conforms("model:names")
@pytest.mark.parametrize("verb", ["rename", "alias", "retype"])
def test_a_name_that_nothing_speaks_of_any_more_is_free(verb: str) -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Tom"), seen("Otto")))
    memory.hear(2, sightings=(seen("Otto", 2), seen("Tom", 2, "place")))
    tom, other = called(memory, "Tom").entity_id, called(memory, "Otto").entity_id
    if verb == "retype":
        other = called(memory, "Tom", "place").entity_id
    command = {
        "rename": c.RenameEntity(command_id="r", entity_id=tom, name="Otto"),
        "alias": c.AddAlias(command_id="r", entity_id=tom, alias="Otto"),
        "retype": c.RetypeEntity(command_id="r", entity_id=tom, type="place"),
    }[verb]
    with pytest.raises(NameTaken):
        memory.turn(command)
    memory.turn(c.Withdraw(command_id="w", segment_keys=(1, 2)))
    memory.turn(command)
    one = memory.believed.entities[tom]
    assert memory.believed.entities[other].merged_into == tom
    assert (one.name if verb == "rename" else one.type if verb == "retype" else one.aliases[-1]) in ("Otto", "place")


@pytest.mark.conforms("model:names")
def test_a_name_is_taken_while_a_fact_speaks_of_its_bearer_and_never_the_owner_s() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Tom"),))
    memory.hear(2, says("Otto likes rain", 2, subject="Otto"))
    tom = called(memory, "Tom").entity_id
    assert not memory.believed.mentions.get(called(memory, "Otto").entity_id)
    for name in ("Otto", "Maya"):
        with pytest.raises(NameTaken):
            memory.turn(c.AddAlias(command_id=f"a-{name}", entity_id=tom, alias=name))


@pytest.mark.conforms("model:names")
def test_words_in_confidence_keep_no_name_from_what_is_known_openly() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Otto"),))
    read = c.ReadSegment("user:u", "s2", 2, 1, NOON, "Maya", "user", 2)
    memory.turn(c.AcceptReading(command_id="h", actor="x", read=(read,), sightings=(seen("Otto", 2),)))
    memory.hear(3, sightings=(seen("Tom", 3),))
    memory.turn(c.Withdraw(command_id="w", segment_keys=(1,)))
    tom = called(memory, "Tom").entity_id
    memory.turn(c.AddAlias(command_id="a", entity_id=tom, alias="Otto"))
    assert set(memory.believed.mentions[tom]) == {2, 3}
