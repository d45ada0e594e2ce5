"""What is believed of a model's answer, and what the words do not carry."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.extraction.model_answer import SaidFact, SeenEntity
from adapters.extraction.model_claims import claims_of
from adapters.extraction.model_grounds import UtteranceContext, grounds_of
from adapters.extraction.model_sightings import sightings_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.timeline import iso

AT = datetime(2026, 3, 3, 18, tzinfo=UTC).timestamp()


def said(text: str, speaker: str = "Maya", key: int = 1, **more: Any) -> Utterance:
    return Utterance("s1", f"g{key}", key, 1, speaker, text, AT, **more)


def grounds(text: str, *earlier: Utterance, speaker: str = "Maya") -> UtteranceContext:
    return grounds_of(said(text, speaker), earlier, ("Maya", "Daniel"))


def believed(text: str, evidence: str, fact: str, *earlier: Utterance) -> list[Claim]:
    """The claims of one fact, written `subject | predicate | object | statement`."""
    return list(claims_of([SaidFact(*fact.split(" | "), evidence)], grounds(text, *earlier)))  # type: ignore[call-arg]


def seen(text: str, type_: str, name: str, evidence: str) -> list[Sighting]:
    found = sightings_of([SeenEntity(type_, name, evidence)], (), grounds(text))
    return [sighting for sighting in found if sighting.confidence < 0.9]


@pytest.mark.parametrize(
    ("text", "evidence", "fact", "expected"),
    [
        (
            "I work at Acme.",
            "I work at Acme",
            "Maya | works_at | Acme | Maya works at Acme",
            ("Maya", "works_at", "Acme"),
        ),
        (
            "I work  at\nAcme.",
            "i work at Acme.",
            "I | works_at | Acme | Maya works at Acme",
            ("Maya", "works_at", "Acme"),
        ),
        (
            "I’m allergic to nuts",
            "I'm allergic to nuts",
            "Maya | has_condition | allergic to nuts | Maya is allergic to nuts",
            ("Maya", "has_condition", "allergic to nuts"),
        ),
        (
            "My sister Vera is a nurse.",
            "Vera is a nurse",
            "Vera | works_as | nurse | Vera is a nurse",
            ("Vera", "works_as", "nurse"),
        ),
        (
            "My sister Vera is a nurse.",
            "My sister Vera",
            "Maya | has_sister | Vera | Maya has a sister named Vera",
            ("Maya", "has_sister", "Vera"),
        ),
        (
            "I can't stand cilantro.",
            "I can't stand cilantro",
            "Maya | dislikes | cilantro | Maya dislikes cilantro",
            ("Maya", "dislikes", "cilantro"),
        ),
        (
            "I run every Monday.",
            "I run every Monday",
            "Maya | habit | run | Maya runs every Monday",
            ("Maya", "habit:run", "run"),
        ),
        (
            "I prefer lattes now.",
            "I prefer lattes",
            "Maya | prefers | lattes | Maya prefers lattes",
            ("Maya", "prefers", "lattes"),
        ),
    ],
)
def test_what_was_said_is_believed(text, evidence, fact, expected):
    (claim,) = believed(text, evidence, fact)
    assert (claim.subject, claim.predicate, claim.object) == expected
    assert claim.quote in text
    assert claim.confidence == 0.7


@pytest.mark.parametrize(
    ("why", "text", "evidence", "fact"),
    [
        ("evidence not said", "I like tea.", "I like coffee", "Maya | likes | coffee | Maya likes coffee"),
        ("evidence inside a word", "I like partying.", "art", "Maya | likes | art | Maya likes art"),
        ("evidence of nothing", "I like tea.", " .. ", "Maya | likes | tea | Maya likes tea"),
        (
            "swapped",
            "I'm allergic to nuts, Daniel.",
            "I'm allergic to nuts",
            "Daniel | other | nuts | Daniel is allergic to nuts",
        ),
        (
            "only a vocative",
            "Daniel, the flat has mould.",
            "the flat has mould",
            "Daniel | other | mould | Daniel has mould",
        ),
        ("nobody named", "I like tea.", "I like tea", "Paul | likes | tea | Paul likes tea"),
        ("a pronoun", "She likes tea.", "She likes tea", "she | likes | tea | she likes tea"),
        (
            "of another",
            "Elena moved to Porto.",
            "Elena moved to Porto",
            "Maya | moved_to | Porto | Maya moved to Porto",
        ),
        (
            "of kin",
            "My sister lives in Rome.",
            "My sister lives in Rome",
            "Maya | lives_in | Rome | Maya lives in Rome",
        ),
        ("question", "Do you like tea?", "like tea", "Maya | likes | tea | Maya likes tea"),
        (
            "joke",
            "I won the lottery! Just kidding.",
            "I won the lottery",
            "Maya | completed | lottery | Maya won the lottery",
        ),
        ("condition", "If I move to Rome, I'll call.", "I move to Rome", "Maya | moved_to | Rome | Maya moves to Rome"),
        ("unreal", "I might move to Rome.", "I might move to Rome", "Maya | moved_to | Rome | Maya moves to Rome"),
        ("quoted", 'He wrote "I love tea and cake" there.', "I love tea", "Maya | likes | tea | Maya loves tea"),
        ("lost not", "I haven't talked to Ben.", "talked to Ben", "Maya | met | Ben | Maya talked to Ben"),
        ("an example", "I like tea.", "I like tea", "Maya | habit | climbing | Maya goes climbing every Tuesday"),
        (
            "applause",
            "Wow, congratulations!",
            "Wow, congratulations",
            "Maya | other | congratulations | Maya congratulates",
        ),
        ("thanks", "Thanks for the tea!", "Thanks for the tea", "Maya | acquired | tea | Maya received tea"),
    ],
)
def test_what_was_not_said_is_not_believed(why, text, evidence, fact):
    assert believed(text, evidence, fact) == [], why


@pytest.mark.parametrize(
    ("text", "evidence", "fact"),
    [
        (
            "I like the new job at Acme.",
            "I like the new job at Acme",
            "Maya | works_at | Acme | Maya likes the job at Acme",
        ),
        ("I met Elena.", "I met Elena", "Maya | has_brother | Elena | Maya met Elena"),
        ("I'm allergic, so I check menus.", "I check menus", "Maya | has_condition | menus | Maya checks menus"),
        ("Lisbon is lovely, I say.", "Lisbon is lovely", "Lisbon | lives_in | Lisbon | Lisbon is lovely"),
        ("I paint walls.", "I paint walls", "Maya | grows vegetables | walls | Maya paints walls"),
    ],
)
def test_a_predicate_nobody_said_leaves_the_statement_alone(text, evidence, fact):
    for claim in believed(text, evidence, fact):
        assert (claim.predicate, claim.object, claim.confidence) == (None, None, 0.6)


def test_a_move_is_dated_and_means_living_there():
    moved, lives = believed(
        "I finally moved to Lisbon last weekend.",
        "I finally moved to Lisbon",
        "Maya | moved_to | Lisbon | Maya moved to Lisbon",
    )
    assert moved.statement == "Maya moved to Lisbon (the weekend of 28 February 2026)"
    assert (iso(moved.valid_from), moved.tense) == ("2026-02-28T00:00:00Z", "event")
    assert (lives.predicate, lives.object, lives.tense, lives.change) == ("lives_in", "Lisbon", "state", True)
    assert (iso(lives.valid_from), lives.valid_to) == ("2026-02-28T00:00:00Z", None)


def test_a_plan_is_due_later_and_holds_from_now_on():
    (claim,) = believed(
        "We're planning a trip to the Azores in June.",
        "planning a trip to the Azores in June",
        "Maya | plans | trip to the Azores | Maya is planning a trip to the Azores",
    )
    assert (claim.tense, claim.valid_from, iso(claim.due)) == ("plan", AT, "2026-06-30T23:59:59Z")


def test_time_is_the_speakers_own():
    utterance = Utterance("s1", "g1", 1, 1, "Maya", "I visited Oslo yesterday.", AT, offset_s=7 * 3600)
    fact = SaidFact("Maya", "visited", "Oslo", "Maya visited Oslo", "I visited Oslo yesterday")
    (claim,) = claims_of([fact], UtteranceContext(utterance))
    assert (iso(claim.valid_from), iso(claim.valid_to)) == ("2026-03-02T17:00:00Z", "2026-03-03T17:00:00Z")


@pytest.mark.parametrize(("text", "polarity"), [("I no longer eat meat.", False), ("I eat meat.", True)])
def test_polarity_is_kept(text, polarity):
    statement = "Maya no longer eats meat" if not polarity else "Maya eats meat"
    (claim,) = believed(text, text, f"Maya | other | meat | {statement}")
    assert claim.polarity is polarity


def test_hearsay_and_doubt_cost_confidence():
    (claim,) = believed("I think I like tea.", "I like tea", "Maya | likes | tea | Maya likes tea")
    assert claim.confidence == 0.5


def test_a_pronoun_may_mean_what_was_said_before():
    before = said("How is the cello going?", "Daniel", key=0)
    text = "I love it so much"
    (claim,) = believed(text, text, "Maya | likes | cello | Maya loves the cello", before)
    assert claim.object == "cello"


def test_a_statement_in_the_first_person_is_put_into_words():
    for statement in ("I love tea", "Maya says I love tea"):
        (claim,) = believed("I love tea.", "I love tea", f"Maya | likes | tea | {statement}")
        assert claim.statement == "Maya likes tea"


def test_another_language_gives_a_statement_in_its_own_words():
    utterance = said("Ich wohne seit Mai in Lissabon.", language="de")
    fact = SaidFact("Maya", "lives_in", "Lissabon", "Maya wohnt seit Mai in Lissabon", "Ich wohne seit Mai in Lissabon")
    (claim,) = claims_of([fact], UtteranceContext(utterance))
    assert (claim.statement, claim.predicate) == ("Maya wohnt seit Mai in Lissabon", None)


@pytest.mark.parametrize("subject", ["!!!", "Maya", "I", "tea"])
def test_without_a_speaker_nobody_said_it(subject):
    fact = SaidFact(subject, "likes", "tea", f"{subject} likes tea", "I like tea")
    assert list(claims_of([fact], UtteranceContext(said("I like tea.", speaker="")))) == []


def test_you_is_the_listener():
    text = "I promise to send you your book."
    (claim,) = believed(text, text, "Maya | promises | send book | Maya promises to send you your book")
    assert claim.statement == "Maya promises to send Daniel Daniel's book"


def test_repetitions_are_dropped():
    fact = SaidFact("Maya", "likes", "tea", "Maya likes tea", "I like tea")
    twin = SaidFact("Maya", "likes", "Tea", "Maya really likes tea", "I like tea")
    assert len(list(claims_of([fact, fact, twin], grounds("I like tea.")))) == 1


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20), st.text(max_size=40))
def test_whatever_a_model_says_the_quote_is_the_speakers(evidence, subject, object_, statement):
    text = "I moved to Lisbon last weekend with my sister Elena, and I love the light there."
    here = grounds(text)
    for claim in claims_of([SaidFact(subject, "moved_to", object_, statement, evidence)], here):
        assert claim.quote in text
    for sighting in sightings_of([SeenEntity("place", subject, evidence)], (), here):
        assert sighting.quote in text


@pytest.mark.parametrize(
    ("text", "type_", "name", "evidence", "found"),
    [
        ("I met Elena.", "person", "Elena", "I met Elena", ("Elena", 0.75)),
        ("I moved to Lisbon.", "place", "Lisbon", "moved to Lisbon", ("Lisbon", 0.7)),
        ("I feel so stressed.", "emotion", "being stressed", "I feel so stressed", ("anxiety", 0.6)),
        ("I decided to quit.", "decision", "quit", "I decided to quit", ("quit", 0.72)),
        ("I swim every Friday.", "habit", "swim", "I swim every Friday", ("swim", 0.6)),
        ("Where does Elena live now?", "question", "x", "Elena live", ("Where does Elena live now?", 0.5)),
        ("My brother is here.", "relationship", "brother", "My brother", ("Maya's brother", 0.62)),
    ],
)
def test_entities_that_were_named(text, type_, name, evidence, found):
    (sighting,) = seen(text, type_, name, evidence)
    assert (sighting.name, sighting.confidence) == found


@pytest.mark.parametrize(
    ("text", "type_", "name", "evidence"),
    [
        ("I like tea.", "person", "peanuts", "I like tea"),
        ("I like tea.", "place", "Lisbon", "I like tea"),
        ("I like tea.", "person", "tea", "I like tea"),
        ("I like tea.", "promise", "make tea", "I like tea"),
        ("I'll say, tea is nice.", "decision", "tea", "tea is nice"),
        ("I like tea.", "habit", "tea", "I like tea"),
        ("I like tea.", "emotion", "joy", "I like tea"),
        ("Is Elena there?", "person", "Elena", "Elena"),
        ("Elena won! Just kidding.", "person", "Elena", "Elena won"),
    ],
)
def test_entities_that_were_not(text, type_, name, evidence):
    assert seen(text, type_, name, evidence) == []


def test_a_promise_knows_by_whom_to_whom_and_until_when():
    (sighting,) = seen("I'll send you the recipe tomorrow!", "promise", "send the recipe", "I'll send you the recipe")
    assert sighting.name == "Maya: I'll send you the recipe"
    assert sighting.properties["by"] == "Maya"
    assert sighting.properties["to"] == "Daniel"
    assert sighting.confidence >= 0.7


def test_kin_in_a_claim_is_seen_as_a_person_and_a_relationship():
    here = grounds("My sister Vera is here.")
    claims = list(
        claims_of([SaidFact("Maya", "has_sister", "Vera", "Maya has a sister named Vera", "My sister Vera")], here)
    )
    found = {(sighting.type, sighting.name): sighting for sighting in sightings_of((), claims, here)}
    assert found["person", "Vera"].aliases == ("Maya's sister",)
    assert found["relationship", "Maya's sister Vera"].properties == {
        "of": "Maya",
        "relation": "sister",
        "name": "Vera",
    }
