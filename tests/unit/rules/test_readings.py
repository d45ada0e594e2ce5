"""What becomes of what an extractor read: who is meant by a name, what a second look at the same words changes."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.claims import Sighting
from memory.model.entities import Entity, Mention
from tests.unit.rules.memory_in_miniature import NOON, Memory, lives, says


def seen(
    name: str,
    confidence: float = 0.9,
    *,
    key: int = 1,
    quote: str = "",
    aliases: tuple[str, ...] = (),
    **properties: object,
) -> Sighting:
    return Sighting("person", name, confidence, quote or name, key, properties, aliases)


def others(memory: Memory) -> list[Entity]:
    return [each for each in memory.believed.entities.values() if not (each.is_owner or each.merged_into)]


def mention(memory: Memory, key: int = 1) -> Mention:
    (one,) = others(memory)
    return memory.believed.mentions[one.entity_id][key]


@pytest.mark.conforms("model:reading", "001:idempotency.segments")
def test_a_later_revision_takes_back_what_it_no_longer_says_and_another_look_at_one_does_not() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    memory.hear(1, says("Maya keeps goats"), says("Maya sings"))
    assert memory.active() == ["Maya keeps bees", "Maya keeps goats", "Maya sings"]
    memory.hear(1, says("Maya sings"), revision=2)
    assert memory.active() == ["Maya sings"]


@pytest.mark.conforms("model:reading", "000:dedup.highest_confidence")
def test_of_two_sightings_in_one_segment_the_surer_counts_and_of_equals_the_first() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena", 0.8, quote="one"), seen("elena", 0.8, quote="two")))
    assert mention(memory).quote == "one"
    for confidence, quote in ((0.7, "one"), (0.8, "one"), (0.9, "again")):
        read = c.ReadSegment("user:u", "s1", 1, 1, NOON, "Maya", "user", 0)
        look = (seen("Elena", confidence, quote="again"),)
        memory.turn(c.AcceptReading(command_id=f"look-{confidence}", read=(read,), sightings=look))
        assert mention(memory).quote == quote


@pytest.mark.conforms("model:reading")
def test_a_sighting_adds_names_and_what_is_known_and_changes_nothing_of_it() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena", 0.8, aliases=("Lena", "ELENA"), role="cook"),))
    memory.hear(2, sightings=(seen("Elena", 0.7, key=2, aliases=("lena", "Lenchen"), role="baker", of="Tom"),))
    (elena,) = others(memory)
    assert (elena.confidence, elena.aliases) == (0.8, ("Lena", "Lenchen"))
    assert elena.properties == {"role": "cook", "of": "Tom"}
    told = memory.hear(3, sightings=(seen("Elena", 0.8, key=3),)).changes
    assert [each.noun for each in told] == ["mention"], "nothing new is known of her"


@pytest.mark.conforms("model:reading", "003:birth.subject_owner")
def test_a_claim_is_about_whom_it_names() -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena"), Sighting("place", "Faro", 0.9, "Faro", 1)))
    memory.hear(2, says("Elena bakes", 2, subject="elena"), says("Faro is hot", 2, subject="Faro"))
    assert len(others(memory)) == 2
    of_whom = {each.statement: memory.believed.entities[each.subject_id] for each in memory.believed.facts.values()}
    assert (of_whom["Elena bakes"].name, of_whom["Faro is hot"].type) == ("Elena", "place")


@pytest.mark.conforms("model:reading")
@pytest.mark.parametrize(
    ("speaker", "type_", "confidence"), [("TOM", "person", 1.0), ("Ann", "band", 0.6), ("", "band", 0.6)]
)
def test_whom_nobody_has_mentioned_is_kept_under_the_name_and_who_speaks_is_a_person(
    speaker: str, type_: str, confidence: float
) -> None:
    memory = Memory()
    memory.hear(1, says("Tom plays", subject="Tom", subject_type="band"), speaker=speaker, role="other")
    (tom,) = others(memory)
    assert (tom.name, tom.type, tom.confidence) == ("Tom", type_, confidence)


PARTED = says("Ghent broke up with Jonas", 9, subject="Ghent", predicate="separated_from", object="Jonas")


def at(name: str, type_: str, key: int = 1) -> Sighting:
    return Sighting(type_, name, 0.9, name, key)


def test_a_place_that_was_heard_of_before_does_not_what_only_people_do() -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"), sightings=(at("Ghent", "place"),))
    memory.hear(9, PARTED, sightings=(at("Ghent", "person", 9), at("Jonas", "person", 9)))
    assert memory.active() == ["Maya lives in Ghent"]


@pytest.mark.parametrize(
    ("sightings", "speaker"),
    [
        ((), "Maya"),
        ((at("Ghent", "person"),), "Maya"),
        ((at("Ghent", "place"), at("Ghent", "person")), "Maya"),
        ((at("Ghent", "place"),), "Ghent"),
    ],
    ids=["unknown", "somebody", "both", "who speaks"],
)
def test_who_may_be_somebody_does(sightings: tuple[Sighting, ...], speaker: str) -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"), sightings=sightings)
    memory.hear(9, PARTED, speaker=speaker)
    assert PARTED.statement in memory.active()


def test_what_places_do_is_believed_of_them() -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"), sightings=(at("Ghent", "place"),))
    memory.hear(9, says("Ghent lies on two rivers", 9, subject="Ghent", subject_type="place"))
    assert "Ghent lies on two rivers" in memory.active()
