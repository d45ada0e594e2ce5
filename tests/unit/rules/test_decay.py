"""The four laws: tables and examples of the founding designs, corrected (decision 0061), and some invariants."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.rules.decay import LAWS, Anchors, strength_of
from memory.rules.parameters import Decay, Life, Strength

DAY = 86_400.0
BORN = 1_700_000_000.0
NO_CONFIDENCE = float("nan")


def strength(law: str, days: float, rules: Decay | None = None, **columns: Any) -> float:
    """One row of a law, so many days after everything that is not said otherwise."""
    given = {"heard_at": BORN, "accessed_at": BORN, **columns}
    return float(LAWS[law](Anchors.of(1, **given), BORN + days * DAY, rules or Decay())[0])


def served(law: str, days: float, **columns: Any) -> float:
    """The same through the table of nouns, with floors and protection."""
    life = Life(strength=replace(Strength(), fact=law))  # type: ignore[arg-type]
    given = {"heard_at": BORN, "accessed_at": BORN, **columns}
    return float(strength_of("fact", Anchors.of(1, **given), BORN + days * DAY, life)[0])


# ------------------------------------------------------------------------------------------------ half_life (000, 001)


@pytest.mark.conforms("000:decay.formula", "000:decay.half_life_days", "000:decay.table", "001:decay.half_life_days")
@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (0, 1.0),
        (7, 0.851),
        (15, 0.707),
        (30, 0.5),
        (60, 0.25),
        (90, 0.125),
        (91 - 35, 0.274),
        (120, 0.0625),
        (27, 0.536),
        (365, 0.0002),
    ],
)
def test_what_was_not_mentioned_halves_every_thirty_days(days: float, expected: float) -> None:
    assert strength("half_life", days) == pytest.approx(expected, abs=5e-4)


@pytest.mark.conforms("000:decay.evergreen_floor", "001:decay.evergreen_floor")
def test_people_places_and_relationships_never_sink_below_the_evergreen_floor() -> None:
    assert strength("half_life", 365, evergreen=True) == pytest.approx(0.3)
    assert strength("half_life", 10, evergreen=True) == strength("half_life", 10)
    assert strength("half_life", 365) < 0.001, "a topic of the same age is as good as gone"


@pytest.mark.conforms("000:decay.clock_resets_on_mention")
def test_a_mention_starts_the_clock_anew_and_one_to_come_counts_as_now() -> None:
    assert strength("half_life", 35, heard_at=BORN + 35 * DAY) == 1.0
    assert strength("half_life", 0, heard_at=BORN + DAY) == 1.0


# ------------------------------------------------------------------------------------------------ spaced (002)

NEVER = {"count": 0, "confidence": NO_CONFIDENCE}


@pytest.mark.conforms("002:decay.base_rate", "002:salience.initial", "002:decay.one_off_example")
@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (35, 0.5), (70, 0.25), (105, 0.125)])
def test_what_is_never_recalled_begins_at_a_half_and_halves_every_thirty_five_days(days: float, left: float) -> None:
    assert strength("spaced", days, **NEVER) == pytest.approx(0.5 * left, abs=0.004)


@pytest.mark.conforms("002:decay.archive_day")
def test_a_half_takes_196_days_to_a_hundredth() -> None:
    """The founding text says 100 days; the formula says otherwise and wins."""
    assert strength("spaced", 195, **NEVER) > 0.01 > strength("spaced", 196, **NEVER)


@pytest.mark.conforms("002:decay.recall_frequency", "002:decay.recall_example")
@pytest.mark.parametrize(("days", "left"), [(35, 0.944), (70, 0.891)])
def test_five_well_spaced_recalls_make_it_last(days: float, left: float) -> None:
    found = strength("spaced", days, count=5, gradient=1.5, value=0.8)
    assert found / 0.8 == pytest.approx(left, abs=1e-3)
    rate = -np.log(found / 0.8) / days
    assert rate == pytest.approx(0.02 / (1 + 5**1.5))


@pytest.mark.conforms("002:decay.spacing_anchor")
def test_it_starts_from_the_value_and_the_time_of_the_last_recall() -> None:
    recalled = {"count": 1, "gradient": 1.0, "value": 0.9, "accessed_at": BORN + 50 * DAY}
    assert strength("spaced", 50, **recalled) == pytest.approx(0.9)
    assert strength("spaced", 60, **recalled) == pytest.approx(0.9 * np.exp(-0.01 * 10))


@pytest.mark.conforms("002:candidate.confidence_penalty")
@pytest.mark.parametrize(("confidence", "rate"), [(0.4, 0.044), (0.5, 0.04), (0.7, 0.032)])
def test_an_unsure_candidate_fades_faster(confidence: float, rate: float) -> None:
    found = strength("spaced", 10, count=0, confidence=confidence)
    assert -np.log(found / 0.5) / 10 == pytest.approx(rate)


@pytest.mark.conforms("002:candidate.low_confidence_example")
def test_at_confidence_two_fifths_it_halves_in_sixteen_days_and_is_at_a_hundredth_after_eighty_nine() -> None:
    """The founding text says 17 and 50 days; see decision 0061, 2."""
    unsure = {"count": 0, "confidence": 0.4}
    assert strength("spaced", 15.75, **unsure) == pytest.approx(0.25, abs=1e-3)
    assert strength("spaced", 88, **unsure) > 0.01 > strength("spaced", 89, **unsure)


@pytest.mark.conforms("002:candidate.sure", "002:candidate.high_confidence_example")
@pytest.mark.parametrize(("confidence", "left"), [(0.8, 1.0), (0.85, 1.0), (0.9, 1.0), (0.79, 0.0)])
def test_a_sure_candidate_does_not_fade_until_its_first_recall(confidence: float, left: float) -> None:
    assert strength("spaced", 1000, count=0, confidence=confidence) == pytest.approx(0.5 * left, abs=1e-3)
    after = strength("spaced", 35, count=1, confidence=confidence, value=0.55, gradient=1.0)
    assert after == pytest.approx(0.55 * np.exp(-0.01 * 35)), "then it fades like any other"


@pytest.mark.conforms("002:candidate.confidence_only_for_candidates")
def test_once_recalled_confidence_no_longer_matters() -> None:
    columns = {"count": 1, "value": 0.5, "gradient": 1.0}
    assert strength("spaced", 35, confidence=0.1, **columns) == strength("spaced", 35, confidence=0.99, **columns)


# ------------------------------------------------------------------------------------------------ stability (003)


@pytest.mark.conforms("003:decay.formula", "003:decay.half_life_days")
@pytest.mark.parametrize(
    ("stable", "days", "expected"),
    [(1, 0, 0.6), (1, 30, 0.3), (1, 60, 0.15), (3, 90, 0.3), (5, 150, 0.3), (3, 30, 0.476)],
)
def test_confidence_halves_every_thirty_days_times_its_stability(stable: float, days: float, expected: float) -> None:
    assert strength("stability", days, confidence=0.6, stability=stable) == pytest.approx(expected, abs=5e-4)


@pytest.mark.conforms("003:access.stability_step", "003:access.stability_cap")
@pytest.mark.parametrize(("recalls", "stable"), [(0, 1.0), (1, 1.1), (10, 2.0), (39, 4.9), (40, 5.0), (400, 5.0)])
def test_every_recall_adds_a_tenth_of_stability_up_to_five(recalls: int, stable: float) -> None:
    half_gone = strength("stability", 30 * stable, confidence=1.0, count=recalls)
    assert half_gone == pytest.approx(0.5)


@pytest.mark.conforms("003:meta.stability")
def test_what_was_born_stable_starts_from_there() -> None:
    assert strength("stability", 90, confidence=0.8, stability=3.0) == pytest.approx(0.4)
    assert strength("stability", 30 * 3.5, confidence=0.8, stability=3.0, count=5) == pytest.approx(0.4)


# ------------------------------------------------------------------------------------------------ stretched (004)


@pytest.mark.conforms("004:decay.formula", "004:decay.rate", "004:decay.power")
@pytest.mark.parametrize("days", [0.0, 1.0, 7.0, 30.0, 100.0])
def test_the_stretched_exponential(days: float) -> None:
    assert strength("stretched", days, confidence=0.9) == pytest.approx(0.9 * np.exp(-0.1 * days**0.8))


@pytest.mark.conforms("004:access.boost")
@pytest.mark.parametrize(("recalls", "boost"), [(0, 0.0), (1, 0.00244), (20, 0.03466), (100, 0.08959)])
def test_recalls_add_a_little_by_their_number_alone(recalls: int, boost: float) -> None:
    assert strength("stretched", 0, confidence=0.5, count=recalls) == pytest.approx(0.5 + boost, abs=1e-5)


@pytest.mark.conforms("004:access.boost_cap")
def test_no_number_of_recalls_lifts_above_one() -> None:
    assert strength("stretched", 0, confidence=0.99, count=10_000) == 1.0


@pytest.mark.conforms("004:decay.since_last_access")
def test_it_fades_since_the_last_recall() -> None:
    found = strength("stretched", 40, confidence=0.9, count=1, accessed_at=BORN + 40 * DAY)
    assert found == pytest.approx(0.9 + 0.05 * np.log(1.05))


@pytest.mark.conforms("004:decay.since_last_access", "002:decay.base_rate")
@pytest.mark.parametrize("law", LAWS)
def test_what_was_never_recalled_has_no_last_recall(law: str) -> None:
    """The time of a recall may be anything where there was none."""
    assert strength(law, 40, accessed_at=BORN + 30 * DAY) == strength(law, 40, accessed_at=0.0)


@pytest.mark.conforms("004:protected.no_decay")
@pytest.mark.parametrize("law", LAWS)
def test_what_was_confirmed_keeps_its_confidence_by_every_law(law: str) -> None:
    assert served(law, 3650, confidence=1.0, protected=True) == 1.0
    assert served(law, 3650, confidence=0.7, protected=True) == pytest.approx(0.7)


# ------------------------------------------------------------------------------------------------ all of them


@pytest.mark.conforms("002:ttl.keep_forever_strength")
@pytest.mark.parametrize("law", LAWS)
def test_what_is_kept_forever_stays_one_and_a_floor_holds_by_every_law(law: str) -> None:
    assert served(law, 5000, kept=True, confidence=0.2) == 1.0
    assert served(law, 5000, floor=0.3, confidence=0.4) == pytest.approx(0.3)


ROWS = st.fixed_dictionaries(
    {
        "heard_at": st.floats(BORN - 3000 * DAY, BORN + 10 * DAY),
        "born_at": st.floats(BORN - 3000 * DAY, BORN),
        "accessed_at": st.floats(BORN - 3000 * DAY, BORN),
        "confidence": st.floats(0, 1),
        "stability": st.floats(0.1, 5),
        "count": st.integers(0, 500).map(float),
        "value": st.floats(0, 1),
        "gradient": st.floats(0.5, 3),
        "evergreen": st.booleans(),
    }
)


@pytest.mark.conforms("000:decay.idempotent", "002:decay.idempotent", "004:decay.idempotent")
@pytest.mark.parametrize("law", LAWS)
@given(row=ROWS, nights=st.lists(st.floats(0, 4000), min_size=1, max_size=6))
def test_strength_comes_from_the_anchor_alone(law: str, row: dict[str, Any], nights: list[float]) -> None:
    """However many nights looked at it before, the last one reads the same; it never grows and stays in [0, 1]."""
    seen = [strength(law, night, **row) for night in sorted(nights)]
    assert seen[-1] == strength(law, max(nights), **row)
    assert all(0.0 <= later <= earlier <= 1.0 for earlier, later in itertools.pairwise([*seen, seen[-1]]))


@pytest.mark.conforms("000:decay.law")
@pytest.mark.parametrize("law", LAWS)
@given(rows=st.lists(ROWS, min_size=1, max_size=5), days=st.floats(0, 1000))
def test_a_column_is_its_rows(law: str, rows: list[dict[str, Any]], days: float) -> None:
    anchors = Anchors.of(len(rows), **{name: [row[name] for row in rows] for name in rows[0]})
    together = LAWS[law](anchors, BORN + days * DAY, Decay())
    assert together.tolist() == pytest.approx([strength(law, days, **row) for row in rows])


def test_each_noun_is_served_by_the_law_the_table_names() -> None:
    anchors = Anchors.of(1, heard_at=BORN, confidence=0.6)
    for noun, law in itertools.product(("entity", "fact", "source", "storyline", "macro"), LAWS):
        life = Life(strength=replace(Strength(), **{noun: law}))
        now = BORN + 20 * DAY
        assert strength_of(noun, anchors, now, life) == LAWS[law](anchors, now, Decay())
