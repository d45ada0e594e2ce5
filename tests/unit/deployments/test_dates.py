"""Times as they are written in requests, and findings as they are told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from deployments.dates import moment_of, written_moment
from deployments.findings import _finding, _place
from deployments.kinds import ShortText, When, Words
from memory.errors import Invalid

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
ZONE = "Asia/Kolkata"
MIDNIGHT = datetime(2026, 1, 15, tzinfo=timezone(timedelta(hours=5, minutes=30))).timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-15", MIDNIGHT),
        ("2026-01-15T00:00:00", MIDNIGHT),
        ("2026-01-14T18:30:00Z", MIDNIGHT),
        (str(MIDNIGHT), MIDNIGHT),
        (str(int(MIDNIGHT)), MIDNIGHT),
        ("20260115", MIDNIGHT),
        ("0", 0.0),
        ("last_week", NOW - 7 * 86_400),
    ],
)
def test_a_time_is_read_where_the_user_lives(text: str, moment: float) -> None:
    assert moment_of("as_of", text, NOW, ZONE) == moment


@pytest.mark.parametrize("text", ["2026", "tomorrow", "2026-02-30", "", "nan", "inf", "99999999999999"])
def test_what_is_no_time_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(Invalid, match=r"^as_of: "):
        moment_of("as_of", text, NOW, ZONE)


@pytest.mark.parametrize("text", ["2026-02-31", "2026-02-31T10:00:00Z", "2026-13-01", "2025-02-29 08:00"])
def test_a_day_that_no_calendar_has_is_called_so(text: str) -> None:
    with pytest.raises(Invalid, match=r"^as_of: there is no such day\.$"):
        moment_of("as_of", text, NOW, ZONE)
    with pytest.raises(Invalid, match=r"^started_at: there is no such day\.$"):
        written_moment("started_at", text)


@pytest.mark.parametrize("text", ["2026-02-28T25:00:00Z", "2026-02-31st", "2026-2-31", "20260231"])
def test_what_is_not_written_like_a_day_is_told_how(text: str) -> None:
    with pytest.raises(Invalid, match=r"^as_of: must be YYYY-MM-DD"):
        moment_of("as_of", text, NOW, ZONE)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-15T00:00:00+05:30", (MIDNIGHT, 19_800)),
        ("2026-01-14T18:30:00Z", (MIDNIGHT, 0)),
        (str(MIDNIGHT), (MIDNIGHT, 0)),
        ("1e9", (1e9, 0)),
        ("2026", (2026.0, 0)),
        ("20260115", (20_260_115.0, 0)),
    ],
)
def test_without_a_zone_any_number_is_seconds(text: str, written: tuple[float, int]) -> None:
    assert written_moment("started_at", text) == written


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-01-15", "A time needs a zone"),
        ("last_week", "must be ISO 8601, such as 2026-03-01T08:00 or"),
        ("nan", "A time must lie"),
    ],
)
def test_without_a_zone_a_day_is_no_moment(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=rf"^started_at: {told}"):
        written_moment("started_at", text)


class _Body(BaseModel, extra="forbid"):
    at: When | None = None
    words: Words = "x"
    limit: int = Field(default=5, ge=1, le=50)
    budget: int | Literal["auto"] = "auto"
    kinds: list[str] = Field(default=[], max_length=2)
    asked: Annotated[ShortText, Field(max_length=3)] = ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"limit": 51}, "limit: must be less than or equal to 50"),
        ({"words": ""}, "words: must not be empty"),
        ({"words": "a\x00"}, "words: must not contain NUL characters"),
        ({"kinds": ["a", "b", "c"]}, "kinds: must have at most 2 items"),
        ({"asked": "tea?"}, "asked: must have at most 3 characters"),
        ({"nix": 1}, "nix: is not known here"),
        ({"at": True}, "at: must be a valid string"),
    ],
)
def test_a_finding_says_what_to_do(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _Body.model_validate(given)
    [error] = refused.value.errors()
    assert f"{_place(dict(error))}: {_finding(dict(error))}" == told


def test_the_place_of_a_finding_names_no_check() -> None:
    with pytest.raises(ValidationError) as refused:
        _Body.model_validate({"budget": "lots"})
    assert [_place(dict(error)) for error in refused.value.errors()] == ["budget", "budget"]


def test_a_number_is_a_time_too() -> None:
    assert _Body.model_validate({"at": 1_794_335_760}).at == "1794335760"
