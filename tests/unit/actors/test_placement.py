"""Where users live: in each shard as many, and one shard more moves no one but to itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.placement import Placement, in_force, line_of, put_in_force, shard_name, shard_of

USERS = [f"user-{number}" for number in range(6_000)]
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
counts = st.integers(1, 64)


@given(user=ids, shards=counts)
def test_one_shard_more_takes_a_user_or_leaves_them_where_they_are(user: str, shards: int) -> None:
    assert shard_of(user, shards + 1) in (shard_of(user, shards), shard_name(shards))


@given(user=ids, shards=counts)
def test_a_user_lives_in_one_of_the_shards_and_always_in_the_same(user: str, shards: int) -> None:
    assert shard_of(user, shards) in map(shard_name, range(shards))
    assert shard_of(user, shards) == shard_of(user, shards)


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 8, 13])
def test_each_shard_has_as_many_users(shards: int) -> None:
    """Five standard deviations of a fair draw."""
    expected = len(USERS) / shards
    spread = 5 * (len(USERS) * (1 / shards) * (1 - 1 / shards)) ** 0.5
    lived = [shard_of(user, shards) for user in USERS]
    for number in range(shards):
        assert abs(lived.count(shard_name(number)) - expected) <= spread


@pytest.mark.parametrize("shards", [1, 2, 3, 7])
def test_one_shard_more_moves_its_own_share_and_no_others(shards: int) -> None:
    moved = [user for user in USERS if shard_of(user, shards) != shard_of(user, shards + 1)]
    assert {shard_of(user, shards + 1) for user in moved} == {shard_name(shards)}
    share = 1 / (shards + 1)
    assert abs(len(moved) - share * len(USERS)) <= 5 * (len(USERS) * share * (1 - share)) ** 0.5


def begun(home: Path, number: int) -> None:
    line_of(home, shard_name(number)).write_text("memoray-line")


def test_the_setting_counts_until_somebody_says_otherwise(tmp_path: Path) -> None:
    placement = Placement(tmp_path, 2)
    assert (in_force(tmp_path), placement.shards, placement.names()) == (None, 2, ("shard-0", "shard-1"))
    assert put_in_force(tmp_path, 1) is None
    assert (placement.shards, placement.of("maya")) == (1, "shard-0")
    assert put_in_force(tmp_path, 3) == 1


def test_more_shards_count_when_all_of_them_have_begun(tmp_path: Path) -> None:
    put_in_force(tmp_path, 2)
    placement = Placement(tmp_path, 1)
    put_in_force(tmp_path, 4)
    assert (placement.wanted, placement.shards) == (4, 2)
    for number in (0, 1, 2):
        begun(tmp_path, number)
    assert placement.shards == 2, "who moves must find somebody"
    begun(tmp_path, 3)
    assert placement.shards == 4
    put_in_force(tmp_path, 1)
    assert placement.shards == 1, "fewer have all begun"


@pytest.mark.parametrize("left", ["", "\n", "\0\0"])
def test_a_number_that_the_power_cut_short_is_none(tmp_path: Path, left: str) -> None:
    put_in_force(tmp_path, 3)
    (tmp_path / "run" / "shards").write_text(left)
    assert in_force(tmp_path) is None
    assert Placement(tmp_path, 2).wanted == 2
    assert put_in_force(tmp_path, 3) is None
    assert in_force(tmp_path) == 3
