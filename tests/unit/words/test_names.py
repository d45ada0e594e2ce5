from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.names import bare, is_name, is_pet, relation, same_name


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Val", "Valerie", True),
        ("valerie", "Valerie", True),
        ("Dr. Ana Silva", "Ana Silva", True),
        ("Ana", "Ana Silva", True),
        ("Ana Silva", "Ana Costa", False),
        ("Me", "Valerie", False),
        ("Jon", "Jane", False),
        ("", "Ana", False),
        ("Beatrix's", "Beatrix", True),
        ("An", "Ana", False),
    ],
)
def test_same_name(a: str, b: str, same: bool) -> None:
    assert same_name(a, b) is same


@given(st.text(max_size=20), st.text(max_size=20))
def test_sameness_has_no_direction(a: str, b: str) -> None:
    assert same_name(a, b) == same_name(b, a)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Jane", True),
        ("Ana Silva", True),
        ("O'Brien", True),
        ("São Paulo", True),
        ("Congrats", False),
        ("Woohoo", False),
        ("FYI", False),
        ("mom", False),
        ("Mom", False),
        ("x_1 = 3", False),
        ("", False),
        ("Workshop", False),
        ("One Two Three Four Five Six", False),
    ],
)
def test_is_name(words: str, name: bool) -> None:
    assert is_name(words) is name


def test_bare() -> None:
    assert bare(" Dr. Silva's, ") == "Silva"
    assert bare("Professor Ana Silva.") == "Ana Silva"


@pytest.mark.parametrize(
    ("noun", "kin"), [("mum", "mother"), ("sisters", "sister"), ("children", "child"), ("table", None)]
)
def test_relation(noun: str, kin: str | None) -> None:
    assert relation(noun) == kin


@pytest.mark.parametrize(
    ("noun", "pet"), [("dog", True), ("puppies", True), ("guinea pig", True), ("lamp", False), (" ", False)]
)
def test_is_pet(noun: str, pet: bool) -> None:
    assert is_pet(noun) is pet
