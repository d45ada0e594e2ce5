"""How a claim meets what is believed: said again, changed, denied, or new."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

ALIKE = {
    "Maya plays the cello": np.array([1.0, 0.0, 0.0]),
    "Maya often plays her cello": np.array([0.95, 0.2, 0.0]),
    "Maya plays 2 cellos": np.array([0.96, 0.2, 0.0]),
    "Maya owns a cello": np.array([0.75, 0.66, 0.0]),
    "Maya keeps bees": np.array([0.0, 0.0, 1.0]),
}


@pytest.mark.conforms("003:belief.confidence_default")
def test_a_new_claim_has_the_first_confidence_and_its_words_as_evidence() -> None:
    memory = Memory()
    changes = memory.hear(1, lives("Porto"))
    fact = memory.fact("Maya lives in Porto")
    assert [each.outcome for each in changes.outcomes] == ["created"]
    assert (fact.confidence, fact.valid_from, fact.valid_to, fact.version) == (0.6, NOON, None, 1)
    assert [each.quote for each in memory.believed.evidence[fact.fact_id]] == ["I live in Porto"]


@pytest.mark.conforms("003:reinforce.confidence")
def test_another_source_reinforces_once_and_the_same_source_never() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"), source="a")
    again = memory.hear(2, says("Maya keeps bees", 2), source="a")
    assert again.outcomes[0].outcome == "duplicate"
    assert memory.fact("Maya keeps bees").confidence == 0.6
    memory.hear(3, says("Maya keeps bees", 3), source="b")
    assert memory.fact("Maya keeps bees").confidence == pytest.approx(0.7)


@pytest.mark.conforms("003:reinforce.cap")
def test_confidence_is_capped_at_one() -> None:
    memory = Memory()
    for key in range(1, 9):
        memory.hear(key, says("Maya keeps bees", key))
    assert memory.fact("Maya keeps bees").confidence == 1.0


@pytest.mark.conforms("model:agreement")
def test_a_paraphrase_reinforces_if_it_agrees_and_is_a_fact_of_its_own_if_its_numbers_differ() -> None:
    memory = Memory(vectors=ALIKE)
    memory.hear(1, says("Maya plays the cello"))
    assert memory.hear(2, says("Maya often plays her cello", 2)).outcomes[0].outcome == "reinforced"
    assert memory.hear(3, says("Maya plays 2 cellos", 3)).outcomes[0].outcome == "created"
    assert memory.hear(4, says("Maya owns a cello", 4)).outcomes[0].outcome == "created"
    linked = {link.to_id for link in memory.believed.links if link.kind == "similar"}
    assert memory.fact("Maya plays the cello").fact_id in linked


@pytest.mark.conforms("000:contradiction.closes_old", "000:contradiction.opens_new", "model:change")
def test_a_single_valued_slot_closes_where_the_next_begins() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"), at=NOON)
    changes = memory.hear(2, lives("Lisbon", 2), at=NOON + 50 * DAY)
    porto, lisbon = memory.fact("Maya lives in Porto"), memory.fact("Maya lives in Lisbon")
    assert changes.outcomes[0].outcome == "superseded"
    assert changes.outcomes[0].rivals == (porto.fact_id,)
    assert (porto.status, porto.valid_to) == ("superseded", NOON + 50 * DAY)
    assert (lisbon.status, lisbon.valid_to) == ("active", None)


@pytest.mark.conforms("001:facts.current_truth")
def test_a_preference_is_single_valued_within_its_slot() -> None:
    memory = Memory()
    memory.hear(1, says("Maya prefers Nike", 1, predicate="prefers", slot="shoe brand", object="Nike"))
    memory.hear(2, says("Maya prefers tea", 2, predicate="prefers", slot="drink", object="tea"), at=NOON + DAY)
    memory.hear(3, says("Maya prefers Hoka", 3, predicate="prefers", slot="shoe brand", object="Hoka"), at=NOON + DAY)
    assert memory.active("prefers") == ["Maya prefers Hoka", "Maya prefers tea"]


def test_number_is_no_change() -> None:
    memory = Memory()
    memory.hear(1, says("Maya prefers flat whites", predicate="prefers", slot="coffee", object="Flat whites"))
    same = says("Maya's favourite is flat whites", 3, predicate="prefers", slot="coffee", object="flat white")
    assert memory.hear(3, same).outcomes[0].outcome == "reinforced"


@pytest.mark.conforms("model:late", "model:order")
@settings(max_examples=60)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_the_chain_of_a_slot_does_not_depend_on_arrival(days: list[int], shuffle: object) -> None:
    heard = [(day, lives(f"Place {day}", day + 1)) for day in days]
    chains = []
    for order in (heard, sorted(heard, key=lambda each: -each[0])):
        memory = Memory()
        for day, claim in order:
            memory.hear(day + 1, claim, at=NOON + day * DAY)
        chains.append(sorted((f.valid_from, f.valid_to, f.status, f.object) for f in memory.believed.facts.values()))
    assert chains[0] == chains[1]
    for earlier, later in itertools.pairwise(chains[0]):
        assert earlier[1] == later[0], "each value ends where the next begins"
    assert [status for *_, status, _ in chains[0]].count("active") == 1


@pytest.mark.conforms("003:contradiction.invalidates")
def test_a_poorly_supported_fact_is_invalidated_by_its_denial() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes opera", predicate="likes", object="opera"))
    changes = memory.hear(2, says("Maya dislikes opera", 2, predicate="dislikes", object="opera"), at=NOON + DAY)
    assert changes.outcomes[0].outcome == "invalidated"
    assert memory.active() == ["Maya dislikes opera"]


@pytest.mark.conforms("003:contradiction.supporting_episodes", "003:weaken.confidence")
def test_a_well_supported_fact_is_weakened_and_disputed() -> None:
    memory = Memory()
    for key in (1, 2, 3):
        memory.hear(key, says("Maya likes opera", key, predicate="likes", object="opera"))
    confidence = memory.fact("Maya likes opera").confidence
    denial = says("Maya does not like opera", 4, predicate="likes", object="opera", polarity=False)
    assert memory.hear(4, denial, at=NOON + DAY).outcomes[0].outcome == "disputed"
    fact = memory.fact("Maya likes opera")
    assert (fact.status, fact.valid_to) == ("active", None)
    assert fact.confidence == pytest.approx(confidence - 0.2)
    disputes = {(link.from_id, link.to_id) for link in memory.believed.links if link.kind == "disputes"}
    other = memory.fact("Maya does not like opera").fact_id
    assert disputes == {(fact.fact_id, other), (other, fact.fact_id)}


def test_an_event_ends_the_state_it_closes() -> None:
    memory = Memory()
    memory.hear(1, says("Maya works at Acme", predicate="works_at", object="Acme"))
    memory.hear(2, says("Maya quit her job", 2, predicate="left_job"), at=NOON + 9 * DAY)
    fact = memory.fact("Maya works at Acme")
    assert (fact.status, fact.valid_to) == ("superseded", NOON + 9 * DAY)


@pytest.mark.conforms("model:assistant")
@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_what_an_assistant_says_is_no_evidence(role: str) -> None:
    memory = Memory()
    memory.hear(1, says("Maya loves the sea"), role=role, speaker="Helper")
    memory.hear(2, says("Maya loves the sea", 2), role="other", speaker="assistant")
    assert not memory.believed.facts


@pytest.mark.conforms("001:idempotency.segments")
def test_a_claim_is_never_counted_twice_by_reading_it_again() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    before = memory.believed.facts
    memory.hear(1, lives("Porto"))
    assert memory.believed.facts == before


def test_new_words_of_a_segment_take_back_what_the_old_ones_said() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(1, lives("Faro"), revision=2)
    assert memory.active() == ["Maya lives in Faro"]
    assert memory.fact("Maya lives in Porto").status in ("invalidated", "superseded")


def test_a_denial_of_long_ago_says_nothing_of_today_and_can_be_taken_back() -> None:
    """ "I like coffee", then "I didn't like coffee in 2019"."""
    memory = Memory()
    likes = {"predicate": "likes", "object": "coffee"}
    memory.hear(1, Claim("Maya", "Maya likes coffee", 1, "I like coffee", **likes), at=NOON)
    then = {"valid_from": NOON - 800 * DAY, "valid_to": NOON - 500 * DAY, "tense": "event"}
    denial = Claim("Maya", "Maya did not like coffee", 2, "I didn't like coffee", polarity=False, **likes, **then)
    memory.hear(2, denial, at=NOON + DAY)
    assert memory.fact("Maya likes coffee").status == "active"
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert memory.active() == ["Maya likes coffee"]
