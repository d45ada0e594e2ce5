"""Days are told by the clock of their own moment: in Berlin clocks change on 29 March and 25 October 2026."""

from __future__ import annotations

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest

from memory.model.shown_times import Day
from memory.model.timeline import Interval
from memory.services.answer import Findings, compose, prompt_of
from memory.services.best_fact import BestFact
from memory.services.context import SurroundingFact, context_of
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from memory.services.overview import Overview, StorylineLine, ToldStoryline, changed, headline
from memory.services.zones import clock_there

BERLIN = ZoneInfo("Europe/Berlin")
TOKYO = ZoneInfo("Asia/Tokyo")
SIDES = [("2026-10-20", "2026-11-02T12:00", "20 October 2026"), ("2026-03-20", "2026-04-02T12:00", "20 March 2026")]
SIDES += [("2026-11-01", "2026-05-02T12:00", "November 2026"), ("2026-03-01", "2026-05-02T12:00", "March 2026")]
"""Since when, when that was said, and how the day is called."""


def at(text: str, zone: tzinfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def hit(when: str, zone: tzinfo = BERLIN) -> SegmentHit:
    offset = datetime.fromisoformat(when).replace(tzinfo=zone).utcoffset()
    assert offset is not None
    return SegmentHit("I live in Halle.", "Nina", at(when, zone), int(offset.total_seconds()), "s1", "1", ("f2",))


def moved(since: float) -> list[KnownFact]:
    halle = "Nina lives in Halle"
    gone = KnownFact("f1", "Nina lives in Leipzig", 0.0, since, "superseded", halle, predicate="lives_in")
    return [KnownFact("f2", halle, since, predicate="lives_in"), gone]


def test_home_tells_the_time_where_its_clocks_showed_the_same() -> None:
    assert clock_there(BERLIN, at("2026-10-20T12:00"), 7200) is BERLIN
    assert clock_there(BERLIN, at("2026-11-02T12:00"), 7200) == 7200
    assert clock_there(BERLIN, at("2026-11-02T12:00"), 3600) is BERLIN


@pytest.mark.parametrize(("since", "said", "day"), SIDES)
def test_an_answer_tells_since_when_by_the_clock_of_then(since: str, said: str, day: str) -> None:
    now, before = moved(at(since))
    lead = BestFact(now, now, whole=True, affirms=True, open=True)
    found = Findings("Where does Nina live?", [hit(said)], [now, before], lead=lead, home=BERLIN)
    assert compose(found).text.splitlines()[0] == f"Nina lives in Halle (since {day}; before: Leipzig)"


@pytest.mark.parametrize(("since", "said", "day"), SIDES)
def test_a_model_and_a_context_are_told_the_same(since: str, said: str, day: str) -> None:
    facts, line = moved(at(since)), f"Nina lives in Halle (since {day}; before: Leipzig)"
    assert line in prompt_of("Where does Nina live?", [hit(said)], facts, home=BERLIN)
    notes = [SurroundingFact(each, "Nina", "person") for each in facts]
    assert f"- {line} [1]" in context_of([hit(said)], notes, [], 1000, home=BERLIN).text
    of_her = "- Nina (person): lives in Halle (since"
    assert f"{of_her} {day}; before: Leipzig)" in context_of([], notes, [], 1000, home=BERLIN).text


def test_what_was_counted_on_a_journey_is_told_as_it_was_counted() -> None:
    facts = moved(at("2026-10-20", TOKYO))
    lead = BestFact(facts[0], facts[0], whole=True, affirms=True, open=True)
    found = Findings("?", [hit("2026-11-02T12:00", TOKYO)], facts, lead=lead, home=BERLIN)
    assert "(since 20 October 2026;" in compose(found).text


def test_what_was_told_by_a_command_was_said_on_a_day_of_home() -> None:
    fact = KnownFact("f2", "Nina lives in Halle", None, told_at=at("2026-10-21T00:30"))
    found = Findings("?", [], [fact], lead=BestFact(fact, fact, whole=True, affirms=True, open=True), home=BERLIN)
    assert compose(found).text.splitlines()[1] == "You said so on 21 October 2026"


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [("2026-10-20", "2026-11-03", "20 October 2026 to 2 November 2026"), ("2026-03-31", "2026-04-01", "31 March 2026")],
)
def test_an_overview_tells_the_days_it_is_of(first: str, last: str, days: str) -> None:
    span = Interval(at(first), at(last))
    assert headline(Day(2, [], [], []), span, [], BERLIN) == f"{days}: 2 sessions."
    story = ToldStoryline("l1", "Tom", at(first), at(last) - 1, lines=(StorylineLine("Tom left.", ()),))
    assert story.lead(BERLIN) == f"Around Tom, {days}:"
    told = compose(Findings("?", [], overview=Overview("Then:", storylines=(story,), clock=BERLIN)))
    assert told.text.splitlines()[1] == f"Around Tom, {days}:"


@pytest.mark.parametrize(("since", "said", "day"), SIDES)
def test_an_overview_of_changes_tells_since_when(since: str, said: str, day: str) -> None:
    now, before = moved(at(since))
    assert changed(now, before, BERLIN).statement == f"Nina lives in Halle (since {day}; before: Leipzig)"
