"""What goes when words go, for now or for good, and what stays because other words bear it out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.entities import Entity
from memory.model.scopes import Sensitivity
from memory.rules.withdrawal import taught_by
from tests.unit.rules.memory_in_miniature import NOON, Memory, says

TAUGHT = "Elena, whom all call Lena, is a cook"


def seen(key: int, quote: str, name: str = "Elena", *aliases: str, **properties: object) -> Sighting:
    return Sighting("person", name, 0.9, quote, key, properties, aliases)


def read(memory: Memory, key: int, *sightings: Sighting, level: int = 0, claims: tuple[Claim, ...] = ()) -> None:
    segment = c.ReadSegment("user:u", f"s{key}", key, 1, NOON, "Maya", "user", level)
    memory.turn(
        c.AcceptReading(command_id=f"read-{key}", actor="x", read=(segment,), sightings=sightings, claims=claims)
    )


def forget(memory: Memory, *keys: int, source_id: str | None = None, once: tuple[str, ...] = ()) -> None:
    memory.turn(
        c.Withdraw(command_id=f"forget-{memory.now}", segment_keys=keys, erase=True, source_id=source_id, once=once)
    )


def named(memory: Memory, name: str = "Elena") -> Entity | None:
    return next((each for each in memory.believed.entities.values() if each.name == name), None)


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize(
    ("source_id", "erase", "stays"), [("march", True, False), ("march", False, True), ("april", True, True)]
)
def test_what_was_told_of_a_source_goes_when_it_is_forgotten(source_id: str, erase: bool, stays: bool) -> None:
    memory = Memory()
    memory.turn(c.Remember(command_id="r", claims=(says("Maya keeps bees"),), source_id="march"))
    memory.turn(c.Withdraw(command_id="w", erase=erase, source_id=source_id))
    assert bool(memory.believed.facts) is stays


@pytest.mark.conforms("model:withdrawn")
def test_words_of_the_source_itself_are_not_what_was_told_of_it() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"), source="march")
    forget(memory, 9, source_id="march")
    assert memory.active() == ["Maya keeps bees"]


@pytest.mark.conforms("model:withdrawn")
def test_nothing_withdrawn_is_nothing_done() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    assert memory.turn(c.Withdraw(command_id="w", once=tuple(memory.believed.facts), erase=True)).changes == ()


@pytest.mark.conforms("model:withdrawn")
def test_whom_no_words_name_any_more_is_erased_and_whom_others_name_is_not() -> None:
    memory = Memory()
    read(memory, 1, seen(1, "Elena"), seen(1, "Tom", "Tom"), seen(1, "Ann", "Ann"), seen(1, "Maya", "Maya"))
    read(memory, 2, seen(2, "Tom", "Tom"), claims=(says("Maya trusts Ann", 2, predicate="trusts", object="Ann"),))
    forget(memory, 1)
    assert {each.name for each in memory.believed.entities.values()} == {"Maya", "Tom", "Ann"}
    forget(memory, 2)
    assert {each.name for each in memory.believed.entities.values()} == {"Maya"}


@pytest.mark.conforms("model:withdrawn")
def test_without_erasing_everybody_stays_known() -> None:
    memory = Memory()
    read(memory, 1, seen(1, TAUGHT, "Elena", "Lena"), claims=(says("Elena bakes", 1, subject="Elena"),))
    memory.turn(c.Withdraw(command_id="w", segment_keys=(1,)))
    elena = named(memory)
    assert elena is not None
    assert (elena.aliases, memory.believed.mentions.get(elena.entity_id, {})) == (("Lena",), {})
    assert memory.fact("Elena bakes").status == "invalidated"


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize(
    ("others", "aliases", "properties"),
    [
        ("Elena was here", (), {}),
        ("Elena is Lena", ("Lena",), {}),
        ("Elena is a cook", (), {"role": "cook"}),
        (TAUGHT, ("Lena",), {"role": "cook"}),
    ],
)
def test_what_only_forgotten_words_said_of_her_is_unlearnt(
    others: str, aliases: tuple[str, ...], properties: dict[str, object]
) -> None:
    memory = Memory()
    read(memory, 1, seen(1, TAUGHT, "Elena", "Lena", role="cook"))
    read(memory, 2, seen(2, others))
    forget(memory, 1)
    elena = named(memory)
    assert elena is not None
    assert (elena.aliases, dict(elena.properties)) == (aliases, properties)


@pytest.mark.conforms("model:withdrawn")
def test_words_that_said_nothing_of_her_teach_nothing_by_going() -> None:
    memory = Memory()
    read(memory, 1, seen(1, TAUGHT, "Elena", "Lena"))
    read(memory, 2, seen(2, "Tom and Lena", "Tom"))
    read(memory, 3, seen(3, "Tom", "Tom"))
    forget(memory, 2)
    elena = named(memory)
    assert elena is not None
    assert elena.aliases == ("Lena",)


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize(("told", "kept"), [("Elena is Lena", True), ("Elena was here", False)])
def test_a_name_that_was_merged_into_hers_goes_with_the_words_that_said_it(told: str, kept: bool) -> None:
    memory = Memory()
    read(memory, 1, seen(1, "Lena sings", "Lena"))
    read(memory, 2, seen(2, told))
    lena, elena = named(memory, "Lena"), named(memory)
    assert lena is not None
    assert elena is not None
    memory.turn(c.MergeEntities(command_id="m", winner_id=elena.entity_id, loser_id=lena.entity_id))
    forget(memory, 1)
    assert (named(memory, "Lena") is not None) is kept
    assert named(memory) is not None


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize("level", Sensitivity)
def test_who_is_left_in_confidence_only_is_known_in_confidence(level: Sensitivity) -> None:
    memory = Memory()
    read(memory, 1, seen(1, "Elena"))
    read(memory, 2, seen(2, "Elena"), level=level)
    forget(memory, 1)
    elena = named(memory)
    assert elena is not None
    assert elena.sensitivity == level


@pytest.mark.conforms("model:withdrawn")
def test_what_rested_on_the_words_once_goes_with_them() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    identity = memory.fact("Maya keeps bees").fact_id
    memory.hear(1, revision=2)
    assert memory.fact("Maya keeps bees").status == "invalidated"
    forget(memory, 1)
    assert identity in memory.believed.facts
    forget(memory, 1, once=(identity, "f-unknown"))
    assert identity not in memory.believed.facts


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize("claims", [False, True], ids=["mentioned", "spoken of"])
def test_of_several_words_that_are_left_the_least_sensitive_count(claims: bool) -> None:
    memory = Memory()
    read(memory, 1, seen(1, "Elena"), claims=(says("Elena sings", 1, subject="Elena"),))
    for key, level in ((2, 2), (3, 1), (4, 2)):
        told = (says(f"Elena sings {key} songs", key, subject="Elena"),) if claims else ()
        read(memory, key, *(() if claims else (seen(key, "Elena"),)), level=level, claims=told)
    forget(memory, 1)
    elena = named(memory)
    assert elena is not None
    assert elena.sensitivity == Sensitivity.PRIVATE


@pytest.mark.conforms("model:withdrawn")
def test_who_is_as_open_as_before_is_not_touched() -> None:
    memory = Memory()
    for key in (1, 2):
        read(memory, key, seen(key, "Elena"))
    done = memory.turn(c.Withdraw(command_id="w", segment_keys=(1,), erase=True))
    assert [each.noun for each in done.changes] == ["mention"]


@pytest.mark.parametrize(("others", "aliases"), [("Elena was here", ()), ("Elena is Lena", ("Lena",))])
def test_what_words_taught_is_unlearnt_when_the_words_are_gone_already(others: str, aliases: tuple[str, ...]) -> None:
    memory = Memory()
    read(memory, 1, seen(1, TAUGHT, "Elena", "Lena", role="cook"))
    read(memory, 2, seen(2, others))
    elena = named(memory)
    assert elena is not None
    told = memory.believed.mentions[elena.entity_id][1]
    blank = {
        key: replace(each, quote="") if key == 1 else each
        for key, each in memory.believed.mentions[elena.entity_id].items()
    }
    mentions = {**memory.believed.mentions, elena.entity_id: blank}
    memory.believed = replace(memory.believed, mentions=mentions)
    taught = ((elena.entity_id, taught_by([told.quote])),)
    memory.turn(c.Withdraw(command_id="w", segment_keys=(1,), erase=True, taught=taught))
    elena = named(memory)
    assert elena is not None
    assert (elena.aliases, dict(elena.properties)) == (aliases, {})


@pytest.mark.conforms("model:withdrawn")
def test_a_note_that_named_the_source_stands_without_it() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    fact_id = memory.fact("Maya keeps bees").fact_id
    memory.turn(c.WriteNote(command_id="n", about_id=fact_id, text="Since spring.", source_id="march"))
    done = memory.turn(c.Withdraw(command_id="w", erase=True, source_id="march"))
    assert [note.source_id for note in memory.believed.notes.values()] == [None]
    assert "source:march" in done.erased


@pytest.mark.conforms("model:withdrawn")
def test_a_source_whose_words_are_only_taken_back_is_still_named() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    fact_id = memory.fact("Maya keeps bees").fact_id
    memory.turn(c.WriteNote(command_id="n", about_id=fact_id, text="Since spring.", source_id="march"))
    memory.turn(c.Withdraw(command_id="w", source_id="march"))
    assert [note.source_id for note in memory.believed.notes.values()] == ["march"]
