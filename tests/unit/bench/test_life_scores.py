"""Scores of answers at a glance, and labels of facts."""

import pytest

from bench.life_model import LifeQuestion
from bench.life_scores import JudgedFacts, figures, judged, parse_labels, score
from memory.errors import Invalid
from memory.services.answer import NEAREST, NOTHING


def asked(kind: str = "fact", must: tuple[tuple[str, ...], ...] = (("Halle",),), *mustnot: str) -> LifeQuestion:
    return LifeQuestion("Where do I live?", kind, must, mustnot)


def test_what_counts_stands_in_the_first_line() -> None:
    assert score(asked(), 'Ana lives in HALLE\n"I moved." - Ana').right
    assert not score(asked(), 'Ana moved\n"I live in Halle." - Ana').right
    assert not score(asked(), f'{NEAREST}\n"I live in Halle." - Ana').right
    assert not score(asked(), NOTHING).wrong_first


def test_every_part_must_be_said_by_one_of_its_alternatives() -> None:
    question = asked("fact", (("peanuts",), ("dogs", "dog hair")))
    assert score(question, "Peanuts, and dog  hair").right
    assert not score(question, "Peanuts").right


def test_of_a_list_the_listed_lines_count_and_quotations_do_not() -> None:
    question = asked("list", (("peanuts",), ("dogs",)))
    assert score(question, 'Two things:\nAna is allergic to peanuts - 3 May [a/1]\nand dogs\n"I sneeze." - Ana').right
    assert not score(question, 'Ana is allergic to peanuts\n"I cannot stand dogs." - Ana').right
    assert not score(question, '"peanuts" - Ana\nand dogs').right
    assert not score(asked("fact", (("peanuts",), ("dogs",))), "Ana is allergic to peanuts\nand dogs").right


def test_who_said_it_and_where_answers_nothing_and_the_day_only_when_it_is_asked_for() -> None:
    line = '"its the big day today, finally" - Ana, 9 June 2026 [a-8/3]'
    assert not score(asked("fact", (("Ana",),)), line).right
    assert not score(asked("count", (("8",),)), line).right
    assert not score(asked("fact", (("9 June",),)), line).right
    assert score(asked("when", (("9 June",),)), line).right
    assert not score(asked("list", (("8",),)), "Ana sings - 9 June 2026 [a-8/3]").right


def test_what_must_not_be_said_makes_the_first_line_wrong() -> None:
    reply = score(asked("change", (("Halle",),), "lives in Leipzig"), "Ana lives in Leipzig (before: Halle)")
    assert (reply.right, reply.wrong_first) == (False, True)


def test_a_missed_change_is_not_right_and_misleads_nobody() -> None:
    reply = score(asked("change"), "Ana likes cake")
    assert (reply.right, reply.wrong_first) == (False, False)


def test_a_correction_that_is_not_told_first_misleads() -> None:
    assert score(asked("correction"), "Ana likes cake").wrong_first
    assert not score(asked("correction"), "Ana lives in Halle").wrong_first


def test_what_was_forgotten_is_said_nowhere() -> None:
    question = asked("correction", (), "cats")
    assert score(question, NOTHING).right
    assert not score(question, f'{NEAREST}\n"I sneeze near cats." - Ana').right


@pytest.mark.parametrize("answer", [NOTHING, "", f'{NEAREST}\n"I bought shoes." - Ana'])
def test_what_cannot_be_answered_is_met_with_silence_or_a_disclaimer(answer: str) -> None:
    reply = score(asked("unanswerable", ()), answer)
    assert (reply.right, reply.wrong_first) == (True, False)
    assert reply.silent != reply.disclaimed


def test_what_cannot_be_answered_and_is_misleads() -> None:
    reply = score(asked("unanswerable", ()), '"I bought shoes." - Ana')
    assert (reply.right, reply.wrong_first) == (False, True)


@pytest.mark.parametrize(
    ("words", "answer", "holds"),
    [
        ("no", "I have nothing about that, I know.", False),
        ("no", "No, Ana does not.", True),
        ("yes", "That was yesterday", False),
        ("71", "It is 71k", True),
        ("71", "It is 4471", False),
        ("4", "On 14 May", False),
        ("Bo's", "Bo’s bike", True),
        ("dog", "dogs", True),
        ("a.b", "axb", False),
    ],
)
def test_short_words_and_numbers_are_whole(words: str, answer: str, holds: bool) -> None:
    assert score(asked("fact", ((words,),)), answer).right is holds


def test_figures_are_shares_of_what_there_is() -> None:
    replies = [
        score(asked(), "Halle"),
        score(asked("correction"), "Leipzig"),
        score(asked("correction"), "Halle"),
        score(asked("unanswerable", ()), "Halle"),
    ]
    found = figures(replies)
    assert (found.questions, found.right, found.wrong_first) == (4, 50.0, 50.0)
    assert (found.corrections, found.unanswerable) == (50.0, 0.0)
    assert figures(replies[:1]).corrections is None


def test_labels_are_counted() -> None:
    labels = parse_labels(
        "# ana\nright | Ana lives in Halle | lives_in | 1.1 Ana: moved | out\n\nwrong | Bo is dead\n? | Ana sneezes",
        "labels.txt",
    )
    found = judged(["Ana lives in Halle", "Bo is dead", "Ana sneezes", "Ana sings"], labels)
    assert found == JudgedFacts(right=1, wrong=1, useless=0, unlabelled=2)
    assert found.wrong_share == 50.0
    assert judged(["Ana sings"], labels).wrong_share is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("maybe | Bo is dead", "line 1"),
        ("right", "line 1"),
        ("right | Bo sings\nwrong | Bo sings", "line 2: the statement has another label"),
    ],
)
def test_a_label_that_is_none_is_told(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        parse_labels(text, "labels.txt")


def test_where_turns_answer_the_first_that_is_cited_counts() -> None:
    question = LifeQuestion("When is the vet?", "when", must=(("the 16th",),), turns=("1.2", "2.4"))
    right, other = '"sorry no the 16th" - Ines, 6 April 2025 [pets-1/2]', '"the 14th" - Ines, 6 April 2025 [pets-1/1]'
    assert score(question, f"{right}\n{other}").right
    assert score(question, f"{other}\n{right}").wrong_first
    cautious = score(question, f"{NEAREST}\n{right}")
    assert (cautious.right, cautious.wrong_first, cautious.disclaimed) == (False, False, True)
    assert not score(question, NOTHING).wrong_first
