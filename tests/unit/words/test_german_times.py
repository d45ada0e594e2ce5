"""Since when, in German, said on Thursday 25 May 2023."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.words.german_times import in_english, since
from tests.unit.extraction.conftest import THURSDAY


@pytest.mark.parametrize(
    ("clause", "day"),
    [
        ("Ich wohne seit 2019 in Graz", "2019-01-01"),
        ("Tom spielt seit drei Jahren Cello", "2020"),
        ("ich bin seit zwei Wochen krank", "2023-05-08"),
        ("ich habe seit gestern Fieber", "2023-05-24"),
        ("seit Februar arbeite ich bei Audi", "2023-02-01"),
    ],
)
def test_since_when_something_is_so(clause: str, day: str) -> None:
    begun = since(clause, THURSDAY)
    assert begun is not None
    assert datetime.fromtimestamp(begun, UTC).date().isoformat().startswith(day)


@pytest.mark.parametrize("clause", ["Ich wohne in Graz", "seit ich hier wohne", "seitdem ist Ruhe"])
def test_what_names_no_beginning_has_none(clause: str) -> None:
    assert since(clause, THURSDAY) is None


def test_austrian_months_and_years() -> None:
    assert in_english("am 3. Jänner").split() == ["am", "3", "January"]
    assert in_english("heuer im Feber") == "this year in February "
