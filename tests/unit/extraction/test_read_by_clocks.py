"""What is read of words about the other side of a change of clocks: in Berlin on 29 March and 25 October 2026."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from adapters.extraction.rules import read
from memory.model.claims import Reading, Utterance
from memory.rules.promises import due_of

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def said(text: str, when: str, language: str = "en") -> Reading:
    offset = datetime.fromisoformat(when).replace(tzinfo=BERLIN).utcoffset()
    assert offset is not None
    own = Utterance("s", "1", 1, 1, "Ana", text, at(when), int(offset.total_seconds()), "user", language, ("Ben",))
    return read([replace(own, zone=BERLIN)])


def due(reading: Reading) -> list[float | None]:
    return [due_of(each.properties) for each in reading.sightings if each.type == "promise"]


@pytest.mark.parametrize(
    ("text", "language", "when", "end"),
    [
        ("I'll send you the report by 31 October, I promise.", "en", "2026-10-20T12:00", "2026-11-01"),
        ("I'll send you the report by 31 March, I promise.", "en", "2026-03-20T12:00", "2026-04-01"),
        ("Ich schicke dir den Bericht bis zum 31. Oktober.", "de", "2026-10-20T12:00", "2026-11-01"),
        ("Ich schicke dir den Bericht bis zum 31. März.", "de", "2026-03-20T12:00", "2026-04-01"),
        ("- [ ] send the report 📅 2026-10-31", "en", "2026-10-20T12:00", "2026-11-01"),
        ("- [ ] send the report 📅 2026-03-31", "en", "2026-03-20T12:00", "2026-04-01"),
        ("- [ ] send the report 📅 2026-10-25", "en", "2026-10-20T12:00", "2026-10-26"),
        ("- [ ] send the report by 31 October", "en", "2026-10-20T12:00", "2026-11-01"),
    ],
)
def test_a_promise_is_due_at_the_end_of_its_day_by_the_clock_of_that_day(
    text: str, language: str, when: str, end: str
) -> None:
    assert due(said(text, when, language)) == [at(end) - 1]


@pytest.mark.parametrize(
    ("text", "when", "start", "told"),
    [
        ("I bought a piano on 20 October.", "2026-11-02T12:00", "2026-10-20", "20 October 2026"),
        ("I bought a piano on 20 March.", "2026-04-02T12:00", "2026-03-20", "20 March 2026"),
        ("I bought a piano in March.", "2026-05-02T12:00", "2026-03-01", "March 2026"),
    ],
)
def test_a_fact_begins_with_its_day_by_the_clock_of_that_day(text: str, when: str, start: str, told: str) -> None:
    (claim,) = said(text, when).claims
    assert claim.valid_from == at(start)
    assert told in claim.statement


def test_how_long_it_lasted_is_counted_in_days_of_the_clock() -> None:
    """Between 20 March and half past midnight of 3 April lie thirteen days, 23 hours and a half."""
    reading = said("I lived in Porto for two weeks until 2020.", "2026-04-03T00:30")
    (claim,) = [each for each in reading.claims if each.predicate == "lives_in"]
    assert (claim.valid_from, claim.valid_to) == (at("2019-12-18"), at("2020-01-01"))


def test_without_a_zone_the_offset_of_then_counts() -> None:
    own = Utterance("s", "1", 1, 1, "Ana", "I'll send you the report by 31 October, I promise.", 0.0)
    there = replace(own, at=at("2026-10-20T12:00"), offset_s=7200, listeners=("Ben",))
    assert due(read([there])) == [at("2026-11-01") - 3600 - 1]
