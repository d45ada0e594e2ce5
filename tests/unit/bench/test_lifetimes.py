"""The benchmarks of strength and of the night, with doors that answer at once."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

from bench import nightly
from bench.measure import Refused
from bench.nightly import ASKED_BEFORE, WARM_UP, NightRow, NightSite, changed_by, counted, measure_night, most
from bench.strength import BARE, NOW, columns, measure_strength
from memory.rules.decay import LAWS
from memory.rules.parameters import Decay, Life

REPORT: dict[str, Any] = {
    "tiers": {"promoted": ["a", "b"], "demoted": ["c"]},
    "states": {"crossed": 4},
    "pruning": {"pruned": ["d"]},
    "notes": {"expired": 2},
    "storylines": {"opened": ["s-1"]},
    "communities": {"opened": ["m-1", "m-2"]},
}


@pytest.mark.parametrize("law", LAWS)
def test_the_bare_expression_is_the_law_where_nothing_else_applies(law: str) -> None:
    anchors = columns(500)
    plain = ~anchors.evergreen & ((anchors.count > 0) | (law != "spaced"))
    found = LAWS[law](anchors, NOW, Decay())
    np.testing.assert_allclose(BARE[law](anchors)[plain], found[plain], rtol=1e-12)


def test_one_row_tells_of_all_laws() -> None:
    row = measure_strength(20_000, Life())
    assert set(row.laws) == set(LAWS)
    cells = row.cells()
    assert cells["rows"] == "20,000"
    assert len(cells) == len(LAWS) + 2
    assert all(each.law_ms > 0 for each in row.laws.values())


class Door:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def get(self, path: str, **parameters: object) -> Any:
        self.asked.append(f"GET {path}")
        awake = self.asked.count("GET /v1/context") > 1
        return REPORT | {"degraded": [] if awake else ["shard"]}

    def post(self, path: str, body: object = None) -> Any:
        raise AssertionError(path)

    def delete(self, path: str) -> Any:
        self.asked.append(f"DELETE {path}")


class AskedDoor(Door):
    """What is asked meanwhile; every tenth question is refused, and every other of the rest degraded."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[dict[str, object]] = []

    def get(self, path: str, **parameters: object) -> Any:
        assert path == "/v1/context"
        self.questions.append(parameters)
        if len(self.questions) % 10 == 0:
            raise Refused("GET /v1/context was refused with status 503.")
        return {"degraded": ["shard"] if len(self.questions) % 2 else []}


def test_two_nights_are_run_on_an_awake_memory_and_the_last_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, int, float]] = []
    monkeypatch.setattr(nightly, "populate", lambda *given: made.append(given))
    door, meanwhile, nights, pauses = Door(), AskedDoor(), [], list[float]()
    sizes = iter([100_000_000, *[350_000_000] * 1000])
    now = datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp()
    site = NightSite(
        "dsn",
        lambda _: door,
        lambda _, night: nights.append(night),
        lambda: next(sizes),
        lambda *_: None,
        lambda _: meanwhile,
        pauses.append,
    )
    row = measure_night(site, 2_000, now)
    assert made == [("dsn", 2_000, now - 3 * 86_400)]
    assert nights == [date(2026, 3, 3), date(2026, 3, 4), date(2026, 3, 4)]
    assert (row.facts, row.awake_mb, row.first.changed, row.next.above_rest_mb) == (6_000, 100.0, 13, 250.0)
    assert door.asked == [
        "DELETE /v1/memory",
        "GET /v1/context",
        "GET /v1/context",
        "GET /v1/night/2026-03-03",
        "GET /v1/night/2026-03-04",
        "GET /v1/night/2026-03-04",
        "GET /v1/night/2026-03-04",
        "DELETE /v1/memory",
    ]
    assert row.cells()["entities"] == "2,000"
    assert_asked_meanwhile(row, meanwhile, pauses)


def assert_asked_meanwhile(row: NightRow, meanwhile: AskedDoor, pauses: list[float]) -> None:
    asked = [row.before.asked, row.first.meanwhile.asked, row.next.meanwhile.asked]
    assert asked[0] == ASKED_BEFORE
    assert all(asked)
    assert len(meanwhile.questions) == len(pauses) == WARM_UP + sum(asked)
    assert {each["record_access"] for each in meanwhile.questions} == {False}
    texts = [each["query"] for each in meanwhile.questions]
    assert len(set(texts[:2_000])) == len(texts[:2_000])
    assert row.before.unanswered == 10
    assert row.before.took is not None
    assert row.cells()["questions before p50 / p95 ms (asked)"].endswith(
        f"({ASKED_BEFORE}, 50 degraded, 10 unanswered)"
    )


def test_questions_are_counted_by_what_became_of_them() -> None:
    assert counted([(3.0, False), None, (5.0, True), (4.0, False)]).cell() == "4.0 / 5.0 (4, 1 degraded, 1 unanswered)"
    assert counted([None]).cell() == "- (1, 1 unanswered)"


def test_rows_and_memory_are_counted() -> None:
    assert changed_by(REPORT) == 13
    sizes = iter([3, 9, 5, *[1] * 1000])
    with most(lambda: next(sizes)) as peak:
        pass
    assert peak == [3]
