"""What a run of chaos counts: gaps belong to faults, silence is a gap, every fault has its turn."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from bench.chaos import FAULTS, ChaosPlan
from bench.chaos_report import ChaosFault, Report, Struck, counted, gaps_after

SHARD, RAYLET = ChaosFault("shard", "killed"), ChaosFault("raylet", "killed")


def report(outage_s: float, **changed: object) -> Report:
    answered = [each / 10 for each in range(100) if not 50 <= each < 50 + 10 * outage_s]
    figures: dict[str, object] = {
        "answered": answered,
        "acknowledged": answered,
        "reads": len(answered),
        "lost": (),
        "doubled": (),
        "unacknowledged": 0,
        "slowest_read_s": 0.1,
        "reasons": {},
    }
    return Report.of(1, [Struck(5.0, SHARD)], (0.0, 10.0), **(figures | changed))  # type: ignore[arg-type]


def test_a_gap_belongs_to_the_fault_before_it_and_goes_on_over_the_next() -> None:
    struck = [Struck(1.0, SHARD), Struck(10.0, RAYLET), Struck(12.0, SHARD)]
    answers = [0.0, 0.4, 0.8, 1.2, 5.2, 5.6, 10.1, 17.0]
    assert [round(gap, 1) for gap in gaps_after(struck, answers)] == [4.5, 6.9, 0.0]


def test_where_nothing_was_ever_answered_the_gap_is_the_whole_run() -> None:
    silent = report(0.0, answered=[], acknowledged=[])
    assert silent.outages[0].longest_s == 10.0
    assert not silent.holds


def test_bars_are_of_parts() -> None:
    assert report(4.0).holds
    assert not report(4.9, lost=("one",)).holds
    assert not report(4.0, doubled=("one",)).holds
    assert not report(4.0, unacknowledged=1).holds
    assert not report(4.0, reads=200).holds
    assert report(4.0).worst == {"shard killed": 4.1}
    assert not report(5.0).outages[0].holds


def test_what_was_acknowledged_is_there_once() -> None:
    assert counted({"a", "b"}, ["b", "c", "c", "d"]) == (["a"], ["c"])


def test_what_was_lost_or_is_there_twice_is_named() -> None:
    told = report(4.0, lost=("one", "two"), doubled=("three",)).summary()
    assert "Lost: one; two.\nDoubled: three.\n" in told
    assert "Lost:" not in report(4.0).summary()


def test_a_seed_draws_the_same_faults_each_as_often_and_some_amid_a_recovery() -> None:
    planned = ChaosPlan(10, 7, 20, 20).faults()
    assert planned == ChaosPlan(10, 7, 20, 20).faults() != ChaosPlan(10, 8, 20, 20).faults()
    times = Counter(fault for _, fault in planned)
    assert set(times) == set(FAULTS)
    assert max(times.values()) - min(times.values()) <= 1
    gaps = {round(after - before) for (before, _), (after, _) in pairwise(planned)}
    assert gaps == {2, 10}


def test_only_the_parts_that_were_named() -> None:
    assert {fault.part for _, fault in ChaosPlan(2, 1, 1, 1, frozenset({"worker"})).faults()} == {"worker"}
