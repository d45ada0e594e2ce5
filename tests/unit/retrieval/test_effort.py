from __future__ import annotations

import pytest

from memory.retrieval.effort import COMPLEX, SIMPLE, Effort, effort_of


@pytest.mark.conforms("004:complexity")
@pytest.mark.parametrize(
    "text",
    [
        "Why did Priya leave the choir?",
        "How many books has Ana read?",
        "List all the gifts Tom got.",
        "Summarise the meeting.",
        "How has Jonas changed?",
        "What did Ana say? And what did Tom answer?",
        "Compare the two flats.",
        "What does everyone bring?",
        "Welche Bücher hat jeder gelesen?",
        "Fasse die Besprechung zusammen.",
        "word " * 24,
    ],
)
def test_causes_lists_counts_and_comparisons_are_complex(text: str) -> None:
    assert effort_of(text) is COMPLEX


@pytest.mark.conforms("004:complexity")
@pytest.mark.parametrize(
    "text",
    ["word " * 23, "Where does Maya live?", "When was the wedding?", "Who called?", "tea", "", "🦆", "Wo wohnt Ana?"],
)
def test_one_thing_asked_for_is_simple(text: str) -> None:
    assert effort_of(text) is SIMPLE


@pytest.mark.conforms("004:complexity")
def test_the_figures_are_those_of_the_seed() -> None:
    assert Effort("simple", depth=2, results=5, tokens=1000) == SIMPLE
    assert Effort("complex", depth=4, results=20, tokens=3000) == COMPLEX
