"""A table of sentences Ana says to Ben on Thursday 25 May 2023, and what is believed of them."""

from __future__ import annotations

import pytest

from tests.unit.extraction.conftest import reading

TYPED = [
    # where, with whom and of what one lives
    ("I live in Porto.", "lives_in", "Porto"),
    ("I'm living in Porto these days.", "lives_in", "Porto"),
    ("I moved to Lisbon last month.", "moved_to", "Lisbon"),
    ("I moved to Lisbon last month.", "lives_in", "Lisbon"),
    ("We moved from Iceland three winters ago.", "moved_from", "Iceland"),
    ("I'm from Norway.", "comes_from", "Norway"),
    ("I grew up in Ohio.", "comes_from", "Ohio"),
    ("I work at Siemens now.", "works_at", "Siemens"),
    ("I work for a small startup.", "works_at", "small startup"),
    ("I'm a nurse.", "works_as", "nurse"),
    ("I work as a translator.", "works_as", "translator"),
    ("Lost my roofing job on Monday.", "left_job", None),
    ("I quit my job at the bank.", "left_job", "bank"),
    ("I study biology.", "studies", "biology"),
    ("I'm studying for my exams.", "studies", "exams"),
    ("I'm trying to carve a sundial.", "works_on", "carve a sundial"),
    ("I'm 34 years old.", "age_is", "34"),
    ("My birthday is on June 3.", "birthday_is", "June 3"),
    ("I'm single.", "has_status", "single"),
    ("I'm married.", "has_status", "married"),
    ("I married Tom in 2016.", "married_to", "Tom"),
    ("I'm allergic to peanuts.", "has_condition", "allergic to peanuts"),
    ("I am vegan.", "has_condition", "vegan"),
    ("My sister Jane lives in Berlin.", "has_sister", "Jane"),
    ("My sister Jane lives in Berlin.", "lives_in", "Berlin"),
    ("I have a dog named Rex.", "has_pet", "Rex"),
    ("My husband Paul cooks every day.", "has_husband", "Paul"),
    ("My boss, Carla, is strict.", "has_boss", "Carla"),
    # likes
    ("I love baroque opera.", "likes", "baroque opera"),
    ("I'm really into climbing.", "likes", "climbing"),
    ("I'm passionate about teaching kids.", "likes", "teaching kids"),
    ("I'm a great fan of jazz.", "likes", "jazz"),
    ("I hate cilantro.", "dislikes", "cilantro"),
    ("I can't stand cilantro.", "dislikes", "cilantro"),
    ("Maya hates jazz now.", "dislikes", "jazz"),
    ("I dislike running now.", "dislikes", "running"),
    ("My favourite coffee is flat white.", "prefers", "flat white"),
    ("My favorite book is Dune.", "prefers", "Dune"),
    ("I prefer tea over coffee.", "prefers", "tea"),
    ("I've switched to oat milk lattes, I prefer them now.", "switched_to", "oat milk lattes"),
    ("I've switched to oat milk lattes, I prefer them now.", "prefers", "oat milk lattes"),
    ("I used to smoke.", "formerly:smoke", "smoke"),
    ("I stopped drinking coffee.", "stopped", "drinking coffee"),
    ("I gave up meat in March.", "stopped", "meat"),
    # doing
    ("I play the violin.", "plays", "violin"),
    ("I played chess yesterday.", "played", "chess"),
    ("I teach yoga.", "teaches", "yoga"),
    ("I'm learning Spanish.", "learns", "Spanish"),
    ("I read Dune last week.", "read", "Dune"),
    ("I volunteer at a hedgehog hospital.", "volunteers_at", "hedgehog hospital"),
    ("I joined a rowing crew last weekend.", "joined", "rowing crew"),
    ("I signed up for a welding course.", "joined", "welding course"),
    ("I attended an organ recital last Friday.", "attended", "organ recital"),
    ("I went to a quilting bee yesterday.", "visited", "quilting bee"),
    ("I visited the Wadden Sea last summer.", "visited", "Wadden Sea"),
    ("We celebrated my uncle's birthday.", "celebrates", "birthday"),
    ("I'm hosting a chess tournament next month.", "hosts", "chess tournament"),
    ("I started a bakery in 2019.", "started", "bakery"),
    ("I finished the marathon.", "completed", "marathon"),
    ("I won first prize.", "completed", "first prize"),
    ("I painted a windmill last year.", "made", "windmill"),
    ("I bought a new bike.", "acquired", "new bike"),
    ("I adopted a puppy.", "acquired", "puppy"),
    ("I met an old friend.", "met", "old friend"),
    ("I go running every morning.", "habit:go", "running"),
    ("I usually walk to the office.", "habit:walk", None),
    # to come
    ("I'm planning to open a studio.", "plans", "open a studio"),
    ("I'm going to adopt a child.", "plans", "adopt a child"),
    ("I want to learn surfing.", "wants", "learn surfing"),
    ("I want to visit Japan.", "wants", "visit Japan"),
    ("Looking forward to the concert!", "wants", "concert"),
    ("I decided to start my own business.", "decides", "start Ana's own business"),
    ("I chose the blue one.", "decides", "blue one"),
    ("The deadline is 3 June.", "deadline_is", None),
    # inner life
    ("I feel proud.", "feels", "proud"),
    ("I'm so excited!", "feels", "excited"),
    ("I'm exhausted.", "feels", "exhausted"),
    ("I have never eaten sushi.", "never_did", "sushi"),
    ("I've never been to Paris.", "visited", "Paris"),
    ("I went vegan.", "has_condition", "vegan"),
    ("I've turned vegetarian.", "has_condition", "vegetarian"),
    # elided subjects, chat, greetings, splices, questions
    ("Hey Ben! Been learning Spanish lately.", "learns", "Spanish"),
    ("Gonna visit my aunt tomorrow.", "plans", "visit Ana's aunt"),
    ("Wow, Ben, bought a new bike yesterday!", "acquired", "new bike"),
    ("Considering that I work at Siemens, can you suggest a gym?", "works_at", "Siemens"),
    ("I moved to Lisbon, so could you recommend a school?", "moved_to", "Lisbon"),
    ("I think I prefer tea over coffee.", "prefers", "tea"),
    ("Thanks, Ben! I teach yoga, it's fun.", "teaches", "yoga"),
]

