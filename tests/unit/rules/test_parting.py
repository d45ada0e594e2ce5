"""Parting: two people who were taken for one have each what was read from their own words, and undo restores all."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.profile import Profile
from memory.model.working_set import evolve
from memory.rules.decider import Rules, decide
from tests.unit.rules.memory_in_miniature import Memory
from tests.unit.rules.test_speakers import ONE, OTHER, SPEAKERS, person, session, told_as
from tests.unit.rules.test_undoing import COMMANDS, History, born, essence


def merged(*names: str) -> Memory:
    """Two strangers, each heard once, who were both taken for these persons, one after the other."""
    memory = Memory()
    session(memory, 0, ONE, 3)
    session(memory, 1, OTHER, 8)
    for number, (label, name) in enumerate(zip((ONE, OTHER), names, strict=True)):
        memory.turn(c.NameSpeaker(command_id=f"n{number}", label=label, name=name))
    return memory


def part(memory: Any, *keys: int, name: str = "Tom", label: str = OTHER) -> Any:
    return memory.turn(c.PartSpeaker(command_id="part", name=name, label=label, segment_keys=keys))


def made_by(memory: Any) -> list[str]:
    return sorted(
        str(e.properties["by"]) for e in memory.believed.entities.values() if "by" in e.properties and not e.merged_into
    )


def subjects(memory: Any) -> set[tuple[str, str]]:
    entities = memory.believed.entities
    return {(entities[f.subject_id].name, f.statement) for f in memory.believed.facts.values() if f.subject_id}


def test_facts_and_promises_are_those_of_whoever_said_them() -> None:
    memory = merged("Tom", "Tom")
    assert {name for name, _ in subjects(memory)} == {"Tom"}
    other = next(e for e in memory.believed.entities.values() if e.name == OTHER and e.merged_into)
    part(memory, 2)
    assert person(memory, OTHER).entity_id == other.entity_id, "who was merged is who they were"
    assert OTHER not in person(memory, "Tom").aliases
    assert (OTHER, f"{OTHER} keeps goats") in subjects(memory)
    assert ("Tom", "Tom keeps bees") in subjects(memory)
    assert (OTHER, f"{OTHER} trusts Tom") in subjects(memory), "nobody speaks of themselves as of another"
    assert made_by(memory) == [OTHER, "Tom"]


def test_the_owner_stays_where_another_was_taken_for_them() -> None:
    memory = Memory()
    memory.turn(c.SetProfile(command_id="p", profile=Profile(name="Maya")))
    session(memory, 0, OTHER, 8)
    memory.turn(c.NameSpeaker(command_id="n", label=OTHER, name="Maya"))
    part(memory, 1, name="Maya")
    [owner] = [e for e in memory.believed.entities.values() if e.is_owner]
    assert owner.name == "Maya"
    assert memory.believed.mentions.get(owner.entity_id, {}) == {}
    assert {name for name, _ in subjects(memory)} == {OTHER}


def test_of_whom_nothing_would_be_left_is_called_by_the_label() -> None:
    memory = Memory()
    session(memory, 0, OTHER, 8)
    memory.turn(c.NameSpeaker(command_id="n", label=OTHER, name="Tom"))
    before = person(memory, "Tom").entity_id
    part(memory, 1)
    assert person(memory, OTHER).entity_id == before
    assert person(memory, OTHER).aliases == ()
    assert told_as(memory.believed, "Tom") == []


def test_what_the_speaker_says_of_the_person_of_that_name_stays_theirs() -> None:
    memory = merged("Tom", "Tom")
    read = c.ReadSegment("user:u", "s9", 9, 1, memory.now, OTHER, "other", 0)
    about = c.AcceptReading(
        command_id="s9", read=(read,), claims=(c.Claim("Tom", "Tom sings", 9, "Tom sings."),), sightings=()
    )
    memory.turn(about)
    part(memory, 2, 9)
    assert ("Tom", "Tom sings") in subjects(memory)


def test_segments_that_speak_of_neither_change_nothing() -> None:
    memory = merged("Tom", "Tom")
    assert part(memory, 77).changes == ()
    assert part(memory, 2, name="Nobody").changes == ()
    assert part(memory, 2, label="Tom").changes == ()


@settings(max_examples=200)
@given(
    past=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 11), st.integers(0, 1)), min_size=1, max_size=20),
    between=st.lists(st.tuples(st.sampled_from(sorted(COMMANDS)), st.integers(0, 40), st.integers(0, 40)), max_size=4),
    name=st.sampled_from(["Tom", "Ravi", "Maya", "Elena"]),
    label=st.sampled_from([OTHER, "Zoe"]),
)
def test_parting_and_undoing_leaves_a_life_as_it_was(
    past: list[Any], between: list[Any], name: str, label: str
) -> None:
    history = History()
    for number, (who, what, level) in enumerate(past):
        session(history, number, SPEAKERS[who], what, level)
    for each in (ONE, OTHER):
        history.turn(c.NameSpeaker(command_id="", label=each, name=name))
    for kind, a, b in between:
        history.turn(COMMANDS[kind](history, a, b))
    before = history.believed
    keys = tuple(number + 1 for number, (who, *_) in enumerate(past) if SPEAKERS[who] == OTHER)
    done = history.turn(c.PartSpeaker(command_id="", name=name, label=label, segment_keys=keys))
    assert done is not None
    after = history.believed
    whose = {e.entity_id for e in after.entities.values() if fold_of(name) in e.names and not e.merged_into}
    whose -= {e.entity_id for e in after.entities.values() if fold_of(label) in e.names}
    for fact in after.facts.values():
        rests = {each.segment_key for each in after.evidence.get(fact.fact_id, ())}
        quoted = any(fold_of(name) in fold_of(each.quote) for each in after.evidence.get(fact.fact_id, ()))
        if rests and rests <= set(keys) and not quoted:
            assert fact.subject_id not in whose
    undone = decide(after, c.Undo(command_id="undo", done=done), history.now + 1, Rules())
    assert essence(evolve(after, undone.changes), born(done)) == essence(before, born(done))


def fold_of(words: str) -> str:
    return words.casefold()
