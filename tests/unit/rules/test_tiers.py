"""Tiers: climbing, falling and the last word (seed 000)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.claims import Sighting
from memory.model.entities import ENTITY_TYPES, LASTING_TYPES, TIERS, Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.groups import COMMUNITY, Group
from memory.model.working_set import WorkingSet
from memory.rules.census import Census, census
from memory.rules.parameters import Tiers
from memory.rules.tiers import NEVER, TAKEN_BACK, contradictions, tiers_of
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory

PERSON = Entity("e", "person", "Elena", 0.9, NOON)


def counted(type_: str = "person", sessions: int = 3, tier: str = "L0", joined: bool = False) -> Census:
    """One entity, mentioned at noon of day 0 in so many sessions."""
    mentions = {key: Mention("e", f"s{key}", key, NOON, "Elena") for key in range(sessions)}
    entity = replace(PERSON, type=type_, tier=tier)
    groups = {"g": Group("g", COMMUNITY, NOON, members=("e", "f"))} if joined else {}
    return census(WorkingSet("u", entities={"e": entity}, mentions={"e": mentions} if mentions else {}, groups=groups))


def tier(counts: Census, days: float, denied: bool = False, rules: Tiers | None = None) -> str:
    return TIERS[int(tiers_of(counts.entities, np.array([denied]), NOON + days * DAY, rules or Tiers())[0])]


@pytest.mark.conforms(
    "000:tiers.l1_age_days",
    "000:tiers.l1_episodes",
    "000:tiers.l2_age_days",
    "000:tiers.l2_types",
    "000:tiers.every_type_reaches_l1",
    "000:tiers.l2_episodes",
)
@pytest.mark.parametrize(
    ("type_", "days", "sessions", "expected"),
    [
        ("person", 6.99, 3, "L0"),
        ("person", 7, 3, "L1"),
        ("person", 7, 2, "L0"),
        ("topic", 400, 9, "L1"),
        ("person", 89.99, 3, "L1"),
        ("person", 90, 3, "L2"),
        ("habit", 90, 3, "L2"),
        ("event", 90, 3, "L1"),
        ("person", 400, 2, "L0"),
    ],
)
def test_promotion(type_: str, days: float, sessions: int, expected: str) -> None:
    assert tier(counted(type_, sessions), days) == expected


@pytest.mark.conforms("000:tiers.l2_types", "001:tiers.l2_types")
@pytest.mark.parametrize("type_", ENTITY_TYPES)
def test_only_what_says_who_somebody_is_becomes_a_pattern(type_: str) -> None:
    assert tier(counted(type_), 91) == ("L2" if type_ in LASTING_TYPES else "L1")
    assert {"person", "place", "relationship", "habit", "emotion"} == LASTING_TYPES


@pytest.mark.conforms("000:tiers.contradicted_demotes", "000:tiers.contradicted_blocks", "001:tiers.demotion")
@pytest.mark.parametrize(("before", "after"), [("L2", "L1"), ("L1", "L1"), ("L0", "L0")])
def test_a_contradiction_demotes_from_l2_and_blocks_promotion(before: str, after: str) -> None:
    assert tier(counted(sessions=50, tier=before), 120, denied=True) == after


@pytest.mark.conforms("000:tiers.recovery")
def test_once_the_contradiction_is_resolved_it_climbs_again() -> None:
    demoted = counted(sessions=50, tier="L1")
    assert tier(demoted, 120) == "L2"


@pytest.mark.conforms("001:tiers.l2_requires_community")
def test_a_community_may_be_asked_for() -> None:
    strict = Tiers(l2_requires_community=True)
    assert tier(counted(), 91, rules=strict) == "L1"
    assert tier(counted(joined=True), 91, rules=strict) == "L2"


def test_what_was_never_mentioned_stays_where_it_is() -> None:
    assert tier(counted(sessions=0, tier="L1"), 400) == "L1"


def fact(status: str, at: float, **rest: object) -> Fact:
    base = Fact("f" + status, 1, "owner", "x", "factual", 5, 0.6, NOON, at, object="Nike", object_id="e")
    return replace(base, status=status, **rest)  # type: ignore[arg-type]


def contradicted(entity: Entity, about: Iterable[Fact], evidence_of: Mapping[str, tuple[Evidence, ...]]) -> bool:
    """The definition, fact by fact: of those of which it is the object, or without an object the subject."""
    against = [
        each.system_from if each.valid_to is None else each.valid_to for each in about if each.status in TAKEN_BACK
    ]
    affirmed = [NEVER]
    for fact in about:
        if fact.status == "active":
            affirmed += [fact.valid_from, *(each.at for each in evidence_of.get(fact.fact_id, ()))]
            affirmed += [fact.system_from] if fact.protected else []
    return not entity.is_owner and bool(against) and max(against) >= max(affirmed)


def found(facts: list[Fact], said: Mapping[str, float] | None = None, **entity: object) -> bool:
    """Whether the census finds the entity contradicted."""
    evidence = {key: (Evidence(key, "s", 1, "q", at),) for key, at in (said or {}).items()}
    person = replace(PERSON, **entity)  # type: ignore[arg-type]
    facts_by_id = {each.fact_id: each for each in facts}
    counts = census(WorkingSet("u", entities={"e": person}, facts=facts_by_id, evidence=evidence))
    return bool(contradictions(counts.entities, counts.facts)[0])


@pytest.mark.conforms("000:contradicted.derived")
def test_contradicted_is_derived_from_the_last_word() -> None:
    against = fact("superseded", NOON + 5 * DAY, valid_to=NOON + 5 * DAY)
    assert found([against])
    again = fact("active", NOON + 6 * DAY, valid_from=NOON + 6 * DAY)
    assert not found([against, again])
    ender = fact("active", NOON + 5 * DAY, valid_from=NOON + 5 * DAY)
    assert found([against, ender]), "what ends a fact begins with it, and affirms nothing"
    assert not found([against, replace(again, valid_from=NOON)], {again.fact_id: NOON + 7 * DAY})
    assert not found([against, fact("active", NOON + 6 * DAY, protected=True)]), "confirmed"
    assert not found([against], is_owner=True), "the owner never is"


INSTANTS = st.integers(0, 6).map(lambda day: NOON + day * DAY)
FACTS = st.builds(
    lambda number, status, valid, ended, system, protected, object_id: Fact(
        f"f-{number}",
        1,
        "owner",
        "x",
        "factual",
        5,
        0.6,
        valid,
        system,
        object_id=object_id,
        status=status,
        valid_to=None if ended is None else max(valid, ended),
        protected=protected,
    ),
    st.integers(0, 9),
    st.sampled_from(["active", "superseded", "invalidated", "forgotten"]),
    INSTANTS,
    st.none() | INSTANTS,
    INSTANTS,
    st.booleans(),
    st.sampled_from(["e", "other", None]),
)


@pytest.mark.conforms("000:contradicted.derived")
@given(st.lists(FACTS, max_size=8, unique_by=lambda each: each.fact_id), st.dictionaries(st.integers(0, 9), INSTANTS))
def test_the_census_finds_what_the_definition_finds(facts: list[Fact], said: dict[int, float]) -> None:
    evidence = {f"f-{n}": (Evidence(f"f-{n}", "s", 1, "q", at),) for n, at in said.items()}
    evidence = {each.fact_id: evidence[each.fact_id] for each in facts if each.fact_id in evidence}
    entities = {each: replace(PERSON, entity_id=each) for each in ("e", "other", "owner")}
    believed = WorkingSet("u", entities=entities, facts={each.fact_id: each for each in facts}, evidence=evidence)
    counts = census(believed)
    together = dict(zip(counts.entities.ids, contradictions(counts.entities, counts.facts).tolist(), strict=True))
    for identity, entity in entities.items():
        about = [each for each in facts if (each.object_id or each.subject_id) == identity]
        assert together[identity] == contradicted(entity, about, evidence)


@pytest.mark.conforms("000:tiers.sessions_are_distinct")
def test_three_mentions_in_one_session_are_one_episode() -> None:
    memory = Memory()
    for key in range(3):
        memory.hear(key + 1, source="one", sightings=(Sighting("person", "Elena", 0.9, "Elena", key + 1),))
    counts = census(memory.believed)
    row = [memory.believed.entities[each].name for each in counts.entities.ids].index("Elena")
    assert counts.entities.sessions[row] == 1
