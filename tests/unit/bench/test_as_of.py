"""The benchmark of the time machine asks what it says, of facts that look like a life."""

from __future__ import annotations

import numpy as np

from bench.as_of import OWNER, VERSIONS_EACH, invented, measure_as_of


def test_the_row_tells_every_kind_of_question() -> None:
    row = measure_as_of(4_000, 3)
    assert (row.versions, row.questions) == (4_000, 12)
    assert set(row.kinds) == {"everything", "somebody", "the owner", "one predicate"}
    assert 0 < row.asked.p50_ms <= row.asked.p95_ms
    assert row.cells()["versions"] == "4,000"


def test_invented_versions_are_chains_with_one_open_end() -> None:
    rows = invented(4_000, 1)
    assert len(np.unique(rows["fact"])) == 4_000 // VERSIONS_EACH
    assert (rows["system_to"] == np.inf).sum() == 4_000 // VERSIONS_EACH
    follows = rows["system_from"][1:] == rows["system_to"][:-1]
    assert follows[rows["fact"][1:] == rows["fact"][:-1]].all()
    assert 0.3 < (rows["subject"] == OWNER).mean() < 0.5
