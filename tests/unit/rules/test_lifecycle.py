"""States, lifetimes and floors (seeds 002 to 004 and the default preset)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.accesses import Access
from memory.model.entities import STATES, Entity, Mention
from memory.model.facts import Fact
from memory.model.sources import TTL_POLICIES
from memory.model.working_set import WorkingSet
from memory.rules.census import SourceColumns, census, columns_of, entity_anchors, fact_anchors, source_anchors
from memory.rules.decay import strength_of
from memory.rules.lifecycle import ArchivalColumns, entity_states, recalled_state, source_states, states_of, to_prune
from memory.rules.parameters import Life, Lifecycle, Strength

DAY = 86_400.0
BORN = 1_700_000_000.0
LIFE = Life()
COSMO = Life(strength=Strength(entity="spaced", fact="spaced"), lifecycle=Lifecycle(floor=0.0))


def state(
    days: float = 0,
    *,
    strength: float = 1.0,
    count: int = 0,
    recalled: float = 0.0,
    ttl: str = "decay",
    life_days: float = 90.0,
    rules: Lifecycle | None = None,
) -> str:
    """The state so many days after birth; `recalled` is the day of the last recall."""
    standing = ArchivalColumns(
        strength=np.array([strength]),
        count=np.array([float(count)]),
        accessed_at=np.array([BORN + recalled * DAY if count else np.nan]),
        born_at=np.array([BORN]),
        ttl=np.array([TTL_POLICIES.index(ttl)], np.int8),
    )
    return STATES[int(states_of(standing, life_days, BORN + days * DAY, rules or Lifecycle())[0])]


@pytest.mark.conforms("002:state.initial", "002:state.active_at", "002:state.core_at")
@pytest.mark.parametrize(
    ("count", "expected"), [(0, "candidate"), (1, "active"), (9, "active"), (10, "core"), (50, "core")]
)
def test_recalls_make_a_candidate_active_and_core(count: int, expected: str) -> None:
    assert state(count=count) == expected


@pytest.mark.conforms("002:state.archive_below")
@pytest.mark.parametrize(("strength", "expected"), [(0.0101, "candidate"), (0.01, "candidate"), (0.0099, "archived")])
def test_what_has_faded_below_a_hundredth_is_archived(strength: float, expected: str) -> None:
    assert state(100, strength=strength) == expected


@pytest.mark.conforms("model:grace")
def test_what_was_recalled_this_week_is_not_archived_for_its_strength() -> None:
    assert state(200, strength=0.001, count=1, recalled=193.01) == "active"
    assert state(200, strength=0.001, count=1, recalled=193) == "archived"


@pytest.mark.conforms("002:ttl.ephemeral_episodic_days", "002:ttl.ephemeral_semantic_days")
@pytest.mark.parametrize("life_days", [30.0, 90.0])
def test_an_ephemeral_life_ends_on_its_day_however_strong_and_however_often_recalled(life_days: float) -> None:
    given = {"ttl": "ephemeral", "life_days": life_days, "count": 50, "recalled": life_days}
    assert state(life_days - 0.01, **{**given, "recalled": 0.0}) == "core"
    assert state(life_days, **given) == "archived"
    assert (Lifecycle().ephemeral_source_days, Lifecycle().ephemeral_days) == (30.0, 90.0)


@pytest.mark.conforms("002:ttl.precedence", "002:ttl.keep_forever")
def test_kept_forever_beats_everything() -> None:
    assert state(5000, strength=0.0, ttl="keep_forever") == "candidate"
    assert state(5000, strength=0.0, ttl="decay") == "archived"


@pytest.mark.conforms("002:state.archived_to_active")
@pytest.mark.parametrize(
    ("before", "count", "after"),
    [
        ("candidate", 1, "active"),
        ("active", 9, "active"),
        ("active", 10, "core"),
        ("core", 11, "core"),
        ("archived", 1, "active"),
        ("archived", 12, "active"),
    ],
)
def test_a_recall_is_felt_at_once(before: str, count: int, after: str) -> None:
    assert recalled_state(before, count, Lifecycle()) == after


@given(st.floats(0, 1), st.integers(0, 30), st.floats(0, 400), st.floats(0, 400), st.sampled_from(TTL_POLICIES))
def test_a_state_does_not_depend_on_the_nights_before(
    strength: float, count: int, days: float, recalled: float, ttl: str
) -> None:
    found = state(days, strength=strength, count=count, recalled=recalled, ttl=ttl)
    assert found == state(days, strength=strength, count=count, recalled=recalled, ttl=ttl)
    assert (found != "archived") or ttl != "keep_forever"


# ------------------------------------------------------------------------------------------------ entities and facts


def entity(type_: str = "topic", **rest: Any) -> Entity:
    return replace(Entity("e", type_, "it", 0.9, BORN), **rest)


def entity_strength(each: Entity, days: float, life: Life = LIFE) -> float:
    rows, now = census(WorkingSet("u", entities={"e": each})).entities, BORN + days * DAY
    return float(strength_of("entity", entity_anchors(rows, now, life), now, life)[0])


@pytest.mark.conforms("002:owner.always_core", "002:owner.keep_forever")
def test_the_owner_is_core_and_never_archived() -> None:
    rows = census(WorkingSet("u", entities={"e": entity("person", is_owner=True)})).entities
    states = entity_states(rows, np.array([0.0]), BORN + 9000 * DAY, Lifecycle())
    assert STATES[int(states[0])] == "core"
    assert entity_strength(entity("person", is_owner=True), 9000, COSMO) == 1.0


@pytest.mark.conforms("002:ttl.keep_forever_strength")
def test_an_entity_to_be_kept_forever_stays_at_full_strength() -> None:
    assert entity_strength(entity(ttl_policy="keep_forever"), 900) == 1.0


@pytest.mark.conforms("model:floor")
def test_an_open_promise_keeps_a_floor_until_it_is_kept_broken_or_past_its_day() -> None:
    assert entity_strength(entity("promise"), 300) == pytest.approx(0.3)
    assert entity_strength(entity("promise", properties={"state": "kept"}), 300) < 0.01
    assert entity_strength(entity("promise", properties={"state": "broken"}), 300) < 0.01
    due = {"due": "2023-11-20T00:00:00Z"}
    assert entity_strength(entity("promise", properties=due), 5) > 0.3, "still open and young"
    assert entity_strength(entity("promise", properties=due), 300) < 0.01
    assert entity_strength(entity("promise", properties={"due": "someday"}), 300) == pytest.approx(0.3)


def fact(**rest: Any) -> Fact:
    return replace(Fact("f", 1, "owner", "x", "factual", 5, 0.8, BORN, BORN), **rest)


PEOPLE = {
    "owner": Entity("owner", "person", "Maya", 1.0, BORN, is_owner=True),
    "elena": Entity("elena", "person", "Elena", 1.0, BORN),
    "tea": Entity("tea", "topic", "tea", 1.0, BORN),
}


def fact_strength(each: Fact, days: float, life: Life = LIFE) -> float:
    rows = census(WorkingSet("u", entities=PEOPLE, facts={"f": each})).facts
    return float(strength_of("fact", fact_anchors(rows, life), BORN + days * DAY, life)[0])


@pytest.mark.conforms("model:floor")
@pytest.mark.parametrize(
    ("standing", "floor"),
    [
        ({"importance": 7}, 0.3),
        ({"importance": 6}, 0.0),
        ({"kind": "preference"}, 0.3),
        ({"kind": "preference", "valid_to": BORN + DAY}, 0.0),
        ({"subject_id": "elena"}, 0.3),
        ({"object_id": "elena"}, 0.3),
        ({"object_id": "tea"}, 0.0),
        ({"subject_id": "tea"}, 0.0),
        ({}, 0.0),
        ({"importance": 9, "confidence": 0.2}, 0.2),
    ],
)
def test_floors_of_the_default_preset(standing: dict[str, Any], floor: float) -> None:
    assert fact_strength(fact(**standing), 5000) == pytest.approx(floor, abs=1e-6)
    assert fact_strength(fact(**standing), 5000, Life(lifecycle=Lifecycle(floor=0.0))) < 1e-6, "as in every seed"


@pytest.mark.conforms("004:protected.no_decay")
def test_a_confirmed_fact_does_not_fade() -> None:
    assert fact_strength(fact(confidence=1.0, protected=True), 5000) == 1.0


@pytest.mark.conforms("003:prune.threshold", "004:prune.threshold")
@pytest.mark.parametrize(("strength", "gone"), [(0.0501, False), (0.05, False), (0.0499, True), (0.0, True)])
def test_pruning_is_for_presets_that_ask_for_it_and_spares_what_was_confirmed(strength: float, gone: bool) -> None:
    rows = census(WorkingSet("u", facts={"f": fact(), "g": fact(fact_id="g", protected=True)})).facts
    strengths = np.array([strength, strength])
    assert to_prune(rows, strengths, Lifecycle(prunes=True)).tolist() == [gone, False]
    assert not to_prune(rows, strengths, Lifecycle()).any()


# ------------------------------------------------------------------------------------------------ sources


def source_state(days: float, **rest: Any) -> str:
    row = {
        "ids": "s",
        "state": 0,
        "ttl": 2,
        "started_at": BORN,
        "ended_at": BORN,
        "consolidated": False,
        "count": 0,
        "accessed_at": None,
        "value": 0.0,
        "gradient": 1.0,
        **rest,
    }
    columns, now = columns_of(SourceColumns, [row]), BORN + days * DAY
    strength = strength_of("source", source_anchors(columns, LIFE), now, LIFE)
    return STATES[int(source_states(columns, strength, now, Lifecycle())[0])]


@pytest.mark.conforms("002:decay.one_off_example", "002:ttl.ephemeral_episodic_days")
def test_a_source_nobody_ever_recalls_is_archived_after_196_days_an_ephemeral_one_after_30() -> None:
    assert (source_state(195), source_state(196)) == ("candidate", "archived")
    assert (source_state(29.9, ttl=1), source_state(30, ttl=1)) == ("candidate", "archived")
    assert source_state(5000, ttl=0) == "candidate"
    assert source_state(5000, count=12, accessed_at=BORN, value=1.0, gradient=3.0) == "core"


@pytest.mark.conforms("002:consolidation.sources")
def test_a_source_that_was_gathered_is_archived_unless_it_is_recalled_lately_or_kept() -> None:
    assert (source_state(8), source_state(8, consolidated=True)) == ("candidate", "archived")
    recalled = {"count": 1, "accessed_at": BORN + 2 * DAY, "value": 0.5, "consolidated": True}
    assert (source_state(8.9, **recalled), source_state(9, **recalled)) == ("active", "archived")
    assert source_state(8, consolidated=True, ttl=0) == "candidate"


def test_a_census_counts_what_the_working_set_holds() -> None:
    mentions = {"e": {1: Mention("e", "s1", 1, BORN, "it"), 2: Mention("e", "s2", 2, BORN + DAY, "it")}}
    accesses = {"e": Access("e", 4, BORN + DAY, 0.7, 1.1, 0.5)}
    entities = {"e": entity(), "gone": entity(entity_id="gone", merged_into="e")}
    rows = census(WorkingSet("u", 7, entities=entities, mentions=mentions, accesses=accesses))
    assert rows.version == 7
    assert rows.entities.ids.tolist() == ["e"]
    assert (rows.entities.stamp[0], rows.entities.sessions[0]) == (6, 2)
    assert (rows.entities.first_seen[0], rows.entities.last_seen[0]) == (BORN, BORN + DAY)
    assert (rows.entities.count[0], rows.entities.value[0], rows.entities.gradient[0]) == (4, 0.7, 1.1)
