"""Which sources a night gathers into one: the faded, those with the same entities, and the often recalled."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.groups import Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.rules.appearances import Appearances
from memory.rules.census import SourceColumns, columns_of
from memory.rules.consolidation import Gathered, plan_consolidations
from memory.rules.parameters import Consolidations, Life
from tests.unit.rules.lives_of_ties import MAY

OPEN, PRIVATE = Sensitivity.OPEN, Sensitivity.PRIVATE
FADED_DAY = 46.0
"""From this day on a source that nobody recalled is below 0.2: ln(0.5 / 0.2) / 0.02 = 45.8."""
Spec = tuple[str, float, str]
"""Source id, the day on which it began, and whom it tells of, one letter each."""


def columns(sources: list[Spec], **more: dict[str, Any]) -> SourceColumns:
    """Columns of these sources; `more` by source id."""
    plain = {
        "state": 0,
        "ttl": 2,
        "count": 0,
        "accessed_at": None,
        "value": 0.0,
        "gradient": 1.0,
        "consolidated": False,
    }
    rows = [
        {**plain, "ids": name, "started_at": MAY + day * DAY_S, "ended_at": MAY + day * DAY_S, **more.get(name, {})}
        for name, day, _ in sources
    ]
    return columns_of(SourceColumns, rows)


def told(sources: list[Spec], level: Sensitivity = OPEN) -> Appearances:
    anchors = sorted({who for _, _, some in sources for who in some})
    return Appearances.of(
        ((each, "active", 1.0) for each in anchors),
        ((name, MAY + day * DAY_S) for name, day, _ in sources),
        ((who, name, int(level)) for name, _, some in sources for who in some),
    )


def plan(
    sources: list[Spec], day: float, standing: tuple[Group, ...] = (), rules: Consolidations | None = None, **more: Any
) -> tuple[Gathered, ...]:
    """What is gathered at the open level on a day."""
    life = Life(consolidations=rules or Consolidations())
    plans = plan_consolidations(told(sources), columns(sources, **more), standing, MAY + day * DAY_S, life)
    return plans.get(OPEN, ())


def ids(found: tuple[Gathered, ...]) -> list[tuple[str, ...]]:
    return [each.sources for each in found]


PAIR: list[Spec] = [("one", 0.0, "a"), ("two", 0.0, "a")]


@pytest.mark.conforms("002:consolidation.sources")
@pytest.mark.parametrize(("day", "gathered"), [(FADED_DAY - 1, []), (FADED_DAY, [("one", "two")])])
def test_the_faded_are_gathered_once_they_are_below_a_fifth(day: float, gathered: list[tuple[str, ...]]) -> None:
    assert ids(plan(PAIR, day)) == gathered


@pytest.mark.conforms("002:consolidation.sources")
@pytest.mark.parametrize(("day", "gathered"), [(6.9, 0), (7.0, 1)])
def test_nothing_is_gathered_until_it_has_been_over_for_a_week(day: float, gathered: int) -> None:
    weak: dict[str, Any] = {
        name: {"count": 1, "accessed_at": MAY - 30 * DAY_S, "value": 0.01} for name in ("one", "two")
    }
    assert len(plan(PAIR, day, **weak)) == gathered
    assert plan(PAIR, day, one={"ended_at": MAY + 5 * DAY_S}, **{"two": weak["two"]}) == (), "one still goes on"


@pytest.mark.conforms("002:consolidation.sources")
@pytest.mark.parametrize(("count", "gathered"), [(4, 0), (5, 1)])
def test_five_that_tell_of_the_same_two_are_gathered_whatever_their_strength(count: int, gathered: int) -> None:
    some: list[Spec] = [(f"s{number}", float(number), "ab") for number in range(count)]
    assert len(plan(some, 20.0)) == gathered
    assert plan([(name, day, "a") for name, day, _ in some], 20.0) == (), "one entity is no overlap"


@pytest.mark.conforms("002:consolidation.sources")
@pytest.mark.parametrize(
    ("count", "value", "gathered"), [(10, 0.29, 1), (9, 0.29, 0), (10, 0.9, 0)], ids=["often", "seldom", "strong"]
)
def test_what_was_recalled_often_and_has_faded_somewhat_is_gathered(count: int, value: float, gathered: int) -> None:
    recalled = {"count": count, "accessed_at": MAY + 2 * DAY_S, "value": value, "gradient": 3.0}
    assert len(plan(PAIR, 10.0, one=recalled, two=recalled)) == gathered


@pytest.mark.conforms("002:consolidation.sources")
@pytest.mark.parametrize(
    "spared",
    [{"ttl": 0}, {"count": 1, "accessed_at": MAY + 95 * DAY_S, "value": 0.1}, {"consolidated": True}],
    ids=["kept forever", "recalled lately", "gathered already"],
)
def test_what_is_kept_recalled_lately_or_gathered_already_stays(spared: dict[str, Any]) -> None:
    assert plan(PAIR, 100.0, one=spared) == ()


@pytest.mark.conforms("002:consolidation.sources")
def test_one_source_alone_is_nothing_to_gather() -> None:
    assert plan(PAIR[:1], 100.0) == ()


@pytest.mark.conforms("002:consolidation.sources")
def test_sources_are_parted_where_they_are_far_apart_and_where_they_are_too_many() -> None:
    some: list[Spec] = [(f"s{day:03}", float(day), "a") for day in (0, 1, 40, 41, 71)]
    assert sorted(ids(plan(some, 200.0))) == [("s000", "s001"), ("s040", "s041", "s071")]
    many: list[Spec] = [(f"s{day:03}", float(day), "a") for day in range(22)]
    assert [len(each) for each in ids(plan(many, 200.0))] == [20, 2]


@pytest.mark.conforms("002:consolidation.sources")
def test_each_goes_with_the_anchor_that_most_of_the_others_tell_of() -> None:
    some: list[Spec] = [("one", 0, "ab"), ("two", 1, "b"), ("three", 2, "b"), ("four", 3, "a")]
    assert [(each.anchor_id, each.sources) for each in plan(some, 100.0)] == [("b", ("one", "two", "three"))]


@pytest.mark.conforms("002:consolidation.sources")
def test_what_fades_later_joins_the_consolidation_of_its_time_while_there_is_room() -> None:
    known = Group("k", "consolidation", MAY, "a", members=("x", "y"), first_at=MAY, last_at=MAY + DAY_S)
    late: list[Spec] = [("one", 31.0, "a")]
    [joined] = plan(late, 100.0, (known,))
    assert (joined.known, joined.sources, joined.size) == (known, ("one",), 3)
    assert plan([("one", 32.0, "a")], 100.0, (known,)) == (), "too far away"
    assert plan(late, 100.0, (replace(known, anchor_id="b"),)) == ()
    assert plan(late, 100.0, (known,), Consolidations(most_sources=2)) == ()


@pytest.mark.conforms("002:consolidation.sources")
def test_a_night_writes_those_of_the_most_sources_first() -> None:
    some: list[Spec] = [*PAIR, ("b1", 0, "b"), ("b2", 0, "b"), ("b3", 0, "b")]
    assert ids(plan(some, 100.0, rules=Consolidations(written=1))) == [("b1", "b2", "b3")]


@pytest.mark.conforms("002:consolidation.sources")
def test_what_is_more_sensitive_is_gathered_by_itself() -> None:
    both = Appearances.of(
        [("a", "active", 1.0)],
        [(name, MAY) for name in ("one", "two", "three", "four")],
        [("a", "one", 0), ("a", "two", 0), ("a", "three", 1), ("a", "four", 1)],
    )
    spec: list[Spec] = [(name, 0.0, "a") for name in ("one", "two", "three", "four")]
    plans = plan_consolidations(both, columns(spec), (), MAY + 100 * DAY_S, Life())
    assert {level: set(each.sources) for level, [each] in plans.items()} == {
        OPEN: {"one", "two"},
        PRIVATE: {"three", "four"},
    }


lives = st.lists(
    st.tuples(st.integers(0, 200), st.text("abcd", min_size=1, max_size=3).map(lambda who: "".join(sorted(set(who))))),
    max_size=40,
).map(lambda some: [(f"s{number:02}", float(day), who) for number, (day, who) in enumerate(some)])


@given(lives, st.integers(0, 300))
def test_a_source_is_gathered_once_with_an_anchor_it_tells_of_and_near_others(some: list[Spec], day: int) -> None:
    found, of = plan(some, float(day)), {name: (at, who) for name, at, who in some}
    gathered = [each for one in found for each in one.sources]
    assert len(gathered) == len(set(gathered))
    for one in found:
        days = [of[each][0] for each in one.sources]
        assert 2 <= len(days) <= 20
        assert all(one.anchor_id in of[each][1] for each in one.sources)
        assert all(0 <= later - earlier <= 30 for earlier, later in pairwise(days))
        assert all(day - each >= 7 for each in days)


@given(lives, st.randoms())
def test_the_order_in_which_sources_are_given_changes_nothing(some: list[Spec], random: Any) -> None:
    shuffled = random.sample(some, len(some))
    assert plan(some, 150.0) == plan(shuffled, 150.0)
