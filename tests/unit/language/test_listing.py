"""Lists: which questions ask for several things, and which facts answer them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory.services.answer import NOTHING, CitedSegment, Findings, compose
from memory.services.best_fact import who_asked
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from memory.services.listing import listing, namesakes, told_each
from memory.words.list_questions import list_question


def at(year: int, month: int, day: int) -> float:
    return datetime(year, month, day, 12, tzinfo=UTC).timestamp()


NOW = at(2026, 6, 1)
JANUARY, APRIL = at(2026, 1, 10), at(2026, 4, 10)


def known(fact_id, statement, predicate=None, object_=None, begun=JANUARY, **rest):
    return KnownFact(
        fact_id,
        statement,
        begun,
        predicate=predicate,
        object=object_,
        confidence=0.7,
        source_id=rest.pop("source_id", f"s-{fact_id}"),
        **rest,
    )


FACTS = [
    known("i1", "Maya plays the cello", "plays", "the cello"),
    known("i2", "Maya has been learning the piano for a year"),
    known("i3", "Maya played guitar at school", "played", "guitar"),
    known("i4", "Maya plays chess", "plays", "chess"),
    known("i5", "Maya doesn't play the drums", "plays", "drums", polarity=False),
    known("i6", "Maya wants to learn the harp", "wants", "learn the harp"),
    known("c1", "Maya went to a jazz concert", "visited", "a jazz concert"),
    known("c2", "Maya went to the rock concert in Porto", "visited", "rock concert"),
    known("c3", "Maya went to a concert", "visited", "a concert"),
    known("c4", "Maya went to the dentist", "visited", "dentist"),
    known("b1", "Maya read Dune", "read", "Dune"),
    known("b2", "Maya read Emma", "read", "Emma", APRIL),
    known("b3", "Maya read Solaris", "read", "Solaris", APRIL),
    known("b4", "Maya reads a lot", "reads", "a lot"),
    known("f1", "Maya's friend is Priya", "has_friend", "Priya"),
    known("f2", "Maya's friend is Tom", "has_friend", "Tom"),
    known("f3", "Maya's brother is Nils", "has_brother", "Nils"),
    known("l1", "Maya likes figs", "likes", "figs"),
    known("l2", "Maya likes jazz", "likes", "jazz"),
    known("l3", "Maya hates kale", "dislikes", "kale"),
    known("l4", "Maya doesn't like crowds", "likes", "crowds", polarity=False),
    known("p1", "Maya painted a lake", "made", "a lake"),
    known("p2", "Maya painted the horse", "made", "the horse"),
    known("p3", "Maya baked bread", "made", "bread"),
    known("v1", "Maya went to Lisbon", "visited", "Lisbon"),
    known("v2", "Maya travelled to Rome", "visited", "Rome", APRIL),
    known("h1", "Maya has a dog named Rex", "has_pet", "Rex"),
    known("h2", "Maya has a dog named Bella", "has_pet", "Bella"),
    known("h3", "Maya has a cat named Tiger", "has_pet", "Tiger"),
    known("s1", "Maya signed up for a calligraphy course", "joined", "calligraphy course"),
    known("s2", "Last week Maya went swimming", "went", "swimming"),
    known("w0", "Maya lived in York", "formerly:live", "live in York"),
    known("w1", "Maya lives in Lisbon", "lives_in", "Lisbon", APRIL),
    known(
        "w2",
        "Maya lives in Porto",
        "lives_in",
        "Porto",
        JANUARY,
        valid_to=APRIL,
        status="superseded",
        superseded_by="Maya lives in Lisbon",
    ),
]


def listed(question, facts=FACTS, as_of=None):
    asked = list_question(question, NOW, owner="Maya")
    found = listing(asked, facts, as_of) if asked is not None and asked.who == "Maya" else None
    return None if found is None else set(found.things)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Which instruments does Maya play?", {"cello", "piano", "guitar"}),
        ("what instruments do I play", {"cello", "piano", "guitar"}),
        ("How many concerts did Maya go to?", {"jazz concert", "rock concert"}),
        ("How many concerts has Maya been to so far?", {"jazz concert", "rock concert"}),
        ("Which books has Maya read?", {"Dune", "Emma", "Solaris"}),
        ("Which books has Maya read since March?", {"Emma", "Solaris"}),
        ("Which books did Maya read in March?", None),
        ("Who are Maya's friends?", {"Priya", "Tom"}),
        ("Who are my friends?", {"Priya", "Tom"}),
        ("How many friends does Maya have?", {"Priya", "Tom"}),
        ("What are the names of Maya's pets?", {"Rex", "Bella", "Tiger"}),
        ("What are Maya's dogs' names?", {"Rex", "Bella"}),
        ("How many dogs does Maya have?", {"Rex", "Bella"}),
        ("What does Maya like?", {"figs", "jazz"}),
        ("What doesn't Maya like?", {"kale", "crowds"}),
        ("What does Maya not like?", {"kale", "crowds"}),
        ("What has Maya painted?", {"lake", "horse"}),
        ("Where has Maya been?", {"Lisbon", "Rome"}),
        ("Which cities has Maya visited?", {"Lisbon", "Rome"}),
        ("What hobbies does Maya have?", {"calligraphy", "swimming", "chess"}),
        ("List all of Maya's friends.", {"Priya", "Tom"}),
        ("List everything Maya painted", {"lake", "horse"}),
        ("Name all the books that Maya has read.", {"Dune", "Emma", "Solaris"}),
        ("Tell me what Maya likes", {"figs", "jazz"}),
        ("Name the instruments I play", {"cello", "piano", "guitar"}),
        ("Which cities has Maya lived in?", {"Lisbon", "Porto", "York"}),
    ],
)
def test_a_question_for_several_things_lists_them(question, things):
    assert listed(question) == things


@pytest.mark.parametrize(
    "question",
    [
        "What instrument does Maya play?",
        "Which book did Maya read?",
        "Where does Maya live?",
        "Who is Maya's friend?",
        "What does Maya do?",
        "What did Maya buy yesterday?",
        "How many days did Maya stay in Rome?",
        "How many times has Maya been to Rome?",
        "When did Maya visit Rome?",
        "Does Maya play any instruments?",
        "What kind of music does Maya like?",
        "Which bus does Maya take?",
        "Why does Maya play the cello?",
        "How old is Maya?",
        "What are Maya's plans with respect to Rome?",
        "What does Maya's brother like?",
        "What instruments do Maya and Tom play?",
        "What doesn't Maya know?",
        "Welche Instrumente spielt Maya?",
        "Which instruments does Maya play?" + " in May" * 10_000,
        "How many",
        "Tell me the instrument Maya plays",
        "Tell me what Maya knows",
        "Tell me about Maya's friends",
        "List everything",
        "?",
    ],
)
def test_a_question_for_one_thing_or_another_is_no_list(question):
    assert listed(question) is None


def test_a_member_of_a_class_counts_only_where_it_is_done():
    heard = [
        known("x1", "Maya chose a cello recital that nobody left early"),
        known("x2", "Asked \u201cDo you play?\u201d, Maya answers: the tuba", "answered"),
        known("x3", "Maya is going to learn the oboe", "plans", "learn the oboe"),
    ]
    assert listed("Which instruments does Maya play?", [*FACTS[:2], *heard]) == {"cello", "piano"}


def test_where_the_number_itself_was_told_nothing_is_counted():
    told = [*FACTS, known("n1", "Maya read 12 books this year", "read", "12 books")]
    assert listed("How many books has Maya read?") == {"Dune", "Emma", "Solaris"}
    assert listed("How many books has Maya read?", told) is None


def test_nothing_and_a_single_thing_are_no_list():
    asked = list_question("Which instruments does Maya play?", NOW)
    assert listing(asked, []) is None
    assert listing(asked, FACTS[:1]) is None
    assert list_question("What instruments do I play?", NOW) is None  # whose memory it is was never told


def test_a_list_is_of_the_time_that_is_asked_about():
    assert listed("Which books has Maya read?", as_of=at(2026, 2, 1)) is None
    over = [known(f"u{n}", f"Maya uses {each}", "uses", each, valid_to=APRIL) for n, each in enumerate(("Vim", "Git"))]
    assert listed("What tools does Maya use?", over) is None
    assert listed("What tools does Maya use?", over, at(2026, 2, 1)) == {"Vim", "Git"}
    assert listed("What tools did Maya use in January?", over) == {"Vim", "Git"}


def test_the_surest_of_every_session_comes_first_and_the_rest_is_counted():
    many = [
        known(f"m{n:02}", f"Maya read Book{n:02}", "read", f"Book{n:02}", source_id=f"s{n // 10}") for n in range(20)
    ]
    found = listing(list_question("How many books has Maya read?", NOW), many)
    assert found is not None
    assert (found.total, len(found.things)) == (20, 12)
    assert {fact.source_id for fact in found.facts[:2]} == {"s0", "s1"}
    assert found.lead.startswith("At least 20: ")
    assert found.lead.endswith(", ….")


def test_an_answer_leads_with_the_list_and_shows_what_says_so():
    hits = [
        SegmentHit("I started the piano.", "Maya", JANUARY, 0, "s2", "g2", ("i2",)),
        SegmentHit("Cello again today!", "Maya", APRIL, 0, "s1", "g1", ("i1",)),
        SegmentHit("Nice weather.", "Tom", APRIL, 0, "s3", "g3"),
        SegmentHit("What instruments!", "Tom", APRIL, 0, "s3", "g4"),
    ]
    facts = [known("i1", "Maya plays the cello", "plays", "the cello", disputed=True), FACTS[1]]
    question = "How many instruments does Maya play?"
    found = listing(list_question(question, NOW), facts)
    answer = compose(Findings(question, hits, facts, listed=found))
    assert answer.text.splitlines() == [
        "At least two: cello, piano.",
        "Maya plays the cello (disputed) - 10 April 2026 [s1/g1]",
        "Maya has been learning the piano for a year - 10 January 2026 [s2/g2]",
        '"What instruments!" - Tom, 10 April 2026 [s3/g4]',
    ]
    assert answer.citations == (CitedSegment(1, "s1", "g1"), CitedSegment(2, "s2", "g2"), CitedSegment(3, "s3", "g4"))
    assert compose(Findings(question, hits, facts, listed=found, abstained=True)).text == NOTHING


PROMISED = [
    known("v1", "Felix promises to call Tom", "promises", "call Tom"),
    known("v2", "Felix will send Anna the report by Friday (29 May 2026)", "promises"),
    known("v3", "Felix verspricht Anna, dass Felix morgen Blumen mitbringt", "promises"),
    known("v4", "Felix promises nothing", "promises", polarity=False),
]


@pytest.mark.parametrize("question", ["What did I promise?", "Was habe ich versprochen?", "What has Felix promised?"])
def test_everything_that_was_promised_is_told(question):
    found = listing(list_question(question, NOW, owner="Felix"), PROMISED)
    assert sorted(found.things) == [
        "Felix morgen Blumen mitbringt",
        "call Tom",
        "send Anna the report by Friday (29 May 2026)",
    ]


def test_what_was_promised_in_a_time_was_promised_then():
    started = NOW - 40 * 86_400
    before = [replace(each, valid_from=started) for each in PROMISED[:2]]
    asked = list_question("What did I promise yesterday?", NOW, owner="Felix")
    assert listing(asked, before) is None
    assert listing(asked, [replace(each, valid_from=asked.during.start) for each in PROMISED[:2]]) is not None


TO_ANNA = [
    *PROMISED,
    known("v5", "Felix promised Anna to water the plants", "promises", "water the plants"),
    known("v6", "Felix promised Anna Felix would call Anna on Sunday", "promises", "Anna"),
    known("v7", "Felix will send Tom the photos of Anna", "promises"),
]


@pytest.mark.parametrize(
    "question",
    [
        "What did I promise Anna?",
        "What did I promise to Anna?",
        "What has Felix promised Anna?",
        "Was habe ich Anna versprochen?",
    ],
)
def test_what_was_promised_to_somebody_is_told_and_nothing_else(question):
    found = listing(list_question(question, NOW, owner="Felix"), TO_ANNA)
    assert sorted(found.things) == [
        "Felix morgen Blumen mitbringt",
        "call Anna on Sunday",
        "send Anna the report by Friday (29 May 2026)",
        "water the plants",
    ]


def test_what_was_promised_to_me_is_asked_of_who_promised():
    asked = list_question("What did Anna promise me?", NOW, owner="Felix Berg")
    assert (asked.who, asked.to) == ("Anna", "Felix")
    told = [
        known("w1", "Anna will lend Felix the car", "promises"),
        known("w2", "Anna will call Felix", "promises"),
        known("w3", "Anna will send Tom the bill", "promises"),
    ]
    assert set(listing(asked, told).things) == {"lend Felix the car", "call Felix"}


@pytest.mark.parametrize("question", ["What did I promise to do?", "What did I promise about Anna?"])
def test_what_names_no_one_to_whom_is_no_list(question):
    assert list_question(question, NOW, owner="Felix") is None


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("Which people did I talk to this week?", {"Anna", "Omar", "Tom"}),
        ("Who have I talked to this week?", {"Anna", "Omar", "Tom"}),
        ("Who have I spoken with this week?", {"Anna", "Omar", "Tom"}),
        ("Which people did I talk to last week?", None),
        ("Who did I talk to yesterday?", None),
    ],
)
def test_whom_one_talked_to_in_a_time_is_told(question, people):
    today = NOW
    facts = [
        known("t1", "Felix talked to Anna", "talked_to", "Anna", today),
        known("t2", "Felix called Omar", "talked_to", "Omar", today),
        known("t3", "Felix met Tom", "met", "Tom", today),
        known("t4", "Felix talked to Priya", "talked_to", "Priya", APRIL),
        known("t5", "Felix did not talk to Nils", "talked_to", "Nils", today, polarity=False),
        known("t6", "Felix knows Lena", "knows", "Lena", today),
    ]
    asked = list_question(question, NOW, owner="Felix")
    found = None if asked is None else listing(asked, facts)
    assert (None if found is None else set(found.things)) == people


ANNAS = [
    known("a1", "Anna Berg's cat Minka died", subject="Anna Berg"),
    known("a2", "Anna Keller works at Bosch", "works_at", "Bosch", subject="Anna Keller"),
    known("a3", "Felix met Anna Keller", "met", "Anna Keller", subject="Felix"),
    known("a4", "Anna's bike is red", subject="Anna"),
    known("a5", "Annabel Fox is late", subject="Annabel Fox"),
]


@pytest.mark.parametrize("question", ["Who is Anna?", "Wer ist Anna?"])
def test_who_shares_a_name_is_told_beside_the_other(question):
    asked = who_asked(question, ANNAS, "en")
    found = namesakes(asked, ANNAS)
    assert found.things == ("Anna Berg", "Anna Keller", "Anna")
    assert [fact.fact_id for fact in found.facts] == ["a1", "a2", "a4"]


def test_a_bare_name_counts_by_what_is_told_of_it():
    mentioned = [ANNAS[1], known("a6", "Felix met Anna", "met", "Anna", subject="Felix")]
    assert namesakes("Anna", mentioned) is None
    assert namesakes("Anna", [ANNAS[1], ANNAS[3]]).things == ("Anna Keller", "Anna")


def test_what_begins_with_the_word_is_nobody_s_name():
    courses = [
        known("p1", "Felix wants a Python course", "wants", "Python course", subject="Felix"),
        known("p2", "Felix uses Python 3", "uses", "Python 3", subject="Felix"),
    ]
    assert namesakes("Python", courses) is None


def test_one_of_a_name_is_no_list_and_nobody_else_is_asked_about():
    assert namesakes("Anna", ANNAS[2:3]) is None
    assert who_asked("Who is Anna Keller?", ANNAS, "en") is None
    assert who_asked("Who is Anna's boss?", ANNAS, "en") is None
    assert who_asked("Where is Anna?", ANNAS, "en") is None


def test_of_several_by_name_the_answers_are_listed():
    homes = [
        known("h1", "Tom lives in Rome", "lives_in", "Rome"),
        known("h2", "Anna lives in Oslo", "lives_in", "Oslo"),
    ]
    assert told_each(homes).lead == "As far as I know: Rome, Oslo."
    assert told_each([]) is None
    assert told_each([*homes, known("h3", "Lisa is abroad")]) is None
