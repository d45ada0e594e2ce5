"""Which of several entities a name means, and which id a new one gets."""

from __future__ import annotations

import pytest

from memory.model.entities import Entity, Mention
from memory.model.ids import entity_id
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft, assemble
from memory.rules.resolution import FORMER_TYPES, find, free_id

NOON = 1_700_000_000.0


def named(identity: str, type_: str = "person", name: str = "Alex", former: tuple[str, ...] = ()) -> Entity:
    return Entity(identity, type_, name, 0.9, NOON, properties={FORMER_TYPES: former} if former else {})


def mentioned(identity: str, times: int, level: Sensitivity = Sensitivity.OPEN) -> list[Mention]:
    return [Mention(identity, f"s{key}", key, NOON, "Alex", sensitivity=level) for key in range(1, times + 1)]


def draft(*rows: Entity | Mention) -> Draft:
    return Draft(assemble("u", 1, Profile(), rows))


@pytest.mark.conforms("model:names", "model:reading")
@pytest.mark.parametrize(("first", "second", "meant"), [(1, 2, "second"), (2, 1, "first"), (1, 1, "second")])
def test_among_several_of_a_name_the_one_mentioned_most_is_meant(first: int, second: int, meant: str) -> None:
    known = draft(named("first"), named("second", "topic"), *mentioned("first", first), *mentioned("second", second))
    found = find(known, "alex", level=Sensitivity.OPEN)
    assert found is not None
    assert found.entity_id == meant


@pytest.mark.conforms("model:names")
def test_words_that_are_too_sensitive_do_not_tell_who_is_mentioned_most() -> None:
    known = draft(
        named("first"),
        named("second", "topic"),
        *mentioned("first", 2),
        *mentioned("second", 1),
        *mentioned("second", 5, Sensitivity.PRIVATE),
    )
    by_level = {level: find(known, "Alex", level=level) for level in (Sensitivity.OPEN, Sensitivity.PRIVATE)}
    assert {level: each and each.entity_id for level, each in by_level.items()} == {
        Sensitivity.OPEN: "first",
        Sensitivity.PRIVATE: "second",
    }


@pytest.mark.conforms("model:split", "model:names")
def test_who_is_of_a_type_comes_before_who_was_taken_for_it() -> None:
    known = draft(named("is"), named("was", "place", former=("person",)), *mentioned("was", 5))
    for type_, meant in (("person", "is"), ("place", "was"), (None, "was"), ("topic", None)):
        found = find(known, "Alex", type_, level=Sensitivity.OPEN)
        assert (found and found.entity_id) == meant, type_


@pytest.mark.conforms("model:names", "model:split")
@pytest.mark.parametrize("qualifier", ["", "of Ben"])
def test_an_id_is_that_of_the_name_and_if_somebody_renamed_holds_it_the_next_number_s(qualifier: str) -> None:
    numbered = [entity_id("u", "person", "Alex", f"{qualifier}{place}".strip()) for place in ("", " 1", " 2")]
    for taken, free in enumerate(numbered):
        known = draft(*(named(each, name="Alexandra") for each in numbered[:taken]))
        assert free_id(known, "person", "Alex", qualifier, level=Sensitivity.OPEN) == free
