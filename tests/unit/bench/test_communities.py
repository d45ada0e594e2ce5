"""The benchmark of communities measures what it says, of lives where it is known who belongs together."""

from __future__ import annotations

import numpy as np
import pytest

from bench.communities import compare, invented, later, measure_communities
from memory.rules.parameters import Communities
from memory.rules.ties import graph_of


def test_a_life_has_about_as_many_edges_as_it_was_asked_for_and_circles_of_everybody() -> None:
    life = invented(5_000)
    graph = graph_of(life.ties, Communities())
    assert graph.nodes == len(life.circle) == 1_000
    assert 0.7 * 5_000 < graph.edges < 1.3 * 5_000
    sizes = np.bincount(life.circle)
    assert (len(sizes), sizes.min() > 0) == (32, True)
    within = life.circle[graph.one] == life.circle[graph.other]
    assert 0.75 < graph.weight[within].sum() / graph.weight.sum() < 0.95
    assert len(np.bincount(invented(5_000, circle=20).circle)) == 50


def test_a_day_later_there_is_a_hundredth_more_of_it() -> None:
    life = invented(2_000)
    after = later(life).ties.named
    assert len(after.entity) == pytest.approx(1.01 * len(life.ties.named.entity), rel=0.005)
    assert after.at.max() > life.ties.named.at.max()
    assert after.source.max() < len(later(life).ties.sources)


def test_the_row_tells_the_nights_and_what_was_found() -> None:
    row = measure_communities(invented(4_000), Communities())
    assert row.changed_again == 0
    assert row.likeness > 0.9
    assert row.kept > 0.95
    assert all(seconds > 0 for seconds in (row.graph_s, row.partition_s, row.night_s, row.next_night_s))
    assert set(row.cells()) >= {"nodes", "edges", "first night s", "AMI", "kept %"}


def test_ours_is_compared_with_what_is_installed() -> None:
    rows = list(compare(graph_of(invented(2_000).ties, Communities())))
    assert rows[0]["library"] == "Memoray, CPU"
    assert max(float(each["of the best %"]) for each in rows) == 100
