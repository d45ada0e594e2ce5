"""Overviews: many sides of somebody, in the second person for the owner, and a time in its order."""

from __future__ import annotations

from dataclasses import replace

from memory.model.shown_times import Day
from memory.model.timeline import DAY_S, Interval
from memory.services.answer import Findings, compose
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from memory.services.overview import (
    MOST_ALIKE,
    MOST_FACTS,
    MOST_QUOTED,
    MOST_STORYLINES,
    Overview,
    StorylineLine,
    ToldStoryline,
    changed,
    company,
    going_on,
    headline,
    telling,
)


def fact(number: int, predicate: str, statement: str = "Maya is.") -> KnownFact:
    return KnownFact(f"f{number}", statement, 0.0, predicate=predicate)


def test_few_facts_of_a_kind_are_told() -> None:
    many = [fact(number, "likes") for number in range(9)] + [fact(number, f"p{number}") for number in range(20)]
    told = telling(many)
    assert len(told) == MOST_FACTS
    assert sum(each.predicate == "likes" for each in told) == MOST_ALIKE
    assert told == sorted(told, key=many.index), "the weightiest stay first"


def test_what_somebody_was_told_is_no_side_of_them() -> None:
    assert telling([fact(1, "answered"), fact(2, "lives_in")]) == [fact(2, "lives_in")]


def test_the_owner_is_told_in_the_second_person_and_each_fact_where_it_was_said() -> None:
    said = SegmentHit("I live in Lisbon.", "Maya", 1_772_000_000.0, 0, "march", "1")
    facts = ((fact(1, "lives_in", "Maya lives in Lisbon"), said), (fact(2, "likes", "Maya likes tea"), None))
    overview = Overview("What I know about you:", facts)
    answer = compose(Findings("What do you know about me?", [], overview=overview, owner="Maya"))
    assert answer.text.splitlines() == [
        "What I know about you:",
        "You live in Lisbon - 25 February 2026 [march/1]",
        "You like tea",
    ]
    assert [(each.number, each.source_id, each.segment_id) for each in answer.citations] == [(1, "march", "1")]


def test_a_time_is_quoted_and_cited() -> None:
    said = SegmentHit("The launch moved.", "Priya", 0.0, 0, "s", "1")
    answer = compose(Findings("What happened today?", [], overview=Overview("1 January 1970:", quoted=(said,))))
    assert answer.text == '1 January 1970:\n"The launch moved." - Priya, 1 January 1970 [s/1]'
    assert len(answer.citations) == 1


def test_words_that_two_facts_rest_on_are_cited_once() -> None:
    said = SegmentHit("I live in Lisbon with Tom.", "Maya", 0.0, 0, "s", "1")
    overview = Overview("", ((fact(1, "lives_in"), said), (fact(2, "lives_with"), said)), (said,))
    assert overview.cited == (said,)


def test_a_headline_tells_days_sessions_and_company() -> None:
    week = Interval(0.0, 7 * DAY_S)
    assert headline(Day(4, [], [], []), week, ["Ravi", "Tom"], 0) == (
        "1 January 1970 to 7 January 1970: 4 sessions, with Ravi and Tom."
    )
    assert headline(Day(1, [], [], []), Interval(0.0, DAY_S), [], 0) == "1 January 1970: 1 session."
    assert company(["A"]) == ", with A"
    assert company(["A", "B", "C", "D", "E", "F"]) == ", with A, B, C, D and E"


def test_a_change_is_told_with_what_was_so_before_and_an_end_as_an_end() -> None:
    porto = KnownFact("f1", "Maya lives in Porto", 0.0, 9.0, "superseded", predicate="lives_in")
    lisbon = KnownFact("f2", "Maya lives in Lisbon", 5 * DAY_S, predicate="lives_in")
    told = changed(lisbon, porto, 0)
    assert (told.fact_id, told.statement) == ("f2", "Maya lives in Lisbon (since 6 January 1970; before: Porto)")
    over = Overview("Changed:", ((told, None), (porto, None)))
    answer = compose(Findings("What has changed?", [], overview=over, owner="Maya"))
    assert answer.text.splitlines()[1:] == [
        "You live in Lisbon (since 6 January 1970; before: Porto)",
        "No longer: You live in Porto",
    ]


