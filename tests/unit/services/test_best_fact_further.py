"""Which fact answers for birthdays and ages, classes of things, what is denied, what was once, and whose it is."""

from __future__ import annotations

import pytest

from memory.services.best_fact import RecalledMaterial, best_fact
from memory.services.known import KnownFact

DAY = 86_400.0
OWNER = "Lena"
GERMAN = (
    ("Lena", "birthday_is", "Lena hat am 3. Mai Geburtstag", "3 May", True),
    ("Lena's mother", "birthday_is", "Lenas Mutter hat am 4. Juni Geburtstag", "4 June", True),
    ("Lena's son", "age_is", "Lenas Sohn ist vier Jahre alt", "4", True),
    ("Lena", None, "Lenas Hund ist 12 Jahre alt", None, True),
    ("Lena", "lives_in", "Lena wohnt seit 2019 in Wien", "Wien", True),
    ("Lena", "has_brother", "Lenas Bruder heißt Jonas", "Jonas", True),
    ("Lena", None, "Lena spricht Polnisch und Russisch", None, True),
    ("Lena", "dislikes", "Lena hasst Cello", "Cello", True),
    ("Lena", "habit:eat", "Lena isst keinen Fisch", "Fisch", False),
    ("Maya", "plays", "Maya spielt Cello", "Cello", True),
    ("Maya", "habit:eat", "Maya isst keine Pilze", "Pilze", False),
    ("Maya", None, "Maya hat früher in Kiel gewohnt", None, True),
    ("Maya", "age_is", "Maya ist 34 Jahre alt", "34", True),
    ("Maya", "dislikes", "Maya hasst Koriander", "Koriander", True),
    ("Maya's sister", "lives_in", "Mayas Schwester wohnt in Bonn", "Bonn", True),
    ("Tom", "has_pet", "Toms Hund heißt Bello", "Bello", True),
    ("Tom", "has_sister", "Toms Schwester heißt Katrin", "Katrin", True),
    ("Tom", "likes", "Tom liebt Nora", "Nora", True),
    ("Tom", "comes_from", "Tom ist 1990 in Kassel geboren", "Kassel", True),
    ("Tom", "plays", "Tom spielt Fußball", "Fußball", True),
    ("Tom", "works_at", "Tom arbeitet bei Bosch", "Bosch", True),
)
ENGLISH = (
    ("Lena", "birthday_is", "Lena's birthday is on 3 May (3 May 2024)", "3 May", True),
    ("Lena", None, "Lena's brother's birthday is on 7 June", None, True),
    ("Lena", None, "Lena speaks Polish and Russian", None, True),
    ("Lena", "lives_in", "Lena has lived in Vienna since 2019", "Vienna", True),
    ("Ida", None, "Lena was at Ida's birthday on 9 May", None, True),
    ("Maya", "plays", "Maya plays the cello", "cello", True),
    ("Maya", "age_is", "Maya is 34 years old", "34", True),
    ("Maya", "habit:eat", "Maya doesn't eat mushrooms", "mushrooms", False),
    ("Maya", "habit:eat", "Maya eats fish", "fish", True),
    ("Maya", "formerly:live", "Maya used to live in Kiel", "live in Kiel", True),
    ("Maya", "lives_in", "Maya lives in Essen", "Essen", True),
    ("Tom", "comes_from", "Tom was born in Kassel in 1990", "Kassel", True),
    ("Tom", "likes", "Tom doesn't like coffee", "coffee", False),
    ("Tom", "dislikes", "Tom hates the cello", "cello", True),
    ("Tom's sister", "lives_in", "Tom's sister lives in Bonn", "Bonn", True),
    ("Tom", "has_pet", "Tom has a cat named Mimi", "Mimi", True),
    ("Rosa", None, "Paul's sister Rosa turned 40", None, True),
)
OVER = (
    ("Paul", None, "Paul was born on 9 August 1985", None, True),
    ("Paul", None, "Paul broke their leg on 3 January 2022", None, True),
)
"""What filled one day."""


def _mind(
    told: tuple[tuple[str, str | None, str, str | None, bool], ...], language: str, *, over: bool
) -> RecalledMaterial:
    facts = [
        KnownFact(
            f"f-{place}-{over}",
            statement,
            0.0,
            DAY if over else None,
            predicate=predicate,
            object=object_,
            polarity=polarity,
            subject=subject,
        )
        for place, (subject, predicate, statement, object_, polarity) in enumerate(told)
    ]
    return RecalledMaterial([fact.fact_id for fact in facts], facts, language, owner=OWNER)


