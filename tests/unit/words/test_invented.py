"""What a model's sentence tells beyond what it rests on: names and numbers, whole words, in two languages."""

from __future__ import annotations

import pytest

from memory.words.invented import invented


@pytest.mark.parametrize(
    ("sentence", "grounds", "names"),
    [
        ("You owe Tom two slides.", "Maya: I promised Tom 2 slides.", set()),
        ("You owe Tom 2 slides.", "Maya: I promised Tom two slides.", set()),
        ("You owe Tom 3 slides.", "Maya: I promised Tom 23 slides at 3:30.", {"3"}),
        ("You pay 1,050.", "I pay 1,050.50 now.", {"1,050"}),
        ("You run 30km on the 5th.", "I run 30 km on 5 May.", set()),
        ("Anna likes tea.", "Annabel likes tea.", {"anna"}),
        ("Annas Tee ist gut.", "Anna mag Tee.", {"annas"}),
        ("Du triffst Émile um drei.", "Ben: Wir treffen uns um 4.", {"émile", "3"}),
        ("Maya's plan is that I wait.", "maya: a plan", set()),
        ("The talk was long.", "it was long", set()),
        ("You took the A380.", "A flight of 380 people", {"a380"}),
    ],
)
def test_names_and_numbers_are_found_that_were_not_said(sentence: str, grounds: str, names: set[str]) -> None:
    assert invented(sentence, [grounds]) == names
