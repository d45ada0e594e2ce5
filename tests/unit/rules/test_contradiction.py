"""What the words of two statements show: denials, figures, dates, and what looks alike and is none of them."""

from __future__ import annotations

import pytest

from memory.model.verdicts import RELATIONS, ComparedStatement, StatementPair
from memory.rules.contradiction import LEAST_ALIKE, judge
from memory.words.contrast import dates, denials, figures


def verdict(earlier: str, later: str, similarity: float = 0.7, *, before: str = "", after: str = "") -> str:
    found = judge(
        StatementPair(ComparedStatement(earlier, 0.0, before), ComparedStatement(later, 1.0, after), similarity)
    )
    assert found.relation in RELATIONS
    assert 0.0 <= found.score <= 1.0
    return found.relation


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("earlier", "later", "relation"),
    [
        ("Ida has never repaired any bicycles", "Ida has repaired two bicycles in the shed", "contradicts"),
        ("Ida attended a regatta on kelp", "Ida has never attended any regattas or talks on kelp", "contradicts"),
        ("Ida has never baked rye bread", "Ida wants to bake rye bread", "unrelated"),
        ("Ida has never baked rye bread", "Ida has never baked white bread", "unrelated"),
        ("Ida has completed 10 harp lessons", "Ida has recently completed 15 harp lessons", "updates"),
        ("Ida has completed 10 harp lessons", "Ida has recently completed 15 riding lessons", "unrelated"),
        ("Ida has completed 10 harp lessons", "Ida now aims for at least 15 harp lessons", "unrelated"),
        ("Ida pays $900 rent for the flat", "Ida now pays $1,050 rent for the flat", "updates"),
        ("Ida pays $900 rent for the flat", "Ida recently paid $90 for new shoes", "unrelated"),
        ("The club had 40 members in spring", "The number of members Ida counts has now reached 55", "updates"),
        ("Ida's rent is 950", "Ida's rent is 980", "updates"),
        ("Ida's rent is 950 euros", "Ida's rent is 980", "updates"),
        ("Ida's rent is 950", "Ida's rent is 950", "unrelated"),
        ("Ida's rent is 950", "Ida's loan is 980", "unrelated"),
        ("Ida's height is 180 cm", "Ida's height is 6 feet", "unrelated"),
        ("Ida's exam is on May 3", "Ida's exam was moved to May 9", "updates"),
        ("Ida's exam is on May 3", "Ida's wedding was moved to May 9", "unrelated"),
        ("Ida's chess puzzle score is 70%", "Ida's chess puzzle score has improved from 70% to 85%", "updates"),
        ("Ida's chess puzzle score improved to 70%", "Ida's chess puzzle score now improved to 85%", "updates"),
    ],
)
def test_it_is_seen_in_the_words(earlier: str, later: str, relation: str) -> None:
    assert verdict(earlier, later) == relation


@pytest.mark.conforms("model:words")
def test_a_value_told_again_is_the_same_and_no_update() -> None:
    assert verdict("Ida has recently solved 12 chess puzzles", "Ida has now solved 12 chess puzzles") == "same"


@pytest.mark.conforms("model:words")
def test_a_figure_without_a_word_of_change_is_only_a_doubt() -> None:
    found = judge(
        StatementPair(
            ComparedStatement("Ida completed 10 harp lessons", 0), ComparedStatement("Ida has 15 harp lessons", 1), 0.8
        )
    )
    assert (found.relation, found.score) == ("contradicts", 0.6)


@pytest.mark.conforms("model:words")
def test_what_is_not_alike_at_all_is_never_compared() -> None:
    earlier, later = "Ida has never baked rye bread", "Ida has baked rye bread already"
    assert verdict(earlier, later, 0.7) == "contradicts"
    assert verdict(earlier, later, LEAST_ALIKE - 0.01) == "unrelated"


@pytest.mark.conforms("model:words")
def test_the_sentence_around_tells_what_is_counted() -> None:
    before = "My accuracy in harp lessons went up after 8 lessons"
    told = "Ida has recently had 12 harp lessons"
    assert verdict("Ida's accuracy went up after completing 8 lessons", told, 0.8, before=before) == "updates"
    assert verdict("Ida's accuracy went up after completing 8 lessons", told, 0.8) == "unrelated"


