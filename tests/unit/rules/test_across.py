"""Who sees words of several sensitivities takes for what holds whatever was asserted last, at any of them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.facts import Fact, Link
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet
from memory.words.points import thing
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_denials import leaves
from tests.unit.rules.test_slots import PLACES

OPEN, PRIVATE, SENSITIVE = Sensitivity


@dataclass(frozen=True, order=True)
class Said:
    """A day, a place, whether Maya lives there or does so no more, and how secret that is."""

    day: int
    place: str
    there: bool
    level: int


def hear(memory: Memory, key: int, *claims: Claim, level: int = OPEN, at: float = NOON) -> None:
    read = c.ReadSegment("user:u", f"s{key}", key, 1, at, "Maya", "user", level)
    memory.turn(c.AcceptReading(command_id=f"hear-{key}", actor="extraction", read=(read,), claims=claims))


def told(*assertions: Said) -> Memory:
    memory = Memory()
    for each in assertions:
        key = 1 + hash_of(each)
        claim = lives(each.place, key) if each.there else leaves(each.place, key)
        hear(memory, key, claim, level=each.level, at=NOON + each.day * DAY)
    return memory


def hash_of(said: Said) -> int:
    """The same segment for the same words, whenever they are heard."""
    return ((said.day * 10 + PLACES.index(said.place)) * 10 + said.level) * 2 + said.there


def holds_now(believed: WorkingSet, clearance: int) -> list[str | None]:
    """Values in sight that nothing in sight has followed."""
    seen = {key: each for key, each in believed.facts.items() if each.sensitivity <= clearance and each.believed}
    over = {each.to_id for each in believed.links if each.kind == "supersedes" and each.from_id in seen}
    return [each.object for key, each in seen.items() if each.polarity and each.valid_to is None and key not in over]


def expected(assertions: list[Said], clearance: int) -> list[str]:
    """A child's answer: go through all that is in sight by its day."""
    home = None
    for each in sorted(assertions, key=lambda said: (said.day, thing(said.place), said.there)):
        if each.level <= clearance:
            home = each.place if each.there else None if home == each.place else home
    return [home] if home else []


def across(believed: WorkingSet) -> set[tuple[object, ...]]:
    """Supersession between sensitivities, told by what the facts say."""

    def named(fact: Fact) -> tuple[object, ...]:
        return fact.object, fact.polarity, fact.sensitivity, fact.valid_from

    pairs = (
        (believed.facts[each.from_id], believed.facts[each.to_id])
        for each in believed.links
        if each.kind == "supersedes"
    )
    return {(*named(one), *named(other)) for one, other in pairs if one.sensitivity != other.sensitivity}


words = st.lists(
    st.builds(Said, st.integers(0, 6), st.sampled_from(PLACES), st.booleans(), st.sampled_from((0, 1, 2))),
    min_size=1,
    max_size=8,
    unique=True,
)


@pytest.mark.conforms("model:across")
@settings(max_examples=150)
@given(words, st.randoms(use_true_random=False))
def test_the_newest_words_in_sight_hold_whatever_came_first(heard: list[Said], chance: random.Random) -> None:
    one, other = told(*heard), told(*chance.sample(heard, len(heard)))
    for clearance in Sensitivity:
        assert set(holds_now(one.believed, clearance)) == set(expected(heard, clearance))
    assert across(one.believed) == across(other.believed)


@pytest.mark.conforms("model:across")
def test_an_open_value_that_is_affirmed_after_a_secret_one_holds_again_for_who_sees_both() -> None:
    said = [Said(0, "Porto", True, OPEN), Said(1, "Faro", True, SENSITIVE), Said(2, "Porto", True, OPEN)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]):
        memory = told(*(said[each] for each in order))
        assert holds_now(memory.believed, SENSITIVE) == holds_now(memory.believed, OPEN) == ["Porto"]


