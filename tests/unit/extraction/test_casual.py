"""Casual talk, as strangers' first weeks had it: what of it must become a fact, and what must not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from adapters.extraction.rules import read
from memory.model.claims import Claim, Utterance
from memory.model.timeline import iso
from tests.unit.extraction.conftest import reading, said


def claims(text: str, before: Sequence[tuple[str, str]] = ()) -> list[Claim]:
    """What Ana's own words claim."""
    key = len(before)
    return [claim for claim in reading(text, before).claims if claim.segment_key == key]


def statements(text: str, before: Sequence[tuple[str, str]] = ()) -> list[str]:
    return [claim.statement for claim in claims(text, before)]


# --- dates that were set


def on(day: str, *texts: str) -> list[Claim]:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    turns = [Utterance("s", str(place), place, 1, "Ana", text, at + place) for place, text in enumerate(texts)]
    return list(read(turns).claims)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Tender deadline moved to 29 September after all.", "2026-09-29"),
        ("Our wedding was postponed to 3 October.", "2026-10-03"),
        ("The exam got pushed back to 12 October.", "2026-10-12"),
        ("The exam got pushed to 12 October.", "2026-10-12"),
        ("They brought the launch forward to 20 September.", "2026-09-20"),
        ("I've booked the flights for 2 October.", "2026-10-02"),
        ("Booked the dentist on 12 September.", "2026-09-12"),
        ("I've signed up for the hill race on 12 September.", "2026-09-12"),
        ("We signed for 30 September.", "2026-09-30"),
        ("The clinic rescheduled my appointment to 11 September.", "2026-09-11"),
    ],
)
def test_a_date_that_was_set_is_the_next_one(text: str, day: str) -> None:
    """The tense of the verb is past; the day is not."""
    [claim] = on("2026-09-04", text)
    assert claim.tense == "plan"
    assert (iso(claim.due) or "").startswith(day)
    assert day[:4] in claim.statement


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I moved to Ghent in May.", "2026-05-01"),
        ("I moved to Ghent on 3 October.", "2025-10-03"),
        ("I pushed the pram up the hill on 3 October.", "2025-10-03"),
        ("I booked the flights on Monday.", "2026-08-31"),
        ("I cancelled the gym membership last week.", "2026-08-24"),
        ("I ran the half marathon on 12 October.", "2025-10-12"),
    ],
)
def test_what_was_done_on_a_day_was_done_on_the_last_one(text: str, day: str) -> None:
    claim = on("2026-09-04", text)[0]
    assert (iso(claim.valid_from) or "").startswith(day)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The gym has put me up for the hill race on 12 October.", "12 October 2026"),
        ("My knee is being done on 3 August, the wrong one.", "3 August 2026"),
        ("I got a flat for the boys from October.", "October 2026"),
    ],
)
def test_a_date_that_is_near_is_meant_whatever_the_tense_says(text: str, told: str) -> None:
    assert told in " ".join(each.statement for each in on("2026-09-04", text))


def test_what_is_cancelled_is_cancelled_from_now_on() -> None:
    """The day of the concert lies ahead; that it is off does not."""
    [claim] = on("2026-09-04", "The concert on 12 October was cancelled.")
    assert "12 October 2026" in claim.statement
    assert (iso(claim.valid_from) or "").startswith("2026-09-04")
    [claim] = on("2026-09-04", "I cancelled the gym in March.")
    assert (iso(claim.valid_from) or "").startswith("2026-03")


def test_a_deadline_that_was_moved_has_its_new_day_as_its_value() -> None:
    """Said on one day and moved on another, the two are values of one slot."""
    old, new = on("2026-09-04", "The tender deadline is 15 September.", "Tender deadline moved to 29 September.")
    assert (old.predicate, new.predicate) == ("deadline_is", "deadline_is")
    assert old.slot == new.slot == "tender deadline"
    assert (old.object, new.object) == ("15 September", "29 September")


# --- laughter, hearsay of oneself


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I've got coeliac disease apparently.", "Ana has got coeliac disease"),
        ("Apparently I have coeliac disease.", "Ana has coeliac disease"),
        ("I moved to Ghent lol", "Ana moved to Ghent"),
        ("I moved to Ghent haha.", "Ana moved to Ghent"),
        ("lol I moved to Ghent", "Ana moved to Ghent"),
        ("I'm allergic to peanuts lol.", "Ana is allergic to peanuts"),
        ("btw I quit my job at Acme.", "Ana quit their job at Acme"),
        ("I quit my job at Acme, btw.", "Ana quit their job at Acme"),
        ("I quit my job at Acme by the way", "Ana quit their job at Acme"),
    ],
)
def test_laughter_and_asides_delete_nothing(text: str, statement: str) -> None:
    assert statement in statements(text)


