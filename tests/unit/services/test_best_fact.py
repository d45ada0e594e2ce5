"""Which fact leads an answer."""

from dataclasses import replace

import pytest

from memory.services.best_fact import RecalledMaterial, best_fact, best_fact_of_each
from memory.services.known import KnownFact

OWNER = "Felix"
TOLD = (
    ("Felix", "has_pet", "Felix has a dog named Pix", "Pix"),
    ("Felix", None, "Her name is Pixel", None),
    ("Felix", "has_boss", "Felix's boss is Helen", "Helen"),
    ("Felix", "works_at", "From May (May 2026) Felix works for Helio Maps", "Helio Maps"),
    ("Felix", "lives_in", "Felix wohnt jetzt in Leipzig in der Südvorstadt", "Leipzig"),
    ("Felix", "weighs", "Felix weighs 76 kg", "76 kg"),
    ("Felix", None, "Felix's mother called Felix yesterday", None),
    ("Felix", None, "Felix visited Porto and then Madrid", "Porto and then Madrid"),
    ("Helen", None, "The budget for the map launch is 40,000 euros", None),
    ("Helen", "deadline_is", "The tile review is due on 3 June", "3 June"),
    ("Priya", "promises", "Priya promises to send Felix the supplier contract", "the supplier contract"),
    ("Felix", "promises", "Felix promises to help Tomas with the move", "help Tomas with the move"),
    ("Anna Berg", None, "Anna Berg's cat Minka died yesterday", None),
    ("Anna Keller", None, "They offered Anna Keller 52k", None),
    ("Anna Keller", None, "Anna Keller's new address is 7 Linden Street", None),
    ("Clara", "has_husband", "Clara's husband is Jonas", "Jonas"),
    ("Felix", None, "Clara's husband Jonas carried the piano with Felix", None),
    ("Sasha", None, "Sasha is leading the QA", None),
    ("Sasha", None, "Sasha is late", None),
    ("Nora", None, "Marek's cousin is Lars", None),
    ("Marek", None, "Lars is late again", None),
    ("Olga", None, "Olga is ill", None),
    ("Mia", "lives_in", "Mia lives in Bremen now", "Bremen"),
    ("Mia", "moved_to", "Mia is not moving to Hamburg", "Hamburg"),
    ("Mia", "prefers", "Mia's favorite food is sushi now", "sushi"),
    ("Mia", "has_condition", "Mia is vegetarian now, since last Monday (since 25 May 2026)", "vegetarian"),
    ("Ben", "married_to", "Ben is married to Lotte", "Lotte"),
    ("Mia", "habit:drink", "Mia drinks oat milk every morning", None),
    ("Felix", "habit:drink", "Felix trinkt nur Tee", None),
    ("Lotte", "acquired", "Lotte bought a kettle", "a kettle"),
    ("Paula", None, "Paula knits scarves", None),
)
FACTS = [
    KnownFact(f"f-{place}", statement, 0.0, predicate=predicate, object=object_, subject=subject)
    for place, (subject, predicate, statement, object_) in enumerate(TOLD)
]
CARRIED = [fact.fact_id for fact in FACTS]
MIND = RecalledMaterial(CARRIED, FACTS, "en", owner=OWNER)

LED = {
    "How much do I weigh?": "Felix weighs 76 kg",
    "Where do I work?": "From May (May 2026) Felix works for Helio Maps",
    "Since when do I work for Helio Maps?": "From May (May 2026) Felix works for Helio Maps",
    "Who was my boss?": "Felix's boss is Helen",
    "What is my dog called?": "Felix has a dog named Pix",
    "Who is Pix?": "Felix has a dog named Pix",
    "Who is Jonas?": "Clara's husband is Jonas",
    "Who is Clara's husband?": "Clara's husband is Jonas",
    "What is Clara's husband's name?": "Clara's husband is Jonas",
    "Is Clara married?": "Clara's husband is Jonas",
    "Who is Ben's wife?": "Ben is married to Lotte",
    "Who is Sasha?": "Sasha is leading the QA",
    "Who is Lars?": "Marek's cousin is Lars",
    "Who is leading the QA?": "Sasha is leading the QA",
    "Where does Mia live now?": "Mia lives in Bremen now",
    "Is Mia moving to Hamburg?": "Mia is not moving to Hamburg",
    "What is Mia's favourite food?": "Mia's favorite food is sushi now",
    "Has Mia always been vegetarian?": "Mia is vegetarian now, since last Monday (since 25 May 2026)",
    "What did Priya promise?": "Priya promises to send Felix the supplier contract",
    "What did I promise Tomas?": "Felix promises to help Tomas with the move",
    "What is the budget of the map launch?": "The budget for the map launch is 40,000 euros",
    "When is the tile review?": "The tile review is due on 3 June",
    "What is Anna Keller's address?": "Anna Keller's new address is 7 Linden Street",
    "What did I do in Porto?": "Felix visited Porto and then Madrid",
    "Wo wohnt Felix?": "Felix wohnt jetzt in Leipzig in der Südvorstadt",
    "Wo wohne ich?": "Felix wohnt jetzt in Leipzig in der Südvorstadt",
    "Wo wohnt Mia jetzt?": "Mia lives in Bremen now",
    "Wer ist Jonas?": "Clara's husband is Jonas",
    "Was trinkt Mia?": "Mia drinks oat milk every morning",
    "Was trinke ich?": "Felix trinkt nur Tee",
    "What do I drink?": "Felix trinkt nur Tee",
    "Was hat Lotte gekauft?": "Lotte bought a kettle",
    "Wer ist mein Chef?": "Felix's boss is Helen",
    "Wer strickt Schals?": "Paula knits scarves",
    "Name the person who knits": "Paula knits scarves",
    "Nenne die Person, die Schals strickt": "Paula knits scarves",
    "Tell me where Mia lives": "Mia lives in Bremen now",
    "Sag mir, wo Mia wohnt": "Mia lives in Bremen now",
    "Name Clara's husband": "Clara's husband is Jonas",
    "Tell me when the tile review is": "The tile review is due on 3 June",
    "Kannst du mir sagen, was Priya versprochen hat?": "Priya promises to send Felix the supplier contract",
}
UNLED = (
    "Where does Anna Berg work?",
    "Where does Anna Keller work?",
    "What did I promise Anna Keller?",
    "Who is Anna?",
    "Who is Olga?",
    "What is my name?",
    "What is my mother's name?",
    "Who is my mother?",
    "When is the map launch?",
    "What is Mia's blood type?",
    "Where does Clara live?",
    "What does Clara do?",
    "Where?",
    "Wo arbeitet Anna Berg?",
    "Wie heißt meine Mutter?",
    "Wie heißt Anna Keller?",
    "Wann ist Mias Geburtstag?",
    "Was trinkt Clara?",
    "Was isst Mia nicht?",
    "Name the person who bakes",
    "Tell me where Clara lives",
)