@pytest.mark.conforms("model:across")
def test_what_was_affirmed_last_is_withdrawn_and_the_secret_value_holds_again() -> None:
    said = [Said(0, "Porto", True, OPEN), Said(1, "Faro", True, SENSITIVE), Said(2, "Porto", True, OPEN)]
    memory = told(*said)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(1 + hash_of(said[2]),)))
    assert (holds_now(memory.believed, SENSITIVE), holds_now(memory.believed, OPEN)) == (["Faro"], ["Porto"])


@pytest.mark.conforms("model:across")
def test_older_words_of_a_secret_value_leave_it_the_newest() -> None:
    said = [Said(1, "Porto", True, OPEN), Said(2, "Faro", True, PRIVATE), Said(0, "Faro", True, PRIVATE)]
    assert holds_now(told(*said).believed, PRIVATE) == ["Faro"]


@pytest.mark.conforms("model:across")
def test_a_secret_denial_ends_an_open_value_for_who_knows_of_it_and_is_no_dispute() -> None:
    memory = told(Said(0, "Porto", True, OPEN), Said(1, "Porto", False, PRIVATE))
    assert (holds_now(memory.believed, OPEN), holds_now(memory.believed, PRIVATE)) == (["Porto"], [])
    assert {each.kind for each in memory.believed.links} == {"supersedes"}


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize("days", [(0, 1, 2), (0, 2, 1)])
def test_a_state_that_is_openly_affirmed_after_a_secret_event_is_not_over(days: tuple[int, int, int]) -> None:
    """ "I like chess", in confidence "I gave up chess", and later, openly, "I like chess" again."""
    began, again, gave_up = "Maya likes chess", "Maya likes chess", "Maya gave up chess"
    memory = Memory()
    for key, day in enumerate(days):
        words = (began, gave_up, again)[day]
        predicate = "stopped" if words == gave_up else "likes"
        hear(
            memory,
            key + 1,
            says(words, key + 1, predicate=predicate, object="chess"),
            level=SENSITIVE if words == gave_up else OPEN,
            at=NOON + day * DAY,
        )
    liked, stopped = memory.fact("Maya likes chess"), memory.fact(gave_up)
    assert memory.believed.links == {Link("interrupts", stopped.fact_id, liked.fact_id)}


@pytest.mark.conforms("model:across")
def test_a_state_that_holds_again_is_over_for_who_knows_of_a_secret_event() -> None:
    """ "I live in Faro"; openly "not any more"; in confidence "I moved to Porto", and the open denial is taken back."""
    memory = Memory()
    hear(memory, 1, lives("Faro", 1))
    hear(memory, 2, leaves("Faro", 2), at=NOON + DAY)
    moved = says("Maya moved to Porto", 3, predicate="moved_to", object="Porto", tense="event")
    hear(memory, 3, moved, level=SENSITIVE, at=NOON + 2 * DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (holds_now(memory.believed, OPEN), holds_now(memory.believed, SENSITIVE)) == (["Faro"], ["Porto"])


@pytest.mark.conforms("model:across", "model:split")
def test_words_of_one_who_is_split_off_are_against_nothing_that_is_left() -> None:
    memory = Memory()
    lives_in = ((1, "Porto", OPEN), (2, "Faro", PRIVATE), (3, "Porto", OPEN), (4, "Lagos", PRIVATE))
    for key, place, level in lives_in:
        claim = says(f"Alex lives in {place}", key, subject="Alex", predicate="lives_in", object=place)
        hear(memory, key, claim, level=level, at=NOON + key * DAY)
    assert {each.kind for each in memory.believed.links} == {"supersedes", "interrupts"}
    alex = memory.fact("Alex lives in Porto").subject_id
    moved = tuple(memory.fact(f"Alex lives in {place}").fact_id for place in ("Faro", "Lagos"))
    split = c.SplitEntity(command_id="split", entity_id=alex, qualifier="cousin", segment_keys=(2, 4), fact_ids=moved)
    memory.turn(split)
    porto = memory.fact("Alex lives in Porto")
    assert porto.subject_id == alex
    assert not [each for each in memory.believed.links if porto.fact_id in (each.from_id, each.to_id)]
