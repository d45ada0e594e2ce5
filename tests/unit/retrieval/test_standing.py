from __future__ import annotations

import numpy as np

from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Interval
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.standing import AT_HAND, MemoryStanding
from memory.retrieval.wishes import INSTRUCTION, PREFERENCE
from tests.unit.retrieval.rows import Row, batch

ANN = View("ann")
NOON = 1_683_500_000.0
HOW = "How do I rename these files?"
EAST = np.array([1, 0], np.float32)


def turned(degrees: float) -> list[float]:
    return [float(np.cos(np.deg2rad(degrees))), float(np.sin(np.deg2rad(degrees)))]


def segment_index(*said: str, role: str = "user") -> SegmentIndex:
    """Rows 1, 2, ...: each ten degrees further from the east, and an hour later."""
    built = SegmentIndex(2)
    rows = [Row(key, text, order=key, at=NOON + 3600 * key, role=role) for key, text in enumerate(said, start=1)]
    built.put("user:ann", Sensitivity.OPEN, batch(rows))
    vectors = np.array([turned(10 * (row.key - 1)) for row in rows], np.float32)
    built.put_vectors("user:ann", np.array([row.key for row in rows]), vectors)
    return built


async def found(built: SegmentIndex, probe: Probe) -> list[int]:
    return (await MemoryStanding(built).search(ANN, probe)).keys.tolist()


async def test_a_request_brings_the_nearest_wishes_of_each_kind():
    said = segment_index(*["Always be brief."] * 4, "Tea is warm.", *["I prefer lists."] * 3)
    assert await found(said, Probe(HOW, EAST)) == [1, 2, 3, 6, 7]
    assert (AT_HAND[INSTRUCTION], AT_HAND[PREFERENCE]) == (3, 2)


async def test_other_questions_bring_none():
    assert await found(segment_index("Always be brief."), Probe("Where does Priya live?", EAST)) == []


async def test_the_newest_come_where_the_question_has_no_vector():
    assert await found(segment_index(*["Always be brief."] * 5), Probe(HOW)) == [5, 4, 3]


async def test_wishes_of_others_and_out_of_the_window_do_not_count():
    assert await found(segment_index("Always be brief.", role="assistant"), Probe(HOW, EAST)) == []
    said = segment_index("Always be brief.", "Never shout.")
    assert await found(said, Probe(HOW, EAST, window=Interval(NOON + 7200, None))) == [2]
    assert await found(said, Probe(HOW, EAST, limit=1)) == [1]


async def test_nothing_is_at_hand_in_an_empty_memory():
    ranking = await MemoryStanding(SegmentIndex(2)).search(ANN, Probe(HOW, EAST))
    assert (ranking.leg, len(ranking.keys), len(ranking.scores)) == ("standing", 0, 0)