def test_a_denial_knows_its_alternatives_and_what_they_are_about() -> None:
    (denial,) = denials("Ida has never visited any windmills or locks on salt marshes, but she would")
    assert denial.verb == "visit"
    assert denial.things == (frozenset({"windmil"}), frozenset({"lock"}))
    assert denial.rest == frozenset({"salt", "marsh"})


def test_values_that_do_not_hold_are_no_figures() -> None:
    held = figures("Ida aims for 30 km, ran 20 km after 15 km in May 2024 and improved from 70% to 85%")
    assert [(each.value, each.unit) for each in held] == [("20", "km"), ("15", "km"), ("85", "%")]


def test_dates_count_only_beside_something_that_has_one() -> None:
    assert dates("The deadline is April 5, 2024") == (("apr 5", frozenset({"deadlin"})),)
    assert dates("Ida laughed on April 5") == ()


RENT = "Ida pays $900 rent for the flat near the harbour", "Ida now pays $1,050 for a loft and rent"
HARP = (
    "Her school gave Ida 10 harp lessons in spring",
    "Tom now brings 15 harp lessons a week to Porto",
)
LESSONS = "Ida completed 10 lessons at the harbour", "Ida now has 15 lessons in the old mill"


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("statements", "least"),
    [
        (RENT, 0.556),  # 0.63 of what stands near is shared, 0.25 for "now", 0.17 for the likeness: 1.05
        (HARP, 0.444),  # 0.37, 0.25, 0.30 for the same counted thing, 0.13
        (LESSONS, 0.722),  # lessons of what, nobody says: 0.58, 0.25, 0.30, 0.22: 1.35
    ],
    ids=["a sum", "a count", "a bare count"],
)
def test_figures_are_of_one_thing_from_a_score_on(statements: tuple[str, str], least: float) -> None:
    assert [verdict(*statements, least + step) for step in (-0.01, 0.01)] == ["unrelated", "updates"]


@pytest.mark.conforms("model:words")
def test_the_score_itself_is_enough() -> None:
    given = "Ida now gives $1,050 rent to Tom"  # 0.50 of what stands near, 0.25 for "now", 0.30: 1.05
    assert verdict("Ida pays $900 rent for the flat by the harbour", given, 1.0) == "updates"


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("statements", "least", "relation", "score"),
    [
        (("Ida completed 10 harp lessons", "Ida has 15 harp lessons"), 0.30, "contradicts", 0.60),
        (("Ida has never baked rye bread", "Ida has baked rye bread already"), 0.38, "contradicts", 0.60),
        (("Ida's exam is on May 3", "Ida's exam was moved to May 9"), 0.40, "updates", 0.75),
        (("Ida has recently solved 12 puzzles", "Ida has now solved 12 puzzles"), 0.30, "same", 0.75),
        (("Ida has completed 10 lessons", "Ida has now completed 15 lessons"), 0.30, "updates", 0.75),
    ],
)
def test_they_are_compared_from_a_likeness_on_and_a_word_of_change_makes_it_surer(
    statements: tuple[str, str], least: float, relation: str, score: float
) -> None:
    earlier, later = (ComparedStatement(each, at) for at, each in enumerate(statements))
    assert judge(StatementPair(earlier, later, least - 0.001)).relation == "unrelated"
    found = judge(StatementPair(earlier, later, least))
    assert (found.relation, found.score) == (relation, score)


WIDE = "tall red brick barn harbour gate bell"
"""Seven words that say what a thing is."""


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("denial", "deed", "said", "relation"),
    [
        # of five words of a thing three are enough, of seven four are not, whatever else was said around it
        ("never fixed the tall red brick barn gate", "fixed the red barn gate", "I fixed tall brick", "contradicts"),
        (f"never fixed the {WIDE}", "fixed the red barn gate bell", f"I fixed the {WIDE}", "unrelated"),
        (f"never fixed the {WIDE}", "fixed the red barn gate harbour bell", f"I fixed the {WIDE}", "contradicts"),
        ("never fixed the red barn gate", "fixed the barn gate", "I fixed it", "unrelated"),
        # of five words of what it is about two are enough, of eight three are not
        (
            "never fixed gates in Porto with Tom for Anna at night about noon",
            "fixed gates with Tom in Porto",
            "",
            "contradicts",
        ),
        (
            "never fixed gates in Porto with Tom for Anna at night about noon on Sunday from Faro to Braga",
            "fixed gates with Tom in Porto for Anna",
            "",
            "unrelated",
        ),
        # one word alone is too little without the deed, or what it is about
        ("never fixed gates", "already sold gates", "", "unrelated"),
        ("never fixed gates", "already fixed gates", "", "contradicts"),
        ("never fixed gates in Porto", "already sold gates in Porto", "", "contradicts"),
        ("never fixed gates in Porto", "already sold gates", "", "unrelated"),
    ],
)
def test_a_deed_is_a_denied_one_if_it_is_done_to_the_same_thing(
    denial: str, deed: str, said: str, relation: str
) -> None:
    assert verdict(f"Ida has {denial}", f"Ida has recently {deed}", after=said) == relation


