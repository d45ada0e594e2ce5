"""When a night is due, and tiers that need a community."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memory.rules.census import census
from memory.rules.parameters import Life, Tiers
from memory.services.night import due, instant_of, plan_night
from tests.fakes.nights import OF, crossed
from tests.unit.rules.memory_in_miniature import DAY, NOON
from tests.unit.rules.test_night import elena


@pytest.mark.conforms("000:night.hour", "002:night.hour", "004:night.hour", "model:due")
def test_nights_are_due_in_order_at_three_where_the_user_lives() -> None:
    since = datetime(2026, 3, 27, 12, tzinfo=UTC).timestamp()
    now = datetime(2026, 3, 30, 2, 30, tzinfo=UTC).timestamp()
    assert list(due(since, now, "UTC", 3)) == [date(2026, 3, 28), date(2026, 3, 29)]
    assert list(due(since, now, "Europe/Lisbon", 3))[-1] == date(2026, 3, 30), "summer time began on the 29th"
    assert instant_of(date(2026, 3, 28), "Asia/Kolkata", 3) == datetime(2026, 3, 27, 21, 30, tzinfo=UTC).timestamp()
    assert list(due(now, now, "UTC", 3)) == []


@pytest.mark.parametrize(("zone", "hour"), [("America/Los_Angeles", 3), ("UTC", 5)])
def test_a_night_that_was_is_not_due_again_where_its_hour_comes_later(zone: str, hour: int) -> None:
    last = date(2026, 3, 28)
    since = instant_of(last, "UTC", 3)
    assert list(due(since, since + DAY, zone, hour, last)) == []
    assert list(due(since, since + 2 * DAY, zone, hour, last)) == [date(2026, 3, 29)]


def test_the_tiers_of_a_community_need_one_if_that_is_set() -> None:
    memory = elena((0, 3, 6))
    strict = Life(tiers=Tiers(l2_requires_community=True))
    now = NOON + 91 * DAY
    assert [each.after for each in crossed(plan_night(OF, census(memory.believed), now, Life()), "tiers")] == ["L2"]
    assert [each.after for each in crossed(plan_night(OF, census(memory.believed), now, strict), "tiers")] == ["L1"]