@pytest.mark.parametrize("text", ["I moved to Ghent lol", "Haha I moved to Ghent.", "Apparently I moved to Ghent."])
def test_laughter_and_apparently_lower_confidence(text: str) -> None:
    sure, unsure = claims("I moved to Ghent.")[0], claims(text)[0]
    assert unsure.confidence is not None
    assert sure.confidence is not None
    assert unsure.confidence < sure.confidence


def test_what_is_taken_back_with_laughter_is_still_taken_back() -> None:
    assert claims("I moved to the moon. lol not really") == []


# --- dangling, asked, said to somebody


@pytest.mark.parametrize(
    "text",
    [
        "It is 4471 now.",
        "They moved to Ghent.",
        "Their bridge fell down in March.",
        "Are they ok",
        "He told Tom about the boiler.",
        "Tom gave it to the neighbours in March.",
        "Tom painted their fence in March.",
        "I've left the pharmacy, did Malachy say?",
    ],
)
def test_nothing_dangles_and_nothing_is_asked(text: str) -> None:
    pointers = {"it", "they", "them", "their", "he", "are", "did"}
    assert not [line for line in statements(text) if pointers & set(line.lower().split()[:1])]
    assert not [line for line in statements(text) if {"it", "them", "their"} & set(line.lower().split())]


def test_a_pronoun_that_is_told_of_somebody_is_kept() -> None:
    assert "Tom moved to Ghent" in statements("Tom called. He moved to Ghent.")
    assert "They offered Ana the corner office" in statements("They offered me the corner office.")


def test_ours_is_no_bare_their() -> None:
    assert statements("The bridge at Elster is ours.") == ["The bridge at Elster is Ana's"]


@pytest.mark.parametrize("text", ["Listen, big news, I signed the lease.", "Listen, I signed the lease."])
def test_what_only_calls_for_attention_is_no_part_of_a_fact(text: str) -> None:
    assert statements(text) == ["Ana signed the lease"]


def test_a_place_is_nobody() -> None:
    before = [("Ana", "I met Lena in Markkleeberg.")]
    assert "Markkleeberg" not in {each.subject for each in claims("She broke up with Jonas.", before)}
    assert "Perth" not in {each.subject for each in claims("Rory went to Perth. Then she rang the school on Monday.")}


def test_what_is_said_to_somebody_is_not_about_who_says_it() -> None:
    heard = read(said(("Boss", "Salary goes up to 71 thousand."), ("Maya", "Thank you!")))
    assert [claim for claim in heard.claims if claim.subject == "Boss"] == []
    heard = read(said(("Boss", "Your salary goes up to 71 thousand."), ("Maya", "Thank you!")))
    assert [(each.subject, each.statement) for each in heard.claims] == [
        ("Maya", "Maya's salary goes up to 71 thousand")
    ]


def test_what_the_owner_notes_is_about_the_owner() -> None:
    heard = read(said(("Maya", "Salary goes up to 71 thousand."), role="user"))
    assert [each.subject for each in heard.claims] == ["Maya"]


# --- idioms


@pytest.mark.parametrize(
    "text",
    [
        "I'm dead.",
        "This deadline is killing me.",
        "My lips are sealed.",
        "I'm in heaven.",
        "I'm over the moon.",
        "Ich bin tot.",
        "Ich bin im siebten Himmel.",
        "Ich glaube, mein Schwein pfeift.",
        "Meine Lippen sind versiegelt.",
        "The lecture bored me to death.",
        "That sofa cost me a kidney.",
        "I'm starving.",
        "Honestly, my neighbour is a pain in the neck.",
        "My uncle is a real piece of work.",
        "My boss must live under a rock.",
        "I lost my head at the meeting.",
        "Ich verhungere.",
        "Ich bin fix und fertig.",
        "Ich lach mich tot.",
        "Ich drücke dir die Daumen.",
        "Der Vortrag hat mich zu Tode gelangweilt.",
    ],
)
def test_an_idiom_is_not_believed(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "My phone is dead.",
        "I sealed the windows in May.",
        "Mein Hamster ist tot.",
        "I have a kidney infection.",
        "I had a kidney stone in May.",
        "My grandfather froze to death in 1962.",
        "I have a pain in the neck.",
        "I broke my arm in May.",
        "Mein Großvater ist 1962 zu Tode gestürzt.",
    ],
)
def test_what_only_shares_words_with_an_idiom_is_believed(text: str) -> None:
    assert claims(text)


