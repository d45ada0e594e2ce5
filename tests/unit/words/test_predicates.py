from __future__ import annotations

import pytest

from adapters.extraction.rules_frames import _SORTS
from memory.model.entities import ENTITY_TYPES
from memory.model.facts import FACT_KINDS
from memory.rules.ending import _CONCERNED
from memory.words.predicates import STRONG, TABLE, class_of, closes, cued, having, named, opposite, single_valued, tie


def test_names_are_unique_and_rows_are_within_the_model() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
    for row in TABLE:
        assert row.kind in FACT_KINDS
        assert row.tense in ("state", "event", "plan")
        assert row.object_type is None or row.object_type in ENTITY_TYPES


def test_no_cue_belongs_to_two_rows() -> None:
    cues = [cue for row in TABLE for cue in row.cues]
    assert len(cues) == len(set(cues))


def test_what_a_row_points_at_is_in_the_table() -> None:
    for row in TABLE:
        for name in (*row.closes, *filter(None, (row.opposite, row.past, row.entails))):
            assert named(name) is not None


def test_columns_hold_what_some_rule_knows() -> None:
    for row in TABLE:
        assert row.sort is None or row.sort in _SORTS
        assert row.ends in _CONCERNED
        assert row.slotted in (None, "subject", "class", "kind", "unknown")
        assert row.value in (None, "employer", "feeling", "date", "day", "age", "contract", "places", "favourite")
        assert row.sighted in (None, "topic", "tool", "employer", "venue", "decision")
        assert row.tells <= {"who", "whom", "name", "own_name", "age", "day"}


def test_a_relation_and_a_pet_are_ties() -> None:
    rows = [tie(kind) for kind in ("sister", "wife", "pet")]
    assert [(row.name, row.single, row.asked) for row in rows if row is not None] == [
        ("has_sister", False, ""),
        ("has_wife", True, "married"),
        ("has_pet", False, ""),
    ]
    assert tie(None) is None


def test_what_stands_in_a_column_can_be_listed() -> None:
    assert having("owed") == {"promises", "reminder"}
    assert {row.name for row in TABLE if row.disliked} == {"dislikes"}
    assert {row.name for row in TABLE if row.appointed} == {"deadline_is"}


def test_opposites_are_mutual() -> None:
    assert opposite("likes") == "dislikes"
    assert all(opposite(opposite(row.name)) == row.name for row in TABLE if row.opposite)


@pytest.mark.parametrize(
    ("predicate", "slot", "single"),
    [
        ("lives_in", None, True),
        ("works_at", None, True),
        ("prefers", None, False),
        ("prefers", "coffee", True),
        ("likes", None, False),
        ("has_wife", None, True),
        ("has_sister", None, False),
        ("decides", None, False),
        ("habit:run", None, False),
        ("unheard_of", None, False),
        (None, None, False),
    ],
)
def test_single_valued(predicate: str | None, slot: str | None, single: bool) -> None:
    assert single_valued(predicate, slot) is single


def test_an_event_closes_the_states_it_ends() -> None:
    assert closes("moved_to") == ("lives_in",)
    assert closes("left_job") == ("works_at",)
    assert closes("likes") == ()


def test_what_a_rule_asks_of_a_predicate_is_a_column_of_its_own() -> None:
    assert having("home") == {"lives_in"}
    assert having("born") == {"birthday_is"}
    assert having("diet") == {"has_condition"}


def test_the_first_known_cue_wins() -> None:
    row = cued("live on", "live in", "love")
    assert row is not None
    assert row.name == "lives_in"
    assert cued("no such cue") is None
    assert "lives_in" in STRONG


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("oat milk lattes", "coffee"),
        ("flat white", "coffee"),
        ("Green Tea", "tea"),
        ("window seats", "seat"),
        ("jazz", None),
    ],
)
def test_class_of(words: str, kind: str | None) -> None:
    assert class_of(words) == kind
