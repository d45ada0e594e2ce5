"""Keeping: which words say that a promise was kept, and what becomes of it when they go or it is made again."""

from __future__ import annotations

import pytest

from adapters.extraction.promise_fulfilment import load_fulfilment
from adapters.extraction.rules import read
from adapters.model_files import FULFILMENT
from memory.model import commands as c
from memory.model.claims import Sighting, Utterance
from memory.model.timeline import iso
from memory.rules import keeping
from memory.rules.decider import Rules
from memory.rules.promises import due_of, promise_state
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


CALL = "I'll call you tomorrow."


@pytest.mark.parametrize("between", [("It rained.", "It snowed."), ("I called you.", "It rained.")])
def test_a_promise_that_is_made_again_is_due_by_its_last_words(between):
    memory = told(CALL, *between, CALL)
    (promise,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    made = NOON + (1 + len(between)) * DAY
    assert made < due_of(promise.properties) < made + 2 * DAY
    assert promise_state(promise.properties, made) == "open"


@pytest.mark.parametrize("order", [1, -1])
def test_a_promise_is_due_by_its_last_words_in_whatever_order_they_are_heard(order):
    memory = Memory("Ana")
    for key, day, listener in ((1, 9, "Lena"), (2, 3, "Ben"))[::order]:
        properties = {"by": "Ana", "to": listener, "due": iso(NOON + (day + 1) * DAY), "text": CALL}
        seen = Sighting("promise", f"Ana: {CALL}", 0.9, CALL, key, properties)
        memory.hear(key, at=NOON + day * DAY, speaker="Ana", sightings=(seen,))
    (promise,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    assert (due_of(promise.properties), promise.properties["to"]) == (NOON + 10 * DAY, "Lena")


def test_what_the_first_words_left_open_is_known_from_others():
    memory = Memory("Ana")
    for key, listener in ((1, None), (2, "Lena"), (3, None)):
        seen = Sighting("promise", f"Ana: {CALL}", 0.9, CALL, key, {"by": "Ana", "to": listener, "due": None})
        memory.hear(key, at=NOON + key * DAY, speaker="Ana", sightings=(seen,))
    (promise,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    assert promise.properties["to"] == "Lena"


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


# --- words that no claim was read from

DOOR = "I'll paint the front door red before the visit"
PAINTED = "painted the front door red, visit can come"


def promised(*later: tuple[str, str], fulfilment: bool = True, **heard: object) -> Memory:
    """Ana promises Ben to paint the door; then turns of (speaker, words), a day each, from which nothing is read."""
    memory = Memory("Ana", rules=Rules(fulfilment=load_fulfilment(FULFILMENT.find()) if fulfilment else None))
    properties = {"by": "Ana", "to": "Ben", "due": None, "text": DOOR}
    seen = Sighting("promise", f"Ana: {DOOR}", 0.9, DOOR, 1, properties)
    memory.hear(1, at=NOON, speaker="Ana", sightings=(seen,), words=DOOR)
    for place, (speaker, text) in enumerate(later, 2):
        memory.hear(place, at=NOON + place * DAY, speaker=speaker, words=text, **heard)
    return memory


def test_words_alone_keep_a_promise_and_mean_it_then():
    memory = promised(("Ana", PAINTED))
    assert states(memory) == ["kept"]
    (door,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    assert memory.believed.mentions[door.entity_id][2].quote == PAINTED


@pytest.mark.parametrize(
    "later",
    [
        ("Ana", "painted the shed"),
        ("Ana", "haven't painted the front door red yet"),
        ("Ben", "is the front door painted red?"),
        ("Ana", "painted the front door red in 2019, before that visit"),
    ],
)
def test_words_of_something_else_a_question_or_an_earlier_time_keep_nothing(later):
    assert states(promised(later)) == ["open"]


def test_without_what_was_taught_the_words_of_a_turn_keep_nothing():
    assert states(promised(("Ana", PAINTED), fulfilment=False)) == ["open"]


def test_what_an_assistant_says_or_more_sensitive_words_say_keeps_nothing():
    assert states(promised(("Helper", PAINTED), role="assistant")) == ["open"]
    assert states(promised(("Ana", PAINTED), sensitivity=2)) == ["open"]


def test_it_is_open_again_when_those_words_go():
    memory = promised(("Ana", PAINTED))
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert states(memory) == ["open"]


def test_it_is_kept_once():
    memory = promised(("Ana", PAINTED), ("Ana", PAINTED))
    (door,) = (each for each in memory.believed.entities.values() if each.type == "promise")
    assert door.properties["kept_in"] == "2"


def test_a_turn_is_held_against_the_latest_promises_alone(monkeypatch):
    monkeypatch.setattr(keeping, "MOST_OPEN", 1)
    memory = promised()
    later = Sighting(
        "promise", "Ana: call", 0.9, "I'll call Ben", 7, {"by": "Ana", "to": "Ben", "text": "I'll call Ben"}
    )
    memory.hear(7, at=NOON + DAY, speaker="Ana", sightings=(later,), words="I'll call Ben")
    memory.hear(8, at=NOON + 2 * DAY, speaker="Ana", words=PAINTED)
    assert states(memory) == ["open", "open"]
