"""Classes of things in questions, and what is of them."""

from __future__ import annotations

import pytest

from memory.words.classes import classes_in, tells_one


def test_a_class_is_named_in_either_language() -> None:
    assert classes_in("Which languages does Lena speak?") == {"languages": "language"}
    assert classes_in("Welche Sportart spielt Tom?") == {"sportart": "sport"}
    assert classes_in("In which cities has Tom lived?") == {"cities": "place"}
    assert classes_in("Where does Tom live?") == {}


@pytest.mark.parametrize(
    ("class_", "statement", "predicate", "told"),
    [
        ("instrument", "Maya plays the cello", "plays", True),
        ("instrument", "Maya plays football", "plays", False),
        ("instrument", "Maya hates the cello", "dislikes", False),
        ("language", "Lena spricht Polnisch", None, True),
        ("sport", "Tom spielt Fußball", "plays", True),
        ("pet", "Tom has two cats", "owns", True),
        ("place", "Tom lives in Rome", "lives_in", True),
        ("place", "Tom works for Acme", "works_at", False),
        ("place", "Tom is in Rome", None, False),
    ],
)
def test_a_member_tells_of_its_class_if_the_predicate_does(
    class_: str, statement: str, predicate: str | None, told: bool
) -> None:
    assert tells_one(class_, statement, predicate) is told
