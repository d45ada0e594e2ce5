"""What has moved between two tables of a working set is found without a look-up of each row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.fact_columns import moved

KEYS = st.text("abcdef", min_size=1, max_size=2)


@given(st.lists(KEYS, unique=True), st.lists(KEYS), st.lists(KEYS))
def test_whatever_changed_came_or_went_is_found(known: list[str], put: list[str], taken: list[str]) -> None:
    before = {key: object() for key in known}
    now = dict(before)
    for key in taken:
        now.pop(key, None)
    for key in put:
        now[key] = object()
    changed = {key for key in before.keys() | now.keys() if before.get(key) is not now.get(key)}
    assert changed <= moved(before, now).keys() <= before.keys() | now.keys()
    if not taken:
        assert moved(before, now).keys() == changed, "nothing else, as long as nothing goes"
    assert list(moved({}, now)) == list(now), "in order, when all is new"


def test_a_copy_has_not_moved() -> None:
    before = {"a": object(), "b": object()}
    assert moved(before, dict(before)) == {}
