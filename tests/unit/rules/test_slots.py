"""A slot of one value is a function of what was asserted and for when, whatever the order it was heard in."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.working_set import WorkingSet
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

PLACES = ("Porto", "Lisbon", "Faro")


def held_at(believed: WorkingSet, day: float) -> list[str | None]:
    """What a slot held on a day, by the believed facts."""
    at = NOON + day * DAY
    return sorted(
        fact.object
        for fact in believed.facts.values()
        if fact.predicate == "lives_in" and fact.polarity and fact.believed and fact.valid.holds(at)
    )


assertions = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(PLACES)), min_size=1, max_size=9, unique_by=lambda each: each[0]
)


def told(assertions: list[tuple[int, str]]) -> Memory:
    memory = Memory()
    for day, place in assertions:
        memory.hear(day + 1, lives(place, day + 1), at=NOON + day * DAY)
    return memory


@pytest.mark.conforms("model:slots", "model:order")
@settings(max_examples=150)
@given(assertions, st.randoms(use_true_random=False))
def test_shuffled_arrival_gives_equal_answers_at_all_times(heard: list[tuple[int, str]], chance: random.Random) -> None:
    """Values may come back: who moved away may return, and whoever hears of it last must believe the same."""
    in_order = sorted(heard)
    shuffled = list(heard)
    chance.shuffle(shuffled)
    one, other = told(in_order), told(shuffled)
    for day in range(13):
        expected = next((place for when, place in reversed(in_order) if when <= day), None)
        assert (
            held_at(one.believed, day + 0.5) == held_at(other.believed, day + 0.5) == ([expected] if expected else [])
        )


def moves(place: str, key: int, month_began: float) -> tuple[Claim, Claim]:
    """ "Maya moved to Faro in February", as it is read: what happened in that month, and the state it leaves."""
    quote = f"Maya moved to {place}"
    event = Claim(
        "Maya",
        quote,
        key,
        quote,
        predicate="moved_to",
        object=place,
        tense="event",
        change=True,
        valid_from=month_began,
        valid_to=month_began + 5 * DAY,
    )
    return event, lives(place, key, change=True, valid_from=month_began)


@settings(max_examples=150)
@given(assertions, st.sets(st.integers(0, 12)), st.integers(0, 4), st.randoms(use_true_random=False))
def test_moves_that_are_told_late_split_what_was_believed(
    heard: list[tuple[int, str]], moved: set[int], late: int, chance: random.Random
) -> None:
    """The event ends a state for which later words vouch: no fact ever ends before it begins, and those words hold."""
    memory, told_late = Memory(), list(heard)
    chance.shuffle(told_late)
    for day, place in told_late:
        began = NOON + (day - late) * DAY
        claims = moves(place, day + 1, began) if day in moved else (lives(place, day + 1),)
        memory.hear(day + 1, *claims, at=NOON + day * DAY)
    last = max((day - late if day in moved else day, place) for day, place in heard)
    if last[0] == max(heard)[0]:
        assert held_at(memory.believed, 20) == [last[1]]


def test_a_move_of_last_month_after_newer_words_of_the_old_place() -> None:
    memory = Memory()
    memory.hear(1, lives("Bergen", 1), at=NOON)
    memory.hear(2, lives("Bergen", 2), at=NOON + 60 * DAY)
    memory.hear(3, *moves("Krakow", 3, NOON + 30 * DAY), at=NOON + 66 * DAY)
    assert [held_at(memory.believed, day) for day in (10, 40, 70)] == [["Bergen"], ["Krakow"], ["Bergen"]]


at_once = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(PLACES)), min_size=1, max_size=7)


@pytest.mark.conforms("model:order")
@settings(max_examples=200)
@given(at_once, st.randoms(use_true_random=False), st.data())
def test_values_for_one_moment_have_an_order_that_is_theirs(
    heard: list[tuple[int, str]], chance: random.Random, data: st.DataObject
) -> None:
    """Whoever hears of them in another order, has some taken back and is told them again, believes the same."""
    arrival, gone = list(enumerate(heard)), data.draw(st.sets(st.integers(0, len(heard) - 1)))
    chance.shuffle(arrival)
    memory = Memory()
    for key, (day, place) in arrival:
        memory.hear(key + 1, lives(place, key + 1), at=NOON + day * DAY)
    for key in gone:
        memory.turn(c.Withdraw(command_id=f"gone-{key}", segment_keys=(key + 1,)))
    for key in chance.sample(sorted(gone), len(gone)):
        day, place = heard[key]
        memory.hear(key + 1, lives(place, key + 1), at=NOON + day * DAY, revision=2)
    for day in range(5):
        said = [(when, place) for when, place in heard if when <= day]
        assert held_at(memory.believed, day + 0.5) == ([max(said)[1]] if said else [])


@pytest.mark.conforms("model:withdrawn")
@settings(max_examples=80)
@given(assertions, st.data())
def test_words_that_are_taken_back_leave_what_the_others_say(heard: list[tuple[int, str]], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(heard))
    memory = told(heard)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(gone[0] + 1,)))
    rest = sorted(each for each in heard if each != gone)
    for day in range(13):
        expected = next((place for when, place in reversed(rest) if when <= day), None)
        found = held_at(memory.believed, day + 0.5)
        assert found == ([expected] if expected else []), (heard, gone, day)


@settings(max_examples=60)
@given(assertions)
def test_supersession_never_runs_in_circles(heard: list[tuple[int, str]]) -> None:
    memory = told(heard)
    after = {link.to_id: set() for link in memory.believed.links if link.kind == "supersedes"}
    for link in memory.believed.links:
        if link.kind == "supersedes":
            after[link.to_id].add(link.from_id)
    for start in after:
        seen, front = set(), {start}
        while front:
            assert start not in seen
            front = {each for one in front for each in after.get(one, ())} - seen
            seen |= front


def test_of_two_values_for_one_moment_one_is_chosen_and_none_is_lost() -> None:
    chosen = set()
    for order in ((1, 2), (2, 1)):
        memory = Memory()
        for key in order:
            memory.hear(key, lives(PLACES[key], key))
        chosen.add(tuple(held_at(memory.believed, 1)))
        assert {fact.object for fact in memory.believed.facts.values()} == {"Lisbon", "Faro"}
    assert len(chosen) == 1


def test_a_fact_from_the_future_holds_from_then_on() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(2, lives("Lisbon", 2, valid_from=NOON + 5000 * DAY), at=NOON + DAY)
    assert held_at(memory.believed, 10) == ["Porto"]
    assert held_at(memory.believed, 5001) == ["Lisbon"]


def test_a_value_that_came_back_between_two_others_splits_what_seemed_one_stay() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(3, lives("Porto", 3), at=NOON + 20 * DAY)
    memory.hear(2, lives("Lisbon", 2), at=NOON + 10 * DAY)
    stays = sorted((f.valid_from, f.valid_to, f.object) for f in memory.believed.facts.values())
    assert [place for *_, place in stays] == ["Porto", "Lisbon", "Porto"]
    assert [start for start, *_ in stays] == [NOON, NOON + 10 * DAY, NOON + 20 * DAY]
    assert sum(len(rows) for rows in memory.believed.evidence.values()) == 3


def test_leaving_a_job_that_is_heard_late_ends_it_all_the_same() -> None:
    memory = Memory()
    memory.hear(2, says("Maya left Acme", 2, predicate="left_job", object="Acme"), at=NOON + 9 * DAY)
    memory.hear(1, says("Maya works at Acme", 1, predicate="works_at", object="Acme"))
    fact = memory.fact("Maya works at Acme")
    assert (fact.status, fact.valid_to) == ("superseded", NOON + 9 * DAY)


@pytest.mark.parametrize(("to", "ended"), [("oat milk lattes", True), ("Firefox", False)])
def test_switching_ends_only_what_is_of_its_kind(to: str, ended: bool) -> None:
    memory = Memory()
    memory.hear(1, says("Maya uses flat whites", predicate="uses", object="flat whites"))
    memory.hear(2, says(f"Maya switched to {to}", 2, predicate="switched_to", object=to), at=NOON + DAY)
    assert (memory.fact("Maya uses flat whites").status == "superseded") is ended


@pytest.mark.conforms("model:events", "model:late")
def test_what_is_told_anew_for_the_very_moment_of_an_event_has_not_given_way_to_it() -> None:
    memory = Memory()
    flat_whites = says("Maya uses flat whites", 1, predicate="uses", object="flat whites")
    memory.hear(1, flat_whites)
    memory.hear(2, says("Maya switched to lattes", 2, predicate="switched_to", object="lattes"), at=NOON + DAY)
    assert followed(memory, "Maya uses flat whites") == ["Maya switched to lattes"]
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,)))
    memory.hear(1, flat_whites, at=NOON + DAY, revision=2)
    assert (memory.fact("Maya uses flat whites").status, followed(memory, "Maya uses flat whites")) == ("active", [])


def test_what_did_not_happen_once_does_not_deny_that_it_did() -> None:
    memory = Memory()
    memory.hear(1, says("Maya met Ben", predicate="met", object="Ben"))
    memory.hear(2, says("Maya did not meet Ben", 2, predicate="met", object="Ben", polarity=False), at=NOON + DAY)
    assert memory.fact("Maya met Ben").status == "active"


def test_what_is_corrected_never_was_so_and_what_it_ended_holds_again() -> None:
    """A correction is about what is believed, not about what has changed: history keeps it, no moment shows it."""
    memory = Memory()
    memory.hear(1, lives("Bergen", 1), at=NOON)
    memory.hear(2, lives("Oslo", 2), at=NOON + 10 * DAY)
    oslo = memory.fact("Maya lives in Oslo")
    memory.turn(c.CorrectFact(command_id="c-1", fact_id=oslo.fact_id, claim=lives("Odense")))
    assert [held_at(memory.believed, each) for each in (5, 15)] == [["Bergen"], ["Odense"]]
    memory.turn(
        c.CorrectFact(command_id="c-2", fact_id=memory.fact("Maya lives in Odense").fact_id, claim=lives("Bergen"))
    )
    assert [held_at(memory.believed, each) for each in (5, 15)] == [["Bergen"], ["Bergen"]]
    assert {memory.fact(f"Maya lives in {where}").status for where in ("Oslo", "Odense")} == {"invalidated"}


def test_a_correction_that_knows_since_when_leaves_what_was_before() -> None:
    memory = Memory()
    memory.hear(1, lives("Bergen", 1), at=NOON)
    memory.hear(2, lives("Oslo", 2), at=NOON + 10 * DAY)
    oslo = memory.fact("Maya lives in Oslo")
    memory.turn(
        c.CorrectFact(command_id="c-1", fact_id=oslo.fact_id, claim=lives("Odense", valid_from=NOON + 20 * DAY))
    )
    assert [held_at(memory.believed, each) for each in (5, 15, 25)] == [["Bergen"], ["Bergen"], ["Odense"]]


def test_a_correction_in_the_very_words_changes_nothing() -> None:
    memory = Memory()
    memory.hear(1, lives("Bergen", 1), at=NOON)
    told = memory.turn(
        c.CorrectFact(command_id="c-1", fact_id=memory.fact("Maya lives in Bergen").fact_id, claim=lives("Bergen"))
    )
    assert (told.changes, told.outcomes[0].outcome) == ((), "duplicate")


@pytest.mark.conforms("model:slots", "model:late")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("again", [False, True])
def test_one_source_that_tells_an_earlier_beginning_is_split_all_the_same(order: tuple[int, int], again: bool) -> None:
    """ "I live in Leeds. I've lived in Leeds since 2018." And later: "I lived in York in 2020".

    Who else says Leeds later has not told of 2018.
    """
    memory = Memory()
    both = (lives("Leeds", 1), lives("Leeds", 1, valid_from=NOON - 60 * DAY))
    memory.hear(1, *(both[each] for each in order), at=NOON, source="s1")
    if again:
        memory.hear(3, lives("Leeds", 3), at=NOON + 2 * DAY)
    memory.hear(2, lives("York", 2, valid_from=NOON - 30 * DAY), at=NOON + DAY)
    assert [held_at(memory.believed, day) for day in (-40, -10, 1)] == [["Leeds"], ["York"], ["Leeds"]]
    facts = [each for each in memory.believed.facts.values() if each.object == "Leeds"]
    assert all(memory.believed.evidence[each.fact_id][0].moments == (each.valid_from,) for each in facts)


@pytest.mark.conforms("model:slots", "model:late")
def test_one_segment_that_says_the_same_of_two_moments_keeps_both_whatever_comes_between() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto", 1), at=NOON)
    memory.hear(2, lives("Lisbon", 2), at=NOON + 10 * DAY)
    memory.hear(3, lives("Porto", 3), lives("Porto", 3, valid_from=NOON - 5 * DAY), at=NOON + 20 * DAY)
    memory.hear(4, lives("Faro", 4), at=NOON - 2 * DAY)
    days = {-3: "Porto", -1: "Faro", 5: "Porto", 15: "Lisbon", 25: "Porto"}
    assert [held_at(memory.believed, day) for day in days] == [[place] for place in days.values()]
    other = Memory()
    other.hear(2, lives("Lisbon", 2), at=NOON + 10 * DAY)
    other.hear(3, lives("Porto", 3, valid_from=NOON - 5 * DAY), lives("Porto", 3), at=NOON + 20 * DAY)
    assert [held_at(other.believed, day) for day in (-3, 15, 25)] == [["Porto"], ["Lisbon"], ["Porto"]]
    assert len({each.fact_id for each in other.believed.facts.values()}) == 3


@pytest.mark.conforms("model:slots", "model:late")
@pytest.mark.parametrize(("first", "kept"), [(1, NOON), (3, NOON + 20 * DAY)])
def test_each_part_of_a_split_stay_has_its_own_sources_and_neighbours(first: int, kept: float) -> None:
    """The part in which it was first heard keeps its id; what came before and after stands beside either part."""
    memory = Memory()
    days = {1: 0, 2: 2, 3: 20}
    for key in (first, *(each for each in days if each != first)):
        memory.hear(key, lives("Porto", key), at=NOON + days[key] * DAY)
    (whole,) = memory.believed.facts.values()
    memory.hear(4, lives("Faro", 4), at=NOON - 9 * DAY)
    memory.hear(5, lives("Bergen", 5), at=NOON + 30 * DAY)
    memory.hear(6, lives("Lisbon", 6), at=NOON + 10 * DAY)
    facts = sorted(memory.believed.facts.values(), key=lambda each: each.valid_from)
    faro, early, lisbon, late, bergen = facts
    assert [each.confidence for each in facts] == [0.6, 0.7, 0.6, 0.6, 0.6]
    assert [each.status for each in facts] == ["superseded"] * 4 + ["active"]
    assert next(each for each in facts if each.fact_id == whole.fact_id).valid_from == kept
    links = {(each.from_id, each.to_id) for each in memory.believed.links if each.kind == "supersedes"}
    chain = [(early, faro), (lisbon, early), (late, lisbon), (bergen, late)]
    assert {(one.fact_id, other.fact_id) for one, other in chain} <= links
    assert all(memory.believed.facts[one].valid_from > memory.believed.facts[other].valid_from for one, other in links)


@pytest.mark.conforms("model:order")
def test_a_state_holds_again_when_the_event_that_ended_it_is_taken_back() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"))
    memory.hear(2, says("Maya gave up chess", 2, predicate="stopped", object="chess"), at=NOON + DAY)
    assert memory.fact("Maya likes chess").status == "superseded"
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (memory.fact("Maya likes chess").status, memory.fact("Maya likes chess").valid_to) == ("active", None)


def followed(memory: Memory, statement: str) -> list[str]:
    """What took the place of a fact, by the links."""
    fact_id = memory.fact(statement).fact_id
    links = (each for each in memory.believed.links if each.kind == "supersedes" and each.to_id == fact_id)
    return sorted(memory.believed.facts[each.from_id].statement for each in links)


@pytest.mark.conforms("model:slots", "model:order")
def test_words_that_are_read_again_with_another_date_are_followed_by_nothing_that_came_before() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto", 1), at=NOON + 3 * DAY)
    memory.hear(2, lives("Lisbon", 2), at=NOON + DAY)
    assert followed(memory, "Maya lives in Lisbon") == ["Maya lives in Porto"]
    memory.hear(2, lives("Lisbon", 2), at=NOON + 5 * DAY, revision=2)
    assert followed(memory, "Maya lives in Lisbon") == []
    assert followed(memory, "Maya lives in Porto") == ["Maya lives in Lisbon"]


@pytest.mark.conforms("model:slots")
def test_a_value_that_is_told_again_where_it_was_first_told_has_outlived_what_had_ended_it() -> None:
    """It was first heard in words that say otherwise meanwhile, and then say it again, of a later day."""
    memory = Memory()
    memory.hear(1, lives("Porto", 1), at=NOON)
    memory.hear(2, lives("Porto", 2), at=NOON + 2 * DAY)
    memory.hear(1, lives("Faro", 1), at=NOON + DAY, revision=2)
    memory.hear(3, lives("Bergen", 3), at=NOON + 8 * DAY)
    memory.hear(1, lives("Porto", 1), at=NOON + 9 * DAY, revision=2)
    (now,) = (each for each in memory.believed.facts.values() if each.believed and each.valid_to is None)
    links = {(each.from_id, each.to_id) for each in memory.believed.links if each.kind == "supersedes"}
    assert (now.object, now.fact_id in {to for _, to in links}) == ("Porto", False)


@pytest.mark.conforms("model:slots")
def test_a_part_that_an_undone_merge_had_split_off_comes_back_to_whom_it_is_about() -> None:
    memory = Memory()
    memory.hear(9, sightings=tuple(Sighting("person", who, 0.9, who, 9) for who in ("Zoe", "Zora")))

    def hear(key: int, who: str, place: str, day: int) -> None:
        words = f"{who} lives in {place}"
        memory.hear(key, says(words, key, subject=who, predicate="lives_in", object=place), at=NOON + day * DAY)

    hear(1, "Zoe", "Porto", 4)
    hear(2, "Zora", "Faro", 2)
    hear(3, "Zora", "Faro", 9)
    zoe, zora = (memory.fact(f"{who} lives in {at}").subject_id for who, at in (("Zoe", "Porto"), ("Zora", "Faro")))
    memory.turn(
        c.Undo(command_id="undo", done=memory.turn(c.MergeEntities(command_id="merge", winner_id=zoe, loser_id=zora)))
    )
    hear(4, "Zora", "Bergen", 7)
    about = {each.subject_id for each in memory.believed.facts.values() if each.object in ("Faro", "Bergen")}
    assert about == {zora}
