"""Communities keep their identity and their name while life goes on."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.communities import Community
from memory.model.scopes import Sensitivity
from memory.rules.communities import Clustered, labels_before, matched, plan_communities
from memory.rules.parameters import Communities
from tests.unit.rules.lives_of_ties import sets

RULES = Communities()
PARTITION = st.lists(st.integers(0, 4), min_size=1, max_size=16)


def parts(labels: list[int]) -> list[frozenset[str]]:
    return [frozenset(f"e{node}" for node, own in enumerate(labels) if own == label) for label in sorted({*labels})]


def clustered(labels: list[int], rank: list[float] | None = None, cores: list[int] | None = None) -> Clustered:
    return Clustered(
        np.array(labels, np.int32),
        np.array(rank or [1.0] * len(labels)),
        np.array(cores or [1] * len(labels), np.int32),
    )


def planned(labels: list[int], before: list[Community] = (), night: str = "2024-05-01", **more):  # type: ignore[assignment,no-untyped-def]
    ids = [f"e{node}" for node in range(len(labels))]
    return plan_communities("u", ids, clustered(labels, **more), before, Sensitivity.OPEN, night, RULES)


@pytest.mark.conforms("model:communities")
def test_the_most_alike_are_the_same() -> None:
    assert matched(sets("abcd", "efgh"), sets("efg", "abcdx"), 0.3) == [1, 0]
    assert matched(sets("abcdef"), sets("abc", "def"), 0.3) == [0, None], "of two halves the first is it"
    assert matched(sets("abc", "def"), sets("abcdef"), 0.3) == [0], "of two that become one"
    assert matched(sets("abcdefghij"), sets("abc", "defghij"), 0.3) == [None, 0]
    assert matched(sets("abcdefghij"), sets("abx"), 0.3) == [None], "too little of it is left"
    assert matched(sets("abcdefghij"), sets("abc"), 0.3) == [0], "three of ten are enough"
    assert matched(sets("abcdefg"), sets("abcuv", "defgxyzpq"), 0.3) == [None, 0], "of equals that with more in common"
    assert matched([], sets("ab"), 0.3) == [None]
    assert matched(sets("ab"), [], 0.3) == []


@given(before=PARTITION, after=PARTITION)
def test_each_is_at_most_one_and_never_of_those_it_shares_nobody_with(before, after) -> None:
    old, new = parts(before), parts(after)
    found = matched(old, new, 0.3)
    known = [each for each in found if each is not None]
    assert len(known) == len(set(known))
    for number, each in enumerate(found):
        if each is not None:
            assert len(old[each] & new[number]) / len(old[each] | new[number]) >= 0.3


@given(before=PARTITION)
def test_what_has_not_changed_is_what_it_was(before) -> None:
    old = parts(before)
    assert matched(old, old, 0.3) == list(range(len(old)))


@pytest.mark.conforms("model:communities")
@given(before=PARTITION, after=PARTITION)
@settings(max_examples=60)
def test_no_two_that_are_left_are_more_alike_than_any_that_were_taken(before, after) -> None:
    old, new = parts(before), parts(after)
    found = matched(old, new, 0.3)
    free_old = [each for number, each in enumerate(old) if number not in found]
    free_new = [each for number, each in enumerate(new) if found[number] is None]
    assert all(len(one & other) / len(one | other) < 0.3 for one in free_old for other in free_new)


@pytest.mark.conforms("model:communities")
def test_a_community_is_born_named_and_told_from_core_to_rim() -> None:
    plan = planned([0, 0, 0, 0, 1, 1, 2], rank=[0.1, 0.4, 0.2, 0.2, 0.1, 0.1, 0.1], cores=[1, 2, 2, 2, 1, 1, 0])
    [found] = plan.opened
    assert found.members == ("e1", "e2", "e3", "e0"), "by rank, then by id"
    assert found.core == ("e1", "e2", "e3")
    assert found.named_by == ("e1", "e2", "e3")
    assert (plan.kept, plan.changed, plan.closed) == ((), (), ())


@pytest.mark.conforms("model:communities")
def test_a_night_that_changes_nothing_keeps_every_row_as_it_is() -> None:
    first = planned([0, 0, 0, 1, 1, 1]).opened
    again = planned([1, 1, 1, 0, 0, 0], list(first), "2024-05-02", rank=[3, 2, 1, 1, 2, 3])
    assert set(again.kept) == set(first), "another rank is no other community"
    assert (again.changed, again.opened, again.closed) == ((), (), ())


@pytest.mark.conforms("model:communities")
def test_who_comes_and_goes_changes_it_and_its_name_stays_while_it_names_members() -> None:
    [first] = planned([0, 0, 0, 0, 1, 2, 3]).opened
    assert first.named_by == ("e0", "e1", "e2")
    [grown] = planned([0, 0, 0, 0, 0, 2, 3], [first], rank=[1, 1, 1, 1, 9, 1, 1]).changed
    assert (grown.community_id, grown.named_by) == (first.community_id, first.named_by)
    assert grown.members[0] == "e4"
    assert grown.support != first.support
    [without] = planned([1, 0, 0, 0, 0, 2, 3], [grown], rank=[1, 1, 2, 3, 9, 1, 1]).changed
    assert (without.community_id, without.named_by) == (first.community_id, ("e4", "e3", "e2"))


@pytest.mark.conforms("model:communities")
def test_what_falls_apart_is_closed_and_what_is_left_of_it_is_it() -> None:
    [first] = planned([0] * 8).opened
    plan = planned([0, 0, 0, 0, 0, 1, 1, 1], [first], "2024-05-02")
    [changed], [opened] = plan.changed, plan.opened
    assert (changed.community_id, set(changed.members)) == (first.community_id, {f"e{each}" for each in range(5)})
    assert opened.community_id != first.community_id
    assert plan.ways == {first.community_id: 5}
    gone = planned([0, 1, 2, 3, 4, 5, 6, 7], [changed, opened])
    assert set(gone.closed) == {changed.community_id, opened.community_id}
    assert gone.standing == ()


@pytest.mark.conforms("model:communities")
@pytest.mark.parametrize(("before", "tonight", "same"), [(10, range(3), True), (12, range(7, 18), False)])
def test_three_tenths_in_common_make_it_the_same(before: int, tonight: range, same: bool) -> None:
    """Three of ten are 0.3; five of all eighteen are 0.28."""
    [first] = planned([0] * before + [*range(1, 19 - before)]).opened
    assert len(first.members) == before
    plan = planned([0 if each in tonight else each + 1 for each in range(18)], [first], "2024-05-02")
    [found] = (*plan.changed, *plan.opened)
    assert (found.community_id == first.community_id) is same


@pytest.mark.conforms("model:communities")
def test_two_that_become_one_are_the_larger_one() -> None:
    small, large = sorted(planned([0, 0, 0, 1, 1, 1, 1]).opened, key=lambda each: len(each.members))
    plan = planned([0] * 7, [small, large], "2024-05-02")
    assert [each.community_id for each in plan.changed] == [large.community_id]
    assert plan.closed == (small.community_id,)


@pytest.mark.conforms("model:communities")
def test_born_again_of_the_same_members_it_is_another_one() -> None:
    first = planned([0, 0, 0]).opened[0]
    assert planned([0, 0, 0], night="2024-06-01").opened[0].community_id != first.community_id
    assert planned([0, 0, 0]).opened[0] == first, "the same night again"


@pytest.mark.conforms("model:communities")
def test_a_community_of_one_or_two_is_none() -> None:
    assert planned([0, 1, 1]).standing == ()
    assert planned([]).standing == ()


@pytest.mark.conforms("model:communities")
def test_the_order_of_what_stood_says_nothing() -> None:
    before = list(planned([0, 0, 0, 1, 1, 1, 2, 2, 2]).opened)
    plans = [planned([0, 0, 0, 0, 1, 1, 2, 2, 1], list(each), "2024-05-02") for each in permutations(before)]
    assert all(each == plans[0] for each in plans)


@pytest.mark.conforms("model:communities")
def test_whoever_was_in_none_is_new() -> None:
    [first] = planned([0, 0, 0, 1]).opened
    assert labels_before(["e3", "e0", "x"], [first]).tolist() == [-1, 0, -1]


@pytest.mark.parametrize("other", [(), ("e0", "e1"), ("e0", "e1", "e2", "e3")])
def test_the_support_is_who_is_in_it(other: tuple[str, ...]) -> None:
    one = Community("g", Sensitivity.OPEN, ("e2", "e0", "e1"), (), ())
    same = Community("h", Sensitivity.OPEN, ("e0", "e1", "e2"), ("e0",), ("e0",))
    assert one.support == same.support
    assert one.support != Community("g", Sensitivity.OPEN, other, (), ()).support
    assert one.support != Community("g", Sensitivity.PRIVATE, one.members, (), ()).support
