"""What is judged beside the best results: what was said later and shares their rare words."""

from __future__ import annotations

import numpy as np

from memory.model.scopes import Sensitivity, View
from memory.model.timeline import DAY_S
from memory.retrieval.candidates import Traits
from memory.retrieval.named_later import NAMED_LATER, named_later
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from tests.unit.retrieval.rows import Row, batch

START = 1_700_000_000.0
ANN = View("ann")
TALK = [
    "My vet is Mr Tamsett",
    "I saw him on Monday",
    "Tamsett has retired, Grissom takes over from Monday",
    "The kitchen is green",
    "We ate pancakes",
    "My sister called",
    "Grissom wants papers",
    "The bus was late",
]


async def traits_of(*said: str, worded: bool = True) -> tuple[Traits, dict[str, int]]:
    """Traits of what was said, a day apart, and the row of each."""
    rows = [Row(n + 1, text, source=n, at=START + n * DAY_S) for n, text in enumerate(said)]
    built = SegmentIndex(2)
    built.put("user:ann", Sensitivity.OPEN, batch(rows))
    built.put_vectors("user:ann", np.array([row.key for row in rows]), np.tile([1.0, 0.0], (len(rows), 1)), None)
    keys = np.array([row.key for row in rows])
    found = await MemoryTraits(built).traits(ANN, keys, Probe("?", worded=worded))
    return found, {text: int(np.flatnonzero(found.keys == n + 1)[0]) for n, text in enumerate(said)}


def others(traits: Traits, *best: int) -> np.ndarray:
    return np.array([row for row in range(len(traits.keys)) if row not in best])


async def test_what_names_it_later_is_found_and_what_came_before_is_not():
    traits, row = await traits_of("Tamsett was recommended to me", *TALK)
    lead = row["My vet is Mr Tamsett"]
    found = named_later(traits, np.array([lead]), others(traits, lead))
    assert found.tolist() == [row["Tamsett has retired, Grissom takes over from Monday"]]


async def test_the_second_result_is_followed_as_well_and_what_shares_most_comes_first():
    traits, row = await traits_of(*TALK, "Tamsett sent his papers, says Grissom", "The kitchen needs paint")
    first, second = row["My vet is Mr Tamsett"], row["The kitchen is green"]
    found = named_later(traits, np.array([first, second]), others(traits, first, second))
    assert found[1] == row["The kitchen needs paint"]
    assert {found[0], found[2]} == {
        row["Tamsett has retired, Grissom takes over from Monday"],
        row["Tamsett sent his papers, says Grissom"],
    }


async def test_a_word_that_most_share_tells_nothing():
    traits, _ = await traits_of("The garden is green", "The garden is wet", "The garden is cold", "The garden is mine")
    assert named_later(traits, np.array([0]), others(traits, 0)).tolist() == []


async def test_there_are_only_so_many():
    traits, _ = await traits_of(
        "Tamsett it is", *(f"Tamsett said {n}" for n in range(9)), *(f"Tea {n}" for n in range(40))
    )
    assert len(named_later(traits, np.array([0]), others(traits, 0))) == NAMED_LATER


async def test_nothing_is_found_of_nothing_and_where_no_words_are_known():
    traits, _ = await traits_of(*TALK)
    none = np.zeros(0, np.int64)
    assert named_later(traits, none, others(traits)).tolist() == []
    assert named_later(traits, np.array([0]), none).tolist() == []
    unworded, _ = await traits_of(*TALK, worded=False)
    assert named_later(unworded, np.array([0]), others(unworded, 0)).tolist() == []