NOTHING = [
    "What do you do?",
    "Do you live in Porto?",
    "Have you ever been to Rome",
    "If I win the lottery I will buy a boat.",
    "I would move to Paris if I could.",
    "I could work at Google.",
    "I might quit my job.",
    "What if I moved to Spain?",
    "Imagine I lived on Mars.",
    "I'm moving to Mars next week. Just kidding!",
    "I married a giraffe, lol not really.",
    "I bought a tank jk",
    "Let's go to Rome!",
    "Please send me the file.",
    "Don't forget your umbrella.",
    "Talk to you soon!",
    "Take care, Ben!",
    "Your flowers mean the world to me.",
    "That sounds great!",
    "Good luck!",
    "You're right.",
    "It was awesome!",
    "Wow!",
    '"I love you too."',
    "I wish I lived in Rome.",
    "Check out my new painting!",
    "",
    "```python\nI = 3\n```",
    "https://example.org/i-live-in-rome",
    "Here's a sketch of my shed.",
    "Glad you had fun.",
    "Unless I move to Rome, nothing changes.",
]


@pytest.mark.parametrize(("text", "predicate", "object_"), TYPED)
def test_an_assertion_is_typed(text: str, predicate: str | None, object_: str | None) -> None:
    found = {(claim.predicate, claim.object) for claim in reading(text).claims}
    assert any(p == predicate and (object_ is None or o == object_) for p, o in found), found


@pytest.mark.parametrize("text", NOTHING)
def test_what_asserts_nothing_claims_nothing(text: str) -> None:
    assert [claim.statement for claim in reading(text).claims] == []
