"""Intents by cue words and by examples, on 60 questions of each language (the cue words were widened with these)."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.embedding.minilm import MiniLmEmbedder
from memory.retrieval.intents import EXAMPLES, GENERAL, NEAR, Exemplars, by_example, by_words, examples

ENGLISH = {
    "why": (
        "Why did Priya leave the choir?",
        "What made Tom sell his motorbike?",
        "How come the party was cancelled?",
        "What was the reason for Ana's call?",
        "Explain what led Jonas to quit.",
        "What motivated her to learn Greek?",
        "Tell me the cause of the argument.",
        "What prompted the move to Oslo?",
        "For what purpose did he buy the van?",
        "Is there an explanation for his silence?",
        "What's behind her sudden interest in chess?",
        "Why don't we visit Grandma any more?",
    ),
    "when": (
        "When did Priya leave the choir?",
        "What year was Tom born?",
        "How long has Ana worked there?",
        "On which day is the dentist?",
        "Since when does Jonas play chess?",
        "What time does the train go?",
        "Which weekend is the fair?",
        "At what point did they break up?",
        "Give me the date of the wedding.",
        "How many weeks ago was the accident?",
        "Until which month does the lease run?",
        "How recently did we talk?",
    ),
    "who": (
        "Who left the choir?",
        "Whose motorbike was it?",
        "With whom did Ana travel?",
        "Which friend lent me the tent?",
        "Name the person who fixed the roof.",
        "What colleagues came to the party?",
        "Who's coming on Friday?",
        "Which people know about the plan?",
        "By whom was the cake made?",
        "Tell me the name of my dentist.",
        "Who are Jonas's parents?",
        "Which relative lives in Oslo?",
    ),
    "what": (
        "What does Priya sing?",
        "Which motorbike did Tom have?",
        "Where does Ana live?",
        "How many cats do we own?",
        "How often does Jonas run?",
        "How much was the rent?",
        "What is the name of the café?",
        "Which of the two flats did they take?",
        "What's the plan for Saturday?",
        "Where did I park the car?",
        "What kind of tea does she like?",
        "Name the town they visited.",
    ),
    "general": (
        "Tell me about Priya.",
        "Summarise the meeting.",
        "I'd like to cook something for Tom.",
        "Was it wonderful?",
        "Is Ana vegetarian?",
        "Does Jonas still play the cello?",
        "Remind me of the trip to Oslo.",
        "Describe Valerie's house.",
        "Can you help me prune the vine?",
        "Show me how to sharpen a scythe.",
        "Ana and the garden",
        "Write a birthday card for Grandma.",
    ),
}
GERMAN = {
    "why": (
        "Warum hat Priya den Chor verlassen?",
        "Wieso hat Tom sein Motorrad verkauft?",
        "Weshalb wurde die Feier abgesagt?",
        "Was war der Grund für Anas Anruf?",
        "Aus welchem Grund hat Jonas gekündigt?",
        "Wozu hat er den Transporter gekauft?",
        "Wie kam es zu dem Streit?",
        "Weswegen sind sie nach Oslo gezogen?",
        "Erklär mir, was sie dazu bewogen hat.",
        "Was steckt hinter seinem Schweigen?",
        "Gibt es eine Erklärung für ihre Absage?",
        "Warum besuchen wir Oma nicht mehr?",
    ),
    "when": (
        "Wann hat Priya den Chor verlassen?",
        "In welchem Jahr wurde Tom geboren?",
        "Wie lange arbeitet Ana schon dort?",
        "An welchem Tag ist der Zahnarzt?",
        "Seit wann spielt Jonas Schach?",
        "Um wie viel Uhr fährt der Zug?",
        "An welchem Wochenende ist das Fest?",
        "Zu welchem Zeitpunkt haben sie sich getrennt?",
        "Nenne mir das Datum der Hochzeit.",
        "Vor wie vielen Wochen war der Unfall?",
        "Bis zu welchem Monat läuft der Vertrag?",
        "Bis wann muss ich das abgeben?",
    ),
    "who": (
        "Wer hat den Chor verlassen?",
        "Wessen Motorrad war das?",
        "Mit wem ist Ana gereist?",
        "Welcher Freund hat mir das Zelt geliehen?",
        "Nenne die Person, die das Dach repariert hat.",
        "Welche Kollegen kamen zur Feier?",
        "Wer kommt am Freitag?",
        "Welche Leute kennen den Plan?",
        "Von wem ist der Kuchen?",
        "Sag mir den Namen meines Zahnarztes.",
        "Wen hat Jonas getroffen?",
        "Wem gehört das Haus in Oslo?",
    ),
    "what": (
        "Was singt Priya?",
        "Welches Motorrad hatte Tom?",
        "Wo wohnt Ana?",
        "Wie viele Katzen haben wir?",
        "Wie oft läuft Jonas?",
        "Wie viel kostete die Miete?",
        "Wie heißt das Café?",
        "Welche der beiden Wohnungen haben sie genommen?",
        "Was ist für Samstag geplant?",
        "Wohin habe ich das Auto gestellt?",
        "Was für einen Tee mag sie?",
        "Woran arbeitet Tom gerade?",
    ),
    "general": (
        "Erzähl mir von Priya.",
        "Fasse die Besprechung zusammen.",
        "Ich möchte etwas für Tom kochen.",
        "War es schön?",
        "Ist Ana Vegetarierin?",
        "Spielt Jonas noch Cello?",
        "Erinnere mich an die Reise nach Oslo.",
        "Beschreibe Valeries Haus.",
        "Kannst du mir helfen, die Woche zu planen?",
        "Zeig mir, wie ich mich anmelde.",
        "Ana und der Garten",
        "Schreib eine Geburtstagskarte für Oma.",
    ),
}


@pytest.fixture(scope="module")
def encoder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture(scope="module")
def exemplars(encoder: MiniLmEmbedder) -> Exemplars:
    return Exemplars(encoder.embed(examples()))


def rows(questions: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(intent, text) for intent, texts in questions.items() for text in texts]


@pytest.mark.parametrize(("questions", "right"), [(ENGLISH, 57), (GERMAN, 55)], ids=["en", "de"])
def test_cue_words_tell_the_intent_of_most(questions: dict[str, tuple[str, ...]], right: int) -> None:
    asked = rows(questions)
    assert len(asked) == 60
    assert sum(by_words(text) == intent for intent, text in asked) >= right


@pytest.mark.parametrize(("questions", "right"), [(ENGLISH, 59), (GERMAN, 55)], ids=["en", "de"])
def test_examples_add_what_words_do_not_tell(
    questions: dict[str, tuple[str, ...]], right: int, encoder: MiniLmEmbedder, exemplars: Exemplars
) -> None:
    asked = rows(questions)
    vectors = encoder.embed([text for _, text in asked])
    told = [by_words(text) for _, text in asked]
    both = [
        word if word != GENERAL else by_example(vector, exemplars) for word, vector in zip(told, vectors, strict=True)
    ]
    assert sum(one == intent for one, (intent, _) in zip(both, asked, strict=True)) >= right


@pytest.mark.parametrize("text", ["Was it wonderful?", "Was Valerie happy?", "Wake me.", "", "?", "wanna go", "🦆"])
def test_no_cue_is_no_intent(text: str) -> None:
    assert by_words(text) == GENERAL


@pytest.mark.conforms("004:intents")
def test_german_was_is_a_question_and_english_was_is_none() -> None:
    assert by_words("Was ist für Samstag geplant?") == "what"
    assert by_words("Was there a plan for Saturday?") == GENERAL
    assert by_words("Warum ist das so, was meinst du?") == "why"
    assert by_words("Erzähl mir von der Reise.") == GENERAL


@pytest.mark.conforms("004:intent.threshold")
def test_an_example_decides_from_a_cosine_of_0_45() -> None:
    rows = np.zeros((len(examples()), 2), np.float32)
    rows[0] = (1, 0)
    known = Exemplars(rows)
    near = np.array([NEAR + 0.01, np.sqrt(1 - (NEAR + 0.01) ** 2)], np.float32)
    far = np.array([NEAR - 0.01, np.sqrt(1 - (NEAR - 0.01) ** 2)], np.float32)
    assert NEAR == 0.45
    assert by_example(near, known) == next(iter(EXAMPLES))
    assert by_example(far, known) == GENERAL


@pytest.mark.conforms("004:intents")
def test_the_intents_are_the_five_of_the_seed() -> None:
    assert set(EXAMPLES) == {"why", "when", "who", "what", "general"} == {by_words(text) for _, text in rows(ENGLISH)}
