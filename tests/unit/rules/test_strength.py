"""Strength and tiers: seed 000's numbers as the memory model corrects them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.claims import Sighting
from memory.model.entities import Entity, Figures
from memory.model.facts import Evidence, Fact
from memory.rules.decay import half_life
from memory.rules.parameters import Decay, Tiers
from memory.rules.tiers import contradicted, tier_of
from memory.services.night import NightRules, close, due, instant_of, plan_night
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory

RULES = Decay()


def strength(days: float, evergreen: bool = False) -> float:
    return float(half_life(np.array([NOON]), np.array([evergreen]), NOON + days * DAY, RULES)[0])


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, 1.0), (7, 0.851), (15, 0.707), (30, 0.5), (60, 0.25), (90, 0.125), (91, 0.122), (120, 0.0625), (365, 0.0002)],
)
def test_half_lives(days: float, expected: float) -> None:
    assert strength(days) == pytest.approx(expected, abs=5e-4)


def test_the_evergreen_floor() -> None:
    assert strength(365, evergreen=True) == 0.3
    assert strength(10, evergreen=True) == strength(10)


@given(st.lists(st.floats(0, 4000), min_size=1, max_size=8))
def test_strength_comes_from_the_anchor_alone(nights: list[float]) -> None:
    """However many nights were looked at before, the last one reads the same."""
    seen = [strength(night) for night in sorted(nights)]
    assert seen[-1] == strength(max(nights))
    assert all(later <= earlier for earlier, later in itertools.pairwise(seen))


PERSON = Entity("e", "person", "Elena", 0.9, NOON)
FIGURES = Figures(NOON, NOON, 3, 3, 3)


@pytest.mark.parametrize(
    ("type_", "days", "sessions", "tier"),
    [
        ("person", 6.99, 3, "L0"), ("person", 7, 3, "L1"), ("person", 7, 2, "L0"), ("topic", 400, 9, "L1"),
        ("person", 89.99, 3, "L1"), ("person", 90, 3, "L2"), ("habit", 90, 3, "L2"), ("event", 90, 3, "L1"),
    ],
)  # fmt: skip
def test_promotion(type_: str, days: float, sessions: int, tier: str) -> None:
    figures = replace(FIGURES, session_count=sessions)
    assert tier_of(replace(PERSON, type=type_), figures, False, NOON + days * DAY, Tiers()) == tier


@pytest.mark.parametrize(("before", "after"), [("L2", "L1"), ("L1", "L1"), ("L0", "L0")])
def test_a_contradiction_demotes_from_l2_and_blocks_promotion(before: str, after: str) -> None:
    assert tier_of(replace(PERSON, tier=before), FIGURES, True, NOON + 100 * DAY, Tiers()) == after


def fact(status: str, at: float, **rest: object) -> Fact:
    base = Fact("f" + status, 1, "owner", "x", "factual", 5, 0.6, NOON, at, object="Nike", object_id="e")
    return replace(base, status=status, **rest)  # type: ignore[arg-type]


def test_contradicted_is_derived_from_the_last_word() -> None:
    against = fact("superseded", NOON + 5 * DAY, valid_to=NOON + 5 * DAY)
    assert contradicted(PERSON, [against], {})
    again = fact("active", NOON + 6 * DAY, valid_from=NOON + 6 * DAY)
    assert not contradicted(PERSON, [against, again], {})
    heard = {again.fact_id: (Evidence(again.fact_id, "s", 1, "q", NOON + 7 * DAY),)}
    assert not contradicted(PERSON, [against, replace(again, valid_from=NOON)], heard)
    assert not contradicted(replace(PERSON, is_owner=True), [against], {})


def test_a_night_promotes_and_says_so_and_a_second_plan_finds_nothing_new() -> None:
    memory = Memory()
    for key, day in enumerate((0, 3, 6), start=1):
        memory.hear(key, at=NOON + day * DAY, sightings=(Sighting("person", "Elena", 0.9, "Elena", key),))
    rules = NightRules(RULES, Tiers())
    plan = plan_night(memory.believed, NOON + 8 * DAY, rules)
    assert [(each.before, each.after) for each in plan.crossings] == [("L0", "L1")]
    assert plan.report["tiers"]["after"] == {"L0": 0, "L1": 1, "L2": 0}
    memory.turn(close("u", date(2023, 11, 22), plan))
    assert plan_night(memory.believed, NOON + 8 * DAY, rules).crossings == ()


def test_nights_are_due_in_order_at_three_where_the_user_lives() -> None:
    since = datetime(2026, 3, 27, 12, tzinfo=UTC).timestamp()
    now = datetime(2026, 3, 30, 2, 30, tzinfo=UTC).timestamp()
    assert list(due(since, now, "UTC", 3)) == [date(2026, 3, 28), date(2026, 3, 29)]
    assert list(due(since, now, "Europe/Lisbon", 3))[-1] == date(2026, 3, 30), "summer time began on the 29th"
    assert instant_of(date(2026, 3, 28), "Asia/Kolkata", 3) == datetime(2026, 3, 27, 21, 30, tzinfo=UTC).timestamp()
    assert list(due(now, now, "UTC", 3)) == []