@pytest.mark.parametrize("question", LED)
def test_the_fact_that_answers_leads(question: str) -> None:
    lead = best_fact(question, MIND)
    assert lead is not None
    assert lead.statement == LED[question]


@pytest.mark.parametrize("question", UNLED)
def test_what_was_never_said_is_led_by_nothing_however_well_the_name_fits(question: str) -> None:
    assert best_fact(question, MIND) is None


@pytest.mark.parametrize("question", ["Who am I?", "What is my name?", "Where am I?"])
def test_where_nobody_knows_who_asks_nothing_tells_who_that_is(question: str) -> None:
    assert best_fact(question, replace(MIND, owner="")) is None


def test_a_fact_that_no_considered_hit_carries_does_not_lead() -> None:
    assert best_fact("Who is Jonas?", replace(MIND, carried=CARRIED[:3])) is None


def test_how_much_asks_for_a_measure_and_the_one_that_holds_leads() -> None:
    old = KnownFact("f-1", "Felix weighs 84 kg", 0.0, 10.0, "superseded", "Felix weighs 76 kg", "weighs", "84 kg")
    new = KnownFact("f-2", "Felix weighs 76 kg", 10.0, predicate="weighs", object="76 kg")
    mind = RecalledMaterial(["f-1"], [old, new], "en")
    assert best_fact("How much do I weigh?", mind) == new
    assert best_fact("How much does the piano weigh over there?", mind) is None


SEVERAL = [
    KnownFact("tom", "Tom lives in Rome", 0.0, predicate="lives_in", object="Rome", subject="Tom"),
    KnownFact("anna", "Anna Berg lives in Oslo", 0.0, predicate="lives_in", object="Oslo", subject="Anna Berg"),
    KnownFact("lisa", "Lisa works at Bosch", 0.0, predicate="works_at", object="Bosch", subject="Lisa"),
    KnownFact("millers", "The Millers live in Bonn", 0.0, predicate="lives_in", object="Bonn", subject="Millers"),
]
SEVERAL_IN_MIND = RecalledMaterial([fact.fact_id for fact in SEVERAL], SEVERAL, "en", owner=OWNER)


def each_of(question: str) -> list[str]:
    return [fact.fact_id for fact in best_fact_of_each(question, SEVERAL_IN_MIND)]


@pytest.mark.parametrize("question", ["Where do Tom and Anna live?", "Wo wohnen Tom und Anna?"])
def test_of_several_by_name_each_is_answered(question: str) -> None:
    assert each_of(question) == ["tom", "anna"]


@pytest.mark.parametrize("question", ["Where do Tom and Lisa live?", "Where does Tom live?", "Where do we live?"])
def test_where_one_of_them_is_unknown_nothing_is_told_of_the_others(question: str) -> None:
    assert each_of(question) == []


@pytest.mark.parametrize(("count", "answered"), [(12, 12), (13, 0)])
def test_no_more_than_a_dozen_are_looked_for_one_by_one(count: int, answered: int) -> None:
    names = ["Al", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou", "Max"][:count]
    facts = [KnownFact(name, f"{name} lives in {name}town", 0.0, predicate="lives_in") for name in names]
    question = f"Where do {', '.join(names[:-1])} and {names[-1]} live?"
    assert len(best_fact_of_each(question, RecalledMaterial(names, facts, "en", owner=OWNER))) == answered


def test_a_family_is_asked_about_by_its_name() -> None:
    lead = best_fact("Where do the Millers live?", SEVERAL_IN_MIND)
    assert lead is not None
    assert lead.fact_id == "millers"
