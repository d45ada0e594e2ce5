"""What a name stands for by its uses, values said in answer or exchanged, and habits told anew."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from memory.model.claims import Claim, Reading
from tests.unit.extraction.conftest import said


def reading(*turns: tuple[str, str]) -> Reading:
    return read(said(*turns))


def told(*turns: tuple[str, str]) -> list[tuple[str, str | None, str | None]]:
    return [(c.statement, c.predicate, c.object) for c in reading(*turns).claims]


@pytest.mark.parametrize(
    ("name", "type_", "talk"),
    [
        ("Porto", "place", "We fly to Porto in May. I love Porto."),
        ("Porto", "place", "Porto was lovely. We went to Porto in spring."),
        ("Marek", "person", "I went to Porto with Marek."),
        ("Marek", "person", "We fly to Porto in May with Marek."),
        ("Marek", "person", "I had dinner with Marek."),
        ("Paris", "person", "I had lunch with Paris yesterday."),
        ("Paris", "person", "Paris works at Siemens."),
        ("Dublin", "place", "I love Dublin. Dublin feels like home."),
        ("Anna", "person", "We drove to Anna's on Sunday. Anna was glad."),
        ("Tom", "person", "I live near Tom. Tom works at Bosch."),
        ("Marek", "person", "Marek and I are opening a bakery."),
        ("Tobi", "person", "Anna Keller's boyfriend Tobi works at Siemens."),
    ],
)
def test_a_name_is_what_the_conversation_uses_it_for(name: str, type_: str, talk: str) -> None:
    assert {s.type for s in reading(("Ana", talk)).sightings if s.name == name} == {type_}


def test_a_firm_one_flies_with_is_nobody() -> None:
    assert {s.type for s in reading(("Ana", "I flew with Lufthansa.")).sightings if s.name == "Lufthansa"} == {
        "organization"
    }


def test_a_firm_one_goes_to_stays_a_firm() -> None:
    assert "place" not in {s.type for s in reading(("Ana", "We drove to Google.")).sightings if s.name == "Google"}


def test_whose_kin_somebody_is_is_no_part_of_the_name() -> None:
    claims = reading(("Ana", "Anna Keller's boyfriend Tobi works at Siemens.")).claims
    assert [(c.subject, c.subject_type, c.statement) for c in claims] == [
        ("Tobi", "person", "Tobi works at Siemens"),
        ("Anna Keller", "person", "Anna Keller's boyfriend is Tobi"),
    ]


def test_of_those_met_together_each_keeps_one_name() -> None:
    (claim, *_) = reading(("Ana", "I met Anna Keller and her boyfriend Tobi.")).claims
    assert claim.object == "Anna Keller"


@pytest.mark.parametrize("text", ["Tim studies law.", "Tim studies law in Bonn."])
def test_a_clause_taken_for_a_compound_is_read(text: str) -> None:
    (claim,) = reading(("Ana", text)).claims
    assert (claim.subject, claim.predicate) == ("Tim", "studies")
    assert (claim.object or "").startswith("law")


CORRECTED = [
    ("I live in Flat 7.", "Flat 9, not 7.", ("Ana lives in Flat 9", "lives_in", "Flat 9")),
    ("I work at Siemens.", "No, at Bosch, not Siemens.", ("Ana works at Bosch", "works_at", "Bosch")),
    ("The code is 400 on my card. My budget is 400 euros.", "500, not 400.", ("Ana's budget is 500 euros", None, None)),
]


@pytest.mark.parametrize(("before", "now", "claim"), CORRECTED)
def test_a_correction_says_again_what_it_corrects(before: str, now: str, claim: tuple[str, str, str]) -> None:
    turns = (("Ana", before), ("Ben", "Noted."), ("Ana", now))
    last = reading(*turns).claims[-1]
    assert (last.statement, last.change, last.segment_key) == (claim[0], True, 2)
    assert claim[1] is None or (last.predicate, last.object) == claim[1:]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I work at Siemens.", "Certainly not Siemens."),
        ("I love this city.", "Maybe, not this city."),
        ("I have 7 plants.", "Flat 9, not 7."),
        ("I live in Flat 7.", "Room 9, not room 7."),
        ("I don't eat meat.", "Fish, not meat."),
    ],
)
def test_what_denies_or_counts_something_else_corrects_nothing(before: str, now: str) -> None:
    assert [c.change for c in reading(("Ana", before), ("Ana", now)).claims] == [False]


@pytest.mark.parametrize(
    ("before", "now", "statement", "object_"),
    [
        ("We need 5 eggs.", "We need 3, not 5.", "Ana and others need 3, not 5", None),
        ("I'm a nurse.", "I'm a doctor, not a nurse.", "Ana is a doctor, not a nurse", "doctor"),
        ("I'm a nurse.", "A doctor, not a nurse.", "Ana is a doctor", "doctor"),
        ("I paid 400 euros.", "500 euros, not 400.", "Ana paid 500 euros", None),
    ],
)
def test_the_value_alone_is_exchanged(before: str, now: str, statement: str, object_: str | None) -> None:
    last = reading(("Ana", before), ("Ben", "ok"), ("Ana", now)).claims[-1]
    assert (last.statement, last.object) == (statement, object_)


def test_an_answer_to_a_question_is_no_correction_but_of_what_it_asks() -> None:
    def last(question: str) -> Claim:
        return reading(("Ana", "I have 2 kids."), ("Ben", question), ("Ana", "3, not 2.")).claims[-1]

    assert (last("What time is it?").predicate, last("What time is it?").change) == ("answered", False)
    assert (last("You have 2, right?").statement, last("You have 2, right?").change) == ("Ana has 3 kids", True)


@pytest.mark.parametrize("now", ["Tired, not ill.", "Flat 9, not 8.", "Is it 9, not 7?"])
def test_what_corrects_nothing_that_was_said_says_nothing_new(now: str) -> None:
    assert told(("Ana", "I live in Flat 7."), ("Ana", now))[1:] == []


def test_another_may_not_correct_it() -> None:
    assert told(("Ana", "I live in Flat 7."), ("Ben", "Flat 9, not 7.")) == [
        ("Ana lives in Flat 7", "lives_in", "Flat 7")
    ]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("How much do you weigh now?", "77 kg.", ("Ana weighs 77 kg", "weighs", "77 kg")),
        ("How old are you?", "42.", ("Ana is 42 years old", "age_is", "42")),
        ("Where do you live?", "In New York.", ("Ana lives in New York", "lives_in", "New York")),
        ("Where do you work these days?", "Siemens", ("Ana works at Siemens", "works_at", "Siemens")),
        ("What do you do for a living?", "Carpenter.", ("Ana works as carpenter", "works_as", "carpenter")),
        ("What do you study?", "Law.", ("Ana studies law", "studies", "law")),
    ],
)
def test_a_bare_answer_is_read_as_if_said_in_full(question: str, answer: str, claim: tuple[str, str, str]) -> None:
    assert claim in told(("Ben", question), ("Ana", answer))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much do you weigh?", "Too much."),
        ("How much do you weigh?", "3 more than you."),
        ("Where are you from?", "Here."),
        ("Where do you live?", "No idea."),
        ("Where do you work?", "Monday."),
        ("Where do you work out?", "Gym."),
        ("When did your job start?", "Monday."),
        ("How far is your job from there?", "20 minutes."),
        ("Why did you quit your job?", "bad boss"),
        ("What do you do for a living?", "good question"),
        ("When's your birthday?", "In 2 weeks."),
        ("How old are you, Cleo?", "42."),
        ("If somebody asks where you live, where do you live to them?", "Berlin."),
    ],
)
def test_no_answer_is_no_value(question: str, answer: str) -> None:
    assert {predicate for _, predicate, _ in told(("Ben", question), ("Ana", answer))} <= {None, "answered"}


def test_what_one_takes_in_is_a_habit_denied_or_taken_up_again() -> None:
    def habits(text: str) -> list[Claim]:
        return [c for c in reading(("Ana", text)).claims if c.predicate == "habit:eat"]

    assert [(c.object, c.polarity) for c in habits("I don't eat fish.")] == [("fish", False)]
    assert [(c.object, c.polarity) for c in habits("I eat fish again.")] == [("fish", True)]
    assert habits("I'm eating fish.") == habits("I ate fish.") == []
    for once in (
        "I eat lunch with Marek tomorrow.",
        "I eat when I'm stressed.",
        "So I eat the cake.",
        "I eat my words.",
    ):
        assert habits(once) == []
    assert "habit" not in {s.type for s in reading(("Ana", "I don't eat fish.")).sightings}


def test_what_is_left_of_thanks_answers_nothing() -> None:
    assert told(("Ben", "Does this help?"), ("Ana", "Thanks for the double check!")) == []
    assert told(("Ben", "What's new?"), ("Ana", "Congrats on your ferry, Ben!")) == []


def test_what_one_used_for_something_is_no_former_habit() -> None:
    (claim, *_) = reading(("Ana", "I used Rhymster to find 12 new verses for my speech.")).claims
    assert not (claim.predicate or "").startswith("formerly")


def test_trouble_is_not_met_as_somebody_is() -> None:
    (claim, *_) = reading(("Ana", "I'm running into some trouble with the gearbox.")).claims
    assert claim.predicate != "met"


def test_i_am_is_said_of_a_name_as_is() -> None:
    assert "am" not in told(("Ana", "I'm feeling restless in winter so I'm baking a few."))[0][0].split()


def test_what_one_tries_to_work_out_is_not_shown() -> None:
    (claim, *_) = reading(("Ana", "I'm trying to solve a puzzle with two knots and a ring.")).claims
    assert claim.importance < 4


def test_a_question_behind_a_plea_is_no_fact() -> None:
    said_of = told(("Ana", "I'm a painter, so can you help me work it out, and how does this bear on the varnish"))
    assert not any(statement.startswith("How") for statement, _, _ in said_of)


def test_what_is_said_of_a_deed_is_not_the_deed() -> None:
    claims = reading(("Ana", "Starting this orchard isn't just a pastime, it's a home for bees to thrive.")).claims
    assert "started" not in {claim.predicate for claim in claims}
    assert [c.predicate for c in reading(("Ana", "Starting a cider press next month.")).claims] == ["started"]


@pytest.mark.parametrize("text", ["Tell Ben I am late.", "Remind Ben about the party.", "Please tell Ben I am late."])
def test_an_order_is_no_part_of_the_name_that_follows_it(text: str) -> None:
    assert {s.name for s in reading(("Ana", text)).sightings if s.type == "person"} == {"Ana", "Ben"}


@pytest.mark.parametrize("text", ["Got it, thanks.", "I got it, thanks.", "Tom changed his mind."])
def test_what_only_points_is_no_fact(text: str) -> None:
    assert told(("Ana", text)) == []


def test_we_are_not_the_family_for_whom_something_is_done() -> None:
    [(statement, _, _)] = told(("Ana", "We are planning a party for my mother."))
    assert statement.startswith("Ana and others ")
    [(statement, _, _)] = told(("Ana", "We drove the kids to a lake."))
    assert statement.startswith("Ana and their family ")
