"""Times that questions name, in English and German, what is left of the question, and how they are called later."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.timeline import Interval
from memory.words.german_times import in_english
from memory.words.time_named import NOTHING_NAMED, named_times
from memory.words.time_retold import retellings

FRIDAY = datetime(2025, 10, 10, 20, tzinfo=UTC).timestamp()


def days(text: str) -> list[tuple[str | None, str | None]]:
    named = named_times(text, FRIDAY)
    return [(_day(each.extent.start), _day(each.extent.end)) for each in named.stretches]


def _day(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("What happened on Wednesday?", "2025-10-08", "2025-10-09"),
        ("What went on the week before last?", "2025-09-22", "2025-09-29"),
        ("What did I do on Sunday the week before last?", "2025-09-28", "2025-09-29"),
        ("What did we do the weekend before last?", "2025-09-27", "2025-09-29"),
        ("What happened between Monday and Friday?", "2025-09-29", "2025-10-04"),
        ("How was my week?", "2025-10-06", "2025-10-13"),
        ("What happened since Monday?", "2025-10-06", None),
        ("What did I do before 2024?", None, "2024-01-01"),
        ("What happened after 3 May?", "2025-05-04", None),
        ("What did I do last quarter?", "2025-07-01", "2025-10-01"),
        ("Was war im letzten Quartal?", "2025-07-01", "2025-10-01"),
        ("What did I do on 9/17?", "2025-09-17", "2025-09-18"),
        ("What did I do on 17/9?", "2025-09-17", "2025-09-18"),
        ("What happened after Christmas?", "2024-12-26", None),
        ("Was war nach Weihnachten?", "2024-12-26", None),
        ("Was war vor Ostern?", None, "2025-04-20"),
        ("Was war zwischen Weihnachten und Neujahr?", "2024-12-25", "2025-01-02"),
        ("What have we been up to this week?", "2025-10-06", "2025-10-13"),
        ("Was war am Mittwoch?", "2025-10-08", "2025-10-09"),
        ("Was war am 3. Mai?", "2025-05-03", "2025-05-04"),
        ("Was war am 6.10.?", "2025-10-06", "2025-10-07"),
        ("Was war am 3. Mai 2024?", "2024-05-03", "2024-05-04"),
        ("Was war vor dem 3. Mai?", None, "2025-05-03"),
        ("Was ist Anfang Mai passiert?", "2025-05-01", "2025-05-11"),
        ("Worüber haben wir in der letzten Woche gesprochen?", "2025-09-29", "2025-10-06"),
        ("Was war Montag vor einer Woche?", "2025-09-29", "2025-09-30"),
        ("Was war vorgestern Abend?", "2025-10-08", "2025-10-09"),
        ("Was haben wir letzten Sommer gemacht?", "2025-06-01", "2025-09-01"),
        ("Was war 2023 los?", "2023-01-01", "2024-01-01"),
        ("Was war vor drei Wochen?", "2025-09-16", "2025-09-23"),
        ("Was haben wir an Weihnachten gemacht?", "2024-12-25", "2024-12-26"),
        ("Wie war meine Woche?", "2025-10-06", "2025-10-13"),
        ("Was war seit Montag los?", "2025-10-06", None),
        ("Was war zwischen Montag und Mittwoch?", "2025-10-06", "2025-10-09"),
        ("Was war vom 3. bis 5. Mai?", "2025-05-03", "2025-05-06"),
        ("Was war zwischen dem 30. April und dem 5. Mai?", "2025-04-30", "2025-05-06"),
    ],
)
def test_a_question_names_a_stretch_of_time_and_asks_nothing_else(text, first, after):
    assert days(text) == [(first, after)]
    assert named_times(text, FRIDAY).alone


def test_what_else_is_asked_is_left_and_the_time_counts_the_less_for_it():
    named = named_times("What did Tom's brother say about the boat last week?", FRIDAY)
    assert named.left == ("tom", "brother", "boat")
    assert named.share == 1 / 16
    assert not named.alone
    assert named.over
    assert named_times("Was hat Jule vor einer Woche über den Hund erzählt?", FRIDAY).left == ("jule", "hund")


def test_days_are_told_about_where_they_are_counted_from_afar():
    assert [each.about for each in named_times("What happened ten days ago?", FRIDAY).stretches] == [True]
    assert [each.about for each in named_times("What happened three days ago?", FRIDAY).stretches] == [False]


@pytest.mark.parametrize(
    "text", ["Who is Tom?", "What do I do every Monday?", "Wer ist Mai?", "Who is April?", "What did June say?", ""]
)
def test_any_other_question_names_none(text):
    assert named_times(text, FRIDAY) == NOTHING_NAMED


def test_a_wednesday_is_called_so_for_six_days():
    [wednesday] = named_times("What happened on Wednesday?", FRIDAY).stretches
    called = {each.words: (each.after, each.before) for each in wednesday.retold}
    midnight = wednesday.extent.end
    assert called["yesterday",] == called["gestern",] == (midnight, midnight + 86_400)
    assert called["Wednesday",] == called["mittwoch",] == (midnight, midnight + 6 * 86_400)
    assert ("October", "8") in called


@pytest.mark.parametrize(
    ("text", "words"),
    [("last week", ("last", "week")), ("last weekend", ("wochenende",)), ("in May", ("mai",)), ("in 2023", None)],
)
def test_longer_stretches_are_called_by_their_own_names(text, words):
    [named] = named_times(f"What happened {text}?", FRIDAY).stretches
    assert words in {each.words for each in named.retold} if words else not named.retold


def test_a_feast_is_called_by_its_name():
    [christmas] = named_times("Was haben wir an Weihnachten gemacht?", FRIDAY).stretches
    assert {("christmas",), ("weihnachten",), ("December", "25")} <= {each.words for each in christmas.retold}


@pytest.mark.parametrize(
    ("text", "certain"),
    [("on Wednesday", True), ("in May", True), ("today", False), ("next week", False), ("in 2023", False)],
)
def test_what_lies_behind_and_has_names_would_be_known(text, certain):
    assert named_times(f"What happened {text}?", FRIDAY).certain == certain


def test_what_is_open_to_one_side_has_no_name():
    assert retellings(Interval(None, FRIDAY)) == ()


@given(st.text(max_size=80), st.floats(min_value=0, max_value=4e9), st.integers(min_value=-43_200, max_value=50_400))
def test_whatever_is_asked_is_read(text, now, offset_s):
    for each in named_times(text, now, offset_s).stretches:
        assert each.extent.start is None or each.extent.end is None or each.extent.start < each.extent.end


@given(st.text(alphabet="abc what did I do?", max_size=60))
def test_words_without_german_times_stay(text):
    assert in_english(text) == text
