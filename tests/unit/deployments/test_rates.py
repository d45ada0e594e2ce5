"""Rates: what one token asks too often is refused, and says when it may ask again."""

from __future__ import annotations

import pytest

from config.settings import Http
from deployments import rates
from deployments.rates import Rates
from memory.errors import TooManyRequests


def test_a_burst_is_let_through_and_then_so_many_a_second() -> None:
    bound = Rates(Http(rate=2, burst=5))
    for _ in range(5):
        bound.ask("loop", 100.0)
    with pytest.raises(TooManyRequests) as refused:
        bound.ask("loop", 100.0)
    assert refused.value.ids == {"retry_after_s": 0.5}
    with pytest.raises(TooManyRequests):
        bound.ask("loop", 100.4)
    bound.ask("loop", 100.5)
    bound.ask("other", 100.5)


def test_time_fills_no_more_than_a_burst_and_a_clock_that_goes_back_harms_nobody() -> None:
    bound = Rates(Http(rate=1, burst=2))
    bound.ask("a", 100.0)
    bound.ask("a", 50.0)
    for _ in range(2):
        bound.ask("a", 10_000.0)
    with pytest.raises(TooManyRequests):
        bound.ask("a", 10_000.0)


def test_no_more_are_remembered_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST", 3)
    bound = Rates(Http(rate=1, burst=1))
    for n in range(10):
        bound.ask(str(n), 1.0)
    assert len(bound._buckets) == 3