# --- our


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Our dog is called Bruno.", "Ana has a dog named Bruno"),
        ("Our landlord is Mr. Haas.", "Ana's landlord is Mr. Haas"),
        ("Our flat has two rooms.", "Ana's flat has two rooms"),
        ("We sold our house.", "Ana and others sold their house"),
        ("Tom and I sold our house.", "Tom and Ana sold their house"),
        ("My wife loves our garden.", "Ana's wife loves their garden"),
    ],
)
def test_what_is_ours_is_the_speakers_unless_others_are_named_beside_it(text: str, told: str) -> None:
    assert [each.statement for each in claims(text)] == [told]


# --- promises


@pytest.mark.parametrize(
    ("text", "to", "due"),
    [
        ("I promised Lena to send the photos by Friday.", "Lena", "2026-09-04"),
        ("I promised Lena I would send the photos by Saturday.", "Lena", "2026-09-05"),
        ("I promised to send Lena the photos by Saturday.", "Lena", "2026-09-05"),
        ("I promised my sister I'd call her tomorrow.", "Ana's sister", "2026-09-05"),
        ("I'll ring you on Monday.", "Ben", "2026-09-07"),
        ("I'll be there on Monday. I promise.", "Ben", "2026-09-07"),
        ("I'll be there on Monday, I promise.", "Ben", "2026-09-07"),
    ],
)
def test_a_promise_says_by_whom_to_whom_and_until_when(text: str, to: str, due: str) -> None:
    at = datetime(2026, 9, 4, 10, tzinfo=UTC).timestamp()
    found = read([Utterance("s", "1", 1, 1, "Ana", text, at, listeners=("Ben",))])
    [made] = [each.properties for each in found.sightings if each.type == "promise"]
    assert (made["by"], made["to"]) == ("Ana", to)
    assert str(made["due"]).startswith(due)


@pytest.mark.parametrize(
    "text", ["Remind me that the boiler is loud.", "I swear, she winked at me.", "I promise.", "I promised nothing."]
)
def test_what_undertakes_nothing_is_no_promise(text: str) -> None:
    assert [each for each in reading(text).sightings if each.type == "promise"] == []


# --- one sentence, one fact a slot


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("My doctor is Dr. Weidner.", "has_doctor", "Weidner"),
        ("My doctor is Dr. Weidner now.", "has_doctor", "Weidner"),
        ("My sister's name is Jane.", "has_sister", "Jane"),
        ("My sister is called Jane.", "has_sister", "Jane"),
        ("My dog is called Rex.", "has_pet", "Rex"),
        ("I have a dog called Rex.", "has_pet", "Rex"),
        ("Carla is my boss.", "has_boss", "Carla"),
    ],
)
def test_one_sentence_makes_one_fact_of_a_tie(text: str, predicate: str, value: str) -> None:
    assert [(each.predicate, each.object) for each in claims(text)] == [(predicate, value)]


def test_what_else_is_said_beside_a_tie_is_kept() -> None:
    told = [(each.predicate, each.object) for each in claims("My wife Tina works at Bosch.")]
    assert told == [("works_at", "Bosch"), ("has_wife", "Tina")]


def test_a_name_told_of_nobody_here_is_no_pets() -> None:
    before = [("Ana", "We ate the fish."), ("Ben", "Nice."), ("Ana", "The baby came."), ("Ben", "Oh!")]
    assert "has_pet" not in {each.predicate for each in claims("She's called Elsa Morag.", before)}


def test_who_is_kin_by_name_is_he_or_she_by_that() -> None:
    before = [("Ana", "My husband Hamid has a bad back."), ("Ben", "Poor man.")]
    assert "Hamid" not in {each.subject for each in claims("She moved to Ghent.", before)}


def test_how_long_something_was_not_is_no_time_to_come() -> None:
    [claim] = claims("I haven't slept in a fortnight.")
    assert "(" not in claim.statement


def test_who_is_listed_beside_kin_is_not_that_kin() -> None:
    assert "has_mother" not in {each.predicate for each in claims("We drove to the sea, my mum, Cillian and me.")}
