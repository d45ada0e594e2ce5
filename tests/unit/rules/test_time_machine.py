"""Columns of fact times answer what a list of versions answers, whatever is put, replaced and asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model.shown_times import Then
from memory.rules.time_machine import ROW, FactTimes, HistoryQuery, fact_id_of, number_of

EVERY = HistoryQuery((0, 1, 2, 3, 4))
moments = st.integers(0, 8).map(float)
ends = moments | st.just(math.inf)
version = st.tuples(moments, ends, moments, ends, st.integers(0, 2), st.integers(1, 2), st.integers(0, 1))
chains = st.dictionaries(st.integers(1, 5), st.lists(version, min_size=1, max_size=3), min_size=1, max_size=4)


def rows_of(chain: dict[int, list[tuple[Any, ...]]]) -> np.ndarray:
    rows = [
        (fact, subject, subject + 1, number, 7 + subject, status, valid_from, valid_to, system_from, system_to)
        for fact, versions in chain.items()
        for number, (valid_from, valid_to, system_from, system_to, status, subject, _) in enumerate(versions, start=1)
    ]
    return np.array(rows, ROW)


def listed(rows: list[Any], then: Then, asked: HistoryQuery) -> list[tuple[int, int]]:
    """(fact, version), the latest valid first, by looking at each."""

    def holds(row: Any) -> bool:
        known = (
            row["system_to"] == math.inf if then.known is None else row["system_from"] <= then.known < row["system_to"]
        )
        true = then.as_of is None or row["valid_from"] <= then.as_of < row["valid_to"]
        about = asked.about is None or asked.about in (row["subject"], row["object"])
        who = asked.subjects is None or row["subject"] in asked.subjects
        what = asked.predicate is None or row["predicate"] == asked.predicate
        return bool(known and true and about and who and what and row["status"] in asked.statuses)

    found = sorted((row for row in rows if holds(row)), key=lambda row: (-row["valid_from"], -int(row["fact"])))
    return [(int(row["fact"]), int(row["version"])) for row in found]


asked = st.builds(
    HistoryQuery,
    st.sampled_from([(0,), (0, 1), (0, 1, 2)]),
    st.none() | st.sampled_from([(1,), (2,), (1, 2), ()]),
    st.none() | st.sampled_from([1, 2, 3]),
    st.none() | st.sampled_from([8, 9]),
)


@pytest.mark.conforms("000:time.history_kept")
@settings(max_examples=300)
@given(chains, chains, st.builds(Then, st.none() | moments, st.none() | moments), asked)
def test_columns_answer_what_a_list_answers(first: Any, second: Any, then: Then, asked: HistoryQuery) -> None:
    times, held = FactTimes(), {}
    for chain in (first, second):
        times.put(rows_of(chain))
        held.update({fact: list(rows_of({fact: chain[fact]})) for fact in chain})
    rows = [row for versions in held.values() for row in versions if row["system_from"] < row["system_to"]]
    found = times.at(then, asked).latest(100)
    answer = list(zip(found.fact.tolist(), found.version.tolist(), strict=True))
    wanted = listed(rows, then, asked)
    assert sorted(answer) == sorted(wanted)
    assert found.begun.tolist() == sorted(found.begun.tolist(), reverse=True)


@pytest.mark.conforms("000:time.history_kept")
@given(chains, st.integers(1, 4))
def test_parts_of_a_list_make_the_whole(chain: Any, most: int) -> None:
    times = FactTimes()
    times.put(rows_of({fact: versions[:1] for fact, versions in chain.items()}))
    named, parts, place = times.at(Then(), EVERY), [], None
    while len(some := named.latest(most, place)):
        parts += some.ids()
        place = (float(some.begun[-1]), int(some.fact[-1]))
    assert parts == named.latest(100).ids()


@pytest.mark.conforms("000:time.history_kept")
def test_what_was_replaced_makes_room() -> None:
    times = FactTimes()
    for number in range(100):
        times.put(rows_of({1: [(float(number), math.inf, 0.0, math.inf, 0, 1, 0)]}))
    assert len(times) < 10
    assert times.at(Then(), EVERY).begun.tolist() == [99.0]


@pytest.mark.conforms("000:time.history_kept")
def test_the_mark_is_the_last_change() -> None:
    times = FactTimes()
    assert times.mark == -math.inf
    times.put(rows_of({1: [(0.0, math.inf, 3.0, 5.0, 0, 1, 0)]}))
    assert times.mark == 5.0
    times.put(rows_of({2: [(0.0, math.inf, 4.0, math.inf, 0, 1, 0)]}))
    assert (times.mark, len(times)) == (5.0, 2)


@pytest.mark.conforms("000:time.history_kept")
def test_ids_are_numbers_that_sort_alike() -> None:
    ids = ["f-0000000000000001", "f-00000000000000ff", "f-7fffffffffffffff", "f-ffffffffffffffff"]
    assert [fact_id_of(number_of(each)) for each in ids] == ids
    assert sorted(ids, key=number_of) == ids
    for other in ("", "f-", "f-xyz", "f-fffffffffffffffff"):
        with pytest.raises(Invalid):
            number_of(other)
