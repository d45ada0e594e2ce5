"""Keeping: which words say that a promise was kept, and what becomes of it when they go or it is made again."""

from __future__ import annotations

import pytest

from adapters.extraction.rules import read
from memory.model import commands as c
from memory.model.claims import Utterance
from memory.rules.promises import promise_state
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory

PROMISE = "I'll send you the contract."


def told(*sentences: str, listener: str = "Ben") -> Memory:
    """What Ana says to somebody, a sentence a day."""
    memory = Memory("Ana")
    listeners = (listener,) if listener else ()
    for place, text in enumerate(sentences):
        at = NOON + place * DAY
        said = Utterance(f"s{place}", "0", place + 1, 1, "Ana", text, at, role="user", listeners=listeners)
        reading = read([said])
        memory.hear(place + 1, *reading.claims, at=at, speaker="Ana", sightings=reading.sightings)
    return memory


def states(memory: Memory) -> list[str]:
    """The states of its promises, on their first day."""
    promises = (each for each in memory.believed.entities.values() if each.type == "promise")
    return [promise_state(each.properties, NOON) for each in promises]


@pytest.mark.parametrize(
    ("promise", "done"),
    [
        (PROMISE, "I sent you the contract."),
        (PROMISE, "I've sent you the contract."),
        (PROMISE, "I sent the contract to you yesterday."),
        ("I'll send you the contract by Friday.", "I sent you the contract."),
        ("I promise to call you tomorrow.", "I called you."),
        ("I'll call Lena by Friday.", "I called Lena this morning."),
    ],
)
@pytest.mark.parametrize("listener", ["Ben", ""])
def test_a_promise_is_kept_by_who_says_that_it_is_done(promise, done, listener):
    assert states(told(promise, done, listener=listener)) == ["kept"]


@pytest.mark.parametrize(
    "other",
    [
        "I forgot to send you the contract.",
        "I haven't sent you the contract.",
        "I sent Lena the contract.",
        "I sent you the invoice.",
        "I sent you the wrong contract.",
        "I sent you half the contract.",
        "I sent you the contract last month.",
        "I was sent the contract by you.",
        "I'm sending you the contract.",
        "I wanted to send you the contract.",
        "I think I sent you the contract.",
        "I hope I sent you the contract.",
        "Did I send you the contract?",
        "If I sent you the contract, you would sign it.",
        "Tom sent you the contract.",
    ],
)
@pytest.mark.parametrize("listener", ["Ben", ""])
def test_what_sounds_alike_keeps_nothing(other, listener):
    assert states(told(PROMISE, other, listener=listener)) == ["open"]


def test_what_was_done_before_it_was_promised_keeps_nothing():
    assert states(told("I sent you the contract.", PROMISE)) == ["open"]


def test_a_promise_that_is_made_again_is_open_again():
    assert states(told(PROMISE, "I sent you the contract.", PROMISE)) == ["open"]
    assert states(told(PROMISE, "I sent you the contract.", PROMISE, "I sent you the contract.")) == ["kept"]


def test_a_promise_is_open_again_when_the_words_that_kept_it_go():
    memory = told(PROMISE, "I sent you the contract.")
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert states(memory) == ["open"]


def test_only_the_promise_that_was_meant_is_kept():
    memory = told(PROMISE, "I'll send you the photos.", "I sent you the photos.")
    kept = {each.name for each in memory.believed.entities.values() if each.properties.get("state") == "kept"}
    assert kept == {"Ana: I'll send you the photos"}


def test_words_that_keep_a_promise_and_make_it_again_mention_it_once():
    memory = told(PROMISE, "I sent you the contract. I'll send you the contract.")
    (promise,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    assert sorted(memory.believed.mentions[promise.entity_id]) == [1, 2]