def said(number: int, text: str, speaker: str = "Maya") -> StorylineLine:
    hit = SegmentHit(text, speaker, number * DAY_S, 0, "s", str(number))
    return StorylineLine(f'{speaker}: "{text}"', (hit,))


def storyline(*lines: StorylineLine, **more: object) -> ToldStoryline:
    told = ToldStoryline("s-1", "Tom", DAY_S, 4 * DAY_S, lines=lines)
    return replace(told, **more)  # type: ignore[arg-type]


def test_of_a_time_the_lines_said_in_it_are_told_or_the_last_of_what_closed_in_it() -> None:
    lines = [said(number, f"Tom came on day {number}.") for number in (1, 2, 4)]
    [told] = going_on([storyline(*lines)], Interval(2 * DAY_S, 4 * DAY_S))
    assert told.lines == (lines[1],), "the end of a time is not in it"
    closed = storyline(*lines, closed_at=90 * DAY_S)
    assert going_on([closed], Interval(80 * DAY_S, 90 * DAY_S)) == ()
    assert going_on([closed], Interval(90 * DAY_S, 99 * DAY_S))[0].lines == (lines[2],)
    assert going_on([storyline(*lines)], Interval(90 * DAY_S, 99 * DAY_S)) == ()


def test_what_is_quoted_already_is_not_told_again() -> None:
    lines = [said(number, f"Tom came on day {number}.") for number in (1, 2)]
    assert going_on([storyline(*lines)], besides={("s", "1")})[0].lines == (lines[1],)
    assert going_on([storyline(*lines)], besides={("s", "1"), ("s", "2")}) == ()
    assert len(going_on([storyline(*lines), storyline(lines[0])])) == 1, "two people, and the same words"


def test_few_storylines_and_the_last_of_their_lines_are_told() -> None:
    short = [storyline(said(each, "One.")) for each in range(9)]
    assert len(going_on(short)) == MOST_STORYLINES
    long = [said(number, f"Tom came on day {number}.") for number in range(1, 5)]
    more = [said(number, f"Tom left on day {number}.") for number in range(11, 15)]
    first, second = going_on([storyline(*long), storyline(*more), storyline(said(20, "Twenty."))])
    assert (first.lines, second.lines) == (tuple(long), tuple(more[2:]))
    assert len(first.lines) + len(second.lines) == MOST_QUOTED
    assert going_on([storyline()]) == (), "without a line there is nothing to tell"


def test_storylines_are_told_and_cited_and_their_owner_is_you() -> None:
    own, other = said(1, "Tom has found a boat."), said(2, "Maya is late.", "Tom")
    overview = Overview("What I know about Tom:", storylines=(storyline(own, other),))
    answer = compose(Findings("Tell me about Tom", [], overview=overview, owner="Maya"))
    assert answer.text.splitlines() == [
        "What I know about Tom:",
        "Around Tom, 2 January 1970 to 5 January 1970:",
        'You: "Tom has found a boat." - 2 January 1970 [s/1]',
        'Tom: "Maya is late." - 3 January 1970 [s/2]',
    ]
    assert [each.segment_id for each in answer.citations] == ["1", "2"]
    by_name = compose(Findings("Tell me about Maya", [], overview=overview, owner="Maya"))
    assert 'Maya: "Tom has found a boat."' in by_name.text


def test_what_a_model_wrote_of_a_storyline_is_told_to_its_owner_with_all_it_rests_on() -> None:
    hits = (*said(1, "Tom has found a boat.").said, *said(2, "We sailed.").said)
    line = StorylineLine("Maya sails with Tom.", hits)
    overview = Overview("", storylines=(storyline(line, generated=True, closed_at=95 * DAY_S),))
    answer = compose(Findings("Tell me about Tom", [], overview=overview, owner="Maya"))
    assert answer.text.splitlines()[1:] == [
        "Around Tom, 2 January 1970 to 5 January 1970, nothing since:",
        "You sail with Tom. - 2 January 1970 [s/1], 3 January 1970 [s/2]",
    ]


def test_a_line_of_a_summary_cannot_cite() -> None:
    line = StorylineLine('Tom: "Come." - 1 May 1970 [s/9]', said(1, "Come.").said)
    answer = compose(Findings("Tell me about Tom", [], overview=Overview("", storylines=(storyline(line),))))
    assert "[s/9]" not in answer.text