@pytest.mark.conforms("model:words")
def test_the_denied_thing_alone_may_be_all_that_is_said() -> None:
    assert verdict("Ida has never used red gates", "Already red gates") == "contradicts"


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("deed", "relation"),
    [
        ("Ida has recently baked rye bread", "contradicts"),
        ("Ida baked rye bread", "contradicts"),
        ("Ida bakes rye bread", "unrelated"),  # what is done now and then is no single deed
        ("Ida will finally learn how she baked rye bread recently", "unrelated"),
        ("Ida hopes for rye bread, which she has baked and completed", "contradicts"),
        ("Ida bakes rye bread for Tom last week", "contradicts"),
        ("Rye bread is the last that Ida bakes", "unrelated"),
        ("Ida bakes rye bread once a month", "unrelated"),
        ("Ida is interested in rye bread", "unrelated"),
        ("Ida has a shed to bake rye bread", "unrelated"),
        ("Ida bakes rye bread from seed at great speed", "unrelated"),
    ],
)
def test_only_what_was_done_contradicts_a_denial(deed: str, relation: str) -> None:
    assert verdict("Ida has never baked rye bread", deed) == relation


@pytest.mark.conforms("model:words")
def test_the_denied_words_read_as_a_statement_of_the_same_sentence_are_no_deed() -> None:
    denial, deed = "Ida has never fixed any old gates", "Ida has fixed any old gates recently"
    said = "I have never fixed any old gates"
    assert verdict(denial, deed, before=said, after=said) == "unrelated"
    assert verdict(denial, deed, before=said, after="I recently fixed any of my old gates") == "contradicts"
    assert verdict(denial, deed.replace(" any", ""), before=said, after=said) == "contradicts"


@pytest.mark.conforms("model:words")
@pytest.mark.parametrize(
    ("earlier", "later", "relation"),
    [
        # nothing reports a state of affairs, and nothing a change
        ("Ida has 10 harp lessons", "Ida has 15 harp lessons", "unrelated"),
        ("Ida was given 10 harp lessons", "Ida has 15 harp lessons", "contradicts"),
        ("Ida has 10 harp lessons", "Ida now has 15 harp lessons", "updates"),
        # the value stands on both sides: it has not gone
        ("Ida has 10 harp lessons", "Ida now has 15 harp lessons, and 10 harp lessons elsewhere", "same"),
        ("Ida had 15 harp lessons", "Ida now has 20 harp lessons and 15 riding lessons", "unrelated"),
        ("Ida has 10 harp lessons", "Ida now likes harp lessons", "unrelated"),
        ("Ida likes harp lessons", "Ida now has 10 harp lessons", "unrelated"),
        # a total counts for a word of change of its own, and a bare number it names is enough
        ("Ida completed 10 lessons in spring", "Tom was given a total of 15 lessons in the mill", "updates"),
        ("Ida's exam is on May 3", "Ida's exam is on May 9", "unrelated"),
        ("Ida's party with cutlery is on May 3", "Ida's party with cutlery is on May 9", "unrelated"),
        ("Ida's party with risotto is on May 3", "Ida's party with risotto is on May 9", "unrelated"),
        ("Ida's party with drops is on May 3", "Ida's party drops to May 9", "updates"),
        ("Ida has 10 risotto recipes", "Ida has 15 risotto recipes", "unrelated"),
        ("Ida needs 10 harp lessons", "Ida has 15 harp lessons", "unrelated"),
        ("Ida has 10 harp lessons in a shed", "Ida has 15 harp lessons", "unrelated"),
        ("Ida's exam is on May 3", "Ida's exam was moved on May 3 to May 9", "unrelated"),
        ("Ida's exam is on May 3", "Ida's exam now is on May 3", "unrelated"),
    ],
)
def test_a_figure_or_a_date_gives_way_to_another_and_not_to_itself(earlier: str, later: str, relation: str) -> None:
    assert verdict(earlier, later, 0.7) == relation
