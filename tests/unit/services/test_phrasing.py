"""A fact is told to its owner in the second person, and behind yes or no where that was asked."""

from __future__ import annotations

import pytest

from memory.services.phrasing import asks_whether, to_owner, told_in_answer


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("Nina lives in Halle (since May 2026; before: Ghent)", "You live in Halle (since May 2026; before: Ghent)"),
        ("Nina's sister is Lena", "Your sister is Lena"),
        ("Tom gave Nina flowers", "Tom gave Nina flowers"),
        ("Tom gave Nina a book", "Tom gave you a book"),
        ("Nina is allergic to cats", "You are allergic to cats"),
        ("Nina doesn't eat meat", "You don't eat meat"),
        ("Nina never watches films", "You never watch films"),
        ("Nina tries to run", "You try to run"),
        ("Nina misses Tom", "You miss Tom"),
        ("Nina was born in Rome", "You were born in Rome"),
        ("Nina moved to Ghent", "You moved to Ghent"),
        ("Tom thinks Nina likes jazz", "Tom thinks Nina likes jazz"),
        ("Tom said that Nina is late", "Tom said that you are late"),
        ("Tom and Nina live in Rome", "Tom and you live in Rome"),
        ("Nina-Marie lives here", "Nina-Marie lives here"),
        ("Tom lives here", "Tom lives here"),
        ("Nina hat die Reise nach Rom abgesagt", "Nina hat die Reise nach Rom abgesagt"),
        ("Nina quit their job", "You quit their job"),
    ],
)
def test_a_statement_is_told_to_its_owner(statement, told):
    assert to_owner(statement, "Nina") == told
    assert to_owner(statement, "") == statement


@pytest.mark.parametrize(
    ("statement", "said", "told"),
    [
        ("Nina quit their job", "I quit my job.", "You quit your job"),
        ("Nina left as their sister did", "I left as my sister did", "You left as your sister did"),
        ("Nina likes their house", "I like their house, my word!", "You like their house"),
        ("Nina likes their house", "I like the house of Tom and Ida.", "You like their house"),
        ("Tom sold their car", "My neighbour Tom sold the car.", "Tom sold their car"),
        ("Nina hurt themselves", "I hurt myself", "You hurt yourself"),
    ],
)
def test_what_is_their_own_is_told_as_theirs(statement, said, told):
    assert to_owner(statement, "Nina", said) == told


def test_who_is_asked_about_by_name_is_told_of_by_name():
    assert told_in_answer("Nina lives in Halle", "Nina", "Where does Nina live?") == "Nina lives in Halle"
    assert told_in_answer("Nina lives in Halle", "Nina", "What is Nina's home?") == "Nina lives in Halle"
    assert told_in_answer("Nina lives in Halle", "Nina", "Where do I live?") == "You live in Halle"


@pytest.mark.parametrize(
    ("question", "whether"),
    [
        ("Do I live in Halle?", True),
        ("Didn't Tom call?", True),
        ("So, have we paid?", True),
        ("Habe ich einen Hund?", True),
        ("Was ist meine Lieblingsfarbe?", False),
        ("Was macht Tom?", False),
        ("Was I in Berlin?", True),
        ("Where do I live?", False),
        ("Who is Tom?", False),
        ("Tell me about Tom", False),
        ("", False),
    ],
)
def test_whether_something_is_so_is_asked_by_the_first_word(question, whether):
    assert asks_whether(question) is whether


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("User lives in Leipzig", "You live in Leipzig"),
        ("user's doctor is Dr Weidner", "Your doctor is Dr Weidner"),
        ("Ben gave a user a lift", "Ben gave a user a lift"),
        ("Userland is slow", "Userland is slow"),
        ("User said \ufffc", "User said \ufffc"),
        ("User and Ben, whom user likes", "You and Ben, whom user likes"),
    ],
)
def test_an_owner_without_a_name_is_you_where_a_statement_begins_with_them(statement: str, told: str) -> None:
    assert to_owner(statement, "") == told
