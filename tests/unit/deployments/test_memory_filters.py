"""Filters of memories mean the same as what they are compiled to, and ids hold what was put into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter

from deployments.kinds import Id
from deployments.sealing import opened, sealed
from deployments.use_cases.provenance_filters import (
    LABELS,
    metadata_shown,
    metadata_told,
    origins_of,
    users_in,
    written_filters,
)
from memory.errors import Invalid, NotFound
from memory.model.origins import ANYWHERE, ProvenanceFilter

OWNER = "maya"
ANYTHING: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
IDS: TypeAdapter[list[str]] = TypeAdapter(Annotated[list[Id], Field(min_length=1)])
LOST = NotFound("There is no such memory.")
SAID = st.sampled_from(("x", "y", OWNER))
NAMED = st.sampled_from(LABELS)
LEAVES = st.one_of(
    st.builds(lambda name, said: {name: said}, NAMED, SAID | st.just("*")),
    st.builds(lambda name, said: {name: {"in": said}}, NAMED, st.lists(SAID, min_size=1, max_size=2)),
    st.builds(lambda name, said: {name: {"ne": said}}, NAMED, SAID),
    st.builds(lambda said: {"metadata": {"mood": said}}, SAID),
    st.builds(lambda how, said: {"metadata": {"mood": {how: said}}}, st.sampled_from(("eq", "ne")), SAID),
    st.builds(lambda said: {"metadata": {"mood": {"in": said}}}, st.lists(SAID, min_size=1, max_size=2)),
    st.builds(lambda said: {"NOT": [{"metadata": {"mood": {"in": said}}}]}, st.lists(SAID, min_size=1, max_size=2)),
    st.builds(lambda name, said: {"NOT": [{name: said}]}, NAMED, SAID),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda how, parts: {how: parts}, st.sampled_from(("AND", "OR")), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=5,
)
PROVENANCES = st.dictionaries(st.sampled_from((*LABELS, "metadata.mood")), SAID)


def moment(name: str, text: str) -> float:
    return float(text)


def met(filters: Mapping[str, Any], told: Mapping[str, Any]) -> bool:
    """Whether filters hold, as they read."""
    [(name, said)] = filters.items()
    if name in ("AND", "OR"):
        return (all if name == "AND" else any)(met(each, told) for each in said)
    if name == "NOT":
        return not any(met(each, told) for each in said)
    if name == "metadata":
        return met({"metadata.mood": said["mood"]}, told)
    if isinstance(said, dict):
        [(how, named)] = said.items()
        if how == "in":
            return any(met({name: each}, told) for each in named)
        return met({name: named}, told) is not bool(how == "ne")
    owned = name == "user_id" and said in (OWNER, "*")
    return owned or (name in told if said == "*" else told.get(name) == said)


def holds(one: ProvenanceFilter, told: Mapping[str, Any]) -> bool:
    """Whether an alternative holds, as the statement says."""
    told_all = all(told.get(name) == said for name, said in one.says.items())
    denied = any(all(told.get(name) == said for name, said in each.items()) for each in one.denies)
    return told_all and all(name in told for name in one.names) and not denied


@given(filters=FILTERS, told=PROVENANCES)
def test_what_filters_are_compiled_to_means_the_same(filters: dict[str, Any], told: dict[str, Any]) -> None:
    assert any(holds(each, told) for each in origins_of(filters, OWNER, moment)) == met(filters, told)


@given(filters=FILTERS)
def test_filters_come_back_from_an_id_and_from_a_url(filters: dict[str, Any]) -> None:
    assert opened(sealed(filters), ANYTHING, LOST) == filters
    assert written_filters(str(filters)) == filters


def test_nothing_asked_is_everything_and_only_that() -> None:
    assert origins_of({}, OWNER, moment) == origins_of({"user_id": OWNER}, OWNER, moment) == ANYWHERE
    assert origins_of({"agent_id": "*"}, OWNER, moment) != ANYWHERE
    deep = {"AND": [{"user_id": "a"}, {"NOT": {"user_id": "b"}}, {"OR": [{"user_id": {"in": ["c", "*"]}}]}]}
    assert users_in(deep) == {"a", "b", "c"}


def test_a_day_lasts_until_it_is_over() -> None:
    [until] = origins_of({"created_at": {"gte": "100", "lte": "200"}}, OWNER, moment)
    assert (until.after, until.before) == (100.0, 200.001)
    [day] = origins_of({"created_at": {"lte": "2026-03-01"}}, OWNER, lambda *_: 0.0)
    assert day.before == 86_400.0


REFUSED: tuple[dict[str, Any], ...] = (
    {"user_id": None},
    {"user_id": ""},
    {"user_id": "../x"},
    {"user_id": []},
    {"user_id": {"like": "x"}},
    {"colour": "red"},
    {"AND": []},
    {"OR": [{}]},
    {"NOT": [{"user_id": "*"}]},
    {"NOT": [{"OR": [{"user_id": "x"}]}]},
    {"metadata": {}},
    {"metadata": {"a{}": 1}},
    {"metadata": {"a": "b" * 1_001}},
    {"metadata": {"a\x00": 1}},
    {"metadata": {"a": float("inf")}},
    {"metadata": {"a": {"gte": 4}}},
    {"metadata": {"a": {"ne": "x", "contains": "y"}}},
    {"metadata": {"a": {"in": []}}},
    {"NOT": [{"metadata": {"a": {"contains": "x"}}}]},
    {"NOT": [{"metadata": {"a": {"ne": "x"}}}]},
    {"created_at": {}},
    {"created_at": {"in": ["2026"]}},
    {"AND": [{"OR": [{"run_id": {"in": list("abcdefghi")}}]}] * 2},
)


@pytest.mark.parametrize("filters", REFUSED)
def test_what_is_not_known_is_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        origins_of(filters, OWNER, moment)


def test_an_object_of_metadata_is_compared_as_it_was_told() -> None:
    [one] = origins_of({"metadata": {"where": {"room": "cellar"}, "n": 1}}, OWNER, moment)
    assert one.says == metadata_told({"where": {"room": "cellar"}, "n": 1})


def test_what_is_nested_too_deep_is_refused() -> None:
    filters: dict[str, Any] = {"user_id": "x"}
    for _ in range(20):
        filters = {"AND": [filters]}
    with pytest.raises(Invalid):
        users_in(filters)


@given(
    told=st.dictionaries(
        st.text("abc{}.", max_size=5), st.none() | st.integers(0, 9) | st.lists(st.booleans()), max_size=4
    )
)
def test_metadata_come_back_as_they_were(told: dict[str, Any]) -> None:
    if not any(name.endswith("{}") for name in told):
        assert metadata_shown(metadata_told(told)) == {name: said for name, said in told.items() if said is not None}


@given(
    parts=st.lists(st.text("abc/ü |", min_size=1).filter(lambda text: not text.startswith("/")), min_size=1, max_size=3)
)
def test_an_id_holds_what_was_put_into_it(parts: list[str]) -> None:
    if all(len(each) <= 200 for each in parts):
        assert opened(sealed(parts), IDS, LOST) == parts


def test_provenances_that_others_have_written_are_shown_as_they_are() -> None:
    assert metadata_shown({"metadata.a{}": "no JSON", "metadata.b{}": 5, "c": 1}) == {"a": "no JSON", "b": 5}


@pytest.mark.parametrize("given", ["", "a", "a/b", "ü", "W10", "WzFd", "e30", "=" * 8, "A" * 5_000, "WyJhXHUwMDAwIl0"])
def test_what_is_no_id_names_nothing(given: str) -> None:
    with pytest.raises(NotFound):
        opened(given, IDS, LOST)
