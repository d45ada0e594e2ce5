"""Which quotations are near to what is asked, and in which order they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.timeline import DAY_S
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from memory.services.nearness import (
    ANSWERED,
    AS_WELL,
    FAR_LESS,
    LEAST_DEED,
    asks_it,
    changed_by,
    in_order,
    is_near,
    matter_of,
)

MARCH = 1772352000.0


def hit(
    text: str, speaker: str = "Tom", day: int = 0, fact_ids: tuple[str, ...] = (), relevance: float = 0.4
) -> SegmentHit:
    return SegmentHit(text, speaker, MARCH + day * DAY_S, 0, "s", f"{day}", fact_ids, relevance=relevance)


def near(question: str, said: SegmentHit, *facts: KnownFact) -> bool:
    return is_near(matter_of(question, "en", "Nina"), said, facts)


@pytest.mark.parametrize(
    ("question", "said", "is_so"),
    [
        ("What is the wifi password?", hit("the wifi password is otter-118"), True),
        ("What is the wifi password?", hit("the wifi is slow today"), False),
        ("What is the wifi password?", hit("the wifi is slow today", relevance=0.6), True),
        ("What is the wifi password?", hit("the wifi password is otter-118", relevance=0.2), False),
        ("What is the wifi password?", hit("I broke the kettle", relevance=0.9), False),
        ("What is the wifi password?", hit("I broke the kettle"), False),
        ("What is Sander's job?", hit("Sander and I broke up"), False),
        ("What is Sander's job?", hit("I got a job at the radio"), False),
        ("What is Sander's job?", hit("Sander got a job at the radio"), True),
        ("What is my shoe size?", hit("my shoes are wet", "Nina"), False),
        ("What is the colour of my new winter coat?", hit("the coat hangs there", "Nina"), False),
        ("How old is Oisin?", hit("oisin, hes 19"), True),
        ("How old is Oisin?", hit("oisin switched to law"), False),
        ("How much was the plumber?", hit("the plumber took 180"), True),
        ("How much was the plumber?", hit("the plumber was lovely"), False),
        ("When is the viva?", hit("viva is on 9 december"), True),
        ("When is the viva?", hit("the viva scares me"), True),
        ("What happened on Friday?", hit("we went swimming"), True),
        ("Wo wohnt Tom?", hit("I live in Kiel now"), True),
    ],
)
def test_a_turn_is_near_if_its_words_and_its_relevance_are(question, said, is_so):
    assert near(question, said) is is_so


def test_what_was_read_from_a_turn_counts_with_the_words_its_predicate_is_asked_by():
    nurse = KnownFact("f1", "Tom is a nurse", MARCH, predicate="works_as")
    assert near("What is Tom's job?", hit("I'm on nights again", fact_ids=("f1",)), nurse)
    assert not near("What is Tom's job?", hit("I'm on nights again", fact_ids=("f1",)))


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        (hit("I work at the night ward"), False),
        (hit("I work at the night ward", "Nina"), True),
        (hit("you work too much"), True),
        (hit("Nina and I work at the ward"), True),
        (hit("the work is done"), True),
    ],
)
def test_what_somebody_else_says_of_themself_is_not_near_a_question_about_me(said, is_so):
    assert near("Where do I work?", said) is is_so


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("who broke the kettle?", True),
        ("who will clean the bathroom", True),
        ("I broke it. Who knew?", False),
        ("I'll take the bathroom", False),
        ("I said so twice. Also is the bathroom mine?", True),
        ("The bathroom is mine. Is that all right?", False),
    ],
)
def test_a_turn_that_asks_the_same_is_known(text, is_so):
    assert asks_it(matter_of("Who cleans the bathroom?", "en", "Nina"), hit(text)) is is_so


def test_what_only_asks_comes_last_and_what_is_near_first():
    asks, far, answers = (
        hit("who will clean the bathroom"),
        hit("what a day", day=1),
        hit("I'll take the bathroom", day=2, relevance=0.6),
    )
    ordered, found = in_order(matter_of("Who cleans the bathroom?", "en", "Nina"), [asks, far, answers], [])
    assert (ordered, found) == ([answers, far, asks], True)
    assert in_order(matter_of("Who cleans the bathroom?", "en", "Nina"), [asks], []) == ([asks], False)
    assert in_order(matter_of("Who?", "en", "Nina"), [], []) == ([], False)


@pytest.mark.parametrize(
    ("question", "later", "changes"),
    [
        ("What is the wifi password?", "wifi is new again, otter-118", True),
        ("When is the house party?", "ok the party is moved to the 26th", True),
        ("When is the gig?", "gig is postponed to the 5th of december", True),
        ("Where is the gig?", "gig is postponed to the 5th of december", False),
        ("When did the plumber come?", "plumber rescheduled to 11 June", True),
        ("What did the plumber do?", "the plumber changed his number", False),
        ("What was the first wifi password?", "wifi is new again, otter-118", False),
        ("Why did Lotte move out?", "ok the party is moved to the 26th", False),
    ],
)
def test_a_later_turn_that_tells_a_change_of_the_matter_comes_first(question, later, changes):
    matter = matter_of(question, "en", "Nina")
    said = {
        "What": "the first wifi password is pigeon and the plumber came",
        "When": "the house party, the gig and the plumber are on 8 June",
        "Where": "the gig is at the grotto",
        "Why": "Lotte will move out for a postdoc",
    }
    first, second = hit(said[question.split()[0]]), hit(later, day=3)
    assert (in_order(matter, [first, second], [])[0][0] == second) is changes


def test_a_later_turn_that_denies_a_word_of_the_first_comes_before_it():
    first, other = hit("hes called Fergus, the plumber", relevance=0.6), hit("the plumber is late", day=1)
    mended = hit("correction his name is Fergal not Fergus", day=2)
    matter = matter_of("What is the plumber called?", "en", "Nina")
    assert in_order(matter, [first, other, mended], [])[0][0] == mended
    assert in_order(matter, [first, other, hit("I'm not late", day=2)], [])[0][0] == first


def judged(text: str, verdict: float | None, day: int = 0, source: str = "s") -> SegmentHit:
    return replace(hit(text, day=day), verdict=verdict, source_id=source)


def test_verdicts_tell_the_order_and_whether_one_answers():
    loud, answers, asks, unread = (
        judged("the cats were too much", -2.0),
        judged("two of them, both ginger", 1.0, day=1),
        judged("how many cats do you have?", 3.0, day=2),
        judged("you have two cats", None, day=3),
    )
    matter = matter_of("How many cats do I have?", "en", "Nina")
    assert in_order(matter, [loud, asks, answers, unread], [], ANSWERED) == ([answers, loud, unread, asks], True)
    assert in_order(matter, [loud, asks, answers, unread], [], ANSWERED - 0.1) == ([answers, loud, unread, asks], False)
    assert in_order(matter, [asks], [], 9.0) == ([asks], False)
    assert in_order(matter, [], [], -9.0) == ([], False)


def test_a_later_change_comes_before_what_was_judged_to_answer():
    before, after = judged("the party is on the 19th", 2.0), judged("ok the party is moved to the 26th", -1.0, day=1)
    matter = matter_of("When is the party?", "en", "Nina")
    assert in_order(matter, [before, after], [], 1.0) == ([after, before], True)
    assert in_order(matter, [before, after], [], -5.0) == ([after, before], False), "verdicts alone say what answers"


BATHROOM = matter_of("Who cleans the bathroom?", "en", "Nina")


def first(hits: list[SegmentHit]) -> SegmentHit:
    return in_order(BATHROOM, hits, [], 1.0)[0][0]


def test_a_reply_stands_before_all_where_the_likeliest_only_asks():
    asks, mine = judged("who will clean the bathroom", 1.4, day=3), judged("bathroom is me", -2.6)
    reply = replace(judged("I'll take it then", -3.7), at=asks.at + 60)
    assert first([asks, mine, reply, replace(reply, text="bins are me", at=asks.at + 90)]) == reply
    assert first([asks, mine, replace(reply, source_id="t")]) == mine, "said elsewhere it answers nothing"
    assert first([asks, mine, replace(reply, at=asks.at + DAY_S)]) == mine, "nor the next day"
    assert first([replace(asks, verdict=-2.7), mine, reply]) == mine, "what answers better than the asking stays"


def test_of_two_that_answer_as_well_the_later_one_is_first():
    old, new = judged("the bathroom is mine", 0.5, source="t"), judged("Kofi has the bathroom", 0.5 - AS_WELL, day=9)
    assert first([old, new]) == new
    assert first([old, replace(new, verdict=0.4 - AS_WELL)]) == old
    was = matter_of("Who cleaned the bathroom before?", "en", "Nina")
    assert in_order(was, [old, new], [], 1.0)[0][0] == old


def test_a_change_of_another_matter_is_none():
    rent = matter_of("When is the rent due?", "en", "Nina")
    told, thesis = judged("rent is due on the first", 0.6), judged("thesis now due on 31 july", -3.3, day=9)
    assert changed_by(rent, told, [told, thesis]) == thesis
    assert changed_by(rent, told, [told, replace(thesis, verdict=0.5 - FAR_LESS)]) is None


def test_what_was_said_later_tells_whether_something_was_done_not_what_lay_ahead():
    ahead, deed = judged("I'll pay you back for the train", 2.3), judged("he gave me the 62", LEAST_DEED, day=9)
    for question, expected in (("Has dad paid me back?", deed), ("What does dad owe me?", ahead)):
        assert in_order(matter_of(question, "en", "Nina"), [ahead, deed], [], 1.0)[0][0] == expected
    paid = matter_of("Has dad paid me back?", "en", "Nina")
    others = (
        replace(deed, verdict=LEAST_DEED - 0.1),
        replace(deed, at=ahead.at - 1),
        replace(deed, text="he'll give me the 62 at Easter"),
        replace(deed, text="did he pay you back for the train?"),
    )
    for other in others:
        assert in_order(paid, [ahead, other], [], 1.0)[0][0] == ahead, other.text


def test_what_its_owner_told_on_purpose_answers_if_it_has_every_word_and_number():
    told = replace(hit("The plumber's phone number is 555 7260.", "Nina"), source_id="told-1", verdict=-1.04)
    loud = replace(hit("we talked on the phone", day=1), verdict=-3.0)
    asked = matter_of("What is the plumber's phone number?", "en", "Nina")
    assert in_order(asked, [told, loud], [], -1.0) == ([told, loud], True)
    talk = replace(told, source_id="s")
    assert in_order(asked, [talk, loud], [], -1.0) == ([talk, loud], False)
    other = matter_of("What is Tom's phone number?", "en", "Nina")
    assert in_order(other, [told, loud], [], -1.0) == ([told, loud], False)
    wordy = replace(told, text="The plumber's phone number is in the blue book.")
    assert in_order(asked, [wordy, loud], [], -1.0) == ([wordy, loud], False)