IN_GERMAN = _mind(GERMAN, "de", over=False)
_BOTH = _mind(ENGLISH, "en", over=False), _mind(OVER, "en", over=True)
IN_ENGLISH = RecalledMaterial(
    [*_BOTH[0].carried, *_BOTH[1].carried], [*_BOTH[0].facts, *_BOTH[1].facts], "en", owner=OWNER
)

OF_GERMAN = {
    "Wann hat Lena Geburtstag?": "3. Mai",
    "Wann ist Lenas Geburtstag?": "3. Mai",
    "Wann habe ich Geburtstag?": "3. Mai",
    "Wann hat meine Mutter Geburtstag?": "4. Juni",
    "When is Lena's birthday?": "3. Mai",
    "Wann wurde Tom geboren?": "1990",
    "Wo wurde Tom geboren?": "Kassel",
    "Wie alt ist Maya?": "34",
    "Wie alt ist mein Sohn?": "vier",
    "Was isst Maya nicht?": "Pilze",
    "Was esse ich nicht?": "Fisch",
    "Was mag Maya nicht?": "Koriander",
    "Welches Instrument spielt Maya?": "Cello",
    "Welche Sprachen spricht Lena?": "Polnisch",
    "Welche Sprachen spreche ich?": "Polnisch",
    "Welche Sportart spielt Tom?": "Fußball",
    "Welchen Sport treibt Tom?": "Fußball",
    "Welches Haustier hat Tom?": "Bello",
    "Bei welcher Firma arbeitet Tom?": "Bosch",
    "In welcher Stadt wohnt Lena?": "Wien",
    "Wen liebt Tom?": "Nora",
    "Wie heißt Toms Hund?": "Bello",
    "Wie heißt Toms Schwester?": "Katrin",
    "Seit wann wohnt Lena in Wien?": "2019",
    "Wo hat Maya früher gewohnt?": "Kiel",
    "Was hasst Maya?": "Koriander",
}
OF_ENGLISH = {
    "When is my birthday?": "3 May",
    "When is my brother's birthday?": "7 June",
    "When was Tom born?": "1990",
    "When was Paul born?": "9 August",
    "When is Paul's birthday?": "9 August",
    "What is Paul's birthday?": "9 August",
    "When did Paul break his leg?": "3 January",
    "How old is Maya?": "34",
    "How old is Rosa?": "40",
    "How old is Tom?": "1990",
    "Which instrument does Maya play?": "cello",
    "What languages does Lena speak?": "Polish",
    "In which city does Lena live?": "Vienna",
    "Which pet does Tom have?": "Mimi",
    "What doesn't Maya eat?": "mushrooms",
    "What does Maya eat?": "fish",
    "What doesn't Tom like?": "coffee",
    "Where did Maya live before?": "Kiel",
    "Where did Maya previously live?": "Kiel",
    "Where does Maya live?": "Essen",
    "Welches Instrument spielt Maya?": "cello",
    "Was isst Maya nicht?": "mushrooms",
    "Wo hat Maya früher gewohnt?": "Kiel",
}


@pytest.mark.parametrize("question", OF_GERMAN)
def test_what_was_told_in_german_answers(question: str) -> None:
    lead = best_fact(question, IN_GERMAN)
    assert lead is not None
    assert OF_GERMAN[question] in lead.statement


@pytest.mark.parametrize("question", OF_ENGLISH)
def test_what_was_told_in_english_answers(question: str) -> None:
    lead = best_fact(question, IN_ENGLISH)
    assert lead is not None
    assert OF_ENGLISH[question] in lead.statement


@pytest.mark.parametrize(
    "question",
    [
        "Wie alt ist Lena?",
        "Wie alt bin ich?",
        "Wo wohnt Maya?",
        "Wo wohnt Tom?",
        "Was isst Tom nicht?",
        "Wann hat Tom Geburtstag?",
        "Wann hat Maya Geburtstag?",
        "Welches Instrument spielt Lena?",
        "Was isst Maya?",
        "Welches Instrument spielt Tom?",
        "Welche Sprachen spricht Maya?",
        "Wo hat Lena früher gewohnt?",
        "Wie heißt Mayas Schwester?",
        "Was hat Lena nicht?",
    ],
)
def test_what_german_words_tell_of_another_or_of_the_contrary_answers_nothing(question: str) -> None:
    assert best_fact(question, IN_GERMAN) is None


@pytest.mark.parametrize(
    "question",
    [
        "How old is Lena?",
        "How old am I?",
        "Where does Tom live?",
        "When is Tom's birthday?",
        "When was Maya born?",
        "Which instrument does Tom play?",
        "What doesn't Lena eat?",
        "Where did Lena live before?",
        "What does Tom like?",
    ],
)
def test_what_english_words_tell_of_another_or_of_the_contrary_answers_nothing(question: str) -> None:
    assert best_fact(question, IN_ENGLISH) is None
