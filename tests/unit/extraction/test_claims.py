"""What a claim carries beside its predicate: subject, slot, polarity, time, importance."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from memory.model.claims import Claim
from tests.unit.extraction.conftest import THURSDAY, reading


def claim(text: str, predicate: str | None) -> Claim:
    found = [c for c in reading(text).claims if c.predicate == predicate]
    assert found, reading(text).claims
    return found[0]


def instant(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]


def test_i_is_the_speaker_and_the_statement_is_in_the_third_person() -> None:
    found = claim("I've got a new bike and I love my garden.", "likes")
    assert (found.subject, found.statement) == ("Ana", "Ana loves their garden")


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work 9am to 5pm.", "Ana works 9am to 5pm"),
        ("I work from 9 am to 5 pm every day.", "Ana works from 9 am to 5 pm every day"),
        ("I am tall.", "Ana is tall"),
    ],
)
def test_am_after_a_number_is_a_time_and_no_form_of_be(text: str, statement: str) -> None:
    said = [re.sub(r" \([^)]*\)", "", each.statement) for each in reading(text).claims]
    assert any(each.startswith(statement) for each in said), said


def test_the_quote_is_verbatim() -> None:
    text = "Wow, Ben! Gonna visit Rome next week 😊. It’s great."
    assert all(c.quote in text for c in reading(text).claims)


def test_a_favourite_has_the_slot_it_was_named_with() -> None:
    found = claim("My favourite coffee is flat white.", "prefers")
    assert (found.subject, found.slot, found.object, found.kind) == ("Ana", "coffee", "flat white", "preference")


def test_a_preference_takes_its_slot_from_the_class_of_the_thing() -> None:
    found = claim("I've switched to oat milk lattes, I prefer them now.", "prefers")
    assert (found.slot, found.object, found.change) == ("coffee", "oat milk lattes", True)


def test_both_sides_of_a_preference_share_its_slot() -> None:
    assert claim("I prefer window seats over aisle seats.", "prefers").slot == "seat"


def test_a_value_nobody_can_name_is_no_fact() -> None:
    assert reading("I prefer it in the evening.").claims == ()


@pytest.mark.parametrize("text", ["I work at Plume Books, so I need it.", "I work at Plume Books and I love it."])
def test_what_only_points_is_no_fact_of_its_own(text: str) -> None:
    assert [c.predicate for c in reading(text).claims] == ["works_at"]


def test_a_thing_with_an_article_is_no_person() -> None:
    assert [c.subject for c in reading("The tram woke me up again.").claims] == ["Ana"]


def test_moving_entails_living_there_from_then_on() -> None:
    found = claim("I moved to Lisbon last month.", "lives_in")
    assert (found.object, found.object_type, found.tense, found.change) == ("Lisbon", "place", "state", True)
    assert (found.valid_from, found.valid_to) == (instant(2023, 4, 1), None)


def test_a_wish_to_move_entails_nothing() -> None:
    assert [c for c in reading("I want to move to Lisbon.").claims if c.predicate == "lives_in"] == []


def test_an_event_holds_at_its_time() -> None:
    found = claim("I joined a gym yesterday.", "joined")
    assert (found.tense, found.valid_from, found.valid_to) == ("event", instant(2023, 5, 24), instant(2023, 5, 25))


def test_relative_time_is_made_absolute_in_the_statement() -> None:
    assert claim("I joined a gym yesterday.", "joined").statement == "Ana joined a gym yesterday (24 May 2023)"


def test_an_earlier_sentence_dates_the_past_of_a_later_one() -> None:
    found = claim("Last night was splendid! I met an old friend.", "met")
    assert (found.valid_from, found.valid_to) == (instant(2023, 5, 24), instant(2023, 5, 25))


def test_for_years_says_since_when() -> None:
    found = claim("I've been studying law for 4 years now.", "studies")
    assert (found.tense, found.valid_from, found.valid_to) == ("state", instant(2019, 5, 25), None)


def test_a_plan_holds_from_now_and_is_due_at_the_end_of_its_time() -> None:
    found = claim("I'm going to adopt a dog next month.", "plans")
    assert (found.tense, found.valid_from) == ("plan", THURSDAY)
    assert found.due == instant(2023, 7, 1) - 1


def test_an_undated_fact_holds_from_when_it_was_said() -> None:
    assert claim("I work at Siemens.", "works_at").valid_from == THURSDAY


def test_negation_is_a_claim_of_its_own_polarity() -> None:
    assert claim("I don't like jazz.", "likes").polarity is False
    assert claim("I don't work at Siemens anymore.", "works_at").polarity is False
    assert claim("I can't stand cilantro.", "dislikes").polarity is True


def test_a_change_cue_is_marked() -> None:
    assert claim("I work at Siemens now.", "works_at").change is True
    assert claim("I work at Siemens.", "works_at").change is False


def test_my_sister_is_meant_by_her_name_once_it_was_said() -> None:
    found = reading("My sister works at Bosch.", before=[("Ana", "My sister Jane called."), ("Ben", "Ok.")]).claims
    assert [(c.subject, c.object) for c in found if c.predicate == "works_at"] == [("Jane", "Bosch")]


def test_my_sister_without_a_name_is_the_speakers_sister() -> None:
    assert claim("My sister works at Bosch.", "works_at").subject == "Ana's sister"


def test_she_is_the_woman_last_named() -> None:
    found = reading("My sister Jane visited us. She works at Bosch.").claims
    assert ("Jane", "works_at", "Bosch") in {(c.subject, c.predicate, c.object) for c in found}


def test_what_is_said_to_somebodys_face_is_no_fact() -> None:
    assert reading("You moved to Lisbon so bravely.").claims == ()


@pytest.mark.parametrize("text", ["I'm not vegan.", "I'm not a nurse.", "I never learned to drive."])
def test_a_denial_is_a_denial_wherever_the_not_hangs(text: str) -> None:
    assert [c.polarity for c in reading(text).claims] == [False]


@pytest.mark.parametrize(
    ("text", "weighty"),
    [
        ("I want to be sure it lasts.", False),
        ("I'm glad you chose enamel for your brooch.", False),
        ("We will rock the floor.", False),
        ("I love the comfort and energy it gives.", False),
        ("I bought a kayak.", True),
        ("I love baroque opera.", True),
        ("I have a dog named Rex.", True),
    ],
)
def test_chat_filler_is_kept_and_not_promoted(text: str, weighty: bool) -> None:
    assert any(c.importance >= 4 for c in reading(text).claims) is weighty


def test_weight_rises_with_predicate_and_date_and_falls_with_opinion() -> None:
    dated = claim("I moved to Lisbon last month.", "moved_to").importance
    plain = claim("I washed the plates in the sink.", None).importance
    opinion = claim("The weather in March was nice.", None).importance
    assert dated >= 8 > plain >= 4 > opinion


def test_a_fragment_is_given_with_the_question_it_answers() -> None:
    found = reading("Three times a week.", before=[("Ben", "How often do you run?")]).claims
    assert [c.predicate for c in found] == ["answered"]
    assert found[0].statement == "Asked “How often do you run?”, Ana answers: three times a week"


def test_doubt_and_hearsay_cost_confidence() -> None:
    sure = claim("I work at Siemens.", "works_at").confidence
    unsure = claim("I think I work at Siemens.", "works_at").confidence
    assert sure is not None
    assert unsure is not None
    assert unsure < sure


def test_a_promise_has_its_due_time() -> None:
    found = claim("I'll send you the photos by Friday.", "promises")
    assert (found.tense, found.due) == ("plan", instant(2023, 5, 27) - 1)


def test_a_wish_is_no_fact_and_an_aim_is_one() -> None:
    assert reading("I'd love to visit Rome.").claims == ()
    assert claim("I want to visit Rome.", "wants").statement == "Ana wants to visit Rome"


def test_an_opinion_of_what_should_be_says_whose_it_is() -> None:
    (found,) = reading("I firmly believe that trains should be free.").claims
    assert (found.subject, found.statement) == ("Ana", "Ana believes trains should be free")


def test_a_fact_about_two_is_about_the_first_named() -> None:
    assert reading("Tom and Alice got married in July.").claims[0].subject == "Tom"


def test_a_named_pet_is_no_person() -> None:
    seen = reading("I have a dog named Rex. Rex sleeps all day.").sightings
    assert {s.type for s in seen if s.name == "Rex"} == {"topic"}


def test_what_names_nothing_weighs_less() -> None:
    assert claim("I am determined to see it through.", "feels").importance < 4


def test_a_misspelt_name_is_no_answer() -> None:
    assert reading("Thanks, Benn!", [("Ben", "What is your plan for the party?")]).claims == ()


def test_a_name_in_answer_keeps_its_capital() -> None:
    found = reading("Tobi did.", [("Ben", "Who told you about Hamburg being expensive?")]).claims
    assert found[0].statement.endswith("Ana answers: Tobi did")


def test_who_is_helped_to_do_something_is_named() -> None:
    assert claim("I'll help you move on Saturday.", "promises").statement.startswith("Ana will help Ben move on")


def test_a_day_ahead_dates_nothing_that_was() -> None:
    found = reading("I start at Nordlicht Studios on 1 June. They offered me 52k.").claims
    assert [(c.statement, c.valid_from) for c in found][1] == ("They offered Ana 52k", THURSDAY)


def test_a_figure_on_the_scales_is_a_weight() -> None:
    found = claim("I weigh 84 kg.", "weighs")
    assert (found.object, found.tense) == ("84 kg", "state")
    assert reading("I'm weighing a move to Berlin.").claims == ()


def test_a_diet_has_a_slot_and_an_allergy_has_none() -> None:
    assert [claim(f"I'm {diet}.", "has_condition").slot for diet in ("vegetarian", "pescatarian")] == ["diet", "diet"]
    assert claim("I'm allergic to nuts.", "has_condition").slot is None
    assert claim("I was pregnant in 2019.", "has_condition").valid_to == instant(2020, 1, 1)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("I visited Clara in Bremen.", ["Clara"]),
        ("I visited Rome, Paris and Nice last year.", ["Rome", "Paris", "Nice"]),
        ("Visited Porto and then Madrid.", ["Porto", "Madrid"]),
        ("I visited the zoo.", ["zoo"]),
        ("I visited the zoo and the harbour.", ["zoo and the harbour"]),
        ("I visited the zoo, the harbour and the park.", ["zoo, the harbour and the park"]),
        ("I visited the zoo and went home.", ["zoo"]),
    ],
)
def test_every_place_visited_is_one_of_its_own(text: str, places: list[str]) -> None:
    assert [c.object for c in reading(text).claims if c.predicate == "visited"] == places


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("Tim lives in Paris.", ("lives_in", "Paris")),
        ("Tim works at Siemens.", ("works_at", "Siemens")),
        ("Tim wants a dog.", ("wants", "dog")),
        ("Tim plays chess.", ("plays", "chess")),
    ],
)
def test_a_short_name_before_its_verb_is_its_subject(text: str, claimed: tuple[str, str]) -> None:
    assert ("Tim", *claimed) in [(c.subject, c.predicate, c.object) for c in reading(text).claims]


def test_a_day_is_the_subject_of_nothing_said_of_it() -> None:
    assert "Monday" not in {c.subject for c in reading("Monday works for me.").claims}


@pytest.mark.parametrize(
    "text", ["I'm a billionaire, I'll buy you the restaurant.", "I'm Superman, I'll bring you it."]
)
def test_a_boast_and_what_is_offered_with_it_claim_nothing(text: str) -> None:
    assert not reading(text).claims


@pytest.mark.parametrize(("text", "home"), [("Mia is moving to Hamburg.", []), ("Mia moved to Hamburg.", ["Hamburg"])])
def test_who_is_moving_to_a_town_does_not_live_there_yet(text: str, home: list[str]) -> None:
    assert [each.object for each in reading(text).claims if each.predicate == "lives_in"] == home
