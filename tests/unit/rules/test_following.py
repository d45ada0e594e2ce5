"""Where two entities become one, or one becomes two, storylines and macros go with whom they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.entities import Mention
from memory.model.groups import Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from tests.unit.rules.lives_of_ties import MAY, entities, memory
from tests.unit.rules.test_grouping import Remembering

DAY = DAY_S


def line(name: str, anchor: str, *keys: int, closed: bool = True, **more: object) -> Group:
    """A storyline of the sources of these segments, one a day, that quotes the first."""
    first, last = MAY + keys[0] * DAY, MAY + keys[-1] * DAY
    group = Group(name, "storyline", MAY, anchor, "So. [1]", tuple(f"s{key:03}" for key in keys), keys[:1])
    ends = {"first_at": first, "last_at": last, "closed_at": last + 90 * DAY if closed else None}
    return replace(group, sources=len(keys), **ends, **more)  # type: ignore[arg-type]


def macro(name: str, anchor: str, *members: str) -> Group:
    return Group(name, "macro", MAY, anchor, "So. [1]", members, (1,), False, 9, MAY, MAY)


def told(*mentions: tuple[str, int], level: int = 0) -> list[Mention]:
    return [Mention(who, f"s{key:03}", key, MAY + key * DAY, who, 1.0, Sensitivity(level)) for who, key in mentions]


def mind(*groups: Group, mentions: list[Mention]) -> Remembering:
    made = Remembering()
    made.believed = memory(entities("abc"), mentions, list(groups))
    return made


FIVE, OTHER = (1, 2, 3, 4, 5), (201, 202, 203, 204, 205)
A, B = [("a", key) for key in FIVE], [("b", key) for key in OTHER]


@pytest.mark.conforms("model:groups")
def test_the_storylines_of_who_is_merged_are_about_whom_they_were_merged_into() -> None:
    first, second = line("s-1", "a", *FIVE), line("s-2", "b", *OTHER)
    one = mind(first, second, mentions=told(*A, *B))
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert one.believed.groups == {"s-1": first, "s-2": replace(second, anchor_id="a", dirty=True)}
    one.turn(c.Undo, done=done)
    assert one.believed.groups == {"s-1": first, "s-2": second}


@pytest.mark.conforms("model:groups")
def test_two_that_were_open_at_one_time_become_the_earlier() -> None:
    keys = {"b": (301, 302, 303, 304, 305), "a": (1, 2, 303, 350, 351)}
    first = line("s-1", "b", *keys["b"])
    second = line("s-2", "a", *keys["a"][2:], closed=False, state="core")
    before_them = line("s-3", "a", *keys["a"][:2])
    one = mind(first, second, before_them, mentions=told(*[(who, key) for who, some in keys.items() for key in some]))
    before = one.believed.groups
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert one.believed.groups.keys() == {"s-1", "s-3"}
    assert one.believed.groups["s-3"] == before_them, "what was not open then stays by itself"
    joined = one.believed.groups["s-1"]
    assert [int(each[1:]) for each in joined.members] == [301, 302, 303, 304, 305, 350, 351]
    assert (joined.anchor_id, joined.sources, joined.last_at, joined.closed_at) == ("a", 7, MAY + 351 * DAY, None)
    assert (joined.state, joined.summary, joined.quotes, joined.dirty) == ("core", "So. [1]", (301,), True)
    one.turn(c.Undo, done=done)
    assert one.believed.groups == before


@pytest.mark.conforms("model:groups")
def test_those_of_one_entity_are_not_joined_by_the_merge_of_another() -> None:
    first, second = line("s-1", "a", 1, 2, 90), line("s-2", "a", 150, 151)
    mentions = told(*[("a", key) for key in (1, 2, 90, 150, 151)], ("b", 900))
    one = mind(first, second, line("s-3", "b", 900), mentions=mentions)
    one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert (one.believed.groups["s-1"], one.believed.groups["s-2"]) == (first, second)


@pytest.mark.parametrize(
    ("loose", "one_line"),
    [
        ((("b", 60), ("b", 120)), True),
        ((("b", 60),), False),  # 141 days of silence follow
        ((("b", 120),), False),  # and here 115 come before
        ((("b", 94), ("b", 112)), True),
        ((("b", 95), ("b", 120)), False),  # 90 days are silence
    ],
)
def test_a_closed_one_goes_on_where_loose_sources_of_the_other_lead_to_the_next(
    loose: tuple[tuple[str, int], ...], one_line: bool
) -> None:
    first, second = line("s-1", "a", *FIVE), line("s-2", "b", *OTHER, closed=False)
    one = mind(first, second, mentions=told(*A, *B, *loose))
    before = one.believed.groups
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    left = one.believed.groups
    assert (left.keys() == {"s-1"}) is one_line
    if one_line:
        assert (left["s-1"].members, left["s-1"].closed_at) == ((*first.members, *second.members), None)
    one.turn(c.Undo, done=done)
    assert one.believed.groups == before


@pytest.mark.conforms("model:groups")
def test_sources_of_a_higher_level_lead_nowhere() -> None:
    first, second = line("s-1", "a", *FIVE), line("s-2", "b", *OTHER, closed=False)
    one = mind(first, second, mentions=[*told(*A, *B), *told(("b", 60), ("b", 120), level=1)])
    one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert one.believed.groups.keys() == {"s-1", "s-2"}


@pytest.mark.conforms("model:groups")
@pytest.mark.parametrize("own", [True, False])
def test_a_macro_follows_unless_there_is_one(own: bool) -> None:
    lines = line("s-1", "a", *FIVE), line("s-2", "b", *OTHER)
    macros = [macro("m-2", "b", "s-2"), *([macro("m-1", "a", "s-1")] if own else [])]
    one = mind(*lines, *macros, mentions=told(*A, *B, ("b", 1)))
    before = one.believed.groups
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    left = [each for each in one.believed.groups.values() if each.kind == "macro"]
    assert [(each.group_id, each.anchor_id) for each in left] == [("m-1" if own else "m-2", "a")]
    one.turn(c.Undo, done=done)
    assert one.believed.groups == before


@pytest.mark.conforms("model:groups")
def test_levels_stay_apart() -> None:
    first, second = line("s-1", "a", *FIVE), line("s-2", "b", *FIVE, sensitivity=Sensitivity.PRIVATE)
    one = mind(first, second, mentions=[*told(*A), *told(*[("b", key) for key in FIVE], level=1)])
    one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    left = {each.group_id: (each.anchor_id, each.sensitivity) for each in one.believed.groups.values()}
    assert left == {"s-1": ("a", Sensitivity.OPEN), "s-2": ("a", Sensitivity.PRIVATE)}


@pytest.mark.conforms("model:groups")
def test_a_summary_stands_where_both_were_named_in_the_words_it_quotes() -> None:
    first = line("s-1", "a", *FIVE)
    one = mind(first, mentions=told(*A, ("b", 1)))
    done = one.turn(c.MergeEntities, winner_id="b", loser_id="a")
    assert one.believed.groups["s-1"] == replace(first, anchor_id="b", dirty=True)
    one.turn(c.Undo, done=done)
    assert one.believed.groups["s-1"] == first


def test_the_owner_has_none() -> None:
    one = mind(line("s-2", "b", *OTHER), mentions=told(*A, *B))
    owned = [replace(each, is_owner=each.entity_id == "a") for each in one.believed.entities.values()]
    one.believed = memory(owned, told(*A, *B), list(one.believed.groups.values()))
    one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert one.believed.groups == {}


@pytest.mark.conforms("model:groups")
def test_a_storyline_goes_with_whom_most_of_its_sources_tell_of() -> None:
    first, second = line("s-1", "a", *FIVE), line("s-2", "a", *OTHER)
    one = mind(first, second, mentions=told(*A, *[("a", key) for key in OTHER]))
    before = one.believed.groups
    done = one.turn(c.SplitEntity, entity_id="a", name="z", segment_keys=(5, 201, 202, 203))
    fresh = next(each for each in one.believed.entities.values() if each.name == "z").entity_id
    stayed, went = one.believed.groups["s-1"], one.believed.groups["s-2"]
    assert (stayed.anchor_id, stayed.members, stayed.summary) == ("a", first.members[:4], "So. [1]")
    assert (went.anchor_id, went.members, went.summary, went.dirty) == (fresh, second.members[:3], "So. [1]", True)
    one.turn(c.Undo, done=done)
    assert {each.group_id: each.anchor_id for each in one.believed.groups.values()} == {"s-1": "a", "s-2": "a"}
    assert one.believed.groups == before


@pytest.mark.conforms("model:groups")
def test_a_merge_is_undone_though_a_night_has_written_of_it_since() -> None:
    one = mind(line("s-1", "a", *FIVE), line("s-2", "b", *OTHER), mentions=told(*A, *B))
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    moved = one.believed.groups["s-2"]
    one.arrange(replace(moved, summary="The night. [1]", dirty=False, state="core"))
    one.turn(c.Undo, done=done)
    back = one.believed.groups["s-2"]
    assert (back.anchor_id, back.summary, back.state, back.dirty) == ("b", "The night. [1]", "core", True)


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 400)), min_size=1, max_size=30, unique_by=lambda t: t[1]),
    st.lists(st.integers(1, 400), max_size=3),
)
@settings(max_examples=100)
def test_a_merge_and_its_undoing_leave_every_group_as_it_was(where: list[tuple[str, int]], cuts: list[int]) -> None:
    lines: list[Group] = []
    for who in "ab":
        keys = sorted(key for each, key in where if each == who)
        for low, high in zip([0, *sorted(cuts)], [*sorted(cuts), 401], strict=True):
            if some := [key for key in keys if low <= key < high]:
                lines.append(line(f"s-{who}{low}", who, *some))
    one = mind(*{each.group_id: each for each in lines}.values(), mentions=told(*where))
    before = one.believed.groups
    done = one.turn(c.MergeEntities, winner_id="a", loser_id="b")
    assert {each.anchor_id for each in one.believed.groups.values()} <= {"a"}
    held = [each for group in one.believed.groups.values() for each in group.members]
    assert sorted(held) == sorted(each for group in before.values() for each in group.members), "no source is lost"
    one.turn(c.Undo, done=done)
    assert one.believed.groups == before
