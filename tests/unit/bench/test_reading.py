"""Readers are judged by claims and traps: what is matched, and what is counted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from adapters.embedding.hashing import HashingEmbedder
from bench.reading import BATCH, LEAD, ReadingModels, batches, figures_by_kind, measure_reading
from bench.reading_match import JudgedFact, falls_for, finds, misdated, same_subject, verdict, words_of
from bench.reading_worlds import GoldClaim, GoldTime, GoldTrap, gold_time, reading_world
from memory.errors import Invalid
from tests.fakes.extractor import ScriptedExtractor

WORLD = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: I live in Porto.
Bo: And I own a castle, obviously.
## 2 | 2024-05-02 19:10 | chat
Ana: I'll bring you the tent on Friday.
?? questions
!! claims
! 1.1 | Ana | lives_in | Porto | since 2024-03 | state
! 2.1 | Ana | will_bring | the tent | on 2024-05-03 | promise (to Bo by 2024-05-03)
x 1.2 | Bo owns a castle | joke""".splitlines()
SAID = datetime(2024, 3, 2, 19, 10, tzinfo=UTC).timestamp()


def fact(subject: str, statement: str, turn: str = "1.1", **told: object) -> JudgedFact:
    """A fact that says so from when it was said."""
    given = {"object": "", "polarity": True, "begins": SAID, "ends": None, "dated": False, "closed": False}
    return JudgedFact(frozenset([turn]), subject, statement, **{**given, **told})  # type: ignore[arg-type]


def claim(subject: str, predicate: str, object_: str, time: str = "-", turn: str = "1.1") -> GoldClaim:
    """A claim of a state."""
    return GoldClaim(turn, subject, predicate, object_, gold_time(time), "state")


def test_a_world_tells_who_says_what_and_what_is_to_be_kept():
    read = reading_world("x-tent", WORLD)
    assert (read.author, read.kind, read.owner, read.languages) == ("x", "friends", "Ana", ("en",))
    assert read.turns["2.1"].listeners == ()
    assert read.turns["1.1"].listeners == ("Bo",)
    assert [each.kind for each in read.claims] == ["state", "promise"]
    assert read.traps == (GoldTrap("1.2", "Bo owns a castle", "joke"),)


def test_a_claim_with_a_field_too_few_is_refused():
    with pytest.raises(Invalid, match="line 10"):
        reading_world("x-tent", [*WORLD[:9], "! 1.1 | Ana | Porto"])


def test_times_are_the_whole_of_what_they_name():
    month = gold_time("since 2024-02").begins
    assert month == (
        datetime(2024, 2, 1, tzinfo=UTC).timestamp(),
        datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC).timestamp(),
    )
    assert gold_time("until 2024-03-05").begins is None
    assert gold_time("from 2020 to 2022").ends is not None
    assert gold_time("-") == gold_time("on 2024-13-40") == GoldTime()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Nat", "Brother Nat", True),
        ("Mr Quayson", "Quayson", True),
        ("Efua", "Efua's mother", False),
        ("the boss", "Yaw", False),
        ("", "Yaw", False),
    ],
)
def test_names_may_be_of_one_person(one, other, same):
    assert same_subject(one, other) is same


def test_words_are_stems_without_stop_words():
    assert words_of("the brown dogs of Ana's") == {"brown", "dog", "ana"}


def test_a_fact_finds_a_claim_by_turn_subject_and_half_its_words():
    wanted = claim("Ana", "owns", "a brown dog called Minister")
    assert finds(fact("Ana", "Ana has a brown dog, Minister"), wanted, "en")
    assert not finds(fact("Ana", "Ana has a brown dog, Minister", turn="1.2"), wanted, "en")
    assert not finds(fact("Bo", "Bo has a brown dog, Minister"), wanted, "en")
    assert not finds(fact("Ana", "Ana has a cat"), wanted, "en")


def test_a_statement_that_says_the_name_is_found_under_whomever_it_is_filed():
    wanted = claim("Mr Quayson", "is", "Efua's technician")
    assert finds(fact("Efua", "Efua's technician is Quayson"), wanted, "en")


def test_a_trap_is_believed_in_its_own_sense_alone():
    trap = GoldTrap("1.1", "Ana owns a castle", "joke")
    assert falls_for(fact("Ana", "Ana owns a castle"), trap, "en")
    assert not falls_for(fact("Ana", "Ana owns no castle", polarity=False), trap, "en")


def test_a_date_of_its_own_is_judged():
    wanted = claim("Ana", "lives_in", "Porto", "since 2024-03")
    assert not misdated(fact("Ana", "Ana lives in Porto"), wanted)
    assert misdated(fact("Ana", "Ana lives in Porto", begins=SAID - 365 * 86_400, dated=True), wanted)


def test_verdicts_tell_why():
    claims, traps = [claim("Ana", "lives_in", "Porto", "since 2024-03")], [GoldTrap("1.1", "Ana owns a castle", "joke")]
    told = {
        "useful": fact("Ana", "Ana lives in Porto"),
        "subject": fact("Bo", "Bo lives in Porto"),
        "date": fact("Ana", "Ana lives in Porto", begins=0.0, dated=True),
        "trap: joke": fact("Ana", "Ana owns a castle"),
        "beside": fact("Ana", "Ana waves"),
    }
    assert {cause: verdict(each, claims, traps, "en") for cause, each in told.items()} == {each: each for each in told}


def test_a_world_is_read_and_counted():
    meanings = {
        "I live in Porto.": ("lives_in", "Porto", "Ana lives in Porto"),
        "And I own a castle, obviously.": ("owns", "a castle", "Bo owns a castle"),
    }
    read = measure_reading(
        [reading_world("x-tent", WORLD)], ReadingModels(ScriptedExtractor(meanings), HashingEmbedder())
    )
    found = figures_by_kind(read)
    assert list(found) == ["friends", "all"]
    row = found["all"]
    assert (row.turns, row.claims, row.found, row.facts, row.traps, row.believed) == (3, 2, 1, 2, 1, 1)
    assert (row.promises, row.listed, row.wrong) == (1, 0, 1)
    assert row.missed == {"nothing read of the turn": 1}
    assert row.cells()["found"] == "50.0"
    assert {each["cause"] for each in row.causes()} == {"wrong: trap: joke", "missed: nothing read of the turn"}


def test_a_long_session_is_read_in_batches_with_what_came_before():
    turns = "\n".join(f"Ana: Number {number}." for number in range(BATCH + 2))
    session = reading_world("x-long", [*WORLD[:2], *turns.splitlines()]).sessions[0]
    first, second = batches(session)
    assert len(first) == BATCH
    assert [each.context_only for each in second] == [True] * LEAD + [False] * 2
