"""Figures of the founding designs at and after birth, written out: what nothing else proves by itself."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

from memory.model import commands as c
from memory.model.accesses import Access
from memory.model.claims import Sighting
from memory.model.entities import EVERGREEN_TYPES, Entity
from memory.model.facts import Fact
from memory.model.scopes import Sensitivity
from memory.rules.census import census, entity_anchors
from memory.rules.decay import Anchors, strength_of
from memory.rules.lifecycle import recalled_state
from memory.rules.night_steps import STEPS
from memory.rules.parameters import Life, Lifecycle, Spaced
from memory.rules.reinforcement import recalled
from memory.services.night import due, plan_night
from tests.fakes.nights import OF, crossed
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says


def seen(type_: str, name: str) -> Memory:
    memory = Memory()
    memory.hear(1, sightings=(Sighting(type_, name, 0.9, name, 1),))
    return memory


def called(memory: Memory, name: str) -> Entity:
    return next(each for each in memory.believed.entities.values() if each.name == name)


def strength_after(memory: Memory, name: str, days: float) -> float:
    rows, now = census(memory.believed).entities, NOON + days * DAY
    strengths = strength_of("entity", entity_anchors(rows, now, Life()), now, Life())
    return float(strengths[rows.ids.tolist().index(called(memory, name).entity_id)])


@pytest.mark.conforms("000:tiers.birth", "002:state.initial", "002:ttl.default")
def test_an_entity_is_born_an_episode_at_full_strength() -> None:
    memory = seen("topic", "tea")
    tea = called(memory, "tea")
    assert (tea.tier, tea.state, tea.ttl_policy) == ("L0", "candidate", "decay")
    assert strength_after(memory, "tea", 0) == 1.0


@pytest.mark.conforms("002:state.initial", "003:access.initial", "003:reinforce.links_episode")
def test_a_fact_is_born_a_candidate_of_stability_one_on_the_words_it_was_said_in() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    fact = memory.fact("Maya keeps bees")
    assert (fact.stability, fact.status, fact.state, fact.protected) == (1.0, "active", "candidate", False)
    assert fact.fact_id not in memory.believed.accesses
    memory.hear(2, says("Maya keeps bees", 2))
    assert len(memory.believed.facts) == 1
    assert [each.segment_key for each in memory.believed.evidence[fact.fact_id]] == [1, 2]


@pytest.mark.conforms("002:access.initial")
def test_before_its_second_recall_it_has_no_interval_and_a_gradient_of_one() -> None:
    first = recalled(None, "f", 1, 0.5, NOON, Spaced())
    assert first == Access("f", 1, NOON, 0.55, 1.0, 0.0)
    assert (Access("f", 1, NOON, 0.55).gradient, Access("f", 1, NOON, 0.55).interval_days) == (1.0, 0.0)


@pytest.mark.conforms("000:decay.evergreen_types", "000:decay.evergreen_floor")
@pytest.mark.parametrize(
    ("type_", "left"),
    [
        ("person", 0.3),
        ("place", 0.3),
        ("relationship", 0.3),
        ("topic", 0.0),
        ("habit", 0.0),
        ("emotion", 0.0),
        ("event", 0.0),
        ("decision", 0.0),
        ("question", 0.0),
        ("organization", 0.0),
        ("project", 0.0),
        ("tool", 0.0),
    ],
)
def test_who_and_where_stays_findable_and_what_does_not(type_: str, left: float) -> None:
    assert strength_after(seen(type_, "it"), "it", 365) == pytest.approx(left, abs=5e-4)
    assert {"person", "place", "relationship"} == EVERGREEN_TYPES


@pytest.mark.conforms("000:decay.law", "002:decay.law", "003:decay.law")
@pytest.mark.parametrize(
    ("noun", "left"),
    [
        ("entity", 0.25),
        ("fact", 0.15),
        ("source", 0.5 * math.exp(-0.02 * 1.8 * 60)),
        ("storyline", 0.5 * math.exp(-0.02 * 1.8 * 60)),
        ("macro", 0.5 * math.exp(-0.02 * 1.8 * 60)),
    ],
)
def test_sixty_days_take_from_each_noun_what_its_law_takes(noun: str, left: float) -> None:
    row = Anchors.of(1, heard_at=NOON, confidence=0.6)
    assert strength_of(noun, row, NOON + 60 * DAY, Life())[0] == pytest.approx(left)


@pytest.mark.conforms("002:sensitivity.no_decay")
@pytest.mark.parametrize("sensitivity", Sensitivity)
def test_a_secret_fades_like_anything_else(sensitivity: Sensitivity) -> None:
    memory = seen("topic", "tea")
    secret = replace(called(memory, "tea"), sensitivity=sensitivity)
    memory.believed = replace(memory.believed, entities={secret.entity_id: secret})
    assert strength_after(memory, "tea", 30) == pytest.approx(0.5)


@pytest.mark.conforms("002:owner.confidence", "002:owner.from_profile")
def test_the_owner_is_sure_and_comes_from_the_profile() -> None:
    memory = Memory(name="")
    memory.hear(
        1, says("I am Maya"), sightings=(Sighting("person", "Maya", 0.7, "Maya", 1),), speaker="?", role="other"
    )
    assert not called(memory, "Maya").is_owner
    assert [each.confidence for each in Memory().believed.entities.values() if each.is_owner] == [1.0]


@pytest.mark.conforms("002:notes.default", "model:commands")
def test_a_note_is_kept_for_a_month_unless_it_says_how_long() -> None:
    memory = Memory()
    owner = called(memory, "Maya").entity_id
    memory.turn(c.WriteNote(command_id="n", about_id=owner, text="Call her May."))
    (note,) = memory.believed.notes.values()
    assert note.lifetime == "month"
    assert type(note)(note.note_id, owner, "so", "user", NOON).lifetime == "month"


@pytest.mark.conforms("003:birth.importance")
@pytest.mark.parametrize(("told", "kept"), [(-3, 1), (0, 1), (1, 1), (10, 10), (11, 10), (99, 10)])
def test_importance_lies_between_one_and_ten(told: int, kept: int) -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees", importance=told))
    assert memory.fact("Maya keeps bees").importance == kept


# ------------------------------------------------------------------------------------------------ examples of seed 002


def recalls(*days: float) -> Access:
    """Something born on day 0 and recalled on those days, never very sure."""
    known: Access | None = None
    for day in days:
        left = strength(known, day)
        known = recalled(known, "f", 1, left, NOON + day * DAY, Spaced())
    assert known is not None
    return known


def strength(known: Access | None, day: float) -> float:
    """By the spaced law, without a confidence."""
    columns: dict[str, Any] = {"heard_at": NOON, "confidence": np.nan}
    if known is not None:
        columns |= {
            "count": known.count,
            "accessed_at": known.last_at,
            "value": known.value,
            "gradient": known.gradient,
        }
    return float(strength_of("source", Anchors.of(1, **columns), NOON + day * DAY, Life())[0])


@pytest.mark.conforms("002:decay.frequent_example")
def test_recalled_every_three_days_it_is_core_within_a_month_and_soon_at_its_height() -> None:
    ten = recalls(*range(3, 31, 3))
    assert (ten.count, recalled_state("active", ten.count, Lifecycle())) == (10, "core")
    assert recalled_state("active", recalls(*range(3, 28, 3)).count, Lifecycle()) == "active"
    assert recalls(*range(3, 121, 3)).value == pytest.approx(1.0, abs=0.02)


@pytest.mark.conforms("002:decay.seasonal_example")
def test_recalled_in_bursts_it_fades_between_them_and_stays_active() -> None:
    burst = recalls(1, 2, 3, 4)
    assert 0.3 < strength(burst, 90) < burst.value
    again = recalls(1, 2, 3, 4, 90, 91, 92)
    assert again.value > strength(burst, 90)
    assert recalled_state("active", again.count, Lifecycle()) == "active"


# --------------------------------------------------------------------------------------------- confirming, forgetting


@pytest.mark.conforms("004:confirm.confidence")
def test_what_is_confirmed_is_sure_and_protected_and_only_what_is_believed_can_be() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    fact = memory.fact("Maya keeps bees")
    memory.turn(c.ConfirmFact(command_id="c", fact_id=fact.fact_id))
    assert (memory.fact("Maya keeps bees").confidence, memory.fact("Maya keeps bees").protected) == (1.0, True)
    assert memory.turn(c.ConfirmFact(command_id="c2", fact_id=fact.fact_id)).changes == (), "it is so already"
    sure = says("Maya sells honey", 2, confidence=1.0)
    memory.hear(2, sure)
    memory.turn(c.ConfirmFact(command_id="c3", fact_id=memory.fact("Maya sells honey").fact_id))
    assert memory.fact("Maya sells honey").protected, "sure is not yet confirmed"
    memory.hear(3, says("Maya bakes", 3))
    bakes = memory.fact("Maya bakes").fact_id
    memory.turn(c.ProtectFact(command_id="p", fact_id=bakes))
    memory.turn(c.ConfirmFact(command_id="c4", fact_id=bakes))
    assert memory.fact("Maya bakes").confidence == 1.0, "protected is not yet sure"


@pytest.mark.conforms("003:forget.status")
def test_what_is_forgotten_says_so_and_is_forgotten_once() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    identity = memory.fact("Maya keeps bees").fact_id
    memory.turn(c.ForgetFact(command_id="f", fact_id=identity))
    assert memory.fact("Maya keeps bees").status == "forgotten"
    assert memory.turn(c.ForgetFact(command_id="f2", fact_id=identity)).changes == ()


# ------------------------------------------------------------------------------------------------ the night


@pytest.mark.conforms("000:night.order", "004:night.pending_first")
def test_a_night_takes_its_steps_in_order() -> None:
    assert list(STEPS)[:4] == ["pending", "decay", "tiers", "states"]
    assert STEPS["pending"].__name__ == "_pending"


@pytest.mark.conforms("model:due")
def test_of_a_long_absence_no_night_is_made_good_that_began_thirty_days_ago() -> None:
    now = datetime(2026, 3, 30, 12, tzinfo=UTC).timestamp()
    nights = list(due(now - 400 * DAY, now, "UTC", 3))
    assert (len(nights), nights[0], nights[-1]) == (31, date(2026, 2, 28), date(2026, 3, 30))
    assert list(due(now - 9 * 3600.0, now, "UTC", 3)) == [], "three o'clock itself was before"
    assert list(due(now - 9 * 3600.0 - 1, now, "UTC", 3)) == [date(2026, 3, 30)]
    three = datetime(2026, 3, 30, 3, tzinfo=UTC).timestamp()
    assert list(due(three - 1, three, "UTC", 3)) == [date(2026, 3, 30)], "and three o'clock itself is due"


@pytest.mark.conforms("002:state.archive_below", "003:status.terminal")
def test_a_night_leaves_alone_what_is_no_longer_believed() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees", importance=3))
    plan = plan_night(OF, census(memory.believed), memory.now + 900 * DAY, Life())
    assert [each.after for each in crossed(plan, "states") if each.noun == "fact"] == ["archived"]
    memory.turn(c.ForgetFact(command_id="f", fact_id=memory.fact("Maya keeps bees").fact_id))
    plan = plan_night(OF, census(memory.believed), memory.now + 900 * DAY, Life())
    assert [each for each in crossed(plan, "states") if each.noun == "fact"] == []


@pytest.mark.conforms("000:night.promotes", "000:night.logs_tier_changes", "000:tiers.contradicted_demotes")
def test_a_night_tells_who_fell_and_who_rose() -> None:
    memory = Memory()
    for key in (1, 2, 3):
        memory.hear(key, sightings=(Sighting("person", "Elena", 0.9, "Elena", key),))
        memory.hear(key + 3, sightings=(Sighting("person", "Ravi", 0.9, "Ravi", key + 3),))
    elena, ravi = called(memory, "Elena"), called(memory, "Ravi")
    said = Fact(
        "f",
        1,
        "owner",
        "x",
        "factual",
        5,
        0.6,
        NOON,
        NOON,
        object_id=elena.entity_id,
        status="superseded",
        valid_to=NOON + DAY,
    )
    entities = {**memory.believed.entities, elena.entity_id: replace(elena, tier="L2")}
    believed = replace(memory.believed, entities=entities, facts={"f": said})
    told = plan_night(OF, census(believed), NOON + 120 * DAY, Life()).report["tiers"]
    assert (told["demoted"], told["promoted"]) == ([elena.entity_id], [ravi.entity_id])


@pytest.mark.conforms("004:protected_facts", "003:changes.logged")
def test_the_log_says_whether_protection_began_or_ended() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    identity = memory.fact("Maya keeps bees").fact_id
    reasons = []
    for number, wanted in enumerate((True, False)):
        done = memory.turn(c.ProtectFact(command_id=f"p{number}", fact_id=identity, protected=wanted))
        reasons += [each.reason for each in done.changes]
    assert reasons == ["protected", "protection ended"]
