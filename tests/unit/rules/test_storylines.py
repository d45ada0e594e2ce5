"""Storylines open around what is told of again and again, close in silence, and never learn of what is above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.scopes import Sensitivity
from memory.model.storylines import Storyline
from memory.model.timeline import DAY_S
from memory.rules.appearances import Appearances
from memory.rules.parameters import Storylines
from memory.rules.reflection import Likeness
from memory.rules.storylines import StorylinePlan, contested, plan_storylines, refreshed

RULES = Storylines()
MAY = 1_714_521_600.0
OPEN, PRIVATE, SENSITIVE = Sensitivity
Told = tuple[str, float, int]
"""(anchor, day, level): a source of its own, on that day."""
FIVE = [("a", day, 0) for day in (0.0, 1.0, 1.2, 2.0, 9.0)]


def source(told: Told) -> str:
    return f"s{told[1]:07.2f}"


def appearances(told: Iterable[Told], state: str = "active", confidence: float = 0.9) -> Appearances:
    told = list(told)
    return Appearances.of(
        [(each, state, confidence) for each in {who for who, _, _ in told}],
        {(source(each), MAY + each[1] * DAY_S) for each in told},
        [(each[0], source(each), each[2]) for each in told],
    )


def plan(
    told: Iterable[Told],
    night: float,
    standing: Sequence[Storyline] = (),
    level: Sensitivity = OPEN,
    rules: Storylines = RULES,
    likeness: Likeness | None = None,
    **more: object,
) -> StorylinePlan:
    found = appearances(told, **more)  # type: ignore[arg-type]
    return plan_storylines("u", found, standing, level, MAY + night * DAY_S, rules, likeness)


def days(line: Storyline) -> list[float]:
    return [float(each[1:]) for each in line.sources]


@pytest.mark.conforms("002:storylines", "002:storylines.promotion")
def test_five_sources_on_three_days_open_a_storyline() -> None:
    found = plan(FIVE, 10)
    [line] = found.opened
    assert (line.anchor_id, line.level, days(line)) == ("a", OPEN, [0.0, 1.0, 1.2, 2.0, 9.0])
    assert (line.first_at, line.last_at, line.closed_at) == (MAY, MAY + 9 * DAY_S, None)
    assert (line.opened_at, line.dirty, line.quotes) == (MAY + 10 * DAY_S, True, ())
    assert (found.kept, found.changed, found.withdrawn) == ((), (), ())


@pytest.mark.conforms("002:storylines", "002:storylines.promotion")
@pytest.mark.parametrize(
    ("told", "more"),
    [
        (FIVE[:4], {}),
        ([("a", day, 0) for day in (0.0, 1.0, 1.1, 1.2, 1.3)], {}),
        (FIVE, {"state": "candidate", "confidence": 0.79}),
        (FIVE, {"state": "archived"}),
        ([*FIVE[:4], ("b", 9.0, 0)], {}),
        ([*FIVE[:4], ("a", 10.5, 0)], {}),
    ],
    ids=["four sources", "two days", "not sure", "archived", "one of another", "one that comes after the night"],
)
def test_less_than_that_opens_none(told: list[Told], more: dict[str, object]) -> None:
    assert plan(told, 10, **more) == StorylinePlan()  # type: ignore[arg-type]


@pytest.mark.conforms("002:storylines.promotion")
def test_what_is_young_waits() -> None:
    young = [("a", day, 0) for day in (0.9, 1.0, 1.1, 2.0, 2.1)]
    assert plan(young, 3.9) == StorylinePlan(), "three days are not more than three days"
    assert plan(young, 3.95).opened
    assert plan(FIVE, 10, state="candidate", confidence=0.8).opened


@pytest.mark.conforms("002:storylines.promotion")
def test_those_of_the_most_sources_come_first_and_the_same_night_opens_no_more() -> None:
    two = replace(RULES, opened=2)
    told = [(who, day, 0) for who, many in zip("abc", (5, 7, 6), strict=True) for day in range(many)]
    found = plan(told, 10, rules=two)
    assert [each.anchor_id for each in found.opened] == ["b", "c"]
    assert plan(told, 10, found.standing, rules=two).opened == ()
    assert [each.anchor_id for each in plan(told, 11, found.standing, rules=two).opened] == ["a"]


@pytest.mark.conforms("002:storylines.attachment")
def test_what_comes_joins_and_makes_it_dirty() -> None:
    before = [replace(each, dirty=False, quotes=(1,)) for each in plan(FIVE, 10).standing]
    found = plan([*FIVE, ("a", 98.9, 0)], 99, before)
    [line] = found.changed
    assert (days(line)[-1], line.dirty, line.closed_at, line.quotes) == (98.9, True, None, (1,))
    assert line.storyline_id == before[0].storyline_id


@pytest.mark.conforms("002:storylines.closing")
def test_one_that_is_silent_closes_and_the_next_one_opens() -> None:
    before = plan(FIVE, 10).standing
    [silent] = plan(FIVE, 99, before).changed
    assert silent.closed_at == MAY + 99 * DAY_S
    again = [("a", day, 0) for day in (99.0, 100.0, 101.0, 102.0, 103.0)]
    found = plan([*FIVE, *again], 104, [silent])
    assert found.kept == (silent,)
    assert [days(each) for each in found.opened] == [[99.0, 100.0, 101.0, 102.0, 103.0]]
    assert len({each.storyline_id for each in found.standing}) == 2


@pytest.mark.conforms("model:reopening")
def test_a_late_source_opens_it_again() -> None:
    [silent] = plan(FIVE, 100, plan(FIVE, 10).standing).changed
    [again] = plan([*FIVE, ("a", 60.0, 0)], 101, [silent]).changed
    assert (again.closed_at, again.last_at) == (None, MAY + 60 * DAY_S)
    [still] = plan([*FIVE, ("a", -80.0, 0)], 101, [silent]).changed
    assert (days(still)[0], still.closed_at) == (-80.0, silent.closed_at), "one from before it changes no end"


@pytest.mark.conforms("002:storylines.closing")
def test_what_comes_between_two_storylines_founds_none_across_them() -> None:
    middle = [("a", 200.0 + day, 0) for day in range(5)]
    before = plan([*FIVE, *middle], 210).standing
    assert len(before) == 2
    around = [("a", day, 0) for day in (-300.0, -299.0, 400.0, 401.0, 402.0)]
    assert plan([*around, *FIVE, *middle], 410, before).opened == ()


@pytest.mark.conforms("002:storylines.attachment")
def test_of_several_that_fit_the_nearest_gets_it() -> None:
    later = [("a", 169.0 + day, 0) for day in range(5)]
    before = plan([*FIVE, *later], 180).standing
    assert [days(each)[0] for each in before] == [0.0, 169.0]
    first, second = plan([*FIVE, *later, ("a", 88.0, 0)], 180, before).standing
    assert (88.0 in days(first), 88.0 in days(second)) == (True, False)
    first, second = plan([*FIVE, *later, ("a", 90.0, 0)], 180, before).standing
    assert (90.0 in days(first), 90.0 in days(second)) == (False, True)


@pytest.mark.conforms("002:storylines.attachment")
def test_of_several_that_fit_likeness_decides_where_time_does_not() -> None:
    later = [("a", 169.0 + day, 0) for day in range(5)]
    before = plan([*FIVE, *later], 180).standing
    told = [*FIVE, *later, ("a", 88.0, 0)]
    east, west = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    vectors = {source(each): east for each in FIVE} | {source(each): west for each in later} | {"s0088.00": west}
    likeness = Likeness(vectors, lambda cosines: cosines)
    assert set(contested(appearances(told), before, OPEN)) == set(vectors)
    assert 88.0 in days(plan(told, 180, before, likeness=likeness).standing[1])
    assert 88.0 in days(plan(told, 180, before, likeness=Likeness({}, lambda cosines: cosines)).standing[0])


@pytest.mark.conforms("002:storylines.attachment")
def test_no_vector_is_asked_for_where_nothing_is_contested() -> None:
    before = plan(FIVE, 10).standing
    assert contested(appearances([*FIVE, ("a", 12.0, 0)]), before, OPEN) == ()
    assert contested(appearances([]), before, OPEN) == ()


@pytest.mark.conforms("model:groups")
def test_one_that_has_lost_what_made_it_goes() -> None:
    before = plan([*FIVE, ("a", 9.5, 0)], 10).standing
    [fewer] = plan(FIVE, 11, before).changed
    assert days(fewer) == [0.0, 1.0, 1.2, 2.0, 9.0]
    assert plan(FIVE[:4], 11, before).withdrawn == (before[0].storyline_id,)
    assert plan([], 11, before).withdrawn == (before[0].storyline_id,)
    assert plan([("b", 1.0, 0)], 11, before).withdrawn == (before[0].storyline_id,), "its anchor is gone"


@pytest.mark.conforms("002:storylines.promotion")
def test_a_level_has_a_storyline_of_its_own_where_something_of_it_is_told() -> None:
    told = [*FIVE, ("a", 9.5, 1), *(("b", day, 0) for day in range(5)), *(("c", day, 1) for day in range(5))]
    assert {each.anchor_id: days(each)[-1] for each in plan(told, 10).opened} == {"a": 9.0, "b": 4.0}
    private = plan(told, 10, level=PRIVATE).opened
    assert {each.anchor_id: days(each)[-1] for each in private} == {"a": 9.5, "c": 4.0}, "b has nothing private"
    assert plan(told, 10, level=SENSITIVE) == StorylinePlan()
    assert len({each.storyline_id for each in (*private, *plan(told, 10).opened)}) == 4


@pytest.mark.conforms("002:storylines.refresh")
def test_the_latest_changes_are_summed_up_the_longest_first() -> None:
    told = [(who, day, 0) for who, many in zip("abc", (5, 7, 6), strict=True) for day in range(many)]
    a, b, c = plan(told, 10).standing
    now = MAY + 10 * DAY_S
    assert refreshed((a, b, c), now, RULES) == [b, c, a]
    assert refreshed((a, b, c), now, replace(RULES, refreshed=1)) == [b]
    assert refreshed((replace(a, dirty=False),), now, RULES) == []
    old = replace(a, last_at=now - 90 * DAY_S)
    assert refreshed((old,), now, RULES) == [old], "it has no summary yet"
    assert refreshed((replace(old, quotes=(1,)),), now, RULES) == []


@pytest.mark.conforms("002:storylines.promotion", "002:storylines.closing", "model:groups")
def test_what_happens_exactly_at_a_bound() -> None:
    tonight = [*FIVE[:4], ("a", 10.0, 0)]
    assert [days(each)[-1] for each in plan(tonight, 10).opened] == [10.0], "what begins with the night is of it"
    three = [("a", day, 0) for day in (0.0, 0.1, 1.0, 1.1, 2.0)]
    before = plan(three, 10).standing
    assert plan(three, 11, before).kept == before, "three days are enough to stay, too"
    ninety = [("a", day + shift, 0) for shift in (0.0, 94.0) for day in range(5)]
    assert [days(each) for each in plan(ninety, 200).opened] == [
        [0.0, 1.0, 2.0, 3.0, 4.0],
        [94.0, 95.0, 96.0, 97.0, 98.0],
    ]
    slow = [("a", day, 0) for day in (0.0, 0.1, 0.2, 1.0, 1.1, 200.0)]
    assert [len(each.sources) for each in plan(slow, 300).opened] == [6], "five on two days are none yet"


@pytest.mark.conforms("002:storylines.attachment", "model:reopening")
def test_what_has_joined_lets_others_join_at_either_end() -> None:
    before = plan(FIVE, 10).standing
    told = [*FIVE, ("a", 99.0, 0), ("a", 50.0, 0), ("a", -90.0, 0), ("a", -40.0, 0)]
    [line] = plan(told, 100, before).standing
    assert days(line) == [-90.0, -40.0, 0.0, 1.0, 1.2, 2.0, 9.0, 50.0, 99.0]
    [alone] = plan([*FIVE, ("a", 99.0, 0), ("a", -90.0, 0)], 100, before).standing
    assert days(alone) == days(before[0]), "ninety days are silence"


@pytest.mark.conforms("model:groups")
def test_a_source_that_tells_of_another_now_is_of_hers_no_more() -> None:
    told = [("b", float(day), 0) for day in range(5)]
    before = plan([*told, ("b", 9.0, 0)], 10).standing
    [fewer] = plan([*told, ("a", 9.0, 0)], 11, before).changed
    assert days(fewer) == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.conforms("002:storylines.attachment")
def test_likeness_is_that_of_directions_and_says_nothing_without_one() -> None:
    later = [("a", 169.0 + day, 0) for day in range(5)]
    before, told = plan([*FIVE, *later], 180).standing, [*FIVE, *later, ("a", 88.0, 0)]

    def joined(vectors: dict[str, tuple[float, float]]) -> int:
        known = {each: np.array(vector, np.float32) for each, vector in vectors.items()}
        lines = plan(told, 180, before, likeness=Likeness(known, lambda cosines: cosines)).standing
        return [88.0 in days(each) for each in lines].index(True)

    own, one, many = {"s0088.00": (1.0, 0.0)}, {source(FIVE[0]): (1.0, 0.0)}, [source(each) for each in later]
    assert joined({**own, **one, **dict.fromkeys(many, (0.8, 0.6))}) == 0, "many are no more alike than one"
    assert joined({**own, **dict.fromkeys(many, (1.0, 0.0))}) == 1
    assert joined(dict.fromkeys(many, (1.0, 0.0))) == 0, "nobody knows what it is like"
    assert joined(own) == 0, "nobody knows what they are like"
    opposite = {source(FIVE[0]): (1.0, 0.0), source(FIVE[1]): (-1.0, 0.0)}
    assert joined({**own, **opposite}) == 0, "what cancels out has no direction"


LIFE = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 700).map(float), st.integers(0, 2)),
    max_size=40,
    unique_by=lambda each: each[1],
)


@pytest.mark.conforms("002:storylines.attachment")
@given(life=LIFE, night=st.integers(0, 900))
@settings(max_examples=150)
def test_the_same_night_again_changes_nothing(life: list[Told], night: int) -> None:
    for level in Sensitivity:
        found = plan(life, night, level=level)
        again = plan(life, night, found.standing, level=level)
        assert again == StorylinePlan(kept=found.standing)
        later = plan(life, night + 1000, found.standing, level=level)
        assert plan(life, night + 1001, later.standing, level=level) == StorylinePlan(kept=later.standing)


@pytest.mark.conforms("002:storylines.closing")
@given(life=LIFE, night=st.integers(0, 900))
@settings(max_examples=150)
def test_every_storyline_is_one_and_no_source_is_in_two_of_an_anchor(life: list[Told], night: int) -> None:
    for level in Sensitivity:
        seen: set[tuple[str, str]] = set()
        for line in plan(life, night, level=level).standing:
            when = days(line)
            assert len(when) >= 5
            assert len(set(when)) >= 3
            assert when == sorted(when)
            assert when[-1] <= night
            assert (line.closed_at is None) == (night - when[-1] < 90)
            pairs = {(line.anchor_id, each) for each in line.sources}
            assert not pairs & seen
            seen |= pairs


@given(life=LIFE, night=st.integers(0, 900))
@settings(max_examples=100)
def test_what_is_above_a_level_changes_nothing_in_it(life: list[Told], night: int) -> None:
    below = [each for each in life if each[2] <= PRIVATE]
    assert plan(life, night, level=PRIVATE) == plan(below, night, level=PRIVATE)
    before = plan(below, night, level=PRIVATE).standing
    assert plan(life, night + 5, before, PRIVATE) == plan(below, night + 5, before, PRIVATE)


@pytest.mark.conforms("002:storylines.closing", "model:reopening")
@given(life=LIFE)
@settings(max_examples=60)
def test_a_life_that_is_imported_has_the_storylines_of_one_that_was_lived(life: list[Told]) -> None:
    open_life = [(who, day, 0) for who, day, _ in life]
    standing: tuple[Storyline, ...] = ()
    for night in sorted({day + later for _, day, _ in open_life for later in (0.5, 4.0)} | {800.0}):
        heard = [each for each in open_life if each[1] <= night]
        standing = plan(heard, night, standing).standing
    imported = plan(open_life, 800.0).standing
    assert [(each.sources, each.closed_at) for each in standing] == [
        (each.sources, each.closed_at) for each in imported
    ]


@given(life=LIFE, seed=st.integers(0, 99))
@settings(max_examples=50)
def test_the_order_in_which_rows_come_says_nothing(life: list[Told], seed: int) -> None:
    shuffled = [life[place] for place in np.random.default_rng(seed).permutation(len(life)).tolist()]
    assert plan(shuffled, 800) == plan(life, 800)
