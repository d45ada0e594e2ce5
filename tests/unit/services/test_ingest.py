"""What a front door settles before a source is stored: who speaks, and in which language."""

from __future__ import annotations

import pytest

from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.sources import Segment, Source, Telling
from memory.services.ingest import with_speakers

NORA = Profile(name="Nora", languages=("de",))


def settled(segment: Segment, profile: Profile = NORA) -> Segment:
    source = Source("s", "user:nora", "conversation", 0.0, segments=(segment,))
    return with_speakers(source, profile).segments[0]


def said(speaker: str, role: str = "other", language: str | None = "en") -> Segment:
    return Segment("1", speaker, "Words.", 0.0, 1.0, role=role, language=language)


@pytest.mark.parametrize(
    ("speaker", "role", "found"),
    [
        ("nora", "other", "user"),
        ("me", "other", "user"),
        ("Assistant", "other", "assistant"),
        ("Tomas", "other", "other"),
        ("Nora", "tool", "tool"),
        ("Tomas", "user", "user"),
        ("assistant", "user", "user"),
    ],
)
def test_a_role_that_is_open_is_read_off_the_profile(speaker: str, role: str, found: str) -> None:
    assert settled(said(speaker, role)).role == found


def test_an_assistant_called_like_the_owner_is_no_owner() -> None:
    assert settled(said("Nora"), Profile(name="Nora", assistant_labels=("nora",))).role == "assistant"


@pytest.mark.parametrize(
    ("spoken", "language", "found"),
    [(("de",), None, "de"), (("de",), "en", "en"), (("de", "en"), None, None), (("en", "de"), "de", "de")],
)
def test_a_language_is_filled_in_where_only_one_is_spoken(
    spoken: tuple[str, ...], language: str | None, found: str | None
) -> None:
    assert settled(said("Tomas", language=language), Profile(languages=spoken)).language == found


def test_what_is_settled_already_stays_the_very_segment() -> None:
    segment = said("Tomas")
    assert settled(segment) is segment


@pytest.mark.parametrize(
    ("telling", "said", "kept"),
    [
        (Telling(), ("note", Sensitivity.OPEN), ("note", Sensitivity.OPEN)),
        (
            Telling(unsaid=frozenset({"kind", "sensitivity"})),
            ("note", Sensitivity.OPEN),
            ("email", Sensitivity.PRIVATE),
        ),
        (Telling(clearance=Sensitivity.OPEN), ("note", Sensitivity.OPEN), ("note", Sensitivity.PRIVATE)),
        (Telling(clearance=Sensitivity.OPEN), ("note", Sensitivity.SENSITIVE), ("note", Sensitivity.SENSITIVE)),
        (Telling(clearance=Sensitivity.PRIVATE), ("note", Sensitivity.OPEN), ("note", Sensitivity.OPEN)),
    ],
)
def test_what_a_source_that_is_told_again_is(
    telling: Telling, said: tuple[str, Sensitivity], kept: tuple[str, Sensitivity]
) -> None:
    known = Source("x", "user:u", "email", 0.0, sensitivity=Sensitivity.PRIVATE)
    over = telling.over(Source("x", "user:u", said[0], 0.0, sensitivity=said[1]), known)
    assert (over.kind, over.sensitivity) == kept


@pytest.mark.parametrize(
    ("clearance", "told_at", "started_at", "said_from"),
    [
        (Sensitivity.SENSITIVE, 50.0, 50.0, (1.0, 3.0)),
        (Sensitivity.OPEN, 50.0, 10.0, (41.0, 43.0)),
        (Sensitivity.OPEN, 10.0, 10.0, (1.0, 3.0)),
        (Sensitivity.OPEN, 0.0, 10.0, (0.0, 2.0)),
    ],
)
def test_a_source_begins_when_those_say_who_may_see_it(
    clearance: Sensitivity, told_at: float, started_at: float, said_from: tuple[float, float]
) -> None:
    known = Source("x", "user:u", "note", 10.0, sensitivity=Sensitivity.PRIVATE)
    told = Source("x", "user:u", "note", told_at, segments=(Segment("1", "Tomas", "Words.", 1.0, 3.0),))
    over = Telling(clearance=clearance).over(told, known)
    assert (over.started_at, *[(each.start, each.end) for each in over.segments]) == (started_at, said_from)
