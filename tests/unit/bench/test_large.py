"""`bench large` on a handful of segments: the row, and that what was made up can be found."""

from bench import large
from bench.large import LargeRow, measure_large


def test_the_row() -> None:
    told: list[tuple[str, int, int]] = []
    held = iter((1_000_000, 3_000_000))
    row = measure_large(300, 3, 4, lambda: next(held), lambda *step: told.append(step))
    assert (row.users, row.segments) == (3, 300)
    assert row.index_bytes == 2_000_000 / 300 - 4 * large.DIMENSIONS
    assert 0 < row.rest.p50_ms <= row.rest.p95_ms
    assert row.text_ms > 0
    assert row.vectors_ms > 0
    assert {step for step, _, _ in told} == {"Filling the columns", "Asking questions"}


def test_the_row_as_cells() -> None:
    row = measure_large(100, 1, 2, lambda: 0)
    assert isinstance(row, LargeRow)
    assert row.cells()["segments"] == "100"
    assert set(row.cells()) > {"recall p50 / p95 ms", "after news p50 / p95 ms", "index bytes a segment"}
