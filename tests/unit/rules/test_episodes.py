"""What a consolidation or a storyline tells is not at hand twice (seed 002, decision 0114)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memory.model.entities import STATES
from memory.model.facts import Fact
from memory.model.groups import Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.rules.census import FactRows, census, facts_of
from memory.rules.episodes import gathered_facts, with_state
from memory.rules.lifecycle import fact_states
from memory.rules.parameters import Life, Lifecycle
from tests.unit.rules.lives_of_ties import MAY, fact, memory, said

OPEN, PRIVATE = Sensitivity.OPEN, Sensitivity.PRIVATE
GATHERED = Group("k", "consolidation", MAY, anchor_id="a", members=("one", "two"), sources=2, summary="So.")
LINE = Group("s", "storyline", MAY, anchor_id="a", members=("one", "three", "two"), sources=3, summary="So.")


def state(strength: float, *, days: float = 50, rules: Lifecycle | None = None, **more: Any) -> str:
    """The state of a fact of 50 days by its strength."""
    table = facts_of(memory(fact("f", "a", None)), ["f"])
    rows = replace(table, **{name: np.array([each]) for name, each in {"gathered": True, **more}.items()})
    life = Life(lifecycle=rules or Lifecycle())
    return STATES[int(fact_states(rows, np.array([strength]), MAY + days * DAY_S, life)[0])]


@pytest.mark.conforms("002:consolidation.archived")
def test_what_was_gathered_is_archived_as_early_as_its_sources() -> None:
    assert (state(0.199), state(0.2)) == ("archived", "candidate")
    assert state(0.199, gathered=False) == "candidate"


@pytest.mark.conforms("002:consolidation.archived")
def test_what_was_recalled_this_week_stays_and_where_strength_archives_nothing_all_does() -> None:
    assert state(0.1, count=1.0, accessed_at=MAY + 43.01 * DAY_S) == "active"
    assert state(0.1, count=1.0, accessed_at=MAY + 43 * DAY_S) == "archived"
    assert state(0.0, rules=Lifecycle(archive_below=0.0)) == "candidate"


@pytest.mark.conforms("002:ttl.ephemeral_semantic_days")
def test_what_only_ephemeral_sources_told_is_over_after_90_days_unless_it_was_confirmed() -> None:
    known = {"gathered": False, "passing": True}
    assert (state(1.0, days=89.99, **known), state(1.0, days=90, **known)) == ("candidate", "archived")
    assert state(1.0, days=90, protected=True, **known) == "candidate"
    assert state(1.0, days=90, gathered=False) == "candidate"


def found(*rows: object) -> frozenset[str]:
    return gathered_facts(memory(*rows))


@pytest.mark.conforms("002:consolidation.archived")
def test_a_fact_went_with_its_sources_if_all_were_gathered_and_it_is_no_insight() -> None:
    known, one, two = fact("f", "a", None), said("f", "one"), said("f", "two")
    assert found(known, one, two, GATHERED) == {"f"}
    assert found(known, one, GATHERED) == {"f"}
    assert found(known, one, said("f", "three"), GATHERED) == set()
    assert found(known, one, two, replace(GATHERED, facts=("f",))) == set()
    assert found(known, GATHERED) == found(known, one, two) == set()
    assert found(known, one, two, LINE) == set(), "a storyline gathers nothing"


@pytest.mark.conforms("002:consolidation.archived")
def test_what_is_more_sensitive_than_a_fact_changes_nothing_about_it() -> None:
    known, one = fact("f", "a", None), said("f", "one")
    hidden = replace(GATHERED, group_id="h", sensitivity=PRIVATE)
    assert found(known, one, hidden) == set()
    assert found(known, one, GATHERED, hidden) == {"f"}
    assert found(known, one, GATHERED, replace(hidden, facts=("f",))) == {"f"}
    assert found(replace(known, sensitivity=PRIVATE), one, hidden) == {"f"}


def test_the_census_counts_what_went_with_its_sources() -> None:
    believed = memory(fact("f", "a", None), said("f", "one"), fact("g", "a", None), said("g", "three"), GATHERED)
    rows: FactRows = census(believed).facts
    assert dict(zip(rows.ids.tolist(), rows.gathered.tolist(), strict=True)) == {"f": True, "g": False}
    assert isinstance(believed.facts["f"], Fact)
    assert not rows.passing.any()


@pytest.mark.conforms("002:consolidation.archived")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (LINE, "archived"),
        (replace(LINE, members=("one", "two")), "archived"),
        (replace(LINE, members=("one", "three")), "active"),
        (replace(LINE, anchor_id="b"), "active"),
        (replace(LINE, sensitivity=PRIVATE), "active"),
        (replace(LINE, state="archived"), "active"),
        (replace(LINE, state="core"), "archived"),
        (replace(LINE, summary=None), "active"),
        (replace(LINE, kind="macro"), "active"),
    ],
)
def test_a_consolidation_is_archived_while_a_storyline_at_hand_tells_of_all_its_sources(
    line: Group, expected: str
) -> None:
    assert with_state(GATHERED, [line]).state == expected
    assert with_state(replace(GATHERED, state="archived"), [line]).state == expected
    assert with_state(GATHERED, []).state == "active"


def test_what_only_remembers_that_nothing_could_be_told_is_never_archived() -> None:
    assert with_state(replace(GATHERED, members=()), [LINE]).state == "active"
