"""At the very bounds of the rules of a slot: the moment at which one thing ends and another begins."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from memory.model.claims import Claim
from memory.model.facts import Evidence, Fact, Link
from memory.model.ids import fact_id
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft, assemble
from memory.rules.parameters import Revision
from memory.rules.rivals import Resemblance
from memory.rules.slots import chain_of, place_of, settle, slot_of, split_at, unfollow, unlink
from memory.rules.turn import TurnState
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_taken_back import days


def stays(memory: Memory, place: str) -> list[tuple[float, float | None, float]]:
    """Since when, until when (in days) and how surely she is believed to have lived or worked there."""
    held = (each for each in memory.believed.facts.values() if each.predicate in ("lives_in", "works_at"))
    facts = [each for each in held if each.object == place and each.polarity and each.believed]
    days = [((each.valid_from - NOON) / DAY, each.valid_to, each.confidence) for each in facts]
    return sorted((began, None if end is None else (end - NOON) / DAY, sure) for began, end, sure in days)


def stayed(place: str, key: int, until: float) -> Claim:
    return lives(place, key, valid_from=NOON, valid_to=NOON + until * DAY)


@pytest.mark.conforms("model:slots")
@pytest.mark.parametrize(
    ("again", "expected"),
    [
        (3, [(0, 5, 0.7)]),
        (5, [(0, 5, 0.6), (5, None, 0.6)]),
        (8, [(0, 5, 0.6), (8, None, 0.6)]),
    ],
)
def test_words_join_a_stay_while_it_lasts_and_begin_another_from_the_moment_it_is_over(
    again: int, expected: list[tuple[float, float | None, float]]
) -> None:
    memory = Memory()
    memory.hear(1, stayed("Porto", 1, until=5))
    memory.hear(2, lives("Porto", 2), at=NOON + again * DAY)
    assert stays(memory, "Porto") == expected


@pytest.mark.conforms("model:slots", "model:late")
def test_a_stay_that_was_over_before_the_next_began_is_not_longer_for_words_in_between() -> None:
    memory = Memory()
    memory.hear(1, stayed("Porto", 1, until=5))
    memory.hear(2, lives("Lisbon", 2), at=NOON + 10 * DAY)
    memory.hear(3, lives("Porto", 3), at=NOON + 7 * DAY)
    assert stays(memory, "Porto") == [(0, 5, 0.6), (7, 10, 0.6)]


@pytest.mark.conforms("model:slots", "model:order")
def test_words_for_the_moment_at_which_another_value_took_its_place_join_the_stay_before() -> None:
    """Faro stands before Lisbon in the order of one moment, so that it still held when Lisbon began."""
    memory = Memory()
    memory.hear(1, lives("Faro", 1), at=NOON)
    memory.hear(2, lives("Lisbon", 2), at=NOON + 5 * DAY)
    memory.hear(3, lives("Faro", 3), at=NOON + 5 * DAY)
    assert (stays(memory, "Faro"), stays(memory, "Lisbon")) == ([(0, 5, 0.7)], [(5, None, 0.6)])


@pytest.mark.conforms("model:slots")
@pytest.mark.parametrize(
    ("day", "before", "after"),
    [(-1, None, "Porto"), (0, "Porto", "Porto"), (2, "Porto", "Porto"), (4, "Porto", "Lisbon"), (9, "Lisbon", None)],
)
def test_words_fall_after_what_was_asserted_up_to_their_very_moment(
    day: int, before: str | None, after: str | None
) -> None:
    """She was said to live in Porto on day 0 and day 4, and in Lisbon from day 5 on."""
    memory, days = Memory(), {1: ("Porto", 0), 2: ("Porto", 4), 3: ("Lisbon", 5)}
    for key, (home, told) in days.items():
        memory.hear(key, lives(home, key), at=NOON + told * DAY)
    draft, porto = Draft(memory.believed), memory.fact("Maya lives in Porto")
    chain = chain_of(draft, porto.subject_id, slot_of(porto), porto.sensitivity)
    place = place_of(draft, chain, NOON + day * DAY, lives("Porto"))
    assert (place.before and place.before.object, place.after and place.after.object) == (before, after)


@pytest.mark.conforms("model:slots", "model:change")
def test_what_ended_long_ago_is_not_ended_again_by_a_third_value() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto", 1), at=NOON)
    memory.hear(2, lives("Lisbon", 2), at=NOON + 5 * DAY)
    before, lisbon = memory.fact("Maya lives in Porto"), memory.fact("Maya lives in Lisbon")
    told = memory.hear(3, lives("Faro", 3), at=NOON + 9 * DAY)
    assert told.outcomes[-1].rivals == (lisbon.fact_id,)
    assert memory.fact("Maya lives in Porto") == before


def works(at: str, key: int) -> Claim:
    return says(f"Maya works at {at}", key, predicate="works_at", object=at)


@pytest.mark.conforms("model:slots", "model:late")
def test_who_left_and_came_back_was_gone_until_the_next_job_though_all_of_it_is_told_late() -> None:
    memory = Memory()
    memory.hear(1, works("Acme", 1), at=NOON)
    memory.hear(2, works("Acme", 2), at=NOON + 20 * DAY)
    memory.hear(3, says("Maya left Acme", 3, predicate="left_job", object="Acme"), at=NOON + 5 * DAY)
    memory.hear(4, works("Initech", 4), at=NOON + 10 * DAY)
    assert stays(memory, "Acme") == [(0, 5, 0.6), (20, None, 0.6)]
    assert stays(memory, "Initech") == [(10, 20, 0.6)]


@pytest.mark.conforms("model:slots", "model:late")
def test_who_left_on_the_day_of_the_last_words_does_not_work_there_after_a_split() -> None:
    memory = Memory()
    memory.hear(1, works("Acme", 1), at=NOON)
    memory.hear(2, works("Acme", 2), at=NOON + 20 * DAY)
    memory.hear(3, says("Maya left Acme", 3, predicate="left_job", object="Acme"), at=NOON + 20 * DAY)
    memory.hear(4, works("Initech", 4), at=NOON + 10 * DAY)
    assert stays(memory, "Acme") == [(0, 10, 0.6), (20, 20, 0.6)]


def supersessions(memory: Memory) -> set[tuple[str, str]]:
    return {(each.from_id, each.to_id) for each in memory.believed.links if each.kind == "supersedes"}


@pytest.mark.conforms("model:slots", "model:late")
@pytest.mark.parametrize("first", [1, 3])
def test_a_split_adds_the_links_of_its_parts_and_no_others(first: int) -> None:
    """What ended the whole, an event as well, has ended the later part; what the whole had followed, the earlier."""
    memory, days = Memory(), {1: 0, 2: 2, 3: 20}
    for key in (first, *(each for each in days if each != first)):
        memory.hear(key, works("Acme", key), at=NOON + days[key] * DAY)
    memory.hear(4, works("Umbra", 4), at=NOON - 9 * DAY)
    memory.hear(5, says("Maya left Acme", 5, predicate="left_job", object="Acme"), at=NOON + 30 * DAY)
    before = supersessions(memory)
    memory.hear(6, works("Initech", 6), at=NOON + 10 * DAY)
    umbra, early, initech, late, left = sorted(memory.believed.facts.values(), key=lambda each: each.valid_from)
    chain = [(early, umbra), (initech, early), (late, initech), (left, late)]
    assert supersessions(memory) == before | {(one.fact_id, other.fact_id) for one, other in chain}


@pytest.mark.conforms("model:slots", "model:order")
@pytest.mark.parametrize(("heard", "named"), [((1, 7, 3), (1, 3)), ((3, 2, 1), (1, 3)), ((2, 1, 7, 3), (2, 3))])
def test_a_part_that_leaves_is_named_by_its_first_words_and_one_that_stays_keeps_its_name(
    heard: tuple[int, ...], named: tuple[int, int]
) -> None:
    memory, days = Memory(), {1: 0, 2: 2, 3: 20, 7: 25}
    for key in heard:
        memory.hear(key, lives("Porto", key), at=NOON + days[key] * DAY)
    memory.hear(6, lives("Lisbon", 6), at=NOON + 10 * DAY)
    parts = sorted((each.valid_from, each.fact_id) for each in memory.believed.facts.values() if each.object == "Porto")
    assert [identity for _, identity in parts] == [
        fact_id("u", f"s{key}/{key}", "Maya lives in Porto") for key in named
    ]


@pytest.mark.conforms("model:order", "model:late")
@pytest.mark.parametrize(("again", "over"), [(0.5, True), (3, False)])
def test_a_liking_that_is_told_of_another_day_is_ended_by_an_event_only_if_that_came_after(
    again: float, over: bool
) -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"))
    memory.hear(2, says("Maya gave up chess", 2, predicate="stopped", object="chess"), at=NOON + DAY)
    assert len(supersessions(memory)) == 1
    likes = says("Maya likes chess", predicate="likes", object="chess")
    memory.hear(1, likes, at=NOON + again * DAY, revision=2)
    assert (len(supersessions(memory)), memory.fact("Maya likes chess").status) == (
        (1, "superseded") if over else (0, "active")
    )


@pytest.mark.conforms("model:slots")
def test_an_event_settles_the_slots_it_speaks_of_among_thousands() -> None:
    """Of two thousand preferences one is for coffee: the others are looked at once, not each for every other."""
    facts = [
        Fact(
            f"f{place}",
            1,
            "maya",
            f"Maya prefers {what}",
            "preference",
            5,
            0.6,
            NOON + place,
            NOON,
            predicate="prefers",
            object=what,
            slot=slot,
        )
        for place, (what, slot) in enumerate([("flat whites", "coffee"), *((f"a{n}", f"s{n}") for n in range(2000))])
    ]
    event = replace(
        facts[0],
        fact_id="event",
        statement="Maya switched to espresso",
        predicate="switched_to",
        object="espresso",
        slot=None,
        valid_from=NOON + DAY,
    )
    turn = TurnState(Draft(assemble("u", 1, Profile(), [*facts, event])), NOON + 2 * DAY, Revision(), Resemblance())
    began = time.process_time()
    assert settle(turn, event) == ("f0",)
    assert time.process_time() - began < 2


@pytest.mark.conforms("model:slots", "model:events")
@pytest.mark.parametrize(("day", "level", "stays"), [(3, 0, False), (4, 0, True), (5, 0, True), (3, 1, True)])
def test_what_began_before_a_fact_is_none_that_it_gave_way_to(day: int, level: int, stays: bool) -> None:
    """Words of another sensitivity are put in line by themselves (`memory.rules.across`)."""
    porto = Fact(
        "porto",
        1,
        "maya",
        "Maya lives in Porto",
        "factual",
        5,
        0.6,
        NOON + 4 * DAY,
        NOON,
        predicate="lives_in",
        object="Porto",
    )
    newer = replace(porto, fact_id="newer", valid_from=NOON + day * DAY, sensitivity=Sensitivity(level))
    older = replace(porto, fact_id="older", valid_from=NOON)
    links = {Link("supersedes", "newer", "porto"), Link("supersedes", "porto", "older")}
    draft = Draft(assemble("u", 1, Profile(), [porto, newer, older, *links]))
    unfollow(draft, porto)
    assert draft.links == (links if stays else {Link("supersedes", "porto", "older")})


@pytest.mark.conforms("model:slots", "model:late")
@pytest.mark.parametrize(
    ("end", "early", "late"),
    [
        (None, (0, 20, "superseded"), (20, None, "superseded")),
        (25, (0, 20, "superseded"), (20, 25, "superseded")),
        (20, (0, 20, "superseded"), (20, 20, "superseded")),
        (3, (0, 3, "superseded"), (20, None, "active")),
    ],
)
def test_an_end_before_the_later_words_is_that_of_the_part_before(
    end: float | None, early: tuple[float, float, str], late: tuple[float, float | None, str]
) -> None:
    """She said on day 0 and on day 20 that she lives in Porto, and of day 10 that it was Lisbon."""
    ends = None if end is None else NOON + end * DAY
    porto = Fact(
        "porto",
        1,
        "maya",
        "Maya lives in Porto",
        "factual",
        5,
        0.6,
        NOON,
        NOON,
        predicate="lives_in",
        object="Porto",
        valid_to=ends,
        status="superseded",
    )
    heard = [Evidence("porto", f"s{day}", day + 1, "I live in Porto", NOON + day * DAY) for day in (0, 20)]
    draft = Draft(assemble("u", 1, Profile(), [porto, *heard]))
    split_at(draft, porto, (NOON + 10 * DAY, ("lisbon",), True), NOON + 30 * DAY, Revision())
    parts = sorted(draft.facts.values(), key=lambda each: each.valid_from)
    assert [days(each) for each in parts] == [(status, began, over) for began, over, status in (early, late)]


@pytest.mark.conforms("model:slots", "model:late")
@pytest.mark.parametrize(
    ("predicate", "day", "stays"),
    [("likes", 3, False), ("likes", 9, True), ("lives_in", 3, False), ("lives_in", 9, False)],
)
def test_what_begins_anew_gave_way_to_what_comes_later_unless_its_slot_finds_that_anew(
    predicate: str, day: int, stays: bool
) -> None:
    fact = Fact("old", 1, "maya", "Maya ...", "factual", 5, 0.6, NOON, NOON, predicate=predicate, object="Porto")
    newer = replace(fact, fact_id="newer", valid_from=NOON + day * DAY)
    draft = Draft(assemble("u", 1, Profile(), [fact, newer, Link("supersedes", "newer", "old")]))
    unlink(draft, fact, NOON + 4 * DAY)
    assert bool(draft.links) is stays
