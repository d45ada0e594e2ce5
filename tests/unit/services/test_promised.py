"""Questions about promises are answered from the list of promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.model.timeline import DAY_S, Clock
from memory.services.hits import SegmentHit
from memory.services.promised import KnownPromise, done, promised, tells_promise
from memory.words.promise_questions import PromiseQuestion, deed_question, promise_question

MARCH = 1772352000.0


def made(text: str) -> SegmentHit:
    return SegmentHit(text, "Nina", MARCH, 0, "s", "1")


PHOTOS = KnownPromise(
    "I promised Lena to send the photos",
    "Nina",
    "Lena",
    MARCH + 3 * DAY_S,
    "expired",
    made("I promised Lena to send the photos by Friday."),
    "Nina promised Lena to send the photos",
)
DRILL = KnownPromise(
    "I'll give Tom his drill back",
    "Nina",
    "Tom",
    None,
    "kept",
    made("I'll give Tom his drill back."),
    kept_on=MARCH + DAY_S,
)
LADDER = KnownPromise("I'll lend you the ladder", "Tom", "Nina", MARCH + 30 * DAY_S, "open", made("I'll lend you it."))
REMINDER = KnownPromise("Remind me to call mum", "Nina", "Nina", None, "open", made("Remind me to call mum."))
DOOR = KnownPromise("I'll paint Kofi's door", "Ben", "Kofi", None, "kept", made("I'll paint Kofi's door"))
KNOWN = [PHOTOS, DRILL, LADDER, DOOR]


def lead(question: str) -> str | None:
    asked = promise_question(question, "Nina")
    told = promised(question, asked, KNOWN, "Nina", 0) if asked else None
    return told.lead if told else None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did I promise Lena?", "You promised Lena to send the photos (overdue since 4 March 2026)"),
        ("Did I promise Lena the photos?", "Yes: You promised Lena to send the photos (overdue since 4 March 2026)"),
        ("What did Tom promise me?", "Tom promised you: I'll lend you the ladder (due 31 March 2026)"),
        ("Which of my promises did I keep?", "You promised Tom: I'll give Tom his drill back (kept)"),
        ("Are any promises overdue?", "Yes: You promised Lena to send the photos (overdue since 4 March 2026)"),
        ("Did I promise Ravi anything?", None),
        ("Did I promise Lena a kayak?", None),
        ("What did Ben promise me?", "Ben promised Kofi: I'll paint Kofi's door (kept)"),
        ("Did Ben promise me anything?", None),
        ("Did I keep my promise to send the photos?", None),
        (
            "Did I keep my promise to return that old drill?",
            "Yes, on 2 March 2026: You promised Tom: I'll give Tom his drill back (kept)",
        ),
        (
            "Did I keep my promise to bring the drill back for Easter?",
            "Yes, on 2 March 2026: You promised Tom: I'll give Tom his drill back (kept)",
        ),
        ("Did I keep my promise to feed the cat?", None),
        ("Where do I live?", None),
    ],
)
def test_promises_are_told_with_whom_they_bind_and_until_when(question, told):
    assert lead(question) == told


def test_several_promises_are_counted_and_all_told():
    told = lead("Which promises are open?")
    assert told is not None
    assert told.startswith("2 promises: You promised Lena to send the photos")
    assert told.endswith("Tom promised you: I'll lend you the ladder (due 31 March 2026)")


@pytest.mark.parametrize(
    "question", ["Did I return the drill?", "Have I given Tom his drill back?", "Did I drop off the drill?"]
)
def test_whether_something_was_done_is_told_with_its_day_if_it_was_promised_and_kept(question):
    deed = deed_question(question)
    assert deed is not None
    told = done(question, deed, KNOWN, "Nina", 0)
    assert told is not None
    assert told.lead == "Yes, on 2 March 2026: You promised Tom: I'll give Tom his drill back (kept)"


@pytest.mark.parametrize(
    "question", ["Did I send the photos?", "Did I sell the drill?", "Did I?", "Has Tom returned it?"]
)
def test_what_is_not_known_to_be_kept_is_left_to_other_answers(question):
    deed = deed_question(question)
    assert deed is None or done(question, deed, KNOWN, "Nina", 0) is None


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Was habe ich Tom versprochen?", PromiseQuestion("Nina", "Tom", None, frozenset())),
        ("Wer hat mir was versprochen?", PromiseQuestion(None, "Nina", None, frozenset())),
        ("What promises do I still have to keep?", PromiseQuestion("Nina", None, "open", frozenset())),
        ("Who promised me the ladder?", PromiseQuestion(None, "Nina", None, frozenset({"ladder"}))),
    ],
)
def test_by_whom_to_whom_and_in_which_state_is_read_off_the_question(question, asked):
    assert promise_question(question, "Nina") == asked


def test_nobody_is_told_to_have_promised_themselves() -> None:
    asked = promise_question("Which promises are open?", "Nina")
    assert asked is not None
    told = promised("Which promises are open?", asked, [REMINDER], "Nina", 0)
    assert told is not None
    assert told.lead == "You promised: Remind me to call mum (open)"


def test_what_a_statement_leaves_to_the_words_before_it_is_told_in_those_words() -> None:
    said = "you forgot your coat, I'll post it to you"
    coat = KnownPromise("post it", "Nina", "Lena", None, "open", made(said), "Nina will post it to Lena")
    lift = replace(coat, made=made("brilliant, I'll drive you"), statement="Brilliant Nina will drive Lena")
    asked = promise_question("What did I promise Lena?", "Nina")
    assert asked is not None
    told = promised("What did I promise Lena?", asked, [coat, lift], "Nina", 0)
    assert told is not None
    assert told.lead == (
        '2 promises: You promised Lena: "you forgot your coat, I\'ll post it to you" (open); '
        'You promised Lena: "brilliant, I\'ll drive you" (open)'
    )


def test_what_points_to_the_words_before_is_told_and_found_with_them() -> None:
    said, vowed = "I'll clean it tonight", "tomorrow, I promise"
    filter_ = KnownPromise(said, "Nina", "Lena", None, "open", made(said), answering="the filter is full")
    vow = replace(filter_, text=vowed, made=made(vowed), answering="take the bike there")
    vow = replace(vow, statement="Tomorrow (30 March 2026) Nina promises")
    photos = replace(PHOTOS, answering="it rained")
    asked = promise_question("What did I promise Lena?", "Nina")
    assert asked is not None
    told = promised("What did I promise Lena?", asked, [filter_, vow, photos], "Nina", 0)
    assert told is not None
    assert told.lead == (
        '3 promises: You promised Lena: "I\'ll clean it tonight" (open; answering "the filter is full"); '
        'You promised Lena: "tomorrow, I promise" (open; answering "take the bike there"); '
        "You promised Lena to send the photos (overdue since 4 March 2026)"
    )
    question = "Did I promise Lena to clean the filter?"
    asked = promise_question(question, "Nina")
    assert asked is not None
    assert promised(question, asked, [filter_, vow, photos], "Nina", 0) is not None


@pytest.mark.parametrize(
    ("due", "clock", "day"),
    [
        (datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC), ZoneInfo("Europe/Berlin"), "31 March 2026"),
        (datetime(2026, 10, 31, 22, 59, 59, tzinfo=UTC), ZoneInfo("Europe/Berlin"), "31 October 2026"),
        (datetime(2026, 3, 31, 14, 59, 59, tzinfo=UTC), 32_400, "31 March 2026"),
        (datetime(2026, 4, 1, 9, 59, 59, tzinfo=UTC), -36_000, "31 March 2026"),
    ],
)
def test_a_promise_is_due_on_the_day_that_was_said_by_the_clock_of_where_that_was(
    due: datetime, clock: Clock, day: str
) -> None:
    said = made("I'll send you the report.")
    report = KnownPromise("send the report", "Nina", "Lena", due.timestamp(), "open", said, clock=clock)
    asked = promise_question("What did I promise Lena?", "Nina")
    assert asked is not None
    told = promised("What did I promise Lena?", asked, [report], "Nina", ZoneInfo("Europe/Berlin"))
    assert told is not None
    assert told.lead == f"You promised Lena: send the report (due {day})"


@pytest.mark.parametrize(("kept", "day"), [((3, 30, 22, 30), "31 March 2026"), ((11, 1, 23, 30), "2 November 2026")])
def test_a_promise_was_kept_on_a_day_by_the_clock_of_that_day(kept: tuple[int, int, int, int], day: str) -> None:
    on = datetime(2026, *kept, tzinfo=UTC).timestamp()
    question, drill = "Did I return the drill?", replace(DRILL, kept_on=on)
    told = done(question, deed_question(question) or frozenset(), [drill], "Nina", ZoneInfo("Europe/Berlin"))
    assert told is not None
    assert f" on {day}: " in told.lead


def test_you_in_a_statement_is_whom_it_was_promised_to() -> None:
    lamp = KnownPromise("I'll bring your lamp", "Nina", "Tom", None, "open", made("I'll bring your lamp to you"))
    lamp = replace(lamp, statement="Nina will bring your lamp to you")
    mine = replace(lamp, by="Tom", to="Nina", statement="Tom will bring your lamp to you")
    asked = promise_question("Which promises are open?", "Nina")
    assert asked is not None
    told = promised("Which promises are open?", asked, [lamp, mine], "Nina", 0)
    assert told is not None
    assert told.lead == ("2 promises: You will bring Tom's lamp to Tom (open); Tom will bring your lamp to you (open)")


def test_a_hit_that_names_another_recipient_tells_of_another_promise() -> None:
    asked = promise_question("What did I promise Petra?", "Nina")
    assert asked is not None
    assert tells_promise(made("I promised Petra the sheet"), asked)
    assert tells_promise(made("I promised to send her the sheet"), asked)
    assert not tells_promise(made("promised dad I'd call the office"), asked)
