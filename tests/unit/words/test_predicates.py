from __future__ import annotations

import pytest

from memory.model.entities import ENTITY_TYPES
from memory.model.facts import FACT_KINDS
from memory.words.predicates import STRONG, TABLE, class_of, closes, cued, named, opposite, single_valued


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
        for name in (*row.closes, *filter(None, (row.opposite, row.past))):
            assert named(name) is not None


def test_opposites_are_mutual() -> None:
    assert opposite("likes") == "dislikes"
    assert all(opposite(opposite(row.name)) == row.name for row in TABLE if row.opposite)


@pytest.mark.parametrize(
    ("predicate", "slot", "single"),
    [
        ("lives_in", None, True), ("works_at", None, True), ("prefers", None, False), ("prefers", "coffee", True),
        ("likes", None, False), ("has_wife", None, True), ("has_sister", None, False), ("decides", None, False),
        ("habit:run", None, False), ("unheard_of", None, False), (None, None, False),
    ],
)  # fmt: skip
def test_single_valued(predicate: str | None, slot: str | None, single: bool) -> None:
    assert single_valued(predicate, slot) is single


def test_an_event_closes_the_states_it_ends() -> None:
    assert closes("moved_to") == ("lives_in",)
    assert closes("left_job") == ("works_at",)
    assert closes("likes") == ()


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
