"""A pattern quotes what supports it, stays while that stands, and goes when any of it goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory.model.communities import Community, Pattern
from memory.model.scopes import Sensitivity
from memory.rules.parameters import Communities
from memory.rules.patterns import PatternPlan, plan_patterns
from memory.rules.ties import Ties
from tests.unit.rules.lives_of_ties import entities, fact, named, said, ties

RULES = Communities()
CIRCLE = Community("g", Sensitivity.OPEN, ("a", "b", "c"), ("a", "b", "c"), ("a", "b", "c"))
PEOPLE = (entities("abcx"), entities("o", is_owner=True))


def told(identity: str, subject: str, object_: str | None, *when: tuple[str, float], **more: object) -> list[object]:
    """A fact and its sources, each with its day."""
    return [fact(identity, subject, object_, **more), *(said(identity, source, day) for source, day in when)]


FACTS = [
    *told("f1", "a", "b", ("s1", 0), ("s4", 40)),
    *told("f2", "o", "c", ("s2", 10)),
    *told("f3", "b", "o", ("s3", 31)),
]
TALK = [each for day, who in enumerate(("ab", "bc", "ac", "ab", "abc"), 1) for each in named(day, *who, day=8 * day)]


def plan(found: Ties, standing: Sequence[Pattern] = (), communities: Sequence[Community] = (CIRCLE,)) -> PatternPlan:
    return plan_patterns("u", found, communities, standing, Sensitivity.OPEN, RULES)


@pytest.mark.conforms("model:patterns")
def test_three_facts_of_three_sources_over_a_month_show_a_pattern() -> None:
    [found] = plan(ties(*PEOPLE, FACTS)).made
    assert found.facts == ("f1", "f2", "f3"), "in the order in which they were said"
    assert (found.segments, found.community_id, found.level) == ((), "g", Sensitivity.OPEN)
    assert found.about == ("a", "b", "c")


@pytest.mark.conforms("model:patterns")
@pytest.mark.parametrize(
    "fewer",
    [
        FACTS[:3] + told("f2", "o", "c", ("s2", 10)),
        told("f1", "a", "b", ("s1", 0)) + told("f2", "o", "c", ("s1", 10)) + told("f3", "b", "o", ("s2", 31)),
        told("f1", "a", "b", ("s1", 0)) + told("f2", "o", "c", ("s2", 10)) + told("f3", "b", "o", ("s3", 29.9)),
        FACTS[:5] + told("f3", "b", "o", ("s3", 31), status="invalidated"),
        FACTS[:5] + told("f3", "b", "x", ("s3", 31)),
        FACTS[:5] + told("f3", "x", "o", ("s3", 31)),
        FACTS[:5] + told("f3", "x", "b", ("s3", 31)),
    ],
    ids=[
        "two facts",
        "two sources",
        "not a month",
        "one taken back",
        "one of somebody else too",
        "one of others alone",
        "one that somebody else says of them",
    ],
)
def test_less_shows_none(fewer: list[object]) -> None:
    assert plan(ties(*PEOPLE, fewer)) == PatternPlan()


@pytest.mark.conforms("model:patterns")
def test_five_segments_that_name_two_members_do_where_facts_are_few() -> None:
    [found] = plan(ties(*PEOPLE, TALK)).made
    assert (found.facts, found.segments, found.about) == ((), (1, 2, 3, 4, 5), ("a", "b", "c"))
    four = [each for day in (8, 20, 30, 40) for each in named(day, "a", "b", day=day)]
    assert plan(ties(*PEOPLE, four)) == PatternPlan(), "four are too few, though they are of a month"
    assert plan(ties(*PEOPLE, four, named(50, "a", "b", day=50))).made
    alone = [each for segment in range(1, 9) for each in named(segment, "a", "x", day=8 * segment)]
    assert plan(ties(*PEOPLE, alone)) == PatternPlan(), "named with nobody of theirs"


@pytest.mark.conforms("model:patterns")
def test_it_stays_word_for_word_when_more_of_the_same_is_said() -> None:
    [first] = plan(ties(*PEOPLE, FACTS)).made
    more = told("f0", "a", "c", ("s7", 60), ("s8", 61), ("s9", 62), confidence=1.0)
    assert plan(ties(*PEOPLE, FACTS, more, TALK), [first]) == PatternPlan(kept=(first,))
    grown = replace(CIRCLE, members=("c", "x", "b", "a"))
    assert plan(ties(*PEOPLE, FACTS), [first], [grown]).kept == (first,)


@pytest.mark.conforms("model:patterns")
def test_it_goes_when_a_support_goes_and_another_may_come_of_what_is_left() -> None:
    [first] = plan(ties(*PEOPLE, FACTS)).made
    without = FACTS[:5]
    assert plan(ties(*PEOPLE, without), [first]) == PatternPlan(withdrawn=(first.pattern_id,))
    other = told("f4", "c", "a", ("s9", 90))
    found = plan(ties(*PEOPLE, without, other), [first])
    assert [each.facts for each in found.made] == [("f1", "f2", "f4")]
    assert found.withdrawn == (first.pattern_id,)
    [talked] = plan(ties(*PEOPLE, TALK)).made
    assert plan(ties(*PEOPLE, TALK[2:]), [talked]).withdrawn == (talked.pattern_id,), "a segment was forgotten"


@pytest.mark.conforms("model:patterns")
def test_it_goes_with_its_community_and_with_whom_it_is_about() -> None:
    [first] = plan(ties(*PEOPLE, FACTS)).made
    assert plan(ties(*PEOPLE, FACTS), [first], []) == PatternPlan(withdrawn=(first.pattern_id,))
    without_c = replace(CIRCLE, members=("a", "b", "x"))
    assert plan(ties(*PEOPLE, FACTS), [first], [without_c]).withdrawn == (first.pattern_id,)


@pytest.mark.conforms("model:patterns")
def test_facts_whose_dates_are_taken_back_do_not_carry_it_any_more() -> None:
    """All that is quoted is still believed, but was said within three weeks: forgetting took the rest."""
    [first] = plan(ties(*PEOPLE, FACTS)).made
    close = told("f1", "a", "b", ("s1", 10)) + told("f2", "o", "c", ("s2", 11)) + told("f3", "b", "o", ("s3", 31))
    assert plan(ties(*PEOPLE, close), [first]).withdrawn == (first.pattern_id,)


@pytest.mark.conforms("model:patterns")
def test_of_much_it_quotes_the_first_and_the_last_and_what_most_sources_say() -> None:
    rows: list[object] = []
    for number in range(20):
        rows += told(f"f{number:02}", "a", "b", (f"s{number}", 3.0 * number))
    rows += told("often", "a", "c", *((f"t{each}", 20.0 + each) for each in range(6)))
    [found] = plan(ties(*PEOPLE, rows)).made
    assert len(found.facts) == RULES.quoted
    assert {"f00", "f19", "often"} <= set(found.facts)
    assert plan(ties(*PEOPLE, rows), [found]).kept == (found,), "what it quotes is enough by itself"


@pytest.mark.conforms("model:patterns")
def test_three_sources_and_thirty_days_are_just_enough() -> None:
    just = told("f1", "a", "b", ("s1", 0)) + told("f2", "o", "c", ("s2", 10)) + told("f3", "b", "o", ("s3", 30))
    [found] = plan(ties(*PEOPLE, just)).made
    assert plan(ties(*PEOPLE, just), [found]).kept == (found,)


@pytest.mark.conforms("model:patterns")
def test_it_goes_with_any_of_four_though_three_would_be_enough() -> None:
    four = FACTS + told("f4", "a", "c", ("s5", 35))
    [first] = plan(ties(*PEOPLE, four)).made
    assert first.facts == ("f1", "f2", "f3", "f4")
    taken_back = FACTS + told("f4", "a", "c", ("s5", 35), status="invalidated")
    of_others = FACTS + told("f4", "a", "x", ("s5", 35))
    for fewer in (taken_back, of_others):
        assert plan(ties(*PEOPLE, fewer), [first]).withdrawn == (first.pattern_id,)


@pytest.mark.conforms("model:patterns")
def test_other_sources_are_quoted_before_more_of_the_same() -> None:
    ends = told("first", "a", "b", ("s0", 0)) + told("last", "a", "b", ("s9", 60))
    same = [row for day in (1, 2, 3) for row in told(f"same{day}", "a", "b", ("s0", day))]
    others = told("one", "a", "b", ("s1", 40)) + told("other", "a", "b", ("s2", 41))
    [found] = plan(ties(*PEOPLE, ends, same, others)).made
    assert found.facts == ("first", "same1", "one", "other", "last")


@pytest.mark.conforms("model:patterns")
def test_a_source_that_says_it_often_says_it_once() -> None:
    rows = [row for number in range(9) for row in told(f"f{number}", "a", "b", (f"s{number}", 5.0 * number))]
    loud = told("loud", "a", "b", *[("loud", 20.0)] * 6)
    often = told("often", "a", "b", *((f"t{day}", 30.0 + day) for day in range(3)))
    [found] = plan(ties(*PEOPLE, rows, loud, often)).made
    assert found.facts == ("f0", "f1", "f2", "often", "f8")


@pytest.mark.conforms("model:patterns")
def test_it_is_about_those_who_are_quoted_of_alone() -> None:
    rows = told("f1", "a", "b", ("s1", 0)) + told("f2", "o", "b", ("s2", 10)) + told("f3", "b", "o", ("s3", 31))
    [found] = plan(ties(entities("abc"), entities("o", is_owner=True), rows)).made
    assert found.about == ("a", "b")


@pytest.mark.conforms("model:patterns")
def test_the_same_facts_give_the_same_pattern_in_any_order() -> None:
    [one], [other] = plan(ties(*PEOPLE, FACTS)).made, plan(ties(*PEOPLE, FACTS[::-1])).made
    assert one == other


@pytest.mark.conforms("model:patterns")
def test_one_pattern_a_community() -> None:
    [first] = plan(ties(*PEOPLE, FACTS)).made
    second = replace(first, pattern_id="z", facts=("f1", "f3", "f2"))
    found = plan(ties(*PEOPLE, FACTS), [second, first])
    assert (found.kept, found.withdrawn) == ((first,), ("z",))
    assert plan(ties()) == PatternPlan()
