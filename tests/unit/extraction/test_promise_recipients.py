"""To whom something is promised: who is weighed, by what, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.extraction.promise_recipients import (
    MOST_NAMED,
    RecipientWeights,
    addressed,
    candidates,
    load_recipients,
)
from adapters.model_files import PROMISE_RECIPIENTS
from memory.errors import ConfigError
from memory.model.claims import Sighting, Utterance
from tests.unit.extraction.conftest import said

PEOPLE = ("Nora", "Pia", "Felix")


@pytest.fixture(scope="module")
def weights() -> RecipientWeights:
    return load_recipients(PROMISE_RECIPIENTS.checked(PROMISE_RECIPIENTS.find()))


def chat(*turns: tuple[str, str], people: tuple[str, ...] = PEOPLE) -> list[Utterance]:
    """A talk of these people, of whom each listens to the others."""
    return [replace(each, listeners=tuple(name for name in people if name != each.speaker)) for each in said(*turns)]


def to_whom(weights: RecipientWeights, utterances: list[Utterance], rule: str | None = None) -> str | None:
    """What is told of a promise that is all of the last turn, where a rule said `rule`."""
    last = utterances[-1]
    properties = {"by": last.speaker, "to": rule, "due": None, "text": last.text}
    promise = Sighting("promise", last.text, 0.78, last.text, last.segment_key, properties)
    [found] = addressed([promise], utterances, weights)
    assert {**found.properties, "to": rule} == properties, "nothing else changes"
    to = found.properties["to"]
    assert to is None or isinstance(to, str)
    return to


@pytest.mark.parametrize(
    ("turns", "to"),
    [
        (
            (
                ("Felix", "It rained all day"),
                ("Pia", "You forgot the drill"),
                ("Nora", "I'll bring it to you on Friday"),
            ),
            "Pia",
        ),
        (
            (("Pia", "It rained"), ("Felix", "Can you send me the file?"), ("Nora", "Yes, I'll send it tonight")),
            "Felix",
        ),
        ((("Pia", "All good here"), ("Nora", "I told Felix I'd bring his drill back")), "Felix"),
        ((("Pia", "Na?"), ("Felix", "Mir fehlt das Rad"), ("Nora", "Ich bring dir das Rad am Freitag")), "Felix"),
    ],
)
def test_among_several_it_is_who_spoke_last_or_is_named(
    weights: RecipientWeights, turns: tuple[tuple[str, str], ...], to: str
) -> None:
    assert to_whom(weights, chat(*turns)) == to


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("I promised Ola I'd water her plants by Sunday", "Ola"),
        ("told mam i'd come home for christmas", "mam"),
        ("I promised my sister that I'd call", "Nora's sister"),
    ],
)
def test_a_memo_names_them_also_in_small_letters(weights: RecipientWeights, text: str, to: str) -> None:
    assert to_whom(weights, chat(("Nora", text), people=("Nora",))) == to


def test_what_a_rule_reads_off_the_words_stands_and_so_does_a_reminder(weights: RecipientWeights) -> None:
    turns = chat(("Felix", "Can you send me the file?"), ("Nora", "I'll send Pia the file, and you the key"))
    assert to_whom(weights, turns, "Pia") == "Pia"
    assert to_whom(weights, turns, "Nora") == "Nora"


def test_a_doubt_tells_nobody() -> None:
    turns = chat(("Pia", "It rained"), ("Nora", "I'll do it"))
    even = RecipientWeights({}, 0.5)
    assert even.likeliest(candidates(turns[-1], (0, 10), turns[:-1]))[1] == pytest.approx(1 / 3)
    assert to_whom(even, turns, "Pia") is None


def test_sightings_that_promise_nothing_stay(weights: RecipientWeights) -> None:
    turns = chat(("Nora", "Pia is here"))
    seen = Sighting("person", "Pia", 0.9, "Pia is here", turns[-1].segment_key)
    assert addressed([seen], turns, weights) == (seen,)


@given(st.text(max_size=400), st.text(max_size=40), st.integers(0, 500), st.integers(0, 500))
def test_any_text_gives_candidates_with_features(text: str, name: str, start: int, length: int) -> None:
    utterance = replace(said(("Nora", text))[0], listeners=(name,))
    found = candidates(utterance, (start, start + length), [])
    assert found[0].name == ""
    assert len(found) <= MOST_NAMED + 2
    assert all(each.features for each in found)


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recipients.json").write_text('{"weights": []}')
    with pytest.raises(ConfigError, match="do not fit"):
        load_recipients(tmp_path / "recipients.json")
