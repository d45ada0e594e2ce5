"""Speakers: whoever gets a name later has it in all that was read from their words, and undo restores all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Sighting
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says
from tests.unit.rules.test_undoing import COMMANDS, History, born, essence

ONE, OTHER, TWELFTH = "Speaker 1 of 3 May", "Speaker 2 of 3 May", "Speaker 12 of 3 May"
SPEAKERS = (ONE, OTHER, "Tom", "Maya")


def promise(by: str, key: int) -> Sighting:
    properties = {"by": by, "to": "Maya", "text": f"{by} will send the report", "due": "2026-05-04"}
    return Sighting("promise", f"{by}: I'll send the report", 0.9, "I'll send the report", key, properties=properties)


def session(history: Any, number: int, who: str, what: int, level: int = 0) -> None:
    """One segment in which a speaker says something of themselves, and of another."""
    other = SPEAKERS[what % len(SPEAKERS)]
    key = number + 1
    read = c.ReadSegment("user:u", f"s{number}", key, 1, NOON + number * DAY, who, "other", level)
    claims = (
        says(f"{who} keeps {'bees' if what % 2 else 'goats'}", key, subject=who),
        says(f"{who} trusts {other}", key, subject=who, object=other),
        says(
            f"{who} lives in {'Faro' if what % 3 else 'Porto'}",
            key,
            subject=who,
            predicate="lives_in",
            object="Faro" if what % 3 else "Porto",
        ),
    )
    seen = (Sighting("person", who, 0.9, who, key), promise(who, key))
    history.turn(
        c.AcceptReading(command_id=f"s{number}", actor="extraction", read=(read,), claims=claims, sightings=seen)
    )


def told_as(believed: WorkingSet, label: str) -> list[str]:
    """Wherever a label still is said, but for what people are also called."""
    facts = (f"{f.statement} {f.object}" for f in believed.facts.values())
    entities = (
        f"{e.name} {sorted(e.properties.items())} {e.description}"
        for e in believed.entities.values()
        if e.merged_into is None
    )
    return [each for each in (*facts, *entities) if label in each]


def person(memory: Any, name: str) -> Any:
    return next(
        e for e in memory.believed.entities.values() if e.type == "person" and e.name == name and not e.merged_into
    )


def test_a_stranger_who_gets_a_name_has_it_in_facts_and_promises() -> None:
    memory = Memory()
    for number, who in enumerate((ONE, TWELFTH, "Maya")):
        session(memory, number, who, number)
    before = person(memory, ONE)
    memory.turn(c.NameSpeaker(command_id="n", label=ONE, name="Tom"))
    tom = person(memory, "Tom")
    assert (tom.entity_id, tom.aliases) == (before.entity_id, (ONE,))
    assert told_as(memory.believed, ONE) == []
    assert told_as(memory.believed, TWELFTH), "another number is another voice"
    assert "Tom keeps goats" in memory.active()
    [said] = [e for e in memory.believed.entities.values() if e.type == "promise" and e.properties["by"] == "Tom"]
    assert (said.name, said.properties["text"]) == ("Tom: I'll send the report", "Tom will send the report")


def test_who_is_known_by_that_name_already_is_the_same_person() -> None:
    memory = Memory()
    for number, who in enumerate((ONE, "Tom")):
        session(memory, number, who, 1)
    tom = person(memory, "Tom")
    memory.turn(c.NameSpeaker(command_id="n", label=ONE, name="tom"))
    assert person(memory, "Tom").entity_id == tom.entity_id
    assert told_as(memory.believed, ONE) == []
    assert {f.subject_id for f in memory.believed.facts.values() if f.statement.startswith(("Tom", "tom"))} == {
        tom.entity_id
    }


def test_the_owner_keeps_their_name() -> None:
    memory = Memory()
    session(memory, 0, ONE, 0)
    memory.turn(c.NameSpeaker(command_id="n", label=ONE, name="me"))
    [owner] = [e for e in memory.believed.entities.values() if e.is_owner]
    assert (owner.name, owner.aliases) == ("Maya", (ONE,))
    assert {f.subject_id for f in memory.believed.facts.values()} == {owner.entity_id}


def test_a_name_that_is_no_number_is_not_replaced_in_words() -> None:
    memory = Memory()
    session(memory, 0, "Tom", 1)
    memory.turn(c.NameSpeaker(command_id="n", label="Tom", name="Thomas"))
    assert person(memory, "Thomas").aliases == ("Tom",)
    assert "Tom keeps bees" in memory.active(), "another Tom may be meant"


def test_what_is_read_under_the_label_later_is_that_persons() -> None:
    memory = Memory()
    session(memory, 0, "Tom", 1)
    memory.turn(c.NameSpeaker(command_id="n", label=ONE, name="Tom"))
    session(memory, 1, ONE, 2)
    assert len([e for e in memory.believed.entities.values() if e.type == "person" and not e.merged_into]) == 2
    assert person(memory, "Tom").aliases == (ONE,)


@settings(max_examples=150)
@given(
    past=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 11), st.integers(0, 1)), min_size=1, max_size=20),
    between=st.lists(st.tuples(st.sampled_from(sorted(COMMANDS)), st.integers(0, 40), st.integers(0, 40)), max_size=4),
    name=st.sampled_from(["Tom", "Ravi", "Maya", OTHER, "Elena"]),
)
def test_naming_and_undoing_leaves_a_life_as_it_was(past: list[Any], between: list[Any], name: str) -> None:
    history = History()
    for number, (who, what, level) in enumerate(past):
        session(history, number, SPEAKERS[who], what, level)
    for kind, a, b in between:
        history.turn(COMMANDS[kind](history, a, b))
    before = history.believed
    done = history.turn(c.NameSpeaker(command_id="", label=ONE, name=name))
    assert done is not None
    assert told_as(history.believed, ONE) == []
    labelled = (history.believed.entities[each] for each in history.believed.names.get(ONE.casefold(), ()))
    persons = [each for each in labelled if each.type == "person" and not each.merged_into]
    assert all(each.is_owner or name.casefold() in each.names for each in persons)
    undone = decide(history.believed, c.Undo(command_id="undo", done=done), history.now + 1, Rules())
    assert essence(evolve(history.believed, undone.changes), born(done)) == essence(before, born(done))


@pytest.mark.parametrize("words", ["", "   "])
def test_a_name_needs_letters(words: str) -> None:
    history = History()
    assert history.turn(c.NameSpeaker(command_id="", label=ONE, name=words)) is None


def test_a_profile_and_levels_do_not_stand_in_the_way() -> None:
    history = History()
    session(history, 0, ONE, 1, int(Sensitivity.SENSITIVE))
    session(history, 1, ONE, 2, int(Sensitivity.OPEN))
    history.turn(c.SetProfile(command_id="", profile=Profile(name="Ravi")))
    history.turn(c.NameSpeaker(command_id="", label=ONE, name="Ravi"))
    assert told_as(history.believed, ONE) == []
    [owner] = [e for e in history.believed.entities.values() if e.is_owner and not e.merged_into]
    assert owner.name == "Ravi"
